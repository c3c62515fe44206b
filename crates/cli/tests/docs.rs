//! docs/jobs.md names every option (keys and codes are a test of crates/job); docs/isa.md is
//! written from the instruction table (`UPDATE=1` rewrites it).
#![allow(clippy::unwrap_used)]

use clap::CommandFactory;

fn documentation() -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/jobs.md");
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
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/isa.md");
    let page = texunit::isa::page();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/isa.md is out of date: run with UPDATE=1");
}
