//! Runs texunit commands as processes with limits.

use super::paths::Allowed;
use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum number of output bytes that are kept; the rest is discarded.
const MAX_OUTPUT: u64 = 4 << 20;
/// Interval at which the end of a process is polled.
const LOOK: Duration = Duration::from_millis(5);
/// Additional time for a process with a time limit of its own, `run --timeout`.
const GRACE: Duration = Duration::from_secs(5);

/// What tools may use: files below the allowed folders, and processes with a time limit.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) allowed: Allowed,
    pub(super) time: Duration,
}

#[derive(Debug, Default)]
pub(super) struct ProcessResult {
    pub(super) code: Option<i32>,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) timed_out: bool,
}

/// Limits the memory of this process and its children.
#[cfg(target_os = "linux")]
pub(super) fn limit_memory(bytes: u64) -> Result<(), String> {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (_, most) = getrlimit(Resource::RLIMIT_DATA).map_err(|e| e.to_string())?;
    let bytes = bytes.min(most);
    setrlimit(Resource::RLIMIT_DATA, bytes, bytes).map_err(|e| e.to_string())
}

/// Limits the memory of this process and its children.
#[cfg(not(target_os = "linux"))]
pub(super) fn limit_memory(_: u64) -> Result<(), String> {
    Ok(())
}

/// Runs this program with the given arguments.
pub(super) fn texunit(words: &[String], scope: &Scope) -> io::Result<ProcessResult> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words).current_dir(scope.allowed.first()).stdin(Stdio::null());
    command.env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // The process group lets all children be ended together.
        command.process_group(0);
    }
    let mut child = command.spawn()?;
    let (out, errors) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|threads| {
        let out = threads.spawn(|| text(out));
        let errors = threads.spawn(|| text(errors));
        let ends_by_itself = words.first().is_some_and(|word| word == "run");
        let grace = if ends_by_itself { GRACE } else { Duration::ZERO };
        let (status, timed_out) = wait(&mut child, scope.time + grace)?;
        let text =
            |reader: std::thread::ScopedJoinHandle<'_, String>| reader.join().unwrap_or_default();
        Ok(ProcessResult { code: status, stdout: text(out), stderr: text(errors), timed_out })
    })
}

fn wait(child: &mut Child, time: Duration) -> io::Result<(Option<i32>, bool)> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status.code(), false));
        }
        if start.elapsed() > time {
            kill(child);
            child.wait()?;
            return Ok((None, true));
        }
        std::thread::sleep(LOOK);
    }
}

fn kill(child: &mut Child) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(child.id() as i32), Signal::SIGKILL);
    }
    let _ = child.kill();
}

fn text(stream: Option<impl Read>) -> String {
    let Some(mut stream) = stream else { return String::new() };
    let mut bytes = Vec::new();
    let _ = stream.by_ref().take(MAX_OUTPUT).read_to_end(&mut bytes);
    // The rest is read, so that the writer does not block.
    let _ = io::copy(&mut stream, &mut io::sink());
    String::from_utf8_lossy(&bytes).into_owned()
}
