//! `site`: the static site, part by part, and a server to look at it.

pub(crate) mod guide;
mod serve;
mod web;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Something that the site is made of.
struct Part {
    name: &'static str,
    /// Builds it into the folder of the site; what is wrong, and what to do.
    build: fn(&Path) -> Result<(), String>,
}

/// In the order in which they are built.
const PARTS: &[Part] =
    &[Part { name: "web", build: web::build }, Part { name: "guide", build: guide::build }];

/// The arguments.
pub(crate) struct Request {
    only: Option<String>,
    serve: Option<u16>,
    out: PathBuf,
}

/// The port if none is named.
const PORT: u16 = 8000;

impl Request {
    /// Reads the arguments.
    pub(crate) fn read(arguments: &[String]) -> Result<Self, String> {
        let out = crate::workspace().join("target/site");
        let mut request = Self { only: None, serve: None, out };
        let mut rest = arguments.iter().peekable();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--only" => {
                    let names: Vec<&str> = PARTS.iter().map(|part| part.name).collect();
                    let name = rest.next().filter(|name| names.contains(&name.as_str()));
                    let name =
                        name.ok_or_else(|| format!("--only takes one of {}", names.join(", ")))?;
                    request.only = Some(name.clone());
                }
                "--to" => {
                    request.out = rest.next().map(PathBuf::from).ok_or("--to takes a folder")?;
                }
                "--serve" => {
                    let port = rest.next_if(|next| !next.starts_with('-'));
                    let port = port.map(|text| {
                        text.parse().map_err(|_| format!("--serve: `{text}` is not a port"))
                    });
                    request.serve = Some(port.transpose()?.unwrap_or(PORT));
                }
                other => return Err(format!("site: unknown argument {other}")),
            }
        }
        Ok(request)
    }
}

/// Builds the requested parts, and serves them until the program is stopped.
pub(crate) fn run(request: &Request) -> ExitCode {
    let built = PARTS
        .iter()
        .filter(|part| request.only.as_deref().is_none_or(|only| only == part.name))
        .try_for_each(|part| (part.build)(&request.out).map_err(|e| format!("{}: {e}", part.name)));
    let done = built.and_then(|()| {
        println!("the site is in {}", request.out.display());
        match request.serve {
            Some(port) => serve::serve(&request.out, port),
            None => Ok(()),
        }
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command; `missing` says what to install if it is not there.
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

/// The output of a command, if it succeeds.
fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn arguments_are_read() {
        let read = |line: &str| {
            Request::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        let request = read("--only web --serve 8080").unwrap();
        assert_eq!((request.only.as_deref(), request.serve), (Some("web"), Some(8080)));
        assert_eq!(read("--serve").unwrap().serve, Some(PORT));
        assert!(read("").unwrap().serve.is_none());
        for wrong in ["--only", "--only nothing", "--serve x", "--what"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
