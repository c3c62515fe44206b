//! File tests of the engine: `tests/kir/*.kir` contain a kernel or a region, and the output of
//! `texunit dump`. The first line has the options; `; blocks` after them omits entries, exits and
//! the epilogue of machine code. `TEXUNIT_BLESS=1` writes the output.
#![cfg(target_arch = "x86_64")]

use clap::Parser;
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use texunit::dump::{DumpArgs, text};

/// Separates the input from the output.
const BETWEEN: &str = "\n====\n";

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    dump: DumpArgs,
}

fn main() {
    let args = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/kir");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("tests/kir")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kir"))
        .collect();
    files.sort();
    assert!(files.len() >= 120, "only {} files", files.len());
    let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let trials = files.into_iter().map(|path| Trial::test(name(&path), move || run(&path)));
    libtest_mimic::run(&args, trials.collect()).exit();
}

fn run(path: &Path) -> Result<(), Failed> {
    let file = std::fs::read_to_string(path)?;
    let (input, expected) = file.split_once(BETWEEN).unwrap_or((&file, ""));
    let (first, source) = input.split_once('\n').ok_or("no input")?;
    let options = first.strip_prefix("; dump ").ok_or("no `; dump` in the first line")?;
    let (options, shown) = options.split_once(';').unwrap_or((options, ""));
    let folder = texunit_testkit::TempDir::new("dump");
    let there = folder.path().join("input.ptx");
    std::fs::write(&there, source)?;
    let mut words = vec!["dump"];
    words.extend(options.split_whitespace());
    words.extend(["--processor", "intel"]);
    let there = there.display().to_string();
    words.push(&there);
    let args = Command::try_parse_from(words)?.dump;
    let mut printed = text(&args).unwrap_or_else(|error| error.replace(&there, "input.ptx"));
    if shown.trim() == "blocks" {
        printed = blocks(&printed);
    }
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(path, format!("{}{BETWEEN}{printed}", input.trim_end()))?;
        return Ok(());
    }
    if printed != expected {
        let lines = printed.lines().zip(expected.lines());
        let at = lines.take_while(|(a, b)| a == b).count();
        let line = |text: &str| text.lines().nth(at).unwrap_or("(nothing)").to_owned();
        let [is, was] = [line(&printed), line(expected)];
        return Err(format!("line {} of the output is `{is}`, not `{was}`", at + 1).into());
    }
    Ok(())
}

/// The compilation choices and the code of blocks.
fn blocks(printed: &str) -> String {
    let mut shown = true;
    let mut text = String::new();
    for line in printed.lines() {
        let is_mark = line.starts_with("; ") && !line.starts_with(";   ");
        if is_mark && !line.contains(": ") {
            shown = line.starts_with("; block") || line.starts_with("; kernel");
        } else if line.starts_with("    push") || line.starts_with("    sub rsp") {
            shown = false;
        }
        if shown {
            text += line;
            text.push('\n');
        }
    }
    text
}
