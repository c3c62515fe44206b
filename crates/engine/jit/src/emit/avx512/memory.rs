//! Loads and stores of some lanes, by mask registers.

use super::{Avx512, Avx512Emitter, CONDITION, MOVE, SCRATCH, SCRATCH_MASK};
use crate::emit::asm::{J, Label, at};
use crate::emit::backend::{MemoryPrimitives, OffsetCheck};
use crate::emit::memory::{MemAccess, Row, STORED, low_32};
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Operand, V};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// Immediates of integer comparisons: "less than" and "not equal".
const BELOW: u32 = 1;
const NOT_EQUAL: u32 = 4;

impl MemoryPrimitives for Avx512 {
    fn keep_executing(e: &mut Avx512Emitter<'_>, mem: &MemAccess) {
        e.asm.put(I::with2(C::VEX_Kmovd_kr_r32, masks(mem)[0].k(), R::EBX));
    }

    fn keep_lanes(
        e: &mut Avx512Emitter<'_>,
        mem: &MemAccess,
        (wide, part): (bool, u8),
        values: &[Reg],
    ) {
        let (lanes, code) = if wide { (8, C::EVEX_Vmovdqa64_zmm_k1z_zmmm512) } else { (16, MOVE) };
        let mask = e.lanes_from(masks(mem)[0].k(), lanes * part);
        for value in values {
            e.asm.put_zeroing(mask, I::with2(code, value.zmm(), value.zmm()));
        }
    }

    fn begin_check(_: &mut Avx512Emitter<'_>, _: &MemAccess, _: &OffsetCheck, _: Label) {}

    // The mask registers get the lanes that are valid, of all lanes or of half the warp.
    fn check_part(
        e: &mut Avx512Emitter<'_>,
        mem: &MemAccess,
        check: &OffsetCheck,
        part: u8,
        (base, offset): (Operand, Reg),
    ) {
        let (wide, low_bits) = (check.wide, check.low_bits);
        let whole = masks(mem)[usize::from(wide && part >= 2)];
        let k = if part.is_multiple_of(2) { CONDITION } else { whole };
        let (test, compare, join) = if wide {
            (
                C::EVEX_Vptestnmq_kr_k1_zmm_zmmm512b64,
                C::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
                C::VEX_Kunpckbw_kr_kr_kr,
            )
        } else {
            (
                C::EVEX_Vptestnmd_kr_k1_zmm_zmmm512b32,
                C::EVEX_Vpcmpud_kr_k1_zmm_zmmm512b32_imm8,
                C::VEX_Kunpckwd_kr_kr_kr,
            )
        };
        if low_bits != 0 {
            let low = if wide { e.wide_number(low_bits) } else { e.number(low_bits as u32) };
            let tested = match base {
                _ if !wide => offset,
                Operand::Register(base) => base,
                Operand::Memory(_) => {
                    e.two(V::Load, SCRATCH, base);
                    SCRATCH
                }
            };
            e.three(test, k, tested, low);
            e.asm.mask = Some(k.k());
        }
        let limit = MemoryOperand { is_broadcast: true, ..check.limit };
        e.three_with(compare, k, offset, limit, BELOW);
        if part % 2 == 1 {
            e.asm.put(I::with3(join, k.k(), k.k(), SCRATCH_MASK));
        }
    }

    fn end_check(e: &mut Avx512Emitter<'_>, mem: &MemAccess, check: &OffsetCheck, not: Label) {
        let [low, high] = masks(mem).map(Reg::k);
        if check.wide {
            e.asm.put(I::with3(C::VEX_Kunpckwd_kr_kr_kr, low, high, low));
        }
        e.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::EAX, low));
        e.asm.put(I::with3(C::VEX_Andn_r32_r32_rm32, R::EAX, R::EAX, R::EBX));
        e.asm.jump(J::NE, not);
        Self::keep_executing(e, mem);
    }

    fn gather(
        e: &mut Avx512Emitter<'_>,
        mem: &MemAccess,
        (d, size): (Reg, usize),
        (index, wide): (Reg, bool),
        (scale, lane): (u32, u8),
    ) {
        let (code, to, index) = match (wide, size) {
            (false, 4) => (C::EVEX_Vpgatherdd_zmm_k1_vm32z, d.zmm(), index.zmm()),
            (true, 4) => (C::EVEX_Vpgatherqd_ymm_k1_vm64z, d.ymm(), index.zmm()),
            (false, _) => (C::EVEX_Vpgatherdq_zmm_k1_vm32y, d.zmm(), index.ymm()),
            (true, _) => (C::EVEX_Vpgatherqq_zmm_k1_vm64z, d.zmm(), index.zmm()),
        };
        // A copy of the mask is used, because the instruction clears its mask register.
        e.shift_mask(SCRATCH_MASK, masks(mem)[0].k(), lane);
        // Zeroing the destination breaks the dependency of the gather on the register's old value.
        e.zero(d);
        let from = MemoryOperand::with_base_index_scale(R::R12, index, scale);
        e.asm.put_masked(SCRATCH_MASK, I::with2(code, to, from));
    }

    fn gather_words(
        e: &mut Avx512Emitter<'_>,
        mem: &MemAccess,
        (d, part): (Reg, u8),
        index: (Reg, bool),
        scale: u32,
    ) {
        Self::gather(e, mem, (d, 4), index, (scale, 16 * part));
    }

    fn scatter(
        e: &mut Avx512Emitter<'_>,
        (from, size): (Reg, usize),
        (index, wide): (Reg, bool),
        (lanes, lane): (Reg, u8),
    ) {
        let (code, from, index) = match (wide, size) {
            (false, 4) => (C::EVEX_Vpscatterdd_vm32z_k1_zmm, from.zmm(), index.zmm()),
            (true, 4) => (C::EVEX_Vpscatterqd_vm64z_k1_ymm, from.ymm(), index.zmm()),
            (false, _) => (C::EVEX_Vpscatterdq_vm32y_k1_zmm, from.zmm(), index.ymm()),
            (true, _) => (C::EVEX_Vpscatterqq_vm64z_k1_zmm, from.zmm(), index.zmm()),
        };
        // A copy of the mask is used, because the instruction clears its mask register.
        e.shift_mask(SCRATCH_MASK, lanes.k(), lane);
        let to = MemoryOperand::with_base_index(R::R12, index);
        e.asm.put_masked(SCRATCH_MASK, I::with2(code, to, from));
    }

    fn store_masked(
        e: &mut Avx512Emitter<'_>,
        (to, _): (Row, bool),
        values: &[Reg],
        part: u8,
        lanes: Option<Reg>,
        _: [Reg; 2],
    ) {
        let code = match values.len() {
            2 => C::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
            _ => C::EVEX_Vmovdqu32_zmmm512_k1z_zmm,
        };
        let lanes = lanes.map_or(SCRATCH_MASK, Reg::k);
        if lanes == SCRATCH_MASK {
            e.asm.put(I::with2(C::VEX_Kmovd_kr_km32, lanes, at(R::RDI, STORED)));
        }
        let mut mask = e.lanes_from(lanes, 16 * part);
        for (half, &value) in values.iter().enumerate() {
            if half != 0 {
                mask = e.lanes_from(mask, 8);
            }
            e.asm.put_masked(mask, I::with2(code, to.at(half * Avx512Emitter::BYTES), value.zmm()));
        }
    }

    fn load_masked(e: &mut Avx512Emitter<'_>, mem: &MemAccess, from: Row, to: &[Reg], part: u8) {
        let code = match to.len() {
            2 => C::EVEX_Vmovdqu64_zmm_k1z_zmmm512,
            _ => C::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
        };
        let mut mask = e.lanes_from(masks(mem)[0].k(), 16 * part);
        for (half, &to) in to.iter().enumerate() {
            if half != 0 {
                mask = e.lanes_from(mask, 8);
            }
            e.asm.put_zeroing(mask, I::with2(code, to.zmm(), from.at(half * Avx512Emitter::BYTES)));
        }
    }

    fn first_offset(
        e: &mut Avx512Emitter<'_>,
        mem: &MemAccess,
        part: u8,
        offset: Reg,
        to: R,
        not: Label,
    ) {
        let ([lanes, differ], [t, ..]) = (masks(mem), mem.own);
        let mask = e.lanes_from(lanes.k(), 16 * part);
        let steps = e.multiples(false, 0, mem.total as u64);
        e.three(V::Sub32, t, offset, steps);
        // In all executing lanes, the offset minus the lane's distance must equal that of the first
        // executing lane.
        e.asm.put_zeroing(
            mask,
            I::with2(C::EVEX_Vpcompressd_zmmm512_k1z_zmm, SCRATCH.zmm(), t.zmm()),
        );
        e.first_element(false, low_32(to), SCRATCH.into());
        e.asm.put(I::with2(C::Movsxd_r64_rm32, to, low_32(to)));
        e.spread(false, SCRATCH, SCRATCH.into());
        e.asm.mask = Some(mask);
        let compare = C::EVEX_Vpcmpd_kr_k1_zmm_zmmm512b32_imm8;
        if part == 0 {
            return e.three_with(compare, differ, t, SCRATCH, NOT_EQUAL);
        }
        e.three_with(compare, CONDITION, t, SCRATCH, NOT_EQUAL);
        e.asm.jump_if(I::with2(C::VEX_Kortestw_kr_kr, differ.k(), SCRATCH_MASK), J::NE, not);
    }

    fn store_small(e: &mut Avx512Emitter<'_>, to: MemoryOperand, from: Reg, size: usize) {
        let code = match size {
            1 => C::EVEX_Vpmovdb_xmmm128_k1z_zmm,
            _ => C::EVEX_Vpmovdw_ymmm256_k1z_zmm,
        };
        e.asm.put(I::with2(code, to, from.zmm()));
    }

    fn permute_pairs(e: &mut Avx512Emitter<'_>, d: Reg, a: Reg, even_first: bool) {
        let order: [u64; 8] =
            if even_first { [0, 2, 4, 6, 1, 3, 5, 7] } else { [0, 4, 1, 5, 2, 6, 3, 7] };
        let order = at(R::R9, e.pooled(&order));
        e.two(V::Load, SCRATCH, order);
        e.three(C::EVEX_Vpermq_zmm_k1z_zmm_zmmm512b64, d, SCRATCH, a);
    }
}

/// The mask registers that are reserved for an access.
fn masks(mem: &MemAccess) -> [Reg; 2] {
    mem.masks.unwrap_or([CONDITION; 2])
}

impl Avx512Emitter<'_> {
    /// A mask register that has the lanes of another from a lane on, for one instruction.
    pub(super) fn lanes_from(&mut self, mask: R, lane: u8) -> R {
        if lane == 0 {
            return mask;
        }
        self.shift_mask(SCRATCH_MASK, mask, lane);
        SCRATCH_MASK
    }
}
