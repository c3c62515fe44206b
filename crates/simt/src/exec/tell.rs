//! What observers are told by the executor: what marks tell, and what is told where it is done.
//!
//! Nothing here runs in a launch without an observer.

use super::context::Context;
use super::warp::{Warp, lanes};
use crate::alu::L64;
use crate::code::{Access as Stored, AsyncCopy, Inst, MatrixAction, Op, Place, Slot};
use crate::fault::Fault;
use crate::observe::marks::Mark;
use crate::observe::{
    Access, At, Branch, Called, CtaInfo, Doing, Events, Probe, Registers, Synchronized, Values,
};
use std::time::{Duration, Instant};
use texunit_isa::ScalarType;
use texunit_memory::{CONST_BASE, CONST_END, SpaceKind, space_of};

/// A worker that runs long tells its counts now and then, but no more often.
const COUNTS_AFTER: Duration = Duration::from_millis(250);

type Told<'p> = dyn Probe + 'p;

/// What an access does, of all its lanes.
struct Made<'a> {
    doing: Doing,
    place: Place,
    size: u32,
    elements: usize,
    parts: &'a [Slot],
}

/// Lanes by what they have, those of the first one first.
fn each_group<T: PartialEq>(all: u32, of: impl Fn(usize) -> T, mut f: impl FnMut(u32, T)) {
    let mut rest = all;
    while rest != 0 {
        let first = of(rest.trailing_zeros() as usize);
        let same = lanes(rest).filter(|&l| of(l) == first).fold(0, |m, l| m | 1 << l);
        rest &= !same;
        f(same, first);
    }
}

/// Whether something holds for the addresses of these lanes. All are asked: then it is done for several at once.
fn holds_for(all: &L64, lanes: u32, holds: impl Fn(u64) -> bool) -> bool {
    (0..32).fold(true, |all_do, l| all_do & (holds(all[l]) | (lanes >> l & 1 == 0)))
}

impl<'a> Context<'a> {
    /// Where lanes are, by a place of the code that runs.
    pub(super) fn at(&self, warp: &Warp, lanes: u32, pc: u32) -> At {
        let op = self.launch.observed.map_or(pc, |observed| observed.op(pc));
        At { cta: self.cta.id, warp: warp.index, lanes, op }
    }

    /// Where lanes are, by the number of a texture or surface instruction.
    pub(super) fn at_site(&self, warp: &Warp, lanes: u32, site: usize) -> At {
        let op = self.launch.observed.map_or(0, |observed| observed.site(site));
        At { cta: self.cta.id, warp: warp.index, lanes, op }
    }

    fn cta_info(&self) -> CtaInfo {
        let config = self.launch.config;
        let ([x, y, z], [w, h, _]) = (self.cta.id.map(u64::from), config.grid.map(u64::from));
        CtaInfo {
            id: self.cta.id,
            index: x + w * (y + h * z),
            block: config.block,
            warps: self.launch.warps,
            shared: self.launch.shared_size as u64,
        }
    }

    pub(super) fn tell_begin(&mut self) {
        let cta = self.cta_info();
        self.probe.iter_mut().for_each(|probe| probe.cta_begins(&cta));
    }

    pub(super) fn tell_end(&mut self, fault: Option<&Fault>) {
        let cta = self.cta_info();
        self.probe.iter_mut().for_each(|probe| probe.cta_ends(&cta, fault));
    }

    /// Counts lanes at a counter, and those of a predicate at the next unless it is always true.
    #[inline]
    pub(super) fn count_lanes(&self, warp: &Warp, (counter, of): (u32, Slot), lanes: u32) {
        let those = if of == Slot::TRUE { lanes } else { warp.p(of) };
        self.counts.add((counter, of), lanes, those);
    }

    /// Tells what has been counted.
    pub(super) fn tell_counts(&mut self) {
        let counts = self.counts.take();
        self.probe.iter_mut().for_each(|probe| probe.counted(&counts));
        self.told_counts = Instant::now();
    }

    /// The same between turns and CTAs, if it has not been told for a while.
    pub(super) fn tell_counts_at_times(&mut self) {
        if !self.counts.is_empty() && self.told_counts.elapsed() > COUNTS_AFTER {
            self.tell_counts();
        }
    }

    /// Lanes whose answers a probe wants.
    pub(super) fn answer_lanes(&mut self, at: &At) -> u32 {
        match &mut self.probe {
            Some(probe) if self.events.has(Events::ANSWERS) => probe.answer_lanes(at),
            _ => 0,
        }
    }

    #[cold]
    pub(super) fn tell_synchronized(&mut self, at: At, what: &Synchronized<'_>) {
        self.probe.iter_mut().for_each(|probe| probe.synchronized(&at, what));
    }

    #[cold]
    pub(super) fn tell_call(&mut self, at: At, called: &Called<'_>) {
        self.probe.iter_mut().for_each(|probe| probe.call(&at, called));
    }

    /// Tells what a mark says, of lanes that come by it.
    #[cold]
    pub(super) fn mark(&mut self, warp: &Warp, mark: &Mark, mask: u32) {
        self.told_op = (mark.op, mark.order);
        let Some(mut probe) = self.probe.take() else { return };
        let inst = &self.launch.code.insts[mark.about as usize];
        let guard = if inst.guard == Slot::TRUE { u32::MAX } else { warp.p(inst.guard) };
        let at = At { cta: self.cta.id, warp: warp.index, lanes: mask, op: mark.op };
        if mark.behind {
            self.behind(&mut *probe, warp, inst, mark, At { lanes: mask & guard, ..at });
        } else {
            self.before(&mut *probe, warp, (inst, guard), mark, at);
        }
        self.probe = Some(probe);
    }

    fn behind(&self, probe: &mut Told<'_>, warp: &Warp, inst: &Inst, mark: &Mark, at: At) {
        if at.lanes == 0 {
            return;
        }
        let parts = match &inst.op {
            Op::Load(access) | Op::LoadQuad(access) => &access.parts,
            Op::Atomic(atomic) => &atomic.d,
            _ if mark.tells.has(Events::SYNCHRONIZATION) => {
                return probe.synchronized(&at, &Synchronized::Joined);
            }
            _ => return,
        };
        probe.result(&at, &Values { warp, constants: &self.launch.constants, parts });
    }

    fn before(
        &mut self,
        probe: &mut Told<'_>,
        warp: &Warp,
        (inst, guard): (&Inst, u32),
        mark: &Mark,
        at: At,
    ) {
        if mark.tells.has(Events::BLOCKS) {
            probe.block(&at);
        }
        let launch = self.launch;
        let target = |pc| launch.observed.map_or(pc, |observed| observed.op(pc));
        let branches = mark.tells.has(Events::BRANCHES);
        if let Op::Branch { target: to, .. } = &inst.op {
            if mark.tells.has(Events::OPERATIONS) {
                probe.operation(&at, &Registers { warp, constants: &launch.constants });
            }
            if branches {
                let (taken, target) = (at.lanes & guard, target(*to));
                probe.branch(&at, &Branch { taken, target, indexed: false });
            }
            return;
        }
        let at = At { lanes: at.lanes & guard, ..at };
        if at.lanes == 0 {
            return;
        }
        if mark.tells.has(Events::OPERATIONS) {
            probe.operation(&at, &Registers { warp, constants: &launch.constants });
        }
        if let (true, Op::BranchIndexed { index, targets, .. }) = (branches, &inst.op) {
            let index = warp.n(&launch.constants, *index);
            each_group(
                at.lanes,
                |lane| targets.get(index[lane] as usize),
                |taken, to| {
                    // One past the end faults.
                    if let Some(&to) = to {
                        let target = target(to);
                        let at = At { lanes: taken, ..at };
                        probe.branch(&at, &Branch { taken, target, indexed: true });
                    }
                },
            );
        }
        if mark.tells.has(Events::SYNCHRONIZATION) {
            self.joins(probe, warp, &inst.op, mark, at);
        }
        if mark.tells.has(Events::ACCESSES | Events::PARAMETERS) {
            self.accesses(probe, warp, &inst.op, at);
        }
    }

    fn joins(&self, probe: &mut Told<'_>, warp: &Warp, op: &Op, mark: &Mark, at: At) {
        if let Some(fence) = &mark.fence {
            return probe.synchronized(&at, fence);
        }
        let Some(members) = op.members() else { return };
        let masks = warp.n(&self.launch.constants, members);
        each_group(
            at.lanes,
            |lane| masks[lane],
            |lanes, members| {
                probe.synchronized(&At { lanes, ..at }, &Synchronized::Joins { members });
            },
        );
    }

    /// Tells the accesses of an operation.
    fn accesses(&mut self, probe: &mut Told<'_>, warp: &Warp, op: &Op, at: At) {
        match op {
            Op::Load(access) | Op::LoadQuad(access) => {
                self.stored(probe, warp, (access, Doing::Load, &[]), at);
            }
            Op::Store(access) | Op::StoreQuad(access) => {
                self.stored(probe, warp, (access, Doing::Store, &access.parts), at);
            }
            Op::Atomic(atomic) => {
                self.address(warp, atomic.base, atomic.offset);
                let quad = atomic.ty == ScalarType::B128;
                let size = if quad { 8 } else { atomic.ty.bytes() };
                let made = Made {
                    doing: Doing::Atomic(atomic.op),
                    place: atomic.place,
                    size,
                    elements: atomic.b.len(),
                    parts: &atomic.b,
                };
                self.made(probe, warp, &made, at);
            }
            Op::AsyncCopy(copy) => self.copied(probe, warp, copy, at),
            Op::Matrix(matrix) => {
                let doing = match matrix.action {
                    MatrixAction::Load => Doing::MatrixLoad,
                    MatrixAction::Store => Doing::MatrixStore,
                    MatrixAction::Transpose => return,
                };
                self.address(warp, matrix.at.base, matrix.at.offset);
                // Each 8 lanes have the rows of a matrix.
                let rows = crate::lower::mask_of(8 * matrix.parts.len() as u32) as u32;
                let made =
                    Made { doing, place: matrix.at.place, size: 16, elements: 1, parts: &[] };
                self.made(probe, warp, &made, At { lanes: at.lanes & rows, ..at });
            }
            _ => {}
        }
    }

    fn stored(
        &mut self,
        probe: &mut Told<'_>,
        warp: &Warp,
        (access, doing, parts): (&Stored, Doing, &[Slot]),
        at: At,
    ) {
        self.addresses_of(warp, access);
        let (size, elements) = (access.size.into(), access.parts.len());
        let made = Made { doing, place: access.place, size, elements, parts };
        self.made(probe, warp, &made, at);
    }

    fn copied(&mut self, probe: &mut Told<'_>, warp: &Warp, copy: &AsyncCopy, at: At) {
        let size = u32::from(copy.size);
        let mut counts = [u64::from(size); 32];
        if !copy.bytes.is_none() {
            warp.read(&self.launch.constants, copy.bytes, &mut counts);
        }
        let ignored = warp.p(copy.ignore);
        let count = |lane: usize| if ignored >> lane & 1 == 1 { 0 } else { counts[lane] as u32 };
        // More than the size is a fault.
        each_group(
            at.lanes,
            |lane| count(lane).min(size),
            |lanes, size| {
                if size != 0 {
                    self.address(warp, copy.from.base, copy.from.offset);
                    let (doing, place) = (Doing::CopyFrom, copy.from.place);
                    let made = Made { doing, place, size, elements: 1, parts: &[] };
                    self.made(probe, warp, &made, At { lanes, ..at });
                }
            },
        );
        self.address(warp, copy.to.base, copy.to.offset);
        let made =
            Made { doing: Doing::CopyTo, place: copy.to.place, size, elements: 1, parts: &[] };
        self.made(probe, warp, &made, at);
    }

    /// Tells an access at `self.addresses`, once for each space.
    fn made(&self, probe: &mut Told<'_>, warp: &Warp, made: &Made<'_>, at: At) {
        if let Some(space) = self.plain_space(made.place, at.lanes) {
            return self.made_in(probe, warp, made, at, (space, &self.addresses));
        }
        let mut own: L64 = [0; 32];
        each_group(
            at.lanes,
            |lane| self.space(warp, made.place, self.addresses[lane]).0,
            |same, space| {
                for lane in lanes(same) {
                    own[lane] = self.space(warp, made.place, self.addresses[lane]).1;
                }
                self.made_in(probe, warp, made, At { lanes: same, ..at }, (space, &own));
            },
        );
    }

    /// The space of all of these lanes, if it is the same and their addresses are already those of it.
    fn plain_space(&self, place: Place, mask: u32) -> Option<SpaceKind> {
        let all = &self.addresses;
        let is_global = match place {
            Place::Shared => return Some(SpaceKind::Shared),
            Place::KernelParam => return Some(SpaceKind::Param),
            Place::Global => holds_for(all, mask, |a| !(CONST_BASE..CONST_END).contains(&a)),
            Place::Generic => holds_for(all, mask, |a| space_of(a) == SpaceKind::Global),
            Place::Local | Place::Frame | Place::Param => false,
        };
        is_global.then_some(SpaceKind::Global)
    }

    /// Tells an access of lanes with addresses in a space.
    fn made_in(
        &self,
        probe: &mut Told<'_>,
        warp: &Warp,
        made: &Made<'_>,
        at: At,
        (space, addresses): (SpaceKind, &L64),
    ) {
        if !self.events.has(Events::of_space(space)) {
            return;
        }
        let &Made { doing, size, elements, parts, .. } = made;
        let values = Values { warp, constants: &self.launch.constants, parts };
        let (elements, order) = (elements as u32, self.told_op.1);
        let access = Access { doing, space, addresses, size, elements, order, values };
        probe.access(&at, &access);
    }
}

impl Op {
    /// The membermask of an instruction that lanes execute together.
    pub(super) fn members(&self) -> Option<Slot> {
        let members = match self {
            Op::WarpSync { mask } => *mask,
            Op::Shuffle(shuffle) => shuffle.members,
            Op::Matrix(matrix) => matrix.members,
            Op::Elect { members, .. }
            | Op::Vote { members, .. }
            | Op::Match { members, .. }
            | Op::Redux { members, .. } => *members,
            _ => return None,
        };
        (!members.is_none()).then_some(members)
    }
}
