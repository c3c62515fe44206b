//! Packs the files that the guide's commands read into the folder `guide` of both packages, from
//! where `texunit examples` copies them.

use super::{at, call, clean};
use std::path::Path;
use std::process::Command;

/// The path of the list of files and folders that are packed.
const LIST: &str = "examples/guide.txt";

/// Copies the listed files. Only files that git tracks or would track are copied, so that results
/// of commands are left out.
pub(super) fn pack(package: &Path) -> Result<(), String> {
    let (workspace, to) = (crate::workspace(), package.join("guide"));
    let list = at(Path::new(LIST), std::fs::read_to_string(workspace.join(LIST)))?;
    let mut git = Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"]);
    git.args(list.lines().filter(|line| !line.starts_with('#')));
    let files = call(git.current_dir(&workspace))?;
    for entry in list.lines().filter(|line| !line.starts_with('#')) {
        if !files.split('\0').any(|file| Path::new(file).starts_with(entry)) {
            return Err(format!("{LIST} names {entry}, which is not in the repository"));
        }
    }
    for file in files.split('\0').filter(|file| !file.is_empty()) {
        let (from, copy) = (workspace.join(file), to.join(file));
        let folder = copy.parent().unwrap_or(&to);
        at(folder, std::fs::create_dir_all(folder))?;
        at(&from, std::fs::copy(&from, &copy))?;
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
    let setup = folder.join("action/setup");
    if at(&setup, std::fs::read(&setup))?
        != at(&setup, std::fs::read(crate::workspace().join("action/setup")))?
    {
        return Err(format!("{} is not that of the repository", setup.display()));
    }
    Ok(())
}
