//! The usual global access: up to 16 bytes a lane that lie in one block for all lanes. The block is
//! found once; what is not of this kind, or is to fault, is left to the general way.

use super::context::Context;
use super::quick::each;
use super::warp::{Warp, lanes};
use crate::alu::L64;
use crate::code::{Access, Constants, Slot};
use texunit_memory::{Block, CONST_BASE, CONST_END, SHARED_WINDOW};

/// Lowest and highest address of the lanes, and all their bits together.
#[inline(always)]
fn extent(addresses: &L64) -> (u64, u64, u64) {
    let (mut low, mut high, mut any) = (u64::MAX, 0, 0);
    for &address in addresses {
        low = low.min(address);
        high = high.max(address);
        any |= address;
    }
    (low, high, any)
}

/// The elements of up to 8 bytes as one number, the first lowest.
fn pack(
    warp: &Warp,
    constants: &Constants,
    (parts, size): (&[Slot], u8),
    packed: &mut L64,
) -> Option<()> {
    let bits = 8 * u32::from(size);
    let keep = crate::lower::mask_of(bits);
    if let [slot] = parts
        && slot.is_wide()
    {
        *packed = *warp.w(constants, *slot);
        return Some(());
    }
    let n = |slot: Slot| (!slot.is_wide() && !slot.is_predicate()).then(|| warp.n(constants, slot));
    match *parts {
        [a] => {
            let a = n(a)?;
            crate::simd::dispatch(
                #[inline(always)]
                || each::one(packed, a, u64::from),
            );
        }
        [a, b] => {
            let (a, b) = (n(a)?, n(b)?);
            crate::simd::dispatch(
                #[inline(always)]
                || each::two(packed, a, b, |a, b| u64::from(a) & keep | u64::from(b) << bits),
            );
        }
        _ => {
            packed.fill(0);
            for (k, &part) in parts.iter().enumerate() {
                let shift = bits * k as u32;
                for (to, &v) in packed.iter_mut().zip(n(part)?) {
                    *to |= (u64::from(v) & keep) << shift;
                }
            }
        }
    }
    Some(())
}

impl<'a> Context<'a> {
    /// The block that all lanes access. Then `self.addresses` has the offsets in it.
    fn block(
        &mut self,
        warp: &Warp,
        access: &Access,
        mask: u32,
        stores: bool,
    ) -> Option<&'a Block> {
        let launch = self.launch;
        let config = launch.config;
        if config.heap.is_some() {
            return None;
        }
        let total = u64::from(access.size) * access.parts.len() as u64;
        let bases = warp.w(&launch.constants, access.base);
        let (addresses, offset) = (&mut self.addresses, access.offset);
        let (low, high, any) = crate::simd::dispatch(
            #[inline(always)]
            || {
                each::one(addresses, bases, |base| base.wrapping_add(offset));
                if mask != u32::MAX {
                    // The others may be anything.
                    let first = addresses[mask.trailing_zeros() as usize & 31];
                    each::merge(addresses, &[first; 32], !mask);
                }
                extent(addresses)
            },
        );
        let (block, at) = self.block_of((low, high, any), total, stores)?;
        let base = low.wrapping_sub(at);
        for address in &mut self.addresses {
            *address = address.wrapping_sub(base);
        }
        Some(block)
    }

    /// The block that all accesses of `total` bytes from the lowest to the highest address lie in, and where
    /// the lowest is. `any` has all their bits. Stores need one that can be written.
    pub(super) fn block_of(
        &mut self,
        (low, high, any): (u64, u64, u64),
        total: u64,
        stores: bool,
    ) -> Option<(&'a Block, u64)> {
        let constant = (CONST_BASE..CONST_END).contains(&low);
        if any & (total - 1) != 0 || high >= SHARED_WINDOW || constant {
            return None;
        }
        let memory = self.launch.config.memory;
        let len = high - low + total;
        let found = match stores {
            true => memory.find_writable(low, len, self.hint),
            false => memory.find(low, len, self.hint),
        };
        let (index, at) = found.ok()?;
        self.hint = index;
        Some((memory.block(index), at))
    }

    /// Stores, if the access is of the usual kind; else nothing has happened.
    pub(super) fn store_stream(&mut self, warp: &Warp, access: &Access, mask: u32) -> bool {
        if access.row && mask == u32::MAX && self.store_row(warp, access).is_some() {
            return true;
        }
        if !access.is_usual() {
            return false;
        }
        let Some(block) = self.block(warp, access, mask, true) else { return false };
        let constants = &self.launch.constants;
        let per_number = usize::from(8 / access.size);
        let mut packed = [[0; 32]; 2];
        for (packed, parts) in packed.iter_mut().zip(access.parts.chunks(per_number)) {
            if pack(warp, constants, (parts, access.size), packed).is_none() {
                return false;
            }
        }
        let total = access.size * access.parts.len() as u8;
        // The block has room for all lanes.
        for lane in lanes(mask) {
            let at = self.addresses[lane];
            let _ = block.store(at, total.min(8), packed[0][lane]);
            if total == 16 {
                let _ = block.store_u64(at + 8, packed[1][lane]);
            }
        }
        true
    }

    /// Loads, if the access is of the usual kind; else nothing has happened.
    pub(super) fn load_stream(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        if access.row && mask == u32::MAX && self.load_row(warp, access).is_some() {
            return true;
        }
        if !access.is_usual() {
            return false;
        }
        let Some(block) = self.block(warp, access, mask, false) else { return false };
        let total = access.size * access.parts.len() as u8;
        let mut packed = [[0; 32]; 2];
        for lane in lanes(mask) {
            let at = self.addresses[lane];
            packed[0][lane] = block.load(at, total.min(8)).unwrap_or(0);
            if total == 16 {
                packed[1][lane] = block.load_u64(at + 8).unwrap_or(0);
            }
        }
        let bits = 8 * u32::from(access.size);
        let per_number = usize::from(8 / access.size);
        for (k, &d) in access.parts.iter().enumerate() {
            let low = bits * (k % per_number) as u32;
            let mut values = [0; 32];
            for (to, &v) in values.iter_mut().zip(&packed[k / per_number]) {
                let high = v >> low << (64 - bits);
                let signed = (high as i64 >> (64 - bits)) as u64;
                *to = if access.signed { signed } else { high >> (64 - bits) };
            }
            warp.put(d, &values, access.mask, mask);
        }
        true
    }
}
