//! The observer of one worker thread: marks in the shadow memory the bytes that its accesses touch.

use super::{Recorder, lock};
use crate::fold::Fold;
use crate::shadow::{Folds, Marks, PAGE, Page, SECTOR, Shadow};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use texunit_memory::MemoryMap;
use texunit_simt::observe::{
    Access, AccessOp, Arrangement, At, CallEvent, ExecutedSurfaceAccess, LaunchInfo, Listing,
    PlannedFetch, Probe,
};
use texunit_simt::{Bounds, SpaceKind};
use texunit_unit::{Coordinates, Resource, SurfaceKind, TexelIndex, Texture};

const HELP_HEAP: &str =
    "the addresses that malloc gives depend on what all threads do with the heap";
const HELP_UNKNOWN: &str = "only allocations, variables, textures and surfaces are recorded";

/// How an access touches bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessKind {
    Reads,
    Writes,
    Both,
    Reduces(Fold),
}

/// Observes the accesses of one worker thread.
pub(super) struct Worker<'a> {
    recorder: &'a Recorder,
    map: &'a MemoryMap,
    bounds: Bounds,
    listing: Listing<'a>,
    /// For each block of the memory map, the number of its object.
    numbers: Vec<Option<u32>>,
    /// Index of the block that was accessed last.
    hint: usize,
    fetched: Vec<Arc<Texture>>,
}

impl AccessKind {
    /// Marks bytes of a sector in the shadow memory, as accessed by operation `op`.
    fn mark(self, page: &Page, (sector, mask): (usize, u32), op: u32) {
        let marks = || Box::new(Marks::new());
        if matches!(self, Self::Reads | Self::Both) {
            page.read.get_or_init(marks).set(sector, mask, op);
        }
        if matches!(self, Self::Writes | Self::Both) {
            page.written.get_or_init(marks).set(sector, mask, op);
        }
        if let Self::Reduces(fold) = self {
            let folds = page.reduced.get_or_init(|| Box::new(Folds::new()));
            let (word, words) =
                (mask.trailing_zeros() as usize / 4, mask.count_ones() as usize / 4);
            folds.set(sector, (word, words), fold.code(), op);
        }
    }
}

/// Collects bytes of one sector, and marks them when the next sector begins.
struct Marking<'s> {
    shadow: &'s Shadow,
    kind: AccessKind,
    op: u32,
    sector: u64,
    mask: u32,
}

impl Marking<'_> {
    /// Marks bytes, which must lie in the object.
    #[inline]
    fn add(&mut self, offset: u64, size: u64) {
        let (mut at, end) = (offset, offset + size);
        while at < end {
            let (sector, first) = (at / SECTOR, at % SECTOR);
            let count = (end - at).min(SECTOR - first);
            let mask = ((1_u64 << count) - 1) << first;
            // Each number of a reduction is marked separately.
            if sector != self.sector || matches!(self.kind, AccessKind::Reduces(_)) {
                self.flush();
                (self.sector, self.mask) = (sector, 0);
            }
            self.mask |= mask as u32;
            at += count;
        }
    }

    fn flush(&mut self) {
        if self.mask != 0 {
            let page = self.shadow.page(self.sector * SECTOR);
            let sector = self.sector % (PAGE / SECTOR);
            self.kind.mark(page, (sector as usize, self.mask), self.op);
        }
    }
}

impl Drop for Marking<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}

impl<'a> Worker<'a> {
    pub(super) fn new(recorder: &'a Recorder, launch: &LaunchInfo<'a>) -> Self {
        let map = launch.config.memory;
        let number = |(_, block): &(u64, Arc<_>)| recorder.objects.number(block);
        Self {
            recorder,
            map,
            bounds: launch.config.bounds,
            listing: launch.listing,
            numbers: map.blocks().iter().map(number).collect(),
            hint: 0,
            fetched: Vec::new(),
        }
    }

    fn marking(&self, object: u32, kind: AccessKind, op: u32) -> Marking<'a> {
        let recorder: &'a Recorder = self.recorder;
        Marking { shadow: recorder.shadow_to_mark(object), kind, op, sector: 0, mask: 0 }
    }

    fn fold(&self, op: u32) -> Option<Fold> {
        self.recorder.known.get()?.folds.get(&op).copied().flatten()
    }

    /// An access outside every recorded object; stops the launch unless the access is a fault
    /// itself.
    fn unknown(&self, op: u32, address: u64, is_fault: bool) {
        let message = format!("{address:#x} is in nothing that is recorded");
        self.recorder.keep(Some(op), message, HELP_UNKNOWN, true);
        if !is_fault {
            self.recorder.stop.store(true, Relaxed);
        }
    }

    /// Marks the bytes of an access to global memory as read, written or reduced.
    fn global(&mut self, at: &At, access: &Access<'_>, kind: AccessKind) {
        let (size, addresses) = (u64::from(access.bytes()), access.addresses);
        let mut rest = at.lanes;
        if rest == u32::MAX && self.row(at, access, kind) {
            return;
        }
        while rest != 0 {
            let first = addresses[rest.trailing_zeros() as usize];
            // An access outside all allocations is a fault, unless the launch checks bounds as
            // a GPU does (`bounds`).
            let Ok((index, _)) = self.map.find(first, size, self.hint) else {
                return self.unknown(at.op, first, self.bounds == Bounds::Exact);
            };
            self.hint = index;
            let base = self.map.base(index);
            let len = self.map.block(index).size() as u64;
            let Some(object) = self.numbers[index] else {
                return self.unknown(at.op, first, false);
            };
            let mut marking = self.marking(object, kind, at.op);
            let mut others = rest;
            while others != 0 {
                let lane = others.trailing_zeros();
                others &= others - 1;
                let offset = addresses[lane as usize].wrapping_sub(base);
                if offset < len && size <= len - offset {
                    marking_number(&mut marking, offset, (access.size, access.elements));
                    rest &= !(1 << lane);
                }
            }
        }
    }

    /// Marks the bytes of an access in which all lanes access consecutive elements or one element,
    /// the most frequent cases. Returns false for any other access.
    fn row(&mut self, at: &At, access: &Access<'_>, kind: AccessKind) -> bool {
        let (first, lanes) = match access.arrangement {
            Arrangement::Row(first) => (first, 32),
            Arrangement::One(at) => (at, 1),
            Arrangement::Other => return false,
        };
        let len = lanes * u64::from(access.bytes());
        let Ok((index, offset)) = self.map.find(first, len, self.hint) else {
            return false;
        };
        self.hint = index;
        let Some(object) = self.numbers[index] else { return false };
        let mut marking = self.marking(object, kind, at.op);
        let elements = access.elements * lanes as u32;
        marking_number(&mut marking, offset, (access.size, elements));
        true
    }
}

/// Marks the elements that a lane accesses; the elements of a reduction one by one.
#[inline]
fn marking_number(marking: &mut Marking<'_>, offset: u64, (size, elements): (u32, u32)) {
    if !matches!(marking.kind, AccessKind::Reduces(_)) {
        return marking.add(offset, u64::from(size) * u64::from(elements));
    }
    for element in 0..u64::from(elements) {
        marking.add(offset + element * u64::from(size), size.into());
    }
}

/// The range of bytes in a block that contains a resource's texels.
fn bytes(resource: &Resource) -> (u64, u64) {
    let size = resource.block().size() as u64;
    if !resource.is_regular() {
        return (0, size);
    }
    let (mut first, mut end) = (u64::MAX, 0);
    let shape = resource.shape();
    for (number, level) in (0..).zip(resource.levels()) {
        let [w, h, d] = [level.extent.width, level.extent.height, level.extent.depth];
        let begin = TexelIndex { level: number, ..TexelIndex::default() };
        let last = TexelIndex {
            level: number,
            at: [w.max(1) - 1, h.max(1) - 1, d.max(1) - 1],
            plane: shape.planes().max(1) - 1,
            sample: shape.samples.max(1) - 1,
        };
        let texel = u64::from(resource.format().texel_size());
        first = resource.texel_offset(begin).map_or(first, |at| first.min(at));
        end = resource.texel_offset(last).map_or(end, |at| end.max(at + texel));
    }
    (first.min(size), end.min(size))
}

impl Probe for Worker<'_> {
    fn access(&mut self, at: &At, access: &Access<'_>) {
        if access.space != SpaceKind::Global {
            return;
        }
        let kind = match access.operation {
            AccessOp::Atomic(_) => self.fold(at.op).map_or(AccessKind::Both, AccessKind::Reduces),
            operation if operation.writes() => AccessKind::Writes,
            _ => AccessKind::Reads,
        };
        self.global(at, access, kind);
    }

    fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        if matches!(called, CallEvent::Allocates { .. } | CallEvent::Frees { .. }) {
            let message = "the kernel calls malloc or free".to_owned();
            self.recorder.refuse(Some(at.op), message, HELP_HEAP);
        }
    }

    fn fetch(&mut self, at: &At, fetch: &PlannedFetch<'_>) {
        let texture = fetch.plan.texture();
        if self.fetched.iter().any(|other| Arc::ptr_eq(other, texture)) {
            return;
        }
        let resource = &texture.resource;
        match self.recorder.objects.number(resource.block()) {
            Some(object) => {
                let (first, end) = bytes(resource);
                lock(&self.recorder.fetched).entry((object, first, end)).or_insert(at.op);
                self.fetched.push(Arc::clone(texture));
            }
            None => {
                let message = format!("`{}` is nothing that is recorded", resource.name());
                self.recorder.refuse(Some(at.op), message, HELP_UNKNOWN);
            }
        }
    }

    fn answer_lanes(&mut self, at: &At) -> u32 {
        // A fetch marks the whole texture; a surface access marks its texels.
        let is_surface =
            self.listing.words(at.op).next().is_some_and(|word| word.starts_with("su"));
        if is_surface { at.lanes } else { 0 }
    }

    fn surface_answer(&mut self, at: &At, answered: &ExecutedSurfaceAccess<'_>) {
        let (plan, surface) = (answered.plan, answered.plan.surface());
        let Some(object) = self.recorder.objects.number(surface.resource.block()) else {
            let message = format!("`{}` is nothing that is recorded", surface.resource.name());
            return self.recorder.refuse(Some(at.op), message, HELP_UNKNOWN);
        };
        let coords: Coordinates<_> = answered.request.coords;
        let reduction = plan.reduction();
        let mut places = Vec::with_capacity(32);
        for lane in texunit_unit::lanes(at.lanes) {
            places.extend(plan.bytes(coords.map(|axis| axis[lane])));
        }
        for (offset, size) in places {
            let fold = reduction.and_then(|(op, signed)| Fold::of_surface(op, signed, size));
            let kind = match (answered.form.kind, fold) {
                (SurfaceKind::Load { .. }, _) => AccessKind::Reads,
                (_, None) => AccessKind::Writes,
                // Reductions can be combined only at addresses that are aligned for their type.
                (_, Some(fold)) if offset.is_multiple_of(size.into()) => AccessKind::Reduces(fold),
                _ => AccessKind::Both,
            };
            self.marking(object, kind, at.op).add(offset, size.into());
        }
    }
}
