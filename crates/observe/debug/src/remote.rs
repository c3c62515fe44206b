//! A console behind a socket: the engine is in the program's process, the terminal or editor is
//! connected to `texunit`.
//!
//! Messages are JSON values, one per line. The engine requests commands and sends their output. The
//! other side sends commands, an adapter's requests, and interrupts, which a separate thread of the
//! program's process receives.

use crate::session::Settings;
use crate::session::console::{Console, Request};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
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
#[derive(Debug)]
pub struct Remote {
    stream: UnixStream,
    requests: Receiver<Request>,
    interrupted: Interrupted,
}

/// The messages that the user's side sends.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum UserMessage {
    /// The first message: how the process is debugged, or that it is not.
    Settings(Option<Box<Settings>>),
    Request(Request),
    /// Stop the launch that the engine executes.
    Interrupt,
}

/// Receives a message; `None` if the other side has disconnected, or has sent something else.
fn receive<T: DeserializeOwned>(from: &mut impl BufRead) -> Option<T> {
    let mut line = Vec::new();
    from.take(LONGEST).read_until(b'\n', &mut line).ok()?;
    serde_json::from_slice(&line).ok()
}

fn send(to: &mut UnixStream, message: &impl Serialize) -> bool {
    let line = serde_json::to_string(message).map(|line| line + "\n");
    line.is_ok_and(|line| to.write_all(line.as_bytes()).is_ok())
}

impl Remote {
    /// Asks whether this process is to be debugged; if so, returns its console and the settings.
    /// `spawn` starts the thread that receives requests.
    pub fn connect(
        path: &Path,
        spawn: impl FnOnce(Box<dyn FnOnce() + Send>),
    ) -> Option<(Self, Settings)> {
        let stream = UnixStream::connect(path).ok()?;
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let Some(UserMessage::Settings(Some(settings))) = receive(&mut reader) else { return None };
        let (to, requests) = channel();
        let interrupted = Interrupted::default();
        let flag = Arc::clone(&interrupted);
        spawn(Box::new(move || take(&mut reader, &to, &flag)));
        Some((Self { stream, requests, interrupted }, *settings))
    }

    fn send_message(&mut self, message: &EngineMessage) {
        // If the other side has disconnected, the next read ends the session.
        let _ = send(&mut self.stream, message);
    }
}

/// Receives messages until the other side disconnects.
fn take(reader: &mut BufReader<UnixStream>, to: &Sender<Request>, interrupted: &Interrupted) {
    while let Some(message) = receive(reader) {
        match message {
            UserMessage::Interrupt => {
                let flag = interrupted.lock().unwrap_or_else(PoisonError::into_inner);
                flag.iter().for_each(|flag| flag.store(true, Relaxed));
            }
            UserMessage::Request(request) => {
                if to.send(request).is_err() {
                    break;
                }
            }
            UserMessage::Settings(_) => break,
        }
    }
}

impl Console for Remote {
    fn read(&mut self, prompt: &str) -> Option<Request> {
        self.send_message(&EngineMessage::Asks(prompt.to_owned()));
        self.requests.recv().ok()
    }

    fn waiting(&mut self) -> Option<Request> {
        self.requests.try_recv().ok()
    }

    fn write(&mut self, text: &str) {
        if !text.is_empty() {
            self.send_message(&EngineMessage::Text(text.to_owned()));
        }
    }

    fn failed(&mut self, text: &str) {
        self.send_message(&EngineMessage::Failed(text.to_owned()));
    }

    fn send(&mut self, message: Value) {
        self.send_message(&EngineMessage::Dap(message));
    }

    fn keeps(&mut self, settings: &Settings) {
        self.send_message(&EngineMessage::Settings(Box::new(settings.clone())));
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
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// Accepts a process that connects. Without `settings` it is rejected.
    pub fn accept(stream: UnixStream, settings: Option<&Settings>) -> Option<Self> {
        let mut writer = stream.try_clone().ok()?;
        send(&mut writer, &UserMessage::Settings(settings.cloned().map(Box::new)));
        settings.map(|_| Self { reader: BufReader::new(stream), writer })
    }

    /// The next message; `None` when the process has ended.
    pub fn hear(&mut self) -> Option<EngineMessage> {
        receive(&mut self.reader)
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
    /// Sends a line of the terminal, or an editor's request.
    pub fn ask(&mut self, request: Request) -> bool {
        send(&mut self.0, &UserMessage::Request(request))
    }

    /// Interrupts the launch that the engine executes.
    pub fn interrupt(&mut self) -> bool {
        send(&mut self.0, &UserMessage::Interrupt)
    }

    /// Closes the connection to the engine.
    pub fn close(&mut self) {
        let _ = self.0.shutdown(std::net::Shutdown::Both);
    }
}
