//! Finds the PTX files in a folder.

use super::read::{Unread, unreadable};
use std::path::{Path, PathBuf};

/// Maximum depth of nested folders.
const DEEPEST: usize = 100;

/// The files in a folder and below it whose names end in `.ptx`, sorted by path. Links to folders
/// are not followed. Unreadable folders are reported in the list.
pub(crate) fn files(folder: &Path) -> Vec<Result<PathBuf, Unread>> {
    let mut found = Vec::new();
    collect(folder, DEEPEST, &mut found);
    if found.is_empty() {
        let why = "no file in this folder, nor in one below it, has a name that ends in .ptx";
        found.push(Err(unreadable(folder, why)));
    }
    found
}

fn collect(folder: &Path, depth: usize, found: &mut Vec<Result<PathBuf, Unread>>) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) if depth > 0 => entries,
        Ok(_) => return found.push(Err(unreadable(folder, "it is nested too deeply"))),
        Err(error) => return found.push(Err(unreadable(folder, error))),
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, depth - 1, found);
        } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("ptx"))
            && !path.is_dir()
        {
            found.push(Ok(path));
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn folders_below_and_links() {
        let folder = texunit_testkit::TempDir::new("check-folder");
        let at = |name: &str| folder.join(name);
        std::fs::create_dir_all(at("b/c.ptx")).unwrap();
        for file in ["z.ptx", "a.PTX", "notes.txt", "b/x.ptx", "b/c.ptx/y.ptx"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), at("b/link")).unwrap();
        std::os::unix::fs::symlink(at("z.ptx"), at("b/z.ptx")).unwrap();
        let names: Vec<PathBuf> = files(&folder).into_iter().map(|f| f.ok().unwrap()).collect();
        let expected = ["a.PTX", "b/c.ptx/y.ptx", "b/x.ptx", "b/z.ptx", "z.ptx"];
        assert_eq!(names, expected.map(at));
        std::fs::create_dir(at("none")).unwrap();
        let none = files(&at("none"));
        assert!(matches!(&none[..], [Err(unread)] if unread.why.message.contains("no file")));
    }
}
