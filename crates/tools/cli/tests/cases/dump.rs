//! File tests of the engine: `tests/kir/*.kir` contain a kernel, warp code or a region, and the
//! output of `texunit dump`. Warp code is parsed and printed again. The first line has the options;
//! `; blocks` after them omits entries, exits and the epilogue of machine code. `TEXUNIT_BLESS=1`
//! writes the output.
#![cfg(target_arch = "x86_64")]

use crate::{Trials, golden};
use clap::Parser;
use libtest_mimic::Failed;
use std::path::Path;
use texunit::dump::{DumpArgs, PassArg, Stage, text};

/// Separates the input from the output.
const BETWEEN: &str = "\n====\n";

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    dump: DumpArgs,
}

pub(crate) fn add(trials: &mut Trials) {
    golden::of_files(trials, ("kir", "kir"), 120, run);
}

fn run(path: &Path) -> Result<(), Failed> {
    let file = std::fs::read_to_string(path)?;
    let (input, _) = file.split_once(BETWEEN).unwrap_or((&file, ""));
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
    let mut args = Command::try_parse_from(words)?.dump;
    let result = text(&args);
    if let (Ok(code), Stage::Kir) = (&result, args.stage)
        && args.pass.is_none_or(|pass| !matches!(pass, PassArg::Marks | PassArg::Shadows))
    {
        std::fs::write(&args.file, code)?;
        args.pass = None;
        let again = text(&args)?;
        if again != *code {
            return Err(format!("the text was parsed as\n{again}").into());
        }
    }
    let mut printed = result.unwrap_or_else(|error| error.replace(&there, "input.ptx"));
    if shown.trim() == "blocks" {
        printed = blocks(&printed);
    }
    golden::compare(path, &format!("{}{BETWEEN}{printed}", input.trim_end()))
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
