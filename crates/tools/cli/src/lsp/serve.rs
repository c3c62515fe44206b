//! The main loop of the language server: passes messages of the client and results of two worker
//! threads to the server, and its answers to the client.

use super::transport;
use super::worker::Worker;
use crate::framing;
use std::io::{self, Read, Write};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use texunit_lsp::{Incoming, Server, Task, TaskResult};

/// Events of the loop.
enum Event {
    Incoming(Incoming),
    TaskResult(TaskResult),
    /// The client has closed its stream.
    End,
}

/// Serves a client until it disconnects; returns the exit code.
pub(super) fn serve<R: Read>(input: impl FnOnce() -> R + Send + 'static, output: impl Write) -> u8 {
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
        while let Ok(Some(incoming)) = transport::read(&mut input) {
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
