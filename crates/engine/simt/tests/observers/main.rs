//! What observers are told: every kind of event, and the same in every way to run a kernel.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub)]

#[path = "../common/mod.rs"]
mod common;
mod features;
mod recorder;
mod tiers;
#[path = "../unit_common/mod.rs"]
mod unit_common;

use common::{Arg, How, Loaded};
use recorder::{Recorder, SpaceProfile};
use texunit_simt::observe::Events;

/// Runs `k(out)` and gives what lanes have done.
pub fn record(loaded: &Loaded, how: How, args: &[Arg], wants: Events) -> Vec<SpaceProfile> {
    let recorder = Recorder::new(wants);
    loaded.run_observed("k", how, args, Some(&recorder)).unwrap();
    recorder.take().into_iter().filter(|seen| !seen.line.is_empty()).collect()
}

/// What thread 0 of CTA 0 was told to do, each with the beginning of its line.
pub fn of_first(seen: &[SpaceProfile]) -> Vec<String> {
    let first = seen.iter().filter(|seen| seen.cta == [0; 3] && seen.thread == 0);
    first.map(|seen| format!("{}: {}", seen.line, seen.what)).collect()
}
