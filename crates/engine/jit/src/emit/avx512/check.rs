//! Bounds and alignment checks of each lane's address.

#![allow(clippy::needless_range_loop, reason = "a part indexes several arrays at once")]

use super::memory::{ACTIVE, MemAccess, PARTS, limit, low_word, site, spread_of};
use super::{Avx512Emitter, SCRATCH, SCRATCH_MASK};
use crate::emit::affine::{Addend, Affine};
use crate::emit::asm::Label;
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Operand, V};
use crate::machine::Site;
use crate::region::Space;
use iced_x86::{Code as C, IcedError, Instruction as I, Register as R};
use std::mem::offset_of;

impl Avx512Emitter<'_> {
    /// Checks that the upper halves of 64-bit addresses are zero, for accesses to shared and local
    /// memory.
    pub(super) fn shorten(&mut self, mem: &mut MemAccess, bases: Vec<Reg>) {
        let upper = self.wide_number(0xffff_ffff_0000_0000);
        let offset = self.wide_number(mem.access.offset);
        let sums = [mem.scratch, SCRATCH];
        for part in 0..2 {
            for half in 0..2 {
                let sum = sums[half];
                self.three(
                    C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64,
                    sum.z(),
                    mem.bases[2 * part + half],
                    offset,
                );
                let k = mem.masks[half].k();
                self.three(C::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64, k, sum, upper);
                self.asm.put(I::with2(C::EVEX_Vpmovqd_ymmm256_k1z_zmm, sum.y(), sum.z()));
            }
            let [low, high] = mem.masks.map(Reg::k);
            self.asm.put(I::with3(C::VEX_Kunpckbw_kr_kr_kr, low, high, low));
            let active = if part == 0 { R::EBP } else { R::EAX };
            self.asm.put(I::with2(C::VEX_Kmovw_r32_kr, R::R12D, low));
            self.asm.put(I::with1(C::Not_rm32, R::R12D));
            if part == 1 {
                self.asm.put(I::with2(C::Mov_r32_rm32, R::EAX, ACTIVE));
                self.asm.put(I::with2(C::Shr_rm32_imm8, R::EAX, 16));
            }
            self.asm.put(I::with2(C::Test_rm16_r16, R::R12W, low_word(active)));
            self.asm.jump(C::Jne_rel32_64, mem.out);
            let to = bases[part];
            let insert = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
            self.asm.put(I::with4(insert, to.z(), sums[0].z(), sums[1].y(), 1_u32));
        }
        // From here on the bases have 32 bits and include the offset.
        mem.bases = bases;
        mem.access.offset = 0;
    }

    /// Computes the offsets of all lanes. Exits if the offset of an active lane is out of bounds or
    /// misaligned.
    pub(super) fn checks(&mut self, mem: &MemAccess) {
        if mem.wide {
            let limit = spread_of(site(mem, offset_of!(Site, limit)));
            return self.wide_checks(mem, Operand::Memory(limit), mem.out);
        }
        let low = mem.total - 1;
        let offset = mem.access.offset;
        let small = !mem.stores && mem.total < 4 && mem.access.space == Space::Shared;
        let bytes = if small { 4 } else { mem.total };
        for part in 0..PARTS[0] {
            let (base, to) = (mem.bases[part], mem.offsets[part]);
            if offset == 0 {
                self.two(V::Move, to, base);
            } else {
                let offset = self.number(offset as u32);
                self.three(C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, to.z(), base, offset);
            }
            let limit = spread_of(limit(mem, bytes));
            let compare = C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8;
            let k = if part == 0 { SCRATCH_MASK } else { mem.masks[0].k() };
            if low == 0 {
                self.asm.put(I::with4(compare, k, to.z(), limit, 1_u32));
            } else {
                let low = self.number(low as u32);
                self.three(C::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32, k, to, low);
                self.asm.put_masked(k, I::with4(compare, k, to.z(), limit, 1_u32));
            }
        }
        let low = mem.masks[0].k();
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, low, SCRATCH_MASK));
        self.all_active(low, mem.out);
    }

    /// Computes 64-bit offsets of all lanes. Jumps to `not` if the offset of an active lane is not
    /// below the limit, or misaligned.
    pub(super) fn wide_checks(&mut self, mem: &MemAccess, limit: Operand, not: Label) {
        let low = mem.total - 1;
        let offset = mem.access.offset;
        for part in 0..PARTS[1] {
            let (base, to) = (mem.bases[part], mem.offsets[part]);
            let k = if part % 2 == 0 { SCRATCH_MASK } else { mem.masks[part / 2].k() };
            let mut tested = base;
            if low != 0 && !offset.is_multiple_of(mem.total) {
                let offset = self.wide_number(offset);
                self.three(C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64, SCRATCH.z(), base, offset);
                tested = SCRATCH;
            }
            let add = spread_of(site(mem, offset_of!(Site, add)));
            if low != 0 {
                let low = self.wide_number(low);
                self.three(C::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64, k, tested, low);
            }
            // The offsets may be computed in the registers of the addresses.
            let sum = C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
            self.asm.put(I::with3(sum, to.z(), base.z(), add));
            let compare = below(C::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8, k, to, limit);
            if low == 0 {
                self.asm.put(compare);
            } else {
                self.asm.put_masked(k, compare);
            }
            if part % 2 == 1 {
                self.asm.put(I::with3(C::VEX_Kunpckbw_kr_kr_kr, k, k, SCRATCH_MASK));
            }
        }
        let [low, high] = mem.masks.map(Reg::k);
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, high, low));
        self.all_active(low, not);
    }

    /// Computes the index of each lane plus the uniform value, possibly in the registers for
    /// offsets. Jumps to `not` if the index of an active lane is not below the limit. The first
    /// mask register becomes the active mask.
    pub(super) fn index_checks(
        &mut self,
        mem: &MemAccess,
        (value, mut indices): (Affine, [Reg; 2]),
        limit: Operand,
        not: Label,
    ) -> [Reg; 2] {
        if value.addend != Addend::NONE {
            for (index, &sum) in indices.iter_mut().zip(&mem.offsets) {
                self.sum_of_index(value, sum, (*index).into());
                *index = sum;
            }
        }
        let [low, high] = mem.masks.map(Reg::k);
        for (k, index) in [low, high].into_iter().zip(indices) {
            self.asm.put(below(C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8, k, index, limit));
        }
        self.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, high, low));
        self.all_active(low, not);
        self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, low, ACTIVE));
        indices
    }

    /// Jumps to `not` if an active lane is not in a mask.
    fn all_active(&mut self, mask: R, not: Label) {
        self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::EAX, mask));
        self.asm.put(I::with1(C::Not_rm32, R::EAX));
        self.asm.jump_if(I::with2(C::Test_rm32_r32, R::EAX, ACTIVE), C::Jne_rel32_64, not);
    }
}

/// Emits the comparison of lanes with an exclusive limit.
fn below(code: C, k: R, reg: Reg, limit: Operand) -> Result<I, IcedError> {
    match limit {
        Operand::Register(limit) => I::with4(code, k, reg.z(), limit.z(), 1_u32),
        Operand::Memory(limit) => I::with4(code, k, reg.z(), limit, 1_u32),
    }
}
