//! A debugger of kernels that can also run backwards.
//!
//! There is one engine with two user interfaces. The engine, [`Debugging`], implements the
//! executor's [`Debugger`] trait (`simt::debug`) and runs in the thread that launches a kernel: for
//! a job in the process of `texunit`, for a program inside the driver in the program's process. It
//! receives each launch before its first instruction, and keeps it (and with it the host thread)
//! stopped until the user lets it finish. The user is a [`Console`]: a terminal (`terminal`, with
//! the commands and output of gdb) or an editor (`dap`, the Debug Adapter Protocol), in the same
//! process or behind a socket ([`remote`]). `texunit debug` and `texunit dap` only connect engine
//! and console; all state of a session is in this crate.
//!
//! * `module`: source positions, functions, frames. `dwarf`: variables and their types. `expr`,
//!   `value`: expressions and formatting of values.
//! * `session`: breakpoints, including those from findings of checks, stepping (`run`), reverse
//!   execution (`back`). `history`: checkpoints. `unit`: textures, surfaces, and their texels as
//!   values.
//! * `terminal`, `dap`: the user interfaces. Commands that do not need a stopped launch are in
//!   `terminal::idle`.
//!
//! # Reverse execution
//!
//! A launch is executed by one thread in a fixed order, so a position (number of completed CTAs,
//! and number of warp instructions executed in the running CTA) identifies a state. Going back
//! restores an earlier checkpoint and executes from there, twice: once to find the last matching
//! position, and once to stop at it.

mod dap;
mod dwarf;
mod expr;
mod focus;
mod history;
mod module;
mod ptx;
#[cfg(unix)]
pub mod remote;
mod session;
mod terminal;
mod unit;
mod value;

pub use dap::config::{argument, capabilities};
pub use dap::response;
pub use session::Settings;
pub use session::console::{Console, Request};
pub use session::editor::Editor;
pub use terminal::idle::Idle;

use session::Session;
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_checks::Log;
use texunit_simt::debug::{Debugger, Machine};

struct Inner {
    session: Session,
    console: Box<dyn Console>,
    stops_first: bool,
}

/// A session with its console.
pub struct Debugging(Mutex<Inner>);

impl std::fmt::Debug for Debugging {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Debugging")
    }
}

impl Debugging {
    /// A session with these settings.
    pub fn new(settings: Settings, console: Box<dyn Console>) -> Self {
        let session = Session::new(settings);
        Self(Mutex::new(Inner { session, console, stops_first: false }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the next launch of this kernel is to be debugged; other launches run without the
    /// debugger.
    pub fn wants(&self, kernel: &str) -> bool {
        let mut inner = self.inner();
        let (wants, stops_first) = inner.session.counts(kernel);
        inner.stops_first = stops_first;
        wants
    }

    /// Executes commands between launches, until a command lets the program go on.
    pub fn idles(&self) -> Idle {
        let mut inner = self.inner();
        let Inner { session, console, .. } = &mut *inner;
        while let Some(request) = console.read(session.settings.prompt()) {
            let Request::Command(line) = request else { continue };
            let mut out = String::new();
            let outcome = session.settings.command(&line, &mut |text| out.push_str(text));
            match outcome {
                Idle::Failed => console.failed(&out),
                _ => console.write(&out),
            }
            if matches!(outcome, Idle::Run | Idle::Quit) {
                return outcome;
            }
        }
        Idle::Quit
    }

    /// Whether the program is to be killed.
    pub fn is_killed(&self) -> bool {
        self.inner().session.is_killed
    }

    /// Says that the kernel that is to be debugged was not launched.
    pub fn missed(&self) -> Option<String> {
        self.inner().session.settings.missed()
    }

    /// Uses the console between launches.
    pub fn with_console<T>(&self, work: impl FnOnce(&mut dyn Console) -> T) -> T {
        work(&mut *self.inner().console)
    }
}

/// The debugger of one launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchDebugger<'a> {
    /// The debugging session that the launch is part of.
    pub debugging: &'a Debugging,
    /// The log that the launch's checks report to.
    pub findings: Option<&'a Log>,
}

impl Debugger for LaunchDebugger<'_> {
    fn debugs(&self, machine: &mut Machine<'_>) {
        let mut inner = self.debugging.inner();
        let Inner { session, console, stops_first } = &mut *inner;
        session.debugs(machine, &mut **console, std::mem::take(stops_first), self.findings);
    }
}
