//! Every `.ptx` file of tests/check/syntax says on the offending lines what the parser reports:
//! `// error[E0020]: part of the message`, once or more. The set of lines and codes must match
//! exactly. What has no such comment must be read silently, and its printed form must read
//! back to itself.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use texunit_syntax::{SourceFile, parse};

fn main() {
    let arguments = Arguments::from_args();
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests");
    let mut trials = Vec::new();
    for folder in ["check/syntax", "programs/ptx"] {
        for path in ptx_files(&tests.join(folder)) {
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            trials.push(Trial::test(name, move || check(&path)));
        }
    }
    assert!(!trials.is_empty(), "no test files in {}", tests.display());
    libtest_mimic::run(&arguments, trials).exit();
}

fn ptx_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "ptx"))
        .collect();
    files.sort();
    files
}

/// What one comment expects.
#[derive(Debug)]
struct Expected {
    line: u32,
    code: String,
    message: String,
}

fn expectations(text: &str) -> Vec<Expected> {
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for part in line.split("// error[").skip(1) {
            let (code, message) = part.split_once("]: ").expect("`// error[code]: message`");
            found.push(Expected {
                line: index as u32 + 1,
                code: code.to_string(),
                message: message.trim_end().to_string(),
            });
        }
    }
    found
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let mut expected = expectations(&text);
    let source = SourceFile::new(path.to_string_lossy(), text);
    let parsed = parse(&source);
    let mut faults = Vec::new();
    for diagnostic in &parsed.diagnostics {
        let line = source.location(diagnostic.primary.span.start).line;
        let matching = expected.iter().position(|e| {
            e.line == line && e.code == diagnostic.code && diagnostic.message.contains(&e.message)
        });
        match matching {
            Some(index) => drop(expected.remove(index)),
            None => faults.push(format!(
                "line {line}: unexpected {}: {}",
                diagnostic.code, diagnostic.message
            )),
        }
        if diagnostic.help.as_deref().unwrap_or("").is_empty() {
            faults.push(format!("line {line}: {} has no help", diagnostic.code));
        }
    }
    faults.extend(
        expected.iter().map(|e| format!("line {}: not reported: {} {}", e.line, e.code, e.message)),
    );
    if parsed.diagnostics.is_empty() {
        let printed = parsed.module.to_string();
        let again = SourceFile::new("printed", printed.clone());
        let reparsed = parse(&again);
        if !reparsed.diagnostics.is_empty() || reparsed.module.to_string() != printed {
            faults.push(format!("does not read back: {:?}\n{printed}", reparsed.diagnostics));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n").into()) }
}
