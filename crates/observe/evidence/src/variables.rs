//! Keeps the settings of `texunit run` in the run's folder, for processes whose environment was
//! cleared. They find the folder by their parents ([`crate::run_above`]), and the settings in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// The file's name; its entries have the form of environment variables.
const FILE: &str = "variables";
/// Prefix of texunit's variables.
const START: &str = "TEXUNIT_";
/// Maximum number of entries that are read, since other programs can write to the folder.
const MAX_VARIABLES: usize = 1000;
/// Maximum size of the file.
const LARGEST: u64 = 1 << 20;

/// Stores texunit's variables among the given ones.
///
/// # Errors
/// The file cannot be written.
pub fn keep_variables(
    folder: &Path,
    all: impl IntoIterator<Item = (OsString, OsString)>,
) -> io::Result<()> {
    let mut bytes = Vec::new();
    for (name, value) in all {
        if name.as_encoded_bytes().starts_with(START.as_bytes()) && name != crate::FOLDER {
            let parts: [&OsStr; 4] = [&name, "=".as_ref(), &value, "\0".as_ref()];
            parts.iter().for_each(|part| bytes.extend_from_slice(part.as_encoded_bytes()));
        }
    }
    crate::write(&folder.join(FILE), &bytes)
}

/// The stored variables, without those that are not UTF-8; empty if there is no file.
pub fn kept_variables(folder: &Path) -> BTreeMap<String, String> {
    let path = folder.join(FILE);
    if !path.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST) {
        return BTreeMap::new();
    }
    let bytes = std::fs::read(path).unwrap_or_default();
    let texts = bytes.split(|&byte| byte == 0).filter_map(|entry| std::str::from_utf8(entry).ok());
    let pairs = texts.filter_map(|entry| entry.split_once('='));
    pairs.take(MAX_VARIABLES).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ours_are_kept() {
        let folder = texunit_testkit::TempDir::new("variables");
        assert!(kept_variables(&folder).is_empty());
        let all = [
            ("PATH", "/bin"),
            ("TEXUNIT_DEVICE", "sm_75"),
            ("TEXUNIT_EVIDENCE", "/a"),
            ("TEXUNIT_SAVE_PTX", "/tmp/a=b\nc"),
            ("TEXUNIT_TRACE", ""),
        ];
        keep_variables(&folder, all.map(|(name, value)| (name.into(), value.into()))).unwrap();
        let expected = [all[1], all[3], all[4]].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(kept_variables(&folder), BTreeMap::from(expected));
        // Invalid contents of the file are ignored.
        std::fs::write(folder.join(FILE), b"A=\xff\0nothing\0=\0B=1").unwrap();
        let found = kept_variables(&folder);
        assert_eq!(found.get("B").map(String::as_str), Some("1"));
        assert!(!found.contains_key("A") && found.len() == 2);
        std::fs::write(folder.join(FILE), vec![b'x'; LARGEST as usize + 1]).unwrap();
        assert!(kept_variables(&folder).is_empty());
    }
}
