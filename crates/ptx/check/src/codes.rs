//! The diagnostic codes of this crate, each with a title and an explanation. docs/diagnostics.md is
//! generated from this table.

use std::sync::LazyLock;
pub use texunit_syntax::codes::Code;
use texunit_syntax::codes::read;

/// All codes in order, from codes.txt.
pub static CODES: LazyLock<Vec<Code>> = LazyLock::new(|| read(include_str!("codes.txt")));

/// The entry of a code of this crate or of the parser.
pub fn find_code(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|c| c.code == code).or_else(|| texunit_syntax::codes::find(code))
}

#[cfg(test)]
mod tests {
    use super::CODES;
    use std::collections::BTreeSet;

    #[test]
    fn the_table_has_exactly_the_codes_in_use() {
        let mut used = BTreeSet::new();
        let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut folders = vec![src];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the source folder is there") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                // Tables name all codes, whether used or not.
                let is_table =
                    path.file_name().is_some_and(|n| n == "codes.rs" || n == "cascade.rs")
                        || path.parent().is_some_and(|p| p.ends_with("examples"));
                if is_table || path.extension().is_none_or(|e| e != "rs") {
                    continue;
                }
                let text = std::fs::read_to_string(path).expect("readable");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for part in code.split('"').skip(1) {
                    let digits = part.len() == 5 && part[1..].bytes().all(|b| b.is_ascii_digit());
                    // Codes of the parser are named where its errors explain others.
                    let parser = texunit_syntax::codes::find(part).is_some();
                    if digits && !parser && part.starts_with(['E', 'W']) {
                        used.insert(part.to_string());
                    }
                }
            }
        }
        let table: BTreeSet<_> = CODES.iter().map(|c| c.code.to_string()).collect();
        assert_eq!(table, used);
        assert!(CODES.is_sorted_by(|a, b| a.code < b.code));
    }
}
