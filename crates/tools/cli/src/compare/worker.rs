//! Worker processes of `texunit compare --all`: a work unit may fault, crash or hang, and another
//! process continues.
//!
//! A worker reads a unit per line from standard input, and answers with a line that begins with
//! [`MARK`], because the output of kernels goes to the same stream.

use super::unit::{Answer, Files, Unit, answer};
use super::{Card, is_absence};
use serde_json::{Value, json};
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
        Ok(gpu) => {
            let Card { name, capability: (major, minor), driver_version } = Card::of(gpu);
            json!({ "name": name, "capability": [major, minor], "driver_version": driver_version })
        }
        Err(error) if is_absence(error) => json!({ "no_card": error.to_string() }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    let runner = opened.ok().map(Runner::new);
    let say = |value: &Value| {
        // A kernel's output may not have ended its line.
        let line = format!("\n{MARK}{value}\n");
        crate::out::print_bytes(line.as_bytes())
    };
    let mut said = say(&hello);
    let mut files = Files::default();
    for line in std::io::stdin().lock().lines() {
        let (Ok(line), Ok(())) = (line, said) else { return crate::FAILED };
        let unit = serde_json::from_str(&line).ok().and_then(|value| Unit::from_json(&value));
        let Some(unit) = unit else { return crate::USAGE };
        let lost = || runner.as_ref().is_some_and(|runner| runner.gpu().lost().is_some());
        let mut value = answer(&unit, runner.as_ref(), &mut files).json();
        value["lost"] = lost().into();
        said = say(&value);
        if lost() {
            return crate::FAILED;
        }
    }
    0
}

/// What a worker reports first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Hello {
    Card(Card),
    /// Why there is no GPU.
    NoCard(String),
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
        let program = std::env::current_exe().map_err(|e| e.to_string())?;
        let mut command = Command::new(program);
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
        let hello = worker.line()?;
        let text = |key: &str| hello[key].as_str().map(str::to_owned);
        if let Some(why) = text("no_card") {
            return Ok((worker, Hello::NoCard(why)));
        }
        let number = |value: &Value| value.as_u64().map(|n| n as u32);
        let card = || {
            let (major, minor) = (&hello["capability"][0], &hello["capability"][1]);
            Some(Card {
                name: text("name")?,
                capability: (number(major)?, number(minor)?),
                driver_version: number(&hello["driver_version"])?,
            })
        };
        match card() {
            Some(card) => Ok((worker, Hello::Card(card))),
            None => Err(text("error").unwrap_or_else(|| "a worker says nothing".to_owned())),
        }
    }

    /// The answer to a unit, and whether the worker can be used again.
    pub(super) fn ask(&mut self, unit: &Unit) -> (Answer, bool) {
        let line = format!("{}\n", unit.json());
        let sent = self.input.write_all(line.as_bytes()).map_err(|e| e.to_string());
        match sent.and_then(|()| self.line()) {
            Ok(value) => match Answer::from_json(&value) {
                Some(answer) => (answer, value["lost"] == false),
                None => (unit.failed(format!("the worker's answer is none: {value}")), false),
            },
            Err(why) => (unit.failed(why), false),
        }
    }

    fn line(&mut self) -> Result<Value, String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => serde_json::from_str(&line).map_err(|e| e.to_string()),
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
