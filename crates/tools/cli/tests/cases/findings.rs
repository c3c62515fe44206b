//! Runs the checks on the kernels of tests/findings: each line with a finding has a comment `//
//! finding[sync-barrier-missed]: part of the message`, and there must be no other findings. The
//! first line names the checks: `// check: sync`. Lines `//| KEY = VALUE` before a kernel are its
//! job; those before the first kernel (`//|| ...`) are part of every job of the file. No check may
//! change a kernel's results. A `.cu` of tests/findings/cuda has the comments, and the PTX beside
//! it is executed. In tests/findings/groups each kernel has a number of findings (`//| # groups
//! 2`), and its debug build (`NAME.debug.ptx`) has the same ones. Sources of tests/findings/sources
//! have no PTX: nvcc compiles both builds if it is installed (`TEXUNIT_NVIDIA`, or target/nvidia).

use crate::Trials;
use libtest_mimic::Failed;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use texunit::launch_args::LaunchArgs;
use texunit_checks::{End, Finding};
use texunit_testkit::TempDir;
use texunit_testkit::findings::{Expected, FoundAt, expected as wanted, right};

/// Programs for what jobs cannot express; `--test cuda -- check/` compares their comments.
const PROGRAMS: [&str; 6] =
    ["checked.cu", "fft_checked.cu", "fresh.cu", "hosted.cu", "pool_order.cu", "severities.cu"];

pub(crate) fn add(trials: &mut Trials) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/findings");
    let folder = folder.canonicalize().unwrap();
    let mut files = files(&folder, "ptx");
    files.extend(self::files(&folder.join("cuda"), "cu"));
    let grouped = self::files(&folder.join("groups"), "cu");
    let mut all = files.clone();
    all.extend(grouped.clone());
    all.extend(self::files(&folder.join("sources"), "cu"));
    all.extend(self::files(&folder.join("race"), "cu"));
    let programs = folder.join("../cuda/commands");
    trials.add("every_finding_has_a_case", move || every_finding(&all, &programs));
    trials.add("every_finding_is_documented", documented);
    for path in files {
        let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        let ptx = path.with_extension("ptx");
        trials.add(name, move || expected(&path, &ptx).map(|_| ()));
    }
    for path in grouped {
        let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        trials.add(name, move || grouped_alike(&path));
    }
    let nvcc = nvcc();
    if nvcc.is_none() {
        eprintln!(
            "tests/findings/sources is SKIPPED: there is no nvcc in TEXUNIT_NVIDIA or target/nvidia"
        );
    }
    for path in self::files(&folder.join("sources"), "cu") {
        let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        let (of, is_missing) = (nvcc.clone(), nvcc.is_none());
        trials.add_ignored_if(is_missing, name, move || compiled_alike(&of.unwrap(), &path));
    }
    for job in self::files(&folder.join("algorithms"), "toml") {
        let name = job.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
        trials.add(name, move || algorithm(&job));
    }
}

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Other folders have runners of their own, which need more than a job.
    let is_case = |path: &PathBuf| path.is_file() && path.extension().is_some_and(|e| e == ending);
    let mut all: Vec<PathBuf> = entries.filter(is_case).collect();
    all.sort();
    all
}

/// A kernel with its job.
struct Case {
    kernel: String,
    /// The expected fault, from `//| # faults PART`: a part of its message.
    faults: Option<String>,
    /// The expected number of findings, from `//| # groups 2`.
    groups: Option<usize>,
    job: String,
}

/// Removes tables from a job that another job has too.
fn without(common: &str, own: &str) -> String {
    let (mut text, mut is_in) = (String::new(), true);
    for line in common.lines() {
        if line.starts_with('[') {
            is_in = !own.lines().any(|other| other == line);
        }
        if is_in {
            text += line;
            text.push('\n');
        }
    }
    text
}

struct File {
    check: String,
    cases: Vec<Case>,
    expected: Vec<Expected>,
}

fn read(path: &Path) -> File {
    let text = std::fs::read_to_string(path).unwrap();
    let (mut common, mut own) = (String::new(), String::new());
    let (mut cases, mut check) = (Vec::new(), String::new());
    for line in text.lines() {
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
        let entry = line.split_once(".entry ").or_else(|| line.split_once("__global__ void "));
        if let Some((_, rest)) = entry {
            let end = rest.find(|c: char| c == '(' || c.is_whitespace()).unwrap_or(rest.len());
            let faults = own
                .split_once("# faults")
                .map(|(_, rest)| rest.lines().next().unwrap_or_default().trim().to_owned());
            let groups = own.split_once("# groups ").map(|(_, rest)| {
                rest.lines().next().and_then(|number| number.trim().parse().ok()).unwrap()
            });
            let job = std::mem::take(&mut own);
            cases.push(Case { kernel: rest[..end].to_owned(), faults, groups, job });
        }
    }
    assert!(!check.is_empty() && !cases.is_empty(), "{}: no checks or no kernels", path.display());
    // A kernel's own settings take precedence.
    for case in &mut cases {
        case.job += &without(&common, &case.job);
    }
    File { check, cases, expected: wanted(&text) }
}

/// The findings of a case's launch, and all bytes that it wrote.
fn launch(
    ptx: &Path,
    case: &Case,
    check: Option<&str>,
) -> Result<(Vec<Finding>, Vec<Vec<u8>>), String> {
    let temp = TempDir::new("findings");
    let mut text = format!("ptx = {:?}\nkernel = {:?}\n", ptx.to_str().unwrap(), case.kernel);
    text += &case.job;
    let job = temp.file("job.toml", &text);
    let out = temp.join("out");
    let mut options = vec!["--quiet"];
    // The list of checks may be followed by options.
    options.extend(check.iter().flat_map(|list| ["--check"].into_iter().chain(list.split(' '))));
    let args = LaunchArgs::parse(&job, &out, &options).map_err(|error| error.to_string())?;
    let report = texunit::run::launch(&args);
    if !report.failures.is_empty() {
        return Err(texunit::human::render(&report, true, false).1);
    }
    // Where a fault is expected, findings are reported all the same.
    let fault = report.fault.as_ref().map(|fault| fault.kind.to_string());
    match (&fault, &case.faults) {
        (None, None) => {}
        (Some(fault), Some(part)) if fault.contains(part) => {}
        _ => return Err(format!("{}: {:?}, not {fault:?}", case.kernel, case.faults)),
    }
    let mut files: Vec<PathBuf> = Vec::new();
    if let Ok(entries) = std::fs::read_dir(&out) {
        files.extend(entries.map(|entry| entry.unwrap().path()));
    }
    files.sort();
    let mut bytes: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    // The rest of the message contains the number of an allocation, which differs between launches.
    let own = fault.iter().filter_map(|fault| fault.split(';').next());
    bytes.push(own.flat_map(str::bytes).collect());
    Ok((report.log.map_or_else(Vec::new, |log| log.findings()), bytes))
}

/// The line of the source, or of the PTX without a source. Code inlined from a header counts at its
/// call.
fn line(end: &End) -> u32 {
    end.place.source().map_or(end.place.ptx.line, |frame| frame.line)
}

/// The folder of nvcc.
fn nvcc() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let folder = std::env::var_os("TEXUNIT_NVIDIA")
        .map_or_else(|| workspace.join("target/nvidia"), PathBuf::from);
    let folder = folder.join("cu13/nvidia/cu13");
    folder.join("bin/nvcc").is_file().then_some(folder)
}

/// Compares the findings in code that nvcc compiles now.
fn compiled_alike(nvcc: &Path, path: &Path) -> Result<(), Failed> {
    let temp = TempDir::new("findings-sources");
    let made = [("-O3", "-lineinfo", "optimised.ptx"), ("-G", "-g", "debug.ptx")];
    let [optimised, debug] = made.map(|(how, lines, name)| {
        let ptx = temp.join(name);
        let mut command = std::process::Command::new(nvcc.join("bin/nvcc"));
        command.args(["-arch=compute_80", "-ptx", how, lines, "-I"]).arg(nvcc.join("include"));
        let ended = command.arg(path).arg("-o").arg(&ptx).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        if ended.status.success() { Ok(ptx) } else { Err(said) }
    });
    alike(path, &optimised?, &debug?)
}

/// A debug build has the same findings as optimised code.
fn grouped_alike(path: &Path) -> Result<(), Failed> {
    alike(path, &path.with_extension("ptx"), &path.with_extension("debug.ptx"))
}

fn alike(path: &Path, optimised: &Path, debug: &Path) -> Result<(), Failed> {
    let [optimised, debug] =
        [("optimised", optimised), ("for a debugger", debug)].map(|(name, ptx)| {
            expected(path, ptx)
                .map_err(|wrong| format!("{name}: {}", wrong.message().unwrap_or_default()))
        });
    let (optimised, debug) = (optimised?, debug?);
    let differ = optimised.symmetric_difference(&debug).collect::<Vec<_>>();
    match differ.is_empty() {
        true => Ok(()),
        false => Err(format!("in one of the two: {differ:?}").into()),
    }
}

/// Compares the findings with a case's comments. Returns kernel, code and lines of each finding.
fn expected(path: &Path, ptx: &Path) -> Result<BTreeSet<[String; 3]>, Failed> {
    let file = read(path);
    let (mut missing, mut all) = (file.expected, BTreeSet::new());
    let mut wrong = String::new();
    for case in &file.cases {
        let plain = launch(ptx, case, None)?.1;
        let (found, checked) = launch(ptx, case, Some(&file.check))?;
        if plain != checked {
            let _ = writeln!(wrong, "{}: other results when it is checked", case.kernel);
        }
        if let Some(groups) = case.groups.filter(|groups| *groups != found.len()) {
            let lines = found.iter().map(|finding| (finding.code(), finding.lines()));
            let lines = lines.collect::<Vec<_>>();
            let _ = writeln!(wrong, "{}: {groups} findings expected: {lines:?}", case.kernel);
        }
        let row = |f: &Finding| [case.kernel.clone(), f.code().to_owned(), f.lines()];
        all.extend(found.iter().map(row));
        let mut again = BTreeSet::new();
        for finding in found.iter().flat_map(Finding::kinds) {
            let found = found_at(finding);
            // Several other ends for one place are one line.
            let first = again.insert((found.line, found.code.clone()));
            match missing.iter().position(|wanted| wanted.is(&found)) {
                Some(i) => drop(missing.remove(i)),
                None if !first => {}
                None => {
                    let _ = writeln!(wrong, "{}: unexpected: {found}", case.kernel);
                }
            }
        }
    }
    for wanted in missing {
        let _ = writeln!(wrong, "not found: {wanted:?}");
    }
    if wrong.is_empty() { Ok(all) } else { Err(wrong.into()) }
}

fn found_at(finding: &Finding) -> FoundAt {
    FoundAt {
        line: finding.at.as_ref().map_or(0, line),
        code: finding.code().to_owned(),
        other: finding.other.as_ref().map(|(_, end)| line(end)),
        // Notes are a part of the finding.
        message: std::iter::once(&finding.message)
            .chain(&finding.notes)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("; "),
        object: finding.object.clone().map_or_else(String::new, |object| object.text),
    }
}

/// Repeats a recorded launch of CUB or Thrust: its results are unchanged, and no check finds
/// anything.
fn algorithm(job: &Path) -> Result<(), Failed> {
    let temp = TempDir::new("algorithms");
    let args = LaunchArgs::parse(job, &temp.join("out"), &["--quiet", "--check", "all"])?;
    let report = texunit::run::launch(&args);
    if !report.succeeded() {
        return Err(texunit::human::render(&report, true, false).1.into());
    }
    Ok(())
}

/// docs/checks.md has a section for each kind of finding of these checks.
fn documented() -> Result<(), Failed> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/checks.md");
    let page = std::fs::read_to_string(path)?;
    let rules = texunit_checks::rules::CHECK_RULES.iter().map(|rule| rule.code);
    let headed = |code: &str| page.lines().any(|line| line.trim_start_matches('#').trim() == code);
    let missing: Vec<&str> = rules.filter(|code| !headed(code)).collect();
    if missing.is_empty() { Ok(()) } else { Err(format!("no section for {missing:?}").into()) }
}

/// Each kind of finding occurs in some kernel, and some correct kernel resembles it; and there are
/// enough kernels.
fn every_finding(files: &[PathBuf], programs: &Path) -> Result<(), Failed> {
    let texts: Vec<String> = files.iter().map(std::fs::read_to_string).collect::<Result<_, _>>()?;
    let kernel =
        |text: &String| text.matches(".entry ").count() + text.matches("__global__").count();
    let cases: usize = texts.iter().map(kernel).sum();
    let programs = PROGRAMS.iter().map(|name| std::fs::read_to_string(programs.join(name)));
    let texts: Vec<String> = texts.into_iter().map(Ok).chain(programs).collect::<Result<_, _>>()?;
    let found: BTreeSet<String> =
        texts.iter().flat_map(|text| wanted(text)).map(|wanted| wanted.code).collect();
    let right: BTreeSet<String> = texts.iter().flat_map(|text| right(text)).collect();
    let rules: Vec<&str> =
        texunit_checks::rules::CHECK_RULES.iter().map(|rule| rule.code).collect();
    let without = |in_cases: &BTreeSet<String>| -> Vec<&str> {
        rules.iter().copied().filter(|code| !in_cases.contains(*code)).collect()
    };
    let (wrong, right) = (without(&found), without(&right));
    if wrong.is_empty() && right.is_empty() && cases >= 150 {
        return Ok(());
    }
    Err(format!("{cases} kernels; no case for {wrong:?}, no right one for {right:?}").into())
}
