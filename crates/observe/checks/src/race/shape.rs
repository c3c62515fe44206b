//! The shapes of accesses to a 128-byte line of memory: of one thread, of several lanes, of
//! consecutive lanes that cover the line.

use super::fasttrack::{AccessRecord, Conflict, ThreadAccess};
use texunit_simt::observe::Access;
use texunit_unit::Build;

/// Size of a line in bytes.
pub(super) const LINE: u64 = 128;
/// Number of 4-byte words of a line.
pub(super) const WORDS: usize = 32;

/// The addresses of eight consecutive lanes (an octet).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Octet {
    /// The address that the first of the eight lanes accesses.
    pub(super) at: u64,
    /// Whether the lanes access consecutive memory. Otherwise all eight access one address.
    pub(super) is_row: bool,
}

impl Octet {
    #[inline(always)]
    fn of(all: &[u64; 8], bytes: u64) -> Option<Self> {
        let at = all[0];
        let (mut apart, mut off) = (0, 0);
        let mut next = at;
        for &address in all {
            apart |= address ^ at;
            off |= address ^ next;
            next = next.wrapping_add(bytes);
        }
        match (apart, off) {
            (0, _) => Some(Self { at, is_row: false }),
            (_, 0) => Some(Self { at, is_row: true }),
            _ => None,
        }
    }

    /// The addresses of the four octets of a warp; `None` if an octet accesses neither consecutive
    /// memory nor one address.
    #[inline(never)]
    pub(super) fn all_of(access: &Access<'_>) -> Option<[Self; 4]> {
        Build::current().run_narrow(
            #[inline(always)]
            || {
                let mut octets = [Self::default(); 4];
                for (octet, part) in octets.iter_mut().zip(access.addresses.as_chunks::<8>().0) {
                    *octet = Self::of(part, access.bytes().into())?;
                }
                Some(octets)
            },
        )
    }
}

/// A synchronous access of lanes of a warp to whole words of one line.
pub(super) struct WordAccess<'a> {
    /// The access record of the warp's thread 0.
    pub(super) record: AccessRecord,
    /// The lanes of the access as a mask.
    pub(super) lanes: u32,
    /// The addresses of all lanes of the warp; those of inactive lanes are meaningless.
    pub(super) addresses: &'a [u64; 32],
    /// Number of words that each lane accesses.
    pub(super) count: usize,
    /// The words of the line that the lanes access, as a mask.
    pub(super) words: u32,
    /// Number of the current synchronisation interval ([`super::fasttrack::View::interval`]).
    pub(super) interval: u64,
    /// The value that a lane stores in one of its words.
    pub(super) value: &'a dyn Fn(u32, usize) -> u32,
}

/// A weak, synchronous access of consecutive lanes to all words of a line, or to whole quarters (32
/// bytes) of a line in bytes or half-words.
pub(super) struct RowAccess<'a> {
    /// The thread that accesses the line's first word or byte. If the access starts later in the
    /// line, the number that this thread would have.
    pub(super) thread: u32,
    /// Which lanes access which bytes of the line.
    pub(super) by: LaneMapping,
    pub(super) op: u32,
    pub(super) writes: bool,
    /// Number of the current synchronisation interval ([`super::fasttrack::View::interval`]).
    pub(super) interval: u64,
    /// Collects the values that the access stores, as words of the line.
    pub(super) values: &'a dyn Fn(&mut [u32; WORDS]),
}

/// Which lanes of an access to a line access which bytes, and which quarters of the line the access
/// covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaneMapping(pub(super) u32);

impl LaneMapping {
    const NARROW: u32 = 4;
    const QUARTERS: u32 = 8;
    /// The bits that say how many bytes each lane accesses; the bits above say which quarters of
    /// the line are accessed.
    const MAPPING: u32 = 0xff;

    /// The mapping of an access to all words of the line, with `1 << shift` words for each lane.
    pub(super) fn words(shift: u32) -> Self {
        Self(shift)
    }

    /// The mapping of an access to the given quarters of the line, with `1 << shift` bytes (1 or 2)
    /// for each lane.
    pub(super) fn bytes(shift: u32, quarters: u32) -> Self {
        Self(Self::NARROW | shift | quarters << Self::QUARTERS)
    }

    /// The mapping in an access record of a whole line.
    pub(super) fn of(stamp: AccessRecord) -> Self {
        Self(stamp.extra)
    }

    pub(super) fn is_narrow(self) -> bool {
        self.0 & Self::NARROW != 0
    }

    fn quarters(self) -> u32 {
        if self.is_narrow() { self.0 >> Self::QUARTERS } else { 0xf }
    }

    pub(super) fn is_like(self, other: Self) -> bool {
        (self.0 ^ other.0) & Self::MAPPING == 0
    }

    /// Whether the other mapping covers all quarters that this one covers.
    pub(super) fn is_within(self, other: Self) -> bool {
        self.quarters() & !other.quarters() == 0
    }

    pub(super) fn with(self, other: Self) -> u32 {
        self.0 | other.0
    }

    /// The thread that accesses a byte, as an offset from the thread of the line's first byte;
    /// `None` if the access does not cover the byte.
    pub(super) fn thread_of(self, byte: usize) -> Option<u32> {
        if !self.is_narrow() {
            return Some((byte as u32 / 4) >> self.0);
        }
        let is_in = self.quarters() >> (byte / 32) & 1 == 1;
        is_in.then_some(byte as u32 >> (self.0 & 1))
    }

    /// Whether the access covers any of the line's bytes in a range.
    pub(super) fn has(self, bytes: &std::ops::Range<u64>) -> bool {
        let any = |quarter: u64| bytes.start < 32 * quarter + 32 && bytes.end > 32 * quarter;
        !bytes.is_empty() && (0..4).any(|q| self.quarters() >> q & 1 == 1 && any(q))
    }
}

/// An access of one thread to some bytes of a line.
pub(super) struct ByteAccess<'a> {
    pub(super) touch: ThreadAccess,
    pub(super) len: u64,
    /// The value that the access stores, from the given byte of the access on.
    pub(super) value: &'a dyn Fn(u64) -> Option<u64>,
}

/// A race: the offset of the racing byte in the access, and the earlier access.
pub(super) type Hit = (u64, Conflict);
