//! Generates the man pages. An example of the program's crate does this, because it knows the
//! command line; so xtask does not depend on that crate.

use std::path::Path;
use std::process::Command;

/// Writes the pages into a folder, and checks them with `man` if it is installed.
pub(crate) fn write(folder: &Path) -> Result<bool, String> {
    let folder = std::path::absolute(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let made = Command::new(cargo)
        .current_dir(crate::workspace())
        .args(["run", "--quiet", "--example", "man", "--"])
        .arg(&folder)
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !made.success() {
        return Ok(false);
    }
    let mut right = true;
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.filter_map(Result::ok).map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "1") {
            continue;
        }
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
