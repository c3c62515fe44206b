//! Loads and stores, lane by lane: where an address points, and whether the access may be made. Most accesses are those
//! of [`super::access`]; this is the way of the others, and of all faults.

use super::context::{Context, Done, Trouble};
use super::warp::{Warp, lanes};
use crate::code::{Access, Place};
use texunit_memory::{
    Block, CONST_BASE, CONST_END, LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind, space_of,
};

/// An access as faults tell of it.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
}

pub(super) const LOAD: Kind = Kind { name: "load" };
pub(super) const STORE: Kind = Kind { name: "store" };
pub(super) const ATOMIC: Kind = Kind { name: "atomic" };

fn load_bytes(bytes: &[u8], offset: u64, size: u8) -> Option<u64> {
    let start = usize::try_from(offset).ok()?;
    let mut value = [0; 8];
    let size = usize::from(size);
    value[..size].copy_from_slice(bytes.get(start..start.checked_add(size)?)?);
    Some(u64::from_le_bytes(value))
}

fn store_bytes(bytes: &mut [u8], offset: u64, size: u8, value: u64) -> Option<()> {
    let start = usize::try_from(offset).ok()?;
    let size = usize::from(size);
    let target = bytes.get_mut(start..start.checked_add(size)?)?;
    target.copy_from_slice(&value.to_le_bytes()[..size]);
    Some(())
}

/// A number of a lane's local memory, at an aligned address.
pub(super) fn load_local(warp: &Warp, lane: usize, address: u64, size: u8) -> Option<u64> {
    let word = |i: usize| warp.local.get(i).map(|row| u64::from(row[lane]));
    let at = usize::try_from(address / 4).ok()?;
    let shift = (address % 4) * 8;
    match size {
        8 => Some(word(at)? | word(at + 1)? << 32),
        size => Some(word(at)? >> shift & crate::lower::mask_of(u32::from(size) * 8)),
    }
}

pub(super) fn store_local(
    warp: &mut Warp,
    lane: usize,
    address: u64,
    size: u8,
    value: u64,
) -> Option<()> {
    let at = usize::try_from(address / 4).ok()?;
    let shift = (address % 4) * 8;
    if size == 8 {
        warp.local.get(at + 1)?;
        warp.local[at][lane] = value as u32;
        warp.local[at + 1][lane] = (value >> 32) as u32;
    } else {
        let keep = crate::lower::mask_of(u32::from(size) * 8) as u32;
        let row = warp.local.get_mut(at)?;
        row[lane] = (row[lane] & !(keep << shift)) | ((value as u32 & keep) << shift);
    }
    Some(())
}

impl Context<'_> {
    pub(super) fn load(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> Done {
        if self.load_stream(warp, access, mask) {
            return Ok(());
        }
        let place = self.locate(warp, access, mask)?;
        let total = self.check_alignment(warp, access, place, mask, LOAD)?;
        match place {
            Place::Global => self.load_global(warp, access, total, mask)?,
            Place::KernelParam => {
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
                            self.load_one(warp, lane, place, at, access.size, total)?;
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

    pub(super) fn store(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> Done {
        if self.store_stream(warp, access, mask) {
            return Ok(());
        }
        let place = self.locate(warp, access, mask)?;
        let total = self.check_alignment(warp, access, place, mask, STORE)?;
        for (part, &source) in self.parts.iter_mut().zip(&access.parts) {
            warp.read(&self.launch.constants, source, part);
        }
        match place {
            Place::Global => self.store_global(warp, access, total, mask),
            _ => {
                for lane in lanes(mask) {
                    let address = self.addresses[lane];
                    for k in 0..access.parts.len() {
                        let at = address.wrapping_add(k as u64 * u64::from(access.size));
                        let value = self.parts[k][lane];
                        self.store_one(warp, lane, place, at, (access.size, total), value)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// Computes the addresses and narrows the place down: a generic access whose lanes all point
    /// to global memory is a global one.
    fn locate(&mut self, warp: &Warp, access: &Access, mask: u32) -> Result<Place, Box<Trouble>> {
        self.addresses_of(warp, access);
        if access.constant
            && let Some(lane) =
                lanes(mask).find(|&l| space_of(self.addresses[l]) != SpaceKind::Const)
        {
            let at = self.addresses[lane];
            return self.outside(warp, lane, at, access.size.into(), SpaceKind::Const, LOAD);
        }
        Ok(self.narrowed(access.place, mask))
    }

    /// Addresses of an access, into `self.addresses`.
    #[inline]
    pub(super) fn addresses_of(&mut self, warp: &Warp, access: &Access) {
        self.address(warp, access.base, access.offset);
        if access.place == Place::Frame {
            self.addresses = [warp.local_base.wrapping_add(access.offset); 32];
        }
        if access.constant {
            // Constant memory is a window: an address of 32 bits (`mov.u32 %r, c`) is its offset.
            for address in &mut self.addresses {
                if *address < CONST_END - CONST_BASE {
                    *address += CONST_BASE;
                }
            }
        }
    }

    pub(super) fn narrowed(&self, place: Place, mask: u32) -> Place {
        let global = |l: usize| {
            self.addresses[l].wrapping_sub(SHARED_WINDOW)
                >= PARAM_WINDOW + (1 << 32) - SHARED_WINDOW
        };
        match place {
            Place::Generic if lanes(mask).all(global) => Place::Global,
            place => place,
        }
    }

    fn check_alignment(
        &self,
        warp: &Warp,
        access: &Access,
        place: Place,
        mask: u32,
        kind: Kind,
    ) -> Result<u32, Box<Trouble>> {
        let total = u32::from(access.size) * access.parts.len() as u32;
        // At known offsets an assembler splits vectors that are aligned as their elements only.
        let known = matches!(place, Place::KernelParam | Place::Frame);
        let unit = if known { u32::from(access.size) } else { total };
        let low = u64::from(unit.next_power_of_two()) - 1;
        let any = lanes(mask).fold(0, |any, l| any | self.addresses[l]);
        if any & low == 0 {
            return Ok(total);
        }
        let lane = lanes(mask).find(|&l| self.addresses[l] & low != 0).unwrap_or(0);
        let (space, address) = self.space(warp, place, self.addresses[lane]);
        self.misaligned(warp, lane, address, unit, space, kind)
    }

    /// Space of an address and the address in it.
    pub(super) fn space(&self, _: &Warp, place: Place, address: u64) -> (SpaceKind, u64) {
        let in_window = |window: u64| address.wrapping_sub(window);
        match place {
            Place::Shared => (SpaceKind::Shared, address),
            Place::KernelParam => (SpaceKind::Param, address),
            Place::Local | Place::Frame if space_of(address) == SpaceKind::Local => {
                (SpaceKind::Local, in_window(LOCAL_WINDOW))
            }
            Place::Local | Place::Frame => (SpaceKind::Local, address),
            Place::Global if (CONST_BASE..CONST_END).contains(&address) => {
                (SpaceKind::Const, address)
            }
            Place::Global => (SpaceKind::Global, address),
            Place::Param if address < 1 << 32 => (SpaceKind::Param, address),
            Place::Generic | Place::Param => match space_of(address) {
                SpaceKind::Shared => (SpaceKind::Shared, in_window(SHARED_WINDOW)),
                SpaceKind::Local => (SpaceKind::Local, in_window(LOCAL_WINDOW)),
                SpaceKind::Param => (SpaceKind::Param, in_window(PARAM_WINDOW)),
                space => (space, address),
            },
        }
    }

    fn load_global(&mut self, warp: &Warp, access: &Access, total: u32, mask: u32) -> Done {
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
                                self.load_one(warp, lane, Place::Global, at, of.0, of.1)?;
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

    fn store_global(&mut self, warp: &mut Warp, access: &Access, total: u32, mask: u32) -> Done {
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
                        self.store_one(warp, lane, Place::Global, at, of, value)?;
                    }
                    continue;
                }
                Err(error) => return self.outside_global(lane, address, total, STORE, &error),
            };
            index = i;
            let block = map.block(index);
            for k in 0..access.parts.len() {
                let at = offset + k as u64 * size;
                // The whole access has room.
                let _ = block.store(at, access.size, self.parts[k][lane]);
            }
        }
        self.hint = index;
        Ok(())
    }

    /// One number from anywhere. `total` is the size of the whole access, for messages.
    pub(super) fn load_one(
        &mut self,
        warp: &Warp,
        lane: usize,
        place: Place,
        address: u64,
        size: u8,
        total: u32,
    ) -> Result<u64, Box<Trouble>> {
        let (space, at) = self.space(warp, place, address);
        let value = match space {
            SpaceKind::Shared => load_bytes(&self.cta.shared, at, size)
                .or_else(|| self.update_past_shared(at, size.into(), |old| old)),
            SpaceKind::Local => match at.checked_add(size.into()) {
                Some(end) if end <= warp.local_end => load_local(warp, lane, at, size),
                _ => None,
            },
            SpaceKind::Param => load_bytes(self.launch.config.params, at, size),
            SpaceKind::Global | SpaceKind::Const => {
                self.check_heap_at(lane, address, size.into(), LOAD)?;
                let map = self.launch.config.memory;
                match map.find(address, size.into(), self.hint) {
                    Ok((index, offset)) => {
                        self.hint = index;
                        map.block(index).load(offset, size).ok()
                    }
                    Err(error) => match self.past_end(address, size.into()) {
                        Some((block, offset)) => block.load(offset, size).ok(),
                        None => return self.outside_global(lane, address, total, LOAD, &error),
                    },
                }
            }
        };
        match value {
            Some(value) => Ok(value),
            None => self.outside(warp, lane, at, total, space, LOAD),
        }
    }

    pub(super) fn store_one(
        &mut self,
        warp: &mut Warp,
        lane: usize,
        place: Place,
        address: u64,
        (size, total): (u8, u32),
        value: u64,
    ) -> Done {
        let (space, at) = self.space(warp, place, address);
        let stored = match space {
            SpaceKind::Shared => store_bytes(&mut self.cta.shared, at, size, value)
                .or_else(|| self.update_past_shared(at, size.into(), |_| value).map(|_| ())),
            SpaceKind::Local => match at.checked_add(size.into()) {
                Some(end) if end <= warp.local_end => store_local(warp, lane, at, size, value),
                _ => None,
            },
            SpaceKind::Param | SpaceKind::Const => {
                return self.read_only(lane, space, at);
            }
            SpaceKind::Global => {
                self.check_heap_at(lane, address, size.into(), STORE)?;
                let map = self.launch.config.memory;
                match map.find_writable(address, size.into(), self.hint) {
                    Ok((index, offset)) => {
                        self.hint = index;
                        map.block(index).store(offset, size, value).ok()
                    }
                    Err(error) => match self.past_end(address, size.into()) {
                        Some((block, offset)) => block.store(offset, size, value).ok(),
                        None => return self.outside_global(lane, address, total, STORE, &error),
                    },
                }
            }
        };
        match stored {
            Some(()) => Ok(()),
            None => self.outside(warp, lane, at, total, space, STORE),
        }
    }
}
