//! Executes a single fetch or surface access of a stopped thread and returns its result.

use super::{Filter, Machine, Stop};
use crate::observe::event::{At, ExecutedFetch, ExecutedSurfaceAccess};
use crate::observe::{Probe, coordinates};
use crate::watch::{Watched, WatchedFetch, WatchedSurface};
use std::sync::{Arc, Mutex, PoisonError};

/// A probe that records the first result of a lane.
struct ResultProbe {
    thread: ([u32; 3], u32, u32),
    taken: Arc<Mutex<Option<Watched>>>,
}

impl ResultProbe {
    fn put(&self, at: &At, watched: impl FnOnce(usize) -> Option<Watched>) {
        let (cta, warp, lane) = self.thread;
        if at.cta == cta && at.warp == warp && at.lanes >> lane & 1 == 1 {
            let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
            if taken.is_none() {
                *taken = watched(lane as usize);
            }
        }
    }
}

impl Probe for ResultProbe {
    fn answer_lanes(&mut self, at: &At) -> u32 {
        let (cta, warp, lane) = self.thread;
        if at.cta == cta && at.warp == warp { at.lanes & 1 << lane } else { 0 }
    }

    fn fetch_answer(&mut self, at: &At, fetch: &ExecutedFetch<'_>) {
        self.put(at, |lane| Some(Watched::Fetch(WatchedFetch::of(fetch, lane))));
    }

    fn surface_answer(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        self.put(at, |lane| WatchedSurface::of(access, lane).map(Watched::Surface));
    }
}

impl Machine<'_> {
    /// Runs until a thread has executed the instruction at which it is stopped, and returns the
    /// fetch or surface access of that instruction.
    pub fn answer(&mut self, (cta, warp, lane): (u64, u32, u32)) -> Option<Watched> {
        let taken = Arc::new(Mutex::new(None));
        let thread = (coordinates(cta, self.launch.config.grid), warp, lane);
        let taker = || ResultProbe { thread, taken: Arc::clone(&taken) };
        self.set_probes(true, || Some(Box::new(taker())));
        self.stepper.watch(Vec::new(), false);
        self.stepper.breaks.fill(false);
        self.set_end(None);
        self.set_between(false);
        self.set_filter(Some(Filter { cta: Some(cta), warp: Some(warp), lanes: 1 << lane }));
        while let Stop::At(stop_point) = self.run() {
            if (stop_point.cta, stop_point.warp) == (cta, warp) && stop_point.lanes >> lane & 1 == 1
            {
                break;
            }
        }
        self.set_filter(None);
        self.set_probes(false, || None);
        taken.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
