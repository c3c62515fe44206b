//! Reads tests/findings/explained.toml: the findings of checks in programs, with the reasons why
//! they remain.

use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::path::Path;
use toml::{Table, Value};

/// The findings in a program of a list (`programs`, `cuda`), in one of its forms.
pub(crate) fn findings(list: &str, program: &str, form: &str) -> Result<BTreeSet<String>, Failed> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/findings/explained.toml");
    let all: Table = std::fs::read_to_string(file)?.parse()?;
    let rows = all[list].as_array().ok_or("no programs")?.iter().filter_map(Value::as_table);
    let is_in = |row: &&Table| match row.get("forms").and_then(Value::as_array) {
        Some(forms) => forms.iter().any(|other| other.as_str() == Some(form)),
        None => true,
    };
    let rows = rows.filter(|row| row["program"].as_str() == Some(program)).filter(is_in);
    let code = |row: &Table| Some(row["finding"].as_str()?.to_owned());
    // Each finding has a reason.
    let rows = rows.filter(|row| row["why"].as_str().is_some_and(|why| why.len() > 20));
    Ok(rows.filter_map(code).collect())
}

/// Programs of a list that are not the name of a case.
pub(crate) fn without_case(list: &str, cases: &BTreeSet<&str>) -> Result<Vec<String>, Failed> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/findings/explained.toml");
    let all: Table = std::fs::read_to_string(file)?.parse()?;
    let rows = all[list].as_array().ok_or("no programs")?;
    let names = rows.iter().filter_map(|row| row["program"].as_str());
    Ok(names.filter(|name| !cases.contains(name)).map(str::to_owned).collect())
}
