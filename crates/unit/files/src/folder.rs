//! Private temporary folders, which are removed when they are no longer used.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};

/// A folder that other users cannot access. It and its contents are removed when the value is
/// dropped.
#[derive(Debug)]
pub struct PrivateFolder {
    path: PathBuf,
    /// Whether the folder outlives the value.
    pub stays: bool,
}

impl PrivateFolder {
    /// Makes a folder in another one, named `prefix` and 16 random digits.
    pub fn new(above: &Path, prefix: &str) -> io::Result<Self> {
        let number = RandomState::new().build_hasher().finish();
        let path = above.join(format!("{prefix}{number:016x}"));
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        match builder.create(&path) {
            Ok(()) => Ok(Self { path, stays: false }),
            Err(error) => {
                let message = format!("no folder can be made in {}: {error}", above.display());
                Err(io::Error::new(error.kind(), message))
            }
        }
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
        let make = || PrivateFolder::new(&above, "a-").unwrap();
        let (first, mut second) = (make(), make());
        assert_ne!(first.path(), second.path());
        std::fs::write(first.path().join("file"), "text").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(first.path().metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        let (path, kept) = (first.path().to_owned(), second.path().to_owned());
        second.stays = true;
        drop((first, second));
        assert!(!path.exists() && kept.is_dir());
        let nowhere = PrivateFolder::new(&above.join("none"), "x").unwrap_err();
        assert!(nowhere.to_string().starts_with("no folder can be made in "), "{nowhere}");
    }
}
