//! What users see in their first minutes: messages about common errors (`tests/cli/first/*.args`,
//! whole command lines, and `*.lines`, many of them; `TEXUNIT_BLESS=1` writes their output),
//! `texunit init` on the kernels of this repository, completions and man pages.

use crate::{Trials, golden};
use clap::CommandFactory;
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use texunit::command_line::Cli;
use texunit_testkit::TempDir;

pub(crate) fn add(trials: &mut Trials) {
    golden::trials(trials, "first", "", 35);
    golden::lines(trials, "first", 3);
    for ptx in kernels() {
        let name = ptx.strip_prefix(root()).unwrap().display().to_string();
        trials.add(format!("init::{name}"), move || a_job_loads(&ptx));
    }
    trials.add("init::files", init_writes_no_file_twice);
    trials.add("init::placeholders", placeholders_are_named);
    trials.add("completions", completions_for_every_shell);
    trials.add("man", man_pages);
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

fn texunit(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments).stdin(Stdio::null());
    command.output().unwrap()
}

/// The PTX of the examples, and test programs with other kinds of parameters.
fn kernels() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.is_dir() {
            let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
            found.extend(files.filter(|f| f.extension().is_some_and(|e| e == "ptx")));
        }
    }
    for name in
        ["texture_types", "surface_types", "texture_modes", "struct_param", "dynamic_shared"]
    {
        let folder = root().join("tests/programs").join(name);
        let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        found.extend(files.filter(|f| f.extension().is_some_and(|e| e == "ptx")).take(1));
    }
    found.sort();
    assert!(found.len() > 15, "the kernels are not where they were");
    found
}

/// For an unchanged job, a message lists the sizes that are still placeholders.
fn placeholders_are_named() -> Result<(), Failed> {
    let folder = TempDir::new("init-placeholders");
    let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n) {\n\
        .reg .u64 %rd<2>; .reg .u32 %r<2>;\nld.param.u64 %rd1, [a];\nld.param.u32 %r1, [n];\nst.global.u32 [%rd1], %r1;\nret;\n}\n";
    folder.file("k.ptx", ptx);
    let said = |words: &[&str]| {
        let output = texunit(&folder, words);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(text) } else { Err(Failed::from(text)) }
    };
    said(&["init", "k.ptx"])?;
    let warning = "warning: sizes and values of this job are placeholders, as `texunit init` has guessed them: ";
    let all = format!("{warning}`grid`, `block`, `params.a`, `params.n`\n");
    let text = said(&["launch", "k.toml"])?;
    if !text.contains(&all) {
        return Err(text.into());
    }
    let job = std::fs::read_to_string(folder.join("k.toml"))?;
    folder.file("k.toml", job.replace("[256]", "[32]").replace("u32 = 1 ", "u32 = 7 "));
    let text = said(&["launch", "k.toml"])?;
    if !text.contains(&format!("{warning}`grid`, `params.a`\n")) {
        return Err(text.into());
    }
    folder.file("k.toml", job.replace("# Made by", "# Once made by"));
    let text = said(&["launch", "k.toml"])?;
    if text.contains("placeholders") { Err(text.into()) } else { Ok(()) }
}

/// A job written by `init` is accepted: every parameter has a value of its type, and the kernel is
/// launched.
fn a_job_loads(ptx: &Path) -> Result<(), Failed> {
    let folder = TempDir::new("init");
    let jobs = folder.join("jobs");
    std::fs::create_dir(&jobs)?;
    let made = texunit(&folder, &["init", ptx.to_str().unwrap(), "--out", "jobs"]);
    let said = String::from_utf8(made.stdout)?;
    if !made.status.success() || !made.stderr.is_empty() {
        return Err(String::from_utf8(made.stderr)?.into());
    }
    let mut count = 0;
    for job in std::fs::read_dir(&jobs)? {
        let job = job?.path();
        let name = job.file_name().unwrap().to_str().unwrap().to_owned();
        assert!(said.contains(&format!("wrote jobs/{name}: kernel `")), "{said}");
        let run = texunit(
            &folder,
            &["launch", job.to_str().unwrap(), "--max-steps", "100000", "--format", "json"],
        );
        let report: serde_json::Value = serde_json::from_slice(&run.stdout)?;
        // With guessed values a kernel may exceed its arrays; the job is right if the kernel is
        // launched at all.
        let is_launched = report["succeeded"] == true || !report["fault"].is_null();
        if !is_launched || report["errors"].as_array().is_none_or(|e| !e.is_empty()) {
            let text = std::fs::read_to_string(&job)?;
            return Err(format!("{name}: {}\n{text}", report["errors"]).into());
        }
        let kind = report["fault"]["kind"].as_str().unwrap_or_default();
        if matches!(kind, "handle" | "texture") {
            let text = std::fs::read_to_string(&job)?;
            return Err(format!("{name}: {}\n{text}", report["fault"]).into());
        }
        count += 1;
    }
    assert!(count > 0, "{said}");
    Ok(())
}

/// A job is written beside its PTX, with a path to it; an existing file is only replaced with
/// `--force`.
fn init_writes_no_file_twice() -> Result<(), Failed> {
    let folder = TempDir::new("init-files");
    std::fs::create_dir(folder.join("sub"))?;
    std::fs::copy(golden::folder("first").join("fill.ptx"), folder.join("sub/fill.ptx"))?;
    let made = texunit(&folder, &["init", "sub/fill.ptx"]);
    let said = "wrote sub/fill.toml: kernel `fill`, 6 parameters; `texunit launch sub/fill.toml` runs it\n";
    assert_eq!(String::from_utf8(made.stdout)?, said);
    let job = folder.join("sub/fill.toml");
    let text = std::fs::read_to_string(&job)?;
    assert!(text.contains("ptx = \"fill.ptx\"\n"), "{text}");
    std::fs::write(&job, "mine")?;
    let again = texunit(&folder, &["init", "sub/fill.ptx"]);
    assert_eq!(again.status.code(), Some(1));
    let message = "error: `sub/fill.toml` exists; --force replaces it, --out names another file\n";
    assert_eq!(String::from_utf8(again.stderr)?, message);
    assert_eq!(std::fs::read_to_string(&job)?, "mine");
    assert!(texunit(&folder, &["init", "sub/fill.ptx", "--force"]).status.success());
    assert_eq!(std::fs::read_to_string(&job)?, text);
    let elsewhere = texunit(&folder, &["init", "sub/fill.ptx", "--out", "other.toml"]);
    assert!(elsewhere.status.success());
    let text = std::fs::read_to_string(folder.join("other.toml"))?;
    assert!(text.contains("ptx = \"sub/fill.ptx\"\n"), "{text}");
    let run = texunit(&folder, &["launch", "other.toml"]);
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(folder.join("texunit-out/param-2.npy").is_file());
    Ok(())
}

/// Each shell has a script that names the commands; bash accepts its own.
fn completions_for_every_shell() -> Result<(), Failed> {
    let folder = TempDir::new("completions");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = texunit(&folder, &["completions", shell]);
        let script = String::from_utf8(output.stdout)?;
        for word in ["explain-code", "install-libs", "max-steps"] {
            if !script.contains(word) {
                return Err(format!("{shell}: no {word}").into());
            }
        }
        std::fs::write(folder.join(shell), script)?;
    }
    let Ok(checked) = Command::new("bash").arg("-n").arg(folder.join("bash")).output() else {
        return Ok(());
    };
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    Ok(())
}

/// Each command has a page with its options; `man`, if installed, finds no error in them.
fn man_pages() -> Result<(), Failed> {
    let folder = TempDir::new("man");
    let count = pages::write(&folder)?;
    let mut program = Cli::command();
    program.build();
    let shown: Vec<&clap::Command> =
        program.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help").collect();
    assert!(count > shown.len());
    for command in shown {
        let path = folder.join(format!("texunit-{}.1", command.get_name()));
        let page = std::fs::read_to_string(&path)?;
        for option in
            command.get_arguments().filter(|a| !a.is_hide_set()).filter_map(|a| a.get_long())
        {
            let written = format!("\\-\\-{}", option.replace('-', "\\-"));
            assert!(page.contains(&written), "{}: {option}", path.display());
        }
        assert!(page.contains(".SH EXAMPLES\n.nf\n"), "{}", path.display());
        let Ok(checked) =
            Command::new("man").args(["--warnings", "--local-file"]).arg(&path).output()
        else {
            continue;
        };
        let complaints = String::from_utf8_lossy(&checked.stderr).into_owned();
        assert!(
            checked.status.success() && complaints.is_empty(),
            "{}: {complaints}",
            path.display()
        );
    }
    Ok(())
}

#[path = "../../examples/man/pages.rs"]
mod pages;
