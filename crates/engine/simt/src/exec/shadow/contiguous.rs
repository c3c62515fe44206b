//! The fast path of shadow operations for lanes with nearby addresses.

use crate::code::Access;
use crate::exec::context::Context;
use crate::exec::memory::space_at;
use crate::exec::warp::{Warp, lanes};
use texunit_alu::L64;
use texunit_memory::SpaceKind;

/// Maximum distance in bytes between the lanes' addresses.
const SPAN: usize = 1024;

fn is_zero(states: &[u8]) -> bool {
    states.iter().fold(0, |all, state| all | state) == 0
}

impl Context<'_> {
    /// Reads the shadows of all lanes of an access at once into `out`, if they are near each other
    /// in shared memory or in one allocation. Returns the position of each lane's shadow in `out`,
    /// and the total number of bytes.
    fn near_shadows(
        &mut self,
        access: &Access,
        mask: u32,
        out: &mut [u8; SPAN],
    ) -> Option<([usize; 32], usize)> {
        let addresses = &self.addresses;
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let (mut low, mut high) = (first, first);
        for (lane, &at) in addresses.iter().enumerate() {
            let at = if mask >> lane & 1 == 1 { at } else { first };
            (low, high) = (low.min(at), high.max(at));
        }
        let places = addresses.map(|at| at.wrapping_sub(low) as usize);
        let bytes = u64::from(access.size) * access.parts.len() as u64;
        let span = (high - low).checked_add(bytes).filter(|&span| span <= SPAN as u64)?;
        // Any address between two addresses of a state space is in that space, too.
        let (kind, low) = space_at(access.mem_space, low);
        if space_at(access.mem_space, high).0 != kind {
            return None;
        }
        let shadows = self.shadows.as_mut()?;
        let (block, offset) = match kind {
            SpaceKind::Shared => (shadows.shared(), low),
            SpaceKind::Global => {
                let (index, offset) = shadows.of.map.find(low, span, shadows.hint).ok()?;
                shadows.hint = index;
                (&**shadows.of.map.block(index), offset)
            }
            _ => return None,
        };
        block.read(offset, &mut out[..span as usize]).ok()?;
        Some((places, span as usize))
    }

    /// Loads the shadows of lanes with nearby addresses; returns false if they are not nearby.
    pub(super) fn load_near(&mut self, warp: &mut Warp, access: &Access, mask: u32) -> bool {
        let mut bytes = [0; SPAN];
        let Some((places, span)) = self.near_shadows(access, mask, &mut bytes) else {
            return false;
        };
        let is_defined = is_zero(&bytes[..span]);
        let size = usize::from(access.size);
        let above = if access.signed { 64 - 8 * size as u32 } else { 0 };
        for (i, &d) in access.parts.iter().enumerate().filter(|(_, d)| !d.is_none()) {
            let mut bits: L64 = [0; 32];
            for lane in lanes(if is_defined { 0 } else { mask }) {
                let at = places[lane] + i * size;
                let mut number = [0; 8];
                number[..size].copy_from_slice(&bytes[at..at + size]);
                bits[lane] = ((u64::from_le_bytes(number) << above) as i64 >> above) as u64;
            }
            warp.put(d, &bits, access.mask, mask);
        }
        true
    }

    /// Whether a store writes only initialised values to memory that is initialised already.
    pub(super) fn leaves_defined(&mut self, warp: &Warp, access: &Access, mask: u32) -> bool {
        let mut bits: L64 = [0; 32];
        for &part in &access.parts {
            warp.read(&self.launch.constants, part, &mut bits);
            if lanes(mask).any(|lane| bits[lane] != 0) {
                return false;
            }
        }
        let mut bytes = [0; SPAN];
        let near = self.near_shadows(access, mask, &mut bytes);
        near.is_some_and(|(_, span)| is_zero(&bytes[..span]))
    }
}
