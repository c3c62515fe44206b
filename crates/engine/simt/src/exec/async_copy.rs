//! cp.async.

use super::context::Context;
use super::memory::{LOAD, STORE};
use super::outcome::{Executed, fault_at};
use super::warp::{Warp, lanes};
use crate::code::{AsyncCopy, Located};
use crate::fault::FaultKind;
use texunit_forms::Count;

impl Context<'_> {
    /// The addresses of all lanes.
    pub(super) fn place_of(&mut self, warp: &Warp, at: &Located) -> [u64; 32] {
        self.address(warp, at.base, at.offset);
        self.addresses
    }

    /// A copy that is made at once: no program that waits for it can tell.
    pub(super) fn async_copy(&mut self, warp: &mut Warp, op: &AsyncCopy, mask: u32) -> Executed {
        let size = u32::from(op.size);
        let mut counts = [u64::from(size); 32];
        if !op.bytes.is_none() {
            warp.read(&self.launch.constants, op.bytes, &mut counts);
        }
        let ignored = warp.p(op.ignore);
        let (from, to) = (self.place_of(warp, &op.from), self.place_of(warp, &op.to));
        for lane in lanes(mask) {
            for (place, address, kind) in
                [(op.from.place, from[lane], LOAD), (op.to.place, to[lane], STORE)]
            {
                if address % u64::from(size) != 0 {
                    let (space, at) = self.space(warp, place, address);
                    return self.misaligned(warp, lane, at, size, space, kind);
                }
            }
            let count = if ignored >> lane & 1 != 0 { 0 } else { counts[lane] };
            if count > u64::from(size) {
                let what = format!(
                    "cp.async of {} cannot read {}",
                    Count(size, "byte"),
                    Count(count, "byte")
                );
                return fault_at(lane, FaultKind::BadOperand(what));
            }
            let mut bytes = [0; 16];
            for (i, byte) in bytes.iter_mut().enumerate().take(count as usize) {
                let at = from[lane].wrapping_add(i as u64);
                *byte = self.load_one(warp, lane, op.from.place, at, 1, size)? as u8;
            }
            for (i, word) in bytes.chunks(4).enumerate().take(size as usize / 4) {
                let value = word.iter().rev().fold(0, |v, &b| v << 8 | u64::from(b));
                let at = to[lane].wrapping_add(4 * i as u64);
                self.store_one(warp, lane, op.to.place, at, (4, size), value)?;
            }
        }
        Ok(())
    }
}
