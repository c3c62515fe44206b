//! Transposition between memory at `r13`, which holds the elements lane by lane (an array of
//! structures), and vectors, which hold one element of each lane of a part (a structure of arrays).

use super::{Avx2Emitter, LANES_SIZE, MOVE, SCRATCH, Vector};
use crate::emit::asm::at;
use crate::emit::register_cache::Reg;
use crate::emit::vector::Operand;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

const UNPACK_LOW: C = C::VEX_Vunpcklps_ymm_ymm_ymmm256;
const UNPACK_HIGH: C = C::VEX_Vunpckhps_ymm_ymm_ymmm256;
const UNPACK_LOW_64: C = C::VEX_Vunpcklpd_ymm_ymm_ymmm256;
const UNPACK_HIGH_64: C = C::VEX_Vunpckhpd_ymm_ymm_ymmm256;

impl Avx2Emitter<'_> {
    /// The memory operand at a displacement from the data of the part's first lane.
    pub(super) fn lane_data(&self, displacement: usize) -> MemoryOperand {
        at(R::R13, self.back.data_offset + displacement)
    }

    /// Loads a part of one contiguous element per lane, of 1, 2 or 4 bytes, zero-extended to 32
    /// bits.
    pub(super) fn load_plain(&mut self, d: Reg, size: usize) {
        let from = self.lane_data(0);
        match size {
            1 => self.asm.put(I::with2(C::VEX_Vpmovzxbd_ymm_xmmm64, d.ymm(), from)),
            2 => self.asm.put(I::with2(C::VEX_Vpmovzxwd_ymm_xmmm128, d.ymm(), from)),
            _ => self.two(MOVE, d, Operand::Memory(from)),
        }
    }

    /// Loads one element of 1, 2 or 4 bytes, zero-extended, and broadcasts it to all lanes of a
    /// part.
    pub(super) fn spread_plain(&mut self, d: Reg, size: usize) {
        let from = self.lane_data(0);
        if size == 4 {
            return self.two(C::VEX_Vpbroadcastd_ymm_xmmm32, d, Operand::Memory(from));
        }
        let code = if size == 1 { C::Movzx_r32_rm8 } else { C::Movzx_r32_rm16 };
        self.asm.put(I::with2(code, R::EAX, from));
        self.asm.put(I::with2(C::VEX_Vmovd_xmm_rm32, d.xmm(), R::EAX));
        self.asm.put(I::with2(C::VEX_Vpbroadcastd_ymm_xmmm32, d.ymm(), d.xmm()));
    }

    /// Loads consecutive elements of 4 or 8 bytes from byte `first` on, and broadcasts each to its
    /// register.
    pub(super) fn spread_all(&mut self, to: &[Reg], size: usize, first: usize) {
        let code =
            if size == 4 { C::VEX_Vpbroadcastd_ymm_xmmm32 } else { C::VEX_Vpbroadcastq_ymm_xmmm64 };
        for (i, &d) in to.iter().enumerate() {
            let from = self.lane_data(first + i * size);
            self.two(code, d, Operand::Memory(from));
        }
    }

    /// Loads a part of two contiguous 32-bit elements per lane. The results are in the last two
    /// registers.
    pub(super) fn load_pairs(&mut self, [a, low, high]: [Reg; 3]) {
        let (first, second) = (self.lane_data(0), self.lane_data(LANES_SIZE));
        self.two(MOVE, a, Operand::Memory(first));
        for (d, which) in [(low, 0b1000_1000), (high, 0b1101_1101)] {
            let shuffle = C::VEX_Vshufps_ymm_ymm_ymmm256_imm8;
            self.three_with(shuffle, d, a, Operand::Memory(second), which);
            self.two_with(C::VEX_Vpermq_ymm_ymmm256_imm8, d, d, 0b1101_1000);
        }
    }

    /// Loads 16 bytes at each of two displacements.
    fn load_halves(&mut self, d: Reg, low: usize, high: usize) {
        let (low, high) = (self.lane_data(low), self.lane_data(high));
        self.asm.put(I::with2(C::VEX_Vmovdqu_xmm_xmmm128, d.xmm(), low));
        let code = C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8;
        self.asm.put(I::with4(code, d.ymm(), d.ymm(), high, 1_u32));
    }

    fn store_halves(&mut self, from: Reg, low: usize, high: usize) {
        let (low, high) = (self.lane_data(low), self.lane_data(high));
        self.asm.put(I::with2(C::VEX_Vmovdqu_xmmm128_xmm, low, from.xmm()));
        let code = C::VEX_Vextracti128_xmmm128_ymm_imm8;
        self.asm.put(I::with3(code, high, from.ymm(), 1_u32));
    }

    /// Loads a part of four 32-bit elements per lane, which begin `from` bytes after the lane's
    /// data. The results are in the registers that [`Self::transpose`] returns.
    pub(super) fn load_quads(&mut self, d: [Reg; 6], stride: usize, from: usize) {
        for (i, &d) in d[..4].iter().enumerate() {
            self.load_halves(d, i * stride + from, (i + 4) * stride + from);
        }
        self.transpose(d);
    }

    /// Transposes 4x4 matrices of 32-bit elements in each 128-bit half of the first four registers,
    /// which are overwritten.
    pub(super) fn transpose(&mut self, [a, b, c, d, e, f]: [Reg; 6]) -> [Reg; 4] {
        self.three(UNPACK_LOW, e, a, b);
        self.three(UNPACK_HIGH, a, a, b);
        self.three(UNPACK_LOW, f, c, d);
        self.three(UNPACK_HIGH, c, c, d);
        self.three(UNPACK_LOW_64, b, e, f);
        self.three(UNPACK_HIGH_64, e, e, f);
        self.three(UNPACK_LOW_64, d, a, c);
        self.three(UNPACK_HIGH_64, a, a, c);
        [b, e, d, a]
    }

    /// Loads two 64-bit elements for each of 4 lanes: half 0 or 1 of a part. The results are in the
    /// last two registers.
    pub(super) fn load_doubles(
        &mut self,
        [b, a, low]: [Reg; 3],
        half: usize,
        stride: usize,
        from: usize,
    ) {
        let lane = |i: usize| (4 * half + i) * stride + from;
        self.load_halves(a, lane(0), lane(2));
        self.load_halves(b, lane(1), lane(3));
        self.three(UNPACK_LOW_64, low, a, b);
        self.three(UNPACK_HIGH_64, a, a, b);
    }

    /// Stores a part of one contiguous element per lane, of 1, 2 or 4 bytes. The higher bits of the
    /// register are overwritten.
    pub(super) fn store_plain(&mut self, value: Reg, size: usize) {
        let to = self.lane_data(0);
        if size == 4 {
            return self.store(to, value);
        }
        let mask = self.number(if size == 1 { 0xff } else { 0xffff });
        self.three(C::VEX_Vpand_ymm_ymm_ymmm256, value, value, mask);
        self.upper_half(SCRATCH, value);
        let [d, moment] = [value, SCRATCH].map(Vector::xmm);
        self.asm.put(I::with3(C::VEX_Vpackusdw_xmm_xmm_xmmm128, d, d, moment));
        if size == 1 {
            self.asm.put(I::with3(C::VEX_Vpackuswb_xmm_xmm_xmmm128, d, d, d));
            self.asm.put(I::with2(C::VEX_Vmovq_xmmm64_xmm, to, d));
        } else {
            self.asm.put(I::with2(C::VEX_Vmovdqu_xmmm128_xmm, to, d));
        }
    }

    /// Stores a part of two contiguous 32-bit elements per lane.
    pub(super) fn store_pairs(&mut self, low: Reg, high: Reg) {
        let (a, b) = (self.temporary(), self.temporary());
        self.three(UNPACK_LOW, a, low, high);
        self.three(UNPACK_HIGH, b, low, high);
        for (i, which) in [0x20, 0x31].into_iter().enumerate() {
            self.three_with(C::VEX_Vperm2i128_ymm_ymm_ymmm256_imm8, SCRATCH, a, b, which);
            let to = self.lane_data(i * LANES_SIZE);
            self.store(to, SCRATCH);
        }
        self.release(a);
        self.release(b);
    }

    /// Stores a part of four 32-bit elements per lane, which begin `to` bytes after the lane's
    /// data. The registers are temporaries, and are overwritten.
    pub(super) fn store_quads(&mut self, words: [Reg; 4], stride: usize, to: usize) {
        let lane = |i: usize| i * stride + to;
        let [a, b, c, d] = words;
        let (e, f) = (self.temporary(), self.temporary());
        let rows = self.transpose([a, b, c, d, e, f]);
        self.release(c);
        self.release(f);
        for (i, row) in rows.into_iter().enumerate() {
            self.store_halves(row, lane(i), lane(i + 4));
            self.release(row);
        }
    }

    /// Stores two 64-bit elements for each of 4 lanes: half 0 or 1 of a part.
    pub(super) fn store_doubles(
        &mut self,
        (a, b): (Reg, Reg),
        half: usize,
        stride: usize,
        to: usize,
    ) {
        let lane = |i: usize| (4 * half + i) * stride + to;
        self.three(UNPACK_LOW_64, SCRATCH, a, b);
        self.store_halves(SCRATCH, lane(0), lane(2));
        self.three(UNPACK_HIGH_64, SCRATCH, a, b);
        self.store_halves(SCRATCH, lane(1), lane(3));
    }
}
