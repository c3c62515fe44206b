//! Packs the files that the guide's commands read into the folder `guide` of both packages, from
//! where `texunit examples` copies them.

use super::clean;
use crate::files::{self, call};
use std::path::Path;
use std::process::Command;

/// The path of the list of files and folders that are packed.
const LIST: &str = "examples/guide.txt";

/// Copies the listed files. Only files that git tracks or would track are copied, so that results
/// of commands are left out.
pub(super) fn pack(package: &Path) -> Result<(), String> {
    let (workspace, to) = (crate::workspace(), package.join("guide"));
    let list = files::read(&workspace.join(LIST))?;
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]);
    git.args(list.lines().filter(|line| !line.starts_with('#')));
    let listed = call(git.current_dir(&workspace))?;
    for entry in list.lines().filter(|line| !line.starts_with('#')) {
        if !listed.split('\0').any(|file| Path::new(file).starts_with(entry)) {
            return Err(format!("{LIST} names {entry}, which is not in the repository"));
        }
    }
    for file in listed.split('\0').filter(|file| !file.is_empty()) {
        files::folder(to.join(file).parent().unwrap_or(&to))?;
        files::copy_into(file, &workspace, &to)?;
    }
    Ok(())
}

/// Extracts the guide's files with the program of an archive, and launches one of them.
pub(super) fn try_out(texunit: &Path, place: &Path) -> Result<(), String> {
    let folder = place.join("examples");
    call(clean(texunit).arg("examples").arg(&folder))?;
    let job = folder.join("examples/rotate/job.toml");
    call(
        clean(texunit).args(["launch", "--quiet"]).arg(job).arg("--out").arg(place.join("results")),
    )?;
    let setup = "action/setup";
    files::same(&crate::workspace().join(setup), &folder.join(setup))
}
