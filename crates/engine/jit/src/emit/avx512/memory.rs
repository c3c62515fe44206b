//! Loads and stores of some lanes, by mask registers.

use super::{Avx512, Avx512Emitter, SCRATCH, SCRATCH_MASK};
use crate::emit::asm::at;
use crate::emit::backend::{MemoryPrimitives, Primitives};
use crate::emit::memory::{EXECUTING, OFFSET_ROW, Row, STORED};
use crate::emit::register_cache::Reg;
use crate::emit::vector::{V, part_of_row};
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl MemoryPrimitives for Avx512 {
    fn keep_lanes(
        e: &mut Avx512Emitter<'_>,
        _: Predicate,
        (wide, part): (bool, u8),
        values: &[Reg],
        _: Reg,
    ) {
        let (lanes, code) =
            if wide { (8, C::EVEX_Vmovdqa64_zmm_k1z_zmmm512) } else { (16, super::load::MOVE) };
        e.mask_from(EXECUTING, lanes * part);
        for value in values {
            e.asm.put_zeroing(SCRATCH_MASK, I::with2(code, value.z(), value.z()));
        }
    }

    fn or_above_wide(e: &mut Avx512Emitter<'_>, any: Reg, offset: Reg, last: Reg) {
        e.three(C::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64, SCRATCH, offset, last);
        Self::or_difference(e, (any, SCRATCH), SCRATCH, offset.into());
    }

    fn gather(
        e: &mut Avx512Emitter<'_>,
        (d, size): (Reg, usize),
        (index, wide): (Reg, bool),
        (scale, lane): (u32, u8),
    ) {
        let (code, to, index) = match (wide, size) {
            (false, 4) => (C::EVEX_Vpgatherdd_zmm_k1_vm32z, d.z(), index.z()),
            (true, 4) => (C::EVEX_Vpgatherqd_ymm_k1_vm64z, d.y(), index.z()),
            (false, _) => (C::EVEX_Vpgatherdq_zmm_k1_vm32y, d.z(), index.y()),
            (true, _) => (C::EVEX_Vpgatherqq_zmm_k1_vm64z, d.z(), index.z()),
        };
        e.mask_from(EXECUTING, lane);
        // Zeroing the destination breaks the dependency of the gather on the register's old value.
        e.zero(d);
        let from = MemoryOperand::with_base_index_scale(R::R12, index, scale);
        e.asm.put_masked(SCRATCH_MASK, I::with2(code, to, from));
    }

    fn gather_words(e: &mut Avx512Emitter<'_>, d: Reg, part: u8, scale: u32, t: Reg) {
        e.two(V::Load, t, part_of_row::<Self>(OFFSET_ROW, part));
        Self::gather(e, (d, 4), (t, false), (scale, 16 * part));
    }

    fn scatter(
        e: &mut Avx512Emitter<'_>,
        (from, size): (Reg, usize),
        (index, wide): (Reg, bool),
        (field, lane): (usize, u8),
    ) {
        let (code, from, index) = match (wide, size) {
            (false, 4) => (C::EVEX_Vpscatterdd_vm32z_k1_zmm, from.z(), index.z()),
            (true, 4) => (C::EVEX_Vpscatterqd_vm64z_k1_ymm, from.y(), index.z()),
            (false, _) => (C::EVEX_Vpscatterdq_vm32y_k1_zmm, from.z(), index.y()),
            (true, _) => (C::EVEX_Vpscatterqq_vm64z_k1_zmm, from.z(), index.z()),
        };
        e.mask_from(field, lane);
        let to = MemoryOperand::with_base_index(R::R12, index);
        e.asm.put_masked(SCRATCH_MASK, I::with2(code, to, from));
    }

    fn store_masked(e: &mut Avx512Emitter<'_>, to: Row, values: &[Reg], part: u8, _: [Reg; 2]) {
        let (lanes, code) = match values.len() {
            2 => (8, C::EVEX_Vmovdqu64_zmmm512_k1z_zmm),
            _ => (16, C::EVEX_Vmovdqu32_zmmm512_k1z_zmm),
        };
        for (half, value) in (0..).zip(values) {
            e.mask_from(STORED, 16 * part + lanes * half);
            let to = to.at(usize::from(half) * Avx512Emitter::BYTES);
            e.asm.put_masked(SCRATCH_MASK, I::with2(code, to, value.z()));
        }
    }

    fn store_small(e: &mut Avx512Emitter<'_>, to: MemoryOperand, from: Reg, size: usize) {
        let code = match size {
            1 => C::EVEX_Vpmovdb_xmmm128_k1z_zmm,
            _ => C::EVEX_Vpmovdw_ymmm256_k1z_zmm,
        };
        e.asm.put(I::with2(code, to, from.z()));
    }

    fn permute_pairs(e: &mut Avx512Emitter<'_>, d: Reg, a: Reg, even_first: bool) {
        let order: [u64; 8] =
            if even_first { [0, 2, 4, 6, 1, 3, 5, 7] } else { [0, 4, 1, 5, 2, 6, 3, 7] };
        let order = at(R::R9, e.pooled(&order));
        e.two(V::Load, SCRATCH, order);
        e.three(C::EVEX_Vpermq_zmm_k1z_zmm_zmmm512b64, d, SCRATCH, a);
    }
}

impl Avx512Emitter<'_> {
    /// Loads the lanes of a mask in the frame, from a lane on, into the scratch mask.
    fn mask_from(&mut self, field: usize, lane: u8) {
        self.asm.put(I::with2(C::VEX_Kmovd_kr_km32, SCRATCH_MASK, at(R::RDI, field)));
        if lane != 0 {
            self.shift_mask(SCRATCH_MASK, SCRATCH_MASK, lane);
        }
    }
}
