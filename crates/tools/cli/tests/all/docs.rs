//! Tests that the reference pages name every option of their commands (a test of crates/observe/job
//! covers keys and codes of jobs), and that docs/isa.md matches the instruction table (`UPDATE=1`
//! rewrites it).

use clap::CommandFactory;

/// Commands whose options have a page of their own, with the pages that name them. `check`,
/// `explain` and `sample` have tests beside those of their output.
const PAGES: [(&str, &[&str]); 9] = [
    ("launch", &["jobs.md"]),
    ("run", &["run.md", "checks.md"]),
    ("reduce", &["reduce.md"]),
    ("debug", &["debugger.md"]),
    ("merge", &["distributed.md"]),
    ("mcp", &["assistants.md"]),
    ("report", &["report.md"]),
    ("compare", &["compare.md"]),
    ("init", &["jobs.md"]),
];

fn page(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs").join(name);
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn every_option() {
    let program = texunit::command_line::Cli::command();
    let mut missing = Vec::new();
    for (name, pages) in PAGES {
        let text: String = pages.iter().map(|name| page(name)).collect();
        let command = program.find_subcommand(name).unwrap();
        let shown = command.get_arguments().filter(|a| !a.is_hide_set());
        for option in
            shown.filter_map(|a| a.get_long()).filter(|name| !["help", "color"].contains(name))
        {
            let written = format!("--{option}");
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
            if !text.match_indices(&written).any(|(at, _)| ends(&text[at + written.len()..])) {
                missing.push(format!("{name} {written}: {pages:?}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
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
    let command = texunit::command_line::Cli::command();
    let run = command.find_subcommand("run").unwrap();
    for name in named {
        assert!(run.get_arguments().any(|a| a.get_long() == Some(name)), "--{name}");
    }
}
