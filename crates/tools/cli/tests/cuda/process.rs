//! Runs a command with a time limit.

use std::fs::File;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The result of a process.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Maximum duration of a process.
const LIMIT: Duration = Duration::from_secs(240);

/// Runs a command; `files` is a path without extension for its output.
pub(crate) fn run(command: &mut Command, files: &Path) -> Result<Ended, String> {
    // Distinguishes concurrent runs of one program.
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let [out, err] = ["out", "err"].map(|kind| files.with_extension(format!("{number}.{kind}")));
    command.stdin(Stdio::null());
    command.stdout(File::create(&out).map_err(|e| format!("{}: {e}", out.display()))?);
    command.stderr(File::create(&err).map_err(|e| format!("{}: {e}", err.display()))?);
    let mut child = command.spawn().map_err(|e| format!("{command:?}: {e}"))?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break status;
        }
        if start.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{command:?} did not end within {LIMIT:?}\n{}", read(&err)));
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    Ok(Ended { status, stdout: read(&out), stderr: read(&err) })
}

/// Runs a command that must succeed.
pub(crate) fn succeed(command: &mut Command, files: &Path) -> Result<Ended, String> {
    let ended = run(command, files)?;
    if ended.status.success() {
        return Ok(ended);
    }
    Err(format!("{command:?}: {}\n{}{}", ended.status, ended.stdout, ended.stderr))
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}
