//! Generates the man pages. An example of the program's crate does this, because it knows the
//! command line; so xtask does not depend on that crate.

use crate::files::{self, at};
use std::path::Path;
use std::process::Command;

/// Writes the pages into a folder, and checks them with `man` if it is installed.
pub(crate) fn write(folder: &Path) -> Result<bool, String> {
    let folder = at(folder, std::path::absolute(folder))?;
    let mut cargo = files::cargo();
    cargo.args(["run", "--quiet", "--example", "man", "--"]).arg(&folder);
    files::finish(cargo.current_dir(crate::workspace()))?;
    let mut right = true;
    let mut pages = files::entries(&folder)?;
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "1"));
    for path in pages {
        // `man` prints warnings about the page to standard error.
        let shown = Command::new("man").args(["--warnings", "--local-file"]).arg(&path).output();
        match shown {
            Ok(shown) if shown.status.success() && shown.stderr.is_empty() => {}
            Ok(shown) => {
                right = false;
                eprintln!("{}: {}", path.display(), String::from_utf8_lossy(&shown.stderr).trim());
            }
            Err(_) => {
                println!("the pages are not checked: there is no `man` here");
                break;
            }
        }
    }
    Ok(right)
}
