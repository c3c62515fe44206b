//! Happens-before inside a CTA: given its barriers, `.sync` instructions, fences, strong loads and
//! strong stores, this module keeps the clock of each thread, and decides whether an earlier access
//! is ordered before a thread's next one.
//!
//! What all threads know is stored once for the CTA, what a warp's lanes know once for the warp,
//! and only the rest for each lane.
//!
//! A fence takes a snapshot of its thread's clock, which the thread's later strong stores publish.
//! A clock that a strong load has read takes effect at the thread's next fence. Barriers pass on
//! both the snapshots and the clocks that were read: a fence before a barrier orders a store of
//! another thread after it. Every GPU does so, although the PTX memory model promises it for the
//! fencing thread only.

use super::clock::{Clock, Unit};
use super::copies::Copies;
use super::shadow::join;
use super::stamp::{LAST_TIME, Stamp};
use std::mem::take;
use std::sync::Arc;
use texunit_simt::observe::CtaInfo;

/// A clock that several threads may share.
pub(super) type SharedClock = Option<Arc<Clock>>;

/// Two clocks: one for threads of the same CTA, one for those of other CTAs.
pub(super) type ScopedClocks = [SharedClock; 2];

/// Snapshot of a thread's knowledge.
#[derive(Clone, Debug, Default)]
struct Snapshot {
    all: u32,
    of_warp: u32,
    own: u32,
    of_others: [SharedClock; 3],
}

/// The state of a thread.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// The lane's clock, beyond what the CTA and the warp know.
    knows: SharedClock,
    /// Clocks that its strong loads have read, until its next fence.
    seen: ScopedClocks,
    /// Snapshots of its last fence of CTA scope, and of device scope.
    fenced: [Option<Box<Snapshot>>; 2],
}

/// The state of a warp.
#[derive(Clone, Debug, Default)]
struct Warp {
    /// The lanes of the warp when the CTA began.
    lanes: u32,
    /// The time until which its lanes know each other's accesses.
    all: u32,
    knows: SharedClock,
    /// Lanes whose last `.sync` instruction names all lanes of the warp.
    whole: u32,
    own: Option<Box<[Lane; 32]>>,
}

/// What the threads that have arrived at a barrier know together.
#[derive(Clone, Debug, Default)]
struct Barrier {
    knows: Clock,
    seen: ScopedClocks,
    fenced: ScopedClocks,
    /// Whether the barrier is for all threads, and all that have arrived wait.
    is_whole: bool,
    /// Whether no thread has passed it since the first arrival.
    is_new: bool,
}

/// The state of a CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Cta {
    pub(super) serial: u32,
    /// The time of the CTA, which is incremented at each synchronisation.
    pub(super) now: u32,
    /// The time up to which every thread of the CTA has seen the accesses of every other one.
    pub(super) all: u32,
    knows: SharedClock,
    seen: ScopedClocks,
    fenced: ScopedClocks,
    warps: Vec<Warp>,
    /// Number of threads when the CTA began.
    threads: u32,
    /// Barriers in use, by their numbers.
    barriers: Vec<(u32, Barrier)>,
    pub(super) copies: Copies,
    /// Whether a warp or lane has a clock of its own.
    has_own: bool,
    /// Whether any thread has executed a fence.
    pub(super) has_fenced: bool,
}

impl Cta {
    pub(super) fn begin(&mut self, serial: u32, cta: &CtaInfo) {
        // Keeps the allocated capacity.
        let (mut warps, mut barriers) = (take(&mut self.warps), take(&mut self.barriers));
        let mut copies = take(&mut self.copies);
        let warp = |i| Warp { lanes: cta.lanes(i), ..Warp::default() };
        warps.clear();
        warps.extend((0..cta.warps).map(warp));
        barriers.clear();
        copies.clear();
        let threads = warps.iter().map(|warp| warp.lanes.count_ones()).sum();
        *self = Self { serial, now: 1, warps, threads, barriers, copies, ..Self::default() };
    }

    /// The index of a barrier's state, which is added if it is missing.
    fn barrier(&mut self, id: u32) -> usize {
        let found = self.barriers.iter().position(|barrier| barrier.0 == id);
        found.unwrap_or_else(|| {
            self.barriers.push((id, Barrier::default()));
            self.barriers.len() - 1
        })
    }

    /// Advances the time, so that later accesses can be told from earlier ones; returns the time
    /// before.
    pub(super) fn tick(&mut self) -> u32 {
        let before = self.now;
        match self.now < LAST_TIME {
            true => self.now += 1,
            // The counter is exhausted: later accesses cannot be told from earlier ones, so all
            // count as ordered.
            false => self.all = LAST_TIME,
        }
        before
    }

    /// The time until which the lanes of a warp know each other's accesses.
    pub(super) fn of_warp(&self, warp: u32) -> u32 {
        self.warps.get(warp as usize).map_or(0, |warp| warp.all)
    }

    /// The state of a thread, allocated if missing.
    fn lane(&mut self, thread: u32) -> Option<&mut Lane> {
        self.has_own = true;
        let warp = self.warps.get_mut(thread as usize / 32)?;
        Some(&mut warp.own.get_or_insert_default()[thread as usize % 32])
    }

    fn own(&self, thread: u32) -> Option<&Lane> {
        let warp = self.warps.get(thread as usize / 32)?;
        warp.own.as_ref().map(|lanes| &lanes[thread as usize % 32])
    }

    /// The clocks that apply to a thread: the CTA's, its warp's, and its own.
    fn clocks(&self, thread: u32) -> [SharedClock; 3] {
        let warp = self.warps.get(thread as usize / 32).and_then(|warp| warp.knows.clone());
        [self.knows.clone(), warp, self.own(thread).and_then(|lane| lane.knows.clone())]
    }

    /// A snapshot of a thread's current knowledge.
    fn snapshot(&self, thread: u32, own: u32) -> Snapshot {
        let of_warp = self.of_warp(thread / 32);
        Snapshot { all: self.all, of_warp, own, of_others: self.clocks(thread) }
    }

    fn clock_of(&self, snapshot: &Snapshot, thread: u32) -> Clock {
        let mut clock = Clock::default();
        snapshot.of_others.iter().flatten().for_each(|known| clock.join(known));
        let times = [snapshot.all, snapshot.of_warp, snapshot.own];
        let units = [Unit::Cta, Unit::Warp(thread / 32), Unit::Thread(thread)];
        for (unit, time) in units.into_iter().zip(times) {
            clock.add(self.serial, unit, time);
        }
        clock
    }

    /// Whether a thread knows another thread's access in the same CTA.
    fn knows(&self, thread: u32, whose: u32, time: u32) -> bool {
        let near = time <= self.all
            || whose == thread
            || (whose / 32 == thread / 32 && time <= self.of_warp(thread / 32));
        let of = |clock: &Arc<Clock>| clock.knows(self.serial, whose, time);
        near || self.clocks(thread).iter().flatten().any(of)
    }

    /// Adds a clock to the knowledge of lanes.
    pub(super) fn join_clock(&mut self, warp: u32, lanes: u32, clock: &Arc<Clock>) {
        self.has_own = true;
        match self.warps.get_mut(warp as usize) {
            Some(warp) if warp.lanes == lanes => join(&mut warp.knows, clock),
            _ => {
                for thread in threads(warp, lanes) {
                    if let Some(lane) = self.lane(thread) {
                        join(&mut lane.knows, clock);
                    }
                }
            }
        }
    }

    /// The joined clock that lanes publish when they arrive at an mbarrier or cluster barrier; with
    /// `copies` it includes their asynchronous copies.
    pub(super) fn arrive(&mut self, warp: u32, lanes: u32, copies: bool) -> Clock {
        let now = self.tick();
        let mut together = Gathered::default();
        let as_one = self.warps.get(warp as usize).is_some_and(|w| w.lanes == lanes);
        threads(warp, lanes).for_each(|t| together.take(self, t, if as_one { 0 } else { now }));
        let mut clock = together.knows;
        self.knows.iter().for_each(|known| clock.join(known));
        clock.add(self.serial, Unit::Cta, self.all);
        if as_one {
            clock.add(self.serial, Unit::Warp(warp), now);
        }
        if copies {
            threads(warp, lanes).for_each(|thread| self.copies.tell(thread, now));
            clock.add(self.serial, Unit::Copies(warp), now);
        }
        clock
    }

    /// A strong load has read a published clock, which takes effect at the thread's next fence, or
    /// at once if the load is an acquire (`at_once`).
    pub(super) fn acquire(&mut self, thread: u32, seen: ScopedClocks, at_once: bool) {
        let Some(lane) = self.lane(thread) else { return };
        if at_once {
            seen.iter().flatten().for_each(|clock| join(&mut lane.knows, clock));
            return;
        }
        for (to, clock) in lane.seen.iter_mut().zip(seen) {
            if let Some(clock) = clock {
                join(to, &clock);
            }
        }
    }

    /// Lanes execute a fence of CTA scope, or of device scope (`wide`).
    pub(super) fn fence(&mut self, warp: u32, lanes: u32, wide: bool) {
        let now = self.tick();
        self.has_fenced = true;
        for thread in threads(warp, lanes) {
            let of_cta = self.seen.clone();
            let Some(lane) = self.lane(thread) else { return };
            let own = [lane.seen[0].take(), if wide { lane.seen[1].take() } else { None }];
            let all = own.into_iter().chain(of_cta.into_iter().take(if wide { 2 } else { 1 }));
            all.flatten().for_each(|clock| join(&mut lane.knows, &clock));
            let snapshot = Box::new(self.snapshot(thread, now));
            if let Some(lane) = self.lane(thread) {
                lane.fenced[usize::from(wide)] = Some(snapshot);
            }
        }
    }

    /// The clocks that a strong store publishes to its CTA and (`wide`) to the device: the
    /// snapshots of the thread's fences, or all it knows if the store is a release.
    pub(super) fn published(&mut self, thread: u32, wide: bool, releases: bool) -> ScopedClocks {
        if releases {
            let snapshot = self.snapshot(thread, self.now);
            let clock = Arc::new(self.clock_of(&snapshot, thread));
            self.tick();
            return [Some(Arc::clone(&clock)), wide.then_some(clock)];
        }
        let mut near = self.fenced[0].clone();
        let mut far = self.fenced[1].clone();
        let fenced = self.own(thread).map(|lane| lane.fenced.clone()).unwrap_or_default();
        let [of_cta, of_gpu] = fenced
            .map(|snapshot| snapshot.map(|snapshot| Arc::new(self.clock_of(&snapshot, thread))));
        of_cta.iter().for_each(|clock| join(&mut near, clock));
        of_gpu.iter().for_each(|clock| join(&mut far, clock));
        far.iter().for_each(|clock| join(&mut near, clock));
        [near, if wide { far } else { None }]
    }

    /// Whether a strong store of a thread publishes a clock.
    pub(super) fn is_fenced(&self, thread: u32) -> bool {
        let own = self.own(thread).is_some_and(|lane| lane.fenced.iter().any(Option::is_some));
        own || self.fenced.iter().any(Option::is_some)
    }

    /// Lanes arrive at a `.sync` instruction with this member mask.
    pub(super) fn joins(&mut self, warp: u32, lanes: u32, members: u32) {
        if let Some(warp) = self.warps.get_mut(warp as usize) {
            match warp.lanes & !members {
                0 => warp.whole |= lanes,
                _ => warp.whole &= !lanes,
            }
        }
    }

    /// All lanes that a `.sync` instruction names have arrived, and continue.
    pub(super) fn joined(&mut self, index: u32, lanes: u32) {
        let now = self.tick();
        let Some(warp) = self.warps.get(index as usize) else { return };
        let whole = lanes & !warp.whole == 0;
        if whole && warp.own.is_none() {
            self.warps[index as usize].all = now;
            return;
        }
        let mut together = Gathered::default();
        for thread in threads(index, lanes) {
            together.take(self, thread, if whole { 0 } else { now });
        }
        self.has_own = true;
        let warp = &mut self.warps[index as usize];
        if whole {
            warp.all = now;
            // The gathered clock includes the warp's earlier one.
            warp.knows = (!together.knows.is_empty()).then(|| Arc::new(together.knows));
            (together.knows, warp.own) = (Clock::default(), None);
            if together.is_empty() {
                return;
            }
        }
        together.give(self, index, lanes);
    }

    /// Lanes arrive at a barrier for `count` threads.
    pub(super) fn arrives(
        &mut self,
        (warp, lanes): (u32, u32),
        id: u32,
        (count, waits): (Option<u32>, bool),
    ) {
        let whole = waits && count.is_none_or(|count| count >= self.threads);
        let i = self.barrier(id);
        let barrier = &mut self.barriers[i].1;
        if !barrier.is_new {
            *barrier = Barrier { is_new: true, is_whole: true, ..Barrier::default() };
        }
        barrier.is_whole &= whole;
        if !whole {
            let mut barrier = take(barrier);
            let now = self.tick();
            let mut together = Gathered::default();
            let as_one = self.warps.get(warp as usize).is_some_and(|w| w.lanes == lanes);
            for thread in threads(warp, lanes) {
                together.take(self, thread, if as_one { 0 } else { now });
            }
            if as_one {
                together.knows.add(self.serial, Unit::Warp(warp), now);
            }
            barrier.knows.join(&together.knows);
            for (to, from) in barrier
                .seen
                .iter_mut()
                .chain(&mut barrier.fenced)
                .zip(together.seen.iter().chain(&together.fenced))
            {
                from.iter().for_each(|clock| join(to, clock));
            }
            self.barriers[i].1 = barrier;
        }
    }

    /// A barrier is complete, and lanes continue after it.
    pub(super) fn passes(&mut self, warp: u32, lanes: u32, id: u32) {
        let Some(i) = self.barriers.iter().position(|barrier| barrier.0 == id) else { return };
        let barrier = &mut self.barriers[i].1;
        let is_new = take(&mut barrier.is_new);
        if barrier.is_whole {
            if is_new {
                self.meet();
            }
        } else {
            let whole = self.warps.get(warp as usize).is_some_and(|w| w.lanes == lanes);
            let given = Gathered {
                knows: barrier.knows.clone(),
                seen: barrier.seen.clone(),
                fenced: barrier.fenced.clone(),
            };
            match self.warps.get_mut(warp as usize) {
                Some(warp) if whole && given.is_empty() => {
                    join(&mut warp.knows, &Arc::new(given.knows));
                    self.has_own = true;
                }
                _ => given.give(self, warp, lanes),
            }
        }
    }

    /// All threads have met at a barrier, and know what each of them knew.
    fn meet(&mut self) {
        self.all = self.tick();
        if !take(&mut self.has_own) {
            return;
        }
        let mut together = Gathered::default();
        for i in 0..self.warps.len() as u32 {
            let warp = &self.warps[i as usize];
            let lanes = warp.lanes;
            match warp.own {
                Some(_) => threads(i, lanes).for_each(|thread| together.take(self, thread, 0)),
                None => warp.knows.iter().for_each(|clock| together.knows.join(clock)),
            }
            let warp = &mut self.warps[i as usize];
            (warp.knows, warp.own) = (None, None);
        }
        if !together.knows.is_empty() {
            join(&mut self.knows, &Arc::new(together.knows));
        }
        let mine = self.seen.iter_mut().chain(&mut self.fenced);
        for (to, from) in mine.zip(together.seen.iter().chain(&together.fenced)) {
            from.iter().for_each(|clock| join(to, clock));
        }
    }
}

/// The joined knowledge of lanes that meet.
#[derive(Clone, Debug, Default)]
struct Gathered {
    knows: Clock,
    seen: ScopedClocks,
    fenced: ScopedClocks,
}

impl Gathered {
    /// Adds a thread's knowledge, with its own accesses until a time.
    fn take(&mut self, cta: &Cta, thread: u32, own: u32) {
        let [_, of_warp, own_clock] = cta.clocks(thread);
        of_warp.iter().chain(&own_clock).for_each(|clock| self.knows.join(clock));
        if own != 0 {
            self.knows.add(cta.serial, Unit::Warp(thread / 32), cta.of_warp(thread / 32));
            self.knows.add(cta.serial, Unit::Thread(thread), own);
        }
        let Some(lane) = cta.own(thread) else { return };
        for (to, from) in self.seen.iter_mut().zip(&lane.seen) {
            from.iter().for_each(|clock| join(to, clock));
        }
        for (to, from) in self.fenced.iter_mut().zip(&lane.fenced) {
            from.iter().for_each(|snapshot| join(to, &Arc::new(cta.clock_of(snapshot, thread))));
        }
    }

    /// Whether there are neither read clocks nor snapshots.
    fn is_empty(&self) -> bool {
        self.seen.iter().chain(&self.fenced).all(Option::is_none)
    }

    /// Gives the joined knowledge to lanes.
    fn give(self, cta: &mut Cta, warp: u32, lanes: u32) {
        let knows = (!self.knows.is_empty()).then(|| Arc::new(self.knows));
        let of_fence = |clock: Arc<Clock>| {
            Box::new(Snapshot { of_others: [Some(clock), None, None], ..Snapshot::default() })
        };
        for thread in threads(warp, lanes) {
            let Some(lane) = cta.lane(thread) else { return };
            knows.iter().for_each(|clock| join(&mut lane.knows, clock));
            for (to, from) in lane.seen.iter_mut().zip(&self.seen) {
                from.iter().for_each(|clock| join(to, clock));
            }
            for (to, from) in lane.fenced.iter_mut().zip(&self.fenced) {
                if let Some(clock) = from {
                    *to = Some(of_fence(Arc::clone(clock)));
                }
            }
        }
    }
}

/// Thread numbers of a warp's lanes.
pub(super) fn threads(warp: u32, lanes: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| lanes >> lane & 1 == 1).map(move |lane| warp * 32 + lane)
}

impl Cta {
    /// Whether an access of the same CTA is ordered before a thread's next access.
    pub(super) fn knows_own(&self, stamp: Stamp, thread: u32) -> bool {
        let whose = stamp.thread();
        if !stamp.kind().is_async() {
            return self.knows(thread, whose, stamp.time());
        }
        let [waited, told_end] = self.copies.ends(whose, stamp.time());
        let told = |at| {
            let of = |clock: &Arc<Clock>| clock.knows_copies(stamp.serial, whose / 32, at);
            self.clocks(thread).iter().flatten().any(of)
        };
        waited.is_some_and(|at| self.knows(thread, whose, at)) || told_end.is_some_and(told)
    }

    /// Whether an access of another CTA of the launch is ordered before a thread's next access.
    pub(super) fn knows_other(&self, stamp: Stamp, thread: u32) -> bool {
        let of = (stamp.serial, stamp.thread(), stamp.time());
        self.clocks(thread).iter().flatten().any(|clock| clock.knows(of.0, of.1, of.2))
    }

    /// Lanes execute `cp.async.commit_group`.
    pub(super) fn commits(&mut self, warp: u32, lanes: u32) {
        let now = self.tick();
        threads(warp, lanes).for_each(|thread| self.copies.commit(thread, now));
    }

    /// Lanes execute `cp.async.wait_group` or `.wait_all`.
    pub(super) fn waits(&mut self, warp: u32, lanes: u32, but: Option<u32>) {
        // Copies issued after the wait are not covered by it.
        let now = self.tick();
        threads(warp, lanes).for_each(|thread| self.copies.wait(thread, but, now));
    }
}
