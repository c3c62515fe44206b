//! Builds the drop-in libraries: `libcuda.so.1`, `libcudart.so.12`, `libcudart.so.13`,
//! `libnvidia-ml.so.1`, and
//! `libtexunit_redirect.so` (`texunit run` sends a runtime inside a program to them by it), beside the program; and the
//! library for C, `libtexunit.so.1`, which is there as `libtexunit.a` too; libraries with the names
//! of NVIDIA's (`libcufft.so.12`). Programs that stand for some of NVIDIA's are in the folder
//! `shims` below. The code of the driver and the library for C is in one more, the core.
//!
//! Cargo makes a static library of each crate, and the linker a shared one of that: only so can it
//! have a soname and versions of symbols (a version script given to a `cdylib` is ignored).

mod core;
mod linker;
mod named;
mod names;
mod shims;
mod weak;

use crate::dist::zig::{self, Zig};
use clap::builder::PossibleValuesParser;
use linker::{Linker, Shared, finish};
use names::List;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub(crate) use shims::{FOLDER as SHIMS, PROGRAMS as SHIM_PROGRAMS, SITE};

pub(crate) use named::files as named;

pub(crate) use core::{ARCHIVE_FOR_C, CORE, DRIVER, FOR_C, MODULE, NVML, PROGRAM};

/// The arguments.
#[derive(Default, clap::Args)]
pub(crate) struct Request {
    /// Build with the profile for development instead of that for releases
    #[arg(long)]
    pub(crate) debug: bool,
    /// Folder of the libraries instead of that of the program
    #[arg(long, value_name = "DIR")]
    pub(crate) to: Option<PathBuf>,
    /// Do not build the program
    #[arg(long)]
    pub(crate) no_program: bool,
    /// Whether the core has the program and the module for Python, too, as what is shipped has.
    #[arg(skip)]
    pub(crate) whole: bool,
    /// Build only the library with this soname
    #[arg(long, value_name = "SONAME", value_parser = PossibleValuesParser::new(names()))]
    pub(crate) only: Option<String>,
    /// The linker to use instead of this machine's C compiler, for a C library that is older than
    /// its own.
    #[arg(skip)]
    pub(crate) zig: Option<Zig>,
}

/// A library that is linked by itself.
struct Library {
    soname: &'static str,
    /// The name of programs' linker.
    link: Option<&'static str>,
    package: &'static str,
    feature: Option<&'static str>,
    /// Its functions, if they have variants.
    functions: Option<List>,
    /// Version of its symbols, if they have one.
    version: Option<&'static str>,
    /// Patterns of the symbols that are exported.
    exported: &'static str,
    /// A function that is called at the end of the process.
    end: Option<&'static str>,
}

/// The functions of a runtime.
const fn runtime(major: &'static str) -> Option<List> {
    Some(List { file: "crates/cuda/cudart/data/runtime-api.txt", major: Some(major) })
}

/// The runtimes, of which there are two, and what is loaded where the rest is not, beside the
/// dynamic linker. They are small.
const OTHERS: [Library; 3] = [
    Library {
        soname: "libcudart.so.12",
        link: None,
        package: "texunit-cudart",
        feature: Some("cuda-12"),
        functions: runtime("12"),
        version: Some("libcudart.so.12"),
        exported: "cuda*; __cuda*;",
        end: None,
    },
    Library {
        soname: "libcudart.so.13",
        link: Some("libcudart.so"),
        package: "texunit-cudart",
        feature: None,
        functions: runtime("13"),
        version: Some("libcudart.so.13"),
        exported: "cuda*; __cuda*;",
        end: None,
    },
    Library {
        soname: "libtexunit_redirect.so",
        link: None,
        package: "texunit-redirect",
        feature: None,
        functions: None,
        version: None,
        exported: "la_*;",
        end: Some("texunit_redirect_end"),
    },
];

/// The names of all that `--only` takes.
fn names() -> impl Iterator<Item = &'static str> {
    let others = OTHERS.iter().map(|library| library.soname);
    [DRIVER, NVML, FOR_C].into_iter().chain(others).chain(named::sonames())
}

impl Request {
    /// Cargo's profile, and the folder that it builds in.
    fn profile(&self) -> &'static str {
        match (&self.zig, self.debug) {
            (_, true) => "debug",
            (Some(_), false) => DIST,
            (None, false) => "release",
        }
    }

    /// Whether a library is to be made.
    fn wants(&self, soname: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == soname)
    }
}

/// Cargo's profile for what is shipped.
const DIST: &str = "dist";

/// Builds all of them, and says where they are.
pub(crate) fn run(request: &Request) -> ExitCode {
    say(build(request))
}

/// The files that were made, a line each, or why there are none.
pub(crate) fn say(made: Result<Vec<PathBuf>, String>) -> ExitCode {
    crate::exit_code(made.map(|files| {
        files.iter().for_each(|file| println!("{}", file.display()));
        true
    }))
}

/// Where Cargo builds.
pub(crate) fn target(workspace: &Path) -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => workspace.join(folder),
        None => workspace.join("target"),
    }
}

/// Builds the program (first) and the libraries; their paths.
pub(crate) fn build(request: &Request) -> Result<Vec<PathBuf>, String> {
    if !cfg!(target_os = "linux") {
        return Err("the drop-in libraries are for Linux".to_owned());
    }
    let workspace = &crate::workspace();
    let mut built = target(workspace);
    if request.zig.is_some() {
        built.push(zig::triple());
    }
    built.push(request.profile());
    let to = request.to.clone().unwrap_or_else(|| built.clone());
    std::fs::create_dir_all(&to).map_err(|e| format!("{}: {e}", to.display()))?;
    let linker = Linker { zig: request.zig.as_ref(), to: &to };
    let mut files = Vec::new();
    if !request.no_program && !request.whole {
        cargo(
            workspace,
            request,
            &["rustc", "-p", "texunit", "--features", "all", "--bin", "texunit"],
        )?;
        files.push(built.join("texunit"));
    }
    files.extend(core_and_thin(workspace, request, &linker, &built)?);
    let others = OTHERS.iter().filter(|library| request.wants(library.soname));
    for library in others {
        let archive = archive(workspace, request, library.package, library.feature, &built)?;
        files.push(link(library, &linker, &archive)?);
    }
    files.extend(named::make(workspace, request, &linker, &built)?);
    if request.only.is_none() {
        files.extend(shims::make(workspace, request, &linker, &built)?);
    }
    Ok(files)
}

/// The core, and what is made of it: the program, if it is to have that, first.
fn core_and_thin(
    workspace: &Path,
    request: &Request,
    linker: &Linker<'_>,
    built: &Path,
) -> Result<Vec<PathBuf>, String> {
    if ![DRIVER, NVML, FOR_C].into_iter().any(|soname| request.wants(soname)) {
        return Ok(Vec::new());
    }
    let features = request.whole.then_some("default");
    let archive = archive(workspace, request, "texunit-core", features, built)?;
    let entries = core::link(linker, &archive)?;
    let mut files = Vec::new();
    if request.whole {
        files.extend(core::program_and_module(linker)?);
    }
    files.push(linker.to.join(CORE));
    if request.wants(DRIVER) {
        files.push(core::driver(linker, &entries)?);
        symlink(DRIVER, &linker.to.join("libcuda.so"))?;
    }
    if request.wants(NVML) {
        files.push(core::nvml(linker, &entries)?);
    }
    if request.wants(FOR_C) {
        files.push(core::for_c(linker, &entries)?);
        symlink(FOR_C, &linker.to.join("libtexunit.so"))?;
        files.push(core::archive_for_c(linker, &archive, &entries)?);
    }
    Ok(files)
}

/// Has Cargo make a static library; its path.
fn archive(
    workspace: &Path,
    request: &Request,
    package: &str,
    features: Option<&str>,
    built: &Path,
) -> Result<PathBuf, String> {
    let mut arguments = vec!["rustc", "-p", package, "--lib", "--crate-type", "staticlib"];
    arguments.push("--no-default-features");
    arguments.extend(features.map(|features| ["--features", features]).into_iter().flatten());
    cargo(workspace, request, &arguments)?;
    Ok(built.join(format!("lib{}.a", package.replace('-', "_"))))
}

fn cargo(workspace: &Path, request: &Request, arguments: &[&str]) -> Result<(), String> {
    let mut command = match &request.zig {
        Some(zig) => zig.cargo(arguments),
        None => {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut command = Command::new(cargo);
            command.args(arguments);
            command
        }
    };
    command.current_dir(workspace).args(["--quiet", "--locked"]);
    match request.profile() {
        "debug" => {}
        profile => {
            command.args(["--profile", profile]);
        }
    }
    finish(&mut command)
}

/// Makes a shared library of a static one.
fn link(library: &Library, linker: &Linker<'_>, archive: &Path) -> Result<PathBuf, String> {
    let aliases = match &library.functions {
        Some(list) => list.variants(&crate::workspace())?,
        None => Vec::new(),
    };
    let shared = Shared {
        soname: library.soname,
        version: library.version,
        exported: library.exported,
        aliases: &aliases,
        needs: &[],
        // A runtime loads the driver itself.
        found: "$ORIGIN",
        end: library.end,
    };
    let file = linker.link(&shared, archive)?;
    if let Some(name) = library.link {
        symlink(library.soname, &linker.to.join(name))?;
    }
    Ok(file)
}

#[cfg(unix)]
fn symlink(target: &str, path: &Path) -> Result<(), String> {
    let _ = std::fs::remove_file(path);
    std::os::unix::fs::symlink(target, path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(not(unix))]
fn symlink(_: &str, path: &Path) -> Result<(), String> {
    Err(format!("{}: symbolic links are made on Unix only", path.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    /// Crates, each with the features that it has when these packages are built.
    fn crates(arguments: &[&str]) -> BTreeSet<String> {
        let mut tree = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        tree.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).args(["tree", "--locked"]);
        tree.args(["--prefix", "none", "--no-dedupe", "--format", "{p} {f}"]).args(arguments);
        let output = tree.output().expect("Cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// The commands that people start with (`cargo run` of the default members, `xtask -- libs`,
    /// `cargo test`, the wheel) select packages, and Cargo unites features over the selected
    /// packages alone. A crate with other features is another crate, and is compiled again together
    /// with everything that depends on it.
    #[test]
    fn entry_points_build_dependencies_with_equal_features() {
        let all = crates(&["--workspace", "--all-features", "--edges", "normal,build,dev"]);
        let entry_points: [&[&str]; 17] = [
            &[],
            &["-p", "texunit", "--all-features"],
            &["-p", "texunit-bench"],
            &["-p", "texunit-capi"],
            &["-p", "texunit-core"],
            &["-p", "texunit-core", "--no-default-features"],
            &["-p", "texunit-cuda"],
            &["-p", "texunit-cudart", "--all-features"],
            &["-p", "texunit-cublas"],
            &["-p", "texunit-cufft"],
            &["-p", "texunit-curand"],
            &["-p", "texunit-python"],
            &["-p", "texunit-python-module"],
            &["-p", "texunit-nvml"],
            &["-p", "texunit-redirect"],
            &["-p", "texunit-shims"],
            &["-p", "xtask"],
        ];
        // Packages with features of their own may differ between entry points where no code is
        // compiled above them:
        // `texunit-features` has no code, and no other crate depends on the rest.
        let leaves = [
            "texunit v",
            "texunit-core v",
            "texunit-cudart v",
            "texunit-features v",
            "texunit-gpu v",
            // Of these `mcp` alone is above; its test is a client of theirs, too.
            "rmcp v",
            "tokio v",
        ];
        for entry_point in entry_points {
            let own = crates(&[entry_point, &["--edges", "normal,build"]].concat());
            let others: Vec<_> = own
                .difference(&all)
                .filter(|line| !leaves.iter().any(|leaf| line.starts_with(leaf)))
                .collect();
            assert!(others.is_empty(), "{entry_point:?}, for crates/support/features: {others:#?}");
        }
    }
}
