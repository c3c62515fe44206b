//! Records the fetches and surface accesses of one thread during launches, or reports those of all
//! threads as they happen.

use crate::observe::{
    At, Events, ExecutedFetch, ExecutedSurfaceAccess, LaunchInfo, Listing, Observer, Probe,
};
use std::sync::{Arc, Mutex, PoisonError};
use texunit_syntax::Span;
use texunit_unit::{
    AccessFault, Coordinates, FetchForm, FetchOperands, ResultType, Sampler, Surface, SurfaceForm,
    Texture, lanes,
};

/// Maximum number of recorded accesses, which bounds the memory for loops.
const MAX: usize = 10_000;

/// Records the accesses of a thread, even if the launch ends with a fault. After 10,000 accesses
/// the following ones are only counted. Alternatively, the accesses of all threads are passed to a
/// callback as they happen.
#[derive(Debug)]
pub struct Watch {
    thread: [u32; 3],
    seen: Mutex<Seen>,
    listener: Option<Listener>,
}

/// Callback for the accesses of all threads: CTA, thread, access.
type Tell = dyn Fn([u32; 3], [u32; 3], &WatchedAccess) + Send + Sync;

struct Listener(Box<Tell>);

impl std::fmt::Debug for Listener {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Listener")
    }
}

#[derive(Debug, Default)]
struct Seen {
    accesses: Vec<WatchedAccess>,
    more: u64,
}

/// One `tex`, `tld4`, `suld`, `sust` or `sured` of the thread.
#[derive(Clone, Debug)]
pub struct WatchedAccess {
    /// Source location of the instruction.
    pub span: Span,
    /// Operands and results of the access.
    pub what: Watched,
}

/// Operands and results of an access by one thread.
#[derive(Clone, Debug)]
pub enum Watched {
    /// A texture fetch (`tex` or `tld4`).
    Fetch(WatchedFetch),
    /// A surface access (`suld`, `sust` or `sured`).
    Surface(WatchedSurface),
}

/// A fetch: all inputs that `reference::trace` needs, and the result.
#[derive(Clone, Debug)]
pub struct WatchedFetch {
    /// Instruction form.
    pub form: FetchForm,
    /// The thread's operands.
    pub operands: FetchOperands,
    /// The texture that was read.
    pub texture: Arc<Texture>,
    /// The sampler that was used.
    pub sampler: Sampler,
    /// All components of the result, including those that the kernel does not use.
    pub values: [u32; 4],
    /// The destination predicate of residency, even if the instruction has none.
    pub resident: bool,
}

/// A surface access and its result.
#[derive(Clone, Debug)]
pub struct WatchedSurface {
    /// Instruction form.
    pub form: SurfaceForm,
    /// The thread's coordinates.
    pub coords: Coordinates<u32>,
    /// The surface that was accessed.
    pub surface: Arc<Surface>,
    /// Elements that were loaded, stored or combined, or the fault of the access.
    pub outcome: Result<[u64; 4], AccessFault>,
}

impl WatchedFetch {
    /// The fetch of one lane.
    pub(crate) fn of(fetch: &ExecutedFetch<'_>, lane: usize) -> Self {
        let ExecutedFetch { plan, request, answer } = fetch;
        let form = plan.form();
        let mut values = answer.values.map(|v| v[lane]);
        if form.result == ResultType::F16x2 {
            // With `.f16x2` results only two registers are written; the others hold values of an
            // earlier fetch.
            values[2..].fill(0);
        }
        Self {
            form,
            operands: request.lane(lane),
            texture: Arc::clone(plan.texture()),
            sampler: *plan.sampler(),
            values,
            resident: answer.resident >> lane & 1 == 1,
        }
    }
}

impl WatchedSurface {
    /// The access of one lane, or `None` if the lane did not execute it.
    pub(crate) fn of(access: &ExecutedSurfaceAccess<'_>, lane: usize) -> Option<Self> {
        Some(Self {
            form: access.form,
            coords: access.request.coords.map(|c| c[lane]),
            surface: Arc::clone(access.plan.surface()),
            outcome: access.outcome(lane)?,
        })
    }
}

impl Watch {
    /// Records the accesses of the thread with this global number: `%ctaid * %ntid + %tid` on each
    /// axis.
    pub fn new(thread: [u32; 3]) -> Self {
        Self { thread, seen: Mutex::default(), listener: None }
    }

    /// Reports the accesses of all threads: `tell` is called with CTA, thread and access, on the
    /// host threads that execute them.
    pub fn of_all(
        tell: impl Fn([u32; 3], [u32; 3], &WatchedAccess) + Send + Sync + 'static,
    ) -> Self {
        Self { listener: Some(Listener(Box::new(tell))), ..Self::new([0; 3]) }
    }

    /// The thread that is recorded.
    pub fn thread(&self) -> [u32; 3] {
        self.thread
    }

    /// Returns the recorded accesses in execution order and the number of unrecorded ones, and
    /// resets both.
    pub fn take(&self) -> (Vec<WatchedAccess>, u64) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Seen { accesses, more } = std::mem::take(&mut *seen);
        (accesses, more)
    }

    fn record(&self, cta: [u32; 3], thread: [u32; 3], access: WatchedAccess) {
        if let Some(listener) = &self.listener {
            return listener.0(cta, thread, &access);
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.accesses.len() < MAX {
            seen.accesses.push(access);
        } else {
            seen.more += 1;
        }
    }
}

impl Observer for Watch {
    fn wants(&self) -> Events {
        Events::ANSWERS
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        let (listing, block) = (launch.listing, launch.config.block);
        Box::new(Watching { watch: self, listing, block })
    }
}

/// The probe of one worker.
struct Watching<'a> {
    watch: &'a Watch,
    listing: Listing<'a>,
    block: [u32; 3],
}

impl Watching<'_> {
    fn record(&self, at: &At, lane: usize, what: Watched) {
        let thread = at.thread(lane as u32, self.block);
        let span = self.listing.span(at.op);
        self.watch.record(at.cta, thread, WatchedAccess { span, what });
    }
}

impl Probe for Watching<'_> {
    fn answer_lanes(&mut self, at: &At) -> u32 {
        let (Watch { thread, listener, .. }, block) = (self.watch, self.block);
        if listener.is_some() {
            return at.lanes;
        }
        if [0, 1, 2].map(|axis| thread[axis] / block[axis]) != at.cta {
            return 0;
        }
        let own = [0, 1, 2].map(|axis| thread[axis] % block[axis]);
        let is_it = |lane: &usize| at.thread(*lane as u32, block) == own;
        lanes(at.lanes).find(is_it).map_or(0, |lane| 1 << lane)
    }

    fn fetch_answer(&mut self, at: &At, fetch: &ExecutedFetch<'_>) {
        for lane in lanes(self.answer_lanes(at)) {
            self.record(at, lane, Watched::Fetch(WatchedFetch::of(fetch, lane)));
        }
    }

    fn surface_answer(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        for lane in lanes(self.answer_lanes(at)) {
            if let Some(made) = WatchedSurface::of(access, lane) {
                self.record(at, lane, Watched::Surface(made));
            }
        }
    }
}
