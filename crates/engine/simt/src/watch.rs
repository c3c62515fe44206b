//! Fetches and surface accesses of one thread, recorded while launches run.

use crate::observe::{
    At, CtaInfo, Events, FetchAnswered, LaunchInfo, Listing, Observer, Probe, SurfaceAnswered,
};
use std::sync::{Arc, Mutex, PoisonError};
use texunit_syntax::Span;
use texunit_unit::{
    AccessFault, Coordinates, FetchForm, FetchOperands, ResultType, Sampler, Surface, SurfaceForm,
    Texture, lanes,
};

/// Accesses that are kept; a loop may make any number of them.
const MAX: usize = 10_000;

/// A thread whose accesses are recorded, and what it has done so far, whether or not the launch
/// came to its end. Fills up at 10,000 accesses; later ones are only counted. Or all threads, whose
/// accesses are told as they happen.
#[derive(Debug)]
pub struct Watch {
    thread: [u32; 3],
    seen: Mutex<Seen>,
    listener: Option<Listener>,
}

/// What is told of all threads: CTA, thread, access.
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
    /// The instruction.
    pub span: Span,
    /// What it did.
    pub what: Watched,
}

/// What an instruction of the thread did.
#[derive(Clone, Debug)]
pub enum Watched {
    /// `tex`, `tld4`
    Fetch(WatchedFetch),
    /// `suld`, `sust`, `sured`
    Surface(WatchedSurface),
}

/// A fetch: everything that `reference::trace` needs, and what came of it.
#[derive(Clone, Debug)]
pub struct WatchedFetch {
    /// Instruction form.
    pub form: FetchForm,
    /// The thread's operands.
    pub operands: FetchOperands,
    /// What was read.
    pub texture: Arc<Texture>,
    /// How it was read.
    pub sampler: Sampler,
    /// All components, also those that the kernel does not use.
    pub values: [u32; 4],
    /// The destination predicate, whether or not the instruction has one.
    pub resident: bool,
}

/// A surface access and what came of it.
#[derive(Clone, Debug)]
pub struct WatchedSurface {
    /// Instruction form.
    pub form: SurfaceForm,
    /// The thread's coordinates.
    pub coords: Coordinates<u32>,
    /// What was read or written.
    pub surface: Arc<Surface>,
    /// Elements that were loaded, stored or combined, or why the access failed.
    pub outcome: Result<[u64; 4], AccessFault>,
}

impl WatchedFetch {
    /// A lane's part of a fetch.
    pub(crate) fn of(fetch: &FetchAnswered<'_>, lane: usize) -> Self {
        let FetchAnswered { plan, request, answer } = fetch;
        let form = plan.form();
        let mut values = answer.values.map(|v| v[lane]);
        if form.result == ResultType::F16x2 {
            // Two registers hold all: the others are of some fetch before.
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
    /// A lane's part of an access, if it has come to that.
    pub(crate) fn of(access: &SurfaceAnswered<'_>, lane: usize) -> Option<Self> {
        Some(Self {
            form: access.form,
            coords: access.request.coords.map(|c| c[lane]),
            surface: Arc::clone(access.surface),
            outcome: access.outcome(lane)?,
        })
    }
}

impl Watch {
    /// Watches the thread with this number in the grid: `%ctaid * %ntid + %tid` of each axis.
    pub fn new(thread: [u32; 3]) -> Self {
        Self { thread, seen: Mutex::default(), listener: None }
    }

    /// Watches all threads: `tell` is called with CTA, thread and each access, by the threads of the
    /// host that execute them.
    pub fn of_all(
        tell: impl Fn([u32; 3], [u32; 3], &WatchedAccess) + Send + Sync + 'static,
    ) -> Self {
        Self { listener: Some(Listener(Box::new(tell))), ..Self::new([0; 3]) }
    }

    /// The thread.
    pub fn thread(&self) -> [u32; 3] {
        self.thread
    }

    /// What has been recorded, in the order of execution, and how many accesses came after it.
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

    /// Warp and lane of the thread in a CTA, if it is of that CTA.
    fn lane(&self, cta: [u32; 3], block: [u32; 3]) -> Option<(u32, u32)> {
        let [x, y, z] = self.thread;
        let [w, h, d] = block;
        if [x / w, y / h, z / d] != cta {
            return None;
        }
        let index = x % w + w * (y % h + h * (z % d));
        Some((index / 32, index % 32))
    }
}

impl Observer for Watch {
    fn wants(&self) -> Events {
        Events::ANSWERS
    }

    fn probe<'a>(&'a self, launch: &LaunchInfo<'a>) -> Box<dyn Probe + 'a> {
        let (listing, block) = (launch.listing, launch.config.block);
        Box::new(Watching { watch: self, listing, block, lane: None })
    }
}

/// A watch of one worker.
struct Watching<'a> {
    watch: &'a Watch,
    listing: Listing<'a>,
    block: [u32; 3],
    /// Warp and lane of the thread, if it is in this CTA.
    lane: Option<(u32, u32)>,
}

impl Watching<'_> {
    fn record(&self, at: &At, lane: usize, what: Watched) {
        let thread = at.thread(lane as u32, self.block);
        let span = self.listing.span(at.op);
        self.watch.record(at.cta, thread, WatchedAccess { span, what });
    }
}

impl Probe for Watching<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.lane = self.watch.lane(cta.id, cta.block);
    }

    fn answer_lanes(&mut self, at: &At) -> u32 {
        match self.lane {
            _ if self.watch.listener.is_some() => at.lanes,
            Some((warp, lane)) if warp == at.warp => at.lanes & 1 << lane,
            _ => 0,
        }
    }

    fn fetch_answer(&mut self, at: &At, fetch: &FetchAnswered<'_>) {
        for lane in lanes(self.answer_lanes(at)) {
            self.record(at, lane, Watched::Fetch(WatchedFetch::of(fetch, lane)));
        }
    }

    fn surface_answer(&mut self, at: &At, access: &SurfaceAnswered<'_>) {
        for lane in lanes(self.answer_lanes(at)) {
            if let Some(made) = WatchedSurface::of(access, lane) {
                self.record(at, lane, Watched::Surface(made));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_is_in_one_cta() {
        let watch = Watch::new([17, 5, 2]);
        let block = [8, 4, 2];
        assert_eq!(watch.lane([2, 1, 1], block), Some((0, 9)));
        assert_eq!(watch.lane([2, 1, 0], block), None);
        assert_eq!(watch.lane([1, 1, 1], block), None);
        let watch = Watch::new([7, 3, 3]);
        assert_eq!(watch.lane([0, 0, 1], block), Some((1, 31)));
        assert_eq!(Watch::new([u32::MAX; 3]).lane([u32::MAX; 3], [1; 3]), Some((0, 0)));
    }
}
