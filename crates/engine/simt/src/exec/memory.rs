//! The general path of loads and stores: determines state space and allocation lane by lane, and
//! raises faults. Most accesses take the fast path ([`super::access`]) instead.

mod lane;

use super::context::Context;
use super::outcome::{Executed, PendingFault};
use super::warp::{Warp, lanes};
use crate::code::{Access, MemSpace};
use lane::load_bytes;
pub(super) use lane::{load_local, store_local};
use texunit_memory::{
    Block, CONST_BASE, CONST_END, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind, space_of,
};

/// Kind of an access, for messages of faults.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
}

pub(super) const LOAD: Kind = Kind { name: "load" };
pub(super) const STORE: Kind = Kind { name: "store" };
pub(super) const ATOMIC: Kind = Kind { name: "atomic" };

/// State space of an address, and the address in that space.
pub(super) fn space_at(mem_space: MemSpace, address: u64) -> (SpaceKind, u64) {
    let in_window = |window: u64| address.wrapping_sub(window);
    match mem_space {
        MemSpace::Shared => (SpaceKind::Shared, address),
        MemSpace::KernelParam => (SpaceKind::Param, address),
        MemSpace::Local | MemSpace::Frame if space_of(address) == SpaceKind::Local => {
            (SpaceKind::Local, in_window(LOCAL_WINDOW))
        }
        MemSpace::Local | MemSpace::Frame => (SpaceKind::Local, address),
        MemSpace::Global if (CONST_BASE..CONST_END).contains(&address) => {
            (SpaceKind::Const, address)
        }
        MemSpace::Global => (SpaceKind::Global, address),
        MemSpace::Param if address < 1 << 32 => (SpaceKind::Param, address),
        MemSpace::Generic | MemSpace::Param => match space_of(address) {
            SpaceKind::Shared => (SpaceKind::Shared, in_window(SHARED_WINDOW)),
            SpaceKind::Local => (SpaceKind::Local, in_window(LOCAL_WINDOW)),
            SpaceKind::Param => (SpaceKind::Param, in_window(PARAM_WINDOW)),
            space => (space, address),
        },
    }
}

impl Context<'_> {
    pub(super) fn load(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> Executed {
        if self.wait_trace.is_none() && self.load_stream(warp, access, mask) {
            return Ok(());
        }
        let mem_space = self.locate(warp, access, mask)?;
        if let (Some(trace), MemSpace::Global) = (&mut self.wait_trace, mem_space) {
            let size = u32::from(access.size) * access.parts.len() as u32;
            lanes(mask).for_each(|lane| trace.look(self.addresses[lane], size));
        }
        let total = self.check_alignment(warp, access, mem_space, mask, LOAD)?;
        match mem_space {
            MemSpace::Global => self.load_global(warp, access, total, mask)?,
            MemSpace::KernelParam => {
                let at = self.addresses[0];
                for (k, part) in self.parts.iter_mut().enumerate().take(access.parts.len()) {
                    let offset = at.wrapping_add(k as u64 * u64::from(access.size));
                    match load_bytes(self.launch.config.params, offset, access.size) {
                        Some(v) => *part = [v; 32],
                        None => {
                            let lane = mask.trailing_zeros() as usize;
                            return self.outside(warp, lane, at, total, SpaceKind::Param, LOAD);
                        }
                    }
                }
            }
            _ => {
                for lane in lanes(mask) {
                    let address = self.addresses[lane];
                    for k in 0..access.parts.len() {
                        let at = address.wrapping_add(k as u64 * u64::from(access.size));
                        self.parts[k][lane] =
                            self.load_one(warp, lane, mem_space, at, access.size, total)?;
                    }
                }
            }
        }
        if access.signed && access.size < 8 {
            let shift = 64 - 8 * u32::from(access.size);
            for part in self.parts.iter_mut().take(access.parts.len()) {
                for v in part {
                    *v = ((*v << shift) as i64 >> shift) as u64;
                }
            }
        }
        for (part, &d) in self.parts.iter().zip(&access.parts) {
            warp.put(d, part, access.mask, mask);
        }
        Ok(())
    }

    pub(super) fn store(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> Executed {
        if self.wait_trace.is_none() && self.store_stream(warp, access, mask) {
            return Ok(());
        }
        let mem_space = self.locate(warp, access, mask)?;
        if mem_space == MemSpace::Global {
            self.record_side_effect();
        }
        let total = self.check_alignment(warp, access, mem_space, mask, STORE)?;
        for (part, &source) in self.parts.iter_mut().zip(&access.parts) {
            warp.read(&self.launch.constants, source, part);
        }
        match mem_space {
            MemSpace::Global => self.store_global(warp, access, total, mask),
            _ => {
                for lane in lanes(mask) {
                    let address = self.addresses[lane];
                    for k in 0..access.parts.len() {
                        let at = address.wrapping_add(k as u64 * u64::from(access.size));
                        let value = self.parts[k][lane];
                        self.store_one(warp, lane, mem_space, at, (access.size, total), value)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Computes the addresses. A generic access whose lanes all point to global memory becomes a
    /// global access.
    fn locate(
        &mut self,
        warp: &Warp,
        access: &Access,
        mask: u32,
    ) -> Result<MemSpace, Box<PendingFault>> {
        self.addresses_of(warp, access);
        if access.constant
            && let Some(lane) =
                lanes(mask).find(|&l| space_of(self.addresses[l]) != SpaceKind::Const)
        {
            let at = self.addresses[lane];
            return self.outside(warp, lane, at, access.size.into(), SpaceKind::Const, LOAD);
        }
        Ok(self.narrowed(access.mem_space, mask))
    }

    /// Computes the addresses of an access into `self.addresses`.
    #[inline]
    pub(super) fn addresses_of(&mut self, warp: &Warp, access: &Access) {
        self.address(warp, access.base, access.offset);
        if access.mem_space == MemSpace::Frame {
            self.addresses = [warp.local_base.wrapping_add(access.offset); 32];
        }
        if access.constant {
            // Constant memory is a window; a 32-bit address (`mov.u32 %r, c`) is its offset.
            for address in &mut self.addresses {
                if *address < CONST_END - CONST_BASE {
                    *address += CONST_BASE;
                }
            }
        }
    }

    pub(super) fn narrowed(&self, mem_space: MemSpace, mask: u32) -> MemSpace {
        let global = |l: usize| {
            self.addresses[l].wrapping_sub(SHARED_WINDOW)
                >= PARAM_WINDOW + (1 << 32) - SHARED_WINDOW
        };
        match mem_space {
            MemSpace::Generic if lanes(mask).all(global) => MemSpace::Global,
            mem_space => mem_space,
        }
    }

    fn check_alignment(
        &self,
        warp: &Warp,
        access: &Access,
        mem_space: MemSpace,
        mask: u32,
        kind: Kind,
    ) -> Result<u32, Box<PendingFault>> {
        let total = u32::from(access.size) * access.parts.len() as u32;
        // ptxas splits an access at a known offset if it is only aligned to its elements, so the
        // elements' alignment is sufficient there.
        let known = matches!(mem_space, MemSpace::KernelParam | MemSpace::Frame);
        let unit = if known { u32::from(access.size) } else { total };
        let low = u64::from(unit.next_power_of_two()) - 1;
        let any = lanes(mask).fold(0, |any, l| any | self.addresses[l]);
        if any & low == 0 {
            return Ok(total);
        }
        let lane = lanes(mask).find(|&l| self.addresses[l] & low != 0).unwrap_or(0);
        let (space, address) = self.space(warp, mem_space, self.addresses[lane]);
        self.misaligned(warp, lane, address, unit, space, kind)
    }

    /// State space of an address, and the address in that space.
    pub(super) fn space(&self, _: &Warp, mem_space: MemSpace, address: u64) -> (SpaceKind, u64) {
        space_at(mem_space, address)
    }

    fn load_global(&mut self, warp: &Warp, access: &Access, total: u32, mask: u32) -> Executed {
        let map = self.launch.config.memory;
        self.check_heap(total, mask, LOAD)?;
        let total = u64::from(total);
        let first = mask.trailing_zeros() as usize;
        let mut found = map.find(self.addresses[first], total, self.hint);
        let size = u64::from(access.size);
        let mut index = usize::MAX;
        let (mut base, mut block) = (0, None);
        for lane in lanes(mask) {
            let address = self.addresses[lane];
            let mut offset = address.wrapping_sub(base);
            let inside = block.is_some_and(|b: &Block| b.contains(offset, total));
            if !inside {
                if lane != first {
                    found = map.find(address, total, index);
                }
                match &found {
                    Ok((i, at)) => {
                        (index, offset) = (*i, *at);
                        base = map.base(index);
                        block = Some(&**map.block(index));
                    }
                    Err(_) if self.may_pass(address, total) => {
                        for k in 0..access.parts.len() {
                            let at = address + k as u64 * size;
                            let of = (access.size, total as u32);
                            self.parts[k][lane] =
                                self.load_one(warp, lane, MemSpace::Global, at, of.0, of.1)?;
                        }
                        (index, block) = (usize::MAX, None);
                        continue;
                    }
                    Err(error) => {
                        return self.outside_global(lane, address, total as u32, LOAD, error);
                    }
                }
            }
            let Some(block) = block else { continue };
            for k in 0..access.parts.len() {
                let at = offset + k as u64 * size;
                self.parts[k][lane] = block.load(at, access.size).unwrap_or(0);
            }
        }
        self.hint = index;
        Ok(())
    }

    fn store_global(
        &mut self,
        warp: &mut Warp,
        access: &Access,
        total: u32,
        mask: u32,
    ) -> Executed {
        let map = self.launch.config.memory;
        self.check_heap(total, mask, STORE)?;
        let size = u64::from(access.size);
        let mut index = self.hint;
        for lane in lanes(mask) {
            let address = self.addresses[lane];
            if (CONST_BASE..CONST_END).contains(&address) {
                return self.read_only(lane, SpaceKind::Const, address);
            }
            let (i, offset) = match map.find_writable(address, u64::from(total), index) {
                Ok(found) => found,
                Err(_) if self.may_pass(address, total.into()) => {
                    for k in 0..access.parts.len() {
                        let at = address + k as u64 * size;
                        let value = self.parts[k][lane];
                        let of = (access.size, total);
                        self.store_one(warp, lane, MemSpace::Global, at, of, value)?;
                    }
                    continue;
                }
                Err(error) => return self.outside_global(lane, address, total, STORE, &error),
            };
            index = i;
            let block = map.block(index);
            for k in 0..access.parts.len() {
                let at = offset + k as u64 * size;
                // The bounds of the whole access were checked.
                let _ = block.store(at, access.size, self.parts[k][lane]);
            }
        }
        self.hint = index;
        Ok(())
    }
}
