//! What a worker keeps of the CTA that it runs, and what it does with what it is told.

use super::access::{Shape, Warp, lanes};
use super::known::Cta;
use super::launch::Launch;
use super::line::{LINE, Line};
use super::mbarrier::{self, Acts, Mbarriers};
use super::report::Races;
use super::shadow::{PAGE, Shared, Var, lock};
use super::view::View;
use std::collections::HashMap;
use texunit_simt::observe::{
    Access, At, CtaInfo, Doing, Order, Probe, Scope, Semantics, Synchronized, Values,
};
use texunit_simt::{Fault, SpaceKind};

/// Pages that a worker has at hand.
const AT_HAND: usize = 64;
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
            below,
            now: cta.now,
            all: cta.all,
            of_warp,
            cta,
            order: &self.launch.order,
        }
    }

    /// The page of an address.
    fn page(&mut self, address: u64) -> Shared {
        let number = address / PAGE;
        let hand = &mut self.at_hand[number as usize % AT_HAND];
        match hand {
            Some((of, page)) if *of == number => Shared::clone(page),
            _ => {
                let page = self.launch.shadow.page(number);
                *hand = Some((number, Shared::clone(&page)));
                page
            }
        }
    }

    /// An access to shared memory: its shadow is of this CTA alone, and what other CTAs have left there is past.
    fn in_shared(&mut self, warp: &Warp<'_>) {
        let mut lines = std::mem::take(&mut self.shared);
        let needed = lanes(warp.at.lanes).map(|lane| warp.access.addresses[lane as usize]);
        let needed = needed.filter(|&at| at < MOST_SHARED).max().unwrap_or(0) / LINE + 1;
        if lines.len() < needed as usize {
            lines.resize_with(needed as usize, Line::default);
        }
        let mut races = std::mem::take(&mut self.races);
        let view = self.view(warp.at.warp, self.cta.serial);
        let first = warp.access.addresses[warp.at.lanes.trailing_zeros() as usize & 31];
        let (mut rest, shape) = (warp.at.lanes, warp.shape());
        match shape {
            Shape::Lines { shift } => {
                for number in 0..1 << shift {
                    let i = (first / LINE) as usize + number as usize;
                    let done =
                        lines.get_mut(i).is_some_and(|l| warp.row(l, &view, (number, shift)));
                    if done {
                        rest &= !lanes_of_line(number, shift);
                    }
                }
            }
            Shape::One => {
                let line = lines.get_mut((first / LINE) as usize);
                if line.is_some_and(|line| warp.one(line, &view, first % LINE)) {
                    rest = 0;
                }
            }
            _ => {}
        }
        for lane in lanes(rest) {
            let at = warp.access.addresses[lane as usize];
            if let Some(line) = lines.get_mut((at / LINE) as usize) {
                races.extend(warp.lane(line, &view, (lane, at % LINE)));
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
            let page = self.page(address);
            let mut page = lock(&page);
            let mut races = std::mem::take(&mut self.races);
            let view = self.view(warp.at.warp, self.launch.order.below);
            let here = lanes(rest)
                .filter(|&lane| warp.access.addresses[lane as usize] / PAGE == address / PAGE);
            let here = here.fold(0, |mask, lane| mask | 1 << lane);
            let mut grows = page.lines.is_empty();
            if shape == Shape::One {
                let line = page.line((address % PAGE / LINE) as usize);
                let before = line.len();
                let done = warp.one(line, &view, address % LINE);
                grows |= line.len() != before;
                rest &= if done { 0 } else { u32::MAX };
            }
            for lane in lanes(here & rest) {
                let at = warp.access.addresses[lane as usize];
                let line = page.line((at % PAGE / LINE) as usize);
                let before = line.len();
                races.extend(warp.lane(line, &view, (lane, at % LINE)));
                grows |= line.len() != before;
            }
            rest &= !here;
            full |= grows && self.launch.shadow.count(&mut page);
            self.races = races;
        }
        if full {
            self.launch.shadow.forget();
        }
    }

    fn row_of_page(&mut self, warp: &Warp<'_>, at: u64, (number, shift): (u32, u32)) -> bool {
        let page = self.page(at);
        let mut page = lock(&page);
        let is_new = page.lines.is_empty();
        let view = self.view(warp.at.warp, self.launch.order.below);
        let done = warp.row(page.line((at % PAGE / LINE) as usize), &view, (number, shift));
        if is_new {
            self.launch.shadow.count(&mut page);
        }
        done
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
        let page = self.page(at);
        let mut page = lock(&page);
        let key = (at % PAGE) as u32;
        let var = page.vars.entry(key).or_default();
        act(var, &self.launch);
        if var.is_empty() {
            page.vars.remove(&key);
        }
    }

    fn has_vars(&mut self, space: SpaceKind, at: u64) -> bool {
        if !self.launch.shadow.has_vars() {
            return false;
        }
        match space {
            SpaceKind::Shared => !self.vars.is_empty(),
            _ => !lock(&self.page(at)).vars.is_empty(),
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
    }

    fn mbarrier(&mut self, acts: &Acts<'_>) {
        let Some(kind) = mbarrier::kind(acts.action) else { return };
        let mut lines = std::mem::take(&mut self.shared);
        let mut races = std::mem::take(&mut self.races);
        let view = self.view(acts.at.warp, self.cta.serial);
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
        for asked in std::mem::take(asked) {
            if asked.op == at.op {
                self.sees(at.warp, &asked);
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
