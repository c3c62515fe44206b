//! Vector clocks: which accesses are ordered before an event. A clock has a time for each thread,
//! and contains the thread's accesses until that time.
//!
//! Time is counted per CTA, not per thread: each CTA has a counter that is incremented at each
//! synchronisation, and an access carries the counter's value as its time. A barrier is therefore
//! one number, "all accesses of the CTA until this time", and a clock needs entries only for parts
//! of a CTA (warps, threads) and for other CTAs. Consecutive CTAs with the same time share an
//! entry, so that a chain of CTAs or a grid barrier takes a few entries and not one for each CTA.

use std::cmp::Reverse;
use std::sync::Arc;

/// Number of bits of a time.
pub(super) const TIME_BITS: u32 = 27;
/// The latest time that is counted.
pub(super) const LAST_TIME: u32 = (1 << TIME_BITS) - 1;
/// Maximum number of entries for warps and threads in a clock. Beyond it, entries are rounded up to
/// entries for whole CTAs.
const MAX_PARTS: usize = 128;
/// Maximum number of entries for CTAs in a clock. Beyond it, neighbouring entries are merged.
const MAX_RUNS: usize = 512;

/// A time of one thread, at which it makes an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch {
    /// Serial number of the CTA among the CTAs of all launches.
    pub(super) serial: u32,
    /// Number of the thread in the CTA.
    pub(super) thread: u32,
    pub(super) time: u32,
}

/// A clock that several threads may share; `None` is the empty clock.
pub(super) type SharedClock = Option<Arc<Clock>>;

/// Joins a vector clock to an optional one.
pub(super) fn join(clock: &mut SharedClock, other: &Arc<Clock>) {
    match clock {
        Some(clock) => add(clock, other),
        None => *clock = Some(Arc::clone(other)),
    }
}

/// Two clocks: one for threads of the same CTA, and one for threads of other CTAs.
pub(super) type ScopedClocks = [SharedClock; 2];

/// Joins the clock of each scope in `others` to the clock of the same scope in `clocks`.
pub(super) fn join_each(clocks: &mut ScopedClocks, others: &ScopedClocks) {
    for (to, from) in clocks.iter_mut().zip(others) {
        from.iter().for_each(|clock| join(to, clock));
    }
}

/// Joins a vector clock to another.
pub(super) fn add(clock: &mut Arc<Clock>, other: &Arc<Clock>) {
    if !Arc::ptr_eq(clock, other) {
        Arc::make_mut(clock).join(other);
    }
}

/// The threads of a CTA to whose accesses an entry of a clock applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    /// All threads of the CTA.
    Cta,
    /// A warp of the CTA.
    Warp(u32),
    /// A thread, by its number in the CTA.
    Thread(u32),
    /// The asynchronous copies of a warp whose completion an mbarrier has signalled.
    Copies(u32),
}

/// An entry of a clock, for the accesses of the CTAs `first..=last` (serial numbers) until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CtaEntry {
    first: u32,
    last: u32,
    time: u32,
}

/// An entry of a clock, for the accesses of a part of a CTA ([`Unit`]) until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PartEntry {
    of: (u32, Unit),
    time: u32,
}

/// A vector clock: the accesses that are ordered before an event, as a time for each thread.
///
/// If a clock has too many entries, it is rounded up. It then contains more accesses than it
/// should, which can hide races but causes no false reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Clock {
    /// Entries for CTAs, sorted by serial number and disjoint.
    runs: Vec<CtaEntry>,
    /// Entries for warps, threads and copies, sorted by CTA and [`Unit`]. Each has a later time
    /// than the entry of its CTA.
    parts: Vec<PartEntry>,
    /// Whether the clock contains all accesses of all threads, because it had too many entries.
    is_all: bool,
}

impl Clock {
    /// The clock that contains all accesses of all threads: each counts as ordered before the
    /// event.
    pub(super) fn all() -> Self {
        Self { is_all: true, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.is_all && self.runs.is_empty() && self.parts.is_empty()
    }

    /// Size of the clock in bytes.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>()
            + self.runs.len() * size_of::<CtaEntry>()
            + self.parts.len() * size_of::<PartEntry>()
    }

    /// The time until which the clock contains all accesses of a CTA; 0 if it contains none.
    fn cta(&self, serial: u32) -> u32 {
        let i = self.runs.partition_point(|run| run.last < serial);
        self.runs.get(i).filter(|run| run.first <= serial).map_or(0, |run| run.time)
    }

    fn part(&self, of: (u32, Unit)) -> u32 {
        self.parts.binary_search_by_key(&of, |part| part.of).map_or(0, |i| self.parts[i].time)
    }

    /// Whether the clock contains the accesses of a thread until a time.
    pub(super) fn knows(&self, Epoch { serial, thread, time }: Epoch) -> bool {
        self.is_all
            || self.cta(serial) >= time
            || (!self.parts.is_empty()
                && (self.part((serial, Unit::Warp(thread / 32))) >= time
                    || self.part((serial, Unit::Thread(thread))) >= time))
    }

    /// Whether the clock contains the completion of the asynchronous copies that the thread's warp
    /// has started until a time.
    pub(super) fn knows_copies(&self, Epoch { serial, thread, time }: Epoch) -> bool {
        self.is_all || self.part((serial, Unit::Copies(thread / 32))) >= time
    }

    /// Adds the accesses of a CTA's threads `unit` until a time.
    pub(super) fn add(&mut self, serial: u32, unit: Unit, time: u32) {
        if self.is_all || time == 0 {
            return;
        }
        if unit == Unit::Cta {
            self.raise(&[CtaEntry { first: serial, last: serial, time }]);
            return self.tidy();
        }
        if !matches!(unit, Unit::Copies(_)) && self.cta(serial) >= time {
            return;
        }
        match self.parts.binary_search_by_key(&(serial, unit), |part| part.of) {
            Ok(i) => self.parts[i].time = self.parts[i].time.max(time),
            Err(i) => self.parts.insert(i, PartEntry { of: (serial, unit), time }),
        }
        self.limit();
    }

    /// Joins another clock into this one: each thread gets the later of its two times.
    pub(super) fn join(&mut self, other: &Self) {
        if self.is_all || other.is_empty() {
            return;
        }
        if other.is_all || self.is_empty() {
            *self = other.clone();
            return;
        }
        if !other.runs.is_empty() && self.runs != other.runs {
            self.raise(&other.runs);
        }
        if !other.parts.is_empty() && self.parts != other.parts {
            // If both clocks have an entry for the same warp or thread, the later time is kept.
            self.parts.extend_from_slice(&other.parts);
            self.parts.sort_by_key(|part| (part.of, Reverse(part.time)));
            self.parts.dedup_by_key(|part| part.of);
        }
        self.tidy();
    }

    /// Joins the entries for CTAs: each CTA gets the later of its two times.
    fn raise(&mut self, others: &[CtaEntry]) {
        let both = [&self.runs[..], others];
        // The boundaries of all entries. They are 64-bit numbers, so that `last + 1` cannot
        // overflow.
        let mut edges: Vec<u64> = both
            .iter()
            .flat_map(|runs| runs.iter())
            .flat_map(|run| [u64::from(run.first), u64::from(run.last) + 1])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let mut at = [0; 2];
        let mut all: Vec<CtaEntry> = Vec::with_capacity(edges.len());
        for pair in edges.windows(2) {
            let (first, last) = (pair[0] as u32, (pair[1] - 1) as u32);
            let mut time = 0;
            for (runs, i) in both.iter().zip(&mut at) {
                while runs.get(*i).is_some_and(|run| run.last < first) {
                    *i += 1;
                }
                let here = runs.get(*i).filter(|run| run.first <= first);
                time = time.max(here.map_or(0, |run| run.time));
            }
            match all.last_mut() {
                _ if time == 0 => {}
                Some(before) if before.time == time && before.last.wrapping_add(1) == first => {
                    before.last = last;
                }
                _ => all.push(CtaEntry { first, last, time }),
            }
        }
        self.runs = all;
    }

    /// Removes entries for warps and threads whose accesses the entry of the whole CTA contains.
    fn tidy(&mut self) {
        let mut parts = std::mem::take(&mut self.parts);
        let is_more = |part: &PartEntry| self.cta(part.of.0) < part.time;
        parts.retain(|part| matches!(part.of.1, Unit::Copies(_)) || is_more(part));
        self.parts = parts;
        self.limit();
    }

    fn limit(&mut self) {
        if self.parts.len() > MAX_PARTS {
            // CTAs with the lowest serial numbers have probably ended, so that their entries are
            // rounded up first.
            let cut = self.parts.len() - MAX_PARTS / 2;
            let rest = self.parts.split_off(cut);
            let (copies, old): (Vec<_>, Vec<_>) = std::mem::take(&mut self.parts)
                .into_iter()
                .partition(|part| matches!(part.of.1, Unit::Copies(_)));
            self.parts = copies;
            self.parts.extend(rest);
            // Entries for copies cannot be rounded up, because an entry for a CTA contains no
            // copies.
            if self.parts.len() > 4 * MAX_PARTS {
                *self = Self::all();
                return;
            }
            for part in old {
                let serial = part.of.0;
                self.raise(&[CtaEntry { first: serial, last: serial, time: part.time }]);
            }
        }
        while self.runs.len() > MAX_RUNS {
            let pairs = self.runs.chunks(2).map(|pair| CtaEntry {
                first: pair[0].first,
                last: pair[pair.len() - 1].last,
                time: pair.iter().map(|run| run.time).max().unwrap_or(0),
            });
            self.runs = pairs.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use texunit_testkit::Random;

    fn at(serial: u32, thread: u32, time: u32) -> Epoch {
        Epoch { serial, thread, time }
    }

    #[test]
    fn what_is_added_is_known_and_nothing_else() {
        let mut clock = Clock::default();
        clock.add(7, Unit::Thread(33), 4);
        clock.add(7, Unit::Warp(0), 2);
        for known in [at(7, 33, 4), at(7, 5, 2)] {
            assert!(clock.knows(known));
        }
        for unknown in [at(7, 33, 5), at(7, 34, 1), at(7, 5, 3), at(8, 33, 1)] {
            assert!(!clock.knows(unknown));
        }
        clock.add(7, Unit::Cta, 4);
        assert!(clock.parts.is_empty() && clock.knows(at(7, 999, 4)) && !clock.knows(at(7, 33, 5)));
        assert!(Clock::all().knows(at(1, 2, u32::MAX)));
    }

    #[test]
    fn joins_are_those_of_every_cta() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let mut clocks = [Clock::default(), Clock::default()];
            let mut model = BTreeMap::<(u32, Unit), u32>::new();
            for clock in &mut clocks {
                for _ in 0..random.below(12) {
                    let unit = match random.below(3) {
                        0 => Unit::Warp(random.below(2) as u32),
                        1 => Unit::Thread(random.below(64) as u32),
                        _ => Unit::Cta,
                    };
                    let (serial, time) = (1 + random.below(9) as u32, 1 + random.below(5) as u32);
                    clock.add(serial, unit, time);
                    let known = model.entry((serial, unit)).or_default();
                    *known = time.max(*known);
                }
            }
            let [mut a, b] = clocks;
            a.join(&b);
            let known = |of| model.get(&of).copied().unwrap_or(0);
            for serial in 0..11 {
                for thread in [0, 1, 31, 32, 63] {
                    let units = [Unit::Cta, Unit::Warp(thread / 32), Unit::Thread(thread)];
                    let most = units.map(|unit| known((serial, unit))).into_iter().max();
                    for time in 1..7 {
                        let is = a.knows(at(serial, thread, time));
                        assert_eq!(is, Some(time) <= most, "{serial} {thread} {time}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_chain_of_ctas_is_one_entry_and_a_crowd_is_limited() {
        let mut clock = Clock::default();
        (1..100_000).rev().for_each(|serial| clock.add(serial, Unit::Cta, 3));
        assert_eq!(clock.runs.len(), 1);
        let mut clock = Clock::default();
        for i in 0..3000 {
            clock.add(1 + i, Unit::Thread(i % 7), 1 + i % 5);
            assert!(clock.knows(at(1 + i, i % 7, 1 + i % 5)));
            assert!(clock.parts.len() <= MAX_PARTS && clock.runs.len() <= MAX_RUNS);
        }
        assert!(clock.knows(at(1, 0, 1)) && clock.size() < 16 << 10);
    }
}
