//! Checks for errors of CUDA programs that a GPU does not report.
//!
//! A [`Check`] observes the launches of kernels (`texunit_simt::observe`) and reports to a
//! [`Sink`]. [`Log`] holds the findings of all launches of a process: it groups them by source
//! line, counts them, and leaves out suppressed ones. [`Log::launch`] returns the observer of one
//! launch, which combines the enabled checks.
//!
//! # Guarantees
//!
//! * A check changes no result of a kernel and ends no kernel.
//! * Without enabled checks a launch has no observer, and runs the code that it would run without
//!   this crate.
//! * A [`Finding`] refers neither to the PTX module nor to its files, so that it can be stored,
//!   sent to another process, and written to a report (`texunit_evidence`).
//!
//! Faults are not found by this crate: the simulator reports them with or without checks (lists of
//! checks call them `memory`). Printing is not part of this crate either.

mod callers;
mod check;
mod end;
mod finding;
mod init;
mod launch;
mod leak;
mod log;
mod object;
mod padding;
mod pattern;
pub mod race;
mod sink;
mod suppress;
mod sync;
mod text;
mod texture;

pub use check::{Check, Checks};
pub use end::{End, Spot};
pub use finding::{Finding, has_line};
pub use init::InitWhen;
pub use launch::LaunchChecks;
pub use log::{Log, NewFinding, Options};
pub use padding::Padding;
pub use pattern::Pattern;
pub use sink::{LaunchFinding, Other, OtherAt, Sink};
pub use suppress::{Suppression, Suppressions};
pub use text::{summary, text};
pub use texunit_report::rules;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex, even if another thread has panicked while it held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lane numbers in a mask.
fn lanes(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
