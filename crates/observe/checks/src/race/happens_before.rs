//! Happens-before inside a CTA. The module is given the CTA's barriers, `.sync` instructions,
//! fences, strong loads and strong stores. It keeps the vector clock of each thread, and decides
//! whether an earlier access is ordered before a thread's next access.
//!
//! A clock that all threads share is stored once for the CTA, a clock that a warp's lanes share
//! once for the warp, and only what differs between lanes is stored for each lane.
//!
//! A fence takes a snapshot of its thread's clock, and the thread's later strong stores publish the
//! snapshot. If a strong load reads a published clock, the clock is joined to the thread's at its
//! next fence. A barrier passes on snapshots and read clocks to its participants: the fence of one
//! thread, followed by a barrier, orders the store of another thread after the fence. All GPUs do
//! so, although the PTX memory model promises it for the fencing thread only.

mod barriers;

use super::clock::{Clock, Epoch, LAST_TIME, ScopedClocks, SharedClock, Unit, join, join_each};
use super::copies::Copies;
use barriers::{Barrier, Gathered};
use std::mem::take;
use std::sync::Arc;
use texunit_simt::observe::CtaInfo;

/// A snapshot of a thread's clock: the times of the CTA, the warp and the thread itself, and the
/// shared clocks.
#[derive(Clone, Debug, Default)]
struct Snapshot {
    all: u32,
    of_warp: u32,
    own: u32,
    of_others: [SharedClock; 3],
}

/// The happens-before state of a thread.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// The entries of the thread's clock that the clocks of CTA and warp do not contain.
    knows: SharedClock,
    /// Clocks that the thread's strong loads have read, until its next fence.
    seen: ScopedClocks,
    /// Snapshots of the thread's last fence of CTA scope, and of its last fence of device scope.
    fenced: [Option<Box<Snapshot>>; 2],
}

/// The happens-before state of a warp.
#[derive(Clone, Debug, Default)]
struct Warp {
    /// The lanes of the warp when the CTA began.
    lanes: u32,
    /// The time until which the accesses of each lane are ordered before the next access of every
    /// lane.
    all: u32,
    knows: SharedClock,
    /// Lanes whose last `.sync` instruction names all lanes of the warp in its membermask.
    whole: u32,
    own: Option<Box<[Lane; 32]>>,
}

/// The happens-before state of a CTA.
#[derive(Clone, Debug, Default)]
pub(super) struct Cta {
    pub(super) serial: u32,
    /// The current time of the CTA, which is incremented at each synchronisation.
    pub(super) now: u32,
    /// The time until which the accesses of each thread are ordered before the next access of every
    /// thread.
    pub(super) all: u32,
    knows: SharedClock,
    seen: ScopedClocks,
    fenced: ScopedClocks,
    warps: Vec<Warp>,
    /// Number of threads when the CTA began.
    threads: u32,
    /// The barriers that are in use, by their numbers.
    barriers: Vec<(u32, Barrier)>,
    pub(super) copies: Copies,
    /// Whether a warp or a lane has a clock of its own, besides the CTA's.
    has_own: bool,
    /// Whether any thread has executed a fence.
    pub(super) has_fenced: bool,
}

impl Cta {
    pub(super) fn begin(&mut self, serial: u32, cta: &CtaInfo) {
        // The vectors keep their allocated capacity from CTA to CTA.
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

    /// Increments the time, so that the clocks can tell later accesses from earlier ones. Returns
    /// the time before.
    pub(super) fn tick(&mut self) -> u32 {
        let before = self.now;
        match self.now < LAST_TIME {
            true => self.now += 1,
            // The counter cannot be incremented further. All later accesses count as ordered, which
            // can hide races.
            false => self.all = LAST_TIME,
        }
        before
    }

    /// The time until which the accesses of each lane of a warp are ordered before the next access
    /// of every lane of the warp.
    pub(super) fn of_warp(&self, warp: u32) -> u32 {
        self.warps.get(warp as usize).map_or(0, |warp| warp.all)
    }

    /// The state of a thread, which is allocated if it is missing.
    fn lane(&mut self, thread: u32) -> Option<&mut Lane> {
        self.has_own = true;
        let warp = self.warps.get_mut(thread as usize / 32)?;
        Some(&mut warp.own.get_or_insert_default()[thread as usize % 32])
    }

    fn own(&self, thread: u32) -> Option<&Lane> {
        let warp = self.warps.get(thread as usize / 32)?;
        warp.own.as_ref().map(|lanes| &lanes[thread as usize % 32])
    }

    /// The three clocks whose join is the thread's clock: the CTA's, the warp's, and the thread's
    /// own.
    fn clocks(&self, thread: u32) -> [SharedClock; 3] {
        let warp = self.warps.get(thread as usize / 32).and_then(|warp| warp.knows.clone());
        [self.knows.clone(), warp, self.own(thread).and_then(|lane| lane.knows.clone())]
    }

    /// A snapshot of the thread's current clock; `own` is the time until which it contains the
    /// thread's own accesses.
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

    /// Whether an access of this CTA is ordered before the next access of `thread`.
    pub(super) fn knows(&self, thread: u32, access: Epoch) -> bool {
        let Epoch { thread: whose, time, .. } = access;
        let near = time <= self.all
            || whose == thread
            || (whose / 32 == thread / 32 && time <= self.of_warp(thread / 32));
        near || self.knows_other_cta(thread, access)
    }

    /// Whether an access of another CTA of the launch is ordered before the next access of
    /// `thread`.
    pub(super) fn knows_other_cta(&self, thread: u32, access: Epoch) -> bool {
        self.clocks(thread).iter().flatten().any(|clock| clock.knows(access))
    }

    /// Whether a copy (`cp.async`) that a thread of this CTA has started is ordered before the next
    /// access of `thread`.
    pub(super) fn knows_copy(&self, thread: u32, copy: Epoch) -> bool {
        let [waited, told] = self.copies.ends(copy.thread, copy.time);
        let knows = |clock: &Arc<Clock>, time| clock.knows_copies(Epoch { time, ..copy });
        waited.is_some_and(|time| self.knows(thread, Epoch { time, ..copy }))
            || told.is_some_and(|at| self.clocks(thread).iter().flatten().any(|c| knows(c, at)))
    }

    /// The state of a warp, if `lanes` are all lanes with which the warp began.
    fn whole_warp(&mut self, warp: u32, lanes: u32) -> Option<&mut Warp> {
        self.warps.get_mut(warp as usize).filter(|warp| warp.lanes == lanes)
    }

    /// Joins a clock to the clocks of lanes.
    pub(super) fn join_clock(&mut self, warp: u32, lanes: u32, clock: &Arc<Clock>) {
        self.has_own = true;
        if let Some(warp) = self.whole_warp(warp, lanes) {
            return join(&mut warp.knows, clock);
        }
        for thread in threads(warp, lanes) {
            self.lane(thread).into_iter().for_each(|lane| join(&mut lane.knows, clock));
        }
    }

    /// The joined state of lanes that arrive at a barrier, and the time until which it contains
    /// their accesses.
    fn gather(&mut self, warp: u32, lanes: u32) -> (Gathered, u32) {
        let (now, mut together) = (self.tick(), Gathered::default());
        let as_one = self.whole_warp(warp, lanes).is_some();
        threads(warp, lanes).for_each(|t| together.take(self, t, if as_one { 0 } else { now }));
        if as_one {
            together.knows.add(self.serial, Unit::Warp(warp), now);
        }
        (together, now)
    }

    /// The joined clock of lanes that arrive at an mbarrier or cluster barrier. If `copies`, the
    /// clock also contains the asynchronous copies of the lanes.
    pub(super) fn arrive(&mut self, warp: u32, lanes: u32, copies: bool) -> Clock {
        let (Gathered { knows: mut clock, .. }, now) = self.gather(warp, lanes);
        self.knows.iter().for_each(|known| clock.join(known));
        clock.add(self.serial, Unit::Cta, self.all);
        if copies {
            threads(warp, lanes).for_each(|thread| self.copies.track(thread, now));
            clock.add(self.serial, Unit::Copies(warp), now);
        }
        clock
    }

    /// A strong load has read published clocks. These are joined to the thread's clock at once if
    /// the load is an acquire (`at_once`), otherwise at the thread's next fence.
    pub(super) fn acquire(&mut self, thread: u32, seen: ScopedClocks, at_once: bool) {
        let Some(lane) = self.lane(thread) else { return };
        if at_once {
            seen.iter().flatten().for_each(|clock| join(&mut lane.knows, clock));
            return;
        }
        join_each(&mut lane.seen, &seen);
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

    /// The clocks that a strong store publishes to its CTA and (if `wide`) to the device: the
    /// thread's clock if the store is a release, otherwise the snapshots of its fences.
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

    /// Whether a strong store of the thread publishes a clock, because of a fence before.
    pub(super) fn is_fenced(&self, thread: u32) -> bool {
        let own = self.own(thread).is_some_and(|lane| lane.fenced.iter().any(Option::is_some));
        own || self.fenced.iter().any(Option::is_some)
    }

    /// Lanes arrive at a `.sync` instruction with the membermask `members`.
    pub(super) fn joins(&mut self, warp: u32, lanes: u32, members: u32) {
        if let Some(warp) = self.warps.get_mut(warp as usize) {
            match warp.lanes & !members {
                0 => warp.whole |= lanes,
                _ => warp.whole &= !lanes,
            }
        }
    }

    /// Lanes continue behind a `.sync` instruction, at which all of them have arrived.
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
            // The joined clock contains the warp's earlier clock.
            warp.knows = (!together.knows.is_empty()).then(|| Arc::new(together.knows));
            (together.knows, warp.own) = (Clock::default(), None);
            if together.is_empty() {
                return;
            }
        }
        together.give(self, index, lanes);
    }

    /// Lanes execute `cp.async.commit_group`.
    pub(super) fn commits(&mut self, warp: u32, lanes: u32) {
        let now = self.tick();
        threads(warp, lanes).for_each(|thread| self.copies.commit(thread, now));
    }

    /// Lanes execute `cp.async.wait_group` (all but the last `but` groups) or `cp.async.wait_all`
    /// (`None`).
    pub(super) fn waits(&mut self, warp: u32, lanes: u32, but: Option<u32>) {
        // The time is incremented, because the wait does not cover copies that are started later.
        let now = self.tick();
        threads(warp, lanes).for_each(|thread| self.copies.wait(thread, but, now));
    }
}

/// The numbers in the CTA of the threads in a warp's lanes.
pub(super) fn threads(warp: u32, lanes: u32) -> impl Iterator<Item = u32> {
    crate::lanes(lanes).map(move |lane| warp * 32 + lane)
}
