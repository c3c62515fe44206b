//! Time measurement that works without a clock. On wasm32-unknown-unknown, where `Instant::now`
//! panics, every measured duration is zero.

use std::time::{Duration, Instant};

/// A point in time; none on a target without a clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(Option<Instant>);

impl Moment {
    /// The current time.
    pub(crate) fn now() -> Self {
        let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Self(has_clock.then(Instant::now))
    }

    /// The duration since this point in time, or zero without a clock.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |moment| moment.elapsed())
    }
}
