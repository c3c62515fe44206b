//! Files, folders and commands of the tasks. An error names the file or the command.

use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Adds the path to an error.
pub(crate) fn at<T, E: std::fmt::Display>(path: &Path, result: Result<T, E>) -> Result<T, String> {
    result.map_err(|e| format!("{}: {e}", path.display()))
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    at(path, fs::read_to_string(path))
}

/// Writes a file.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), String> {
    at(path, fs::write(path, content))
}

/// Copies a file with its permissions.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    at(from, fs::copy(from, to).map(drop))
}

/// Copies a file to another folder.
pub(crate) fn copy_into(name: impl AsRef<Path>, from: &Path, folder: &Path) -> Result<(), String> {
    copy(&from.join(&name), &folder.join(&name))
}

/// Returns an error unless two files have equal contents.
pub(crate) fn same(a: &Path, b: &Path) -> Result<(), String> {
    match at(a, fs::read(a))? == at(b, fs::read(b))? {
        true => Ok(()),
        false => Err(format!("{} is not a copy of {}", b.display(), a.display())),
    }
}

/// Renames a file, which replaces another one at once.
pub(crate) fn rename(from: &Path, to: &Path) -> Result<(), String> {
    at(to, fs::rename(from, to))
}

/// Removes a file or a folder with its contents, if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), String> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(found) if found.is_dir() => at(path, fs::remove_dir_all(path)),
        Ok(_) => at(path, fs::remove_file(path)),
    }
}

/// Creates a folder and those above it, if they are missing.
pub(crate) fn folder(path: &Path) -> Result<(), String> {
    at(path, fs::create_dir_all(path))
}

/// Creates a folder; deletes its previous contents.
pub(crate) fn anew(path: &Path) -> Result<(), String> {
    remove(path)?;
    folder(path)
}

/// The paths of a folder's entries, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found: Vec<_> = at(folder, fs::read_dir(folder))?.flatten().map(|e| e.path()).collect();
    found.sort();
    Ok(found)
}

/// The first file of a folder.
pub(crate) fn first_file(folder: &Path) -> Result<PathBuf, String> {
    let first = entries(folder)?.into_iter().find(|path| path.is_file());
    first.ok_or_else(|| format!("{} is empty", folder.display()))
}

/// The rows of a TOML file that contains nothing but one list of tables. The file is part of this
/// program, so that an error is a bug.
pub(crate) fn rows<T: DeserializeOwned>(text: &str) -> Vec<T> {
    let lists: BTreeMap<String, Vec<T>> = toml::from_str(text).expect("a list of tables");
    lists.into_values().flatten().collect()
}

/// The Cargo that runs this task.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs a command, and returns its output; an error if it fails or prints to standard error.
pub(crate) fn call(command: &mut Command) -> Result<String, String> {
    let shown = format!("{command:?}");
    let output = command.output().map_err(|e| format!("{shown}: {e}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || !complaint.is_empty() {
        return Err(format!("{shown}: {}: {complaint}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command whose output is shown.
pub(crate) fn finish(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let status = command.status().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed")) }
}

/// Runs a command whose output is not shown; the error is the last line of it that names one.
pub(crate) fn quiet(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rfind(|l| l.contains("ERROR") || l.contains("rror:"));
    Err(last.or(text.lines().last()).map_or_else(|| format!("{name} failed"), str::to_owned))
}
