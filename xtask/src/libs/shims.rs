//! Programs that stand for some of NVIDIA's (crate `texunit-shims`), in a folder of their own: only `texunit run` puts it into PATH,
//! and, for what Python executes before a program, into PYTHONPATH.

use super::linker::Linker;
use super::{Request, cargo, core};
use std::path::{Path, PathBuf};

/// Their folder, below that of the libraries.
pub(crate) const FOLDER: &str = "shims";
/// Their names.
pub(crate) const PROGRAMS: [&str; 2] = ["nvidia-smi", "ptxas"];
/// What Python executes before a program.
pub(crate) const SITE: &str = "sitecustomize.py";

/// Makes all of them: before a core that has their code, of a few instructions each.
pub(super) fn make(
    workspace: &Path,
    request: &Request,
    linker: &Linker<'_>,
    built: &Path,
) -> Result<Vec<PathBuf>, String> {
    let folder = linker.to.join(FOLDER);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    if !request.whole {
        cargo(workspace, request, &["build", "-p", "texunit-shims", "--bins"])?;
    }
    let make = |name: &str| {
        let (program, made) = (folder.join(name), folder.join(format!("{name}.new")));
        if request.whole {
            core::shim(linker, name, &made)?;
        } else {
            let from = built.join(name);
            std::fs::copy(&from, &made).map_err(|e| format!("{}: {e}", from.display()))?;
        }
        // Complete under its own name, which a program may be running by.
        std::fs::rename(&made, &program).map_err(|e| format!("{}: {e}", program.display()))?;
        Ok(program)
    };
    let site = folder.join(SITE);
    let from = workspace.join("crates/cuda/shims/python").join(SITE);
    std::fs::copy(&from, &site).map_err(|e| format!("{}: {e}", from.display()))?;
    PROGRAMS.iter().map(|name| make(name)).chain([Ok(site)]).collect()
}
