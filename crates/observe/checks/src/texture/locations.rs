//! The readers and writers of a texture's memory in a launch. The memory is divided into locations
//! of a texel or a part of one, and each location has an atomic word for readers and one for
//! writers, because a launch makes millions of fetches.
//!
//! Until the first write, fetches are only listed ([`AccessedLocations::note`]), and most lists are
//! never needed. The first write records the reads of all listed fetches
//! ([`AccessedLocations::materialize`]). From then on each fetch is recorded at once.

use crate::end::Spot;
use crate::lock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, OnceLock};
use texunit_simt::observe::{At, linear_index};
use texunit_unit::{Coordinates, FetchKind, FetchOperands, FetchPlan, FetchRequest, Lanes, Lod};

/// Maximum number of atomic words ([`PackedThread`]) in a launch.
const MAX: u64 = 1 << 23;
/// Minimum number of locations whose words are allocated together.
const TOGETHER: u64 = 1 << 10;
/// Maximum number of parts of a texture, whose words are allocated when the part is first accessed.
const PARTS: u64 = 1 << 12;
/// Maximum number of listed coordinate vectors (one coordinate of 32 lanes) in a launch. Beyond it,
/// fetches are recorded at once.
const MAX_ROWS: u64 = 1 << 20;
/// Number of lists of fetches. A worker uses the list with its number, so that workers do not
/// contend for one lock.
const LISTS: usize = 8;

/// A thread and its operation in one word: the operation's number plus 1, the thread's number in
/// the grid, and a flag. 0 means none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedThread(u64);

/// Number of bits for a thread's number in its CTA, and for its number in the grid.
const IN_CTA: u32 = 10;
const IN_GRID: u32 = 41;
/// The flag of a reader says that other threads have read the location as well. The flag of a
/// writer says that it wrote through a surface.
const FLAG: u64 = 1;

impl PackedThread {
    /// Encodes a thread and its operation; `None` if a number has too many bits.
    pub(super) fn new(at: &At, lane: u32, grid: [u32; 3]) -> Option<Self> {
        let cta = linear_index(at.cta, grid);
        let (thread, op) = (u64::from(at.warp * 32 + lane), u64::from(at.op) + 1);
        let fits = cta >> (IN_GRID - IN_CTA) == 0 && thread >> IN_CTA == 0 && op >> 22 == 0;
        fits.then_some(Self((op << IN_GRID | cta << IN_CTA | thread) << 1))
    }

    pub(super) fn by_surface(self) -> Self {
        Self(self.0 | FLAG)
    }

    pub(super) fn is_by_surface(self) -> bool {
        self.0 & FLAG != 0
    }

    /// Decodes the word into a thread and its operation.
    pub(super) fn spot(self, grid: [u32; 3], block: [u32; 3]) -> Spot {
        let thread = (self.0 >> 1) & ((1 << IN_GRID) - 1);
        let of = [thread >> IN_CTA, thread & ((1 << IN_CTA) - 1)];
        Spot::numbered(of, (self.0 >> (IN_GRID + 1)) as u32 - 1, (grid, block))
    }

    fn is_thread(self, other: Self) -> bool {
        (self.0 ^ other.0) >> 1 & ((1 << IN_GRID) - 1) == 0
    }
}

/// The atomic words for the locations in one part of a texture, allocated at the first access.
type LocationWords = OnceLock<Box<[AtomicU64]>>;

/// Number of atomic words and listed coordinate vectors of all textures in a launch.
#[derive(Debug, Default)]
pub(super) struct UsedMemory {
    places: AtomicU64,
    rows: AtomicU64,
}

/// The locations of a texture's memory with their readers and writers.
#[derive(Debug)]
pub(super) struct AccessedLocations {
    unit: u64,
    taken: Arc<UsedMemory>,
    /// Number of locations in a part of the texture.
    together: u64,
    /// For each part of the texture, the first reader and the last writer of each location.
    read: Box<[LocationWords]>,
    written: Box<[LocationWords]>,
    /// The lists of fetches; `None` if fetches are recorded at once.
    notes: [Mutex<Option<FetchNotes>>; LISTS],
    /// Set when the listed fetches have been recorded.
    materialized: OnceLock<()>,
}

/// The listed fetches of warps whose reads are not recorded yet.
#[derive(Debug, Default)]
struct FetchNotes {
    all: Vec<(Arc<FetchPlan>, At)>,
    /// The coordinates of the listed fetches. Each fetch has a vector of 32 lanes for x, y and z,
    /// as far as its texture has them, and one for the layer.
    rows: Vec<Lanes>,
}

/// The number of coordinates of a fetch that can be listed, because its coordinates alone determine
/// the texels that it reads; `None` for other fetches.
fn coordinates(plan: &FetchPlan) -> Option<usize> {
    let form = plan.form();
    let is_plain =
        matches!(form.kind, FetchKind::Sample(Lod::Implicit | Lod::Base)) && !form.offset;
    (is_plain && !form.geometry.is_multisample()).then(|| form.geometry.gradients())
}

impl AccessedLocations {
    /// The locations of a texture of `size` bytes, with `unit` bytes each.
    pub(super) fn new(size: u64, unit: u64, taken: &Arc<UsedMemory>) -> Self {
        let unit = unit.max(1);
        let places = size.div_ceil(unit);
        let together = (places / PARTS).next_power_of_two().max(TOGETHER);
        let parts = || (0..places.div_ceil(together)).map(|_| LocationWords::new()).collect();
        let notes = std::array::from_fn(|_| Mutex::new(Some(FetchNotes::default())));
        let (read, written, taken) = (parts(), parts(), Arc::clone(taken));
        Self { unit, taken, together, read, written, notes, materialized: OnceLock::new() }
    }

    /// Lists a fetch, whose reads are recorded later. Returns false if they have to be recorded at
    /// once.
    pub(super) fn note(
        &self,
        worker: usize,
        (plan, at): (&Arc<FetchPlan>, &At),
        request: &FetchRequest<'_>,
    ) -> bool {
        let Some(count) = coordinates(plan) else { return false };
        let mut notes = lock(&self.notes[worker % LISTS]);
        let Some(notes) = notes.as_mut().filter(|_| self.taken.rows.load(SeqCst) < MAX_ROWS) else {
            return false;
        };
        let before = notes.rows.len();
        notes.all.push((Arc::clone(plan), *at));
        notes.rows.extend(request.coords.point[..count].iter().map(|&row| *row));
        if plan.form().geometry.is_array() {
            notes.rows.push(*request.coords.layer);
        }
        self.taken.rows.fetch_add((notes.rows.len() - before) as u64, SeqCst);
        true
    }

    /// Records the reads of all listed fetches, by calling `each` for each lane. Afterwards no more
    /// fetches are listed.
    pub(super) fn materialize(&self, mut each: impl FnMut(&FetchPlan, (&At, u32), &FetchOperands)) {
        self.materialized.get_or_init(|| {
            for FetchNotes { all, rows } in self.notes.iter().filter_map(|list| lock(list).take()) {
                self.taken.rows.fetch_sub(rows.len() as u64, SeqCst);
                let mut rows = rows.iter();
                for (plan, at) in &all {
                    let count = coordinates(plan).unwrap_or_default();
                    let mut row = || rows.next().copied().unwrap_or([0; 32]);
                    let mut point = [[0; 32]; 3];
                    point[..count].fill_with(&mut row);
                    let layer = if plan.form().geometry.is_array() { row() } else { [0; 32] };
                    for lane in crate::lanes(at.lanes) {
                        let of = |row: &Lanes| row[lane as usize];
                        let point = point.each_ref().map(of);
                        let coords = Coordinates { point, layer: of(&layer), sample: 0 };
                        let operands = FetchOperands { coords, ..FetchOperands::default() };
                        each(plan, (at, lane), &operands);
                    }
                }
            }
        });
    }

    /// Size of a location in bytes.
    pub(super) fn unit(&self) -> u64 {
        self.unit
    }

    fn word<'a>(&self, of: &'a [LocationWords], place: u64, is_new: bool) -> Option<&'a AtomicU64> {
        let words = of.get((place / self.together) as usize)?;
        let room = || {
            let taken = self.taken.places.fetch_add(self.together, SeqCst);
            let count = if taken < MAX { self.together } else { 0 };
            (0..count).map(|_| AtomicU64::new(0)).collect()
        };
        let words = if is_new { words.get_or_init(room) } else { words.get()? };
        words.get((place % self.together) as usize)
    }

    /// The last thread that has written a location.
    fn writer(&self, place: u64) -> Option<PackedThread> {
        let writer = self.word(&self.written, place, false)?.load(SeqCst);
        (writer != 0).then_some(PackedThread(writer))
    }

    /// Records that a thread reads a location. Returns the thread that has written it, if there is
    /// one.
    pub(super) fn reads(&self, place: u64, reader: PackedThread) -> Option<PackedThread> {
        if let Some(writer) = self.writer(place) {
            return Some(writer);
        }
        let word = self.word(&self.read, place, true)?;
        let first = word.load(SeqCst);
        if first & FLAG != 0 || first != 0 && PackedThread(first).is_thread(reader) {
            return None;
        }
        let first = match first {
            0 => word.compare_exchange(0, reader.0, SeqCst, SeqCst).err().map(PackedThread),
            first => Some(PackedThread(first)),
        };
        if first.is_some_and(|first| !first.is_thread(reader)) {
            word.fetch_or(FLAG, SeqCst);
        }
        // A writer stores its word before it loads that of the readers, and a reader stores its
        // word before it loads that of the writer. Therefore at least one of two concurrent
        // accesses sees the other.
        self.writer(place)
    }

    /// Records that a thread writes a location. Returns another thread that has fetched from the
    /// location, if there is one. The writer's own fetches count only as reads, because a thread
    /// that fetches and then stores cannot fetch the stored value.
    pub(super) fn writes(&self, place: u64, writer: PackedThread) -> Option<PackedThread> {
        self.word(&self.written, place, true)?.store(writer.0, SeqCst);
        let reader = self.word(&self.read, place, false)?.load(SeqCst);
        let is_other = reader & FLAG != 0 || !PackedThread(reader).is_thread(writer);
        (reader != 0 && is_other).then_some(PackedThread(reader))
    }
}
