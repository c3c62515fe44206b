//! What a worker keeps of the CTA that it runs, and what it does with what it is told.

use super::access::{Shape, Warp, lanes};
use super::known::Cta;
use super::launch::Launch;
use super::line::{LINE, Line};
use super::mbarrier::{self, Acts, Mbarriers};
use super::report::Races;
use super::shadow::{PAGE, Page, Shared, Var, lock};
use super::view::View;
use std::collections::HashMap;
use texunit_simt::observe::{
    Access, At, Called, CtaInfo, Doing, Order, Probe, Scope, Semantics, Synchronized, Values,
};
use texunit_simt::{Fault, SpaceKind};

/// Pages that a worker has at hand.
const AT_HAND: usize = 1024;
/// Stands for the number of the CTA itself: nothing else accesses its shared memory.
const NEAR: u32 = u32::MAX;
/// More shared memory than any CTA has.
const MOST_SHARED: u64 = 1 << 20;

/// A strong load or atomic that has not brought anything yet.
struct Asked {
    op: u32,
    space: SpaceKind,
    lanes: u32,
    addresses: [u64; 32],
    acquires: bool,
    wide: bool,
}

/// The race check of a worker.
pub(super) struct Worker<'a> {
    launch: Launch<'a>,
    cta: Cta,
    shared: Vec<Line>,
    /// Places in shared memory that order threads.
    vars: HashMap<u64, Var>,
    mbarriers: Mbarriers,
    /// By warp.
    asked: Vec<Vec<Asked>>,
    at_hand: Vec<Option<(u64, Shared)>>,
    races: Races,
}

impl<'a> Worker<'a> {
    pub(super) fn new(launch: Launch<'a>) -> Self {
        Self {
            launch,
            cta: Cta::default(),
            shared: Vec::new(),
            vars: HashMap::new(),
            mbarriers: Mbarriers::default(),
            asked: Vec::new(),
            at_hand: vec![None; AT_HAND],
            races: Races::default(),
        }
    }

    fn view(&self, warp: u32, below: u32) -> View<'_> {
        let cta = &self.cta;
        let of_warp = cta.of_warp(warp);
        View {
            serial: cta.serial,
            below: if below == NEAR { cta.serial } else { below },
            near: below == NEAR,
            now: cta.now,
            all: cta.all,
            of_warp,
            cta,
            order: &self.launch.order,
        }
    }

    /// Does something with the page of an address.
    fn with_page<T>(&mut self, address: u64, act: impl FnOnce(&mut Self, &mut Page) -> T) -> T {
        let number = address / PAGE;
        let i = number as usize % AT_HAND;
        let page = match self.at_hand[i].take() {
            Some((of, page)) if of == number => page,
            _ => self.launch.shadow.page(number),
        };
        let done = act(self, &mut lock(&page));
        self.at_hand[i] = Some((number, page));
        done
    }

    /// A time in which no CTA comes to know what others have done.
    fn epoch(&self) -> u64 {
        u64::from(self.launch.order.serial(0)) << 32 | u64::from(self.launch.shadow.learned())
    }

    /// What threads have come to know begins such a time.
    fn learned(&mut self) {
        if std::mem::take(&mut self.cta.has_learned) {
            self.launch.shadow.learns();
        }
    }

    /// An access to shared memory: its shadow is of this CTA alone, and what other CTAs have left there is past.
    fn in_shared(&mut self, warp: &Warp<'_>) {
        let mut lines = std::mem::take(&mut self.shared);
        let epoch = self.cta.epoch;
        let mut races = std::mem::take(&mut self.races);
        let view = self.view(warp.at.warp, NEAR);
        let first = warp.access.addresses[warp.at.lanes.trailing_zeros() as usize & 31];
        let (mut rest, shape) = (warp.at.lanes, warp.shape());
        match shape {
            Shape::Lines { shift } => {
                for number in 0..1 << shift {
                    let i = (first / LINE) as usize + number as usize;
                    let done = line_of(&mut lines, i)
                        .is_some_and(|l| warp.row(l, &view, ((number, shift), epoch)));
                    if done {
                        rest &= !lanes_of_line(number, shift);
                    }
                }
            }
            Shape::One => {
                let line = line_of(&mut lines, (first / LINE) as usize);
                if line.is_some_and(|line| warp.one(line, &view, (first % LINE, epoch))) {
                    rest = 0;
                }
            }
            _ => {}
        }
        while rest != 0 {
            let (here, at) = warp.of_line(rest);
            rest &= !here;
            let Some(line) = line_of(&mut lines, (at / LINE) as usize) else { continue };
            let done = warp.part(line, &view, (here, epoch));
            for lane in lanes(here & !done) {
                let at = warp.access.addresses[lane as usize];
                races.extend(warp.lane(line, &view, ((lane, at % LINE), epoch)));
            }
        }
        (self.shared, self.races) = (lines, races);
    }

    /// An access to global memory.
    fn in_global(&mut self, warp: &Warp<'_>) {
        let first = warp.access.addresses[warp.at.lanes.trailing_zeros() as usize & 31];
        let (mut rest, shape) = (warp.at.lanes, warp.shape());
        if let Shape::Lines { shift } = shape {
            for number in 0..1 << shift {
                let at = first.wrapping_add(u64::from(number) * LINE);
                if self.row_of_page(warp, at, (number, shift)) {
                    rest &= !lanes_of_line(number, shift);
                }
            }
        }
        let mut full = false;
        while rest != 0 {
            let address = warp.access.addresses[rest.trailing_zeros() as usize];
            let here = lanes(rest)
                .filter(|&lane| warp.access.addresses[lane as usize] / PAGE == address / PAGE);
            let here = here.fold(0, |mask, lane| mask | 1 << lane);
            full |= self.with_page(address, |worker, page| {
                worker.lanes_of_page(warp, page, (shape, here, address))
            });
            rest &= !here;
        }
        if full {
            self.launch.shadow.forget();
        }
    }

    fn row_of_page(&mut self, warp: &Warp<'_>, at: u64, (number, shift): (u32, u32)) -> bool {
        self.with_page(at, |worker, page| {
            let is_new = page.lines.is_empty();
            let view = worker.view(warp.at.warp, worker.launch.order.below);
            let of_line = ((number, shift), worker.epoch());
            let done = warp.row(page.line((at % PAGE / LINE) as usize), &view, of_line);
            if is_new {
                worker.launch.shadow.count(page);
            }
            done
        })
    }

    /// Lanes whose places are in one page. True: the shadow has become too large.
    fn lanes_of_page(
        &mut self,
        warp: &Warp<'_>,
        page: &mut Page,
        (shape, here, first): (Shape, u32, u64),
    ) -> bool {
        let mut races = std::mem::take(&mut self.races);
        let view = self.view(warp.at.warp, self.launch.order.below);
        let epoch = self.epoch();
        let mut grows = page.lines.is_empty();
        let mut rest = here;
        if shape == Shape::One {
            let line = page.line((first % PAGE / LINE) as usize);
            let before = line.len();
            if warp.one(line, &view, (first % LINE, epoch)) {
                rest = 0;
            }
            grows |= line.len() != before;
        }
        while rest != 0 {
            let (here, at) = warp.of_line(rest);
            rest &= !here;
            let line = page.line((at % PAGE / LINE) as usize);
            let before = line.len();
            let done = warp.part(line, &view, (here, epoch));
            for lane in lanes(here & !done) {
                let at = warp.access.addresses[lane as usize];
                races.extend(warp.lane(line, &view, ((lane, at % LINE), epoch)));
            }
            grows |= line.len() != before;
        }
        self.races = races;
        grows && self.launch.shadow.count(page)
    }

    /// Does something with the place at an address that orders threads; a new one is only kept if it does.
    fn at_var(&mut self, space: SpaceKind, at: u64, act: impl FnOnce(&mut Var, &Launch<'_>)) {
        if space == SpaceKind::Shared {
            let var = self.vars.entry(at).or_default();
            act(var, &self.launch);
            if var.is_empty() {
                self.vars.remove(&at);
            }
            return;
        }
        self.with_page(at, |worker, page| {
            let key = (at % PAGE) as u32;
            let var = page.vars.entry(key).or_default();
            act(var, &worker.launch);
            if var.is_empty() {
                page.vars.remove(&key);
            }
        });
    }

    fn has_vars(&mut self, space: SpaceKind, at: u64) -> bool {
        if !self.launch.shadow.has_vars() {
            return false;
        }
        match space {
            SpaceKind::Shared => !self.vars.is_empty(),
            _ => self.with_page(at, |_, page| !page.vars.is_empty()),
        }
    }

    /// What a store makes of places that order threads: a strong one hands on what its thread's fences have made
    /// ready, any other ends what was there.
    fn stores(&mut self, warp: &Warp<'_>) {
        let (access, order) = (warp.access, warp.access.order.semantics);
        let releases = matches!(
            order,
            Semantics::Release | Semantics::AcquireRelease | Semantics::SequentiallyConsistent
        );
        let strength = warp.kind.strength();
        let joins = matches!(access.doing, Doing::Atomic(_));
        if !(strength > 0 && (releases || self.cta.has_fenced))
            && (joins || !self.launch.shadow.has_vars())
        {
            return;
        }
        for lane in lanes(warp.at.lanes) {
            let thread = warp.at.warp * 32 + lane;
            let at = access.addresses[lane as usize];
            let hands = strength > 0 && (releases || self.cta.is_fenced(thread));
            if !hands && (joins || !self.has_vars(access.space, at)) {
                continue;
            }
            let known = match hands {
                true => self.cta.hand_on(thread, strength > 1, releases),
                false => [None, None],
            };
            let serial = self.cta.serial;
            self.at_var(access.space, at, |var, launch| {
                launch.shadow.write_var(var, serial, known, joins);
            });
        }
    }

    /// Remembers where a strong load or atomic looks.
    fn asks(&mut self, warp: &Warp<'_>) {
        let acquires = matches!(
            warp.access.order.semantics,
            Semantics::Acquire | Semantics::AcquireRelease | Semantics::SequentiallyConsistent
        );
        let Some(asked) = self.asked.get_mut(warp.at.warp as usize) else { return };
        // Generic accesses are told of for each space.
        asked.retain(|before| before.op == warp.at.op && before.lanes & warp.at.lanes == 0);
        asked.push(Asked {
            op: warp.at.op,
            space: warp.access.space,
            lanes: warp.at.lanes,
            addresses: *warp.access.addresses,
            acquires,
            wide: warp.kind.strength() > 1,
        });
    }

    fn sees(&mut self, warp: u32, asked: &Asked) {
        if !self.launch.shadow.has_vars() {
            return;
        }
        for lane in lanes(asked.lanes) {
            let at = asked.addresses[lane as usize];
            if !self.has_vars(asked.space, at) {
                continue;
            }
            let (serial, mut seen) = (self.cta.serial, [None, None]);
            self.at_var(asked.space, at, |var, _| seen = var.read(serial));
            if !asked.wide {
                seen[1] = None;
            }
            self.cta.see(warp * 32 + lane, seen, asked.acquires);
        }
        self.learned();
    }

    fn mbarrier(&mut self, acts: &Acts<'_>) {
        let Some(kind) = mbarrier::kind(acts.action) else { return };
        let mut lines = std::mem::take(&mut self.shared);
        let mut races = std::mem::take(&mut self.races);
        let view = self.view(acts.at.warp, NEAR);
        for lane in lanes(acts.at.lanes) {
            let at = acts.addresses[lane as usize].min(MOST_SHARED);
            if lines.len() <= (at / LINE) as usize {
                lines.resize_with((at / LINE) as usize + 1, Line::default);
            }
            let line = &mut lines[(at / LINE) as usize];
            let who = (acts.at.warp * 32 + lane, acts.at.op);
            let hit = line.object(&view, who, (kind, at % LINE));
            races.extend(hit.map(|(offset, conflict)| (lane, offset, conflict)));
        }
        (self.shared, self.races) = (lines, races);
        self.mbarriers.act(&mut self.cta, acts);
        let at = |lane: u32| acts.addresses[lane as usize];
        let (space, writes) = (SpaceKind::Shared, kind.writes());
        self.races.tell(&self.launch, &acts.at, (space, writes, false), at);
    }
}

/// A line of shared memory, if there can be one.
#[inline]
fn line_of(lines: &mut Vec<Line>, i: usize) -> Option<&mut Line> {
    if i >= lines.len() && i < (MOST_SHARED / LINE) as usize {
        lines.resize_with(i + 1, Line::default);
    }
    lines.get_mut(i)
}

/// Lanes whose words are in line `number` of a row.
fn lanes_of_line(number: u32, shift: u32) -> u32 {
    let count = 32 >> shift;
    let low = if count == 32 { u32::MAX } else { (1 << count) - 1 };
    low << (number * count)
}

impl Probe for Worker<'_> {
    fn cta_begins(&mut self, cta: &CtaInfo) {
        self.cta.begin(self.launch.order.serial(cta.index), cta);
        self.vars.clear();
        self.mbarriers.clear();
        self.asked.iter_mut().for_each(Vec::clear);
        self.asked.resize_with(cta.warps as usize, Vec::new);
    }

    fn cta_ends(&mut self, _: &CtaInfo, _: Option<&Fault>) {
        self.races.clear();
    }

    fn access(&mut self, at: &At, access: &Access<'_>) {
        if !matches!(access.space, SpaceKind::Shared | SpaceKind::Global) {
            return;
        }
        let warp = Warp::new(at, access, &self.view(at.warp, 0));
        match access.space {
            SpaceKind::Shared => self.in_shared(&warp),
            _ => self.in_global(&warp),
        }
        if access.doing.writes() && !warp.kind.is_async() {
            self.stores(&warp);
        }
        if access.doing.reads() && warp.kind.strength() > 0 {
            self.asks(&warp);
        }
        if !self.races.is_empty() {
            let what = (access.space, access.doing.writes(), warp.kind.is_async());
            let of = |lane: u32| access.addresses[lane as usize];
            self.races.tell(&self.launch, at, what, of);
        }
    }

    fn result(&mut self, at: &At, _: &Values<'_>) {
        let Some(asked) = self.asked.get_mut(at.warp as usize) else { return };
        let mut all = std::mem::take(asked);
        for asked in all.drain(..).filter(|asked| asked.op == at.op) {
            self.sees(at.warp, &asked);
        }
        self.asked[at.warp as usize] = all;
    }

    fn call(&mut self, at: &At, called: &Called<'_>) {
        // What was done to memory that is given out again was done to something else.
        if let Called::Allocates { sizes, addresses } = *called {
            for lane in lanes(at.lanes).map(|lane| lane as usize).filter(|&l| addresses[l] != 0) {
                self.launch.shadow.forget_range(addresses[lane], sizes[lane]);
            }
        }
    }

    fn synchronized(&mut self, at: &At, what: &Synchronized<'_>) {
        let (warp, lanes) = (at.warp, at.lanes);
        match *what {
            Synchronized::Arrives { barrier, threads, waits } => {
                self.cta.arrives((warp, lanes), barrier, (threads, waits));
            }
            Synchronized::Passes { barrier } => self.cta.passes(warp, lanes, barrier),
            Synchronized::Joins { members } => self.cta.joins(warp, lanes, members),
            Synchronized::Joined => self.cta.joined(warp, lanes),
            Synchronized::Fence(Order { scope, .. }) => {
                self.cta.fence(warp, lanes, matches!(scope, Scope::Gpu | Scope::System));
                self.learned();
            }
            Synchronized::CommitsCopies => self.cta.commits(warp, lanes),
            Synchronized::WaitsForCopies { but } => self.cta.waits(warp, lanes, but),
            Synchronized::Mbarrier { action, order, addresses, operands, results, .. } => {
                let acts = Acts { at: *at, action, order, addresses, operands, results };
                self.mbarrier(&acts);
            }
        }
    }
}
