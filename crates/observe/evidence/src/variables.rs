//! What `texunit run` sets for its processes, kept for those whose environment was cleared: they find the folder of the
//! run by their parents ([`crate::run_above`]), and what is asked of them in it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

/// The file in the folder of the run, with entries as an environment has them.
const FILE: &str = "variables";
/// What the names of variables of ours begin with.
const START: &str = "TEXUNIT_";
/// Most entries that are read; whoever else writes to the folder makes nobody slow.
const MAX_VARIABLES: usize = 1000;
/// Largest file that is read.
const LARGEST: u64 = 1 << 20;

/// Keeps those of texunit's among some variables for all processes of the run.
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

/// The variables that were kept, without those that are no text; none if there is no such file.
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
    #![allow(clippy::unwrap_used)]
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
        // What nobody has written like that.
        std::fs::write(folder.join(FILE), b"A=\xff\0nothing\0=\0B=1").unwrap();
        let found = kept_variables(&folder);
        assert_eq!(found.get("B").map(String::as_str), Some("1"));
        assert!(!found.contains_key("A") && found.len() == 2);
        std::fs::write(folder.join(FILE), vec![b'x'; LARGEST as usize + 1]).unwrap();
        assert!(kept_variables(&folder).is_empty());
    }
}
