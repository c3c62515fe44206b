//! An access of a warp, taken apart: a row of lines, one place for all lanes, or lane by lane.

use super::cell::{Conflict, Touch};
use super::line::{Bytes, LINE, Line, Part, Row, Words};
use super::stamp::{Kind, Stamp};
use super::view::View;
use texunit_simt::observe::{Access, At, Doing, Order, Scope, Semantics};

/// Registers of an access at most.
const MOST_ELEMENTS: usize = 8;

/// What a lane's access has raced with: lane, byte of the access, and what.
pub(super) type Raced = (u32, u64, Conflict);

/// How an instruction's access is made.
pub(super) fn kind(doing: Doing, order: Order) -> Kind {
    let kind = match (order.semantics, order.scope) {
        (Semantics::Weak, _) => Kind::WEAK,
        (Semantics::Volatile, _) => Kind::VOLATILE,
        (_, Scope::Cta | Scope::Cluster) => Kind::CTA,
        _ => Kind::GPU,
    };
    match doing {
        Doing::CopyFrom => kind.asynchronous(),
        Doing::CopyTo => kind.asynchronous().writing(),
        _ if doing.writes() => kind.writing(),
        _ => kind,
    }
}

/// An access of lanes to global or shared memory.
pub(super) struct Warp<'a> {
    pub(super) at: At,
    pub(super) access: &'a Access<'a>,
    pub(super) kind: Kind,
    /// What each lane stores: the first element,
    value: Option<[u64; 32]>,
    /// and others.
    more: Vec<Option<[u64; 32]>>,
    /// Words of each lane, if they are whole ones and it is no copy; else 0.
    words: usize,
    stamp: Stamp,
}

/// How the addresses of lanes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One behind the other, from the first byte of a line on, a power of two of words each.
    Lines { shift: u32 },
    /// All lanes load the same.
    One,
    /// Any other.
    Any,
}

impl<'a> Warp<'a> {
    pub(super) fn new(at: &At, access: &'a Access<'a>, view: &View<'_>) -> Self {
        let stores = access.doing == Doing::Store;
        let count = if stores { access.values.len().min(MOST_ELEMENTS) } else { 0 };
        let value = if stores { access.values.get(0) } else { None };
        let more = (1..count).map(|i| access.values.get(i)).collect();
        let kind = kind(access.doing, access.order);
        let is_whole = access.size.is_multiple_of(4) && !kind.is_async();
        let words = if is_whole { (access.bytes() / 4) as usize } else { 0 };
        let stamp = Stamp::new(view.serial, (view.now, kind), (at.warp * 32, at.op));
        Self { at: *at, access, kind, value, more, words, stamp }
    }

    pub(super) fn shape(&self) -> Shape {
        let (addresses, bytes) = (self.access.addresses, u64::from(self.access.bytes()));
        if self.kind.strength() != 0 || self.kind.is_async() {
            return Shape::Any;
        }
        let first = addresses[0];
        if self.at.lanes == u32::MAX && first.is_multiple_of(LINE) && matches!(bytes, 4 | 8 | 16) {
            let mut off = 0;
            for (i, &address) in (0..).zip(addresses) {
                off |= address ^ first.wrapping_add(i * bytes);
            }
            if off == 0 {
                return Shape::Lines { shift: bytes.trailing_zeros() - 2 };
            }
        }
        let first = addresses[self.at.lanes.trailing_zeros() as usize & 31];
        let is_one = |lane: usize| self.at.lanes >> lane & 1 == 0 || addresses[lane] == first;
        match !self.kind.writes() && (0..32).all(is_one) {
            true => Shape::One,
            false => Shape::Any,
        }
    }

    /// Number of a lane's thread in the CTA.
    fn thread(&self, lane: u32) -> u32 {
        self.at.warp * 32 + lane
    }

    /// What a lane stores from a byte of its access on.
    fn value(&self, lane: u32, offset: u64) -> Option<u64> {
        let size = u64::from(self.access.size);
        let of = |offset: u64| {
            // Sizes are powers of two.
            let element = (offset >> size.trailing_zeros()) as usize;
            let value = match element {
                0 => self.value.as_ref(),
                _ => self.more.get(element - 1)?.as_ref(),
            };
            Some(value?[lane as usize] >> (8 * (offset & (size - 1))))
        };
        match size {
            // Bytes and halves beside each other make a word.
            1 | 2 => {
                let low = (1 << (8 * size)) - 1;
                let part =
                    |i: u64| of(offset + i * size).map_or(0, |v| (v & low) << (8 * i * size));
                of(offset).map(|_| (0..4 / size).map(part).sum())
            }
            _ => of(offset),
        }
    }

    fn touch(&self, lane: u32) -> Touch {
        Touch { thread: self.thread(lane), op: self.at.op, kind: self.kind, value: None }
    }

    /// All lanes whose words are in line `number` of the row. False: nothing has been done.
    pub(super) fn row(
        &self,
        line: &mut Line,
        view: &View<'_>,
        ((number, shift), epoch): ((u32, u32), u64),
    ) -> bool {
        let first = (number * 32) >> shift;
        let value = |word: usize| {
            let lane = first + (word as u32 >> shift);
            let offset = 4 * (word as u64 & ((1 << shift) - 1));
            self.value(lane, offset).map(|value| value as u32)
        };
        let (thread, op, writes) = (self.thread(first), self.at.op, self.kind.writes());
        line.row(view, &Row { thread, shift, op, writes, epoch, value: &value })
    }

    /// A load of one place. False: lane by lane.
    pub(super) fn one(&self, line: &mut Line, view: &View<'_>, (at, epoch): (u64, u64)) -> bool {
        let first = self.at.lanes.trailing_zeros() & 31;
        let stamp = self.stamp.of_thread(self.thread(first));
        let (lanes, count) = (self.at.lanes, self.words);
        let words = Words { stamp, lanes, count, epoch, value: &|_| 0 };
        if count != 0 && line.words(view, &words, at) {
            return true;
        }
        let touch = self.touch(first);
        line.load_all(view, (&touch, self.at.lanes), (at, self.access.bytes().into()))
    }

    /// Accesses of lanes to one line. Lanes that are done; the others one by one.
    pub(super) fn part(&self, line: &mut Line, view: &View<'_>, (lanes, epoch): (u32, u64)) -> u32 {
        if !matches!(self.words, 1..=4) || self.kind.strength() != 0 {
            return 0;
        }
        let value = |lane: u32, i: usize| self.value(lane, 4 * i as u64).map_or(0, |v| v as u32);
        let (stamp, addresses, count) = (self.stamp, self.access.addresses, self.words);
        line.part(view, &Part { stamp, lanes, addresses, count, epoch, value: &value })
    }

    /// The first of some lanes, with those behind it that access the same line.
    pub(super) fn of_line(&self, mut rest: u32) -> (u32, u64) {
        let at = self.access.addresses[rest.trailing_zeros() as usize & 31];
        let mut here = 0;
        while rest != 0 && self.access.addresses[rest.trailing_zeros() as usize] / LINE == at / LINE
        {
            here |= rest & rest.wrapping_neg();
            rest &= rest - 1;
        }
        (here, at)
    }

    /// One lane's access.
    pub(super) fn lane(
        &self,
        line: &mut Line,
        view: &View<'_>,
        ((lane, at), epoch): ((u32, u64), u64),
    ) -> Option<Raced> {
        if self.words != 0 {
            let stamp = self.stamp.of_thread(self.thread(lane));
            let value = |i: usize| self.value(lane, 4 * i as u64).map_or(0, |value| value as u32);
            let (lanes, count) = (1 << lane, self.words);
            let words = Words { stamp, lanes, count, epoch, value: &value };
            if line.words(view, &words, at) {
                return None;
            }
        }
        let value = |offset: u64| self.value(lane, offset);
        let (touch, len) = (self.touch(lane), self.access.bytes().into());
        let hit = line.bytes(view, &Bytes { touch, len, value: &value }, at);
        hit.map(|(offset, conflict)| (lane, offset, conflict))
    }
}

/// Numbers of lanes.
pub(super) fn lanes(mut mask: u32) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}
