//! The fast path of loads and stores: the target memory and its bounds are checked once for the
//! whole warp. An access that would fault in a lane, or that is of another kind, is left unexecuted
//! for the general path ([`super::memory`]), which proceeds lane by lane.

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::context::Context;
use super::elements::{ActiveLanes, Bytes, Global, Local, load, store};
use super::warp::Warp;
use crate::code::{Access, Atomic, MemSpace, Slot, SpaceProfile};
use texunit_alu::{L32, L64};
use texunit_memory::{Block, CONST_BASE, CONST_END, SHARED_WINDOW, SpaceKind};

/// The memory that contains the addresses of all lanes of an access. The lanes' offsets in it are
/// in [`Context::offsets`], for global memory their addresses in [`Context::addresses`].
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    Global(&'a Block),
    Shared,
    Local,
    Param,
}

impl Target<'_> {
    /// Records the state space that generic addresses point into.
    #[inline(always)]
    pub(super) fn record(&self, mem_space: MemSpace, seen: &SpaceProfile) {
        if matches!(mem_space, MemSpace::Generic | MemSpace::Param) {
            seen.record(match self {
                Self::Global(_) => SpaceKind::Global,
                Self::Shared => SpaceKind::Shared,
                Self::Local => SpaceKind::Local,
                Self::Param => SpaceKind::Param,
            });
        }
    }
}

/// Summary of the lanes' addresses: the lowest, the highest, the bitwise OR of all, and whether
/// they are contiguous.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    low: u64,
    high: u64,
    any: u64,
    /// Whether the lanes' addresses are contiguous.
    row: bool,
}

/// Parameters of an access for the address check.
#[derive(Clone, Copy)]
pub(super) struct AccessRequest {
    pub(super) mem_space: MemSpace,
    pub(super) base: Slot,
    pub(super) offset: u64,
    /// Bytes of an element, and of all elements of a lane.
    pub(super) size: u32,
    pub(super) total: u32,
    pub(super) constant: bool,
    pub(super) writes: bool,
}

impl AccessRequest {
    fn of(access: &Access, writes: bool) -> Self {
        let &Access { mem_space, base, offset, constant, .. } = access;
        let size = u32::from(access.size);
        let total = size * access.parts.len() as u32;
        Self { mem_space, base, offset, size, total, constant, writes }
    }

    pub(super) fn by_atomic(op: &Atomic) -> Self {
        let &Atomic { mem_space, base, offset, .. } = op;
        let size = op.ty.bytes();
        let total = size * op.b.len() as u32;
        Self { mem_space, base, offset, size, total, constant: false, writes: true }
    }
}

macro_rules! look {
    ($name:ident, $int:ty) => {
        /// Adds an offset to the addresses of the lanes. Inactive lanes get the address of the
        /// first active one.
        #[inline(always)]
        fn $name(
            to: &mut [$int; 32],
            bases: &[$int; 32],
            (offset, step): ($int, $int),
            mask: u32,
        ) -> Extent {
            let start = bases[mask.trailing_zeros() as usize & 31];
            if mask == u32::MAX {
                for lane in 0..32 {
                    to[lane] = bases[lane].wrapping_add(offset);
                }
            } else {
                for lane in 0..32 {
                    let base = if mask >> lane & 1 == 1 { bases[lane] } else { start };
                    to[lane] = base.wrapping_add(offset);
                }
            }
            let first = start.wrapping_add(offset);
            let (mut low, mut high, mut any, mut apart) = (<$int>::MAX, 0, 0, 0);
            for lane in 0..32 {
                low = low.min(to[lane]);
                high = high.max(to[lane]);
                any |= to[lane];
                apart |= to[lane] ^ first.wrapping_add(step.wrapping_mul(lane as $int));
            }
            Extent { low: low.into(), high: high.into(), any: any.into(), row: apart == 0 }
        }
    };
}
look!(look32, u32);
look!(look64, u64);

impl<'a> Context<'a> {
    /// The memory that contains the addresses of all lanes; `None` if a lane would fault, or if the
    /// lanes' addresses are in different memories.
    #[inline]
    pub(super) fn resolve(
        &mut self,
        warp: &Warp,
        request: &AccessRequest,
        mask: u32,
    ) -> Option<(Target<'a>, ActiveLanes)> {
        let constants = &self.launch.constants;
        let total = u64::from(request.total);
        if request.mem_space == MemSpace::Shared && !request.base.is_wide() {
            let (to, bases) = (&mut self.offsets, warp.n(constants, request.base));
            let by = (request.offset as u32, request.total);
            let extent = self.level.run(
                #[inline(always)]
                || look32(to, bases, by, mask),
            );
            let end = extent.high + total;
            let fits = end <= self.cta.shared.len() as u64 && extent.is_aligned(request);
            return fits.then(|| (Target::Shared, extent.active(warp, request, mask)));
        }
        let extent = self.compute_addresses(warp, request, mask)?;
        if !extent.is_aligned(request) {
            return None;
        }
        let Extent { low, high, .. } = extent;
        let (space, at) = self.space(warp, request.mem_space, low);
        let (other, last) = self.space(warp, request.mem_space, high);
        let is_global = |space| matches!(space, SpaceKind::Global | SpaceKind::Const);
        if is_global(space) {
            let (block, at) = self.block_of((low, high), total, request.writes)?;
            let base = low.wrapping_sub(at);
            for address in &mut self.addresses {
                *address = address.wrapping_sub(base);
            }
            return Some((Target::Global(block), extent.active(warp, request, mask)));
        }
        // All lanes are in the same window if the lowest and the highest address are.
        if other != space || last.wrapping_sub(at) != high - low {
            return None;
        }
        let end = last.checked_add(total)?;
        let target = match space {
            SpaceKind::Shared if end <= self.cta.shared.len() as u64 => Target::Shared,
            SpaceKind::Local if end <= warp.local_end.min(4 * warp.local.len() as u64) => {
                Target::Local
            }
            SpaceKind::Param
                if !request.writes && end <= self.launch.config.params.len() as u64 =>
            {
                Target::Param
            }
            _ => return None,
        };
        let base = low.wrapping_sub(at);
        for (to, address) in self.offsets.iter_mut().zip(&self.addresses) {
            *to = address.wrapping_sub(base) as u32;
        }
        Some((target, extent.active(warp, request, mask)))
    }

    /// Computes the addresses of an access into [`Context::addresses`], and their summary.
    #[inline]
    fn compute_addresses(
        &mut self,
        warp: &Warp,
        request: &AccessRequest,
        mask: u32,
    ) -> Option<Extent> {
        let constants = &self.launch.constants;
        let (to, step) = (&mut self.addresses, u64::from(request.total));
        let known: L64;
        let (bases, offset) = if request.mem_space == MemSpace::Frame {
            known = [warp.local_base; 32];
            (&known, request.offset)
        } else if request.base.is_none() {
            known = [0; 32];
            (&known, request.offset)
        } else if request.base.is_wide() {
            (warp.w(constants, request.base), request.offset)
        } else {
            // The base has 32 bits, and so has the sum.
            let narrow: &L32 = warp.n(constants, request.base);
            known = std::array::from_fn(|l| narrow[l].wrapping_add(request.offset as u32).into());
            (&known, 0)
        };
        let mut extent = self.level.run(
            #[inline(always)]
            || look64(to, bases, (offset, step), mask),
        );
        if request.constant {
            // Constant memory is a window; a 32-bit address (`mov.u32 %r, c`) is its offset.
            if extent.high < CONST_END - CONST_BASE {
                to.iter_mut().for_each(|address| *address += CONST_BASE);
                extent.low += CONST_BASE;
                extent.high += CONST_BASE;
            }
            if extent.low < CONST_BASE || extent.high >= CONST_END {
                return None;
            }
        }
        Some(extent)
    }

    /// The allocation that contains all accesses of `total` bytes between the lowest and the
    /// highest address, and the offset of the lowest; for stores it must be writable.
    pub(super) fn block_of(
        &mut self,
        (low, high): (u64, u64),
        total: u64,
        writes: bool,
    ) -> Option<(&'a Block, u64)> {
        let constant = (CONST_BASE..CONST_END).contains(&low);
        if high >= SHARED_WINDOW || constant && writes {
            return None;
        }
        let len = high - low + total;
        // Only parts of the device heap are allocated.
        if let Some(heap) = self.launch.config.heap
            && heap.overlaps(low, len)
        {
            return None;
        }
        let memory = self.launch.config.memory;
        let found = match writes {
            true => memory.find_writable(low, len, self.hint),
            false => memory.find(low, len, self.hint),
        };
        let (index, at) = found.ok()?;
        self.hint = index;
        Some((memory.block(index), at))
    }

    /// Executes a load. Returns false, with nothing changed, if a lane would fault.
    pub(super) fn load_stream(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        if self.load_words(warp, access, mask) {
            return true;
        }
        if access.row && mask == u32::MAX && self.load_row(warp, access).is_some() {
            return true;
        }
        let found = self.resolve(warp, &AccessRequest::of(access, false), mask);
        let Some((target, active)) = found else { return false };
        target.record(access.mem_space, &access.seen);
        let offsets = &self.offsets;
        let (registers, local) = warp.registers_and_local();
        match target {
            Target::Global(block) => {
                load(&Global { block, at: &self.addresses }, registers, access, active);
            }
            Target::Shared => {
                let bytes = &self.cta.shared[..];
                load(&Bytes { bytes, at: offsets }, registers, access, active);
            }
            Target::Param => {
                let bytes = self.launch.config.params;
                load(&Bytes { bytes, at: offsets }, registers, access, active);
            }
            Target::Local => load(&Local { rows: &*local, at: offsets }, registers, access, active),
        }
        true
    }

    /// Executes a store. Returns false, with nothing changed, if a lane would fault.
    pub(super) fn store_stream(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        if self.store_words(warp, access, mask) {
            return true;
        }
        if access.row && mask == u32::MAX && self.store_row(warp, access).is_some() {
            return true;
        }
        if access.parts.iter().any(|part| part.is_predicate()) {
            return false;
        }
        let found = self.resolve(warp, &AccessRequest::of(access, true), mask);
        let Some((target, active)) = found else { return false };
        target.record(access.mem_space, &access.seen);
        let (offsets, constants) = (&self.offsets, &self.launch.constants);
        let (registers, local) = warp.registers_and_local();
        let from = (&registers, constants);
        match target {
            Target::Global(block) => {
                store(&mut Global { block, at: &self.addresses }, from, access, active);
            }
            Target::Shared => {
                let bytes = &mut self.cta.shared[..];
                store(&mut Bytes { bytes, at: offsets }, from, access, active);
            }
            Target::Local => {
                store(&mut Local { rows: local, at: offsets }, from, access, active);
            }
            // Kernel parameters are not writable.
            Target::Param => return false,
        }
        true
    }
}

impl Extent {
    #[inline(always)]
    fn is_aligned(&self, request: &AccessRequest) -> bool {
        // ptxas splits an access at a known offset if it is only aligned to its elements, so the
        // elements' alignment is sufficient there.
        let known = matches!(request.mem_space, MemSpace::KernelParam | MemSpace::Frame);
        let unit = if known { request.size } else { request.total };
        self.any & (u64::from(unit.next_power_of_two()) - 1) == 0
    }

    #[inline(always)]
    fn active(&self, warp: &Warp, request: &AccessRequest, mask: u32) -> ActiveLanes {
        // With several elements per lane, the elements are contiguous within a lane, not across
        // lanes.
        let row = self.row && request.size == request.total;
        ActiveLanes { mask, live: warp.live, same: self.low == self.high, row }
    }
}
