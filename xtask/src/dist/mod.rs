//! The packages for users: an archive and a wheel, each with the program and the drop-in libraries, for any Linux since
//! glibc 2.28. Both are tried as a user would, in an environment without Rust.

mod archive;
mod elf;
mod fresh;
mod notices;
mod pkgconfig;
mod wheel;
pub(crate) mod zig;

use crate::libs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use zig::Zig;

/// The arguments.
pub(crate) struct Request {
    debug: bool,
}

/// The program and the libraries, as both are made of them.
struct Built {
    program: PathBuf,
    /// The folder with the libraries, under the names that the dynamic linker and linkers look for.
    libraries: PathBuf,
    /// The licences of what is in them, as a file.
    notices: PathBuf,
}

/// Libraries that programs load.
const LIBRARIES: [&str; 3] = ["libcuda.so.1", "libcudart.so.12", "libcudart.so.13"];
/// Libraries that the dynamic linker loads for `texunit run`.
const REDIRECT: &str = "libtexunit_redirect.so";
/// The library that programs in C and C++ are linked with.
const FOR_C: &str = "libtexunit.so.1";
/// Its static form.
const ARCHIVE_FOR_C: &str = "libtexunit.a";
/// Headers that they include, below crates/faces/capi/include.
const HEADERS: [&str; 2] = ["texunit.h", "texunit.hpp"];

/// The file with other people's licences.
const NOTICES: &str = "LICENSE-THIRD-PARTY";

impl Request {
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        match arguments {
            [] => Ok(Self { debug: false }),
            [only] if only == "--debug" => Ok(Self { debug: true }),
            [other, ..] => Err(format!("there is no option {other} of dist")),
        }
    }
}

/// Makes and tries both, and says where they are.
pub(crate) fn run(request: &Request) -> ExitCode {
    libs::say(make(request).map(Vec::from))
}

fn make(request: &Request) -> Result<[PathBuf; 2], String> {
    let dist = libs::target(&crate::workspace()).join("dist");
    let zig = Zig::get(&dist.join("tools"))?;
    let nvcc = crate::cuda_tools::file("nvcc", "nvcc")?;
    let built = build(request, &zig, &dist.join("stage"))?;
    let archive = archive::make(&built, &dist)?;
    archive::try_out(&archive)?;
    let wheel = wheel::make(&built, &zig, &dist, request.debug)?;
    wheel::judge(&wheel, &zig)?;
    fresh::check(&wheel, &archive, &nvcc, &dist.join("fresh"))?;
    at(&dist, std::fs::remove_dir_all(dist.join("stage")))?;
    Ok([archive, wheel])
}

/// Builds the program and the libraries for the old C library, without symbols that only debuggers read.
fn build(request: &Request, zig: &Zig, stage: &Path) -> Result<Built, String> {
    anew(stage)?;
    let libraries = stage.join("lib");
    let wanted = libs::Request {
        debug: request.debug,
        to: Some(libraries.clone()),
        program: true,
        only: None,
        zig: Some(zig.clone()),
    };
    let files = libs::build(&wanted)?;
    let program = stage.join("texunit");
    let unstripped = files.first().ok_or("no program was built")?;
    at(unstripped, std::fs::copy(unstripped, &program))?;
    call(Command::new("strip").arg(&program))?;
    let all = [vec![program.clone()], LIBRARIES.map(|l| libraries.join(l)).to_vec()].concat();
    // Objects of Rust's standard library have places for debuggers, which are most of it.
    call(Command::new("strip").arg("--strip-debug").arg(libraries.join(ARCHIVE_FOR_C)))?;
    for file in all.iter().chain([REDIRECT, FOR_C].map(|name| libraries.join(name)).iter()) {
        elf::judge(file, zig::GLIBC)?;
    }
    let notices = stage.join(NOTICES);
    at(&notices, std::fs::write(&notices, notices::text(&crate::workspace())?))?;
    Ok(Built { program, libraries, notices })
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
