//! `shfl`, as a permutation of two registers.

use super::{Avx512Emitter, SCRATCH_MASK};
use crate::emit::asm::at;
use crate::emit::register_cache::{Key, Kind, Reg};
use crate::emit::shuffle::{Pattern, packed, pattern};
use crate::emit::vector::V;
use crate::ir::{Shuffle, Step};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx512Emitter<'_> {
    /// Emits `shfl`. Reading an inactive lane gives 0.
    pub(super) fn shuffle_lanes(&mut self, step: &Step, op: &Shuffle) -> Option<()> {
        self.members(step, op.members)?;
        let mut from = [Reg(0); 2];
        for (part, value) in from.iter_mut().enumerate() {
            let a = self.low_of(op.a, part as u8)?;
            *value = self.temporary();
            self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, SCRATCH_MASK, R::EBX));
            let lanes = self.lanes_from(SCRATCH_MASK, 16 * part as u8);
            let code = C::EVEX_Vmovdqa32_zmm_k1z_zmmm512;
            self.asm.put_zeroing(lanes, I::with2(code, value.zmm(), a.zmm()));
        }
        // A source may also be a destination, so that both lane groups are computed before any is
        // written.
        let (values, inside) = match pattern(op) {
            Some(pattern) => self.known_lanes(&pattern),
            None => self.computed_lanes(op)?,
        };
        for value in values {
            self.three(C::EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32, value, from[0], from[1]);
        }
        from.into_iter().for_each(|reg| self.cache.release(reg));
        let guard = self.guard(step.guard);
        if let Some(to) = op.to {
            for (part, value) in (0..).zip(values) {
                self.write(Key::B32(to, part), value, Kind::BITS, step.guard);
            }
        }
        if let Some(to) = op.valid {
            self.put_predicate(to, inside, guard);
        }
        Some(())
    }

    /// The source lanes, and the mask of lanes whose source is in range, for constant operands.
    fn known_lanes(&mut self, pattern: &Pattern) -> ([Reg; 2], Reg) {
        let mask = (0..32).fold(0_u32, |mask, i| mask | u32::from(!pattern[i].1) << i);
        let lanes = pattern.map(|of| of.0);
        let values = [&lanes[..16], &lanes[16..]].map(|half| {
            let numbers = at(R::R9, self.pooled(&packed(half)));
            self.unary(V::Load, numbers)
        });
        let inside = self.temporary_mask();
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, mask));
        self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, inside.k(), R::EAX));
        (values, inside)
    }

    /// The source lanes, and the mask of lanes whose source is in range, for operands in registers.
    fn computed_lanes(&mut self, op: &Shuffle) -> Option<([Reg; 2], Reg)> {
        let inside = self.temporary_mask();
        let k = inside.k();
        let high = self.source_lanes(op, 1)?;
        self.asm.put(I::with2(C::VEX_Kmovd_kr_km32, k, SCRATCH_MASK));
        let low = self.source_lanes(op, 0)?;
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, k, k, SCRATCH_MASK));
        self.asm.put(I::with2(C::VEX_Knotd_kr_kr, k, k));
        Some(([low, high], inside))
    }
}
