//! Judges a mutant: changes the source, builds the tests, runs them, and gives the verdict.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::Place;
use super::list::{Mutant, Position};
use super::parts::{Part, SKIPPED, Tests, package};
use super::verdicts::Verdict;
use crate::files;

/// The build profile of mutants, which compiles one changed function as fast as possible.
const PROFILE: &[&str] = &[
    "profile.mutants.inherits=\"dev\"",
    "profile.mutants.debug=false",
    "profile.mutants.incremental=true",
    "profile.mutants.codegen-units=256",
    "profile.mutants.lto=\"off\"",
    "profile.mutants.package.texunit-unit.opt-level=1",
];

/// CPU time limit for tests without a mutation, in seconds.
const USUAL_LIMIT: u64 = 120;

/// Wall time limit for tests. It is generous because the machine may be shared; infinite loops are
/// detected by CPU time.
const WAITING: Duration = Duration::from_secs(1200);

/// Memory limit of a test in KiB, because a mutant may allocate without end.
const MEMORY: u32 = 12 << 20;

/// The tests of a part of the code, and their time without a mutation.
struct Test {
    tests: Tests,
    usual: Duration,
}

/// Judges the mutants of a part, in a copy of the source tree.
pub(super) struct Judge<'a> {
    part: &'static Part,
    place: &'a Place,
    /// The tests in the order in which they run, which the first judgement fills in.
    tests: Vec<Test>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(part: &'static Part, place: &'a Place) -> Self {
        Self { part, place, tests: Vec::new() }
    }

    /// The verdict on a mutant, after which the source is restored.
    pub(super) fn verdict(&mut self, mutant: &Mutant) -> Result<Verdict, String> {
        if self.tests.is_empty() {
            self.tests = self.usual()?;
        }
        let start = Instant::now();
        let path = self.place.tree().join(&mutant.file);
        let text = files::read(&path)?;
        let changed = applied(&text, mutant)
            .ok_or_else(|| format!("{}: there is no such place: {mutant:?}", path.display()))?;
        files::write(&path, changed)?;
        let verdict = self.judged();
        files::write(&path, text)?;
        let verdict = verdict?;
        let seconds = start.elapsed().as_secs();
        let word = match &verdict {
            Verdict::Caught(by) => format!("caught by {by}"),
            Verdict::Survived => "SURVIVED".to_owned(),
            Verdict::Unviable => "does not compile".to_owned(),
        };
        println!("{word}, {seconds} s: {}:{} {}", mutant.file, mutant.span.start.line, mutant.name);
        Ok(verdict)
    }

    /// The verdict on the current source.
    fn judged(&self) -> Result<Verdict, String> {
        for test in &self.tests {
            let Some(program) = self.build(test.tests)? else {
                return Ok(Verdict::Unviable);
            };
            let limit = test.usual.as_secs() * 4 + 10;
            if !self.passes(test.tests.0, &program, limit)? {
                return Ok(Verdict::Caught(in_words(test.tests)));
            }
        }
        Ok(Verdict::Survived)
    }

    /// Builds and runs the tests without a mutation, which must pass, and returns their times.
    fn usual(&self) -> Result<Vec<Test>, String> {
        let test = |&tests: &Tests| {
            let program = self.build(tests)?.ok_or("the tree does not compile")?;
            let start = Instant::now();
            if !self.passes(tests.0, &program, USUAL_LIMIT)? {
                let (tests, output) = (in_words(tests), self.output());
                return Err(format!("{tests} fails without a mutant: {}", output.display()));
            }
            Ok(Test { tests, usual: start.elapsed() })
        };
        self.part.tests.iter().map(test).collect()
    }

    /// Builds the executable of some tests; `None` if the mutant does not compile.
    fn build(&self, (folder, option): Tests) -> Result<Option<PathBuf>, String> {
        let mut cargo = Command::new("cargo");
        cargo.args(["test", "--no-run", "--locked", "--message-format=json", "--profile=mutants"]);
        cargo.args(["--package", &package(folder), option]);
        for line in PROFILE {
            cargo.args(["--config", line]);
        }
        cargo.current_dir(self.place.tree()).env("CARGO_TARGET_DIR", self.place.builds());
        // Incremental builds are enabled even in CI, because each mutant changes only one function.
        cargo.env_remove("CARGO_INCREMENTAL").stderr(Stdio::null());
        let output = cargo.output().map_err(|e| format!("cargo: {e}"))?;
        if !output.status.success() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let program = |line: &str| {
            let message: Value = serde_json::from_str(line).ok()?;
            message["executable"].as_str().map(PathBuf::from)
        };
        let program = text.lines().rev().find_map(program);
        program.map(Some).ok_or_else(|| format!("cargo names no program of {folder} {option}"))
    }

    /// Whether tests pass within the limits of time and memory.
    fn passes(&self, folder: &str, program: &Path, limit: u64) -> Result<bool, String> {
        let said = |e: std::io::Error| format!("{}: {e}", program.display());
        let output = File::create(self.output()).map_err(said)?;
        let limits =
            format!("ulimit -c 0; ulimit -t {limit}; ulimit -v {MEMORY}; exec \"$0\" \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &limits]).arg(program);
        shell.args(SKIPPED.iter().flat_map(|name| ["--skip", name]));
        shell.current_dir(self.place.tree().join(super::parts::folder(folder)));
        // Every mutant gets the same random cases, and failing cases are not minimised, to save
        // time.
        shell.env("PROPTEST_RNG_SEED", "20261120").env("PROPTEST_MAX_SHRINK_ITERS", "0");
        shell.env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1").env("RUST_BACKTRACE", "0");
        shell.stdin(Stdio::null()).stderr(output.try_clone().map_err(said)?).stdout(output);
        let mut child = shell.spawn().map_err(said)?;
        let start = Instant::now();
        loop {
            if let Some(status) = child.try_wait().map_err(said)? {
                return Ok(status.success());
            }
            if start.elapsed() > WAITING {
                child.kill().and_then(|()| child.wait()).map_err(said)?;
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The file with the output of the last tests.
    fn output(&self) -> PathBuf {
        self.place.folder.join("output.txt")
    }
}

fn in_words((folder, option): Tests) -> String {
    format!("{folder} {option}")
}

/// The text of a source file with the mutation; `None` if the mutant's position does not exist.
fn applied(text: &str, mutant: &Mutant) -> Option<String> {
    let (start, end) = (offset(text, mutant.span.start)?, offset(text, mutant.span.end)?);
    let after = text.get(end..)?;
    // Spaces are added, because the replaced text may have separated two words.
    Some(format!("{} {} {after}", text.get(..start)?, mutant.replacement))
}

fn offset(text: &str, position: Position) -> Option<usize> {
    let before: usize =
        text.split_inclusive('\n').take(position.line.checked_sub(1)?).map(str::len).sum();
    let line = text.get(before..)?;
    let mut columns = line.char_indices().map(|(at, _)| at).chain([line.len()]);
    Some(before + columns.nth(position.column.checked_sub(1)?)?)
}

#[cfg(test)]
mod tests {
    use super::super::list::Span;
    use super::*;

    #[test]
    fn a_mistake_is_made_at_its_place() {
        let mutant = |start: (usize, usize), end: (usize, usize)| {
            let position = |(line, column)| Position { line, column };
            Mutant {
                file: String::new(),
                name: String::new(),
                span: Span { start: position(start), end: position(end) },
                replacement: "-".to_owned(),
                diff: String::new(),
            }
        };
        let text = "// é\nlet é = a + b;\n";
        let good = applied(text, &mutant((2, 11), (2, 12)));
        assert_eq!(good.as_deref(), Some("// é\nlet é = a  -  b;\n"));
        let lines = applied(text, &mutant((1, 4), (2, 4)));
        assert_eq!(lines.as_deref(), Some("//  -  é = a + b;\n"));
        assert_eq!(applied(text, &mutant((9, 1), (9, 2))), None);
    }
}
