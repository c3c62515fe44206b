//! The temporary folder that cases are written to before they are launched, and programs that run
//! in it, with a time limit.

use crate::case::{Case, PTX};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use texunit_files::PrivateFolder;

/// A temporary folder, which is removed when the value is dropped.
#[derive(Debug)]
pub struct Workspace {
    folder: PrivateFolder,
    /// The names of data files in the folder, which are hashes of their contents.
    written: BTreeSet<String>,
}

impl Workspace {
    /// Creates the temporary folder.
    pub fn new() -> std::io::Result<Self> {
        let folder = PrivateFolder::new(&std::env::temp_dir(), "texunit-reduce-")?;
        Ok(Self { folder, written: BTreeSet::new() })
    }

    /// The path of the folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Writes the data files of a case into the folder, and removes those of other cases.
    pub fn place_files(&mut self, case: &Case) -> std::io::Result<()> {
        let wanted: BTreeSet<String> = case.used_files().map(|(name, _)| name.clone()).collect();
        for gone in self.written.difference(&wanted) {
            std::fs::remove_file(self.folder().join(gone))?;
        }
        self.written.retain(|name| wanted.contains(name));
        for (name, bytes) in case.used_files() {
            if self.written.insert(name.clone()) {
                std::fs::write(self.folder().join(name), bytes)?;
            }
        }
        Ok(())
    }

    /// Writes a whole case into the folder; its module gets the name `name` if there is no job.
    /// Returns the path of the file to launch or read.
    pub fn place(&mut self, case: &Case, name: &str) -> std::io::Result<PathBuf> {
        self.place_files(case)?;
        let ptx = self.folder().join(if case.job.is_some() { PTX } else { name });
        std::fs::write(&ptx, case.ptx.as_bytes())?;
        if case.job.is_none() {
            return Ok(ptx);
        }
        let job = self.folder().join("job.toml");
        std::fs::write(&job, case.job_text())?;
        Ok(job)
    }
}

/// The result of a program run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProcessResult {
    /// The program's exit code; 128 + N after signal N; `None` if the program exceeded the time
    /// limit or was stopped.
    pub(super) code: Option<i32>,
    /// The program's output.
    pub(super) output: Vec<u8>,
}

/// The interval at which a running program is polled.
const PAUSE: Duration = Duration::from_millis(2);

/// Maximum size in bytes of a program's output that is read.
const MAX_OUTPUT: u64 = 16 << 20;

/// Runs a program, whose output goes to a file in a folder.
pub(super) fn run(
    mut command: Command,
    folder: &Path,
    limit: Duration,
    stop: &AtomicBool,
) -> std::io::Result<ProcessResult> {
    let path = folder.join(".output");
    let file = File::create(&path)?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    // The program gets a process group of its own, so that its child processes can be ended with
    // it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > limit || stop.load(Ordering::Relaxed) {
            end(&mut child)?;
            break None;
        }
        std::thread::sleep(PAUSE);
    };
    let mut output = Vec::new();
    std::io::Read::read_to_end(
        &mut std::io::Read::take(File::open(&path)?, MAX_OUTPUT),
        &mut output,
    )?;
    std::fs::remove_file(&path)?;
    Ok(ProcessResult { code: status.and_then(code), output })
}

/// Ends a program and its process group.
fn end(child: &mut std::process::Child) -> std::io::Result<()> {
    #[cfg(unix)]
    if let Ok(group) = i32::try_from(child.id()) {
        use nix::{sys::signal, unistd::Pid};
        // The process ID has not been reused, because the process has not been waited for.
        let _ = signal::killpg(Pid::from_raw(group), signal::Signal::SIGKILL);
    }
    child.kill()?;
    child.wait().map(drop)
}

#[cfg(unix)]
fn code(status: std::process::ExitStatus) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    status.code().or_else(|| Some(128 + status.signal()?))
}

#[cfg(not(unix))]
fn code(status: std::process::ExitStatus) -> Option<i32> {
    status.code()
}

/// The time limit of an attempt, given the time that the first run took.
pub(super) fn patience(first: Duration) -> Duration {
    first * 10 + Duration::from_secs(5)
}
