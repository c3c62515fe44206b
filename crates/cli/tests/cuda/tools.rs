//! What the tests need: the libraries, built once, and NVIDIA's tools.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Everything there is.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    /// The repository.
    pub(crate) root: PathBuf,
    /// Where these tests build.
    pub(crate) build: PathBuf,
    /// The folder with the libraries.
    pub(crate) libraries: PathBuf,
    /// Files of NVIDIA's, by the names of `xtask tools`.
    files: BTreeMap<String, PathBuf>,
}

impl Setup {
    /// Builds the libraries and finds the tools. For a list of the tests neither is wanted.
    pub(crate) fn get(list: bool) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        // The program is in the folder of a profile in Cargo's target folder.
        let target = texunit().parent().unwrap().parent().unwrap().to_owned();
        let build = target.join("cuda");
        std::fs::create_dir_all(&build).unwrap();
        let libraries = build.join("lib");
        let mut setup = Self { root, build, libraries, files: BTreeMap::new() };
        if list {
            return setup;
        }
        match std::env::var_os("TEXUNIT_LIBS") {
            Some(folder) => setup.libraries = setup.root.join(folder),
            None => setup.build_libraries(&target),
        }
        for kit in ["nvcc", "cuda12", "python", "numba", "reports"] {
            let found = setup.xtask(&target, &["tools", kit]).output().unwrap();
            if !found.status.success() {
                let why = String::from_utf8_lossy(&found.stderr);
                eprintln!("!!\n!! SKIPPED: the tests that need {kit}: {}\n!!", why.trim());
                continue;
            }
            for line in String::from_utf8(found.stdout).unwrap().lines() {
                let (name, path) = line.split_once('=').unwrap();
                setup.files.insert(name.to_owned(), path.into());
            }
        }
        setup
    }

    fn build_libraries(&self, target: &Path) {
        let to = self.libraries.to_str().unwrap();
        let mut libs = self.xtask(target, &["libs", "--no-program", "--to", to]);
        if cfg!(debug_assertions) {
            libs.arg("--debug");
        }
        assert!(libs.status().unwrap().success(), "the libraries cannot be built");
    }

    fn xtask(&self, target: &Path, task: &[&str]) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.current_dir(&self.root).env("CARGO_TARGET_DIR", target);
        command.args(["run", "--quiet", "--locked", "-p", "xtask", "--"]).args(task);
        command
    }

    /// Whether these files of NVIDIA's are all there.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.files.contains_key(*name))
    }

    /// A file of NVIDIA's that is there.
    pub(crate) fn file(&self, name: &str) -> &Path {
        &self.files[name]
    }

    /// The folder of the programs.
    pub(crate) fn cases(&self) -> PathBuf {
        self.root.join("tests/cuda")
    }

    /// `texunit run` with these libraries and nothing else.
    pub(crate) fn run(&self) -> Command {
        let mut command = self.texunit();
        command.arg("run");
        command
    }

    /// `texunit` with these libraries and nothing else.
    pub(crate) fn texunit(&self) -> Command {
        let mut command = Command::new(texunit());
        clean(&mut command);
        command.env("TEXUNIT_LIBS", &self.libraries);
        command
    }
}

fn texunit() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_texunit"))
}

/// Takes away what the caller's shell, or Cargo, would add.
pub(crate) fn clean(command: &mut Command) {
    let ours = [
        "DEVICE",
        "TRACE",
        "STRICT",
        "REPORT",
        "THREADS",
        "LIBS",
        "FMAD",
        "SAVE_PTX",
        "HOST_BACKTRACE",
        "EVIDENCE",
        "COVERAGE",
        "COUNTERS",
        "REPORT_FORMAT",
        "MAX_STEPS",
        "CONTINUE_AFTER_FAULT",
        "COLOR",
    ];
    for name in ours {
        command.env_remove(format!("TEXUNIT_{name}"));
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
    // Of the CI that runs these tests.
    command.env_remove("GITHUB_WORKSPACE");
}
