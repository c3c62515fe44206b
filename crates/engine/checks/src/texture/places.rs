//! Who has read and written which places of a texture in a launch: a word for each place and kind, as fetches come in thousands.

use crate::sink::Spot;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use texunit_simt::observe::At;

/// Places of which something is remembered in a launch, of each texture that is written.
const MAX: u64 = 1 << 22;
/// Fewest places that get their words together.
const TOGETHER: u64 = 1 << 10;
/// Most parts of a texture that get their words at different times.
const PARTS: u64 = 1 << 12;

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

/// The places of a texture.
#[derive(Debug)]
pub(super) struct Places {
    unit: u64,
    /// Places that get their words together.
    together: u64,
    /// Who has fetched first and who has written last, by part.
    read: Box<[Words]>,
    written: Box<[Words]>,
}

impl Places {
    /// Of so many bytes, of which this many are told apart.
    pub(super) fn new(size: u64, unit: u64) -> Self {
        let unit = unit.max(1);
        let places = size.div_ceil(unit);
        let together = (places / PARTS).next_power_of_two().max(TOGETHER);
        let parts = || (0..places.div_ceil(together)).map(|_| Words::new()).collect();
        Self { unit, together, read: parts(), written: parts() }
    }

    /// Bytes of a place.
    pub(super) fn unit(&self) -> u64 {
        self.unit
    }

    fn word<'a>(&self, of: &'a [Words], place: u64, is_new: bool) -> Option<&'a AtomicU64> {
        let words = of.get((place / self.together) as usize)?;
        let room = || {
            let used = of.iter().filter(|words| words.get().is_some()).count() as u64;
            let count = if used * self.together < MAX { self.together } else { 0 };
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
        if first != 0 {
            word.fetch_or(FLAG, SeqCst);
        } else if word.compare_exchange(0, reader.0, SeqCst, SeqCst).is_err_and(|first| !Who(first).is_thread(reader)) {
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
