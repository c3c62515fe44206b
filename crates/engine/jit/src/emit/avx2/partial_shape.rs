//! Shapes of addresses where only some lanes are active, and the addresses of inactive lanes are
//! undefined. The first two executing lanes decide for which shape all executing lanes are tested.

use super::address::{BASE_ROW, Base, MemAccess};
use super::offsets::EXECUTING;
use super::shape::{Bases, CONTIGUOUS, Slot, UNIFORM};
use super::{Avx2Emitter, LANES_SIZE, MOVE, PARTS, SCRATCH, Vector};
use crate::emit::asm::{Label, at};
use crate::emit::base_groups::Member;
use crate::emit::register_cache::Reg;
use crate::emit::vector::Operand;
use crate::frame::Frame;
use crate::machine::Mode;
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

const AND: C = C::VEX_Vpand_ymm_ymm_ymmm256;
const AND_NOT: C = C::VEX_Vpandn_ymm_ymm_ymmm256;

impl Avx2Emitter<'_> {
    /// Loads the mask of inactive lanes of a part from the frame. Only in [`Mode::Some`].
    pub(super) fn inactive_row(&mut self, to: Reg, part: u8, half: Option<u8>) {
        let row = Frame::INACTIVE_LANES + usize::from(part) * LANES_SIZE;
        match half {
            None => self.two(MOVE, to, at(R::RDI, row)),
            Some(half) => {
                let row = at(R::RDI, row + 16 * usize::from(half));
                self.asm.put(I::with2(C::VEX_Vpmovsxdq_ymm_xmmm128, to.ymm(), row));
            }
        }
    }

    /// Computes the mask that [`Self::inactive_row`] loads.
    pub(super) fn update_inactive_lanes(&mut self) {
        let ones = self.number(u32::MAX);
        for part in 0..PARTS {
            let part = usize::from(part);
            self.spread_byte(SCRATCH, at(R::RDI, Frame::MASK + part));
            self.three(C::VEX_Vpxor_ymm_ymm_ymmm256, SCRATCH, SCRATCH, ones);
            let to = at(R::RDI, Frame::INACTIVE_LANES + part * LANES_SIZE);
            self.store(to, SCRATCH);
        }
    }

    /// Sets lanes of a part that do not execute the step to 0; `EXECUTING` is the mask of executing
    /// lanes.
    pub(super) fn zero_not_executing(
        &mut self,
        guard: Predicate,
        (part, half): (u8, Option<u8>),
        values: &[Reg],
        lanes: Reg,
    ) {
        let code = if self.mode == Mode::Some && guard == Predicate::Always {
            self.inactive_row(lanes, part, half);
            AND_NOT
        } else {
            self.spread_byte(lanes, at(R::RDI, EXECUTING + usize::from(part)));
            if let Some(half) = half {
                self.widen_mask(lanes, lanes, half);
            }
            AND
        };
        for &value in values {
            self.three(code, value, lanes, value);
        }
    }

    /// [`Self::reach`] where only some lanes are active. All parts together must be contiguous.
    /// Preserves `rbx`.
    pub(super) fn reach_some(
        &mut self,
        mem: &MemAccess,
        member: Option<Member>,
        same: bool,
        not: Label,
    ) {
        // An offset of more than 32 bits would need `r12`.
        let is_near = i32::try_from(mem.access.offset as i64).is_ok();
        let Some((row, bases)) = self.bases_in_memory(mem).filter(|_| is_near) else {
            return self.asm.jump(C::Jmp_rel32_64, not);
        };
        let wide = bases.2;
        let size = if wide { 8 } else { 4 };
        let (other, one, found) = (self.asm.label(), self.asm.label(), self.asm.label());
        let of = |lane: R| {
            let from = row.displacement;
            MemoryOperand::with_base_index_scale_displ_size(row.base, lane, size, from, 1)
        };
        let (load, sub, compare, test) = if wide {
            (C::Mov_r64_rm64, C::Sub_r64_rm64, C::Cmp_r64_rm64, C::Test_rm64_r64)
        } else {
            (C::Mov_r32_rm32, C::Sub_r32_rm32, C::Cmp_r32_rm32, C::Test_rm32_r32)
        };
        let w = |long: R, short: R| if wide { long } else { short };
        let (rbp, r13, r14) = (w(R::RBP, R::EBP), w(R::R13, R::R13D), w(R::R14, R::R14D));
        self.load_executing(mem);
        self.asm.put(I::with2(C::Mov_rm32_r32, at(R::RDI, EXECUTING), R::EBX));
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, R::EBX));
        self.asm.jump(C::Jb_rel32_64, not);
        self.asm.put(I::with2(load, r13, of(R::RAX)));
        self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, R::R12D, R::EBX));
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::R14D, R::R12D));
        self.asm.jump(C::Jb_rel32_64, if same { one } else { not });
        self.asm.put(I::with2(load, rbp, of(R::R14)));
        self.asm.put(I::with2(sub, rbp, r13));
        self.asm.put(I::with2(C::Sub_r32_rm32, R::R14D, R::EAX));
        let shift = mem.unit.trailing_zeros();
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::R14D, shift));
        self.asm.put(I::with2(compare, rbp, r14));
        self.asm.jump(C::Jne_rel32_64, if same { other } else { not });
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, shift));
        self.asm.put(I::with2(sub, r13, w(R::RAX, R::EAX)));
        self.if_like(mem, bases, mem.unit as u64, not);
        let span = member.map_or(0, |member| member.span as usize);
        let ready = |e: &mut Self, kind: u32, step: usize, last: usize| {
            e.asm.put(I::with2(C::Mov_r32_imm32, R::EBP, kind));
            e.asm.put(I::with2(C::Mov_r32_imm32, R::R14D, step as u32));
            e.asm.put(I::with2(C::Mov_r32_imm32, R::R12D, (last + span) as u32));
        };
        ready(self, CONTIGUOUS, 8 * mem.total, 31 * mem.total);
        if same {
            self.asm.jump(C::Jmp_rel32_64, found);
            self.asm.bind(other);
            self.asm.put(I::with2(test, rbp, rbp));
            self.asm.jump(C::Jne_rel32_64, not);
            self.if_like(mem, bases, 0, not);
            self.asm.bind(one);
            ready(self, UNIFORM, 0, 0);
            self.asm.bind(found);
        }
        self.point_from_first(mem, member, not);
    }

    /// Stores the addresses of the parts to the slot: the first from the base in `r13`, the others
    /// each `r14` bytes further. Checks that `r12` bytes from the first on are in bounds.
    fn point_from_first(&mut self, mem: &MemAccess, member: Option<Member>, not: Label) {
        let slot = Slot::of(member);
        if let Base::Affine(value) = mem.base {
            // The indices of later lanes must not wrap around.
            let last = 31 * mem.unit as u32;
            self.add_addend(value.addend, R::R13D, R::RAX);
            let (most, above) = if value.signed {
                (i32::MAX as u32 - last, C::Jg_rel32_64)
            } else {
                (u32::MAX - last, C::Ja_rel32_64)
            };
            self.asm.put(I::with2(C::Cmp_rm32_imm32, R::R13D, most as i32));
            self.asm.jump(above, not);
            self.base_of_index(value, R::R13, R::R13D);
        } else {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R13));
        }
        self.offset_from_base(mem, Some(not));
        let least = member.map_or(mem.access.offset, |member| member.lowest);
        let before = least.wrapping_sub(mem.access.offset) as i32;
        if before != 0 {
            self.asm.put(I::with2(C::Add_rm64_imm32, R::RAX, before));
        }
        let (limit, origin) = (self.limit(mem), self.origin(mem));
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::RAX, limit), C::Jae_rel32_64, not);
        self.asm.put(I::with2(C::Add_r64_rm64, R::R12, R::RAX));
        self.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::R12, limit), C::Jae_rel32_64, not);
        self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, origin));
        for part in 0..PARTS {
            self.asm.put(I::with2(C::Mov_rm64_r64, slot.pointer(part), R::RAX));
            if part + 1 != PARTS {
                self.asm.put(I::with2(C::Add_r64_rm64, R::RAX, R::R14));
            }
        }
    }

    /// The bases of all lanes as a memory operand: in the register file if it is current, else in a
    /// scratch register.
    fn bases_in_memory(&mut self, mem: &MemAccess) -> Option<(MemoryOperand, Bases)> {
        let bases = Self::bases(mem)?;
        let parts = if bases.2 { 2 * PARTS } else { PARTS };
        if self.is_in_register_file(mem) {
            return Some((bases.0, bases));
        }
        for part in 0..parts {
            let reg = match self.base_part(bases, part) {
                Operand::Register(reg) => reg,
                memory @ Operand::Memory(_) => {
                    self.two(MOVE, SCRATCH, memory);
                    SCRATCH
                }
            };
            let to = at(R::RDI, Frame::scratch(BASE_ROW) + usize::from(part) * LANES_SIZE);
            self.store(to, reg);
        }
        Some((at(R::RDI, Frame::scratch(BASE_ROW)), bases))
    }
}
