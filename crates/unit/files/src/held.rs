//! Files that a thread holds in memory, in place of those of the system: where there is no file system (a browser), and
//! for whoever has texts and pictures that lie nowhere.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

thread_local! {
    static HELD: RefCell<HashMap<PathBuf, Arc<[u8]>>> = RefCell::default();
}

/// Files that this thread reads from memory. While the value lives, [`read_bytes`](crate::read_bytes) and whoever reads by it
/// find them before those of the system; dropped, they are gone. Of two of one name the later one counts, and goes with the first of the
/// two values to go.
#[derive(Debug, Default)]
pub struct Held {
    paths: Vec<PathBuf>,
    // Files of one thread: its value stays there.
    _here: std::marker::PhantomData<*const ()>,
}

impl Held {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds a file, of whatever name.
    pub fn hold(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Arc<[u8]>>) {
        let path = path.into();
        HELD.with_borrow_mut(|held| held.insert(path.clone(), bytes.into()));
        self.paths.push(path);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // A thread that ends may have lost its files before.
        let _ = HELD.try_with(|held| {
            let mut held = held.borrow_mut();
            for path in &self.paths {
                held.remove(path);
            }
        });
    }
}

/// The bytes of a file that is held.
pub(crate) fn get(path: &Path) -> Option<Arc<[u8]>> {
    HELD.with_borrow(|held| held.get(path).cloned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn held_files_are_read_until_they_are_dropped() {
        let path = Path::new("nowhere/at/all.raw");
        let mut held = Held::new();
        held.hold(path, *b"abc");
        assert_eq!(crate::read_bytes(path).unwrap(), b"abc");
        let other =
            std::thread::spawn(|| crate::read_bytes(Path::new("nowhere/at/all.raw")).is_err());
        assert!(other.join().unwrap(), "another thread does not see it");
        drop(held);
        assert!(crate::read_bytes(path).is_err());
    }
}
