//! Sessions of `texunit debug`: `tests/debug/*.session` have the arguments in the first line, then
//! prompts with commands, each followed by its output; after `commands`, lines up to `>end` are the
//! breakpoint's. `TEXUNIT_BLESS=1` writes the output.
#![cfg(target_os = "linux")]

use crate::{Trials, golden};
use libtest_mimic::Failed;
use std::path::Path;
use std::process::Command;

const PROMPT: &str = "(texunit) ";

pub(crate) fn add(trials: &mut Trials) {
    golden::of_files(trials, ("debug", "session"), 20, run);
}

fn run(path: &Path) -> Result<(), Failed> {
    let text = std::fs::read_to_string(path)?;
    let (first, rest) = text.split_once('\n').ok_or("no commands")?;
    let arguments =
        first.strip_prefix("$ texunit debug ").ok_or("the first line is `$ texunit debug ...`")?;
    let out = texunit_testkit::TempDir::new("debug");
    // Both outputs share a stream, so that errors are in order.
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec \"$@\" 2>&1", "sh", env!("CARGO_BIN_EXE_texunit"), "debug", "--batch"]);
    shell.args(["--out".as_ref(), out.path().as_os_str()]);
    let mut lines = rest.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix(PROMPT) else { continue };
        let (mut shown, mut all) = (line.to_owned(), vec![command]);
        while let Some(more) = lines.next_if(|line| line.starts_with('>')) {
            shown += &format!("\n{more}");
            all.push(&more[1..]);
        }
        let echoed = shown.replace('\\', "\\\\").replace('\n', "\\n");
        shell.args(["-ex", &format!("echo {echoed}\\n")]);
        for command in all {
            shell.args(["-ex", command]);
        }
    }
    shell.args(arguments.split_whitespace()).current_dir(path.parent().ok_or("no folder")?);
    let done = shell.output()?;
    let said = String::from_utf8(done.stdout)?;
    let said = said.replace(&out.path().display().to_string(), "OUT");
    let printed = format!("{first}\n{said}");
    golden::compare(path, &printed)
}
