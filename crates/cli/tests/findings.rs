//! What checks find: every `.ptx` file of tests/findings says so on the lines where something is found,
//! `// finding[sync-barrier-missed]: part of the message`, and nothing else is. Lines `//| KEY = VALUE` before a kernel are
//! the job that launches it, those before the first kernel (`//|| ...`) are part of every job of the file. The first line
//! says what is checked: `// check: sync`. No check changes what a kernel writes.

#![allow(clippy::unwrap_used)]

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use texunit::args::LaunchArgs;
use texunit_checks::Finding;
use texunit_testkit::TempDir;

/// Kinds of findings that jobs cannot show: tests/cuda has them.
const OF_PROGRAMS: &[&str] = &["leak-allocation", "leak-object"];

fn main() {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/findings");
    let folder = folder.canonicalize().unwrap();
    let files = ptx_files(&folder);
    let all = files.clone();
    let mut trials = vec![Trial::test("every_finding_has_a_case", move || every_finding(&all))];
    for path in files {
        let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        trials.push(Trial::test(name, move || expected(&path)));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

fn ptx_files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Folders have runners of their own, which need more than a job.
        if path.is_file() && path.extension().is_some_and(|e| e == "ptx") {
            all.push(path);
        }
    }
    all.sort();
    all
}

/// A kernel with its job.
struct Case {
    kernel: String,
    /// Whether it ends in a fault: `//| # faults`.
    faults: bool,
    job: String,
}

/// Line, code, part of the message.
type Expected = (u32, String, String);

struct File {
    check: String,
    cases: Vec<Case>,
    expected: Vec<Expected>,
}

fn read(path: &Path) -> File {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut common, mut own) = (String::new(), String::new());
    let (mut cases, mut expected, mut check) = (Vec::new(), Vec::new(), String::new());
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(list) = line.strip_prefix("// check: ") {
            list.clone_into(&mut check);
        }
        if let Some(line) = line.strip_prefix("//||") {
            common += line.trim();
            common.push('\n');
        } else if let Some(line) = line.strip_prefix("//|") {
            own += line.trim();
            own.push('\n');
        }
        for part in line.split("// finding[").skip(1) {
            let (code, message) = part.split_once("]: ").expect("`// finding[code]: message`");
            let message = message.split("// finding[").next().unwrap_or(message);
            expected.push((number, code.to_owned(), message.trim().to_owned()));
        }
        if let Some((_, rest)) = line.split_once(".entry ") {
            let end = rest.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(rest.len());
            let faults = own.contains("# faults");
            let job = std::mem::take(&mut own) + &common;
            cases.push(Case { kernel: rest[..end].to_owned(), faults, job });
        }
    }
    assert!(!check.is_empty() && !cases.is_empty(), "{}: no checks or no kernels", path.display());
    File { check, cases, expected }
}

/// What the launch of a case finds, and every byte that it writes.
fn launch(
    path: &Path,
    case: &Case,
    check: Option<&str>,
) -> Result<(Vec<Finding>, Vec<Vec<u8>>), String> {
    let temp = TempDir::new("findings");
    let mut text = format!("ptx = {:?}\nkernel = {:?}\n", path.to_str().unwrap(), case.kernel);
    text += &case.job;
    let job = temp.file("job.toml", &text);
    let out = temp.join("out");
    let mut options = vec!["--quiet"];
    options.extend(check.iter().flat_map(|list| ["--check", list]));
    let args = LaunchArgs::parse(&job, &out, &options).map_err(|error| error.to_string())?;
    let report = texunit::run::launch(&args);
    if !report.failures.is_empty() {
        return Err(texunit::human::render(&report, true, false).1);
    }
    // A kernel may end in a fault where that is expected: what is found then, is told all the same.
    if let Some(fault) = report.fault.as_ref().filter(|_| !case.faults) {
        return Err(format!("{}: a fault: {}", case.kernel, fault.kind));
    }
    let mut files: Vec<PathBuf> = Vec::new();
    if let Ok(entries) = std::fs::read_dir(&out) {
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let mut bytes: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    bytes.push(report.fault.iter().flat_map(|f| f.kind.to_string().into_bytes()).collect());
    Ok((report.log.map_or_else(Vec::new, |log| log.findings()), bytes))
}

fn expected(path: &Path) -> Result<(), Failed> {
    let file = read(path);
    let mut missing = file.expected;
    let mut wrong = String::new();
    for case in &file.cases {
        let plain = launch(path, case, None)?.1;
        let (found, checked) = launch(path, case, Some(&file.check))?;
        if plain != checked {
            let _ = writeln!(wrong, "{}: other results when it is checked", case.kernel);
        }
        let (mut lines, mut again) = (Vec::new(), BTreeSet::new());
        for finding in found {
            let line = finding.at.as_ref().map_or(0, |at| at.place.ptx.line);
            lines.push((line, finding.code()));
            // The same place with several other ends is one line.
            let first = again.insert((line, finding.code()));
            let message = &finding.message;
            let right = |(l, code, part): &Expected| {
                *l == line && code == finding.code() && message.contains(&**part)
            };
            match missing.iter().position(right) {
                Some(i) => drop(missing.remove(i)),
                None if !first => {}
                None => {
                    let _ = writeln!(
                        wrong,
                        "{}: line {line}: unexpected {}: {message}",
                        case.kernel,
                        finding.code()
                    );
                }
            }
        }
    }
    for (line, code, part) in missing {
        let _ = writeln!(wrong, "line {line}: not found: {code}: {part}");
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.into()) }
}

/// Each kind of finding is somewhere, and there are enough kernels in which nothing is to be found.
fn every_finding(files: &[PathBuf]) -> Result<(), Failed> {
    let files: Vec<File> = files.iter().map(|path| read(path)).collect();
    let codes: BTreeSet<&str> =
        files.iter().flat_map(|file| file.expected.iter().map(|(_, code, _)| &**code)).collect();
    let rules = texunit_checks::rules::CHECK_RULES.iter().map(|rule| rule.code.code);
    let wanted = rules.filter(|code| !OF_PROGRAMS.contains(code) && !code.starts_with("race-"));
    let missing: Vec<&str> = wanted.filter(|code| !codes.contains(code)).collect();
    let cases: usize = files.iter().map(|file| file.cases.len()).sum();
    if missing.is_empty() && cases >= 60 {
        return Ok(());
    }
    Err(format!("{cases} kernels; no case for {missing:?}").into())
}
