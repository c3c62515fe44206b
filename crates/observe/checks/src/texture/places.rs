//! Who has read and written which places of a texture in a launch: a word for each place and kind, as fetches come in millions.
//!
//! Until somebody writes, it is enough to note fetches as they come ([`Places::note`]), and most notes are never looked at
//! again. The first write has all of them made reads ([`Places::settle`]); from then on each fetch is one at once.

use crate::sink::Spot;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use texunit_simt::observe::At;
use texunit_unit::{Coordinates, FetchKind, FetchOperands, FetchPlan, FetchRequest, Lanes, Lod};

/// Places of which something is remembered in a launch, of those that are read and of those that are written together.
const MAX: u64 = 1 << 23;
/// Fewest places that get their words together.
const TOGETHER: u64 = 1 << 10;
/// Most parts of a texture that get their words at different times.
const PARTS: u64 = 1 << 12;
/// Rows of coordinates that are noted at most in a launch: then fetches are made reads.
const MAX_ROWS: u64 = 1 << 20;
/// Lists of notes, so that workers need not wait for each other.
const LISTS: usize = 8;

/// Fetches are noted; notes are being made reads; there are none any more.
const OPEN: u8 = 0;
const SETTLING: u8 = 1;
const SETTLED: u8 = 2;

/// A thread at an operation, in one word: the operation and 1, the thread's number, and a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Who(u64);

/// Bits of a thread's number in its CTA, and in the grid.
const IN_CTA: u32 = 10;
const IN_GRID: u32 = 41;
/// Of a reader: others have read, too. Of a writer: through a surface.
const FLAG: u64 = 1;

impl Who {
    /// `None` where the numbers are too large.
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

    /// The same with a name for people.
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

/// The words of some places.
type Words = OnceLock<Box<[AtomicU64]>>;

/// What the places of all textures of a launch have taken.
#[derive(Debug, Default)]
pub(super) struct Taken {
    places: AtomicU64,
    rows: AtomicU64,
}

/// The places of a texture.
#[derive(Debug)]
pub(super) struct Places {
    unit: u64,
    taken: Arc<Taken>,
    /// Places that get their words together.
    together: u64,
    /// Who has fetched first and who has written last, by part.
    read: Box<[Words]>,
    written: Box<[Words]>,
    state: AtomicU8,
    notes: [Mutex<Notes>; LISTS],
    /// Held by who makes reads of notes.
    settling: Mutex<()>,
}

/// Fetches of warps.
#[derive(Debug, Default)]
struct Notes {
    all: Vec<(Arc<FetchPlan>, At)>,
    /// Their coordinates: x, y, z as far as there are any, and the layer.
    rows: Vec<Lanes>,
}

/// How many coordinates say where a fetch reads, if nothing else does.
fn coordinates(plan: &FetchPlan) -> Option<usize> {
    let form = plan.form();
    let is_plain =
        matches!(form.kind, FetchKind::Sample(Lod::Implicit | Lod::Base)) && !form.offset;
    (is_plain && !form.geometry.is_multisample()).then(|| form.geometry.gradients())
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Places {
    /// Of so many bytes, of which this many are told apart.
    pub(super) fn new(size: u64, unit: u64, taken: &Arc<Taken>) -> Self {
        let unit = unit.max(1);
        let places = size.div_ceil(unit);
        let together = (places / PARTS).next_power_of_two().max(TOGETHER);
        let parts = || (0..places.div_ceil(together)).map(|_| Words::new()).collect();
        let (state, notes, settling) = (AtomicU8::new(OPEN), Default::default(), Mutex::default());
        let (read, written, taken) = (parts(), parts(), Arc::clone(taken));
        Self { unit, taken, together, read, written, state, notes, settling }
    }

    /// Notes a fetch. False: it is to be made reads at once.
    pub(super) fn note(
        &self,
        worker: usize,
        (plan, at): (&Arc<FetchPlan>, &At),
        request: &FetchRequest<'_>,
    ) -> bool {
        let Some(count) = coordinates(plan) else { return false };
        let mut notes = lock(&self.notes[worker % LISTS]);
        // Who writes looks at it with the list locked.
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

    /// Makes reads of all notes: `each` is called with a fetch of a lane. Behind it there are no more of them.
    pub(super) fn settle(&self, mut each: impl FnMut(&FetchPlan, (&At, u32), &FetchOperands)) {
        if self.state.load(SeqCst) == SETTLED {
            return;
        }
        let _one = lock(&self.settling);
        if self.state.load(SeqCst) == SETTLED {
            return;
        }
        self.state.store(SETTLING, SeqCst);
        for list in &self.notes {
            let Notes { all, rows } = std::mem::take(&mut *lock(list));
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
        self.state.store(SETTLED, SeqCst);
    }

    /// Bytes of a place.
    pub(super) fn unit(&self) -> u64 {
        self.unit
    }

    fn word<'a>(&self, of: &'a [Words], place: u64, is_new: bool) -> Option<&'a AtomicU64> {
        let words = of.get((place / self.together) as usize)?;
        let room = || {
            let taken = self.taken.places.fetch_add(self.together, SeqCst);
            let count = if taken < MAX { self.together } else { 0 };
            (0..count).map(|_| AtomicU64::new(0)).collect()
        };
        let words = if is_new { words.get_or_init(room) } else { words.get()? };
        words.get((place % self.together) as usize)
    }

    /// Who has written a place, if somebody has.
    fn writer(&self, place: u64) -> Option<Who> {
        let writer = self.word(&self.written, place, false)?.load(SeqCst);
        (writer != 0).then_some(Who(writer))
    }

    /// A thread fetches a place: who has written it.
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
        // Who writes looks at readers then: of two at the same time one sees the other.
        self.writer(place)
    }

    /// A thread writes a place: who has fetched it, if somebody else has. Who fetches and then stores, and nobody else, cannot see
    /// the store.
    pub(super) fn writes(&self, place: u64, writer: Who) -> Option<Who> {
        self.word(&self.written, place, true)?.store(writer.0, SeqCst);
        let reader = self.word(&self.read, place, false)?.load(SeqCst);
        let is_other = reader & FLAG != 0 || !Who(reader).is_thread(writer);
        (reader != 0 && is_other).then_some(Who(reader))
    }
}
