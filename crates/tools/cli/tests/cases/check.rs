//! `texunit check` and `texunit explain-code`: their output for the arguments of
//! `tests/cli/check/*.args` and `tests/cli/explain-code/*.args` (`TEXUNIT_BLESS=1` writes it), the
//! effect of `--fix` on files, and hostile input.

use crate::{Trials, golden};
use clap::CommandFactory;
use libtest_mimic::Failed;
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use texunit_testkit::TempDir;

pub(crate) fn add(trials: &mut Trials) {
    golden::trials(trials, "check", "check", 50);
    golden::trials(trials, "explain-code", "explain-code", 8);
    let mut add = |name: &str, test: fn() -> Result<(), Failed>| {
        trials.add(format!("own::{name}"), test);
    };
    add("fix", fix_corrects_files);
    add("fix-links", fix_keeps_links_and_permissions);
    add("fix-refused", fix_writes_nothing_that_it_may_not);
    add("forms", all_forms_say_the_same);
    add("hostile", hostile_files);
    add("full", a_full_disk);
    add("closed", a_closed_pipe);
    add("list", every_code_is_listed);
    add("docs", the_page_is_complete);
}

/// A new folder.
struct Folder(TempDir);

impl Folder {
    fn new(name: &str) -> Self {
        Self(TempDir::new(&format!("check-{name}")))
    }

    /// Copies a file of tests/cli/check.
    fn copy(&self, name: &str) -> PathBuf {
        let to = self.0.join(name);
        std::fs::copy(golden::folder("check").join(name), &to).unwrap();
        to
    }

    fn texunit<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
        command.current_dir(&self.0).args(arguments).stdin(Stdio::null());
        command
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Exit code, standard output, standard error.
fn outcome(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn fix_corrects_files() -> Result<(), Failed> {
    let folder = Folder::new("fix");
    let (mistakes, wrong, clean) =
        (folder.copy("mistakes.ptx"), folder.copy("wrong.ptx"), folder.copy("clean.ptx"));
    let before = [&mistakes, &wrong, &clean].map(|path| read(path));
    let args = ["check", "--fix", "--format", "json", "mistakes.ptx", "wrong.ptx", "clean.ptx"];
    let (code, out, err) = outcome(folder.texunit(&args));
    assert_eq!((code, err.as_str()), (Some(1), ""));
    let last: Value = serde_json::from_str(out.lines().last().unwrap())?;
    assert!(last["fixed"].as_u64().unwrap() >= 4, "{last}");
    assert!(last["errors"].as_u64().unwrap() >= 1, "{last}");
    assert_eq!(last["files"], 3);
    // Every missing `;` was inserted, and nothing else was changed.
    let after = [&mistakes, &wrong, &clean].map(|path| read(path));
    assert_eq!(after[0].replace(';', ""), before[0].replace(';', ""));
    assert_eq!(after[0].matches(';').count(), before[0].matches(';').count() + 3);
    assert!(after[1].contains("mov.u32 %r1, %tid.x;\n"), "{}", after[1]);
    assert_eq!(after[2], before[2]);
    assert_eq!(folder.names(), ["clean.ptx", "mistakes.ptx", "wrong.ptx"]);
    // A second run finds nothing to correct.
    let (code, out, _) = outcome(folder.texunit(&["check", "--fix", "mistakes.ptx"]));
    assert_eq!((code, out.as_str()), (Some(0), "1 file: no errors\n"));
    let (_, again, _) = outcome(folder.texunit(&args));
    let last: Value = serde_json::from_str(again.lines().last().unwrap())?;
    assert_eq!(last["fixed"], 0);
    assert_eq!([&mistakes, &wrong, &clean].map(|path| read(path)), after);
    Ok(())
}

/// All errors are corrected, even if there are more than one run reports.
fn many_rounds(folder: &Folder) {
    let head = ".version 8.8\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n";
    let body = "\tmembar.gl\n".repeat(900);
    std::fs::write(folder.0.join("rounds.ptx"), format!("{head}{body}\tret;\n}}\n")).unwrap();
    let (code, out, _) = outcome(folder.texunit(&["check", "--fix", "rounds.ptx"]));
    assert_eq!((code, out.as_str()), (Some(0), "1 file: 900 fixed, no errors\n"));
}

#[cfg(unix)]
fn fix_keeps_links_and_permissions() -> Result<(), Failed> {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("links");
    many_rounds(&folder);
    let path = folder.copy("mistakes.ptx");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640))?;
    std::fs::create_dir(folder.0.join("below"))?;
    std::os::unix::fs::symlink("../mistakes.ptx", folder.0.join("below/link.ptx"))?;
    let (code, out, _) = outcome(folder.texunit(&["check", "--fix", "below/link.ptx"]));
    assert_eq!((code, out.as_str()), (Some(0), "1 file: 3 fixed, no errors\n"));
    assert!(folder.0.join("below/link.ptx").is_symlink() && !path.is_symlink());
    assert_eq!(path.metadata()?.permissions().mode() & 0o777, 0o640);
    assert!(read(&path).contains("%r1, 1;"));
    Ok(())
}

#[cfg(not(unix))]
fn fix_keeps_links_and_permissions() -> Result<(), Failed> {
    many_rounds(&Folder::new("links"));
    Ok(())
}

fn fix_writes_nothing_that_it_may_not() -> Result<(), Failed> {
    let folder = Folder::new("refused");
    let path = folder.copy("mistakes.ptx");
    let mut permissions = path.metadata()?.permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions)?;
    let before = read(&path);
    let args = ["check", "--fix", "--format", "short", "mistakes.ptx"];
    let (code, out, err) = outcome(folder.texunit(&args));
    let message =
        "mistakes.ptx:1:1: error[E0000]: cannot write the corrected file: it is read-only\n";
    assert_eq!((code, out.as_str(), err.as_str()), (Some(1), message, ""));
    assert_eq!(read(&path), before);
    // In a file that is not UTF-8, only corrected places change.
    let path = folder.copy("latin-1.ptx");
    let before = std::fs::read(&path)?;
    let input = std::fs::File::open(&path)?;
    let output = folder.command(&["check", "--fix", "-"]).stdin(input).output()?;
    assert_eq!(output.status.code(), Some(1));
    let without = |bytes: &[u8]| -> Vec<u8> {
        let kept = |b: &u8| b.is_ascii_alphanumeric() || b"/.".contains(b);
        String::from_utf8_lossy(&bytes.iter().copied().filter(kept).collect::<Vec<_>>())
            .replace("adress", "address")
            .into_bytes()
    };
    assert_eq!(without(&output.stdout), without(&before));
    folder.texunit(&["check", "--fix", "latin-1.ptx"]);
    assert_eq!(std::fs::read(&path)?, output.stdout);
    Ok(())
}

/// The formats agree with each other for every case of tests/check.
fn all_forms_say_the_same() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/check");
    let mut files: Vec<String> = Vec::new();
    for folder in ["syntax", "semantics"] {
        let entries = std::fs::read_dir(root.join(folder))?;
        let names = entries.map(|e| e.unwrap().file_name().to_str().unwrap().to_owned());
        files.extend(names.filter(|n| n.ends_with(".ptx")).map(|n| format!("{folder}/{n}")));
    }
    files.sort();
    let run = |format: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_texunit"))
            .current_dir(&root)
            .args(["check", "--format", format])
            .args(&files)
            .output()
            .unwrap();
        let (code, out, err) = outcome(output);
        assert_eq!((code, err.as_str()), (Some(1), ""));
        out
    };
    let objects: Vec<Value> =
        run("json").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, objects) = objects.split_last().unwrap();
    let count = |what| objects.iter().filter(|o| o["severity"] == what).count();
    assert_eq!(last["files"], files.len());
    assert_eq!(
        (&last["errors"], &last["warnings"]),
        (&count("error").into(), &count("warning").into())
    );
    assert!(objects.len() > 700, "only {}", objects.len());
    let text = |o: &Value, member: &str| o[member].as_str().unwrap().to_owned();
    let short = run("short");
    assert_eq!(short.lines().count(), objects.len());
    for (line, o) in short.lines().zip(objects) {
        let (severity, code) = (text(o, "severity"), text(o, "code"));
        let place = format!("{}:{}:{}", text(o, "file"), o["line"], o["column"]);
        assert!(line.starts_with(&format!("{place}: {severity}[{code}]: ")), "{line}\n{o}");
        assert!(o["help"].is_string() || o["help"].is_null());
    }
    let sarif: Value = serde_json::from_str(&run("sarif"))?;
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), objects.len());
    for (result, o) in results.iter().zip(objects) {
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(result["ruleId"], o["code"]);
        assert_eq!(result["level"], o["severity"]);
        assert_eq!(place["region"]["startLine"], o["line"]);
        assert_eq!(place["region"]["endLine"], o["end_line"]);
        assert!(result["message"]["text"].as_str().unwrap().starts_with(&text(o, "message")));
    }
    for rule in sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap() {
        assert!(rule["help"]["text"].is_string(), "{rule}");
    }
    Ok(())
}

/// Paths that are not files, huge files, and hostile files.
fn hostile_files() -> Result<(), Failed> {
    let folder = Folder::new("hostile");
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.0.join(name), bytes).unwrap();
    let head = ".version 8.8\n.target sm_75\n.address_size 64\n";
    write("line.ptx", format!("{head}{}", "x ".repeat(1_000_000)).as_bytes());
    write("braces.ptx", format!("{head}{}", "{".repeat(200_000)).as_bytes());
    write("nothing.ptx", &[0xff; 100_000]);
    write("nul.ptx", format!("{head}\0\u{1}").as_bytes());
    write("escape\u{1b}[2J.ptx", b"\x1b[2J\x07 \xe2\x80\xae");
    let huge = std::fs::File::create(folder.0.join("huge.ptx"))?;
    huge.set_len(5 << 30)?;
    for format in ["human", "short", "json", "sarif"] {
        for name in folder.names() {
            let args = ["check", &name, "--format", format, "--color", "never"];
            let (code, out, err) = outcome(folder.texunit(&args));
            assert_eq!((code, err.as_str()), (Some(1), ""), "{name}");
            assert!(!out.contains(['\x1b', '\x07', '\u{202e}']), "{name} {format}: {out}");
            assert!(out.len() < 300_000, "{name} {format}: {} bytes", out.len());
        }
    }
    let (_, out, _) = outcome(folder.texunit(&["check", "huge.ptx", "--format", "short"]));
    let text = "cannot read the file: it has 5368709120 bytes, but at most 1073741824 are checked";
    assert_eq!(out, format!("huge.ptx:1:1: error[E0000]: {text}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        let pipe = folder.0.join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status()?.success());
        let (code, out, _) = outcome(folder.texunit(&["check", "pipe"]));
        assert!(code == Some(1) && out.contains("a device or a pipe"), "{out}");
        assert!(out.contains("help: `-` reads standard input"), "{out}");
        // Infinite devices, and system files that look like regular files but block.
        for (path, said) in [
            ("/dev/zero", "it is a device or a pipe"),
            ("/proc/kmsg", "it is one of the system's that waits for more"),
        ] {
            let (code, out, _) = outcome(folder.texunit(&["check", path]));
            // Only a superuser may read the kernel's messages, and not in every container.
            let refused = path == "/proc/kmsg" && out.contains("cannot read the file: ");
            assert!(code == Some(1) && (out.contains(said) || refused), "{path}: {out}");
        }
        let name = OsStr::from_bytes(b"n\xffme.ptx");
        std::fs::copy(golden::folder("check").join("clean.ptx"), folder.0.join(name))?;
        let args = ["check", "--format", "sarif"].map(OsStr::new);
        let (code, out, _) = outcome(folder.texunit(&[&args[..], &[name]].concat()));
        assert!(code == Some(0) && out.contains(r#""uri":"n%FFme.ptx""#), "{out}");
    }
    Ok(())
}

/// A full standard output is reported as an error.
fn a_full_disk() -> Result<(), Failed> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    let folder = Folder::new("full");
    folder.copy("wrong.ptx");
    let commands = [
        &["check", "wrong.ptx"][..],
        &["check", "wrong.ptx", "--format", "json"],
        &["check", "wrong.ptx", "--format", "sarif"],
        &["check", "wrong.ptx", "--format", "short"],
        &["explain-code"],
        &["--help"],
    ];
    for args in commands {
        let full = std::fs::File::options().write(true).open("/dev/full")?;
        let (code, _, err) = outcome(folder.command(args).stdout(full).output()?);
        assert_eq!(code, Some(1), "{args:?}");
        assert!(err.starts_with("error: cannot print the report"), "{args:?}: {err}");
    }
    Ok(())
}

/// A closed pipe as output does not affect other effects: files are still corrected.
fn a_closed_pipe() -> Result<(), Failed> {
    let folder = Folder::new("closed");
    folder.copy("many.ptx");
    let path = folder.copy("mistakes.ptx");
    let mut args = vec!["check", "--fix", "--format", "json"];
    args.extend(["many.ptx"; 40]);
    args.push("mistakes.ptx");
    let mut child = folder.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    drop(child.stdout.take());
    let (code, _, err) = outcome(child.wait_with_output()?);
    assert_eq!((code, err.as_str()), (Some(1), ""));
    assert!(read(&path).contains("%r1, 1;"));
    Ok(())
}

/// Without arguments `explain-code` lists every code; with a code it explains it.
fn every_code_is_listed() -> Result<(), Failed> {
    let folder = Folder::new("list");
    let (code, out, err) = outcome(folder.texunit(&["explain-code"]));
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let listed: Vec<&str> = out.lines().map(|l| l.split_once(' ').unwrap().0).collect();
    let all: Vec<&str> = texunit::codes::all().iter().map(|c| c.code).collect();
    assert_eq!(listed, all);
    let args: Vec<&str> = ["explain-code", "--format", "json"].into_iter().chain(listed).collect();
    let (code, out, _) = outcome(folder.texunit(&args));
    assert_eq!((code, out.lines().count()), (Some(0), all.len()));
    let (_, list, _) = outcome(folder.texunit(&["explain-code", "--format", "json"]));
    assert_eq!(list, out);
    for (line, code) in out.lines().zip(all) {
        let object: Value = serde_json::from_str(line)?;
        assert_eq!(object["code"], code);
        assert!(object["explanation"].as_str().unwrap().len() > 20, "{line}");
        // Codes of PTX have an example, or a reason for having none.
        let needs = code.starts_with(['E', 'W']) && code != "E0000";
        let has = object["example"].is_object();
        assert!(has || !needs || texunit::codes::without_example(code).is_some(), "{code}");
    }
    Ok(())
}

/// docs/check.md names every option, and its outputs are real (`TEXUNIT_BLESS=1` writes them).
fn the_page_is_complete() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let path = root.join("docs/check.md");
    let docs = read(&path);
    let command = texunit::command_line::Cli::command();
    for name in ["check", "explain-code"] {
        let command = command.find_subcommand(name).unwrap();
        for option in command.get_arguments().filter_map(|a| a.get_long()) {
            if option != "help" && !docs.contains(&format!("| `--{option}")) {
                return Err(format!("docs/check.md does not name --{option} of {name}").into());
            }
        }
    }
    // `<!-- FILE -->` precedes a block that shows the file's contents.
    let (mut page, mut shown) = (String::new(), 0);
    let mut rest = docs.as_str();
    while let Some(start) = rest.find("<!-- tests/cli/") {
        let name_end = start + rest[start..].find(" -->").unwrap();
        let begin = name_end + rest[name_end..].find("```\n").unwrap() + 4;
        let end = begin + rest[begin..].find("```").unwrap();
        page += &rest[..begin];
        page += &read(&root.join(&rest[start + 5..name_end]));
        rest = &rest[end..];
        shown += 1;
    }
    page += rest;
    assert!(shown >= 5, "the examples are not where they were");
    golden::compare(&path, &page)
}
