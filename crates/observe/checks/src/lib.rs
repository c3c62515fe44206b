//! Checks: what a GPU hides, and a fast run of a kernel does not show.
//!
//! A [`Check`] is an observer of launches (`texunit_simt::observe`) that tells a [`Sink`] what it has found.
//! [`Log`] has what all launches of a process have found, once per place with a count, without what is suppressed;
//! [`Log::launch`] makes the one observer of a launch over all checks that are asked for.
//!
//! # What it promises
//!
//! * A check changes nothing that a kernel computes, and ends no kernel.
//! * A launch of which no check is asked for has no observer, and runs the code that it would run without this crate.
//! * A [`Finding`] needs neither the module nor its files: it can be kept, sent to another process and written to a
//!   report (`texunit_evidence`).
//!
//! What it leaves out: faults, which are told whether or not something is checked (`memory` is the name for them), and
//! where findings are printed.

mod callers;
mod check;
mod finding;
mod init;
mod launch;
mod leak;
mod log;
mod object;
mod padding;
mod pattern;
pub mod race;
pub mod rules;
mod sink;
mod suppress;
mod sync;
mod text;
mod texture;

pub use check::{Check, Checks, UnknownCheck};
pub use finding::{End, Finding, has_line};
pub use init::InitWhen;
pub use launch::LaunchChecks;
pub use log::{Log, News, Options};
pub use padding::Padding;
pub use pattern::Pattern;
pub use sink::{Found, Other, OtherAt, Sink, Spot};
pub use suppress::{Suppression, Suppressions, SuppressionsError};
pub use text::{summary, text};

use std::sync::Arc;
use texunit_simt::Observer;

/// The observers of a launch for the checks that are asked for.
fn launch_checks<'l>(
    log: &'l Log,
    sink: &Arc<Sink>,
    of: &launch::Of,
) -> Vec<Box<dyn Observer + 'l>> {
    let mut all: Vec<Box<dyn Observer + 'l>> = Vec::new();
    // What a kernel of which nothing is told writes is written, and what it frees is freed.
    let told = |check| log.has(check) && of.is_told;
    if told(Check::Sync) {
        all.push(Box::new(sync::Sync::new(sink)));
    }
    if log.has(Check::Init) {
        all.push(Box::new(init::Init::new(sink, log.init_when(), &log.moves)));
    }
    if told(Check::Race) {
        let submitted = of.submitted.clone();
        let to = (Arc::clone(sink), log.is_strict());
        let race = race::Race::new(to, &log.race, of.queue, submitted);
        all.push(Box::new(race));
    }
    if told(Check::Texture) {
        all.push(Box::new(texture::Texture::new(sink)));
    }
    if log.has(Check::Leak) && (of.is_told || log.has_heap()) {
        all.push(Box::new(leak::Leak::new(log, of.clone())));
    }
    all
}

/// The lanes of a mask.
fn lanes(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
