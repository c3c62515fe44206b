//! Runs `texunit explain` with the arguments of every `tests/cli/explain/*.args` and compares exit
//! code, standard output and standard error with what stands beside: `x.stdout`, `x.stderr`.
//!
//! A first line `# exit: 2` names the exit code. `TEXUNIT_BLESS=1` writes the files instead of
//! comparing them.
#![allow(clippy::unwrap_used)]

use clap::CommandFactory;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let args = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/explain");
    let folder = folder.canonicalize().unwrap();
    let mut cases: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "args"))
        .collect();
    cases.sort();
    assert!(cases.len() > 40, "the arguments are not where they were");
    let trial = |case: PathBuf| {
        let name = case.file_stem().unwrap().to_str().unwrap().to_owned();
        Trial::test(name, move || run(&case))
    };
    let mut trials: Vec<Trial> = cases.into_iter().map(trial).collect();
    trials.push(Trial::test("out", out_writes_a_file));
    trials.push(Trial::test("docs", every_option_is_documented));
    trials.push(Trial::test("many", a_thread_of_many_fetches));
    libtest_mimic::run(&args, trials).exit();
}

fn texunit(arguments: &[&str]) -> std::process::Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/explain");
    Command::new(env!("CARGO_BIN_EXE_texunit"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(arguments)
        .output()
        .unwrap()
}

fn run(case: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(case)?;
    let exit = text.lines().find_map(|l| l.strip_prefix("# exit:"));
    let exit = exit.map_or(0, |code| code.trim().parse().unwrap());
    let arguments: Vec<&str> = text
        .lines()
        .filter(|l| !l.starts_with("# exit:"))
        .flat_map(str::split_whitespace)
        .collect();
    let output = texunit(&[&["explain"], &arguments[..]].concat());
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    if output.status.code() != Some(exit) {
        return Err(format!("exit {:?}, expected {exit}\n{stdout}{stderr}", output.status).into());
    }
    check(&case.with_extension("stdout"), &stdout)?;
    check(&case.with_extension("stderr"), &stderr)
}

fn check(path: &Path, text: &str) -> Result<(), Failed> {
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        if text.is_empty() {
            let _ = std::fs::remove_file(path);
        } else {
            std::fs::write(path, text)?;
        }
        return Ok(());
    }
    let expected = if path.exists() { std::fs::read_to_string(path)? } else { String::new() };
    if expected == text {
        return Ok(());
    }
    let name = path.file_name().unwrap().display();
    Err(format!("differs from {name}; found:\n{text}\nexpected:\n{expected}").into())
}

/// Of a thread that fetches 130 times, 100 fetches are explained.
fn a_thread_of_many_fetches() -> Result<(), Failed> {
    let common = ["launch", "many.toml", "--explain", "0", "--quiet"];
    let text = String::from_utf8(texunit(&common).stdout)?;
    let shown = text.lines().filter(|l| l.starts_with("---")).count();
    let (first, last) = ("access 1 of 130, ../explain.ptx:49", "access 100 of 130,");
    if shown != 100 || !text.contains(first) || !text.contains(last) {
        return Err(text.into());
    }
    if !text.ends_with("\n30 more accesses are not explained\n") {
        return Err(text.into());
    }
    let json = texunit(&[&common[..], &["--format", "json"]].concat()).stdout;
    let report: serde_json::Value = serde_json::from_slice(&json)?;
    let explained = &report["explained"];
    assert_eq!(explained["thread"], serde_json::json!([0, 0, 0]));
    assert_eq!(explained["more"], 30);
    let accesses = explained["accesses"].as_array().unwrap();
    assert_eq!(accesses.len(), 100);
    for (n, access) in accesses.iter().enumerate() {
        assert_eq!(access["line"], 49);
        assert!(access["text"].as_str().unwrap().starts_with("tex.2d.v4.u32.s32 {"));
        let explanation = &access["explanation"];
        assert_eq!(explanation["operands"]["coords"][0], format!("{n:08x}"));
        assert_eq!(explanation["known"]["agrees"], true);
    }
    Ok(())
}

/// docs/explain.md names every option, and shows what is really printed.
fn every_option_is_documented() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let docs = std::fs::read_to_string(root.join("docs/explain.md"))?;
    let command = texunit::args::Cli::command();
    let explain = command.find_subcommand("explain").unwrap();
    for option in explain.get_arguments().filter_map(|a| a.get_long()) {
        if option != "help" && !docs.contains(&format!("| `--{option}")) {
            return Err(format!("docs/explain.md does not name --{option}").into());
        }
    }
    let shown = std::fs::read_to_string(root.join("tests/cli/explain/picture.stdout"))?;
    if !docs.contains(&shown) {
        return Err("the example of docs/explain.md is not tests/cli/explain/picture.stdout".into());
    }
    Ok(())
}

/// `--out` writes what would have been printed; a file that cannot be written is an error.
fn out_writes_a_file() -> Result<(), Failed> {
    let path = std::env::temp_dir().join(format!("texunit-explain-{}.svg", std::process::id()));
    let file = path.to_str().unwrap();
    let common = ["explain", "--tex", "grid.png", "--op", "tex.2d.v4.f32.f32", "--at", "0.3,0.7"];
    let arguments = [&common[..], &["--format", "svg"]].concat();
    let printed = texunit(&arguments).stdout;
    let output = texunit(&[&arguments[..], &["--out", file]].concat());
    let written = std::fs::read(&path)?;
    std::fs::remove_file(&path)?;
    if !output.stdout.is_empty() || written != printed || printed.is_empty() {
        return Err("the file is not what is printed without --out".into());
    }
    let output = texunit(&[&arguments[..], &["--out", "no-folder/x.svg"]].concat());
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() == Some(1) && message.starts_with("error: cannot write `no-folder") {
        return Ok(());
    }
    Err(message.into())
}
