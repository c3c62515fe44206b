//! `texunit dap`: the stream of the Debug Adapter Protocol, and the requests before and after a
//! program runs.
//!
//! The launch is in a process of its own, that of a program or of a job (`texunit debug
//! --connect`), which answers requests while a launch is stopped (`texunit_debug`, `dap`). This
//! module reads, numbers and forwards them.

mod launch;

use super::program::{Socket, end_of};
use crate::framing;
use clap::Args;
use launch::{LaunchSettings, command, wanted};
use serde_json::{Value, json};
use std::io::{BufReader, Read, Write, stdin, stdout};
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Sender, channel};
use texunit_debug::remote::{Answers, EngineMessage, Served};
use texunit_debug::{Editor, Request, Settings, capabilities, response};

/// Arguments of `texunit dap`.
#[derive(Clone, Debug, Args)]
#[command(after_help = crate::examples::of("texunit dap"))]
pub struct DapArgs {
    /// Listen on this port of 127.0.0.1 for one editor, in place of standard input and output; 0:
    /// any, which is printed.
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
}

enum DebugEvent {
    Request(Value),
    Closed,
    Connected(Served),
    EngineMessage(EngineMessage),
    Output(&'static str, String),
    Silent,
    Ended(i32),
}

/// Maximum size of a message in bytes.
const LONGEST: u64 = 64 << 20;

/// Reads messages and sends them to the main loop.
fn read(from: impl Read, to: &Sender<DebugEvent>) {
    let mut from = BufReader::new(from);
    while let Ok(Some(Ok(bytes))) = framing::read(&mut from, LONGEST)
        && let Ok(message) = serde_json::from_slice(&bytes)
    {
        if to.send(DebugEvent::Request(message)).is_err() {
            return;
        }
    }
    let _ = to.send(DebugEvent::Closed);
}

/// Runs the command; returns the exit code.
pub fn run(args: &DapArgs) -> u8 {
    // Nothing else writes to the adapter's standard output.
    let Some(port) = args.port else {
        return Adapter::new(Box::new(stdout())).serve(stdin());
    };
    let listening = TcpListener::bind(("127.0.0.1", port));
    let accepted = listening.and_then(|listener| {
        let _ = crate::out::print(&format!("listening on {}\n", listener.local_addr()?));
        let (stream, _) = listener.accept()?;
        Ok((stream.try_clone()?, stream))
    });
    match accepted {
        Ok((reader, writer)) => Adapter::new(Box::new(writer)).serve(reader),
        Err(error) => crate::out::error(format_args!("port {port}: {error}"), crate::FAILED),
    }
}

struct Adapter {
    out: Box<dyn Write>,
    seq: i64,
    settings: Settings,
    wanted: Option<LaunchSettings>,
    answers: Option<Answers>,
    child: Option<Child>,
    socket: Option<Socket>,
    /// Whether a launch is stopped.
    stands: bool,
    is_over: bool,
    /// Number of output pipes and connections that are still open.
    outputs: u32,
    ended: Option<i32>,
}

impl Adapter {
    fn new(out: Box<dyn Write>) -> Self {
        Self {
            out,
            seq: 0,
            settings: Settings::of_editor(Editor::default()),
            wanted: None,
            answers: None,
            child: None,
            socket: None,
            stands: false,
            is_over: false,
            outputs: 0,
            ended: None,
        }
    }

    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        message["seq"] = json!(self.seq);
        // If the editor has disconnected, the next read ends the session.
        let _ = framing::write(&mut self.out, &message.to_string());
    }

    fn event(&mut self, name: &str, body: Value) {
        self.send(json!({ "type": "event", "event": name, "body": body }));
    }

    fn answer(&mut self, request: &Value, result: Result<Value, String>) {
        self.send(response(request, result, 2));
    }

    fn serve(mut self, from: impl Read + Send + 'static) -> u8 {
        let (to, news) = channel();
        let reader = to.clone();
        std::thread::spawn(move || read(from, &reader));
        let (mut began, mut closed) = (false, false);
        while let Ok(what) = news.recv() {
            match what {
                DebugEvent::Request(request) => {
                    began = true;
                    self.request(&request, &to);
                }
                DebugEvent::Closed => {
                    closed = true;
                    break;
                }
                DebugEvent::Connected(served) => self.connected(served, &to),
                DebugEvent::EngineMessage(said) => self.heard(said),
                DebugEvent::Output(category, output) => {
                    self.event("output", json!({ "category": category, "output": output }));
                }
                DebugEvent::Silent => {
                    self.outputs = self.outputs.saturating_sub(1);
                    self.tell_end();
                }
                DebugEvent::Ended(code) => {
                    self.ended = Some(code);
                    self.tell_end();
                }
            }
            if self.is_over {
                break;
            }
        }
        self.kill();
        u8::from(began && closed && !self.is_over)
    }

    /// Reports the end of the program, after all of its output.
    fn tell_end(&mut self) {
        if self.outputs > 0 {
            return;
        }
        if let Some(code) = self.ended.take() {
            self.stands = false;
            self.answers = None;
            self.child = None;
            if let Some(missed) = self.settings.missed() {
                self.event("output", json!({ "category": "console", "output": missed }));
            }
            self.event("exited", json!({ "exitCode": code }));
            self.event("terminated", json!({}));
        }
    }

    fn kill(&mut self) {
        if let Some(child) = &mut self.child {
            let process = nix::unistd::Pid::from_raw(child.id() as i32);
            let _ = nix::sys::signal::kill(process, nix::sys::signal::Signal::SIGKILL);
        }
    }

    fn request(&mut self, request: &Value, to: &Sender<DebugEvent>) {
        let command = request["command"].as_str().unwrap_or("").to_owned();
        let arguments = request.get("arguments").cloned().unwrap_or_else(|| json!({}));
        match command.as_str() {
            "initialize" => self.answer(request, Ok(capabilities())),
            "attach" => {
                let why = "Programs are started by this adapter; there is no `attach`.";
                self.answer(request, Err(why.to_owned()));
            }
            "launch" => match wanted(&arguments) {
                Ok(wanted) => {
                    self.wanted = Some(wanted);
                    self.answer(request, Ok(json!({})));
                    self.event("initialized", json!({}));
                }
                Err(error) => self.answer(request, Err(error)),
            },
            "configurationDone" => {
                let started = self.start(to);
                let failed = started.is_err();
                self.answer(request, started.map(|()| json!({})));
                if failed {
                    self.event("terminated", json!({}));
                }
            }
            "disconnect" | "terminate" => {
                self.kill();
                self.answer(request, Ok(json!({})));
                if command == "disconnect" {
                    self.is_over = true;
                }
            }
            "pause" => {
                if let Some(answers) = &mut self.answers {
                    answers.interrupt();
                }
                self.answer(request, Ok(json!({})));
            }
            _ if self.stands => self.hand_on(request, &command),
            _ => self.alone(request, &command, &arguments),
        }
    }

    /// Forwards a request to the debugged process.
    fn hand_on(&mut self, request: &Value, command: &str) {
        if matches!(
            command,
            "continue" | "next" | "stepIn" | "stepOut" | "stepBack" | "reverseContinue"
        ) {
            self.stands = false;
        }
        // Breakpoints set before a launch must also reach the next process.
        let _ = self.settings.configure(command, &request["arguments"]);
        if let Some(answers) = &mut self.answers {
            answers.ask(Request::Dap(request.clone()));
        }
    }

    /// Answers a request while no launch is stopped.
    fn alone(&mut self, request: &Value, command: &str, arguments: &Value) {
        if let Some(numbers) = self.settings.configure(command, arguments) {
            if let Some(answers) = &mut self.answers {
                let mut quiet = request.clone();
                quiet["quiet"] = json!(true);
                answers.ask(Request::Dap(quiet));
            }
            self.answer(request, numbers.map(|numbers| Settings::unverified(&numbers)));
            return;
        }
        let result = match command {
            "threads" => Ok(json!({ "threads": [{ "id": 1, "name": "kernel" }] })),
            "setDataBreakpoints" => Ok(json!({ "breakpoints": [] })),
            "continue" if self.child.is_some() => Ok(json!({ "allThreadsContinued": true })),
            _ => Err("No launch of a kernel stands.".to_owned()),
        };
        self.answer(request, result);
    }

    fn start(&mut self, to: &Sender<DebugEvent>) -> Result<(), String> {
        let wanted = self.wanted.take().ok_or("There was no `launch`.")?;
        let socket = Socket::new().map_err(|e| format!("no socket for the debugger: {e}"))?;
        let mut command = command(&wanted, &socket.path())?;
        for (name, value) in &wanted.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        if let Some(folder) = &wanted.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().map_err(|e| format!("cannot start `{}`: {e}", wanted.target[0]))?;
        self.settings.take_launch(wanted.settings);
        let outputs = [
            child.stdout.take().map(|pipe| ("stdout", Box::new(pipe) as Box<dyn Read + Send>)),
            child.stderr.take().map(|pipe| ("stderr", Box::new(pipe) as Box<dyn Read + Send>)),
        ];
        for (category, mut pipe) in outputs.into_iter().flatten() {
            self.outputs += 1;
            let to = to.clone();
            std::thread::spawn(move || {
                let mut buffer = [0; 8192];
                while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                    let text = String::from_utf8_lossy(&buffer[..count]).into_owned();
                    if to.send(DebugEvent::Output(category, text)).is_err() {
                        return;
                    }
                }
                let _ = to.send(DebugEvent::Silent);
            });
        }
        let listener = socket.listener.try_clone().map_err(|e| e.to_string())?;
        let (accepts, settings, chosen) =
            (to.clone(), self.settings.clone(), wanted.process.max(1));
        std::thread::spawn(move || {
            let mut seen = 0;
            for stream in listener.incoming().flatten() {
                seen += 1;
                let own = (seen == chosen).then_some(&settings);
                if let Some(served) = Served::accept(stream, own) {
                    let _ = accepts.send(DebugEvent::Connected(served));
                }
            }
        });
        let (ends, process) = (to.clone(), child.id());
        std::thread::spawn(move || {
            let status = end_of(process);
            let signal = || status.signal().map(|signal| 128 + signal);
            let _ = ends.send(DebugEvent::Ended(status.code().or_else(signal).unwrap_or(0)));
        });
        (self.child, self.socket) = (Some(child), Some(socket));
        Ok(())
    }

    fn connected(&mut self, mut served: Served, to: &Sender<DebugEvent>) {
        self.answers = served.answers().ok();
        // The messages of a connection come before its end, as output does.
        self.outputs += 1;
        let to = to.clone();
        std::thread::spawn(move || {
            while let Some(said) = served.hear() {
                if to.send(DebugEvent::EngineMessage(said)).is_err() {
                    return;
                }
            }
            let _ = to.send(DebugEvent::Silent);
        });
    }

    fn heard(&mut self, said: EngineMessage) {
        match said {
            EngineMessage::Dap(message) => {
                if message["event"] == "stopped" {
                    self.stands = true;
                    self.settings.is_met = true;
                }
                self.send(message);
            }
            EngineMessage::Text(text) | EngineMessage::Failed(text) => {
                self.event("output", json!({ "category": "console", "output": text }));
            }
            EngineMessage::Settings(_) => self.stands = false,
            EngineMessage::Asks(_) => {}
        }
    }
}
