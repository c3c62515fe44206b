//! Temporary folders that are removed when a test ends.

use std::ffi::OsStr;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A new, empty folder, which is removed with its contents when the value is dropped, even after a
/// panic.
#[derive(Debug)]
pub struct TempDir(tempfile::TempDir);

impl TempDir {
    /// Creates a folder whose name contains `name`, with `-` for characters that are not letters or
    /// digits.
    ///
    /// # Panics
    /// If the folder cannot be created.
    pub fn new(name: &str) -> Self {
        let name: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
        let made = tempfile::Builder::new().prefix(&format!("texunit-{name}-")).tempdir();
        Self(made.unwrap_or_else(|e| panic!("{}: {e}", std::env::temp_dir().display())))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file in the folder; returns the file's path.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn file(&self, name: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        path
    }

    /// The path of a file in the folder as text, for arguments and environment variables.
    ///
    /// # Panics
    /// If the path is not UTF-8.
    pub fn text(&self, name: &str) -> String {
        let path = self.path().join(name);
        path.to_str().unwrap_or_else(|| panic!("{} is not UTF-8", path.display())).to_owned()
    }
}

impl Deref for TempDir {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.path()
    }
}

impl AsRef<Path> for TempDir {
    fn as_ref(&self) -> &Path {
        self.path()
    }
}

impl AsRef<OsStr> for TempDir {
    fn as_ref(&self) -> &OsStr {
        self.path().as_os_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_new_and_end_with_a_panic_too() {
        let (one, other) = (TempDir::new("../kit"), TempDir::new("../kit"));
        assert_ne!(one.path(), other.path());
        let file = one.file("a", "text");
        assert_eq!(std::fs::read(&file).ok().as_deref(), Some(&b"text"[..]));
        assert_eq!(one.text("a"), file.to_string_lossy());
        let path = one.path().to_owned();
        let failed = std::thread::spawn(move || {
            assert!(!one.join("a").is_file(), "this panic is wanted");
        });
        assert!(failed.join().is_err());
        assert!(!path.exists() && other.is_dir());
    }
}
