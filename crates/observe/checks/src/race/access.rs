//! Classifies one access of a warp by the addresses of its lanes: consecutive addresses that fill
//! whole lines, one address for all lanes, groups of eight lanes (octets) with such addresses, or
//! anything else. Each class is recorded in the shadow memory with as few operations as possible.
//! The result is the list of races.

use super::fasttrack::{AccessKind, AccessRecord, Conflict, ThreadAccess, View};
use super::line::Line;
use super::shape::{ByteAccess, LINE, LaneMapping, Octet, RowAccess, WORDS, WordAccess};
use crate::lanes;
use texunit_simt::observe::{
    Access, AccessOp, Arrangement, At, GroupedLoad, Order, Scope, Semantics,
};

/// Maximum number of elements of a vector access; each is a register of the lane.
const MAX_ELEMENTS: usize = 8;

/// The race of a lane: the lane, the byte of its access, and the conflicting access.
pub(super) type LaneRace = (u32, u64, Conflict);

/// Classifies an access by its memory order, its scope, and whether it stores.
pub(super) fn kind(operation: AccessOp, order: Order) -> AccessKind {
    let kind = match (order.semantics, order.scope) {
        (Semantics::Weak, _) => AccessKind::WEAK,
        (Semantics::Volatile, _) => AccessKind::VOLATILE,
        (_, Scope::Cta | Scope::Cluster) => AccessKind::CTA,
        _ => AccessKind::GPU,
    };
    match operation {
        AccessOp::BulkReduce => AccessKind::GPU.writing(),
        AccessOp::CopyFrom => kind.asynchronous(),
        AccessOp::CopyTo => kind.asynchronous().writing(),
        _ if operation.writes() => kind.writing(),
        _ => kind,
    }
}

/// The values that a store instruction writes.
#[derive(Default)]
pub(super) struct Stored {
    /// For each lane, the value of the access's first element.
    first: Option<[u64; 32]>,
    /// For each lane, the values of the other elements of a vector access.
    more: Vec<Option<[u64; 32]>>,
}

impl Stored {
    /// The values that a store instruction writes; empty for other accesses.
    #[inline]
    pub(super) fn of(access: &Access<'_>) -> Self {
        if access.operation != AccessOp::Store {
            return Self { first: None, more: Vec::new() };
        }
        let more = 1..access.values.len().min(MAX_ELEMENTS);
        let more = more.map(|i| access.values.get(i)).collect();
        Self { first: access.values.get(0), more }
    }

    /// The values of a store whose elements are given, each with the values of 32 lanes.
    pub(super) fn these(mut elements: impl Iterator<Item = [u64; 32]>) -> Self {
        Self { first: elements.next(), more: elements.map(Some).collect() }
    }

    /// The values of an access that does not store.
    const NOTHING: &Self = &Self { first: None, more: Vec::new() };
}

/// An access of a warp's lanes to global or shared memory.
#[derive(Clone, Copy)]
pub(super) struct Warp<'a> {
    pub(super) at: At,
    pub(super) access: &'a Access<'a>,
    pub(super) kind: AccessKind,
    stored: &'a Stored,
    /// Number of 4-byte words that each lane accesses; 0 if the access does not consist of whole
    /// words or is asynchronous.
    words: usize,
    stamp: AccessRecord,
    /// The octets of lanes, if all lanes are active, each octet accesses consecutive memory or one
    /// address, and the arrangement of all lanes is [`Arrangement::Other`].
    pub(super) octets: Option<[Octet; 4]>,
    /// For a load that is reported in a group, the distance of its addresses from those of the
    /// group's first load ([`GroupedLoad::offset`]); 0 for any other access.
    moved: u64,
}

/// Consecutive active lanes that access the same 128-byte line.
pub(super) struct LineLanes {
    /// The address that the first of the lanes accesses.
    pub(super) at: u64,
    pub(super) lanes: u32,
    /// The words of the line that the lanes access, as a mask; `None` if they do not access whole
    /// words.
    words: Option<u32>,
}

impl<'a> Warp<'a> {
    /// The access of an event, without the values that it stores ([`Self::store`]).
    #[inline]
    pub(super) fn new(at: &At, access: &'a Access<'a>, view: &View<'_>) -> Self {
        let kind = kind(access.operation, access.order);
        let is_whole = access.size.is_multiple_of(4) && !kind.is_async();
        let words = if is_whole { (access.bytes() / 4) as usize } else { 0 };
        let stamp = AccessRecord::new(view.serial, (view.now, kind), (at.warp * 32, at.op));
        let has_octets = access.arrangement == Arrangement::Other && at.lanes == u32::MAX;
        let octets = if has_octets { Octet::all_of(access) } else { None };
        let (at, stored) = (*at, Stored::NOTHING);
        Self { at, access, kind, stored, words, stamp, octets, moved: 0 }
    }

    /// Adds the stored values to the access.
    #[inline]
    pub(super) fn store(&mut self, stored: &'a Stored) {
        self.stored = stored;
    }

    /// The access of another load that the simulator reports in one group with this one. It has the
    /// same number and size of elements, at an offset.
    #[inline]
    pub(super) fn moved(&self, load: &GroupedLoad) -> Self {
        Self {
            at: At { op: load.op, ..self.at },
            stamp: self.stamp.of_op(load.op),
            octets: self.octets.map(|all| {
                all.map(|octet| Octet { at: octet.at.wrapping_add(load.offset), ..octet })
            }),
            moved: load.offset,
            ..*self
        }
    }

    /// How the addresses of the lanes are arranged.
    // The arrangement is not stored in a field: with each copy of the structure the processor would
    // wait until the parts of the enum, which were stored just before, are in memory.
    #[inline]
    pub(super) fn arrangement(&self) -> Arrangement {
        self.access.arrangement.moved(self.moved)
    }

    /// The address that a lane accesses.
    #[inline]
    pub(super) fn address(&self, lane: u32) -> u64 {
        self.access.addresses[lane as usize & 31].wrapping_add(self.moved)
    }

    /// Number of 4-byte words that each lane accesses; 0 if the access does not consist of whole
    /// words or is asynchronous.
    #[inline]
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// The lines of an access whose 32 lanes together access whole lines, if the access is weak and
    /// synchronous: the first line's address, and the binary logarithm of the number of lines. The
    /// number of lines is also the number of words of each lane.
    pub(super) fn lines(&self) -> Option<(u64, u32)> {
        let Arrangement::Row(first) = self.arrangement() else { return None };
        let is_plain = self.kind.strength() == 0 && !self.kind.is_async();
        let whole = self.at.lanes == u32::MAX && first.is_multiple_of(LINE);
        (is_plain && whole && matches!(self.words, 1 | 2 | 4))
            .then(|| (first, self.words.trailing_zeros()))
    }

    /// Number of a lane's thread in the CTA.
    fn thread(&self, lane: u32) -> u32 {
        self.at.warp * 32 + lane
    }

    /// The value that a lane stores to the word at byte `offset` of its access.
    fn value(&self, lane: u32, offset: u64) -> Option<u64> {
        let size = u64::from(self.access.size);
        let of = |offset: u64| {
            // The size is a power of two, so that a shift divides.
            let element = (offset >> size.trailing_zeros()) as usize;
            let value = match element {
                0 => self.stored.first.as_ref(),
                _ => self.stored.more.get(element - 1)?.as_ref(),
            };
            Some(value?[lane as usize] >> (8 * (offset & (size - 1))))
        };
        match size {
            // Neighbouring elements of 1 or 2 bytes are combined, because the shadow memory
            // compares the values of whole words.
            1 | 2 => {
                let low = (1 << (8 * size)) - 1;
                let part =
                    |i: u64| of(offset + i * size).map_or(0, |v| (v & low) << (8 * i * size));
                of(offset).map(|_| (0..4 / size).map(part).sum())
            }
            _ => of(offset),
        }
    }

    fn touch(&self, lane: u32) -> ThreadAccess {
        ThreadAccess { thread: self.thread(lane), op: self.at.op, kind: self.kind, value: None }
    }

    /// Records the lanes that access line `number` of the consecutive lines of an access
    /// ([`Self::lines`]). Returns false, with nothing recorded, if each lane has to be recorded on
    /// its own.
    #[inline]
    pub(super) fn row(
        &self,
        line: &mut Line,
        view: &View<'_>,
        ((number, shift), interval): ((u32, u32), u64),
    ) -> bool {
        let first = (number * 32) >> shift;
        let values = |words: &mut [u32; 32]| {
            if self.access.size == 4 && !self.is_stored() {
                return self.values_of_row(words, (first as usize, shift));
            }
            for (i, word) in words.iter_mut().enumerate() {
                let (lane, element) = (first as usize + (i >> shift), i & ((1 << shift) - 1));
                *word = self.value(lane as u32, 4 * element as u64).map_or(0, |v| v as u32);
            }
        };
        let (thread, op, writes) = (self.thread(first), self.at.op, self.kind.writes());
        let by = LaneMapping::words(shift);
        line.row(view, &RowAccess { thread, by, op, writes, interval, values: &values })
    }

    /// Whether the stored values were added to the access ([`Self::store`]).
    fn is_stored(&self) -> bool {
        self.stored.first.is_some()
    }

    /// Collects the words that the lanes from number `first` on store to one line.
    fn values_of_row(&self, words: &mut [u32; 32], (first, shift): (usize, u32)) {
        for element in 0..1 << shift {
            let row = self.access.values.low(element).unwrap_or_default();
            if shift == 0 {
                *words = row;
                return;
            }
            let to = words.iter_mut().skip(element).step_by(1 << shift);
            to.zip(row.iter().skip(first)).for_each(|(to, v)| *to = *v);
        }
    }

    /// For a weak, synchronous access whose 32 lanes together access whole quarters (32 bytes) of a
    /// line in bytes or half-words: the address of the first quarter, and the number of the thread
    /// that would access the line's first byte if lower threads continued the access to the front.
    /// `None` for other accesses.
    pub(super) fn quarters(&self) -> Option<(u64, u32)> {
        let Arrangement::Row(first) = self.arrangement() else { return None };
        let bytes = self.access.bytes();
        let is_plain = self.kind.strength() == 0 && !self.kind.is_async();
        let whole = self.at.lanes == u32::MAX && first.is_multiple_of(u64::from(32 * bytes));
        if !is_plain || !whole || !matches!(bytes, 1 | 2) {
            return None;
        }
        let before = (first % LINE) as u32 / bytes;
        self.thread(0).checked_sub(before).map(|thread| (first, thread))
    }

    /// Records an access to quarters of a line ([`Self::quarters`]). Returns false, with nothing
    /// recorded, if each lane has to be recorded on its own.
    pub(super) fn narrow_row(
        &self,
        line: &mut Line,
        view: &View<'_>,
        ((first, thread), interval): ((u64, u32), u64),
    ) -> bool {
        let (bytes, at) = (self.access.bytes() as usize, (first % LINE) as usize);
        let values = |words: &mut [u32; 32]| {
            let row: [u32; 32] = match self.is_stored() {
                true => std::array::from_fn(|lane| self.value(lane as u32, 0).unwrap_or(0) as u32),
                false => self.access.values.low(0).unwrap_or_default(),
            };
            for lane in 0..32 {
                let value = row[lane as usize];
                let (byte, mask) = (at + lane as usize * bytes, (1 << (8 * bytes)) - 1);
                let (word, shift) = (&mut words[byte / 4], 8 * (byte % 4));
                *word = *word & !(mask << shift) | (value & mask) << shift;
            }
        };
        let quarters = ((1 << bytes) - 1) << (at / 32);
        let (op, writes) = (self.at.op, self.kind.writes());
        let by = LaneMapping::bytes(bytes.trailing_zeros(), quarters);
        line.row(view, &RowAccess { thread, by, op, writes, interval, values: &values })
    }

    /// Records the lanes of an access to one line together. Returns the lanes that are recorded;
    /// each other lane has to be recorded on its own.
    #[inline]
    fn part(&self, line: &mut Line, view: &View<'_>, (of, interval): (&LineLanes, u64)) -> u32 {
        let Some(words) = of.words else { return 0 };
        let value = |lane: u32, i: usize| self.value(lane, 4 * i as u64).map_or(0, |v| v as u32);
        let (record, lanes, addresses) = (self.stamp, of.lanes, self.access.addresses);
        let (count, value) = (self.words, &value);
        let access = WordAccess { record, lanes, addresses, count, words, interval, value };
        line.split().words(view, &access)
    }

    /// Records a weak load of words in one line, whose octets access consecutive memory or one
    /// address. Returns false, with nothing recorded, if each lane has to be recorded on its own.
    #[inline]
    pub(super) fn octets(
        &self,
        line: &mut Line,
        view: &View<'_>,
        (octets, interval): (&[Octet; 4], u64),
    ) -> bool {
        line.split().octets(view, (self.stamp, interval), (octets, self.words as u32))
    }

    /// The octets of the access, if it is a weak load of words that all lie in one line.
    #[inline]
    pub(super) fn octets_in_line(&self) -> Option<&[Octet; 4]> {
        let octets = self.octets.as_ref()?;
        let is_plain = self.kind == AccessKind::WEAK && matches!(self.words, 1..=4);
        let line = octets[0].at / LINE;
        (is_plain && octets.iter().all(|octet| octet.at / LINE == line)).then_some(octets)
    }

    /// The first lane in `rest`, with the lanes that follow it and access the same line.
    #[inline]
    pub(super) fn line_lanes(&self, rest: u32) -> LineLanes {
        let at = self.access.addresses[rest.trailing_zeros() as usize & 31];
        let (number, low) = (at / LINE, (1_u64 << self.words.min(WORDS)) - 1);
        let (mut left, mut words, mut off) = (rest, 0, 0);
        while left != 0 {
            let address = self.access.addresses[left.trailing_zeros() as usize];
            if address / LINE != number {
                break;
            }
            words |= low << (address % LINE / 4);
            off |= address;
            left &= left - 1;
        }
        // No words if a lane does not access whole words, or a misaligned access leaves the line.
        let is_whole = self.words != 0 && off.is_multiple_of(4);
        let words = u32::try_from(words).ok().filter(|_| is_whole);
        LineLanes { at, lanes: rest & !left, words }
    }

    /// Records the lanes of an access to one line, and adds their races.
    pub(super) fn each(
        &self,
        line: &mut Line,
        view: &View<'_>,
        (of, interval): (&LineLanes, u64),
        races: &mut Vec<LaneRace>,
    ) {
        let done = self.part(line, view, (of, interval));
        for lane in lanes(of.lanes & !done) {
            let (at, value) = (self.address(lane) % LINE, |offset| self.value(lane, offset));
            let (touch, len) = (self.touch(lane), self.access.bytes().into());
            let hit = line.split().bytes(view, &ByteAccess { touch, len, value: &value }, at);
            races.extend(hit.map(|(offset, conflict)| (lane, offset, conflict)));
        }
    }
}
