//! Grids launched in ranges of CTAs: the cases of tests/distributed, the examples, and the command
//! line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use texunit::launch_args::LaunchArgs;
use texunit::launch_report::{Failure, Report};
use texunit::ranges::MergeArgs;
use texunit::run::launch;
use texunit_testkit::{Random, TempDir};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// The files of a folder by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(folder) else { return BTreeMap::new() };
    let mut all = BTreeMap::new();
    for entry in entries {
        let path = entry.unwrap().path();
        all.insert(
            path.file_name().unwrap().to_string_lossy().into_owned(),
            std::fs::read(&path).unwrap(),
        );
    }
    all
}

/// A job, its outputs, and its messages.
struct Whole {
    job: PathBuf,
    outputs: BTreeMap<String, Vec<u8>>,
    printed: Vec<u8>,
    ctas: u64,
}

/// The outcome of ranges.
enum Ended {
    Merged,
    /// The merge was refused.
    Refused(Box<Report>),
    /// A range did not end.
    Stopped(Box<Report>),
}

fn whole(job: &Path, folder: &TempDir, options: &[&str]) -> Whole {
    let out = folder.path().join("whole");
    let report = launch(&LaunchArgs::parse(job, &out, options).unwrap());
    assert!(report.ran(), "{}: {}", job.display(), words(&report));
    Whole {
        job: job.to_owned(),
        outputs: files(&out),
        printed: report.stats.unwrap().printf,
        ctas: report.grid.unwrap().iter().map(|&n| u64::from(n)).product(),
    }
}

fn words(report: &Report) -> String {
    texunit::human::render(report, false, false).1
}

impl Whole {
    /// Launches ranges and merges them. The merged outputs must equal those of the whole launch.
    fn in_ranges(&self, ends: &[u64], folder: &TempDir, options: &[&str]) -> Ended {
        let mut sets = Vec::new();
        for (n, pair) in ends.windows(2).enumerate() {
            let file = folder.path().join(format!("{n}.sets"));
            // A file of earlier ranges that were not merged.
            let _ = std::fs::remove_file(&file);
            let range = format!("{}..{}", pair[0], pair[1]);
            let more = ["--ctas", &range, "--writes", file.to_str().unwrap()];
            let out = folder.path().join("none");
            let args = LaunchArgs::parse(&self.job, &out, &[options, &more].concat()).unwrap();
            let report = launch(&args);
            if !report.ran() {
                assert!(!file.exists(), "a range that has failed has sets");
                return Ended::Stopped(Box::new(report));
            }
            assert!(!out.exists(), "a range has written outputs");
            sets.push(file);
        }
        let out = folder.path().join("merged");
        let _ = std::fs::remove_dir_all(&out);
        let report = merge(&self.job, &sets, &out);
        for file in sets {
            std::fs::remove_file(file).unwrap();
        }
        if !report.ran() {
            assert!(files(&out).is_empty(), "outputs of a merge that is refused");
            return Ended::Refused(Box::new(report));
        }
        let name = self.job.display();
        assert!(files(&out) == self.outputs, "{name}: outputs of {ends:?} are others");
        assert_eq!(report.stats.unwrap().printf, self.printed, "{name}: {ends:?}");
        Ended::Merged
    }
}

fn merge(job: &Path, sets: &[PathBuf], out: &Path) -> Report {
    use clap::{Args, FromArgMatches};
    let command = MergeArgs::augment_args(clap::Command::new("merge"));
    let mut words = vec!["merge".into(), job.as_os_str().to_owned(), "--out".into(), out.into()];
    words.extend(sets.iter().map(|path| path.as_os_str().to_owned()));
    let matches = command.try_get_matches_from(words).unwrap();
    launch(&MergeArgs::from_arg_matches(&matches).unwrap().as_launch())
}

/// Random ends of the ranges of a grid.
fn ends(random: &mut Random, ctas: u64) -> Vec<u64> {
    let mut ends: Vec<u64> = (0..random.within(1..=3)).map(|_| random.within(0..=ctas)).collect();
    ends.extend([0, ctas]);
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// The lines that errors name.
fn lines(report: &Report) -> Vec<String> {
    let text = report.ptx_source.as_ref().unwrap();
    let line = |span: texunit_syntax::Span| text.line(text.location(span.start).line).to_owned();
    let mut all = Vec::new();
    for failure in &report.failures {
        if let Failure::Ptx(d) = failure {
            all.push(line(d.primary.span));
            all.extend(d.secondary.iter().map(|label| line(label.span)));
        }
    }
    all
}

fn code(report: &Report) -> &str {
    match &report.failures[..] {
        [Failure::Ptx(d), ..] => d.code,
        _ => "",
    }
}

#[test]
fn cases() {
    let data = repository().join("tests/distributed");
    let table: toml::Table =
        std::fs::read_to_string(data.join("cases.toml")).unwrap().parse().unwrap();
    let cases = table["case"].as_array().unwrap();
    assert!(cases.len() >= 25, "the cases are not where they were");
    let mut random = Random::for_test(24);
    let folder = TempDir::new("distributed");
    folder.file("kernels.ptx", std::fs::read(data.join("kernels.ptx")).unwrap());
    folder.file("random.raw", random.bytes(8192));
    folder.file(
        "texels.raw",
        (0..256_u32).flat_map(|i| (i * 0x40_0001).to_le_bytes()).collect::<Vec<u8>>(),
    );
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let (name, expect) = (text("name"), text("expect"));
        let job = folder.file(format!("{name}.toml"), text("job"));
        let _ = std::fs::remove_dir_all(folder.path().join("whole"));
        if expect == "out-of-bounds" {
            same_fault(&job, &folder);
            continue;
        }
        let whole = whole(&job, &folder, &["--threads", "1"]);
        assert_eq!(whole.ctas, 8);
        for split in 0..4 {
            let mut ends = ends(&mut random, 8);
            if ends.len() == 2 || split == 0 {
                ends = vec![0, 3, 8];
            }
            let ended = whole.in_ranges(&ends, &folder, &["--threads", "2"]);
            let at = |report: &Report| {
                let all = lines(report);
                let found = all.iter().any(|line| line.ends_with("// here"));
                assert!(found, "{name}, {ends:?}: {all:?}\n{}", words(report));
            };
            match (expect, &ended) {
                ("merged", Ended::Merged) => {}
                ("refused", Ended::Refused(report)) => {
                    assert_eq!(code(report), "E0631", "{name}: {}", words(report));
                    at(report);
                }
                ("alone", Ended::Stopped(report)) if name == "grid_barrier" => {
                    assert!(words(report).contains("cooperative"), "{}", words(report));
                }
                ("alone", Ended::Stopped(report)) => {
                    // The range with the atomic is not the first.
                    assert_eq!(code(report), "E0630", "{name}: {}", words(report));
                    at(report);
                }
                ("fault", Ended::Stopped(report)) => {
                    let words = words(report);
                    assert!(report.fault.is_some(), "{name}: {words}");
                    assert!(words.contains("may wait for what others do"), "{words}");
                }
                (_, Ended::Merged) => panic!("{name}, {ends:?}: was merged"),
                (_, Ended::Refused(report) | Ended::Stopped(report)) => {
                    panic!("{name}, {ends:?}: {}", words(report))
                }
            }
        }
    }
}

/// A fault of a range equals that of the whole grid, also for accesses that are recorded before
/// they are made. Where hardware would not notice the error, the range is not launched.
fn same_fault(job: &Path, folder: &TempDir) {
    let out = folder.path().join("whole");
    let run = |options: &[&str]| {
        launch(&LaunchArgs::parse(job, &out, &[options, &["--threads", "1"]].concat()).unwrap())
    };
    let whole = run(&[]).fault.unwrap();
    assert_eq!(whole.kind.name(), "out-of-bounds");
    let sets = folder.path().join("none.sets");
    let of_range = |ctas: &str, options: &[&str]| {
        let range = ["--ctas", ctas, "--writes", sets.to_str().unwrap()];
        let report = run(&[&range[..], options].concat());
        assert!(!report.ran() && !sets.exists());
        report
    };
    let fault = of_range("4..8", &[]).fault.unwrap();
    // The numbers of allocations are counted over all launches of a process.
    let place = |fault: &texunit_device::Fault| {
        let kind = fault.kind.to_string();
        let (before, after) = kind.split_once(", allocation ").unwrap_or((&kind, ""));
        let after = after.trim_start_matches(|c: char| c.is_ascii_digit());
        (format!("{before}{after}"), fault.span, fault.cta, fault.thread)
    };
    assert_eq!(place(&fault), place(&whole));
    let passed = of_range("4..6", &["--bounds", "hardware"]);
    assert_eq!(code(&passed), "E0630", "{}", words(&passed));
    assert!(passed.fault.is_none());
}

/// The merged outputs of all examples are equal, except for those whose CTAs share data that cannot
/// be merged.
#[test]
fn examples() {
    let mut random = Random::for_test(25);
    let mut merged = 0;
    let folder = TempDir::new("distributed-examples");
    for entry in std::fs::read_dir(repository().join("examples")).unwrap() {
        let job = entry.unwrap().path().join("job.toml");
        if !job.is_file() {
            continue;
        }
        let _ = std::fs::remove_dir_all(folder.path().join("whole"));
        let whole = whole(&job, &folder, &[]);
        if whole.ctas < 2 {
            continue;
        }
        let ends = ends(&mut random, whole.ctas);
        match whole.in_ranges(&ends, &folder, &[]) {
            Ended::Merged => merged += 1,
            Ended::Refused(report) | Ended::Stopped(report) => {
                panic!("{}, {ends:?}: {}", job.display(), words(&report))
            }
        }
    }
    assert!(merged >= 8, "{merged}");
}

/// A program of tests/programs as a job that writes all of its buffers and surfaces.
fn program(case: &toml::Table, ptx: &Path, folder: &TempDir) -> PathBuf {
    let mut job = case.clone();
    job.retain(|key, _| !key.starts_with("expect"));
    job.insert("ptx".into(), ptx.to_str().unwrap().into());
    if let Some(params) = job.get_mut("params").and_then(toml::Value::as_table_mut) {
        for (name, param) in params.iter_mut() {
            let param = param.as_table_mut().unwrap();
            if param.contains_key("buffer") || param.contains_key("surface") {
                let file = format!("{name}.raw");
                let output = toml::Table::from_iter([("file".to_owned(), file.into())]);
                param.insert("output".into(), output.into());
            }
        }
    }
    folder.file("job.toml", toml::to_string(&job).unwrap())
}

/// Programs of several CTAs, from each compiler: equal, or refused.
#[test]
fn programs() {
    let mut random = Random::for_test(26);
    let (mut merged, mut refused) = (0, 0);
    for entry in std::fs::read_dir(repository().join("tests/programs")).unwrap() {
        let source = entry.unwrap().path();
        let Ok(text) = std::fs::read_to_string(source.join("case.toml")) else { continue };
        let case: toml::Table = text.parse().unwrap();
        let grid = case["grid"].as_array().unwrap().iter();
        let ctas = grid.map(|n| n.as_integer().unwrap() as u64).product::<u64>();
        if ctas < 2 {
            continue;
        }
        let folder = TempDir::new("distributed-programs");
        for (name, bytes) in files(&source) {
            folder.file(name, bytes);
        }
        for form in case["ptx"].as_array().unwrap() {
            let job = program(&case, &source.join(form.as_str().unwrap()), &folder);
            let _ = std::fs::remove_dir_all(folder.path().join("whole"));
            let whole = whole(&job, &folder, &["--threads", "1"]);
            let mut ends = ends(&mut random, ctas);
            if ends.len() == 2 {
                ends.insert(1, 1);
            }
            match whole.in_ranges(&ends, &folder, &["--threads", "1"]) {
                Ended::Merged => merged += 1,
                Ended::Refused(report) | Ended::Stopped(report) => {
                    println!("{}: {}", source.display(), words(&report));
                    refused += 1;
                }
            }
        }
    }
    assert!(merged >= 25 && refused >= 5, "{merged} merged, {refused} refused");
}

fn texunit(folder: &TempDir, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_texunit"));
    let output =
        command.current_dir(folder.path()).env("NO_COLOR", "1").args(args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// Messages of the command line about wrong ranges, and files or jobs that do not match.
#[test]
fn the_command_line() {
    let folder = TempDir::new("distributed-cli");
    let data = repository().join("tests/distributed");
    folder.file("kernels.ptx", std::fs::read(data.join("kernels.ptx")).unwrap());
    let job = |kernel: &str, value: u32| {
        format!(
            "ptx = \"kernels.ptx\"\nkernel = \"{kernel}\"\ngrid = 8\nblock = 32\n\
             [params.to]\nbuffer = {{ zeros = 8192 }}\noutput = {{ file = \"to.raw\" }}\n\
             [params.from]\nbuffer = {{ u32 = [{value}], size = 8192 }}\n"
        )
    };
    folder.file("job.toml", job("saxpy", 1));
    folder.file("other.toml", job("saxpy", 2));
    folder.file("ticket.toml", job("ticket", 1));
    folder.file("noise.sets", [7; 100]);
    let run = |args: &str| texunit(&folder, &args.split(' ').collect::<Vec<&str>>());
    // Wrong usage.
    assert_eq!(run("launch job.toml --ctas 0..3").0, 2);
    assert_eq!(run("launch job.toml --writes a.sets").0, 2);
    assert_eq!(run("launch job.toml --ctas 3..3 --writes a.sets").0, 2);
    assert_eq!(run("merge job.toml").0, 2);
    // A range.
    let (code, out, err) = run("launch job.toml --ctas 0..3 --writes a.sets");
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("saxpy: CTAs 0..3 of 8 of 32 threads in "), "{out}");
    assert!(err.starts_with("wrote a.sets: 768 bytes read, 384 written, in "), "{err}");
    assert!(!folder.path().join("texunit-out").exists());
    let (code, out, _) = run("launch job.toml --ctas 3..8 --writes b.sets --format json");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["ctas"]), (0, &serde_json::json!([3, 8])));
    assert_eq!(
        (&report["sets"]["path"], &report["sets"]["written"]),
        (&"b.sets".into(), &640.into())
    );
    let fails = |args: &str, wanted: &str| {
        let (code, _, err) = run(args);
        assert_eq!(code, 1, "{args}: {err}");
        assert!(err.contains(wanted), "{args}: {err}");
    };
    fails("launch job.toml --ctas 3..9 --writes c.sets", "0..8");
    let (code, _, err) = run("launch job.toml --ctas 3..8 --writes kernels.ptx");
    assert!(code == 2 && err.contains("would overwrite"), "{code}: {err}");
    fails("merge job.toml a.sets", "no set has the CTAs 3..8");
    fails("merge job.toml b.sets", "no set has the CTAs 0..3");
    fails("merge job.toml a.sets b.sets a.sets", "two sets have the CTAs 0..3");
    fails("merge other.toml a.sets b.sets", "another launch");
    fails("merge job.toml a.sets b.sets --fmad=off", "another launch");
    fails("merge job.toml a.sets noise.sets", "`noise.sets`: it is not a file of sets");
    fails("merge job.toml a.sets nothing.sets", "nothing.sets");
    let (code, out, err) = run("merge job.toml b.sets a.sets --out merged");
    assert_eq!((code, err.as_str()), (0, "wrote merged/to.raw\n"), "{err}");
    assert!(out.starts_with("saxpy: 2 ranges of 8 CTAs of 32 threads merged in "), "{out}");
    let (code, _, _) = run("launch job.toml --out whole --quiet");
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(code, 0);
    assert_eq!(read("merged/to.raw"), read("whole/to.raw"));
    // Damaged files.
    let mut bytes = read("a.sets");
    bytes[60] ^= 4;
    folder.file("bad.sets", &bytes);
    folder.file("short.sets", &bytes[..70]);
    fails("merge job.toml bad.sets b.sets", "damaged");
    fails("merge job.toml short.sets b.sets", "damaged");
    // Both instructions of a dependence, in text and JSON.
    for range in ["0..4", "4..8"] {
        assert_eq!(run(&format!("launch ticket.toml --ctas {range} --writes {range}.sets")).0, 0);
    }
    let (code, _, err) = run("merge ticket.toml 0..4.sets 4..8.sets");
    assert_eq!(code, 1);
    for part in [
        "error[E0631]: the CTAs 4..8 ",
        "the CTAs 0..4 ",
        "`done`",
        "atom.global.inc.u32",
        "= help: ",
    ] {
        assert!(err.contains(part), "{part}: {err}");
    }
    let (code, out, _) = run("merge ticket.toml 0..4.sets 4..8.sets --format json");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &report["errors"][0]["code"]), (1, &"E0631".into()));
    assert!(report["errors"][0]["line"].is_u64());
}
