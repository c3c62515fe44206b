//! `site`: builds the parts of the static site, and can serve it locally.

mod api;
pub(crate) mod guide;
mod web;

use clap::builder::PossibleValuesParser;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Builds a part of the site into its folder. An error says how to fix the problem.
type Build = fn(&Path) -> Result<(), String>;

/// The parts in the order in which they are built.
const PARTS: [(&str, Build); 3] =
    [("web", web::build), ("guide", guide::build), ("api", api::build)];

/// The arguments of `site`.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// Build only this part
    #[arg(long, value_parser = PossibleValuesParser::new(PARTS.map(|part| part.0)))]
    only: Option<String>,
    /// Serve the site at http://localhost:PORT/
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8000")]
    serve: Option<u16>,
    /// Folder of the site
    #[arg(long = "to", value_name = "DIR", default_value_os_t = folder())]
    out: PathBuf,
}

/// The default folder of the site.
pub(crate) fn folder() -> PathBuf {
    crate::workspace().join("target/site")
}

/// Builds the requested parts, and serves the site until the process ends.
pub(crate) fn run(request: &Request) -> ExitCode {
    let built = PARTS
        .iter()
        .filter(|(name, _)| request.only.as_deref().is_none_or(|only| only == *name))
        .try_for_each(|(name, build)| build(&request.out).map_err(|e| format!("{name}: {e}")));
    let done = built.and_then(|()| {
        println!("the site is in {}", request.out.display());
        let Some(port) = request.serve else { return Ok(()) };
        println!("open http://localhost:{port}/ (Ctrl+C ends it)");
        let mut server = Command::new("python3");
        server.args(["-m", "http.server", "--bind", "127.0.0.1", "--directory"]);
        server.arg(&request.out).arg(port.to_string());
        call(&mut server, "its module http.server serves the site")
    });
    crate::exit_code(done.map(|()| true))
}

/// Runs a command; `missing` says what to install if the program does not exist.
fn call(command: &mut Command, missing: &str) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{name}` has failed ({status})")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("`{name}` is not installed: {missing}"))
        }
        Err(error) => Err(format!("`{name}` cannot be run: {error}")),
    }
}

/// The output of a command; `None` if it fails.
fn output(command: &mut Command) -> Option<String> {
    String::from_utf8(command.output().ok().filter(|output| output.status.success())?.stdout).ok()
}
