//! The archive for users: the program, the drop-in libraries, and what one should read.

use crate::libs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// What is asked for.
pub(crate) struct Request {
    debug: bool,
}

/// Files of the repository that go into the archive as they are.
const TEXTS: [&str; 5] =
    ["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "docs/cuda-api.md"];

/// Libraries that programs load.
const LIBRARIES: [&str; 3] = ["libcuda.so.1", "libcudart.so.12", "libcudart.so.13"];
/// What the dynamic linker loads for `texunit run`.
const REDIRECT: &str = "libtexunit_redirect.so";
/// The names that linkers look for.
const LINKS: [(&str, &str); 2] =
    [("libcuda.so", "libcuda.so.1"), ("libcudart.so", "libcudart.so.13")];

impl Request {
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        match arguments {
            [] => Ok(Self { debug: false }),
            [only] if only == "--debug" => Ok(Self { debug: true }),
            [other, ..] => Err(format!("there is no option {other} of dist")),
        }
    }
}

/// Makes the archive, tries it, and says where it is.
pub(crate) fn run(request: &Request) -> ExitCode {
    match make(request) {
        Ok(archive) => {
            println!("{}", archive.display());
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn make(request: &Request) -> Result<PathBuf, String> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let dist = libs::target(workspace).join("dist");
    let name = format!("texunit-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    let folder = dist.join(&name);
    if folder.exists() {
        at(&folder, std::fs::remove_dir_all(&folder))?;
    }
    for below in ["bin", "lib", "docs"] {
        at(&folder, std::fs::create_dir_all(folder.join(below)))?;
    }
    let wanted =
        libs::Request { debug: request.debug, to: Some(folder.join("lib")), program: true };
    let built = libs::build(&wanted)?;
    let program = built.first().ok_or("no program was built")?;
    at(program, std::fs::copy(program, folder.join("bin/texunit")))?;
    call(Command::new("strip").arg("--strip-debug").arg(folder.join("bin/texunit")))?;
    for text in TEXTS {
        let from = workspace.join(text);
        at(&from, std::fs::copy(&from, folder.join(text)))?;
    }
    let archive = dist.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--create", "--gzip", "--owner=0", "--group=0", "--sort=name", "--file"]);
    call(tar.arg(&archive).arg("--directory").arg(&dist).arg(&name))?;
    at(&folder, std::fs::remove_dir_all(&folder))?;
    try_out(&archive, &name)?;
    Ok(archive)
}

/// Unpacks an archive somewhere else, and uses what is in it.
fn try_out(archive: &Path, name: &str) -> Result<(), String> {
    let place = archive.with_file_name("unpacked");
    if place.exists() {
        at(&place, std::fs::remove_dir_all(&place))?;
    }
    at(&place, std::fs::create_dir_all(&place))?;
    call(Command::new("tar").args(["--extract", "--file"]).arg(archive).arg("-C").arg(&place))?;
    let folder = place.join(name);
    let texunit = folder.join("bin/texunit");
    let lib = at(&folder, folder.join("lib").canonicalize())?;
    for text in TEXTS {
        at(&folder.join(text), folder.join(text).metadata())?;
    }
    for (link, to) in LINKS {
        let path = lib.join(link);
        if at(&path, std::fs::read_link(&path))? != Path::new(to) {
            return Err(format!("{} does not lead to {to}", path.display()));
        }
    }
    // The program finds the libraries.
    let shown = call(clean(&texunit).args(["run", "sh", "-c", "echo $LD_LIBRARY_PATH"]))?;
    let found = at(Path::new(shown.trim()), Path::new(shown.trim()).canonicalize())?;
    if found != lib {
        return Err(format!("the program takes {} for its libraries", found.display()));
    }
    // They can be loaded, and find each other.
    for library in LIBRARIES {
        let said = call(
            clean(Path::new("sh")).arg("-c").arg("true 2>&1").env("LD_PRELOAD", lib.join(library)),
        )?;
        if !said.is_empty() {
            return Err(format!("{library} cannot be loaded: {said}"));
        }
    }
    at(&lib, lib.join(REDIRECT).metadata())?;
    let copies = place.join("copies");
    call(clean(&texunit).arg("install-libs").arg(&copies))?;
    for library in LIBRARIES {
        let (a, b) = (lib.join(library), copies.join(library));
        if at(&a, std::fs::read(&a))? != at(&b, std::fs::read(&b))? {
            return Err(format!("{} is no copy", b.display()));
        }
    }
    at(&place, std::fs::remove_dir_all(&place))
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

/// What a command prints; an error if it fails or complains.
fn call(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|e| format!("{shown}: {e}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || !complaint.is_empty() {
        return Err(format!("{shown}: {}: {complaint}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
