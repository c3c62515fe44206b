//! Destinations of steps: results are written in the lanes whose guard is true.

use super::predicate::Mask;
use super::{Avx2Emitter, Vector};
use crate::emit::register_cache::{Key, Kind, Nans, Reg};
use iced_x86::{Code as C, Instruction as I};

impl Avx2Emitter<'_> {
    /// Writes a part of a 32-bit register; the value is a temporary.
    pub(super) fn write_narrow(
        &mut self,
        to: u32,
        part: u8,
        value: Reg,
        kind: Kind,
        guard: Option<Mask>,
    ) {
        let key = Key::B32(to, part);
        let Some(guard) = guard else { return self.define(key, value, kind) };
        let old = self.hold(key);
        let before = self.cache.kind(old);
        let joined = before.or(kind).unwrap_or_else(|| {
            // The old value's NaNs are bits, so that the new value's NaNs must be canonical too.
            self.canonical(old);
            if kind.nans == Nans::Any {
                self.fix_nans(value);
            }
            before.bits_or(kind)
        });
        self.merge(old, value, guard);
        let held = self.cache.of(old);
        (held.dirty, held.kind) = (true, joined);
        self.cache.release(value);
    }

    /// Writes a part of a 64-bit register; the value is a temporary.
    pub(super) fn write_wide(&mut self, to: u32, part: u8, value: Reg, guard: Option<Mask>) {
        let key = Key::B64(to, part);
        let Some(guard) = guard else { return self.define(key, value, Kind::BITS) };
        let old = self.hold(key);
        let wide = self.half_of_mask(guard, part % 2);
        self.merge(old, value, wide);
        self.cache.of(old).dirty = true;
        self.cache.release(value);
        self.cache.release(wide.reg);
    }

    /// Merges a value into `old` in the lanes of a mask.
    fn merge(&mut self, old: Reg, value: Reg, mask: Mask) {
        let (first, second) = if mask.not { (value, old) } else { (old, value) };
        self.blend(old, first, second, mask.reg);
    }

    /// The mask of half a part, for 64-bit lanes, in a temporary.
    pub(super) fn half_of_mask(&mut self, mask: Mask, half: u8) -> Mask {
        let reg = self.temporary();
        self.spread(reg, mask.reg, half);
        Mask { reg, not: mask.not }
    }

    /// Widens half of a mask of 32-bit lanes to 64-bit lanes.
    pub(super) fn spread(&mut self, to: Reg, from: Reg, half: u8) {
        let mut low = from.xmm();
        if half == 1 {
            let code = C::VEX_Vextracti128_xmmm128_ymm_imm8;
            self.asm.put(I::with3(code, to.xmm(), from.ymm(), 1_u32));
            low = to.xmm();
        }
        self.asm.put(I::with2(C::VEX_Vpmovsxdq_ymm_xmmm128, to.ymm(), low));
    }
}
