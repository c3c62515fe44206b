//! `clients NAME...`: runs the test suites of published packages that use CUDA on the drop-in
//! libraries.
//!
//! pip installs each package (a client), in the releases of tests/clients/NAME/requirements.txt,
//! into an environment of its own. tests/clients/support/harness.py runs its tests under
//! `texunit run` and counts them. The task fails if fewer pass than tests/clients/counts.txt says.

mod install;
mod record;

use crate::files::at;
use crate::{exit_code, workspace};
use clap::builder::PossibleValuesParser;
use install::{CLIENTS, Client, Place};
use record::{Counts, Record};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The arguments of `clients`.
#[derive(Default, clap::Args)]
pub(crate) struct Request {
    /// Clients to run, `all`, or `table` to write the table of tests/clients/README.md; without a
    /// name they are listed
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(names()))]
    names: Vec<String>,
    /// `texunit`, with the libraries beside it; without it the program is built
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Folder of the environments and results
    #[arg(long, value_name = "DIR", default_value_os_t = workspace().join("target/clients"))]
    to: PathBuf,
    /// Record the counts, which must be those of all tests
    #[arg(long, value_parser = ["before", "now"])]
    #[arg(conflicts_with_all = ["only", "select", "environment"])]
    record: Option<String>,
    /// Number of processes that run tests at a time
    #[arg(long, value_name = "N")]
    jobs: Option<String>,
    /// Time for each client instead of that of its table
    #[arg(long, value_name = "SECONDS")]
    limit: Option<u32>,
    /// Variable of the tests' environment beside those of the table
    #[arg(long = "env", value_name = "NAME=VALUE")]
    environment: Vec<String>,
    /// Files of tests instead of those of the table
    #[arg(long, value_name = "FILE")]
    only: Vec<String>,
    /// Expression for pytest's `-k`
    #[arg(long, value_name = "EXPRESSION")]
    select: Option<String>,
}

/// The accepted names: those of the clients, `all`, and `table`.
fn names() -> impl Iterator<Item = &'static str> {
    CLIENTS.iter().map(|client| client.name.as_str()).chain(["all", "table"])
}

impl Request {
    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }

    fn clients(&self) -> impl Iterator<Item = &'static Client> {
        CLIENTS.iter().filter(|client| self.has("all") || self.has(&client.name))
    }

    fn narrowed(&self) -> bool {
        !self.only.is_empty() || self.select.is_some() || !self.environment.is_empty()
    }
}

/// Runs the requested clients; without a name, lists them.
pub(crate) fn run(request: &Request) -> ExitCode {
    if request.names.is_empty() {
        for client in CLIENTS.iter() {
            println!("{:8} {}", client.name, client.what);
        }
        return ExitCode::SUCCESS;
    }
    exit_code(run_all(request))
}

/// Runs the requested clients; returns whether each passes as many tests as recorded.
fn run_all(request: &Request) -> Result<bool, String> {
    let mut record = Record::read()?;
    if request.has("table") {
        record.write_document()?;
    }
    if request.clients().next().is_none() {
        return Ok(true);
    }
    let program = match &request.program {
        Some(program) => at(program, program.canonicalize())?,
        None => built()?,
    };
    let mut good = true;
    for client in request.clients() {
        println!("== {}: {}", client.name, client.what);
        if let Some(why) = &client.absent {
            eprintln!("!!\n!! SKIPPED: {}: {why}\n!!", client.name);
            continue;
        }
        let found = Place::new(&request.to, client).and_then(|place| {
            place.install(client)?;
            tests(request, client, &place, &program)
        });
        match found {
            Ok(counts) => good &= judge(request, client, &counts, &mut record)?,
            Err(message) => {
                eprintln!("error: {}: {message}", client.name);
                good = false;
            }
        }
    }
    Ok(good)
}

/// Compares the counts of a client with the recorded ones, and records them if requested.
fn judge(
    request: &Request,
    client: &Client,
    counts: &Counts,
    record: &mut Record,
) -> Result<bool, String> {
    println!("{}: {}", client.name, counts.in_words());
    if let Some(moment) = &request.record {
        record.note(&client.name, moment, counts)?;
        return Ok(true);
    }
    if request.narrowed() {
        return Ok(counts.failed == 0);
    }
    let demanded = record.demanded(&client.name);
    if counts.passed < demanded {
        println!("{}: {demanded} passed when it was recorded", client.name);
    }
    Ok(counts.passed >= demanded)
}

/// Builds the program and the libraries with the release profile; returns the program's path.
fn built() -> Result<PathBuf, String> {
    if crate::libs::run(&crate::libs::Request::default()) != ExitCode::SUCCESS {
        return Err("texunit cannot be built".to_owned());
    }
    Ok(crate::libs::target().join("release/texunit"))
}

/// Runs the tests of a client, and returns their counts.
fn tests(
    request: &Request,
    client: &Client,
    place: &Place,
    program: &Path,
) -> Result<Counts, String> {
    place.forget_caches()?;
    let mut command = Command::new(place.python());
    command.arg(workspace().join("tests/clients/support/harness.py"));
    command.arg("--texunit").arg(program).arg("--out").arg(place.results());
    command.arg("--cwd").arg(&place.folder);
    command.args(["--limit", &request.limit.unwrap_or(client.limit).to_string()]);
    command.args(["--test-limit", &client.test_limit.to_string()]);
    if let Some(jobs) = &request.jobs {
        command.args(["--jobs", jobs]);
    }
    for (name, value) in &client.environment {
        command.arg("--env").arg(format!("{name}={}", place.expand(value)));
    }
    for variable in &request.environment {
        command.arg("--env").arg(variable);
    }
    for option in &client.pytest {
        command.arg(format!("--pytest={option}"));
    }
    // pytest uses the last `-k`, so that the request's follows that of the table.
    if let Some(expression) = &request.select {
        command.arg("--pytest=-k").arg(format!("--pytest={expression}"));
    }
    if request.only.is_empty() {
        command.args(client.tests.iter().map(|path| place.expand(path)));
    } else {
        command.args(request.only.iter().map(|path| place.expand(path)));
    }
    // The home folder is empty, so that no file of an earlier run is used.
    command.env("HOME", place.home()).env("XDG_CACHE_HOME", place.home());
    let status = at(&place.python(), command.status())?;
    if !status.success() {
        return Err(format!("the tests could not be run: {status}"));
    }
    Counts::of_result(&place.results().join("result.json"))
}

#[cfg(test)]
mod checks {
    use super::*;
    use crate::parsed;

    #[test]
    fn arguments_select_clients() {
        let read: Request = parsed("drjit taichi --jobs 1 --record now").unwrap_or_default();
        let names: Vec<_> = read.clients().map(|client| &client.name).collect();
        assert_eq!(names, ["drjit", "taichi"]);
        assert_eq!(read.jobs.as_deref(), Some("1"));
        assert_eq!(parsed::<Request>("all").unwrap_or_default().clients().count(), CLIENTS.len());
    }

    #[test]
    fn every_client_has_its_files() {
        for client in CLIENTS.iter().filter(|client| client.absent.is_none()) {
            let folder = workspace().join("tests/clients").join(&client.name);
            let requirements = folder.join("requirements.txt");
            let text = std::fs::read_to_string(&requirements).unwrap_or_default();
            let pinned = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            assert!(pinned.clone().count() > 0, "{}", requirements.display());
            for line in pinned {
                assert!(line.contains("=="), "{}: {line} does not name one release", client.name);
            }
            for path in client.tests.iter().filter(|path| path.starts_with("{tests}")) {
                let own = workspace().join(path.replace("{tests}", "tests/clients"));
                assert!(own.exists(), "{path}");
            }
        }
    }
}
