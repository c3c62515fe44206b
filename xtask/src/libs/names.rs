//! Reads the names of functions from static archives, and the aliases of functions from lists in
//! the repository.

use crate::files::{self, at};
use serde::Deserialize;
use std::borrow::Cow;
use std::path::Path;

/// The global symbols that a static archive defines, according to its index.
pub(super) fn of_archive(archive: &Path) -> Result<Vec<String>, String> {
    let bytes = at(archive, std::fs::read(archive))?;
    let names = index(&bytes).ok_or_else(|| format!("{} has no index", archive.display()))?;
    Ok(names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

/// Parses the first member of an archive, `/`, which is the index: the number of names, a position
/// for each, and the names.
fn index(archive: &[u8]) -> Option<Vec<&[u8]>> {
    let rest = archive.strip_prefix(b"!<arch>\n/               ")?;
    let (header, rest) = rest.split_at_checked(44)?;
    let size = str::from_utf8(header.get(32..42)?).ok()?.trim_end().parse().ok()?;
    let (count, rest) = rest.get(..size)?.split_first_chunk()?;
    let count = usize::try_from(u32::from_be_bytes(*count)).ok()?;
    Some(rest.get(count.checked_mul(4)?..)?.split(|byte| *byte == 0).take(count).collect())
}

/// A list of functions, optionally those of one major version.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct List {
    /// The path of the list in the repository.
    pub(super) file: Cow<'static, str>,
    /// The major version, for lines that apply to some versions only.
    pub(super) major: Option<String>,
}

impl List {
    /// Aliases of functions for per-thread default streams, each with the function's name.
    pub(super) fn variants(&self) -> Result<Vec<(String, String)>, String> {
        // The suffix of an alias is the next to last word of a line.
        let named = |row: &Vec<String>| {
            let (symbol, ending) = (row.first()?, row.get(row.len().checked_sub(2)?)?);
            (ending != "-").then(|| (format!("{symbol}_{ending}"), symbol.clone()))
        };
        Ok(self.rows()?.iter().filter_map(named).collect())
    }

    /// The functions of the list, each with its symbol in the library with the code, whose name can
    /// depend on the version.
    pub(super) fn symbols(&self) -> Result<Vec<(String, String)>, String> {
        let symbol = |row: &Vec<String>| {
            let word = row.first()?;
            Some(match (word.strip_suffix('*'), &self.major) {
                (Some(name), Some(major)) => (name.to_owned(), format!("{name}_{major}")),
                (Some(name), None) => (name.to_owned(), name.to_owned()),
                (None, _) => (word.clone(), word.clone()),
            })
        };
        Ok(self.rows()?.iter().filter_map(symbol).collect())
    }

    fn rows(&self) -> Result<Vec<Vec<String>>, String> {
        let list = files::read(&crate::workspace().join(&*self.file))?;
        let words = |line: &str| -> Vec<String> {
            let words = line.split('#').next().unwrap_or_default().split_whitespace();
            words.map(str::to_owned).collect()
        };
        let is_of_this = |row: &Vec<String>| {
            let versions = || row.get(1).into_iter().flat_map(|all| all.split(','));
            self.major.as_ref().is_none_or(|major| versions().any(|version| version == major))
        };
        Ok(list.lines().map(words).filter(|row| !row.is_empty()).filter(is_of_this).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_an_archive_is_read() {
        let mut archive =
            b"!<arch>\n/               0           0     0     0       18        `\n".to_vec();
        archive.extend(2_u32.to_be_bytes());
        archive.extend([0; 8]);
        archive.extend(b"ab\0c\0\0");
        assert_eq!(index(&archive), Some(vec![b"ab".as_slice(), b"c"]));
        assert_eq!(index(&archive[..archive.len() - 1]), None, "it ends too early");
        assert_eq!(index(b"!<arch>\nx.o/            "), None);
    }
}
