//! Writes the PTX of modules to files (`TEXUNIT_SAVE_PTX`), which messages then name.
//!
//! A file name depends on the text only: its first kernel and a hash. Equal texts therefore share a
//! file, whichever process loads them, and a program has the same files in each run.

use crate::image::Ptx;
use crate::prelude::*;
use crate::settings::settings;
use std::io;

/// Maximum length of the part of a name that is the kernel's.
const LONGEST: usize = 48;
/// Maximum number of different texts with one hash, which does not happen by accident.
const MAX_ALIKE: u32 = 100;

/// Writes a loaded text, if requested, and names it by its file.
pub(crate) fn save(ptx: &mut Ptx) {
    let Some(folder) = &settings().save_ptx else { return };
    match put(folder, &ptx.text) {
        Ok(file) => ptx.name = file.display().to_string(),
        Err(error) => {
            say_once(format!("warning: PTX cannot be saved in {}: {error}", folder.display()));
        }
    }
}

/// Writes a text into a folder and returns the file, which may have existed with that text.
pub(crate) fn put(folder: &Path, text: &str) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let stem = format!("{}-{:016x}", name(text), number(text.as_bytes()));
    let others = (1..=MAX_ALIKE).map(|n| format!("{stem}-{n}.ptx"));
    for name in std::iter::once(format!("{stem}.ptx")).chain(others) {
        let file = folder.join(name);
        match std::fs::read(&file) {
            Ok(there) if there == text.as_bytes() => return Ok(file),
            Ok(_) => {}
            // Another process that writes the file at the same time writes the same text.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return texunit_evidence::write(&file, text.as_bytes()).map(|()| file);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Name of the first kernel in a text, restricted to characters for file names.
fn name(text: &str) -> String {
    let behind = text.split_once(".entry").map_or("", |(_, behind)| behind).trim_start();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = behind.chars().take_while(|&c| is_word(c)).take(LONGEST).collect();
    if name.is_empty() { "module".to_owned() } else { name }
}

/// FNV-1a hash with 64 bits, equal in every release.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |number, &byte| {
        (number ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn equal_texts_are_one_file() {
        let folder = texunit_testkit::TempDir::new("saved");
        let folder = folder.join("not/there/yet");
        let text = ".version 8.0\n.visible .entry _Z4fillPi(\n";
        let first = put(&folder, text).unwrap();
        assert_eq!(put(&folder, text).unwrap(), first);
        assert_eq!(first.file_name().unwrap(), "_Z4fillPi-9935f266e8d1f926.ptx");
        let other = put(&folder, "nothing in it").unwrap();
        assert!(other.file_name().unwrap().to_str().unwrap().starts_with("module-"));
        assert_eq!(files(&folder).len(), 2);
        assert_eq!(std::fs::read_to_string(&first).unwrap(), text);
        // An existing file with other contents is kept.
        std::fs::write(&first, "another").unwrap();
        let second = put(&folder, text).unwrap();
        assert_ne!(second, first);
        assert_eq!(std::fs::read_to_string(&first).unwrap(), "another");
        assert_eq!(put(&folder, text).unwrap(), second);
        assert_eq!(files(&folder).len(), 3, "{:?}", files(&folder));
    }

    #[test]
    fn many_at_a_time_write_one_file() {
        let folder = texunit_testkit::TempDir::new("saved");
        let folder = folder.path().to_owned();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| put(&folder, ".entry k()").unwrap());
            }
        });
        assert_eq!(files(&folder).len(), 1, "{:?}", files(&folder));
    }

    #[test]
    fn names_fit_into_a_folder() {
        assert_eq!(name(&format!(".entry {}(", "x".repeat(1000))).len(), LONGEST);
        assert_eq!(name(".entry ../../etc/passwd("), "module");
        assert_eq!(name(".entry"), "module");
    }
}
