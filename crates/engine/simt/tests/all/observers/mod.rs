//! Tests of observers: every kind of event, and equal events in all execution modes.

mod features;
mod recorder;
mod tiers;

use crate::common::{Arg, How, Loaded};
use recorder::{Recorder, SpaceProfile};
use texunit_simt::observe::Events;

/// Runs `k(out)` and returns the events of lanes.
pub fn record(loaded: &Loaded, how: How, args: &[Arg], wants: Events) -> Vec<SpaceProfile> {
    let recorder = Recorder::new(wants);
    loaded.run_observed("k", how, args, Some(&recorder)).unwrap();
    recorder.take().into_iter().filter(|seen| !seen.line.is_empty()).collect()
}

/// The events of thread 0 of CTA 0, each with the beginning of its source line.
pub fn of_first(seen: &[SpaceProfile]) -> Vec<String> {
    let first = seen.iter().filter(|seen| seen.cta == [0; 3] && seen.thread == 0);
    first.map(|seen| format!("{}: {}", seen.line, seen.what)).collect()
}
