//! Tests that docs/jobs.md names every option (a test of crates/observe/job covers keys and codes),
//! and that docs/isa.md matches the instruction table (`UPDATE=1` rewrites it).
#![allow(clippy::unwrap_used)]

use clap::CommandFactory;

fn documentation() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/jobs.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_option() {
    let docs = documentation();
    let command = texunit::args::Cli::command();
    let launch = command.find_subcommand("launch").unwrap();
    for option in launch.get_arguments().filter_map(|a| a.get_long()) {
        assert!(docs.contains(&format!("| `--{option}")), "--{option}");
    }
}

#[test]
fn the_page_of_the_instruction_table() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/isa.md");
    let page = texunit::isa::page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/isa.md is out of date: run with UPDATE=1");
}

/// The options that docs/ci.md recommends: the second column of the table for users of
/// compute-sanitizer.
#[test]
fn options_of_run_in_the_page_about_ci() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/ci.md");
    let page = std::fs::read_to_string(path).unwrap();
    let table = page.split("| compute-sanitizer | texunit |").nth(1).unwrap();
    let cells = table.lines().filter_map(|line| line.split(" | ").nth(1));
    let code = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
    let named: Vec<_> =
        code.filter_map(|text| text.split(' ').next()?.strip_prefix("--")).collect();
    assert!(named.len() > 10, "{named:?}");
    let command = texunit::args::Cli::command();
    let run = command.find_subcommand("run").unwrap();
    for name in named {
        assert!(run.get_arguments().any(|a| a.get_long() == Some(name)), "--{name}");
    }
}
