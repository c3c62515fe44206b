//! Sessions of `texunit debug`: `tests/debug/*.session` have the arguments in the first line, then
//! prompts with commands, each followed by its output; after `commands`, lines up to `>end` are the
//! breakpoint's. `TEXUNIT_BLESS=1` writes the output.
#![cfg(target_os = "linux")]

use crate::{Trials, golden};
use libtest_mimic::Failed;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PROMPT: &str = "(texunit) ";

pub(crate) fn add(trials: &mut Trials) {
    golden::of_files(trials, ("debug", "session"), 20, run);
    trials.add("debug: an interrupt stops inside of an endless CTA", interrupted);
}

/// Its last CTA, which runs at full speed, does not end.
const ENDLESS: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{
.reg .pred %p;\n.reg .b32 %r<3>;\nmov.u32 %r1, %ctaid.x;\nsetp.lt.u32 %p, %r1, 20;\n@%p ret;
again:\nadd.u32 %r2, %r2, 1;\nbra again;\n}\n";

fn interrupted() -> Result<(), Failed> {
    let dir = texunit_testkit::TempDir::new("debug-interrupted");
    dir.file("k.ptx", ENDLESS);
    let job = "ptx = \"k.ptx\"\nkernel = \"k\"\ngrid = 21\nblock = 32\nmax_steps = 1000000000000";
    dir.file("job.toml", job);
    // Background jobs of a shell ignore interrupts.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT", env!("CARGO_BIN_EXE_texunit"), "debug", "--batch"]);
    command.args(["-ex", "tbreak k", "-ex", "run", "-ex", "continue", "-ex", "backtrace"]);
    command.arg("job.toml").current_dir(dir.path()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let mut said = BufReader::new(child.stdout.take().ok_or("no output")?);
    let mut stopped = String::new();
    while !stopped.contains("breakpoint 1, k") && said.read_line(&mut stopped)? > 0 {}
    std::thread::sleep(Duration::from_millis(500));
    Command::new("kill").args(["-INT", &*child.id().to_string()]).status()?;
    let mut rest = String::new();
    said.read_to_string(&mut rest)?;
    assert!(rest.contains("SIGINT") && rest.contains("#0  k () at k.ptx:1"), "{rest}");
    assert!(child.wait()?.success());
    Ok(())
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
