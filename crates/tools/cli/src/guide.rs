//! `texunit examples`: writes the files that the guide's commands read.

use crate::{files, out};
use clap::Args;
use std::path::{Component, Path, PathBuf};
use texunit_files::read_bytes;
use texunit_forms::Count;

/// Arguments of `texunit examples`.
#[derive(Clone, Debug, Args)]
pub struct ExamplesArgs {
    /// The folder that they go to; it is made if it is not there.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Replace existing files.
    #[arg(long)]
    pub force: bool,
}

/// The list of files and folders, itself one of the files.
const LIST: &str = "examples/guide.txt";

/// Results of commands in a clone's folders, which are not copied.
const RESULTS: [&str; 2] = ["texunit-out", "__pycache__"];

/// Runs the command; returns the exit code.
pub fn run(args: &ExamplesArgs) -> u8 {
    match write(args) {
        Ok(text) => crate::exit(out::print(&text), true),
        Err(message) => out::error(message, crate::FAILED),
    }
}

/// Writes all files, or none if one of them exists.
fn write(args: &ExamplesArgs) -> Result<String, String> {
    let (from, to) = (find()?, &args.folder);
    if let (Ok(a), Ok(b)) = (from.canonicalize(), to.canonicalize())
        && a == b
    {
        return Err(format!("the examples are in `{}` already", to.display()));
    }
    let mut files = Vec::new();
    for entry in entries(&from)? {
        list(&from, &entry, &mut files).map_err(|e| format!("{}: {e}", entry.display()))?;
    }
    let existing = files.iter().map(|file| to.join(file)).find(|f| f.symlink_metadata().is_ok());
    if let (Some(file), false) = (existing, args.force) {
        return Err(format!("`{}` exists; --force replaces it", file.display()));
    }
    for file in &files {
        let to = to.join(file);
        to.parent().map_or(Ok(()), files::make_folder)?;
        files::copy(&from.join(file), &to)?;
    }
    let (count, shown) = (Count(files.len(), "file"), to.display());
    Ok(format!(
        "wrote {count} to {shown}, where the guide's paths lead to them: {LIST} lists them\n"
    ))
}

/// The folder with the files: `guide` beside the folder `bin` of a package's program; for a program
/// elsewhere, the clone that it was built in, whose target folder can be anywhere.
fn find() -> Result<PathBuf, String> {
    let program = files::program()?;
    let here = program.parent().unwrap_or(Path::new("."));
    let place = match here.ends_with("bin") {
        true => here.join("../guide"),
        false => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.."),
    };
    place.join(LIST).is_file().then_some(place).ok_or_else(|| {
        format!(
            "the examples are not beside {} (`cargo install` builds the program alone): they come with texunit's wheel and \
             its archive, and a clone of its repository has them",
            program.display()
        )
    })
}

/// The lines of the list; a path that leads out of the folder is rejected.
fn entries(from: &Path) -> Result<Vec<PathBuf>, String> {
    let bytes = read_bytes(&from.join(LIST)).map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let paths: Vec<_> = lines.map(PathBuf::from).collect();
    let inside = |path: &PathBuf| path.components().all(|c| matches!(c, Component::Normal(_)));
    match paths.iter().find(|path| !inside(path)) {
        None => Ok(paths),
        Some(path) => Err(format!("{LIST} names `{}`, which is not a path in it", path.display())),
    }
}

/// The files of an entry, relative to the folder and sorted by name; links are not followed.
fn list(from: &Path, entry: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let path = from.join(entry);
    if !path.symlink_metadata()?.is_dir() {
        files.push(entry.to_owned());
        return Ok(());
    }
    let mut names = Vec::new();
    for found in std::fs::read_dir(&path)? {
        let found = found?;
        let name = found.file_name();
        let shown = name.to_string_lossy();
        let is_result = shown.starts_with('.') || RESULTS.contains(&&*shown);
        if !is_result && !found.file_type()?.is_symlink() {
            names.push(name);
        }
    }
    names.sort();
    names.iter().try_for_each(|name| list(from, &entry.join(name), files))
}
