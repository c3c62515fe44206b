//! Runs the examples at the end of help texts, as they are printed, with `sh` in a copy of
//! tests/help, which contains the files that they name; each must succeed. Scripts in that folder
//! replace tools that may not be installed (nvcc, ptxas, pytest). Examples that take more than two
//! seconds are ignored by default; `.ci/full` runs them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::CommandFactory;
use libtest_mimic::Failed;
use texunit_testkit::TempDir;

/// Beginnings of examples that need the drop-in libraries.
const OF_PROGRAMS: &[&str] =
    &["texunit run", "texunit install-libs", "texunit debug --batch", "LD_LIBRARY_PATH="];

/// Beginnings of slow examples: exporting all cases, running all cases, all benchmarks.
const SLOW: &[&str] = &["texunit cases export", "texunit cases run tests/fetch", "texunit bench"];

/// Ends a debug adapter.
const DISCONNECT: &[&str] = &[r#"{"seq":1,"type":"request","command":"disconnect"}"#];
/// Messages to the language server: only to initialise and stop.
const SHUTDOWN: &[&str] = &[
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#,
    r#"{"jsonrpc":"2.0","id":2,"method":"shutdown"}"#,
    r#"{"jsonrpc":"2.0","method":"exit"}"#,
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// A test for each command, with the examples of its help in order: those that need the drop-in
/// libraries if these are given, and otherwise the others. Returns the name of each, whether it is
/// slow, and the function that runs it.
pub(crate) fn tests(
    libraries: Option<&Path>,
) -> Vec<(String, bool, impl FnOnce() -> Result<(), Failed> + Send + 'static)> {
    let mut program = texunit::command_line::Cli::command().term_width(0);
    program.build();
    let (mut waiting, mut tests) = (vec![program], Vec::new());
    while let Some(mut command) = waiting.pop() {
        if command.get_name() == "help" {
            continue;
        }
        let help = command.render_long_help().to_string();
        waiting.extend(command.get_subcommands().cloned());
        let wanted = |e: &&str| begins(e, OF_PROGRAMS) == libraries.is_some();
        let examples: Vec<String> = examples(&help).filter(wanted).map(str::to_owned).collect();
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let (slow, fast): (Vec<_>, Vec<_>) = examples.into_iter().partition(|e| begins(e, SLOW));
        for (of, examples, is_slow) in [("help", fast, false), ("help, slow", slow, true)] {
            if !examples.is_empty() {
                let libraries = libraries.map(Path::to_owned);
                let run = move || run_all(&examples, libraries.as_deref());
                tests.push((format!("{of}::{name}"), is_slow, run));
            }
        }
    }
    tests
}

fn begins(example: &str, list: &[&str]) -> bool {
    list.iter().any(|beginning| example.starts_with(*beginning))
}

/// The commands, without the explanations beside them.
fn examples(help: &str) -> impl Iterator<Item = &str> {
    let list = help.rsplit("Examples:\n").next().unwrap_or_default().lines();
    let lines = list.filter_map(|line| line.strip_prefix("  ").filter(|l| !l.starts_with(' ')));
    lines.map(|line| line.split("  ").next().unwrap_or_default().trim_end())
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let path = entry?.path();
        if path.is_file() {
            std::fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

fn run_all(examples: &[String], libraries: Option<&Path>) -> Result<(), Failed> {
    let temp = TempDir::new("help");
    copy_folder(&root().join("tests/help"), temp.path())?;
    copy_folder(&root().join("examples/rotate"), &temp.path().join("examples/rotate"))?;
    std::fs::copy(root().join("examples/rotate/rotate.ptx"), temp.path().join("rotate.ptx"))?;
    std::fs::copy(temp.path().join("kernel.ptx"), temp.path().join("kernels.ptx"))?;
    for folder in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"]
    {
        std::fs::create_dir_all(temp.path().join(folder))?;
    }
    let home = temp.path().join("texunit/tests/fetch");
    for folder in [&home, &temp.path().join("tests/fetch")] {
        std::fs::create_dir_all(folder)?;
        std::fs::copy(root().join("tests/fetch/level.toml"), folder.join("level.toml"))?;
    }
    let fetch = root().join("tests/fetch");
    std::fs::copy(fetch.join("cube.toml"), temp.path().join("cube.toml"))?;
    std::fs::copy(fetch.join("card/cube-fetch.toml.gz"), temp.path().join("card.toml.gz"))?;
    for example in examples {
        run(example, &temp, libraries)?;
    }
    Ok(())
}

fn run(example: &str, temp: &TempDir, libraries: Option<&Path>) -> Result<(), Failed> {
    // The command that an editor starts.
    let line = if example.starts_with("vim.") { "texunit lsp" } else { example };
    // A system folder.
    let line = line.replace("/opt/", &format!("{}/opt/", temp.path().display()));
    let program = Path::new(env!("CARGO_BIN_EXE_texunit"));
    let path = format!(
        "{}:{}:{}",
        temp.path().display(),
        program.parent().ok_or("the program has a folder")?.display(),
        std::env::var("PATH")?
    );
    // A launch without a fault cannot be reduced, so `reduce` gets a failing job, unless it
    // compares two engines.
    if line == "texunit reduce job.toml" {
        std::fs::copy(temp.path().join("fault.toml"), temp.path().join("job.toml"))?;
    }
    if line.starts_with("texunit reduce kernel.ptx --out") {
        let right = std::fs::read_to_string(temp.path().join("kernel.ptx"))?;
        std::fs::write(temp.path().join("kernel.ptx"), right.replace("ret;", "return;"))?;
    } else {
        std::fs::copy(root().join("tests/help/kernel.ptx"), temp.path().join("kernel.ptx"))?;
    }
    // No client connects.
    let line = if line.starts_with("texunit dap --port") { line + " --help" } else { line };
    let messages = if line == "texunit dap" { DISCONNECT } else { SHUTDOWN };
    let input: String = messages
        .iter()
        .map(|message| format!("Content-Length: {}\r\n\r\n{message}", message.len()))
        .collect();
    std::fs::write(temp.path().join("input"), input)?;
    let output = Command::new("sh")
        .args(["-c", &line])
        .current_dir(temp.path())
        .env("PATH", path)
        .env("HOME", temp.path())
        .envs(libraries.map(|folder| ("TEXUNIT_LIBS", folder)))
        .stdin(Stdio::from(std::fs::File::open(temp.path().join("input"))?))
        .output()?;
    if line == "texunit reduce job.toml" {
        std::fs::copy(root().join("tests/help/job.toml"), temp.path().join("job.toml"))?;
    }
    let said = String::from_utf8_lossy(&output.stderr);
    // Without a card, a message says so.
    let no_card = line.starts_with("texunit compare") && said.contains("needs a real NVIDIA GPU");
    if output.status.success() || no_card {
        return Ok(());
    }
    Err(format!("$ {example}\n{}\n{said}", output.status).into())
}
