//! The stepper of a debugged launch, which decides at the mark before each instruction whether to
//! stop.

use super::super::outcome::Resume;
use crate::observe::Probe;
use crate::observe::event::{Access, AccessOp, At, ExecutedSurfaceAccess};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use texunit_memory::SpaceKind;
use texunit_unit::{Resource, SurfaceKind, lanes};

/// A position of lanes at which the launch has stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopPoint {
    /// Number of the CTA in the grid.
    pub cta: u64,
    /// Number of the warp in its CTA.
    pub warp: u32,
    /// Mask of the lanes that reach the instruction.
    pub lanes: u32,
    /// Source offset of the instruction in the PTX.
    pub at: u32,
}

/// A point in the execution of a launch: before an instruction of a warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Number of preceding CTAs if they are executed sequentially, else 0.
    pub turn: u64,
    /// Number of warp instructions executed after those CTAs.
    pub step: u64,
}

/// Threads before each of whose instructions the launch stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Number of the CTA; `None`: any.
    pub cta: Option<u64>,
    /// Number of the warp; `None`: any.
    pub warp: Option<u32>,
    /// Mask of the lanes.
    pub lanes: u32,
}

/// A watched range of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// State space of the address.
    pub space: SpaceKind,
    /// First address: a generic address in global and constant memory, an offset in other spaces.
    pub address: u64,
    /// For texels: the block of memory ([`block_of`]) that the address is an offset in. Then only
    /// surface accesses are reported.
    pub block: Option<usize>,
    /// Length in bytes.
    pub bytes: u64,
    /// For shared and local memory: the CTA that owns the memory.
    pub cta: u64,
    /// For local memory: the warp and lane that own the memory.
    pub thread: (u32, u32),
    /// Whether reads are reported.
    pub reads: bool,
    /// Whether writes are reported.
    pub writes: bool,
}

/// Identifies the memory of an array.
pub fn block_of(resource: &Resource) -> usize {
    Arc::as_ptr(resource.block()).addr()
}

/// An access to watched memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchHit {
    /// Index of the watched range.
    pub range: usize,
    /// Position before the accessing instruction.
    pub position: Position,
    /// `%ctaid` of the CTA.
    pub cta: [u32; 3],
    /// Number of the warp.
    pub warp: u32,
    /// The lane; if several lanes write, the last one.
    pub lane: u32,
    /// Source offset of the instruction in the PTX.
    pub at: u32,
    /// Whether the access writes.
    pub writes: bool,
    /// Address of the first byte that the lane accesses, as in [`Range::address`].
    pub address: u64,
    /// Number of bytes accessed.
    pub bytes: u32,
}

/// State shared by the probes of all resident CTAs.
#[derive(Debug, Default)]
pub(super) struct WatchState {
    ranges: Vec<Range>,
    hits: Mutex<Vec<WatchHit>>,
    has_hit: AtomicBool,
    pub(super) turn: AtomicU64,
    pub(super) step: AtomicU64,
    grid: [u32; 3],
}

/// Maximum number of recorded accesses between two calls of `watch_hits`; only the last ones are
/// kept.
const MOST: usize = 4096;

/// A probe that records accesses to watched ranges.
#[derive(Clone, Debug)]
pub(super) struct WatchProbe(Arc<WatchState>);

impl Probe for WatchProbe {
    fn access(&mut self, at: &At, access: &Access<'_>) {
        let watch_state = &*self.0;
        let cta = crate::observe::linear_index(at.cta, watch_state.grid);
        for (index, range) in watch_state.ranges.iter().enumerate() {
            let tells = (range.reads && access.operation.reads())
                || (range.writes && access.operation.writes());
            let global = matches!(range.space, SpaceKind::Global | SpaceKind::Const);
            let space = matches!(access.space, SpaceKind::Global | SpaceKind::Const);
            let is_there = if global { space } else { range.space == access.space };
            let is_memory = range.block.is_none();
            if !is_memory || !tells || !is_there || (!global && range.cta != cta) {
                continue;
            }
            let (bytes, writes) = (access.bytes(), access.operation.writes());
            let mut last = None;
            for lane in lanes(at.lanes) {
                let own = range.space != SpaceKind::Local || range.thread == (at.warp, lane as u32);
                let first = access.addresses[lane];
                let meets = first < range.address.saturating_add(range.bytes)
                    && range.address < first.saturating_add(bytes.into());
                if own && meets {
                    last = Some((lane as u32, first));
                    // Atomics are executed in lane order, so each is reported.
                    if matches!(access.operation, AccessOp::Atomic(_)) {
                        watch_state.put(index, at, (lane as u32, first, bytes), writes);
                        last = None;
                    }
                }
            }
            if let Some((lane, first)) = last {
                watch_state.put(index, at, (lane, first, bytes), writes);
            }
        }
    }

    fn answer_lanes(&mut self, at: &At) -> u32 {
        if self.0.has_texels() { at.lanes } else { 0 }
    }

    fn surface_answer(&mut self, at: &At, access: &ExecutedSurfaceAccess<'_>) {
        let block = Some(block_of(&access.plan.surface().resource));
        let (reads, writes) = match access.form.kind {
            SurfaceKind::Load { .. } => (true, false),
            SurfaceKind::Reduce { .. } => (true, true),
            SurfaceKind::Store { .. } | SurfaceKind::StoreFormatted { .. } => (false, true),
        };
        for (index, range) in self.0.ranges.iter().enumerate().filter(|(_, r)| r.block == block) {
            if ((range.reads && reads) || (range.writes && writes))
                && let Some(met) = WatchState::surface(at, access, range)
            {
                self.0.put(index, at, met, writes);
            }
        }
    }
}

impl WatchState {
    fn has_texels(&self) -> bool {
        self.ranges.iter().any(|range| range.block.is_some())
    }

    /// The last lane of a surface access that overlaps a range, its first byte and its size.
    fn surface(at: &At, of: &ExecutedSurfaceAccess<'_>, range: &Range) -> Option<(u32, u64, u32)> {
        let each = lanes(at.lanes).filter_map(|lane| {
            let (first, bytes) = of.plan.bytes(of.request.coords.map(|c| c[lane]))?;
            let meets = first < range.address.saturating_add(range.bytes)
                && range.address < first.saturating_add(bytes.into());
            meets.then_some((lane as u32, first, bytes))
        });
        each.last()
    }

    fn put(&self, range: usize, at: &At, (lane, address, bytes): (u32, u64, u32), writes: bool) {
        let (turn, step) = (self.turn.load(Relaxed), self.step.load(Relaxed));
        let mut hits = self.hits.lock().unwrap_or_else(PoisonError::into_inner);
        if hits.len() >= 2 * MOST {
            hits.drain(..MOST);
        }
        hits.push(WatchHit {
            range,
            position: Position { turn, step },
            cta: at.cta,
            warp: at.warp,
            lane,
            at: at.op,
            writes,
            address,
            bytes,
        });
        self.has_hit.store(true, Relaxed);
    }
}

/// Decision of the stepper before an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum StepAnswer {
    /// The lanes continue.
    Continues,
    /// The lanes stop.
    Stops,
    /// The CTA of the lanes ends.
    Ends,
}

/// Decides where a launch stops.
#[derive(Debug, Default)]
pub(in super::super) struct Stepper {
    /// The current position in the execution of the launch.
    pub(super) position: Position,
    /// Whether the stop before the next instruction was already reported.
    pub(super) passes: bool,
    /// For each instruction of the code, whether it is a breakpoint.
    pub(super) breaks: Vec<bool>,
    pub(super) filter: Option<Filter>,
    pub(super) end: Option<Position>,
    /// Whether the launch stops after accesses to watched ranges.
    stops_behind: bool,
    pub(super) watch_state: Option<Arc<WatchState>>,
    pub(super) interrupted: Arc<AtomicBool>,
    /// State of the turn that was interrupted by the stop.
    pub(super) resume: Option<Resume>,
    /// Number of the running CTA.
    pub(super) cta: u64,
    /// Position of the last stop.
    pub(super) stop_point: StopPoint,
    grid: [u32; 3],
    /// Whether the CTA is ended where it would stop, because its launch is abandoned.
    pub(super) ends: bool,
    /// Number of instructions until the next check for an interruption.
    patience: u32,
}

/// Number of instructions between checks for an interruption.
const PATIENCE: u32 = 4096;

impl Stepper {
    pub(super) fn new(places: usize, grid: [u32; 3]) -> Self {
        Self { breaks: vec![false; places], grid, patience: PATIENCE, ..Self::default() }
    }

    pub(super) fn watch(&mut self, ranges: Vec<Range>, stops: bool) {
        self.stops_behind = stops;
        self.watch_state = (!ranges.is_empty())
            .then(|| Arc::new(WatchState { ranges, grid: self.grid, ..WatchState::default() }));
    }

    /// Whether surface accesses are watched.
    pub(super) fn has_texels(&self) -> bool {
        self.watch_state.as_ref().is_some_and(|watch_state| watch_state.has_texels())
    }

    pub(super) fn probe(&self) -> Option<WatchProbe> {
        self.watch_state.clone().map(WatchProbe)
    }

    pub(super) fn take_hits(&mut self) -> Vec<WatchHit> {
        let Some(watch_state) = &self.watch_state else { return Vec::new() };
        watch_state.has_hit.store(false, Relaxed);
        std::mem::take(&mut *watch_state.hits.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    /// Whether to stop before an instruction.
    pub(super) fn stops(&mut self, warp: u32, pc: u32, mask: u32) -> bool {
        if std::mem::take(&mut self.passes) {
            return false;
        }
        self.patience -= 1;
        if self.patience == 0 {
            self.patience = PATIENCE;
            if self.is_interrupted() {
                return true;
            }
        }
        let filtered = self.filter.is_some_and(|filter| {
            filter.cta.is_none_or(|cta| cta == self.cta)
                && filter.warp.is_none_or(|w| w == warp)
                && filter.lanes & mask != 0
        });
        let has_hit =
            self.stops_behind && self.watch_state.as_ref().is_some_and(|c| c.has_hit.load(Relaxed));
        filtered
            || has_hit
            || self.breaks[pc as usize]
            || self.end.is_some_and(|end| self.position >= end)
    }
}
