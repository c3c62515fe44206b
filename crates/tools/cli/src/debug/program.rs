//! Debugs a program: the engine is inside the driver in the program's process, and is connected by
//! a socket.

use super::{DebugArgs, Script};
use crate::program::{NOT_STARTED, RunArgs};
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use texunit_debug::remote::{Answers, EngineMessage, Served, VARIABLE};
use texunit_debug::{Console, Idle, Request, Settings};
use texunit_files::PrivateFolder;

/// The socket that a debugged program finds in its environment, in a folder that only this user can
/// access; it is removed together with its folder.
pub(super) struct Socket {
    folder: PrivateFolder,
    pub(super) listener: UnixListener,
}

impl Socket {
    pub(super) fn new() -> io::Result<Self> {
        let folder = PrivateFolder::new(&std::env::temp_dir(), "texunit-debug-")?;
        let listener = UnixListener::bind(folder.path().join("socket"))?;
        Ok(Self { folder, listener })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("socket")
    }
}

/// An event during a program's run.
enum DebugEvent {
    Asks(UnixStream),
    Ended(ExitStatus),
}

/// Debugs a program; returns the exit code.
pub(super) fn run(args: &DebugArgs) -> u8 {
    debug(args).unwrap_or_else(|message| crate::out::error(message, NOT_STARTED))
}

fn debug(args: &DebugArgs) -> Result<u8, String> {
    let mut settings = args.settings();
    let mut script = args.script();
    // Errors in the arguments are reported before the first prompt.
    let run = run_args(args)?;
    crate::program::command(&run)?;
    let signalled = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&signalled))
        .map_err(|e| format!("cannot hear Ctrl-C: {e}"))?;
    loop {
        let Some(line) = script.next(settings.prompt()) else { return Ok(0) };
        let mut out = String::new();
        let outcome = settings.command(&line, &mut |text| out.push_str(text));
        if outcome == Idle::Failed {
            script.failed(&out)
        } else {
            script.write(&out)
        }
        match outcome {
            Idle::Quit => return Ok(0),
            Idle::Run => {
                if runs(args, &run, (&mut settings, &mut script), &signalled)? {
                    return Ok(0);
                }
            }
            Idle::Done | Idle::Failed => {}
        }
    }
}

fn run_args(args: &DebugArgs) -> Result<RunArgs, String> {
    let words = args.shared("--device").into_iter().map(OsString::from).chain(["--".into()]);
    RunArgs::parse(words.chain(args.target.iter().cloned()).collect()).map_err(|e| e.to_string())
}

/// Runs the program once; returns whether the session is over.
fn runs(
    args: &DebugArgs,
    run: &RunArgs,
    (settings, script): (&mut Settings, &mut Script),
    signalled: &Arc<AtomicBool>,
) -> Result<bool, String> {
    let socket = Socket::new().map_err(|e| format!("no socket for the debugger: {e}"))?;
    let mut command = crate::program::command(run)?;
    command.env(VARIABLE, socket.path());
    // Ctrl-C interrupts kernels: it is sent through the socket, not to the program.
    command.process_group(0);
    if !std::io::stdin().is_terminal() {
        // Standard input is used for commands.
        command.stdin(std::process::Stdio::null());
    }
    let mut child = command.spawn().map_err(|e| format!("cannot start the program: {e}"))?;
    let process = child.id();
    let news = news(&socket, &mut child)?;
    let mut seen = 0;
    let mut is_over = false;
    loop {
        match news.recv_timeout(Duration::from_millis(100)) {
            Ok(DebugEvent::Ended(status)) => {
                if !is_over {
                    settings.missed().iter().for_each(|missed| script.write(missed));
                    script.write(&ended(process, status));
                }
                return Ok(is_over);
            }
            Ok(DebugEvent::Asks(stream)) => {
                seen += 1;
                let chosen = (seen == args.process).then_some(&*settings);
                let Some(served) = Served::accept(stream, chosen) else { continue };
                is_over |= serve(served, settings, script, signalled);
            }
            Err(RecvTimeoutError::Timeout) => {
                // No kernel is running that could be interrupted.
                if signalled.swap(false, Relaxed) {
                    script.failed("No kernel runs now; the program goes on.\n");
                }
            }
            Err(RecvTimeoutError::Disconnected) => return Ok(true),
        }
    }
}

/// Waits for connections, and for the end of the program.
fn news(socket: &Socket, child: &mut Child) -> Result<Receiver<DebugEvent>, String> {
    let (to, news) = channel();
    let listener = socket.listener.try_clone().map_err(|e| e.to_string())?;
    let asks = to.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            if asks.send(DebugEvent::Asks(stream)).is_err() {
                break;
            }
        }
    });
    let process = child.id();
    std::thread::spawn(move || {
        let _ = to.send(DebugEvent::Ended(end_of(process)));
    });
    Ok(news)
}

/// Waits for the end of a child, from any thread.
pub(super) fn end_of(process: u32) -> ExitStatus {
    use nix::sys::wait::{WaitStatus, waitpid};
    ExitStatus::from_raw(match waitpid(nix::unistd::Pid::from_raw(process as i32), None) {
        Ok(WaitStatus::Exited(_, code)) => code << 8,
        Ok(WaitStatus::Signaled(_, signal, _)) => signal as i32,
        _ => 0,
    })
}

/// Serves the debugged process until it ends or detaches; returns whether the session is over.
fn serve(
    mut served: Served,
    settings: &mut Settings,
    script: &mut Script,
    signalled: &Arc<AtomicBool>,
) -> bool {
    let Ok(mut answers) = served.answers() else { return true };
    let done = Arc::new(AtomicBool::new(false));
    let watcher = served.answers().map(|answers| interrupts(answers, signalled, &done));
    let mut is_over = false;
    while let Some(said) = served.hear() {
        match said {
            EngineMessage::Asks(prompt) => {
                settings.is_met = true;
                match script.next(&prompt) {
                    Some(line) => drop(answers.ask(Request::Command(line))),
                    None => {
                        is_over = true;
                        answers.ask(Request::Command("kill".to_owned()));
                    }
                }
            }
            EngineMessage::Text(text) => script.write(&text),
            EngineMessage::Failed(text) => script.failed(&text),
            EngineMessage::Settings(now) => *settings = *now,
            EngineMessage::Dap(_) => {}
        }
    }
    done.store(true, Relaxed);
    if let Ok(watcher) = watcher {
        let _ = watcher.join();
    }
    is_over
}

/// Forwards Ctrl-C.
fn interrupts(
    mut answers: Answers,
    signalled: &Arc<AtomicBool>,
    done: &Arc<AtomicBool>,
) -> std::thread::JoinHandle<()> {
    let (signalled, done) = (Arc::clone(signalled), Arc::clone(done));
    std::thread::spawn(move || {
        while !done.load(Relaxed) {
            if signalled.swap(false, Relaxed) {
                answers.interrupt();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    })
}

fn ended(process: u32, status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(0), _) => format!("[Inferior 1 (process {process}) exited normally]\n"),
        (Some(code), _) => {
            format!("[Inferior 1 (process {process}) exited with code {code:02o}]\n")
        }
        (None, Some(nix::libc::SIGKILL)) => format!("[Inferior 1 (process {process}) killed]\n"),
        (None, signal) => format!("\nProgram terminated with signal {}.\n", signal.unwrap_or(0)),
    }
}
