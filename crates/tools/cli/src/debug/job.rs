//! Debugs a job in this process.

use super::{DebugArgs, Script};
use crate::launch_args::LaunchArgs;
use crate::{FAILED, USAGE, human};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use texunit_debug::{Console, Debugging, Idle, Request};

/// A terminal whose Ctrl-C interrupts launches.
struct Interruptible {
    script: Script,
    signalled: Arc<AtomicBool>,
    registered: Option<signal_hook::SigId>,
}

impl Console for Interruptible {
    fn read(&mut self, prompt: &str) -> Option<Request> {
        self.script.read(prompt)
    }

    fn write(&mut self, text: &str) {
        self.script.write(text);
    }

    fn failed(&mut self, text: &str) {
        self.script.failed(text);
    }

    fn watches(&mut self, interrupted: Option<Arc<AtomicBool>>) {
        if let Some(before) = self.registered.take() {
            signal_hook::low_level::unregister(before);
        }
        let flag = interrupted.unwrap_or_else(|| Arc::clone(&self.signalled));
        self.registered = signal_hook::flag::register(signal_hook::consts::SIGINT, flag).ok();
    }
}

fn launch_args(args: &DebugArgs, job: &Path) -> Result<LaunchArgs, clap::Error> {
    let shared = args.shared("--arch");
    let options: Vec<&str> = ["--quiet"].into_iter().chain(shared.iter().map(|s| &**s)).collect();
    LaunchArgs::parse(job, &args.out, &options)
}

/// Debugs a job; returns the exit code.
pub(super) fn run(args: &DebugArgs, job: &Path) -> u8 {
    let launch = match launch_args(args, job) {
        Ok(launch) => launch,
        Err(error) => {
            let _ = error.print();
            return USAGE;
        }
    };
    #[cfg(unix)]
    if let Some(socket) = &args.connect {
        let spawn = |take: Box<dyn FnOnce() + Send>| drop(std::thread::spawn(take));
        let Some((remote, settings)) = texunit_debug::remote::Remote::connect(socket, spawn) else {
            crate::out::stderr_line("error: the debugger does not answer");
            return FAILED;
        };
        let debugging = Debugging::new(settings, Box::new(remote));
        let report = crate::run::launch_debugged(&launch, &debugging);
        let _ = human::print(&report, true);
        return if report.succeeded() { 0 } else { FAILED };
    }
    let signalled = Arc::new(AtomicBool::new(false));
    let console = Interruptible { script: args.script(), signalled, registered: None };
    let mut settings = args.settings();
    settings.waits_for_run = true;
    let debugging = Debugging::new(settings, Box::new(console));
    loop {
        let report = crate::run::launch_debugged(&launch, &debugging);
        if debugging.is_killed() {
            return 0;
        }
        // The report follows the kernel's output.
        let _ = human::print(&report, true);
        let failed = !report.succeeded();
        if report.stats.is_none() && report.fault.is_none() {
            return FAILED;
        }
        let name = job.display();
        let missed = debugging.missed().unwrap_or_default();
        debugging.with_console(|console| {
            console.write(&missed);
            console.write(&match failed {
                false => format!("[Inferior 1 (job {name}) exited normally]\n"),
                true => format!("[Inferior 1 (job {name}) exited with code 01]\n"),
            });
        });
        match debugging.idles() {
            Idle::Run => {}
            _ => return if failed { FAILED } else { 0 },
        }
    }
}

/// Restores the usual effect of Ctrl-C.
impl Drop for Interruptible {
    fn drop(&mut self) {
        self.signalled.store(false, Relaxed);
        if let Some(registered) = self.registered.take() {
            signal_hook::low_level::unregister(registered);
        }
    }
}
