//! Finds the releases of ptxas, in a folder that the user names or among the kits
//! ([`cuda_tools`]). They serve only to check texunit's verdicts.

use std::path::{Path, PathBuf};
use std::process::Command;

use texunit_check::Ptxas;

use crate::cuda_tools;
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
    /// The selected releases of ptxas; missing ones are named in warnings.
    pub(crate) fn found(&self) -> Vec<Tool> {
        let selected = |release: &Ptxas| self.release.is_none_or(|only| only == *release);
        let tool = |release: Ptxas| match self.ptxas(release) {
            Ok(path) => Some(Tool { release, path }),
            Err(why) => {
                eprintln!("WARNING: ptxas {release} is not here: {why}");
                None
            }
        };
        Ptxas::ALL.into_iter().filter(selected).filter_map(tool).collect()
    }

    /// The path of ptxas, which must be that release.
    fn ptxas(&self, release: Ptxas) -> Result<PathBuf, String> {
        let kit = format!("ptxas-{release}");
        let path = cuda_tools::file(self.folder.as_deref(), &kit, "ptxas")?;
        let output = at(&path, Command::new(&path).arg("--version").output())?;
        let text = String::from_utf8_lossy(&output.stdout);
        match text.contains(&format!("release {release},")) {
            true => Ok(path),
            false => Err(format!("{} is not release {release}", path.display())),
        }
    }

    pub(crate) fn nvdisasm(&self) -> Result<PathBuf, String> {
        cuda_tools::file(self.folder.as_deref(), "ptxas-12.4", "nvdisasm")
    }
}

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
        let nowhere = Choice { folder: Some("/nowhere".into()), release: None };
        assert!(nowhere.found().is_empty());
        let why = nowhere.ptxas(Ptxas::V11_8).unwrap_err();
        assert!(why.starts_with("there is no /nowhere/cu11/"), "{why}");
    }
}
