//! Loads from an address that all lanes are expected to have ([`crate::emit::uniform`]), which give
//! one value to all lanes. Only code for all live lanes contains loads of this kind.

use super::access::{Base, MemAccess};
use super::shape::{Distance, ONE, Row, Slot, shape};
use crate::emit::Emitter;
use crate::emit::asm::J;
use crate::emit::backend::Backend;
use crate::emit::vector::V;
use crate::ir::{Load, Step};
use crate::operand::VReg;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// Emits the load. Exits if active lanes have different addresses, or the address is out of
    /// bounds.
    pub(super) fn load_same(&mut self, step: &Step, load: &Load) -> Option<()> {
        let base = load.access.base.map_or(Base::None, |source| self.base(source));
        let mem = self.access_with_base(base, &load.access, (step.guard, step.at), 2);
        let (slot, found) = (Slot::of(mem.member), self.asm.label());
        if let Some(member) = mem.member.filter(|member| !member.leads) {
            self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, slot.pointer(0)));
            self.asm.jump_if(I::with2(C::Cmp_rm32_imm8, shape(member.slot), ONE), J::E, found);
        }
        self.reach_same(&mem)?;
        self.asm.bind(found);
        self.same_to_destinations(load, Row { displacement: slot.data_offset, ..Row::R13 });
        Some(())
    }

    /// Writes 32-bit elements at an address to their destinations.
    pub(super) fn same_to_destinations(&mut self, load: &Load, row: Row) {
        self.cache.unpin();
        for (i, to) in load.to.iter().enumerate() {
            let Some(VReg::B32(to)) = *to else { continue };
            let value = self.temporary();
            self.two(V::Spread32, value, row.at(4 * i));
            self.cache.define_same(VReg::B32(to), Self::PARTS, value, false);
        }
        self.cache.unpin();
    }

    /// Loads the address that all lanes have into `r13`, and stores it for the later accesses of
    /// the base group.
    fn reach_same(&mut self, mem: &MemAccess) -> Option<()> {
        let bases = Self::lane_base(mem)?;
        let (parts, [any, t, ..]) = (self.base_parts(bases), mem.own);
        let [differ, same] = [(); 2].map(|()| self.asm.label());
        self.unless_apart(&parts, (bases.wide, parts.len()), 0, [any, t], differ);
        self.first_element(bases.wide, R::EAX, parts[0]);
        self.asm.goto(same);
        self.asm.bind(differ);
        // Lanes that are not live need not have the address. The register file gets the base.
        bases.vreg.into_iter().for_each(|vreg| self.store_stale(vreg));
        self.load_executing(mem);
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EBP, R::EBX));
        self.base_of_lane(mem);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, R::RAX));
        self.each_lane(|e| {
            e.base_of_lane(mem);
            e.asm.jump_if(I::with2(C::Cmp_r64_rm64, R::RAX, R::R13), J::NE, mem.out);
        });
        self.asm.bind(same);
        self.limit_before(mem, mem.member.map_or(0, |member| member.span as usize), mem.out);
        self.address_of_first(mem, R::RAX, mem.out);
        self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, R::RAX));
        if let Some(member) = mem.member {
            Slot::of(mem.member).keep_row(self, Distance::Bytes(0));
            self.asm.put(I::with2(C::Mov_rm32_imm32, shape(member.slot), ONE as i32));
        }
        Some(())
    }
}
