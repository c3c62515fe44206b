//! Checks which version of the C library a file requires.

use object::elf::FileHeader64;
use object::read::elf::FileHeader;
use object::{Endianness, ReadRef};
use std::path::Path;

/// Returns an error if a file requires a C library newer than `newest`. A thin library in front of
/// the core may require none.
pub(super) fn judge(file: &Path, newest: (u32, u32)) -> Result<(), String> {
    let data = crate::files::at(file, std::fs::read(file))?;
    let wanted = versions(data.as_slice()).map_err(|e| format!("{}: {e}", file.display()))?;
    let of_libc: Vec<_> = wanted.iter().filter_map(|name| name.strip_prefix("GLIBC_")).collect();
    match of_libc.iter().find(|version| release(version).is_none_or(|v| v > newest)) {
        None => Ok(()),
        Some(version) => Err(format!(
            "{} wants GLIBC_{version}, which is not in {}.{}",
            file.display(),
            newest.0,
            newest.1
        )),
    }
}

/// The release in a symbol version: 2.2 for `2.2.5`. The version `PRIVATE` has none.
fn release(version: &str) -> Option<(u32, u32)> {
    let (major, rest) = version.split_once('.')?;
    Some((major.parse().ok()?, rest.split('.').next()?.parse().ok()?))
}

/// The versions of the C library's symbols that a file requires.
fn versions<'a>(data: impl ReadRef<'a>) -> object::Result<Vec<String>> {
    let header = FileHeader64::<Endianness>::parse(data)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, data)?;
    let mut found = Vec::new();
    if let Some((mut files, strings)) = sections.gnu_verneed(endian, data)? {
        let strings = sections.strings(endian, data, strings)?;
        while let Some((_, mut versions)) = files.next()? {
            while let Some(version) = versions.next()? {
                found.push(String::from_utf8_lossy(version.name(endian, strings)?).into_owned());
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_numbers() {
        assert_eq!(release("2.28"), Some((2, 28)));
        assert_eq!(release("2.2.5"), Some((2, 2)));
        assert_eq!(release("PRIVATE"), None);
        assert!(release("2.9") < release("2.28"));
    }

    /// An executable that requires a newer C library than allowed is rejected. This test's own
    /// executable serves as an example, because it requires at least 2.0.
    #[test]
    fn a_newer_library_is_refused() {
        let this = std::env::current_exe().expect("a program");
        assert_eq!(judge(&this, (u32::MAX, 0)), Ok(()));
        let why = judge(&this, (2, 0)).expect_err("every program wants a release of glibc");
        assert!(why.contains(" wants GLIBC_2.") && why.ends_with("which is not in 2.0"), "{why}");
    }
}
