//! Requirements of the tests: the libraries, built once, and NVIDIA's tools.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The requirements of all tests.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The repository.
    pub(crate) root: PathBuf,
    /// The folder in which the tests build.
    pub(crate) build: PathBuf,
    /// The folder of the libraries.
    pub(crate) libraries: PathBuf,
    /// NVIDIA's files, by their names in `xtask tools`.
    files: BTreeMap<String, PathBuf>,
}

impl Setup {
    /// Builds the libraries and finds the tools. Neither is done if the tests are only listed.
    pub(crate) fn get(list: bool) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap();
        // The path of the program is target/PROFILE/NAME.
        let target = texunit().parent().unwrap().parent().unwrap().to_owned();
        let build = target.join("cuda");
        std::fs::create_dir_all(&build).unwrap();
        let libraries = build.join("lib");
        let mut setup = Self { root, build, libraries, files: BTreeMap::new() };
        if list {
            return setup;
        }
        let xtask = Xtask::build(&setup.root, target);
        // Downloads and compilation at the same time.
        std::thread::scope(|scope| {
            let files = scope.spawn(|| find_files(&xtask));
            match std::env::var_os("TEXUNIT_LIBS") {
                Some(folder) => setup.libraries = setup.root.join(folder),
                None => build_libraries(&xtask, &setup.libraries),
            }
            setup.files = files.join().unwrap();
        });
        setup
    }

    /// Whether all these files of NVIDIA exist.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.files.contains_key(*name))
    }

    /// The path of a file that [`Self::has`] has found.
    pub(crate) fn file(&self, name: &str) -> &Path {
        &self.files[name]
    }

    /// The folder of the programs.
    pub(crate) fn cases(&self) -> PathBuf {
        self.root.join("tests/cuda")
    }

    /// `texunit run` with these libraries in a clean environment.
    pub(crate) fn run(&self) -> Command {
        let mut command = self.texunit();
        command.arg("run");
        command
    }

    /// `texunit` with these libraries in a clean environment.
    pub(crate) fn texunit(&self) -> Command {
        let mut command = Command::new(texunit());
        clean(&mut command);
        command.env("TEXUNIT_LIBS", &self.libraries);
        command
    }
}

/// NVIDIA's files and Python packages, which are installed if missing.
fn find_files(xtask: &Xtask) -> BTreeMap<String, PathBuf> {
    let mut files = BTreeMap::new();
    for kit in ["nvcc", "cuda12", "python", "numba", "nvml", "reports"] {
        let found = xtask.task(&["tools", kit]).output().unwrap();
        if !found.status.success() {
            let why = String::from_utf8_lossy(&found.stderr);
            eprintln!("!!\n!! SKIPPED: the tests that need {kit}: {}\n!!", why.trim());
            continue;
        }
        for line in String::from_utf8(found.stdout).unwrap().lines() {
            let (name, path) = line.split_once('=').unwrap();
            files.insert(name.to_owned(), path.into());
        }
    }
    files
}

fn build_libraries(xtask: &Xtask, to: &Path) {
    let mut libs = xtask.task(&["libs", "--no-program", "--to", to.to_str().unwrap()]);
    if cfg!(debug_assertions) {
        libs.arg("--debug");
    }
    assert!(libs.status().unwrap().success(), "the libraries cannot be built");
}

/// The program xtask, built once, because `cargo run` would wait for builds that another xtask
/// does.
struct Xtask {
    program: PathBuf,
    root: PathBuf,
    target: PathBuf,
}

impl Xtask {
    fn build(root: &Path, target: PathBuf) -> Self {
        let mut command = Command::new(cargo());
        command.current_dir(root).env("CARGO_TARGET_DIR", &target);
        command.args(["build", "--quiet", "--locked", "-p", "xtask", "--message-format", "json"]);
        let output = command.stderr(Stdio::inherit()).output().unwrap();
        assert!(output.status.success(), "xtask cannot be built");
        let text = String::from_utf8(output.stdout).unwrap();
        let messages = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut programs = messages.filter_map(|m| m["executable"].as_str().map(PathBuf::from));
        Self { program: programs.next().unwrap(), root: root.to_owned(), target }
    }

    fn task(&self, task: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", &self.target);
        command.env("CARGO", cargo()).args(task);
        command
    }
}

fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn texunit() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_texunit"))
}

/// Removes variables of the shell and of Cargo.
pub(crate) fn clean(command: &mut Command) {
    let ours = [
        "DEVICE",
        "TRACE",
        "STRICT",
        "REPORT",
        "THREADS",
        "LIBS",
        "LIBRARIES",
        "FMAD",
        "SAVE_PTX",
        "HOST_BACKTRACE",
        "EVIDENCE",
        "COVERAGE",
        "COUNTERS",
        "DEBUG",
        "REPORT_FORMAT",
        "MAX_STEPS",
        "CONTINUE_AFTER_FAULT",
        "COLOR",
    ];
    for name in ours {
        command.env_remove(format!("TEXUNIT_{name}"));
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
    // Set by the CI that runs these tests.
    command.env_remove("GITHUB_WORKSPACE");
}
