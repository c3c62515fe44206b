//! Runs the programs tests/cuda/NAME.cu and compares their output with NAME.expected.

use crate::coverage;
use crate::process::{Ended, run, succeed};
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// A way to build a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The CUDA version of headers and runtime.
    pub(crate) major: u32,
    /// Whether the runtime is statically linked.
    pub(crate) is_static: bool,
}

pub(crate) const VARIANTS: [Variant; 4] = [
    Variant { major: 13, is_static: false },
    Variant { major: 13, is_static: true },
    Variant { major: 12, is_static: false },
    Variant { major: 12, is_static: true },
];

impl Variant {
    pub(crate) fn name(self) -> String {
        format!("{}-{}", self.major, if self.is_static { "static" } else { "shared" })
    }

    /// The required files of NVIDIA.
    pub(crate) fn needs(self) -> &'static [&'static str] {
        if self.major == 12 { &["nvcc", "include12"] } else { &["nvcc"] }
    }
}

/// A program with the settings of its first lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    source: PathBuf,
    pub(crate) name: String,
    /// `// nvcc:` options for nvcc.
    nvcc: Vec<String>,
    /// `// run:` options for `texunit run`.
    run: Vec<String>,
    /// `// args:` arguments of the program.
    args: Vec<String>,
    /// `// env:` variables, NAME=VALUE.
    env: Vec<String>,
    /// `// exit:` the expected exit code.
    exit: i32,
    /// `// stderr:` text that standard error must contain; may be repeated.
    stderr: Vec<String>,
    /// `// only:` the variants in which it is built.
    only: Vec<String>,
    /// `// late: no`: the program is not repeated with late execution (`--schedule`), because it
    /// does not wait for its work.
    never_late: bool,
}

/// All programs.
pub(crate) fn cases(setup: &Setup) -> Vec<Case> {
    let mut sources: Vec<PathBuf> = std::fs::read_dir(setup.cases())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "cu"))
        .collect();
    sources.sort();
    assert!(!sources.is_empty(), "the programs are not where they were");
    sources.iter().map(|source| Case::read(source)).collect()
}

/// Every program in every variant.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let mut trials = Vec::new();
    let cases = cases(setup);
    // Variants that share an object file wait for each other, so all programs of a variant are
    // adjacent.
    for variant in VARIANTS {
        for case in &cases {
            if !case.only.is_empty() && !case.only.contains(&variant.name()) {
                continue;
            }
            let (setup, case) = (setup.clone(), case.clone());
            let skipped = !setup.has(variant.needs());
            let name = format!("{}/{}", case.name, variant.name());
            let trial = Trial::test(name, move || case.check(&setup, variant));
            trials.push(trial.with_ignored_flag(skipped));
        }
    }
    trials
}

impl Case {
    fn read(source: &Path) -> Self {
        let text = std::fs::read_to_string(source).unwrap();
        let name = source.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut case = Self { source: source.to_owned(), name, ..Self::default() };
        let lines = text.lines().map_while(|line| line.strip_prefix("//"));
        for (key, value) in lines.filter_map(|line| line.trim().split_once(": ")) {
            let words = || value.split_whitespace().map(str::to_owned);
            match key {
                "nvcc" => case.nvcc.extend(words()),
                "run" => case.run.extend(words()),
                "args" => case.args.extend(words()),
                "env" => case.env.extend(words()),
                "only" => case.only.extend(words()),
                "late" => case.never_late = value.trim() == "no",
                "exit" => case.exit = value.trim().parse().unwrap(),
                "stderr" => case.stderr.push(value.trim().to_owned()),
                _ => {}
            }
        }
        case
    }

    /// The expected output.
    pub(crate) fn expected(&self) -> Result<String, Failed> {
        let file = self.source.with_extension("expected");
        Ok(std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?)
    }

    /// The first variant in which it is built.
    pub(crate) fn variant(&self) -> Variant {
        let is_built = |v: &Variant| self.only.is_empty() || self.only.contains(&v.name());
        VARIANTS.into_iter().find(is_built).unwrap()
    }

    /// Runs it with a command that ends with options of `texunit run`.
    pub(crate) fn run_with(
        &self,
        setup: &Setup,
        variant: Variant,
        mut command: Command,
    ) -> Result<Ended, Failed> {
        let program = build(setup, &self.source, variant, &self.nvcc)?;
        command.args(&self.run).arg(&program).args(&self.args);
        command.envs(self.env.iter().filter_map(|pair| pair.split_once('=')));
        let ended = run(&mut command, &program)?;
        if ended.status.code() != Some(self.exit) {
            return Err(
                format!("{}; {} is expected\n{}", ended.status, self.exit, ended.stderr).into()
            );
        }
        Ok(ended)
    }

    fn check(&self, setup: &Setup, variant: Variant) -> Result<(), Failed> {
        let program = build(setup, &self.source, variant, &self.nvcc)?;
        let expected = self.expected()?;
        let traced = !variant.is_static;
        let mut command = setup.run();
        if traced {
            command.args(["--trace", "api"]);
        }
        command.args(&self.run).arg(&program).args(&self.args);
        command.envs(self.env.iter().filter_map(|pair| pair.split_once('=')));
        let ended = run(&mut command, &program)?;
        if ended.stdout != expected {
            return Err(
                format!("{}\n{}", difference(&expected, &ended.stdout), ended.stderr).into()
            );
        }
        if ended.status.code() != Some(self.exit) {
            return Err(
                format!("{}; {} is expected\n{}", ended.status, self.exit, ended.stderr).into()
            );
        }
        if let Some(text) = self.stderr.iter().find(|text| !ended.stderr.contains(*text)) {
            return Err(format!("standard error has no `{text}`:\n{}", ended.stderr).into());
        }
        if traced {
            let mut called = coverage::traced(&ended.stderr);
            called.extend(coverage::linked(&program));
            coverage::note(&format!("tests/cuda/{}.cu", self.name), &called);
        }
        if variant == VARIANTS[0] && !self.never_late {
            return self.check_late(setup, variant, &expected);
        }
        Ok(())
    }

    /// Checks that late execution and watched host accesses do not change the output.
    fn check_late(&self, setup: &Setup, variant: Variant, expected: &str) -> Result<(), Failed> {
        for words in [&["--schedule", "5"][..], &["--check", "race"]] {
            let mut command = setup.run();
            command.args(words);
            let ended = self.run_with(setup, variant, command)?;
            if ended.stdout != expected {
                let differs = difference(expected, &ended.stdout);
                return Err(format!("{words:?}: {differs}\n{}", ended.stderr).into());
            }
        }
        Ok(())
    }
}

/// The first line that differs.
pub(crate) fn difference(expected: &str, found: &str) -> String {
    let (mut a, mut b) = (expected.lines(), found.lines());
    let mut line = 1;
    loop {
        match (a.next(), b.next()) {
            (None, None) => return "the ends of the last lines differ".to_owned(),
            (a, b) if a == b => line += 1,
            (a, b) => {
                let show = |text: Option<&str>| text.unwrap_or("(the end)").to_owned();
                return format!("line {line}:\n  printed  {}\n  expected {}", show(b), show(a));
            }
        }
    }
}

/// A lock for building a path: several tests use one program, and variants share an object file.
fn building(object: &Path) -> Arc<Mutex<()>> {
    static ALL: LazyLock<Mutex<HashMap<PathBuf, Arc<Mutex<()>>>>> = LazyLock::new(Mutex::default);
    Arc::clone(ALL.lock().unwrap().entry(object.to_owned()).or_default())
}

/// Builds a program, unless it is up to date.
pub(crate) fn build(
    setup: &Setup,
    source: &Path,
    variant: Variant,
    flags: &[String],
) -> Result<PathBuf, Failed> {
    let name = source.file_stem().unwrap().to_str().unwrap();
    let object =
        setup.build.join(format!("{name}-{}-{:016x}.o", variant.major, key(source, flags)));
    let program = object.with_extension(variant.name());
    let lock = building(&object);
    // A test that panics leaves only files with temporary names, so a poisoned lock is harmless.
    let _guard = lock.lock().unwrap_or_else(PoisonError::into_inner);
    if program.is_file() {
        return Ok(program);
    }
    if !object.is_file() {
        let made = object.with_extension(format!("{}.o", variant.name()));
        let mut command = nvcc(setup, flags);
        if variant.major == 12 {
            // nvcc puts its own include folder before those of -isystem.
            command.arg("-I").arg(setup.file("include12"));
        }
        succeed(command.arg("-c").arg(source).arg("-o").arg(&made), &made)?;
        std::fs::rename(&made, &object)?;
    }
    let made = program.with_extension(format!("{}-new", variant.name()));
    let mut command = nvcc(setup, flags);
    // The first folder has the requested runtime; nvcc's own folders come last.
    command.arg("-L").arg(runtime(setup, variant)?).arg("-L").arg(&setup.libraries);
    command.arg("-Xlinker").arg(format!("-rpath-link={}", setup.libraries.display()));
    command.args(["-cudart", if variant.is_static { "static" } else { "shared" }]);
    command.arg(&object).arg("-o").arg(&made);
    succeed(&mut command, &made)?;
    std::fs::rename(&made, &program)?;
    Ok(program)
}

/// The folder in which a linker finds the runtime of a variant.
fn runtime(setup: &Setup, variant: Variant) -> Result<PathBuf, Failed> {
    if variant.is_static {
        let file = if variant.major == 12 { "static12" } else { "static13" };
        return Ok(setup.file(file).parent().unwrap().to_owned());
    }
    let folder = setup.build.join(format!("runtime-{}", variant.major));
    std::fs::create_dir_all(&folder)?;
    // A linker looks for the name without version. Another test may create the same link at this
    // time.
    let name = format!("libcudart.so.{}", variant.major);
    let new = folder.join(format!("new-{:?}", std::thread::current().id()));
    std::fs::copy(setup.libraries.join(name), &new)?;
    std::fs::rename(&new, folder.join("libcudart.so"))?;
    Ok(folder)
}

fn nvcc(setup: &Setup, flags: &[String]) -> Command {
    let mut command = Command::new(setup.file("nvcc"));
    if !flags.iter().any(|flag| flag.starts_with("-arch") || flag.starts_with("-gencode")) {
        command.arg("-arch=compute_75");
    }
    command.args(["-std=c++17", "-Wno-deprecated-gpu-targets"]).args(flags);
    command
}

/// A hash that changes when the program has to be built again.
fn key(source: &Path, flags: &[String]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut files: Vec<_> = std::fs::read_dir(source.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path == source || path.extension().is_some_and(|e| e == "h" || e == "cuh"))
        .collect();
    files.sort();
    for file in files {
        std::fs::read(file).unwrap().hash(&mut hasher);
    }
    flags.hash(&mut hasher);
    hasher.finish()
}
