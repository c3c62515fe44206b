//! Installs tools for the tests of the drop-in libraries: nvcc with its headers, the headers of
//! CUDA 12, and Python packages. They are in a folder that the user names, or are installed with
//! pip, as in [`crate::tools`].

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::LazyLock;

use crate::files;
use serde::Deserialize;

/// A set of files and packages that are installed together.
#[derive(Deserialize)]
struct Kit {
    name: String,
    /// The kit's folder below the folder of all tools.
    folder: String,
    packages: Vec<String>,
    /// Whether pip also installs the packages' dependencies.
    requirements: bool,
    /// Names and paths of files that exist if the kit is complete; the names appear in the output.
    files: Vec<(String, String)>,
}

/// The kits of kits.toml.
static KITS: LazyLock<Vec<Kit>> = LazyLock::new(|| files::rows(include_str!("kits.toml")));

/// The names of all kits.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    KITS.iter().map(|kit| &*kit.name)
}

/// `tools KIT...`: prints a line `name=path` for every file of the kits. Exit code: 0 if all exist,
/// 1 if not.
pub(crate) fn run(names: &[String]) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for kit in names.iter().filter_map(|name| KITS.iter().find(|kit| kit.name == *name)) {
        match kit.find() {
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

/// The path of a kit's file; the kit is installed if the file is missing.
pub(crate) fn file(kit: &str, name: &str) -> Result<PathBuf, String> {
    let kit =
        KITS.iter().find(|k| k.name == kit).ok_or_else(|| format!("there is no kit {kit}"))?;
    let files = kit.find().map_err(|why| format!("{} is not here: {why}", kit.name))?;
    let found = files.into_iter().find(|(n, _)| *n == name);
    found.map(|(_, path)| path).ok_or_else(|| format!("kit {} has no {name}", kit.name))
}

impl Kit {
    /// Finds the kit's files in the folder that the user names, or below target. A missing kit is
    /// installed below target.
    fn find(&self) -> Result<Vec<(&str, PathBuf)>, String> {
        match std::env::var_os("TEXUNIT_NVIDIA") {
            Some(folder) => self.present(Path::new(&folder)),
            None => self.get(&crate::workspace().join("target/nvidia")),
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

    /// Returns the kit's files in `folder`, and installs the kit if they are missing.
    fn get(&self, folder: &Path) -> Result<Vec<(&str, PathBuf)>, String> {
        self.present(folder).or_else(|_| {
            self.install(&folder.join(&self.folder))?;
            self.present(folder)
        })
    }

    fn install(&self, to: &Path) -> Result<(), String> {
        files::folder(to)?;
        let mut command = Command::new("python3");
        // Modules are not compiled, because most are never imported.
        command.args(["-m", "pip", "install", "--quiet", "--upgrade", "--no-compile", "--target"]);
        command.arg(to);
        if !self.requirements {
            command.arg("--no-deps");
        }
        crate::tools::run(command.args(&self.packages))
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
