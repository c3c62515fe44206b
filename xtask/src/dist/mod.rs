//! The packages for users: an archive and a wheel, each with the program and the drop-in libraries, for any Linux since
//! glibc 2.28. Both are tried as a user would, in an environment without Rust.
//!
//! A light package goes the same way with what the tests have been built of: the code is not optimised and runs on this system only,
//! zig and nvcc are not needed, and some of the tests are left out.

mod archive;
mod elf;
mod fresh;
mod guide;
mod notices;
mod pkgconfig;
mod wheel;
pub(crate) mod zig;

use crate::libs::{self, CORE, PROGRAM, SHIM_PROGRAMS, SHIMS, SITE};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use zig::Zig;

/// The arguments.
pub(crate) struct Request {
    light: bool,
}

/// The program and the libraries, as both are made of them.
struct Built {
    /// The folder with them, under the names that the dynamic linker and linkers look for.
    files: PathBuf,
    /// The licences of what is in them, as a file.
    notices: PathBuf,
    light: bool,
}

/// Libraries that programs load.
const LIBRARIES: [&str; 4] = ["libcuda.so.1", libs::NVML, "libcudart.so.12", "libcudart.so.13"];
/// All files of libraries.
fn libraries() -> impl Iterator<Item = &'static str> {
    LIBRARIES.into_iter().chain(libs::named()).chain([CORE, REDIRECT])
}

/// Libraries that the dynamic linker loads for `texunit run`.
const REDIRECT: &str = "libtexunit_redirect.so";
/// Headers that they include, below crates/faces/capi/include.
const HEADERS: [&str; 2] = ["texunit.h", "texunit.hpp"];

/// The bytes that a package may have.
const LARGEST: u64 = 18_000_000;

/// The file with other people's licences.
const NOTICES: &str = "LICENSE-THIRD-PARTY";

impl Request {
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        match arguments {
            [] => Ok(Self { light: false }),
            [only] if only == "--light" => Ok(Self { light: true }),
            [other, ..] => Err(format!("there is no option {other} of dist")),
        }
    }
}

/// Makes and tries both, and says where they are.
pub(crate) fn run(request: &Request) -> ExitCode {
    libs::say(make(request))
}

fn make(request: &Request) -> Result<Vec<PathBuf>, String> {
    let dist = libs::target(&crate::workspace()).join("dist");
    let tools = Zig::get(&dist.join("tools"), request.light);
    let zig = if request.light { None } else { Some(tools.clone()?) };
    let dist = if request.light { dist.join("light") } else { dist };
    let nvcc = match request.light {
        true => None,
        false => Some(crate::cuda_tools::file("nvcc", "nvcc")?),
    };
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
    fresh::check(&wheel, &archive, nvcc.as_deref(), &dist.join("fresh"))?;
    at(&dist, std::fs::remove_dir_all(dist.join("stage")))?;
    Ok(vec![archive, wheel])
}

/// Builds the program and the libraries, without symbols that only debuggers read, for the old C library or for this system's.
fn build(zig: Option<Zig>, stage: &Path) -> Result<Built, String> {
    anew(stage)?;
    let files = stage.join("files");
    let light = zig.is_none();
    let wanted = libs::Request {
        debug: light,
        to: Some(files.clone()),
        program: true,
        whole: true,
        only: None,
        zig,
    };
    libs::build(&wanted)?;
    if !light {
        // What is before the core needs nothing of the C library.
        let [_driver, _nvml, runtimes @ ..] = LIBRARIES;
        let runtimes = runtimes.into_iter().chain(libs::named());
        for name in runtimes.chain([CORE, REDIRECT, PROGRAM]) {
            elf::judge(&files.join(name), zig::GLIBC)?;
        }
    }
    let notices = stage.join(NOTICES);
    at(&notices, std::fs::write(&notices, notices::text(&crate::workspace())?))?;
    Ok(Built { files, notices, light })
}

/// Copies the programs that stand for some of NVIDIA's into a folder below that of the libraries.
fn shims(built: &Built, libraries: &Path) -> Result<(), String> {
    let to = libraries.join(SHIMS);
    at(&to, std::fs::create_dir(&to))?;
    for name in SHIM_PROGRAMS.into_iter().chain([SITE]) {
        let from = built.files.join(SHIMS).join(name);
        at(&from, std::fs::copy(&from, to.join(name)))?;
    }
    Ok(())
}

/// An error if a package is too large to be sent around.
fn judge_size(package: &Path) -> Result<(), String> {
    let size = at(package, package.metadata())?.len();
    if size > LARGEST {
        return Err(format!("{} has {size} bytes, more than {LARGEST}", package.display()));
    }
    Ok(())
}

/// An empty folder.
fn anew(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        at(folder, std::fs::remove_dir_all(folder))?;
    }
    at(folder, std::fs::create_dir_all(folder))
}

/// A command that knows nothing of other libraries.
fn clean(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_remove("TEXUNIT_LIBS").env_remove("LD_LIBRARY_PATH");
    command
}

fn at<T>(path: &Path, result: std::io::Result<T>) -> Result<T, String> {
    result.map_err(|e| format!("{}: {e}", path.display()))
}

/// The output of a command; an error if it fails or complains.
fn call(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|e| format!("{shown}: {e}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || !complaint.is_empty() {
        return Err(format!("{shown}: {}: {complaint}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
