//! The interface between a session and its user: a terminal, a script or an editor's adapter, each
//! in this process or behind a socket.

use super::Settings;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A request of the user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// A line of the terminal.
    Command(String),
    /// A request of the debug adapter protocol.
    Dap(Value),
}

/// The user's side of a session.
pub trait Console: Send {
    /// Reads the next request; `None` when the other side has disconnected.
    fn read(&mut self, prompt: &str) -> Option<Request>;

    /// The next request if it has arrived already; does not wait.
    fn waiting(&mut self) -> Option<Request> {
        None
    }

    /// Writes output of a command.
    fn write(&mut self, text: &str);

    /// Writes the error of a command.
    fn failed(&mut self, text: &str) {
        self.write(text);
    }

    /// Sends a message of the debug adapter protocol.
    fn send(&mut self, _message: Value) {}

    /// Receives the settings at the end of a launch, to be kept until the next one.
    fn keeps(&mut self, _settings: &Settings) {}

    /// Receives the flag that an interrupt sets, while a launch is debugged.
    fn watches(&mut self, _interrupted: Option<Arc<AtomicBool>>) {}
}
