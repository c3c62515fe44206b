//! File identity: whether two paths refer to the same file.

use std::path::Path;

/// The identity of a file, independent of its path: hard links and symbolic links to it have the
/// same identity.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Identity(Inner);

/// Device and inode numbers.
#[cfg(unix)]
type Inner = (u64, u64);
/// The canonical path.
#[cfg(not(unix))]
type Inner = std::path::PathBuf;

impl Identity {
    /// The identity of the file at a path; `None` if the file does not exist.
    pub fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            std::fs::metadata(path).ok().map(|found| Self((found.dev(), found.ino())))
        }
        #[cfg(not(unix))]
        path.canonicalize().ok().map(Self)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn links_are_the_file() {
        let folder = texunit_testkit::TempDir::new("identity");
        let at = |name: &str| folder.join(name);
        std::fs::write(at("file"), "text").unwrap();
        std::fs::write(at("other"), "text").unwrap();
        std::fs::hard_link(at("file"), at("hard")).unwrap();
        std::os::unix::fs::symlink("file", at("soft")).unwrap();
        let of = |name: &str| Identity::of(&at(name));
        assert!(of("file").is_some());
        assert_eq!(of("file"), of("hard"));
        assert_eq!(of("file"), of("soft"));
        assert_eq!(of("file"), of("./file"));
        assert_ne!(of("file"), of("other"));
        assert_eq!(of("nothing"), None);
    }
}
