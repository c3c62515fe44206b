//! Atomics, lane after lane.

use super::address::{DATA_ROW, Way};
use super::{MOMENT, Maker, PARTS, Vector};
use crate::block::Place;
use crate::emit::asm::at;
use crate::emit::frame::Frame;
use crate::emit::stub::Reason;
use crate::emit::values::{Kind, Reg};
use crate::region::{Atomic, Change, Space, Step};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// Scratch rows of b and c and of the old numbers.
const B: usize = DATA_ROW;
const OTHER: usize = DATA_ROW + 1;
const OLD: usize = DATA_ROW + 2;

/// Registers by the width of a number.
struct Width {
    wide: bool,
}

impl Width {
    fn of(&self, register: R) -> R {
        if self.wide {
            return register;
        }
        match register {
            R::RAX => R::EAX,
            R::R13 => R::R13D,
            _ => R::R14D,
        }
    }

    fn code(&self, narrow: C, wide: C) -> C {
        if self.wide { wide } else { narrow }
    }
}

impl Maker<'_> {
    /// An atomic: every lane is looked at before the first one changes something.
    pub(super) fn atomic(&mut self, step: &Step, op: &Atomic) -> Option<()> {
        let wide = op.access.size == 8;
        if op.access.count != 1 || !matches!(op.access.size, 4 | 8) {
            return None;
        }
        for (row, source) in [(B, Some(op.b)), (OTHER, op.c)] {
            if let Some(source) = source {
                self.fill_row(source, row, !wide)?;
            }
        }
        let way = self.way(&op.access, step.guard, step.at);
        let out = self.way_out(Reason::Instruction, step.at);
        let (left, last) = (at(R::RDI, Frame::ATOMICS_LEFT), at(R::RDI, Frame::LAST_ATOMIC));
        let (saved, none) = (at(R::RDI, Frame::SAVED), self.asm.label());
        self.asm.put(I::with2(C::Test_rm32_r32, R::EBX, R::EBX));
        self.asm.jump(C::Je_rel32_64, none);
        self.asm.put(I::with2(C::Cmp_rm32_imm8, left, 0));
        self.asm.jump(C::Je_rel32_64, out);
        self.asm.put(I::with2(C::Mov_rm32_r32, saved, R::EBX));
        self.each_lane(|e| e.checked_offset(&way));
        self.asm.put(I::with1(C::Dec_rm32, left));
        let steps = i64::from(self.pending) + i64::from(step.counted);
        let steps = MemoryOperand::with_base_displ(R::R10, steps);
        self.asm.put(I::with2(C::Lea_r64_m, R::RAX, steps));
        self.asm.put(I::with2(C::Mov_rm64_r64, last, R::RAX));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::EBX, saved));
        let width = Width { wide };
        self.each_lane(|e| e.change(&way, op, &width));
        self.asm.bind(none);
        self.values.unpin();
        let Some(to) = op.to else { return Some(()) };
        for part in 0..PARTS {
            let guard = self.guard(step.guard, part);
            match to {
                Place::Narrow(i) if !wide => {
                    let value = self.of_row(OLD, part);
                    self.put_narrow(i, part, value, Kind::BITS, guard);
                }
                Place::Wide(i) if wide => {
                    for half in [2 * part, 2 * part + 1] {
                        let value = self.of_row(OLD, half);
                        self.put_wide(i, half, value, guard);
                    }
                }
                _ => return None,
            }
            self.values.unpin();
        }
        Some(())
    }

    /// The number of the lane in `ebp` in a scratch row.
    fn of_lane(row: usize, width: &Width) -> MemoryOperand {
        let (size, row) = (if width.wide { 8 } else { 4 }, Frame::scratch(row) as i64);
        MemoryOperand::with_base_index_scale_displ_size(R::RDI, R::RBP, size, row, 1)
    }

    /// Changes the number of the lane in `ebp`.
    fn change(&mut self, way: &Way<'_>, op: &Atomic, width: &Width) {
        let w = |register| width.of(register);
        self.known_offset(way);
        self.address_from_offset(way);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R12, R::RAX));
        let memory = at(R::R12, 0);
        let (load, store) = (
            width.code(C::Mov_r32_rm32, C::Mov_r64_rm64),
            width.code(C::Mov_rm32_r32, C::Mov_rm64_r64),
        );
        self.asm.put(I::with2(load, w(R::RAX), memory));
        let again = self.asm.label();
        self.asm.bind(again);
        self.changed(op, width);
        if op.access.space == Space::Global {
            let code = width.code(C::Cmpxchg_rm32_r32, C::Cmpxchg_rm64_r64);
            self.asm.put(I::with2(code, memory, w(R::R14)).map(|mut i| {
                i.set_has_lock_prefix(true);
                i
            }));
            self.asm.jump(C::Jne_rel32_64, again);
        } else {
            // Nobody else uses it meanwhile.
            self.asm.put(I::with2(store, memory, w(R::R14)));
        }
        self.asm.put(I::with2(store, Self::of_lane(OLD, width), w(R::RAX)));
    }

    /// The new number in `r14`, of the old one in `rax`, which stays. Uses `r13`.
    fn changed(&mut self, op: &Atomic, width: &Width) {
        let w = |register| width.of(register);
        let (b, c) = (Self::of_lane(B, width), Self::of_lane(OTHER, width));
        let load = width.code(C::Mov_r32_rm32, C::Mov_r64_rm64);
        let (compare, test) = (
            width.code(C::Cmp_r32_rm32, C::Cmp_r64_rm64),
            width.code(C::Test_rm32_r32, C::Test_rm64_r64),
        );
        let (old, new, zero) = (w(R::RAX), w(R::R14), w(R::R13));
        let plain = match op.change {
            Change::Add => Some(width.code(C::Add_r32_rm32, C::Add_r64_rm64)),
            Change::And => Some(width.code(C::And_r32_rm32, C::And_r64_rm64)),
            Change::Or => Some(width.code(C::Or_r32_rm32, C::Or_r64_rm64)),
            Change::Xor => Some(width.code(C::Xor_r32_rm32, C::Xor_r64_rm64)),
            _ => None,
        };
        if let Some(code) = plain {
            self.asm.put(I::with2(load, new, b));
            return self.asm.put(I::with2(code, new, old));
        }
        // The old one where it is less or greater.
        let moves = match op.change {
            Change::MinS => Some(width.code(C::Cmovl_r32_rm32, C::Cmovl_r64_rm64)),
            Change::MaxS => Some(width.code(C::Cmovg_r32_rm32, C::Cmovg_r64_rm64)),
            Change::MinU => Some(width.code(C::Cmovb_r32_rm32, C::Cmovb_r64_rm64)),
            Change::MaxU => Some(width.code(C::Cmova_r32_rm32, C::Cmova_r64_rm64)),
            _ => None,
        };
        if let Some(code) = moves {
            self.asm.put(I::with2(load, new, b));
            self.asm.put(I::with2(compare, old, new));
            return self.asm.put(I::with2(code, new, old));
        }
        match op.change {
            Change::Exchange => self.asm.put(I::with2(load, new, b)),
            Change::Compare => {
                self.asm.put(I::with2(load, new, old));
                self.asm.put(I::with2(compare, old, b));
                let equal = width.code(C::Cmove_r32_rm32, C::Cmove_r64_rm64);
                self.asm.put(I::with2(equal, new, c));
            }
            Change::Inc => {
                self.asm.put(I::with2(C::Xor_r32_rm32, R::R13D, R::R13D));
                self.step_by(1, width);
                self.asm.put(I::with2(compare, old, b));
                let not_below = width.code(C::Cmovae_r32_rm32, C::Cmovae_r64_rm64);
                self.asm.put(I::with2(not_below, new, zero));
            }
            Change::Dec => {
                self.step_by(-1, width);
                self.asm.put(I::with2(compare, old, b));
                let above = width.code(C::Cmova_r32_rm32, C::Cmova_r64_rm64);
                self.asm.put(I::with2(above, new, b));
                self.asm.put(I::with2(test, old, old));
                let equal = width.code(C::Cmove_r32_rm32, C::Cmove_r64_rm64);
                self.asm.put(I::with2(equal, new, b));
            }
            _ if width.wide => self.add_double(b),
            _ => self.add_float(b, op.access.space == Space::Global),
        }
    }

    fn step_by(&mut self, by: i64, width: &Width) {
        let sum = MemoryOperand::with_base_displ(R::RAX, by);
        let code = width.code(C::Lea_r32_m, C::Lea_r64_m);
        self.asm.put(I::with2(code, width.of(R::R14), sum));
    }

    fn add_double(&mut self, b: MemoryOperand) {
        // A NaN of b comes before that of the old number.
        let [moment, old] = [MOMENT, Reg(0)].map(Vector::xmm);
        self.keep_first(true);
        self.asm.put(I::with2(C::VEX_Vmovq_xmm_rm64, old, R::RAX));
        self.asm.put(I::with2(C::VEX_Vmovsd_xmm_m64, moment, b));
        self.asm.put(I::with3(C::VEX_Vaddsd_xmm_xmm_xmmm64, moment, moment, old));
        self.asm.put(I::with2(C::VEX_Vmovq_rm64_xmm, R::R14, moment));
        self.keep_first(false);
    }

    /// Puts the first vector register away, or has it again.
    fn keep_first(&mut self, away: bool) {
        let (place, first) = (at(R::RDI, Frame::scratch(0)), Reg(0).ymm());
        self.asm.put(if away {
            I::with2(C::VEX_Vmovdqu_ymmm256_ymm, place, first)
        } else {
            I::with2(C::VEX_Vmovdqu_ymm_ymmm256, first, place)
        });
    }

    /// Where the memory is global, subnormals are zeros of their sign. A NaN is the canonical one.
    fn add_float(&mut self, b: MemoryOperand, flush: bool) {
        let moment = MOMENT.xmm();
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R13D, b));
        self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, R::EAX));
        if flush {
            self.flush_word(R::R13D);
            self.flush_word(R::R14D);
        }
        let other = at(R::RDI, Frame::SAVED + 8);
        self.asm.put(I::with2(C::Mov_rm32_r32, other, R::R14D));
        self.asm.put(I::with2(C::VEX_Vmovd_xmm_rm32, moment, R::R13D));
        self.asm.put(I::with3(C::VEX_Vaddss_xmm_xmm_xmmm32, moment, moment, other));
        self.asm.put(I::with2(C::VEX_Vmovd_rm32_xmm, R::R14D, moment));
        if flush {
            self.flush_word(R::R14D);
        }
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R13D, 0x7fff_ffff));
        self.asm.put(I::with2(C::VEX_Vucomiss_xmm_xmmm32, moment, moment));
        self.asm.put(I::with2(C::Cmovp_r32_rm32, R::R14D, R::R13D));
    }

    fn flush_word(&mut self, register: R) {
        let done = self.asm.label();
        self.asm.put(I::with2(C::Test_rm32_imm32, register, 0x7f80_0000));
        self.asm.jump(C::Jne_rel32_64, done);
        self.asm.put(I::with2(C::And_rm32_imm32, register, i32::MIN));
        self.asm.bind(done);
    }
}
