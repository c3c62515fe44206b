//! The fast path of loads, stores and atomics: the target memory and its bounds are checked once
//! for the whole warp. An access that would fault in a lane, or that is of another kind, is left
//! unexecuted for the general path ([`super::memory`]), which proceeds lane by lane.

use super::context::{Context, ROW};
use super::memory::{alignment, space_at};
use super::target::Target;
use super::warp::{Warp, lanes};
use crate::code::{Access, Atomic, MemSpace, SpaceProfile};
use crate::observe::Arrangement;
use texunit_alu::{L32, L64};
use texunit_memory::{Block, CONST_BASE, CONST_END, SHARED_WINDOW, SpaceKind};

/// The memory that contains the addresses of all lanes of an access. The lanes' offsets in it are
/// in [`Context::addresses`].
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Global(&'a Block),
    Shared,
    Local,
    Param,
}

impl Found<'_> {
    /// The memory itself, given the memories of the CTA, of the launch and of the warp.
    pub(super) fn target<'t>(
        &'t self,
        shared: &'t mut [u8],
        params: &'t [u8],
        local: &'t mut [L32],
    ) -> Target<'t> {
        match self {
            Self::Global(block) => Target::Block(block),
            Self::Shared => Target::Bytes(shared),
            Self::Local => Target::Local(local),
            Self::Param => Target::Params(params),
        }
    }

    /// Records the state space that generic addresses point into.
    fn record(&self, mem_space: MemSpace, seen: &SpaceProfile) {
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

/// Summary of the lanes' addresses: the lowest, the highest and the bitwise OR of all, and whether
/// all lanes are active and their accesses contiguous.
#[derive(Clone, Copy)]
struct Extent {
    low: u64,
    high: u64,
    any: u64,
    is_row: bool,
}

/// Summarises the addresses of an access to `step` bytes in each lane. Inactive lanes get the
/// address of the first active one.
#[inline(always)]
fn extent(addresses: &mut L64, mask: u32, step: u64) -> Extent {
    let first = addresses[mask.trailing_zeros() as usize & 31];
    if mask != u32::MAX {
        lanes(!mask).for_each(|lane| addresses[lane] = first);
    }
    let (mut low, mut high, mut any, mut apart, mut next) = (u64::MAX, 0, 0, 0, first);
    for &address in addresses.iter() {
        low = low.min(address);
        high = high.max(address);
        any |= address;
        apart |= address ^ next;
        next = next.wrapping_add(step);
    }
    Extent { low, high, any, is_row: apart == 0 && mask == u32::MAX }
}

impl<'a> Context<'a> {
    /// The memory that contains the addresses of all lanes, and the arrangement of their offsets in
    /// it, which is a row only if all lanes are active; `None` if a lane would fault, or if the
    /// lanes' addresses are in different memories.
    fn resolve(
        &mut self,
        warp: &Warp,
        access: &Access,
        writes: bool,
        mask: u32,
    ) -> Option<(Found<'a>, Arrangement)> {
        self.addresses_of(warp, access.at, access.constant);
        let (total, addresses) = (u64::from(access.total()), &mut self.addresses);
        let Extent { low, high, any, is_row } = self.level.run(
            #[inline(always)]
            || extent(addresses, mask, total),
        );
        let is_constant = |at| (CONST_BASE..CONST_END).contains(&at);
        let (mem_space, size) = (access.at.mem_space, access.size.into());
        let unit = alignment(mem_space, (size, access.total())).next_power_of_two();
        if any & (u64::from(unit) - 1) != 0
            || access.constant && !(is_constant(low) && is_constant(high))
        {
            return None;
        }
        let (space, mut at) = space_at(mem_space, low);
        let (other, last) = space_at(mem_space, high);
        let end = last.checked_add(total)?;
        let found = match space {
            SpaceKind::Global | SpaceKind::Const => {
                let (block, offset) = self.block_of((low, high), total, writes)?;
                at = offset;
                Found::Global(block)
            }
            // All lanes are in the same window if the lowest and the highest address are.
            _ if other != space || last.wrapping_sub(at) != high - low => return None,
            SpaceKind::Shared if end <= self.cta.shared.len() as u64 => Found::Shared,
            SpaceKind::Local if end <= warp.local_end.min(4 * warp.local.len() as u64) => {
                Found::Local
            }
            SpaceKind::Param if !writes && end <= self.launch.config.params.len() as u64 => {
                Found::Param
            }
            _ => return None,
        };
        let base = low.wrapping_sub(at);
        self.addresses.iter_mut().for_each(|address| *address = address.wrapping_sub(base));
        found.record(mem_space, &access.seen);
        let arrangement = match is_row {
            true => Arrangement::Row(at),
            // Equal addresses in local memory are different words.
            false if low == high && !matches!(found, Found::Local) => Arrangement::One(at),
            false => Arrangement::Other,
        };
        Some((found, arrangement))
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
        let found = self.resolve(warp, access, false, mask);
        let Some((found, arrangement)) = found else { return false };
        let (at, size, total) = (&mut self.addresses, u64::from(access.size), access.total());
        let params = self.launch.config.params;
        let mut target = found.target(&mut self.cta.shared, params, &mut warp.local);
        if let (Target::Block(block), Arrangement::Row(_), 4..=ROW) = (&target, arrangement, total)
        {
            // Contiguous global memory is copied first, because separate loads are slower.
            let row = &mut self.row[..32 * total as usize];
            if block.read(at[0], row).is_err() {
                return false;
            }
            (0..).step_by(total as usize).zip(at.iter_mut()).for_each(|(own, at)| *at = own);
            target = Target::Bytes(row);
        }
        for (k, part) in (0..).zip(&mut self.parts[..access.parts.len()]) {
            // Bounds and alignment were checked for all lanes.
            if let Arrangement::One(at) = arrangement {
                *part = [target.load(0, at + k * size, access.size).unwrap_or(0); 32];
            } else {
                target.load_lanes(mask, (at, k * size), access.size, part);
            }
        }
        self.put_loaded(warp, access, mask);
        true
    }

    /// Executes a store. Returns false, with nothing changed, if a lane would fault.
    pub(super) fn store_stream(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        if self.store_words(warp, access, mask) {
            return true;
        }
        let found = self.resolve(warp, access, true, mask);
        let Some((found, arrangement)) = found else { return false };
        self.read_stored(warp, access);
        let (at, size, total) = (&mut self.addresses, u64::from(access.size), access.total());
        let mut target = found.target(&mut self.cta.shared, &[], &mut warp.local);
        let mut row = None;
        if let (Found::Global(block), Arrangement::Row(_), 4..=ROW) = (found, arrangement, total) {
            row = Some((block, at[0]));
            (0..).step_by(total as usize).zip(at.iter_mut()).for_each(|(own, at)| *at = own);
            target = Target::Bytes(&mut self.row[..32 * total as usize]);
        }
        for (k, part) in (0..).zip(&self.parts[..access.parts.len()]) {
            target.store_lanes(mask, at, (k * size, access.size), part);
        }
        row.is_none_or(|(block, at)| block.write(at, &self.row[..32 * total as usize]).is_ok())
    }

    /// The memory of an atomic; `None` if a lane would fault, or in local memory.
    pub(super) fn find_atomic(&mut self, warp: &Warp, op: &Atomic, mask: u32) -> Option<Found<'a>> {
        let (found, _) = self.resolve(warp, &op.access, true, mask)?;
        (!matches!(found, Found::Local)).then_some(found)
    }
}
