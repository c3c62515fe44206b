//! Builds the program and, in its folder, the drop-in libraries:
//!
//! * `libcuda.so.1`, `libcudart.so.12`, `libcudart.so.13` and `libnvidia-ml.so.1`;
//! * `libtexunit_redirect.so`, with which `texunit run` redirects a runtime that is linked into a
//!   program;
//! * the C library, as `libtexunit.so.1` and `libtexunit.a`;
//! * libraries with names of NVIDIA's libraries (`libcufft.so.12`);
//! * in the subfolder `shims`, replacements for NVIDIA's programs;
//! * the core, with the code of the driver and the C library.
//!
//! Cargo builds each crate as a static library, which is then linked into a shared one: rustc
//! sets no soname, and ignores a version script for a `cdylib`.

mod core;
mod linker;
mod named;
mod names;
mod shims;

use crate::dist::zig::{self, Zig};
use crate::files;
use clap::builder::PossibleValuesParser;
use linker::{Linker, Shared};
use names::List;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::LazyLock;

pub(crate) use named::files as named;
pub(crate) use shims::{FOLDER as SHIMS, PROGRAMS as SHIM_PROGRAMS, SITE};

pub(crate) use core::{ARCHIVE_FOR_C, CORE, DRIVER, FOR_C, MODULE, NVML, PROGRAM};

/// The arguments of `libs`.
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
    /// Whether the core also contains the program and the Python module, as in packages.
    #[arg(skip)]
    pub(crate) whole: bool,
    /// Build only the library with this soname
    #[arg(long, value_name = "SONAME", value_parser = PossibleValuesParser::new(names()))]
    pub(crate) only: Option<String>,
    /// The linker for an older C library; `None`: this machine's C compiler.
    #[arg(skip)]
    pub(crate) zig: Option<Zig>,
}

/// A shared library that is linked without the core.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Library {
    soname: String,
    /// The name of the link that linkers look for.
    link: Option<String>,
    package: String,
    feature: Option<String>,
    /// The list of the library's functions, if some have aliases.
    functions: Option<List>,
    /// The version that exported symbols get, if any.
    version: Option<String>,
    /// Patterns for the names of exported symbols.
    exported: String,
    /// The function that the dynamic linker calls at the end of the process.
    end: Option<String>,
}

/// The libraries of libraries.toml. They are linked without the core, because they are small, and
/// are used in processes that do not load it.
static OTHERS: LazyLock<Vec<Library>> =
    LazyLock::new(|| files::rows(include_str!("libraries.toml")));

/// The sonames that `--only` accepts.
fn names() -> impl Iterator<Item = &'static str> {
    let others = OTHERS.iter().map(|library| &*library.soname);
    [DRIVER, NVML, FOR_C].into_iter().chain(others).chain(named::sonames())
}

impl Request {
    /// The profile that Cargo builds with.
    fn profile(&self) -> &'static str {
        match (&self.zig, self.debug) {
            (_, true) => "debug",
            (Some(_), false) => DIST,
            (None, false) => "release",
        }
    }

    /// Whether the library with this soname is requested.
    fn wants(&self, soname: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == soname)
    }
}

/// The profile that Cargo builds packages with.
const DIST: &str = "dist";

/// Builds the requested libraries, and prints their paths.
pub(crate) fn run(request: &Request) -> ExitCode {
    say(build(request))
}

/// Prints the paths, one per line, or the error.
pub(crate) fn say(made: Result<Vec<PathBuf>, String>) -> ExitCode {
    crate::exit_code(made.map(|files| {
        files.iter().for_each(|file| println!("{}", file.display()));
        true
    }))
}

/// The target folder of Cargo.
pub(crate) fn target() -> PathBuf {
    crate::workspace().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or("target".into()))
}

/// Builds the program and the libraries; returns their paths, the program's first.
pub(crate) fn build(request: &Request) -> Result<Vec<PathBuf>, String> {
    if !cfg!(target_os = "linux") {
        return Err("the drop-in libraries are for Linux".to_owned());
    }
    let mut built = target();
    if request.zig.is_some() {
        built.push(zig::triple());
    }
    built.push(request.profile());
    let to = request.to.clone().unwrap_or_else(|| built.clone());
    files::folder(&to)?;
    let build = Build { request, linker: Linker { zig: request.zig.as_ref(), to: &to }, built };
    let mut files = Vec::new();
    if !request.no_program && !request.whole {
        build.cargo(&["rustc", "-p", "texunit", "--features", "all", "--bin", "texunit"])?;
        files.push(build.built.join("texunit"));
    }
    files.extend(build.core_and_thin()?);
    for library in OTHERS.iter().filter(|library| request.wants(&library.soname)) {
        let archive = build.archive(&library.package, library.feature.as_deref())?;
        files.push(link(library, &build.linker, &archive)?);
    }
    files.extend(named::make(&build)?);
    if request.only.is_none() {
        files.extend(shims::make(&build)?);
    }
    Ok(files)
}

/// A build of libraries.
struct Build<'a> {
    request: &'a Request,
    linker: Linker<'a>,
    /// The folder that Cargo builds into.
    built: PathBuf,
}

impl Build<'_> {
    /// Builds the core and the thin files in front of it; if the program is one of them, its path
    /// is first.
    fn core_and_thin(&self) -> Result<Vec<PathBuf>, String> {
        let Self { request, linker, .. } = self;
        if ![DRIVER, NVML, FOR_C].into_iter().any(|soname| request.wants(soname)) {
            return Ok(Vec::new());
        }
        let archive = self.archive("texunit-core", request.whole.then_some("default"))?;
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

    /// Builds a static library with Cargo, and returns its path.
    fn archive(&self, package: &str, features: Option<&str>) -> Result<PathBuf, String> {
        let mut arguments = vec!["rustc", "-p", package, "--lib", "--crate-type", "staticlib"];
        arguments.push("--no-default-features");
        arguments.extend(features.map(|features| ["--features", features]).into_iter().flatten());
        self.cargo(&arguments)?;
        Ok(self.built.join(format!("lib{}.a", package.replace('-', "_"))))
    }

    fn cargo(&self, arguments: &[&str]) -> Result<(), String> {
        let mut command = match &self.request.zig {
            Some(zig) => zig.cargo(arguments),
            None => {
                let mut command = files::cargo();
                command.args(arguments);
                command
            }
        };
        command.current_dir(crate::workspace()).args(["--quiet", "--locked"]);
        if self.request.profile() != "debug" {
            command.args(["--profile", self.request.profile()]);
        }
        files::finish(&mut command)
    }
}

/// Links a static library into a shared one.
fn link(library: &Library, linker: &Linker<'_>, archive: &Path) -> Result<PathBuf, String> {
    let aliases = library.functions.as_ref().map(List::variants).transpose()?.unwrap_or_default();
    let shared = Shared {
        soname: &library.soname,
        version: library.version.as_deref(),
        exported: &library.exported,
        aliases: &aliases,
        // The runtime loads the driver itself, from its own folder.
        found: "$ORIGIN",
        end: library.end.as_deref(),
        ..Shared::default()
    };
    let file = linker.link(&shared, archive)?;
    if let Some(name) = &library.link {
        symlink(&library.soname, &linker.to.join(name))?;
    }
    Ok(file)
}

fn symlink(target: &str, path: &Path) -> Result<(), String> {
    files::remove(path)?;
    files::at(path, std::os::unix::fs::symlink(target, path))
}

#[cfg(test)]
mod tests {
    use crate::files;
    use std::collections::BTreeSet;

    /// The crates that Cargo builds for these packages, each with its features.
    fn crates(arguments: &[&str]) -> BTreeSet<String> {
        let mut tree = files::cargo();
        tree.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).args(["tree", "--locked"]);
        tree.args(["--prefix", "none", "--no-dedupe", "--format", "{p} {f}"]).args(arguments);
        let output = tree.output().expect("Cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
    }

    /// Common commands (`cargo run` of the default members, `xtask -- libs`, `cargo test`, the
    /// wheel) select different packages, and Cargo unites features over the selected packages only.
    /// A crate with other features is compiled again, together with all its dependents; so the
    /// features must be equal.
    #[test]
    fn entry_points_build_dependencies_with_equal_features() {
        let all = crates(&["--workspace", "--all-features", "--edges", "normal,build,dev"]);
        let packages = "-p xtask,-p texunit --all-features,-p texunit-cudart --all-features,\
            -p texunit-core --no-default-features";
        let plain =
            "bench capi core cuda cublas cufft curand python python-module nvml redirect shims";
        let plain = plain.split(' ').map(|name| format!("-p texunit-{name}"));
        let entry_points = packages.split(',').map(str::to_owned).chain(plain);
        // The features of these packages may differ, because little is compiled again for them:
        // `texunit-features` has no code, `texunit-job` and `texunit-sample` are the only crates
        // that depend on `texunit-files`, and no crate depends on the others.
        let leaves = [
            "texunit v",
            "texunit-core v",
            "texunit-cudart v",
            "texunit-features v",
            "texunit-files v",
            "texunit-gpu v",
            // Only the crate `mcp` and its test depend on the crates that follow.
            "rmcp v",
            "tokio v",
        ];
        for entry_point in entry_points.chain([String::new()]) {
            let words: Vec<&str> = entry_point.split_whitespace().collect();
            let own = crates(&[&words[..], &["--edges", "normal,build"]].concat());
            let others: Vec<_> = own
                .difference(&all)
                .filter(|line| !leaves.iter().any(|leaf| line.starts_with(leaf)))
                .collect();
            assert!(others.is_empty(), "{entry_point:?}, for crates/support/features: {others:#?}");
        }
    }
}
