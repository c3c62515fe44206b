//! A moment, and how long ago it was. wasm32-unknown-unknown has no clock, and asking for the time panics there: no
//! time passes.

use std::time::{Duration, Instant};

/// A moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(Option<Instant>);

impl Moment {
    /// This one.
    pub(crate) fn now() -> Self {
        let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Self(has_clock.then(Instant::now))
    }

    /// The time since then.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |moment| moment.elapsed())
    }
}
