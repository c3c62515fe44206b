//! Private temporary folders, which are removed when they are no longer used.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// A new folder that other users cannot access. It and its contents are removed when the value is
/// dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    stays: bool,
}

impl PrivateFolder {
    /// Makes a folder in the system's folder for temporary files, named `NAME-` and a number.
    pub fn new(name: &str) -> io::Result<Self> {
        Self::within(&std::env::temp_dir(), |number| format!("{name}-{number:016x}"))
    }

    /// Makes a folder in another folder; `name` receives an unpredictable number.
    pub fn within(above: &Path, name: impl Fn(u64) -> String) -> io::Result<Self> {
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let mut last = None;
        for _ in 0..100 {
            let path = above.join(name(RandomState::new().build_hasher().finish()));
            match builder.create(&path) {
                Ok(()) => return Ok(Self { path, stays: false }),
                Err(error) => last = Some(error),
            }
        }
        let last = last.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into());
        let message = format!("no folder can be made in {}: {last}", above.display());
        Err(io::Error::new(last.kind(), message))
    }

    /// Keeps the folder when the value is dropped.
    #[must_use]
    pub fn that_stays(mut self) -> Self {
        self.stays = true;
        self
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        if !self.stays {
            // A folder that cannot be removed stays, without a message.
            let _ = std::fs::remove_dir_all(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_with_its_value() {
        let above = texunit_testkit::TempDir::new("private");
        let make = || PrivateFolder::within(&above, |number| format!("a-{number:x}")).unwrap();
        let (first, second) = (make(), make());
        assert_ne!(first.path(), second.path());
        std::fs::write(first.path().join("file"), "text").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(first.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        let (path, kept) = (first.path().to_owned(), second.path().to_owned());
        drop((first, second.that_stays()));
        assert!(!path.exists() && kept.is_dir());
        let nowhere = PrivateFolder::within(&above.join("none"), |_| "x".to_owned()).unwrap_err();
        assert!(nowhere.to_string().starts_with("no folder can be made in "), "{nowhere}");
    }
}
