//! A console behind a socket: the process of a program has the engine, `texunit` has the terminal, or the editor.
//!
//! Messages are JSON values, one a line. The engine's side asks for a command and says what it answers; the other side
//! sends commands, requests of an adapter, and interruptions, which a thread of its own takes as they come.

use crate::console::{Console, Request};
use crate::session::Settings;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// The variable that names the socket to a program.
pub const VARIABLE: &str = "TEXUNIT_DEBUG";
/// Bytes of a message that are read at most.
const LONGEST: u64 = 64 << 20;

type Interrupted = Arc<Mutex<Option<Arc<AtomicBool>>>>;

/// The engine's end.
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

/// Reads a message; `None`: the other side is gone.
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
    /// Asks whether this process is the one that is debugged; then its console, and what the session begins with. `spawn`
    /// runs what takes requests in a thread.
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
        // Without the other side, the next question ends the session.
        let _ = send(&mut self.stream, message);
    }
}

/// Takes messages as they come.
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

/// The other end.
#[derive(Debug)]
pub struct Served {
    reader: BufReader<UnixStream>,
    writer: UnixStream,
}

/// What the engine says.
#[derive(Clone, Debug)]
pub enum Said {
    /// It waits for a request.
    Asks(String),
    /// An answer.
    Text(String),
    /// Why a command has failed.
    Failed(String),
    /// A message for an editor.
    Dap(Value),
    /// What the session knows now.
    Settings(Box<Settings>),
}

impl Served {
    /// Takes a process that has asked: its number. It is refused if it is not the one.
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

    /// What is said next; `None`: the process has ended.
    pub fn hear(&mut self) -> Option<Said> {
        loop {
            let message = receive(&mut self.reader)?;
            let text = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
            if let Some(prompt) = text("ask") {
                return Some(Said::Asks(prompt));
            }
            if let Some(text) = text("text") {
                return Some(Said::Text(text));
            }
            if let Some(text) = text("failed") {
                return Some(Said::Failed(text));
            }
            if let Some(message) = message.get("dap") {
                return Some(Said::Dap(message.clone()));
            }
            if let Some(settings) = message.get("settings")
                && let Ok(settings) = serde_json::from_value(settings.clone())
            {
                return Some(Said::Settings(Box::new(settings)));
            }
        }
    }

    /// Something to answer with, from any thread.
    pub fn answers(&self) -> std::io::Result<Answers> {
        Ok(Answers(self.writer.try_clone()?))
    }
}

/// Sends requests.
#[derive(Debug)]
pub struct Answers(UnixStream);

impl Answers {
    /// A line of the terminal.
    pub fn command(&mut self, line: &str) -> bool {
        send(&mut self.0, &json!({ "command": line }))
    }

    /// A request of an editor.
    pub fn dap(&mut self, request: &Value) -> bool {
        send(&mut self.0, &json!({ "dap": request }))
    }

    /// The launch is to stop where it is.
    pub fn interrupt(&mut self) -> bool {
        send(&mut self.0, &json!({ "interrupt": true }))
    }

    /// Nobody asks any more.
    pub fn close(&mut self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}
