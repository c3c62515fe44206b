//! In-memory files of a thread, which replace those of the file system: for platforms without a
//! file system (a browser), and for texts and pictures that exist only in memory.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

thread_local! {
    static MEMORY_FILES: RefCell<HashMap<PathBuf, Arc<[u8]>>> = RefCell::default();
}

/// A set of files that this thread reads from memory. While the value exists,
/// [`read_bytes`](crate::read_bytes) and its callers find these files before those of the file
/// system. If two values have a file of the same name, the file that was added later is found, and
/// none is found any more when the first of the two values is dropped.
#[derive(Debug, Default)]
pub struct MemoryFiles {
    paths: Vec<PathBuf>,
    // Not `Send`: the files belong to one thread.
    _here: std::marker::PhantomData<*const ()>,
}

impl MemoryFiles {
    /// Makes an empty set of files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file under a name, which need not exist in the file system.
    pub fn hold(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Arc<[u8]>>) {
        let path = path.into();
        MEMORY_FILES.with_borrow_mut(|held| held.insert(path.clone(), bytes.into()));
        self.paths.push(path);
    }
}

impl Drop for MemoryFiles {
    fn drop(&mut self) {
        // When a thread exits, its storage may already have been destroyed.
        let _ = MEMORY_FILES.try_with(|held| {
            let mut held = held.borrow_mut();
            for path in &self.paths {
                held.remove(path);
            }
        });
    }
}

/// The bytes of an in-memory file.
pub(crate) fn get(path: &Path) -> Option<Arc<[u8]>> {
    MEMORY_FILES.with_borrow(|held| held.get(path).cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_files_are_read_until_they_are_dropped() {
        let path = Path::new("nowhere/at/all.raw");
        let mut held = MemoryFiles::new();
        held.hold(path, *b"abc");
        assert_eq!(crate::read_bytes(path).unwrap(), b"abc");
        let other =
            std::thread::spawn(|| crate::read_bytes(Path::new("nowhere/at/all.raw")).is_err());
        assert!(other.join().unwrap(), "another thread does not see it");
        drop(held);
        assert!(crate::read_bytes(path).is_err());
    }
}
