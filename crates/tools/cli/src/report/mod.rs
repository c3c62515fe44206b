//! `texunit report`: writes an HTML page about runs.
//!
//! `inputs` reads files and recognises their kinds, `recordings` creates the textures of recorded
//! launches with previews, `sources` combines counts with source lines, and `page` prepares
//! everything for the template (`page.html`). The page is one file without scripts: its switches
//! (heat map, order of launches) are radio buttons that the style sheet evaluates.

mod inputs;
mod page;
mod recordings;
mod sources;

use clap::Args;
use std::path::PathBuf;

/// Maximum size of the page in bytes. Beyond it content is left out, with a remark.
const MAX_PAGE: usize = 5 << 20;

/// Arguments of `texunit report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// Reports (`run --report FILE.json`), profiles (`--profile`), tracefiles of lcov
    /// (`--coverage`), and folders of recorded launches (`--record`), in any order.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// The page; `-` is standard output.
    #[arg(long, short, value_name = "FILE.html")]
    pub out: PathBuf,
    /// The title of the page; without it, the programs that were run.
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
}

/// Writes the page; returns the exit code.
pub fn run(args: &ReportArgs) -> u8 {
    let mut found = match inputs::read(&args.files) {
        Ok(found) => found,
        Err(wrong) => {
            for (path, why) in wrong {
                crate::out::stderr_line(&format!("error: {}: {why}", path.display()));
            }
            return crate::FAILED;
        }
    };
    let (page, notes) = match page::render(&mut found, args.title.as_deref(), MAX_PAGE) {
        Ok(page) => page,
        Err(error) => {
            let why = format_args!("the page cannot be made: {error}");
            return crate::out::error(why, crate::USAGE);
        }
    };
    notes.iter().for_each(|note| crate::out::stderr_line(&format!("note: {note}")));
    if args.out.as_os_str() == "-" {
        return crate::exit(crate::out::print_bytes(page.as_bytes()), true);
    }
    match texunit_files::write_atomically(&args.out, page.as_bytes()) {
        Ok(()) => 0,
        Err(error) => crate::out::error(format_args!("cannot write {error}"), crate::FAILED),
    }
}
