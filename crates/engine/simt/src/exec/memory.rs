//! The general path of loads and stores: determines state space and allocation lane by lane, and
//! raises faults. Most accesses take the fast path ([`super::access`]) instead.

mod lane;

use super::context::Context;
use super::outcome::{Executed, PendingFault};
use super::warp::{Warp, lanes};
use crate::code::{Access, MemSpace};
use lane::load_bytes;
use texunit_memory::{
    CONST_BASE, CONST_END, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind, space_of,
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
                // The whole access to global memory has been traced above.
                let trace = self.wait_trace.take_if(|_| mem_space == MemSpace::Global);
                let loaded = self.load_lanes(warp, access, (mem_space, total), mask);
                self.wait_trace = self.wait_trace.take().or(trace);
                loaded?;
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
        if mem_space == MemSpace::Global {
            self.check_heap(total, mask, STORE)?;
        }
        for lane in lanes(mask) {
            if mem_space == MemSpace::Global {
                self.check_global(lane, total, STORE)?;
            }
            let address = self.addresses[lane];
            for k in 0..access.parts.len() {
                let at = address.wrapping_add(k as u64 * u64::from(access.size));
                let value = self.parts[k][lane];
                self.store_one(warp, lane, mem_space, at, (access.size, total), value)?;
            }
        }
        Ok(())
    }

    /// Loads the elements of the lanes into `self.parts`.
    fn load_lanes(
        &mut self,
        warp: &Warp,
        access: &Access,
        (mem_space, total): (MemSpace, u32),
        mask: u32,
    ) -> Executed {
        if mem_space == MemSpace::Global {
            self.check_heap(total, mask, LOAD)?;
        }
        for lane in lanes(mask) {
            if mem_space == MemSpace::Global {
                self.check_global(lane, total, LOAD)?;
            }
            let address = self.addresses[lane];
            for k in 0..access.parts.len() {
                let at = address.wrapping_add(k as u64 * u64::from(access.size));
                self.parts[k][lane] =
                    self.load_one(warp, lane, mem_space, at, access.size, total)?;
            }
        }
        Ok(())
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

    /// Checks that the elements of a lane's access to global memory are in one allocation.
    fn check_global(&self, lane: usize, total: u32, kind: Kind) -> Executed {
        let (address, len) = (self.addresses[lane], u64::from(total));
        let is_constant = (CONST_BASE..CONST_END).contains(&address);
        let map = self.launch.config.memory;
        let found = match kind.name == STORE.name {
            // Each element is refused.
            true if is_constant => return Ok(()),
            true => map.find_writable(address, len, self.hint),
            false => map.find(address, len, self.hint),
        };
        match found {
            Err(error) if !self.may_pass(address, len) => {
                self.outside_global(lane, address, total, kind, &error)
            }
            _ => Ok(()),
        }
    }
}
