//! Builds replacements for programs of NVIDIA (crate `texunit-shims`), in a folder of their own
//! that only `texunit run` adds to PATH. A file there that Python runs before a program is found by
//! PYTHONPATH.

use super::{Build, core};
use crate::files;
use std::path::PathBuf;

/// The name of the replacements' folder, below that of the libraries.
pub(crate) const FOLDER: &str = "shims";
/// The names of the replaced programs.
pub(crate) const PROGRAMS: [&str; 2] = ["nvidia-smi", "ptxas"];
/// The file that Python runs before a program.
pub(crate) const SITE: &str = "sitecustomize.py";

/// Builds all replacements as small programs that load a core with their code.
pub(super) fn make(build: &Build<'_>) -> Result<Vec<PathBuf>, String> {
    let folder = build.linker.to.join(FOLDER);
    files::folder(&folder)?;
    if !build.request.whole {
        build.cargo(&["build", "-p", "texunit-shims", "--bins"])?;
    }
    let make = |name: &str| {
        let (program, made) = (folder.join(name), folder.join(format!("{name}.new")));
        if build.request.whole {
            core::shim(&build.linker, name, &made)?;
        } else {
            files::copy(&build.built.join(name), &made)?;
        }
        // The file is renamed when complete, because a program may be running under this name.
        files::rename(&made, &program)?;
        Ok(program)
    };
    files::copy_into(SITE, &crate::workspace().join("crates/cuda/shims/python"), &folder)?;
    PROGRAMS.iter().map(|name| make(name)).chain([Ok(folder.join(SITE))]).collect()
}
