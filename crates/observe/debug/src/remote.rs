//! A console behind a socket: the engine is in the program's process, the terminal or editor is
//! connected to `texunit`.
//!
//! Messages are JSON values, one per line. The engine requests commands and sends their output. The
//! other side sends commands, an adapter's requests, and interrupts, which the engine's side
//! receives in a thread of its own.

use crate::console::{Console, Request};
use crate::session::Settings;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// The environment variable that names the socket to a program.
pub const VARIABLE: &str = "TEXUNIT_DEBUG";
/// Maximum size of a message in bytes.
const LONGEST: u64 = 64 << 20;

type Interrupted = Arc<Mutex<Option<Arc<AtomicBool>>>>;

/// The end of the connection in the process that executes the kernels.
pub struct Remote {
    stream: UnixStream,
    requests: Receiver<Request>,
    interrupted: Interrupted,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Remote")
    }
}

/// Receives a message; `None` if the other side has disconnected.
fn receive(from: &mut impl BufRead) -> Option<Value> {
    let mut line = Vec::new();
    let mut limited = std::io::Read::take(from, LONGEST);
    let count = limited.read_until(b'\n', &mut line).ok()?;
    if count == 0 {
        return None;
    }
    serde_json::from_slice(&line).ok()
}

fn send(to: &mut UnixStream, message: &Value) -> bool {
    let mut line = message.to_string();
    line.push('\n');
    to.write_all(line.as_bytes()).is_ok()
}

impl Remote {
    /// Asks whether this process is to be debugged; if so, returns its console and the settings.
    /// `spawn` starts the thread that receives requests.
    pub fn connect(
        path: &Path,
        spawn: impl FnOnce(Box<dyn FnOnce() + Send>),
    ) -> Option<(Self, Settings)> {
        let mut stream = UnixStream::connect(path).ok()?;
        let hello = json!({ "process": std::process::id() });
        if !send(&mut stream, &hello) {
            return None;
        }
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let answer = receive(&mut reader)?;
        let settings = serde_json::from_value(answer.get("settings")?.clone()).ok()?;
        let (to, requests) = channel();
        let interrupted = Interrupted::default();
        let flag = Arc::clone(&interrupted);
        spawn(Box::new(move || take(&mut reader, &to, &flag)));
        Some((Self { stream, requests, interrupted }, settings))
    }

    fn tell(&mut self, message: &Value) {
        // If the other side has disconnected, the next read ends the session.
        let _ = send(&mut self.stream, message);
    }
}

/// Receives messages until the other side disconnects.
fn take(reader: &mut BufReader<UnixStream>, to: &Sender<Request>, interrupted: &Interrupted) {
    while let Some(message) = receive(reader) {
        if message.get("interrupt").is_some() {
            let flag = interrupted.lock().unwrap_or_else(PoisonError::into_inner);
            flag.iter().for_each(|flag| flag.store(true, Relaxed));
            continue;
        }
        let request = match (message.get("command"), message.get("dap")) {
            (Some(Value::String(line)), _) => Request::Command(line.clone()),
            (_, Some(request)) => Request::Dap(request.clone()),
            _ => break,
        };
        if to.send(request).is_err() {
            break;
        }
    }
}

impl Console for Remote {
    fn read(&mut self, prompt: &str) -> Option<Request> {
        self.tell(&json!({ "ask": prompt }));
        self.requests.recv().ok()
    }

    fn waiting(&mut self) -> Option<Request> {
        self.requests.try_recv().ok()
    }

    fn write(&mut self, text: &str) {
        if !text.is_empty() {
            self.tell(&json!({ "text": text }));
        }
    }

    fn failed(&mut self, text: &str) {
        self.tell(&json!({ "failed": text }));
    }

    fn send(&mut self, message: Value) {
        self.tell(&json!({ "dap": message }));
    }

    fn keeps(&mut self, settings: &Settings) {
        if let Ok(settings) = serde_json::to_value(settings) {
            self.tell(&json!({ "settings": settings }));
        }
    }

    fn watches(&mut self, interrupted: Option<Arc<AtomicBool>>) {
        *self.interrupted.lock().unwrap_or_else(PoisonError::into_inner) = interrupted;
    }
}

/// The end of the connection in the user's process.
#[derive(Debug)]
pub struct Served {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

/// A message of the engine.
#[derive(Clone, Debug)]
pub enum EngineMessage {
    /// The engine waits for a request, with this prompt.
    Asks(String),
    /// Output of a command.
    Text(String),
    /// The error of a command.
    Failed(String),
    /// A message for an editor.
    Dap(Value),
    /// The current settings of the session.
    Settings(Box<Settings>),
}

impl Served {
    /// Accepts a process that connects, and returns its ID. Without `settings` it is rejected.
    pub fn accept(stream: UnixStream, settings: Option<&Settings>) -> Option<(Self, u64)> {
        let mut writer = stream.try_clone().ok()?;
        let mut reader = BufReader::new(stream);
        let process = receive(&mut reader)?.get("process")?.as_u64()?;
        let Some(settings) = settings else {
            send(&mut writer, &json!({ "refused": true }));
            return None;
        };
        send(&mut writer, &json!({ "settings": serde_json::to_value(settings).ok()? }));
        Some((Self { reader, writer }, process))
    }

    /// The next message; `None` when the process has ended.
    pub fn hear(&mut self) -> Option<EngineMessage> {
        loop {
            let message = receive(&mut self.reader)?;
            let text = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
            if let Some(prompt) = text("ask") {
                return Some(EngineMessage::Asks(prompt));
            }
            if let Some(text) = text("text") {
                return Some(EngineMessage::Text(text));
            }
            if let Some(text) = text("failed") {
                return Some(EngineMessage::Failed(text));
            }
            if let Some(message) = message.get("dap") {
                return Some(EngineMessage::Dap(message.clone()));
            }
            if let Some(settings) = message.get("settings")
                && let Ok(settings) = serde_json::from_value(settings.clone())
            {
                return Some(EngineMessage::Settings(Box::new(settings)));
            }
        }
    }

    /// A sender of requests that any thread can use.
    pub fn answers(&self) -> std::io::Result<Answers> {
        Ok(Answers(self.writer.try_clone()?))
    }
}

/// Sends requests to the engine.
#[derive(Debug)]
pub struct Answers(UnixStream);

impl Answers {
    /// Sends a line of the terminal.
    pub fn command(&mut self, line: &str) -> bool {
        send(&mut self.0, &json!({ "command": line }))
    }

    /// Sends an editor's request.
    pub fn dap(&mut self, request: &Value) -> bool {
        send(&mut self.0, &json!({ "dap": request }))
    }

    /// Interrupts the launch that the engine executes.
    pub fn interrupt(&mut self) -> bool {
        send(&mut self.0, &json!({ "interrupt": true }))
    }

    /// Closes the connection to the engine.
    pub fn close(&mut self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}
