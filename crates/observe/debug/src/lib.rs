//! A debugger of kernels that goes backwards.
//!
//! One engine, two faces. The engine is a [`Debugging`], a [`Debugger`] of the executor (`simt::debug`), which runs in the
//! thread that launches a kernel: of a job in the process of `texunit`, of a program in the program's own process, inside
//! the driver. It is given the launch before its first instruction, and holds it (and with it the host) until somebody lets
//! it go on to its end. Who asks and is answered is a [`Console`]: a terminal (`terminal`: gdb's words and forms), an editor
//! (`dap`: the Debug Adapter Protocol), in the same process or behind a socket ([`remote`]). `texunit debug` and `texunit
//! dap` are only the ends of that; no state of a session is anywhere but here.
//!
//! * `module`: places of the source, functions, frames. `dwarf`: variables and their types. `expr`, `value`: expressions
//!   and how values are shown.
//! * `session`: breakpoints, stepping (`run`), going back (`back`). `history`: checkpoints.
//! * `terminal`, `dap`: the faces.
//!
//! # Backwards
//!
//! A launch is executed by one thread in one order, so a position (how many instructions warps have executed in the CTA
//! that runs, and how many CTAs have ended) is a place of a launch. To go back is to take up a checkpoint before it and
//! to execute from there, twice: once to find the last place that is asked for, and once to stand there.

mod console;
mod dap;
mod dwarf;
mod expr;
mod focus;
mod history;
mod module;
#[cfg(unix)]
pub mod remote;
mod session;
mod terminal;
mod unit;
mod value;

pub use console::{Console, Request};
pub use dap::config::{Editor, capabilities};
pub use session::Settings;
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
    /// A session that begins with these settings.
    pub fn new(settings: Settings, console: Box<dyn Console>) -> Self {
        let session = Session::new(settings);
        Self(Mutex::new(Inner { session, console, stops_first: false }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the next launch, of this kernel, is to be debugged: others run as without a debugger.
    pub fn wants(&self, kernel: &str) -> bool {
        let mut inner = self.inner();
        let (wants, stops_first) = inner.session.counts(kernel);
        inner.stops_first = stops_first;
        wants
    }

    /// Does what is asked for while no launch stands, up to a command that ends that.
    pub fn idles(&self) -> Idle {
        let mut inner = self.inner();
        let Inner { session, console, .. } = &mut *inner;
        while let Some(request) = console.read(session.settings.prompt()) {
            let Request::Command(line) = request else { continue };
            let mut out = String::new();
            let came = session.settings.command(&line, &mut |text| out.push_str(text));
            match came {
                Idle::Failed => console.failed(&out),
                _ => console.write(&out),
            }
            if matches!(came, Idle::Run | Idle::Quit) {
                return came;
            }
        }
        Idle::Quit
    }

    /// Whether the program is to be ended.
    pub fn is_killed(&self) -> bool {
        self.inner().session.is_killed
    }

    /// Does something with the console while no launch stands.
    pub fn with_console<T>(&self, work: impl FnOnce(&mut dyn Console) -> T) -> T {
        work(&mut *self.inner().console)
    }
}

/// The session for one launch.
#[derive(Clone, Copy, Debug)]
pub struct OfLaunch<'a> {
    /// The session.
    pub debugging: &'a Debugging,
    /// What the launch's checks tell of their findings, if it has checks: its observer.
    pub findings: Option<&'a Log>,
}

impl Debugger for OfLaunch<'_> {
    fn debugs(&self, machine: &mut Machine<'_>) {
        let mut inner = self.debugging.inner();
        let Inner { session, console, stops_first } = &mut *inner;
        session.debugs(machine, &mut **console, std::mem::take(stops_first), self.findings);
    }
}
