//! `texunit lsp`: the language server of the crate `texunit-lsp` over standard input and output.
//!
//! This module has framing, threads and exit codes; the crate answers messages. Its main loop
//! passes messages of the client and results of two worker threads to the server, and its answers
//! to the client. An invalid message is answered with an error, and reading continues after it.
//! docs/lsp.md is the user's documentation.

mod worker;

use crate::framing::{self, Unframed};
use clap::Args;
use std::io::{self, BufRead, BufWriter, Read, Write, stdin, stdout};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use texunit_lsp::{ErrorCode, Incoming, Server, Task, TaskResult};
use worker::Worker;

/// Arguments of `texunit lsp`.
#[derive(Clone, Debug, Args)]
#[command(after_help = crate::examples::of("texunit lsp"))]
pub struct LspArgs {
    /// Communicate over standard input and output; this is always the case.
    #[arg(long)]
    pub stdio: bool,
}

/// Runs the command; returns the exit code.
pub fn run(_args: &LspArgs) -> u8 {
    serve(stdin, BufWriter::new(stdout().lock()))
}

/// Events of the loop.
enum Event {
    Incoming(Incoming),
    TaskResult(TaskResult),
    /// The client has closed its stream.
    End,
}

/// Serves a client until it disconnects; returns the exit code.
fn serve<R: Read>(input: impl FnOnce() -> R + Send + 'static, output: impl Write) -> u8 {
    let (sender, events) = channel();
    let Ok(mut session) = start(input, sender, output) else { return crate::USAGE };
    let end = session.run(&events);
    // Disconnecting without `shutdown` is a failure of the client.
    if end.is_ok() && session.server.was_shut_down() { 0 } else { crate::FAILED }
}

fn start<R: Read, W: Write>(
    input: impl FnOnce() -> R + Send + 'static,
    sender: Sender<Event>,
    out: W,
) -> io::Result<Session<W>> {
    let indexer = Worker::start("index", sender.clone(), Event::TaskResult, Task::index)?;
    let checker = Worker::start("check", sender.clone(), Event::TaskResult, Task::check)?;
    std::thread::Builder::new().name("input".into()).spawn(move || {
        let mut input = io::BufReader::with_capacity(1 << 16, input());
        while let Ok(Some(incoming)) = read(&mut input) {
            if sender.send(Event::Incoming(incoming)).is_err() {
                return;
            }
        }
        let _ = sender.send(Event::End);
    })?;
    Ok(Session { server: Server::new(), out, indexer, checker })
}

/// A server with its client and workers.
struct Session<W> {
    server: Server,
    out: W,
    indexer: Worker,
    checker: Worker,
}

impl<W: Write> Session<W> {
    /// Handles events until the client disconnects.
    fn run(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        while !self.server.is_over() {
            // All pending changes are applied before a text is analysed.
            let event = match events.try_recv() {
                Ok(event) => event,
                Err(TryRecvError::Empty) => {
                    self.post();
                    events.recv().unwrap_or(Event::End)
                }
                Err(TryRecvError::Disconnected) => Event::End,
            };
            match event {
                Event::End => return Ok(()),
                Event::TaskResult(done) => self.server.done(done),
                Event::Incoming(incoming) => self.server.receive(incoming),
            }
            for uri in self.server.take_closed() {
                self.indexer.forget(&uri);
                self.checker.forget(&uri);
            }
            for message in self.server.take_messages() {
                framing::write(&mut self.out, &message)?;
            }
        }
        Ok(())
    }

    /// Sends changed texts to the workers.
    fn post(&mut self) {
        for task in self.server.take_tasks() {
            self.indexer.post(task.clone());
            self.checker.post(task);
        }
    }
}

/// Maximum length of a message in bytes.
const MAX_LEN: u64 = 2 << 30;

/// Reads the next message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    Ok(framing::read(input, MAX_LEN)?.map(|body| match body {
        Ok(bytes) => Incoming::read(&bytes),
        Err(Unframed::NoLength) => {
            Incoming::unreadable(ErrorCode::ParseError, "expected a header with Content-Length")
        }
        Err(Unframed::TooLong) => {
            let message = format!("messages have at most {MAX_LEN} bytes");
            Incoming::unreadable(ErrorCode::InvalidRequest, &message)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Methods of the messages in an input, and error codes of the messages that are refused.
    fn all(input: &str) -> Vec<String> {
        let mut input = input.as_bytes();
        let mut found = Vec::new();
        while let Some(incoming) = read(&mut input).unwrap_or(None) {
            found.push(match incoming {
                Incoming::Request(r) => format!("{} {}", serde_json::json!(r.id), r.method),
                Incoming::Notification(n) => n.method,
                Incoming::Refused(value) => format!("{} {}", value["id"], value["error"]["code"]),
            });
        }
        found
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn messages() {
        for (body, read) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"m"}"#, "7 m"),
            (r#"{"method":"n","params":[]}"#, "n"),
            (r#"{"id":"x","method":"m"}"#, "\"x\" m"),
            (r#"{"id":1,"result":null}"#, "$/answer"),
            (r#"{"id":null,"method":"n"}"#, "n"),
        ] {
            let typed = "Content-Type: application/vscode-jsonrpc; charset=utf-8\n";
            assert_eq!(all(&(typed.to_owned() + &framed(body) + &framed(body))), [read, read]);
        }
    }

    #[test]
    fn what_is_no_message() {
        let good = framed(r#"{"method":"n"}"#);
        for (bad, code) in [
            (framed("{"), "null -32700"),
            (framed("\u{0}"), "null -32700"),
            (framed(&"[".repeat(100_000)), "null -32700"),
            (framed("[]"), "null -32600"),
            (framed(r#"{"id":5}"#), "5 -32600"),
            (framed(r#"{"id":1.5,"method":"m"}"#), "1.5 -32600"),
            (framed(r#"{"id":4294967296,"method":"m"}"#), "4294967296 -32600"),
            (framed(r#"{"id":{},"method":"m"}"#), "{} -32600"),
            ("hello\r\n\r\n".into(), "null -32700"),
            ("Content-Length: many\r\n\r\n".into(), "null -32700"),
        ] {
            assert_eq!(all(&(bad.clone() + &good)), [code, "n"], "{bad:.40}");
        }
        assert!(all("Content-Length: 100\r\n\r\n{}").is_empty());
        assert!(all("Content-Length: 18446744073709551615\r\n\r\n").len() == 1);
        assert!(all("").is_empty());
    }
}
