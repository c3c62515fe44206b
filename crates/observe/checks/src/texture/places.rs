//! The readers and writers of each place of a texture in a launch, in one atomic word for each
//! place, because fetches come in millions.
//!
//! Until the first write, fetches are only noted ([`AccessedPlaces::note`]), and most notes are
//! never needed. The first write enters all notes as reads ([`AccessedPlaces::materialize`]); from
//! then on each fetch is entered at once.

use crate::sink::Spot;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use texunit_simt::observe::At;
use texunit_unit::{Coordinates, FetchKind, FetchOperands, FetchPlan, FetchRequest, Lanes, Lod};

/// Maximum number of recorded readers and writers of texels in a launch, a word ([`Who`]) each.
const MAX: u64 = 1 << 23;
/// Minimum number of places whose words are allocated together.
const TOGETHER: u64 = 1 << 10;
/// Maximum number of separately allocated parts of a texture.
const PARTS: u64 = 1 << 12;
/// Maximum number of noted coordinate rows in a launch; beyond it, fetches are entered as reads.
const MAX_ROWS: u64 = 1 << 20;
/// Number of note lists, so that workers do not contend for one lock.
const LISTS: usize = 8;

/// States: fetches are noted; notes are being entered; fetches are entered at once.
const OPEN: u8 = 0;
const MATERIALIZING: u8 = 1;
const MATERIALIZED: u8 = 2;

/// A thread at an operation in one word: the operation plus 1, the thread's number, and a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Who(u64);

/// Number of bits for a thread's number in its CTA, and in the grid.
const IN_CTA: u32 = 10;
const IN_GRID: u32 = 41;
/// The flag of a reader means that other threads have read as well; that of a writer, that it wrote
/// through a surface.
const FLAG: u64 = 1;

impl Who {
    /// `None` if the numbers are too large.
    pub(super) fn new(at: &At, lane: u32, [w, h, _]: [u32; 3]) -> Option<Self> {
        let [x, y, z] = at.cta.map(u64::from);
        let cta = x + u64::from(w) * (y + u64::from(h) * z);
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

    /// Decodes the word into a thread at an operation.
    pub(super) fn spot(self, grid: [u32; 3], block: [u32; 3]) -> Spot {
        let thread = (self.0 >> 1) & ((1 << IN_GRID) - 1);
        let split = |n: u64, [w, h, _]: [u32; 3]| {
            let (w, h) = (u64::from(w.max(1)), u64::from(h.max(1)));
            [n % w, n / w % h, n / w / h].map(|n| n as u32)
        };
        Spot {
            cta: split(thread >> IN_CTA, grid),
            thread: split(thread & ((1 << IN_CTA) - 1), block),
            op: (self.0 >> (IN_GRID + 1)) as u32 - 1,
        }
    }

    fn is_thread(self, other: Self) -> bool {
        (self.0 ^ other.0) >> 1 & ((1 << IN_GRID) - 1) == 0
    }
}

/// The words of a part of the places.
type PlaceWords = OnceLock<Box<[AtomicU64]>>;

/// Number of words and notes of all textures in a launch.
#[derive(Debug, Default)]
pub(super) struct Taken {
    places: AtomicU64,
    rows: AtomicU64,
}

/// The places of a texture.
#[derive(Debug)]
pub(super) struct AccessedPlaces {
    unit: u64,
    taken: Arc<Taken>,
    /// Number of places whose words are allocated together.
    together: u64,
    /// For each part of the texture, the first reader and the last writer of each location.
    read: Box<[PlaceWords]>,
    written: Box<[PlaceWords]>,
    state: AtomicU8,
    notes: [Mutex<FetchNotes>; LISTS],
    /// Held while notes are entered.
    materializing: Mutex<()>,
}

/// Noted fetches of warps.
#[derive(Debug, Default)]
struct FetchNotes {
    all: Vec<(Arc<FetchPlan>, At)>,
    /// The coordinates of the noted fetches: up to x, y, z, and the layer.
    rows: Vec<Lanes>,
}

/// The number of coordinates, if they alone determine the texels that a fetch reads.
fn coordinates(plan: &FetchPlan) -> Option<usize> {
    let form = plan.form();
    let is_plain =
        matches!(form.kind, FetchKind::Sample(Lod::Implicit | Lod::Base)) && !form.offset;
    (is_plain && !form.geometry.is_multisample()).then(|| form.geometry.gradients())
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl AccessedPlaces {
    /// Places of `unit` bytes in `size` bytes.
    pub(super) fn new(size: u64, unit: u64, taken: &Arc<Taken>) -> Self {
        let unit = unit.max(1);
        let places = size.div_ceil(unit);
        let together = (places / PARTS).next_power_of_two().max(TOGETHER);
        let parts = || (0..places.div_ceil(together)).map(|_| PlaceWords::new()).collect();
        let (state, notes, materializing) =
            (AtomicU8::new(OPEN), Default::default(), Mutex::default());
        let (read, written, taken) = (parts(), parts(), Arc::clone(taken));
        Self { unit, taken, together, read, written, state, notes, materializing }
    }

    /// Notes a fetch. Returns false if it has to be entered at once.
    pub(super) fn note(
        &self,
        worker: usize,
        (plan, at): (&Arc<FetchPlan>, &At),
        request: &FetchRequest<'_>,
    ) -> bool {
        let Some(count) = coordinates(plan) else { return false };
        let mut notes = lock(&self.notes[worker % LISTS]);
        // A writer checks the state while it holds the list's lock.
        if self.state.load(SeqCst) != OPEN || self.taken.rows.load(SeqCst) >= MAX_ROWS {
            return false;
        }
        let before = notes.rows.len();
        notes.all.push((Arc::clone(plan), *at));
        notes.rows.extend(request.coords.point[..count].iter().map(|&row| *row));
        if plan.form().geometry.is_array() {
            notes.rows.push(*request.coords.layer);
        }
        self.taken.rows.fetch_add((notes.rows.len() - before) as u64, SeqCst);
        true
    }

    /// Enters all notes, by calling `each` for each lane's fetch. Afterwards no more notes are
    /// made.
    pub(super) fn materialize(&self, mut each: impl FnMut(&FetchPlan, (&At, u32), &FetchOperands)) {
        if self.state.load(SeqCst) == MATERIALIZED {
            return;
        }
        let _one = lock(&self.materializing);
        if self.state.load(SeqCst) == MATERIALIZED {
            return;
        }
        self.state.store(MATERIALIZING, SeqCst);
        for list in &self.notes {
            let FetchNotes { all, rows } = std::mem::take(&mut *lock(list));
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
                    let point = [of(&point[0]), of(&point[1]), of(&point[2])];
                    let coords = Coordinates { point, layer: of(&layer), sample: 0 };
                    each(plan, (at, lane), &FetchOperands { coords, ..FetchOperands::default() });
                }
            }
        }
        self.state.store(MATERIALIZED, SeqCst);
    }

    /// Bytes of a place.
    pub(super) fn unit(&self) -> u64 {
        self.unit
    }

    fn word<'a>(&self, of: &'a [PlaceWords], place: u64, is_new: bool) -> Option<&'a AtomicU64> {
        let words = of.get((place / self.together) as usize)?;
        let room = || {
            let taken = self.taken.places.fetch_add(self.together, SeqCst);
            let count = if taken < MAX { self.together } else { 0 };
            (0..count).map(|_| AtomicU64::new(0)).collect()
        };
        let words = if is_new { words.get_or_init(room) } else { words.get()? };
        words.get((place % self.together) as usize)
    }

    /// The last writer of a place.
    fn writer(&self, place: u64) -> Option<Who> {
        let writer = self.word(&self.written, place, false)?.load(SeqCst);
        (writer != 0).then_some(Who(writer))
    }

    /// Records that a thread reads a location of a texture's memory; returns the thread that has
    /// written it, if there is one.
    pub(super) fn reads(&self, place: u64, reader: Who) -> Option<Who> {
        if let Some(writer) = self.writer(place) {
            return Some(writer);
        }
        let word = self.word(&self.read, place, true)?;
        let first = word.load(SeqCst);
        if first & FLAG != 0 || first != 0 && Who(first).is_thread(reader) {
            return None;
        }
        let first = match first {
            0 => word.compare_exchange(0, reader.0, SeqCst, SeqCst).err().map(Who),
            first => Some(Who(first)),
        };
        if first.is_some_and(|first| !first.is_thread(reader)) {
            word.fetch_or(FLAG, SeqCst);
        }
        // Writers store before they check readers, and readers store before they check writers, so
        // that of two concurrent accesses at least one sees the other.
        self.writer(place)
    }

    /// Records that a thread writes a location of a texture's memory; returns another thread that
    /// has fetched from it. If a thread alone fetches and then stores, no thread can observe the
    /// store too early.
    pub(super) fn writes(&self, place: u64, writer: Who) -> Option<Who> {
        self.word(&self.written, place, true)?.store(writer.0, SeqCst);
        let reader = self.word(&self.read, place, false)?.load(SeqCst);
        let is_other = reader & FLAG != 0 || !Who(reader).is_thread(writer);
        (reader != 0 && is_other).then_some(Who(reader))
    }
}
