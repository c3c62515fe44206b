//! Who asks, and who is answered: a terminal, a script, an adapter, each in this process or behind a socket.

use crate::session::Settings;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// A line of the terminal.
    Command(String),
    /// A request of the debug adapter protocol.
    Dap(Value),
}

/// The other side of a session.
pub trait Console: Send {
    /// The next request; `None`: nobody is there any more.
    fn read(&mut self, prompt: &str) -> Option<Request>;

    /// A request that is there already.
    fn waiting(&mut self) -> Option<Request> {
        None
    }

    /// Writes an answer.
    fn write(&mut self, text: &str);

    /// Writes why a command has failed.
    fn failed(&mut self, text: &str) {
        self.write(text);
    }

    /// Sends a message of the debug adapter protocol.
    fn send(&mut self, _message: Value) {}

    /// What the session knows when a launch has ended, for the time in which none stands.
    fn keeps(&mut self, _settings: &Settings) {}

    /// What an interruption sets while a launch is debugged.
    fn watches(&mut self, _interrupted: Option<Arc<AtomicBool>>) {}
}
