//! Detects races between texels of CUDA arrays that kernels access, and copies of the host in other
//! streams.
//!
//! The texels that a fetch reads are computed by the reference sampler, which is slow. Therefore
//! only launches that can be concurrent with others are observed: in a stream that the program has
//! created, or while such a stream exists. Of an instruction that executes often, only some lanes
//! are observed. Each recorded texel was really accessed, so that the sampling can hide races but
//! causes no false reports.

use super::fasttrack::{AccessKind, AccessRecord};
use super::order::CtaRanges;
use crate::texture::{Offsets, host, surface_texels};
use std::collections::{BTreeMap, HashMap};
use texunit_simt::observe::{At, ExecutedFetch, ExecutedSurfaceAccess};
use texunit_unit::{Layout, SurfaceKind};

/// Number of executions of an instruction in a worker thread of which all lanes are observed. In
/// later executions only one lane is observed.
const ONE_LANE: u32 = 64;
/// Number of executions of an instruction in a worker thread after which only some executions are
/// observed.
const SOME_WARPS: u32 = 4096;
/// Maximum number of recorded texels of one array in a launch.
const MAX: usize = 1 << 16;
/// Maximum number of launches whose texels are recorded.
const MAX_LAUNCHES: usize = 256;

/// The last read and the last write of a texel in a launch.
#[derive(Clone, Copy, Debug)]
struct Texel {
    size: u32,
    read: AccessRecord,
    written: AccessRecord,
}

/// Texels by the host address of the array and the texel's offset in it.
type Texels = HashMap<usize, BTreeMap<u64, Texel>>;

/// The array texels that a launch has accessed.
#[derive(Debug)]
struct LaunchTexels {
    /// Serial number of the launch's first CTA, which identifies the launch.
    first: u32,
    texels: Texels,
}

/// The array texels that a worker thread has accessed in a launch.
#[derive(Debug, Default)]
pub(super) struct WorkerTexels {
    /// For each operation, how often the worker has executed it.
    executed: HashMap<u32, u32>,
    texels: Texels,
}

impl WorkerTexels {
    /// The lanes of an instruction that are observed in this execution.
    pub(super) fn chosen(&mut self, at: &At) -> u32 {
        let executed = self.executed.entry(at.op).or_default();
        let n = *executed;
        *executed = n.saturating_add(1);
        if n < ONE_LANE {
            return at.lanes;
        }
        // The more executions there were, the fewer are observed.
        let every = n.checked_next_power_of_two().unwrap_or(1 << 31) / SOME_WARPS;
        if every > 1 && !n.is_multiple_of(every) {
            return 0;
        }
        let skipped = n % at.lanes.count_ones().max(1);
        let rest = (0..skipped).fold(at.lanes, |lanes, _| lanes & lanes.wrapping_sub(1));
        rest & rest.wrapping_neg()
    }

    /// Records the texels that the chosen lanes of a fetch read.
    pub(super) fn fetched(&mut self, stamp: AccessRecord, lanes: u32, fetch: &ExecutedFetch<'_>) {
        let resource = &fetch.plan.seen().resource;
        if resource.layout() != Layout::Array {
            return;
        }
        let size = resource.format().texel_size();
        let mut all = Offsets::default();
        for lane in crate::lanes(lanes) {
            let stamp = stamp.of_thread(stamp.thread() + lane);
            for &offset in all.of(fetch.plan, &fetch.request.lane(lane as usize)) {
                self.keep((host(resource), offset, size), stamp);
            }
        }
    }

    /// Records the texels that the chosen lanes of a surface access read or write.
    pub(super) fn accessed(
        &mut self,
        stamp: AccessRecord,
        lanes: u32,
        access: &ExecutedSurfaceAccess<'_>,
    ) {
        let resource = &access.plan.surface().resource;
        let size = resource.format().texel_size();
        for lane in crate::lanes(lanes) {
            let stamp = stamp.of_thread(stamp.thread() + lane);
            for offset in surface_texels(access, lane) {
                self.keep((host(resource), offset, size), stamp);
            }
        }
    }

    fn keep(&mut self, (array, offset, size): (usize, u64, u32), stamp: AccessRecord) {
        let texels = self.texels.entry(array).or_default();
        let is_full = texels.len() >= MAX;
        let none = Texel { size, read: AccessRecord::NONE, written: AccessRecord::NONE };
        let texel = match texels.get_mut(&offset) {
            Some(texel) => texel,
            None if is_full => return,
            None => texels.entry(offset).or_insert(none),
        };
        match stamp.kind().writes() {
            true => texel.written = stamp,
            false => texel.read = stamp,
        }
    }
}

/// The access kind of a surface instruction: weak, and a store unless it is `suld`.
pub(super) fn kind(kind: &SurfaceKind) -> AccessKind {
    match kind {
        SurfaceKind::Load { .. } => AccessKind::WEAK,
        _ => AccessKind::WEAK.writing(),
    }
}

/// The array texels that the launches of a process have accessed.
#[derive(Debug, Default)]
pub(super) struct ArrayTexels(Vec<LaunchTexels>);

impl ArrayTexels {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keeps the texels of launches for whose first CTA `keep` returns true.
    pub(super) fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        self.0.retain(|used| keep(used.first));
    }

    /// Adds a worker's texels to those of its launch, which the serial number of the launch's first
    /// CTA (`first`) identifies.
    pub(super) fn add(&mut self, first: u32, own: &mut WorkerTexels) {
        if own.texels.is_empty() {
            return;
        }
        let i = self.0.iter().position(|used| used.first == first).unwrap_or_else(|| {
            if self.0.len() >= MAX_LAUNCHES {
                self.0.remove(0);
            }
            self.0.push(LaunchTexels { first, texels: Texels::new() });
            self.0.len() - 1
        });
        for (array, texels) in own.texels.drain() {
            let kept = self.0[i].texels.entry(array).or_default();
            for (offset, texel) in texels {
                let into = kept.entry(offset).or_insert(texel);
                into.read = if into.read.is_none() { texel.read } else { into.read };
                into.written = if into.written.is_none() { texel.written } else { into.written };
            }
        }
    }

    /// An access of one of the launches to bytes of an array at a host address, in conflict with
    /// another access (that stores if `writes`).
    pub(super) fn find(
        &self,
        launches: &CtaRanges,
        (array, offset, len): (usize, u64, u64),
        writes: bool,
    ) -> Option<AccessRecord> {
        let end = offset.saturating_add(len);
        let here = self.0.iter().filter(|used| launches.has(used.first));
        let here = here.filter_map(|used| used.texels.get(&array));
        // A texel of up to 16 bytes may begin before the accessed bytes.
        let texels = here.flat_map(|texels| texels.range(offset.saturating_sub(16)..end));
        let mut texels = texels.filter(|(at, texel)| **at + u64::from(texel.size) > offset);
        texels.find_map(|(_, texel)| {
            let reads = if writes { texel.read } else { AccessRecord::NONE };
            [texel.written, reads].into_iter().find(|stamp| !stamp.is_none())
        })
    }
}
