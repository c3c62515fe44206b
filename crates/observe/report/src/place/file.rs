//! Names of source files.

use std::path::{Component, Path, PathBuf};

/// The full path of a file if it exists, without `..` (nvcc's headers are in `bin/../include`).
pub fn source_file(name: &str) -> String {
    let whole = std::path::absolute(name).ok().filter(|path| path.is_file());
    printable(&whole.map_or_else(
        || name.into(),
        |path| straight(&path).unwrap_or(path).to_string_lossy().into_owned(),
    ))
}

/// A path without `..`, if it still refers to the same file, which a symbolic link can prevent.
fn straight(path: &Path) -> Option<PathBuf> {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(straight.pop()),
            part => straight.push(part),
        }
    }
    let is_same = straight.canonicalize().ok()? == path.canonicalize().ok()?;
    is_same.then_some(straight)
}

/// A name without control characters, such as line ends.
pub fn printable(name: &str) -> String {
    name.replace(|c: char| c.is_control(), "?")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_are_straight_where_that_is_the_same() {
        let folder = texunit_testkit::TempDir::new("paths");
        let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        std::fs::create_dir_all(at("kit/bin")).unwrap();
        std::fs::create_dir_all(at("far/away")).unwrap();
        for file in ["kit/a.h", "far/a.h"] {
            std::fs::write(at(file), "").unwrap();
        }
        assert_eq!(source_file(&at("kit/bin/../a.h")), at("kit/a.h"));
        std::os::unix::fs::symlink(at("far/away"), at("kit/link")).unwrap();
        assert_eq!(source_file(&at("kit/link/../a.h")), at("kit/link/../a.h"));
        assert_eq!(source_file("gone/../a.h"), "gone/../a.h");
    }
}
