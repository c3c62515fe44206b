//! Worker processes of `texunit compare --all`: a work unit may fault, crash or hang, and another
//! process continues.
//!
//! A worker reads a unit per line from standard input, and answers with a line that begins with
//! [`MARK`], because the output of kernels goes to the same stream.

use super::unit::{Answer, Files, Unit, answer};
use super::{Card, is_absence};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use texunit_forms::Count;
use texunit_gpu::{Gpu, Runner};

/// The prefix of a worker's own lines.
const MARK: &str = "texunit-compare ";
/// Maximum time for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a worker: reports its GPU, and answers until the GPU or the input ends. Returns the exit
/// code.
pub fn serve() -> u8 {
    let opened = Gpu::open();
    let hello = match &opened {
        Ok(gpu) => Hello::Card(Card::of(gpu)),
        Err(error) if is_absence(error) => Hello::NoCard(error.to_string()),
        Err(error) => Hello::Failed(error.to_string()),
    };
    let runner = opened.ok().map(Runner::new);
    // A kernel's output may not have ended its line.
    let say = |value: String| crate::out::print_bytes(format!("\n{MARK}{value}\n").as_bytes());
    let mut said = say(json!(hello).to_string());
    let mut files = Files::default();
    for line in std::io::stdin().lock().lines() {
        let (Ok(line), Ok(())) = (line, said) else { return crate::FAILED };
        let Ok(unit) = serde_json::from_str(&line) else { return crate::USAGE };
        let lost = || runner.as_ref().is_some_and(|runner| runner.gpu().lost().is_some());
        said = say(json!((answer(&unit, runner.as_ref(), &mut files), !lost())).to_string());
        if lost() {
            return crate::FAILED;
        }
    }
    0
}

/// What a worker reports first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Hello {
    Card(Card),
    /// Why there is no GPU.
    NoCard(String),
    /// Why the GPU cannot be used.
    Failed(String),
}

/// A worker process, from the parent's side.
pub(super) struct Worker {
    process: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Worker {
    /// Starts a process and reads its report.
    pub(super) fn start() -> Result<(Self, Hello), String> {
        let mut command = Command::new(std::env::current_exe().map_err(|e| e.to_string())?);
        command.args(["compare", "--worker"]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(|e| format!("cannot start a worker: {e}"))?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("a worker has no pipes".to_owned());
        };
        let (send, lines) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            // The output of kernels need not be UTF-8.
            while output.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
                let text = String::from_utf8_lossy(&line);
                if let Some(text) = text.strip_prefix(MARK)
                    && send.send(text.to_owned()).is_err()
                {
                    return;
                }
                line.clear();
            }
        });
        let mut worker = Self { process, input, lines };
        match worker.line()? {
            Hello::Failed(why) => Err(why),
            hello => Ok((worker, hello)),
        }
    }

    /// The answer to a unit, and whether the worker can be used again.
    pub(super) fn ask(&mut self, unit: &Unit) -> (Answer, bool) {
        let line = format!("{}\n", json!(unit));
        let sent = self.input.write_all(line.as_bytes()).map_err(|e| e.to_string());
        sent.and_then(|()| self.line()).unwrap_or_else(|why| (unit.failed(why), false))
    }

    fn line<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => serde_json::from_str(&line).map_err(|error| {
                format!("the worker's answer is none: {error}: {}", line.trim_end())
            }),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("no answer within {}", Count(PATIENCE.as_secs(), "second")))
            }
            Err(RecvTimeoutError::Disconnected) => Err(match self.process.wait() {
                Ok(status) => format!("the process that asked has ended: {status}"),
                Err(error) => format!("the process that asked has ended: {error}"),
            }),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // The process may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
