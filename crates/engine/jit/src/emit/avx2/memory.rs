//! Loads and stores of some lanes, in vectors and one by one.

use super::{Avx2, Avx2Emitter, LANES_SIZE, PARTS, SCRATCH};
use crate::emit::asm::{J, Label, at};
use crate::emit::backend::{MemoryPrimitives, OffsetCheck, Primitives};
use crate::emit::memory::{MemAccess, OFFSET_ROW, Row, STORED};
use crate::emit::register_cache::Reg;
use crate::emit::vector::{Operand, V};
use crate::frame::Frame;
use crate::machine::Mode;
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl MemoryPrimitives for Avx2 {
    fn keep_executing(e: &mut Avx2Emitter<'_>, _: &MemAccess) {
        e.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, STORED), R::EBX));
    }

    fn keep_lanes(
        e: &mut Avx2Emitter<'_>,
        mem: &MemAccess,
        (wide, part): (bool, u8),
        values: &[Reg],
    ) {
        let [.., lanes] = mem.own;
        let (part, half) = if wide { (part / 2, Some(part % 2)) } else { (part, None) };
        let code = if e.mode == Mode::Some && mem.guard == Predicate::Always {
            e.inactive_row(lanes, part, half);
            V::AndNot32
        } else {
            e.spread_byte(lanes, at(R::RDI, STORED + usize::from(part)));
            if let Some(half) = half {
                e.widen_half(V::ExtendS, lanes, lanes, half);
            }
            V::And32
        };
        for &value in values {
            e.three(code, value, lanes, value);
        }
    }

    fn begin_check(e: &mut Avx2Emitter<'_>, mem: &MemAccess, check: &OffsetCheck, not: Label) {
        let [any, _, last, _, bits, _] = mem.own;
        let (load, sub, to) = match check.wide {
            true => (C::Mov_r64_rm64, C::Sub_rm64_imm8, R::RAX),
            false => (C::Mov_r32_rm32, C::Sub_rm32_imm8, R::EAX),
        };
        e.asm.put(I::with2(load, to, check.limit));
        e.asm.jump_if(I::with2(sub, to, 1), J::B, not);
        if check.wide {
            // Flipping the sign bits makes a signed comparison compare unsigned numbers.
            e.asm.put(I::with2(C::Btc_rm64_imm8, R::RAX, 63));
        }
        Self::spread_general(e, check.wide, last);
        e.zero(any);
        if check.low_bits != 0 {
            e.zero(bits);
        }
        Self::keep_executing(e, mem);
    }

    fn check_part(
        e: &mut Avx2Emitter<'_>,
        mem: &MemAccess,
        check: &OffsetCheck,
        part: u8,
        (base, offset): (Operand, Reg),
    ) {
        let [any, _, last, _, bits, _] = mem.own;
        let collects = check.wide && check.low_bits != 0;
        let some = e.mode == Mode::Some && mem.guard == Predicate::Always;
        let (fewer, done) = (e.asm.label(), e.asm.label());
        if !some {
            e.asm.put(I::with2(C::Cmp_rm32_imm8, R::EBX, -1));
            e.asm.jump(if collects { J::NE } else { J::E }, fewer);
        }
        if collects && !some {
            e.three(V::Or64, bits, bits, base);
            e.asm.goto(done);
            e.asm.bind(fewer);
        }
        if collects {
            e.set(true, SCRATCH, base);
            Self::keep_lanes(e, mem, (true, part), &[offset, SCRATCH]);
            e.three(V::Or64, bits, bits, SCRATCH);
        } else {
            Self::keep_lanes(e, mem, (check.wide, part), &[offset]);
            e.asm.bind(fewer);
        }
        e.asm.bind(done);
        if check.wide {
            let sign = e.wide_number(1 << 63);
            e.three(V::Xor32, SCRATCH, offset, sign);
            e.three(C::VEX_Vpcmpgtq_ymm_ymm_ymmm256, SCRATCH, SCRATCH, last);
            e.three(V::Or32, any, any, SCRATCH);
            return;
        }
        e.three(V::MaxU32, any, any, offset);
        if check.low_bits != 0 {
            e.three(V::Or32, bits, bits, offset);
        }
    }

    fn end_check(e: &mut Avx2Emitter<'_>, mem: &MemAccess, check: &OffsetCheck, not: Label) {
        let [any, _, last, _, bits, _] = mem.own;
        if !check.wide {
            e.three(V::MinU32, SCRATCH, any, last);
            e.three(V::Xor32, any, any, SCRATCH);
        }
        Self::jump_if_any(e, any, not);
        if check.low_bits != 0 {
            let mask = match check.wide {
                true => e.wide_number(check.low_bits),
                false => e.number(check.low_bits as u32),
            };
            e.three(V::And64, bits, bits, mask);
            Self::jump_if_any(e, bits, not);
        }
    }

    fn gather(
        e: &mut Avx2Emitter<'_>,
        _: &MemAccess,
        (d, _): (Reg, usize),
        (index, _): (Reg, bool),
        (scale, _): (u32, u8),
    ) {
        e.three(V::Equal32, SCRATCH, SCRATCH, SCRATCH);
        // Zeroing the destination breaks the dependency of the gather on the register's old value.
        e.zero(d);
        let from = MemoryOperand::with_base_index_scale(R::R12, index.ymm(), scale);
        e.asm.put(I::with3(C::VEX_Vpgatherdd_ymm_vm32y_ymm, d.ymm(), from, SCRATCH.ymm()));
    }

    // On many processors with AVX2, gather instructions are slow and serialise their cache misses.
    // There the elements are loaded one by one, and combined in registers.
    fn gather_words(
        e: &mut Avx2Emitter<'_>,
        mem: &MemAccess,
        (d, part): (Reg, u8),
        (index, wide): (Reg, bool),
        scale: u32,
    ) {
        let size = if wide { 2 * LANES_SIZE } else { LANES_SIZE };
        let row = Frame::scratch(OFFSET_ROW) + usize::from(part) * size;
        if crate::emit::processor::has_fast_gathers() && !wide {
            e.two(V::Load, index, at(R::RDI, row));
            Self::gather(e, mem, (d, 4), (index, false), (scale, 0));
        } else {
            e.words(d, (row, wide), index, scale);
        }
    }

    fn store_masked(
        e: &mut Avx2Emitter<'_>,
        (to, is_own): (Row, bool),
        values: &[Reg],
        part: u8,
        _: Option<Reg>,
        [mask, half_mask]: [Reg; 2],
    ) {
        e.spread_byte(mask, at(R::RDI, STORED + usize::from(part)));
        for (half, value) in values.iter().enumerate() {
            let to = to.at(half * LANES_SIZE);
            let (code, mask) = if values.len() == 2 {
                e.widen_half(V::ExtendS, half_mask, mask, half as u8);
                (C::VEX_Vpmaskmovq_m256_ymm_ymm, half_mask)
            } else {
                (C::VEX_Vpmaskmovd_m256_ymm_ymm, mask)
            };
            if is_own {
                // AMD's processors execute masked stores slowly.
                e.two(V::Move, SCRATCH, Operand::Memory(to));
                Self::blend(e, false, (SCRATCH, SCRATCH), *value, mask);
                e.store(to, SCRATCH);
            } else {
                e.asm.put(I::with3(code, to, mask.ymm(), value.ymm()));
            }
        }
    }

    fn store_small(e: &mut Avx2Emitter<'_>, to: MemoryOperand, value: Reg, size: usize) {
        let mask = e.number(if size == 1 { 0xff } else { 0xffff });
        e.three(V::And32, value, value, mask);
        e.upper_half(SCRATCH, value);
        let [d, high] = [value, SCRATCH].map(Reg::xmm);
        e.asm.put(I::with3(C::VEX_Vpackusdw_xmm_xmm_xmmm128, d, d, high));
        if size == 1 {
            e.asm.put(I::with3(C::VEX_Vpackuswb_xmm_xmm_xmmm128, d, d, d));
            e.asm.put(I::with2(C::VEX_Vmovq_xmmm64_xmm, to, d));
        } else {
            e.asm.put(I::with2(C::VEX_Vmovdqu_xmmm128_xmm, to, d));
        }
    }

    fn permute_pairs(e: &mut Avx2Emitter<'_>, d: Reg, a: Reg, _: bool) {
        e.two_with(C::VEX_Vpermq_ymm_ymmm256_imm8, d, a, 0b1101_1000);
    }
}

impl Avx2Emitter<'_> {
    /// Loads the mask of inactive lanes of a lane group from the frame. Only in [`Mode::Some`].
    pub(super) fn inactive_row(&mut self, to: Reg, part: u8, half: Option<u8>) {
        let row = Frame::INACTIVE_LANES + usize::from(part) * LANES_SIZE;
        match half {
            None => self.two(V::Move, to, at(R::RDI, row)),
            Some(half) => self.two(V::ExtendS, to, at(R::RDI, row + 16 * usize::from(half))),
        }
    }

    /// Computes the mask of inactive lanes that [`Self::inactive_row`] loads from the frame.
    pub(super) fn update_inactive_lanes(&mut self) {
        let bits = self.bits_of_lanes();
        for part in 0..usize::from(PARTS) {
            let byte = Operand::Memory(at(R::RDI, Frame::MASK + part));
            self.two(C::VEX_Vpbroadcastb_ymm_xmmm8, SCRATCH, byte);
            self.three(V::AndNot32, SCRATCH, SCRATCH, bits);
            self.three(V::Equal32, SCRATCH, SCRATCH, bits);
            self.store(at(R::RDI, Frame::INACTIVE_LANES + part * LANES_SIZE), SCRATCH);
        }
    }

    /// Loads eight 32-bit elements relative to `r12`, at 32-bit or 64-bit indices that are in the
    /// frame. Uses `rax` and `rbp`.
    fn words(&mut self, d: Reg, (row, wide): (usize, bool), upper: Reg, scale: u32) {
        for lane in 0..8 {
            // One load of two indices, and a shift to get the second, are faster than two loads.
            if wide {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, row + 8 * lane)));
            } else if lane % 2 == 0 {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, row + 4 * lane)));
                self.asm.put(I::with2(C::Mov_r32_rm32, R::EBP, R::EAX));
                self.asm.put(I::with2(C::Shr_rm64_imm8, R::RAX, 32));
            }
            let index = if lane % 2 == 0 && !wide { R::RBP } else { R::RAX };
            let from = MemoryOperand::with_base_index_scale(R::R12, index, scale);
            let half = if lane < 4 { d.xmm() } else { upper.xmm() };
            self.asm.put(match lane as u32 % 4 {
                0 => I::with2(C::VEX_Vmovd_xmm_rm32, half, from),
                lane => I::with4(C::VEX_Vpinsrd_xmm_xmm_rm32_imm8, half, half, from, lane),
            });
        }
        self.insert_half(d, upper);
    }
}
