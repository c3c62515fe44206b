//! Runs `texunit bench` with few fetches; each measurement also checks its results.

use clap::CommandFactory;
use std::process::{Command, Output};
use texunit_unit::SimdLevel;
use texunit_workloads::cases;

fn bench(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.args(["bench", "--fetches", "8192"]).args(arguments).env_remove("TEXUNIT_SIMD");
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// The lines of JSON that were printed; there must be nothing else.
fn lines(output: &Output) -> Vec<serde_json::Value> {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_line_for_a_case() {
    let output = bench(&["--format", "json", "--case", "a-wrap-coh", "--threads", "1"]);
    let [line] = &lines(&output)[..] else { panic!("{}", text(&output.stdout)) };
    assert_eq!((&line["case"], &line["via"]), (&"a-wrap-coh".into(), &"api".into()));
    assert_eq!((&line["threads"], &line["fetches"]), (&1.into(), &8192.into()));
    let level: SimdLevel = line["simd"].as_str().unwrap().parse().unwrap();
    // Where gathers are slow, plans use a lower level than the machine has.
    assert!(level <= SimdLevel::detected() && level >= SimdLevel::detected().min(SimdLevel::Avx2));
    let [best, median] =
        ["mfetch_per_s", "median_mfetch_per_s"].map(|key| line[key].as_f64().unwrap());
    assert!(best >= median && median > 0.0);
    assert!(line["runs"].as_u64() >= Some(3));
}

#[test]
fn every_case_is_right_both_ways() {
    for (via, threads) in [("api", "2"), ("api", "3"), ("ptx", "2")] {
        let output = bench(&["--format", "json", "--via", via, "--threads", threads]);
        let lines = lines(&output);
        let found: Vec<_> = lines.iter().map(|line| line["case"].as_str().unwrap()).collect();
        assert_eq!(found, cases::names());
        assert!(lines.iter().all(|line| line["via"] == via));
    }
}

#[test]
fn the_beginning_of_a_name_selects() {
    for (words, count) in [("a", 4), ("e-grad", 2), ("g,b-coh", 3), ("a-wrap-coh,a", 4)] {
        assert_eq!(lines(&bench(&["--format", "json", "--case", words])).len(), count, "{words}");
    }
    assert_eq!(lines(&bench(&["--format", "json", "--case", "f", "--case", "d-rand"])).len(), 3);
}

#[test]
fn a_table() {
    let output = bench(&["--case", "b", "--threads", "2"]);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<_> = text(&output.stdout).lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].contains("2 threads") && lines[1].contains("median"));
    assert!(lines[2].starts_with("b-coh ") && lines[3].starts_with("b-rand "));
}

#[test]
fn a_level_of_the_environment() {
    let portable = command(&["--format", "json", "--case", "g-coh"])
        .env("TEXUNIT_SIMD", "portable")
        .output()
        .unwrap();
    assert_eq!(lines(&portable)[0]["simd"], "portable");
}

#[test]
fn wrong_usage() {
    for (arguments, part) in [
        (&["--case", "a-warp-coh"][..], "did you mean `a-wrap-coh`?"),
        (&["--case", "a,,b"], "unknown case ``"),
        (&["--case", "x"], "e-grad-rand"),
        (&["--threads", "many"], "--threads"),
        (&["--via", "gpu"], "ptx"),
        (&["--format", "xml"], "json"),
    ] {
        let output = bench(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
    for (variable, value) in [("TEXUNIT_SIMD", "avx9"), ("TEXUNIT_JIT", "maybe")] {
        let output = command(&[]).env(variable, value).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        let said = text(&output.stderr);
        assert!(said.contains(variable) && said.contains(value), "{said}");
    }
}

#[test]
fn the_page_names_cases_and_options() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/benchmarks.md");
    let page = std::fs::read_to_string(path).unwrap();
    for name in cases::names() {
        let case = name.rsplit_once('-').unwrap().0;
        assert!(page.contains(&format!("`{case}-")), "{case}");
    }
    let command = texunit::command_line::Cli::command();
    let bench = command.find_subcommand("bench").unwrap();
    for option in bench.get_arguments().filter(|a| !a.is_hide_set()).filter_map(|a| a.get_long()) {
        assert!(page.contains(&format!("| `--{option}")), "--{option}");
    }
}
