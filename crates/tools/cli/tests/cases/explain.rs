//! Runs `texunit explain` with the arguments of every `tests/cli/explain/*.args` and compares exit
//! code, standard output and standard error with the files beside it (`x.stdout`). A first line `#
//! exit: 2` gives the exit code. `TEXUNIT_BLESS=1` writes the files instead of comparing them.

use crate::{Trials, golden};
use clap::CommandFactory;
use libtest_mimic::Failed;
use std::path::Path;
use std::process::Stdio;

pub(crate) fn add(trials: &mut Trials) {
    golden::trials(trials, "explain", "explain", 40);
    trials.add("out", out_writes_a_file);
    #[cfg(unix)]
    trials.add("out and inputs", out_spares_inputs);
    trials.add("docs", every_option_is_documented);
    trials.add("many", a_thread_of_many_fetches);
    trials.add("page", a_page_of_a_thread);
    trials.add("page of docs/explain.md", the_page_of_the_documentation);
}

fn texunit(arguments: &[&str]) -> std::process::Output {
    golden::texunit("explain", arguments, Stdio::null())
}

/// Of 130 fetches of a thread, 100 are explained.
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

/// `--format svg` prints only a page with a row and a picture for each access, of limited size;
/// `--explain-out` writes it to a file, or text or JSON according to the extension.
fn a_page_of_a_thread() -> Result<(), Failed> {
    let folder = texunit_testkit::TempDir::new("explain-page");
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let common = ["launch", "many.toml", "--explain", "0", "--out", &at("out")];
    let svg = texunit(&[&common[..], &["--format", "svg"]].concat());
    let page = String::from_utf8(svg.stdout)?;
    assert!(page.starts_with("<svg ") && page.ends_with("</svg>\n"), "{page}");
    assert!(page.contains("thread (0, 0, 0) of many: 130 accesses</text>"), "{page}");
    assert!(page.contains("30 more accesses are not explained"));
    for n in 1..=100 {
        let (row, picture) = (format!("<a href=\"#access-{n}\">"), format!("<g id=\"access-{n}\""));
        assert!(page.contains(&row) && page.contains(&picture), "{n}");
        assert!(page.contains(&format!(">access {n}<")), "{n}");
    }
    let size = |key: &str| -> f64 {
        let (_, rest) = page.split_once(key).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    let (width, height) = (size("width=\""), size("height=\""));
    assert!(width < 8000.0 && height < 40000.0 && page.len() < 4_000_000, "{width} x {height}");
    let out = |name: &str| {
        let output = texunit(&[&common[..], &["--explain-out", &at(name)]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("---"), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("wrote "), "{output:?}");
        std::fs::read_to_string(at(name)).unwrap()
    };
    assert_eq!(out("page.svg"), page);
    assert!(out("page.txt").starts_with("--- thread (0, 0, 0), access 1 of 130"));
    let json: serde_json::Value = serde_json::from_str(&out("page.json"))?;
    assert_eq!(json["accesses"].as_array().map(Vec::len), Some(100));
    // A page without a thread is wrong usage.
    let wrong = texunit(&["launch", "many.toml", "--format", "svg"]);
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");
    // The page of a thread without accesses says so, and the job is not overwritten.
    let ptx =
        ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry idle()\n{\n\tret;\n}\n";
    let job = "ptx = \"idle.ptx\"\nkernel = \"idle\"\ngrid = 1\nblock = 1\n";
    std::fs::write(at("idle.ptx"), ptx)?;
    std::fs::write(at("job.toml"), job)?;
    let (path, out) = (at("job.toml"), at("out"));
    let none = ["launch", &path, "--out", &out, "--explain", "0", "--format", "svg"];
    let none = texunit(&none);
    let page = String::from_utf8_lossy(&none.stdout).into_owned();
    assert!(page.contains("of idle made no fetch and no surface access</text>"), "{none:?}");
    for input in ["job.toml", "idle.ptx"] {
        let over = ["launch", &path, "--out", &out, "--explain", "0", "--explain-out", &at(input)];
        let over = texunit(&over);
        assert_eq!(over.status.code(), Some(2), "{over:?}");
        assert!(String::from_utf8_lossy(&over.stderr).contains("would overwrite"), "{over:?}");
    }
    assert_eq!(std::fs::read_to_string(path)?, job);
    Ok(())
}

/// tests/explain/thread.svg is the output of the command in docs/explain.md. `TEXUNIT_BLESS=1`
/// writes it.
fn the_page_of_the_documentation() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let folder = texunit_testkit::TempDir::new("explain-docs");
    let command = "launch examples/emboss/job.toml --explain 20,20 --explain-out";
    let docs = std::fs::read_to_string(root.join("docs/explain.md"))?;
    assert!(docs.contains(&format!("texunit {command} fetches.svg")));
    let page = folder.join("page.svg");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_texunit"))
        .args(command.split(' '))
        .arg(&page)
        .arg("--out")
        .arg(folder.join("out"))
        .current_dir(&root)
        .output()?;
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let (page, file) = (std::fs::read_to_string(page)?, root.join("tests/explain/thread.svg"));
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(&file, &page)?;
    }
    assert_eq!(std::fs::read_to_string(file).unwrap_or_default(), page);
    Ok(())
}

/// docs/explain.md names every option, and its outputs are real.
fn every_option_is_documented() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let docs = std::fs::read_to_string(root.join("docs/explain.md"))?;
    let command = texunit::command_line::Cli::command();
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

/// `--out` writes the output to a file; if it cannot be written, that is an error.
fn out_writes_a_file() -> Result<(), Failed> {
    let folder = texunit_testkit::TempDir::new("explain");
    let path = folder.join("out.svg");
    let file = path.to_str().unwrap();
    let common = ["explain", "--tex", "grid.png", "--op", "tex.2d.v4.f32.f32", "--at", "0.3,0.7"];
    let arguments = [&common[..], &["--format", "svg"]].concat();
    let printed = texunit(&arguments).stdout;
    let output = texunit(&[&arguments[..], &["--out", file]].concat());
    let written = std::fs::read(&path)?;
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

/// Input files are not overwritten, under whichever name.
#[cfg(unix)]
fn out_spares_inputs() -> Result<(), Failed> {
    let folder = texunit_testkit::TempDir::new("explain-in");
    let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    std::fs::copy(golden::folder("explain").join("grid.png"), at("in.png"))?;
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fetch/point.toml");
    std::fs::copy(cases, at("case.toml"))?;
    std::fs::hard_link(at("in.png"), at("hard.svg"))?;
    std::os::unix::fs::symlink("in.png", at("soft.svg"))?;
    let before = ["in.png", "case.toml"].map(|name| std::fs::read(at(name)).unwrap());
    let (input, case) = (at("in.png"), at("case.toml") + "#1");
    let fetch = ["explain", "--tex", &input, "--op", "tex.2d.v4.f32.f32", "--at", "0.3,0.7"];
    for (arguments, out) in [
        (&fetch[..], "in.png"),
        (&fetch[..], "hard.svg"),
        (&fetch[..], "soft.svg"),
        (&["explain", &case], "case.toml"),
        (&["explain", &at("case.toml")], "case.toml"),
    ] {
        let output = texunit(&[arguments, &["--out", &at(out)]].concat());
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.code() != Some(2) || !message.contains("would overwrite") {
            return Err(format!("{out}: {message}").into());
        }
        let now = ["in.png", "case.toml"].map(|name| std::fs::read(at(name)).unwrap());
        assert!(now == before, "{out}");
    }
    let output = texunit(&[&fetch[..], &["--out", &at("new.svg")]].concat());
    assert_eq!(output.status.code(), Some(0));
    Ok(())
}
