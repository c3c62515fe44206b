//! Loads.

use super::address::{DATA_ROW, OFFSET_ROW, Way, data_of_lane};
use super::{LANES_SIZE, MOMENT, Maker, Operand, PARTS, Vector};
use crate::block::{Place, Predicate};
use crate::emit::asm::at;
use crate::emit::frame::Frame;
use crate::emit::values::{Kind, Reg};
use crate::region::{Load, Space, Step};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl Maker<'_> {
    /// A load that may leave.
    pub(super) fn load_lanes(&mut self, step: &Step, load: &Load) -> Option<()> {
        let way = self.way(&load.access, step.guard, step.at);
        let (apart, each, done) = (self.asm.label(), self.asm.label(), self.asm.label());
        if way.access.space == Space::Local {
            self.asm.bind(apart);
        } else {
            self.if_beside(&way, apart);
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(apart);
            self.if_same(&way, each);
            self.spread_data(way.total);
            self.data_rows();
            self.asm.jump(C::Jmp_rel32_64, done);
        }
        self.asm.bind(each);
        self.data_rows();
        if Self::has_offsets(&way) {
            let some = self.asm.label();
            self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EBX, -1));
            self.asm.jump(C::Jne_rel32_64, some);
            let wide = self.all_offsets(&way);
            self.fetch_all(&way, wide);
            self.asm.jump(C::Jmp_rel32_64, done);
            self.asm.bind(some);
        }
        self.each_lane(|e| {
            e.checked_offset(&way);
            e.address_from_offset(&way);
            e.fetch(&way);
        });
        self.asm.bind(done);
        self.values.unpin();
        self.take_rows(load, step.guard)
    }

    /// Copies what lies at the offsets of all lanes to their data: eight by eight.
    fn fetch_all(&mut self, way: &Way<'_>, wide: bool) {
        let (offset_size, offset_code, offset) =
            if wide { (8, C::Mov_r64_rm64, R::RAX) } else { (4, C::Mov_r32_rm32, R::EAX) };
        let (load, store, data) = if way.total == 8 {
            (C::Mov_r64_rm64, C::Mov_rm64_r64, R::R14)
        } else {
            (C::Mov_r32_rm32, C::Mov_rm32_r32, R::R14D)
        };
        self.origin_in_r12(way);
        self.asm.put(I::with2(C::Xor_r32_rm32, R::EBP, R::EBP));
        let again = self.asm.label();
        self.asm.bind(again);
        let of_row = |row: usize, size: usize, lane: usize| {
            let displacement = (Frame::scratch(row) + size * lane) as i64;
            MemoryOperand::with_base_index_scale_displ_size(
                R::RDI,
                R::RBP,
                size as u32,
                displacement,
                1,
            )
        };
        for lane in 0..8 {
            let from = of_row(OFFSET_ROW, offset_size, lane);
            self.asm.put(I::with2(offset_code, offset, from));
            let from = MemoryOperand::with_base_index(R::R12, R::RAX);
            self.asm.put(I::with2(load, data, from));
            self.asm.put(I::with2(store, of_row(DATA_ROW, way.total, lane), data));
        }
        self.asm.put(I::with2(C::Add_rm32_imm8, R::EBP, 8));
        self.asm.put(I::with2(C::Cmp_rm32_imm8, R::EBP, 32));
        self.asm.jump(C::Jb_rel32_64, again);
    }

    /// `r13` is where data of lanes lie in the frame.
    pub(super) fn data_rows(&mut self) {
        let data = at(R::RDI, Frame::scratch(DATA_ROW));
        self.asm.put(I::with2(C::Lea_r64_m, R::R13, data));
    }

    /// What lies at `r13` becomes the data of all lanes.
    fn spread_data(&mut self, total: usize) {
        let from = at(R::R13, 0);
        let code = match total {
            1 => C::VEX_Vpbroadcastb_ymm_xmmm8,
            2 => C::VEX_Vpbroadcastw_ymm_xmmm16,
            4 => C::VEX_Vpbroadcastd_ymm_xmmm32,
            8 => C::VEX_Vpbroadcastq_ymm_xmmm64,
            16 => C::VEX_Vbroadcasti128_ymm_m128,
            _ => super::MOVE,
        };
        self.two(code, MOMENT, Operand::Memory(from));
        for i in 0..total {
            let to = at(R::RDI, Frame::scratch(DATA_ROW) + i * LANES_SIZE);
            self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, to, MOMENT.ymm()));
        }
    }

    /// Copies what lies at `rax` to the data of the lane in `ebp`.
    fn fetch(&mut self, way: &Way<'_>) {
        let from = at(R::RAX, 0);
        if way.access.space == Space::Local && way.total > 4 {
            let to = data_of_lane(self, way.total);
            for i in 0..way.total / 4 {
                let from = at(R::RAX, 128 * i);
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, from));
                let to = super::address::moved(to, 4 * i);
                self.asm.put(I::with2(C::Mov_rm32_r32, to, R::R14D));
            }
            return;
        }
        let (load, store, data) = match way.total {
            1 => (C::Movzx_r32_rm8, C::Mov_rm8_r8, R::R14L),
            2 => (C::Movzx_r32_rm16, C::Mov_rm16_r16, R::R14W),
            4 => (C::Mov_r32_rm32, C::Mov_rm32_r32, R::R14D),
            8 => (C::Mov_r64_rm64, C::Mov_rm64_r64, R::R14),
            16 => (C::VEX_Vmovdqu_xmm_xmmm128, C::VEX_Vmovdqu_xmmm128_xmm, MOMENT.xmm()),
            _ => (C::VEX_Vmovdqu_ymm_ymmm256, C::VEX_Vmovdqu_ymmm256_ymm, MOMENT.ymm()),
        };
        let into = if way.total <= 2 { R::R14D } else { data };
        self.asm.put(I::with2(load, into, from));
        let to = data_of_lane(self, way.total);
        self.asm.put(I::with2(store, to, data));
    }

    /// The elements of the rows at `r13` become registers.
    fn take_rows(&mut self, load: &Load, guard: Predicate) -> Option<()> {
        let (size, count) = (usize::from(load.access.size), usize::from(load.access.count));
        if load.to.len() != count {
            return None;
        }
        let total = size * count;
        for part in 0..PARTS {
            if size == 8 {
                self.take_doubles(load, guard, part, total)?;
                continue;
            }
            for (group, to) in load.to.chunks((16 / size).min(count)).enumerate() {
                let words = match total {
                    1 | 2 | 4 => vec![self.load_plain(part, total)],
                    8 => self.load_pairs(part).to_vec(),
                    _ => self.load_quads(part, total, 16 * group).to_vec(),
                };
                for (i, to) in to.iter().enumerate() {
                    let Some(to) = *to else { continue };
                    let word = words[i * size / 4];
                    let value = self.element(word, i, size, load.signed, total.min(4));
                    let how = (load.signed, load.keep);
                    self.put_kept(to, part, value, how, guard)?;
                }
                self.values.unpin();
            }
        }
        Some(())
    }

    /// Writes a number of 32 bits to a register: whether its sign goes on above, and the bits that remain.
    pub(super) fn put_kept(
        &mut self,
        to: Place,
        part: u8,
        value: Reg,
        (signed, keep): (bool, u64),
        guard: Predicate,
    ) -> Option<()> {
        match to {
            Place::Narrow(i) => {
                if keep as u32 != u32::MAX {
                    let keep = self.number(keep as u32);
                    self.three(C::VEX_Vpand_ymm_ymm_ymmm256, value, value, keep);
                }
                let guard = self.guard(guard, part);
                self.put_narrow(i, part, value, Kind::BITS, guard);
            }
            Place::Wide(i) => {
                let guard = self.guard(guard, part);
                let code = if signed {
                    C::VEX_Vpmovsxdq_ymm_xmmm128
                } else {
                    C::VEX_Vpmovzxdq_ymm_xmmm128
                };
                for half in 0..2 {
                    let d = self.temporary();
                    let mut low = value.xmm();
                    if half == 1 {
                        let code = C::VEX_Vextracti128_xmmm128_ymm_imm8;
                        self.asm.put(I::with3(code, d.xmm(), value.ymm(), 1_u32));
                        low = d.xmm();
                    }
                    self.asm.put(I::with2(code, d.ymm(), low));
                    self.keep_wide(d, keep);
                    self.put_wide(i, 2 * part + half, d, guard);
                }
                self.release(value);
            }
            Place::Predicate(_) => return None,
        }
        Some(())
    }

    pub(super) fn keep_wide(&mut self, value: Reg, keep: u64) {
        if keep != u64::MAX {
            let keep = self.wide_number(keep);
            self.three(C::VEX_Vpand_ymm_ymm_ymmm256, value, value, keep);
        }
    }

    /// Elements of 8 bytes.
    fn take_doubles(
        &mut self,
        load: &Load,
        guard: Predicate,
        part: u8,
        total: usize,
    ) -> Option<()> {
        for (pair, to) in load.to.chunks(2).enumerate() {
            let halves = [2 * part, 2 * part + 1].map(|half| {
                if total == 8 {
                    let d = self.temporary();
                    let from = at(R::R13, usize::from(half) * LANES_SIZE);
                    self.two(super::MOVE, d, Operand::Memory(from));
                    vec![d]
                } else {
                    self.load_doubles(half, total, 16 * pair).to_vec()
                }
            });
            for (i, to) in to.iter().enumerate() {
                let Some(to) = *to else { continue };
                self.put_double(to, part, [halves[0][i], halves[1][i]], load.keep, guard)?;
            }
            self.values.unpin();
        }
        Some(())
    }

    /// Writes an element of 64 bits to a register.
    pub(super) fn put_double(
        &mut self,
        to: Place,
        part: u8,
        [low, high]: [Reg; 2],
        keep: u64,
        guard: Predicate,
    ) -> Option<()> {
        match to {
            Place::Wide(i) => {
                let guard = self.guard(guard, part);
                for (half, value) in [low, high].into_iter().enumerate() {
                    self.keep_wide(value, keep);
                    self.put_wide(i, 2 * part + half as u8, value, guard);
                }
                Some(())
            }
            to => {
                self.low_halves(low, low, high);
                self.put_kept(to, part, low, (false, keep), guard)
            }
        }
    }
}
