//! Reports memory accesses to observers.

use super::DynProbe;
use crate::code::{Access as Stored, AsyncCopy, MatrixAction, MemSpace, Op, Slot};
use crate::exec::context::Context;
use crate::exec::memory::space_at;
use crate::exec::warp::{Warp, lanes, lanes_by, lanes_where};
use crate::launch::{GLOBAL_BITS, RANK_SHIFT, split_shared_address};
use crate::observe::event::ValueSource;
use crate::observe::{Access, AccessOp, Arrangement, At, Events, GroupedLoad, Order, Values};
use texunit_alu::L64;
use texunit_memory::{CONST_BASE, CONST_END, GLOBAL_BASE, SpaceKind, space_of};
use texunit_unit::Build;

/// Parameters of an access that are equal for all lanes.
pub(super) struct AccessParams<'a> {
    pub(super) operation: AccessOp,
    pub(super) mem_space: MemSpace,
    pub(super) size: u32,
    pub(super) elements: usize,
    pub(super) parts: &'a [Slot],
}

impl<'a> AccessParams<'a> {
    /// The parameters of a load, store or atomic of these operands.
    pub(super) fn of(access: &Stored, operation: AccessOp, parts: &'a [Slot]) -> Self {
        let (size, elements) = (access.size.into(), access.parts.len());
        Self { operation, mem_space: access.at.mem_space, size, elements, parts }
    }

    /// The parameters of an access to one element in each lane, without values.
    fn of_one(operation: AccessOp, mem_space: MemSpace, size: u32) -> Self {
        Self { operation, mem_space, size, elements: 1, parts: &[] }
    }

    /// Bytes accessed by a lane.
    pub(super) fn bytes(&self) -> u32 {
        self.size * self.elements as u32
    }
}

/// Probe, events and memory order for reporting an access.
pub(super) struct AccessReport<'t, 'p> {
    pub(super) probe: &'t mut DynProbe<'p>,
    pub(super) events: Events,
    pub(super) order: Order,
    /// Further loads that are reported together with the access.
    pub(super) more: &'t [GroupedLoad],
}

/// Whether a condition holds for the addresses of these lanes. All lanes are tested without
/// branches, so that the loop is vectorised.
#[inline(always)]
fn holds_for(all: &L64, lanes: u32, holds: impl Fn(u64) -> bool) -> bool {
    (0..32).fold(true, |all_do, l| all_do & (holds(all[l]) | (lanes >> l & 1 == 0)))
}

impl Context<'_> {
    /// Reports the accesses of an operation.
    pub(super) fn accesses(&mut self, probe: &mut DynProbe<'_>, warp: &Warp, op: &Op, at: At) {
        match op {
            Op::Load(access) | Op::LoadQuad(access) => {
                self.stored(probe, warp, (access, AccessOp::Load, &[]), at);
            }
            Op::Store(access) | Op::StoreQuad(access) => {
                self.stored(probe, warp, (access, AccessOp::Store, &access.parts), at);
            }
            Op::Atomic(atomic) => {
                let operation = AccessOp::Atomic(atomic.op);
                self.stored(probe, warp, (&atomic.access, operation, &atomic.b), at);
            }
            Op::AsyncCopy(copy) if copy.is_bulk => self.copied_in_bulk(probe, warp, copy, at),
            Op::AsyncCopy(copy) => self.copied(probe, warp, copy, at),
            Op::Matrix(matrix) => {
                let operation = match matrix.action {
                    MatrixAction::Load => AccessOp::MatrixLoad,
                    MatrixAction::Store => AccessOp::MatrixStore,
                    MatrixAction::Transpose => return,
                };
                self.address(warp, matrix.at.base, matrix.at.offset);
                // Each group of 8 lanes provides the row addresses of a matrix.
                let rows = crate::lower::mask_of(8 * matrix.parts.len() as u32) as u32;
                let params = AccessParams::of_one(operation, matrix.at.mem_space, 16);
                self.params(probe, warp, &params, At { lanes: at.lanes & rows, ..at });
            }
            _ => {}
        }
    }

    fn stored(
        &mut self,
        probe: &mut DynProbe<'_>,
        warp: &Warp,
        (access, operation, parts): (&Stored, AccessOp, &[Slot]),
        at: At,
    ) {
        self.addresses_of(warp, access.at, access.constant);
        self.params(probe, warp, &AccessParams::of(access, operation, parts), at);
    }

    fn copied(&mut self, probe: &mut DynProbe<'_>, warp: &Warp, copy: &AsyncCopy, at: At) {
        let (all, size) = (self.copy_operands(warp, copy), u32::from(copy.grain));
        let mut tell = |this: &mut Self, operation, mem_space, size, lanes| {
            let params = AccessParams::of_one(operation, mem_space, size);
            this.params(probe, warp, &params, At { lanes, ..at });
        };
        self.addresses = all.from;
        // If the number of bytes that are read exceeds that of the copy, the instruction itself
        // faults.
        for (lanes, size) in lanes_by(at.lanes, |lane| all.read[lane].min(size.into()) as u32) {
            if size != 0 {
                tell(self, AccessOp::CopyFrom, copy.from.mem_space, size, lanes);
            }
        }
        self.addresses = all.to;
        tell(self, AccessOp::CopyTo, copy.to.mem_space, size, at.lanes);
    }

    fn copied_in_bulk(&mut self, probe: &mut DynProbe<'_>, warp: &Warp, copy: &AsyncCopy, at: At) {
        let all = self.copy_operands(warp, copy);
        let reduce = copy.reduce.map(|(_, ty)| (AccessOp::BulkReduce, ty.bytes()));
        let (to_doing, to_size) = reduce.unwrap_or((AccessOp::BulkStore, 16));
        for lane in lanes(at.lanes) {
            let at = At { lanes: 1 << lane, ..at };
            // If the size is larger, the instruction itself faults.
            let size = all.size[lane].min(self.most_in_bulk());
            let mut tell = |operation, (mem_space, address): (MemSpace, u64), step: u32| {
                let params = AccessParams::of_one(operation, mem_space, step);
                for offset in (0..size).step_by(step as usize) {
                    self.addresses = [address.wrapping_add(offset); 32];
                    self.params(probe, warp, &params, at);
                }
            };
            tell(AccessOp::BulkLoad, (copy.from.mem_space, all.from[lane]), 16);
            // The shared memories of other CTAs are not reported.
            if all.ranks.is_none() {
                tell(to_doing, (copy.to.mem_space, all.to[lane]), to_size);
            }
        }
    }

    /// Reports an access at `self.addresses`.
    fn params(&self, probe: &mut DynProbe<'_>, warp: &Warp, params: &AccessParams<'_>, at: At) {
        let registers = warp.registers(&self.launch.constants);
        let values = Values(ValueSource::Registers { registers, parts: params.parts });
        let (events, order) = (self.events, self.marked_op.1);
        let report = AccessReport { probe, events, order, more: &[] };
        let arrangement = Arrangement::of(&self.addresses, at.lanes, params.bytes());
        report.access(params, values, at, (arrangement, &self.addresses));
    }
}

impl AccessReport<'_, '_> {
    /// Reports an access, once for each state space.
    // It is inlined, because a copy of `Values` that were stored in parts waits for the stores.
    #[inline(always)]
    pub(super) fn access(
        mut self,
        params: &AccessParams<'_>,
        values: Values<'_>,
        at: At,
        (arrangement, addresses): (Arrangement, &L64),
    ) {
        let &AccessParams { operation, size, elements, .. } = params;
        let (elements, order) = (elements as u32, self.order);
        let ends = arrangement.ends(at.lanes, params.bytes());
        let plain = plain_space_of_row(params.mem_space, ends).or_else(|| {
            Build::current().run_narrow(
                #[inline(always)]
                || plain_space(params.mem_space, addresses, at.lanes),
            )
        });
        let space = plain.unwrap_or(SpaceKind::Global);
        let access =
            Access { operation, space, addresses, arrangement, size, elements, order, values };
        match plain {
            Some(_) => self.access_in(&at, &access),
            None => self.access_by_space(params.mem_space, &at, &access),
        }
    }

    #[cold]
    fn access_by_space(mut self, mem_space: MemSpace, at: &At, access: &Access<'_>) {
        let (addresses, mut own) = (access.addresses, [0; 32]);
        let place = |lane: usize| space_at(mem_space, addresses[lane]);
        for (same, space) in lanes_by(at.lanes, |lane| place(lane).0) {
            lanes(same).for_each(|lane| own[lane] = place(lane).1);
            // Accesses to the shared memory of another CTA of the cluster are not reported.
            let is_far = |lane| split_shared_address(own[lane]).0.is_some();
            let those = lanes_where(same, |lane| space != SpaceKind::Shared || !is_far(lane));
            let at = At { lanes: those, ..*at };
            let arrangement = Arrangement::of(&own, those, access.bytes());
            self.access_in(&at, &Access { space, addresses: &own, arrangement, ..*access });
        }
    }

    /// Reports an access of lanes whose addresses are in one state space.
    #[inline]
    fn access_in(&mut self, at: &At, access: &Access<'_>) {
        if at.lanes == 0 || !self.events.intersects(Events::of_space(access.space)) {
            return;
        }
        match self.more {
            [] => self.probe.access(at, access),
            more => self.probe.loads(at, access, more),
        }
    }
}

/// Whether the addresses of these lanes agree with `base` in all bits from bit `from` on.
#[inline(always)]
fn are_at(all: &L64, mask: u32, (base, from): (u64, u32)) -> bool {
    // The addresses of inactive lanes usually agree as well, so that all lanes are compared first.
    // Four numbers make a vector.
    let mut each = [0; 4];
    for four in all.as_chunks::<4>().0 {
        for (any, address) in each.iter_mut().zip(four) {
            *any |= address ^ base;
        }
    }
    if each.into_iter().fold(0, |any, one| any | one) >> from == 0 {
        return true;
    }
    let mut any = 0;
    for (lane, address) in all.iter().enumerate() {
        any |= (address ^ base) & 0_u64.wrapping_sub(u64::from(mask >> lane & 1));
    }
    any >> from == 0
}

/// The state space of contiguous addresses, from the first and the last one, if these decide what
/// [`plain_space`] returns.
#[inline]
fn plain_space_of_row(mem_space: MemSpace, ends: Option<[u64; 2]>) -> Option<SpaceKind> {
    // Contiguous addresses may wrap at the end of the address space.
    let ends = ends.filter(|[first, last]| first <= last)?;
    let are_at = |base: u64, from: u32| ends.iter().all(|end| (end ^ base) >> from == 0);
    match mem_space {
        MemSpace::Shared => are_at(0, RANK_SHIFT).then_some(SpaceKind::Shared),
        MemSpace::Global | MemSpace::Generic => {
            are_at(GLOBAL_BASE, GLOBAL_BITS).then_some(SpaceKind::Global)
        }
        _ => None,
    }
}

/// The state space of all these lanes, if it is the same for all and the addresses need no
/// conversion.
#[inline(always)]
fn plain_space(mem_space: MemSpace, all: &L64, mask: u32) -> Option<SpaceKind> {
    let is_global = match mem_space {
        // The addresses must not have the rank of another CTA of the cluster.
        MemSpace::Shared => return are_at(all, mask, (0, RANK_SHIFT)).then_some(SpaceKind::Shared),
        MemSpace::KernelParam => return Some(SpaceKind::Param),
        MemSpace::Global | MemSpace::Generic if are_at(all, mask, (GLOBAL_BASE, GLOBAL_BITS)) => {
            true
        }
        MemSpace::Global | MemSpace::Generic
            if holds_for(all, mask, |a| (CONST_BASE..CONST_END).contains(&a)) =>
        {
            return Some(SpaceKind::Const);
        }
        MemSpace::Global => holds_for(all, mask, |a| !(CONST_BASE..CONST_END).contains(&a)),
        MemSpace::Generic => holds_for(all, mask, |a| space_of(a) == SpaceKind::Global),
        MemSpace::Local | MemSpace::Frame | MemSpace::Param => false,
    };
    is_global.then_some(SpaceKind::Global)
}
