//! Shapes of addresses where only some lanes are active, and the addresses of inactive lanes are
//! undefined. The first two executing lanes decide for which shape all executing lanes are tested.

use super::BASE_ROW;
use super::access::{Base, LaneBase, MemAccess, sized};
use super::shape::{CONTIGUOUS, Distance, Slot, UNIFORM};
use crate::emit::Emitter;
use crate::emit::asm::{J, Label, at, with_index};
use crate::emit::backend::Backend;
use crate::emit::vector::{Opcode, Operand, V, part_of_row};
use crate::frame::Frame;
use crate::ir::Space;
use crate::machine::Mode;
use crate::operand::Predicate;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// [`Self::reach`] where only some lanes are active. All lane groups together must be
    /// contiguous.
    pub(super) fn reach_some(&mut self, mem: &MemAccess, same: bool, not: Label) {
        let Some((row, bases)) = self.bases_in_memory(mem) else {
            return self.asm.goto(not);
        };
        let wide = bases.wide;
        let size = if wide { 8 } else { 4 };
        let [row_of_one, other, one, found] = std::array::from_fn(|_| self.asm.label());
        let of = |lane: R| with_index(row, lane, size);
        let (load, sub, compare, test) = if wide {
            (C::Mov_r64_rm64, C::Sub_r64_rm64, C::Cmp_r64_rm64, C::Test_rm64_r64)
        } else {
            (C::Mov_r32_rm32, C::Sub_r32_rm32, C::Cmp_r32_rm32, C::Test_rm32_r32)
        };
        let [rax, rbp, r13, r14] = [R::RAX, R::RBP, R::R13, R::R14].map(|long| sized(long, wide));
        self.load_executing(mem);
        B::keep_executing(self, mem);
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, R::EBX));
        self.asm.jump(J::B, not);
        self.asm.put(I::with2(load, r13, of(R::RAX)));
        self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, R::R12D, R::EBX));
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::R14D, R::R12D));
        // The address of a single lane is a row as well as one address for all lanes.
        self.asm.jump(J::B, if same { one } else { row_of_one });
        self.asm.put(I::with2(load, rbp, of(R::R14)));
        self.asm.put(I::with2(sub, rbp, r13));
        self.asm.put(I::with2(C::Sub_r32_rm32, R::R14D, R::EAX));
        let shift = mem.unit.trailing_zeros();
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::R14D, shift));
        self.asm.put(I::with2(compare, rbp, r14));
        self.asm.jump(J::NE, if same { other } else { not });
        self.asm.bind(row_of_one);
        self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, shift));
        self.asm.put(I::with2(sub, r13, rax));
        self.if_like(mem, bases, mem.unit as u64, not);
        let span = mem.member.map_or(0, |member| member.span as usize);
        self.shape_of(mem, CONTIGUOUS, 31 * mem.total + span, not);
        self.asm.put(I::with2(C::Mov_r32_imm32, R::R14D, (B::LANES * mem.total) as u32));
        if same {
            self.asm.goto(found);
            self.asm.bind(other);
            self.asm.jump_if(I::with2(test, rbp, rbp), J::NE, not);
            self.if_like(mem, bases, 0, not);
            self.asm.bind(one);
            self.shape_of(mem, UNIFORM, span, not);
            self.asm.put(I::with2(C::Xor_r32_rm32, R::R14D, R::R14D));
            self.asm.bind(found);
        }
        if let Base::Affine(value) = mem.base {
            self.add_addend(value.addend, R::R13D, R::RAX);
            self.unless_wrapping(mem, value, 31, R::R13D, not);
            self.base_of_index(value, R::R13);
        } else {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, R::R13));
        }
        self.address_of_first(mem, R::RAX, not);
        Slot::of(mem.member).keep_row(self, Distance::Register(R::R14));
    }

    /// Whether the shape of the addresses is that of the executing lanes' checked offsets
    /// ([`Self::point_to_executing`]): in shared memory, with AVX-512, which can access lane groups
    /// of rows that are out of bounds.
    pub(super) fn has_rows_of_offsets(&self, mem: &MemAccess) -> bool {
        let always = self.mode == Mode::Live && mem.guard == Predicate::Always;
        let narrow = matches!(mem.base, Base::Lanes(LaneBase { wide: false, .. }));
        !always && narrow && mem.access.space == Space::Shared && Self::is_gathered(mem)
    }

    /// Loads the addresses of the lane groups, of which only executing lanes may be accessed. Jumps
    /// to `not` unless their checked offsets are contiguous.
    pub(super) fn point_to_executing(&mut self, mem: &MemAccess, not: Label) {
        let pointers = [0, 1].map(|part| (part, Slot::register::<B>(part)));
        for (part, to) in pointers {
            let offset = self.offset_register(mem, part);
            B::first_offset(self, mem, part, offset, to, not);
        }
        let origin = self.origin(mem);
        for (_, to) in pointers {
            self.asm.put(I::with2(C::Add_r64_rm64, to, origin));
        }
    }

    /// Jumps to `not` unless the bases of executing lanes increase by `distance` from lane to lane,
    /// starting with the base in `r13`.
    fn if_like(&mut self, mem: &MemAccess, bases: LaneBase, distance: u64, not: Label) {
        let [any, t, u, ..] = mem.own;
        let wide = bases.wide;
        let (code, from) =
            if wide { (V::FromGeneral, R::R13) } else { (V::FromGeneral32, R::R13D) };
        self.asm.put(I::with2(code.code::<B>(), t.xmm(), from));
        self.spread(wide, t, t.into());
        for (part, base) in (0..).zip(self.base_parts(bases)) {
            let to = if part == 0 { any } else { u };
            let mut from = t;
            if distance != 0 {
                let elements = self.multiples(wide, part, distance);
                self.three(if wide { V::Add64 } else { V::Add32 }, to, t, elements);
                from = to;
            }
            self.three(V::Xor32, to, from, base);
            B::keep_lanes(self, mem, (wide, part), &[to]);
            if part != 0 {
                self.three(V::Or32, any, any, u);
            }
        }
        B::jump_if_any(self, any, not);
    }

    /// The bases of all lanes as a memory operand: in the register file if it is current, else in a
    /// scratch register.
    fn bases_in_memory(&mut self, mem: &MemAccess) -> Option<(MemoryOperand, LaneBase)> {
        let bases = Self::lane_base(mem)?;
        if self.is_in_register_file(bases) {
            return Some((bases.row, bases));
        }
        for part in 0..Self::parts_of_width(bases.wide) {
            let reg = match self.base_part(bases, part) {
                Operand::Register(reg) => reg,
                memory @ Operand::Memory(_) => {
                    self.two(V::Load, B::SPARE, memory);
                    B::SPARE
                }
            };
            self.store(part_of_row::<B>(BASE_ROW, part), reg);
        }
        Some((at(R::RDI, Frame::scratch(BASE_ROW)), bases))
    }
}
