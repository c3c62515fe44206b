//! `texunit cases`: exports the cases of tests/fetch for other implementations of a texture unit,
//! and runs case files.

mod run;
mod suite;

pub use run::{EngineArg, RunArgs};

use crate::args::name_of;
use crate::examples;
use crate::files::make_folder;
use clap::{Args, Subcommand, ValueEnum};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use texunit_cases::Access;
use texunit_files::{CommandFiles, write_atomically};
use texunit_forms::Count;

/// Arguments of `texunit cases`.
#[derive(Clone, Debug, Args)]
pub struct CasesArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: CasesCommand,
}

/// Subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum CasesCommand {
    /// Write the cases as a conformance suite: inputs, expected bits, rules and where they come
    /// from, in files that any language reads.
    ///
    /// With them the tables of the special function unit and hashes of what a card gave for all
    /// operands, elements of matrices that a card's tensor core gave, and readers of both in C.
    ///
    /// Exit codes: 0 written; 1 cases that cannot be read, or files that cannot be written; 2 wrong
    /// usage, or an internal error. docs/conformance.md describes the files.
    #[command(after_help = examples::of("texunit cases export"))]
    Export(ExportArgs),
    /// Run case files here, and count by rule which values are not those that they expect.
    ///
    /// A value is an expected word, a digit of `resident`, or the result of a surface access. A
    /// case that is refused counts with all that it expects. Exit codes: 0 all values are equal; 1
    /// something differs, or a file cannot be read; 2 wrong usage, or an internal error.
    /// docs/conformance.md has the formats.
    Run(RunArgs),
}

/// Arguments of `texunit cases export`.
#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// Folder for the suite; created if it does not exist.
    #[arg(value_name = "FOLDER", default_value = "texunit-conformance")]
    pub folder: PathBuf,
    /// How the files are written: JSON alone, or JSON and NumPy's arrays in one .npz each.
    #[arg(long, value_enum, default_value_t = SuiteFormat::Json)]
    pub format: SuiteFormat,
    /// Folder of case files; default: that of texunit's own repository.
    #[arg(long, value_name = "FOLDER", default_value = "tests/fetch")]
    pub cases: PathBuf,
}

/// How a suite is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SuiteFormat {
    /// All numbers in the JSON text.
    Json,
    /// Arrays beside a JSON text that names them.
    Npz,
}

/// The version of the file format; a reader of a version reads all files of that version.
const VERSION: u32 = 2;

/// The index of a suite, which is written last.
const INDEX: &str = "suite.json";
/// The file that marks an incomplete suite, and its text.
const UNFINISHED: &str = "unfinished.txt";
const NOT_FINISHED: &str = "`texunit cases export` is writing this folder, or was interrupted: files are missing or \
     of an older suite, and there is no suite.json. Run the command again.\n";

/// The JSON Schema of the files.
const SCHEMA: &str = include_str!("schema.json");

/// A written file.
struct Written {
    name: String,
    cases: usize,
    fetches: usize,
    accesses: usize,
}

/// Runs the command; returns the exit code.
pub fn run(args: &CasesArgs) -> u8 {
    let args = match &args.command {
        CasesCommand::Export(args) => args,
        CasesCommand::Run(args) => return run::run(args),
    };
    let sources = match sources(&args.cases) {
        Ok(sources) => sources,
        Err(why) => return failed(&why),
    };
    if let Err(why) = keep_apart(&sources, args) {
        return crate::usage_error("cases", &why);
    }
    match export(&sources, args) {
        Ok(text) => crate::exit(crate::out::print(&text), true),
        Err(why) => failed(&why),
    }
}

fn failed(why: &str) -> u8 {
    why.lines().enumerate().for_each(|(i, line)| match i {
        0 => crate::out::stderr_line(&format!("error: {line}")),
        _ => crate::out::stderr_line(line),
    });
    crate::FAILED
}

/// Rejects a suite whose folder is that of the cases, and two files with the same name.
fn keep_apart(sources: &[PathBuf], args: &ExportArgs) -> Result<(), String> {
    let mut places = CommandFiles::default();
    sources.iter().for_each(|source| places.reads("is exported", source));
    let fixed = [INDEX, "schema.json", UNFINISHED].into_iter().map(str::to_owned);
    let names = sources.iter().map(|source| file_of(source, args.format)).chain(fixed);
    names.for_each(|name| places.writes("FOLDER", &args.folder.join(name)));
    places.check()
}

/// The name of the suite's file for a file of cases.
fn file_of(source: &Path, format: SuiteFormat) -> String {
    format!("{}.{}", texunit_cases::stem(source).unwrap_or_default(), name_of(&format))
}

/// Writes the suite; returns a message. Until it is complete the folder has no index, and a file
/// that says so.
fn export(sources: &[PathBuf], args: &ExportArgs) -> Result<String, String> {
    make_folder(&args.folder)?;
    let (index_file, unfinished) = (args.folder.join(INDEX), args.folder.join(UNFINISHED));
    save(&unfinished, NOT_FINISHED.as_bytes())?;
    let gone = |path: &Path| match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove `{}`: {e}", path.display()))
        }
        _ => Ok(()),
    };
    gone(&index_file)?;
    let mut files = Vec::new();
    for source in sources {
        files.push(write(source, args)?);
    }
    let ending = name_of(&args.format);
    let list = files.iter().map(|file| {
        serde_json::json!({
            "file": format!("{}.{ending}", file.name),
            "cases": file.cases,
            "fetches": file.fetches,
            "accesses": file.accesses,
        })
    });
    let index = serde_json::json!({
        "suite": "texunit-conformance",
        "version": VERSION,
        "texunit": env!("CARGO_PKG_VERSION"),
        "format": ending,
        "rules": suite::RULES,
        "files": list.collect::<Vec<_>>(),
    });
    save(&args.folder.join("schema.json"), SCHEMA.as_bytes())?;
    for (name, text) in suite::function_files().map_err(|e| e.to_string())? {
        let path = args.folder.join(name);
        make_folder(path.parent().unwrap_or(&path))?;
        save(&path, text.as_bytes())?;
    }
    save(&index_file, format!("{index:#}\n").as_bytes())?;
    gone(&unfinished)?;
    let total = |count: fn(&Written) -> usize| files.iter().map(count).sum::<usize>();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}: {}, {}, {}, {}",
        args.folder.display(),
        Count(files.len(), "file"),
        Count(total(|f| f.cases), "case"),
        Count(total(|f| f.fetches), "fetch"),
        Count(total(|f| f.accesses), "surface access")
    );
    Ok(text)
}

/// The case files of a folder, sorted by name.
fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let advice = "--cases names a folder of case files, such as tests/fetch of a clone of texunit's repository";
    let unreadable =
        |e: std::io::Error| format!("cannot read `{}`: {e}\n{advice}", folder.display());
    let files = texunit_cases::find_files(folder, 0).map_err(unreadable)?;
    if files.is_empty() {
        return Err(format!(
            "there are no case files (*.toml, *.toml.gz) in `{}`\n{advice}",
            folder.display()
        ));
    }
    Ok(files)
}

/// Writes the file for one file of cases.
fn write(source: &Path, args: &ExportArgs) -> Result<Written, String> {
    let file = texunit_cases::load(source).map_err(|e| e.to_string())?;
    crate::warn_deprecated(&source.display().to_string(), &file.notes);
    let name = texunit_cases::stem(source).unwrap_or_default().to_owned();
    let bytes = match args.format {
        SuiteFormat::Json => {
            let mut text = suite::document(&name, &file, &mut suite::Inline)?.to_string();
            text.push('\n');
            text.into_bytes()
        }
        SuiteFormat::Npz => {
            let mut arrays = suite::Arrays::new();
            let document = suite::document(&name, &file, &mut arrays)?;
            arrays.finish(&document)?
        }
    };
    save(&args.folder.join(file_of(source, args.format)), &bytes)?;
    let count = |is_fetch: bool| {
        let of = |case: &&texunit_cases::Case| matches!(case.access, Access::Fetch(_)) == is_fetch;
        file.cases.iter().filter(of).map(texunit_cases::Case::count).sum()
    };
    Ok(Written { name, cases: file.cases.len(), fetches: count(true), accesses: count(false) })
}

fn save(path: &Path, bytes: &[u8]) -> Result<(), String> {
    write_atomically(path, bytes).map_err(|e| e.to_string())
}
