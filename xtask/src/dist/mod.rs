//! Builds the packages for users: an archive and a wheel, each with the program and the drop-in
//! libraries, for Linux with glibc 2.28 or later. Both are tested in an environment without Rust.
//!
//! A light package is built in the same way from unoptimised code that runs on this system only. It
//! needs neither zig nor nvcc, and some tests are omitted.

mod archive;
mod elf;
mod guide;
pub(crate) mod notices;
mod pkgconfig;
mod wheel;
pub(crate) mod zig;

use crate::files::{self, anew, at};
use crate::libs::{self, CORE, PROGRAM, SHIM_PROGRAMS, SHIMS, SITE};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use zig::Zig;

/// The arguments of `dist`.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// Make both below target/dist/light, with the tests' profile and this machine's linker, and
    /// run some of the tests: for CI
    #[arg(long)]
    pub(crate) light: bool,
}

/// The built program and libraries, from which both packages are assembled.
struct Built {
    /// The folder of the program and libraries, with the names that the dynamic linker and linkers
    /// look for.
    files: PathBuf,
    /// The file with the licences of linked crates.
    notices: PathBuf,
    light: bool,
}

/// The file names of libraries that CUDA programs load by their NVIDIA names.
const LIBRARIES: [&str; 4] = ["libcuda.so.1", libs::NVML, "libcudart.so.12", "libcudart.so.13"];
/// The file names of all libraries of a package.
fn libraries() -> impl Iterator<Item = &'static str> {
    LIBRARIES.into_iter().chain(libs::named()).chain([CORE, REDIRECT])
}

/// The library that the dynamic linker preloads for `texunit run`.
const REDIRECT: &str = "libtexunit_redirect.so";
/// Headers for programs, below crates/faces/capi/include.
const HEADERS: [&str; 2] = ["texunit.h", "texunit.hpp"];

/// The maximum size of a package, in bytes.
const LARGEST: u64 = 18_000_000;

/// The name of the file with licences of linked crates.
const NOTICES: &str = "LICENSE-THIRD-PARTY";

/// Builds and tests both packages, and prints their paths.
pub(crate) fn run(request: &Request) -> ExitCode {
    libs::say(make(request))
}

/// The folder of the archive and the wheel.
pub(crate) fn folder(light: bool) -> PathBuf {
    let dist = libs::target().join("dist");
    if light { dist.join("light") } else { dist }
}

/// Builds and tests both packages in target/dist or target/dist/light.
pub(crate) fn make(request: &Request) -> Result<Vec<PathBuf>, String> {
    let tools = Zig::get(&folder(false).join("tools"), request.light);
    let zig = if request.light { None } else { Some(tools.clone()?) };
    let dist = folder(request.light);
    let nvcc = if request.light { None } else { Some(crate::cuda_tools::nvcc()?) };
    let built = build(zig, &dist.join("stage"))?;
    let archive = archive::make(&built, &dist)?;
    archive::try_out(&archive)?;
    let tools = match tools {
        Ok(tools) => tools,
        Err(why) => {
            eprintln!("SKIPPED: the wheel, as {why}");
            return Ok(vec![archive]);
        }
    };
    let wheel = wheel::make(&built, &tools, &dist)?;
    if !request.light {
        judge_size(&archive)?;
        judge_size(&wheel)?;
        wheel::judge(&wheel, &tools)?;
    }
    wheel::check(&wheel, &archive, nvcc.as_deref(), &dist.join("fresh"))?;
    files::remove(&dist.join("stage"))?;
    Ok(vec![archive, wheel])
}

/// Builds the program and the libraries without debugging symbols. With zig they are linked for the
/// old C library, and otherwise for this system's.
fn build(zig: Option<Zig>, stage: &Path) -> Result<Built, String> {
    anew(stage)?;
    let files = stage.join("files");
    let light = zig.is_none();
    libs::build(&libs::Request {
        debug: light,
        to: Some(files.clone()),
        whole: true,
        zig,
        ..libs::Request::default()
    })?;
    if !light {
        // The thin libraries in front of the core must not need the C library, so that they load on
        // every system.
        let [_driver, _nvml, runtimes @ ..] = LIBRARIES;
        for name in runtimes.into_iter().chain(libs::named()).chain([CORE, REDIRECT, PROGRAM]) {
            elf::judge(&files.join(name), zig::GLIBC)?;
        }
    }
    let notices = stage.join(NOTICES);
    files::write(&notices, notices::text()?)?;
    Ok(Built { files, notices, light })
}

/// Copies the replacements for NVIDIA's programs into a folder below that of the libraries.
fn shims(built: &Built, libraries: &Path) -> Result<(), String> {
    let to = libraries.join(SHIMS);
    files::folder(&to)?;
    for name in SHIM_PROGRAMS.into_iter().chain([SITE]) {
        files::copy_into(name, &built.files.join(SHIMS), &to)?;
    }
    Ok(())
}

/// Returns an error if a package exceeds the maximum size.
fn judge_size(package: &Path) -> Result<(), String> {
    let size = at(package, package.metadata())?.len();
    if size > LARGEST {
        return Err(format!("{} has {size} bytes, more than {LARGEST}", package.display()));
    }
    Ok(())
}

/// A command whose environment lacks the variables that select libraries.
fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_remove("TEXUNIT_LIBS").env_remove("LD_LIBRARY_PATH");
    command
}
