//! Where a loop begins: whether lanes had better go through it one after the other.

use super::find::Loop;
use crate::emit::Emitter;
use crate::emit::asm::Label;
use crate::emit::backend::{Backend, site};
use crate::machine::Site;
use crate::operand::Place;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};
use std::mem::offset_of;

impl<B: Backend> Emitter<'_, B> {
    /// What [`Self::if_apart`] looks at goes home.
    pub(super) fn walk_home(&mut self, of: &Loop) {
        if let Some(walk) = of.walk {
            let held: Vec<_> =
                self.values.all().filter(|of| of.1.place() == Some(walk.place)).collect();
            held.into_iter().for_each(|of| self.write_back(of.0));
        }
    }

    /// Goes to a place, with what is held as it is, if lanes had better go through a loop one after the other: there is only
    /// one, or they walk along rows of their own. Else it goes on behind this code.
    pub(super) fn if_apart(&mut self, of: &Loop, to: Label) {
        let go_on = self.asm.label();
        let noted = site(of.site, offset_of!(Site, alone));
        self.asm.put(I::with2(C::Sub_rm32_imm8, noted, 1));
        self.asm.jump(C::Jae_rel32_64, go_on);
        self.asm.put(I::with2(C::Mov_rm32_imm32, noted, 0));
        // The first lane, and those behind it.
        let [lane, other, rest] = [R::EAX, R::R12D, R::EBX];
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, lane, R::R8D));
        self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, rest, R::R8D));
        self.asm.jump(C::Je_rel32_64, to);
        let Some(walk) = of.walk else { return self.asm.bind(go_on) };
        for pair in 0..2 {
            let wide = matches!(walk.place, Place::Wide(_));
            self.asm.put(I::with2(C::Tzcnt_r32_rm32, other, rest));
            let [first, second] = [R::RAX, R::R12].map(|lane| home_of_lane(walk.place, lane));
            let [code, sub, compare] = match wide {
                true => [C::Mov_r64_rm64, C::Sub_r64_rm64, C::Cmp_r64_rm64],
                false => [C::Mov_r32_rm32, C::Sub_r32_rm32, C::Cmp_r32_rm32],
            };
            let [distance, beside] = if wide { [R::R13, R::R14] } else { [R::R13D, R::R14D] };
            self.asm.put(I::with2(code, distance, second));
            self.asm.put(I::with2(sub, distance, first));
            // Where the other lane is if they lie beside each other.
            self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, other));
            self.asm.put(I::with2(C::Sub_r32_rm32, R::R14D, lane));
            self.asm.put(I::with3(C::Imul_r32_rm32_imm32, R::R14D, R::R14D, walk.unit as i32));
            self.asm.put(I::with2(compare, distance, beside));
            self.asm.jump(C::Ja_rel32_64, to);
            if pair == 0 {
                self.asm.put(I::with2(C::Mov_r32_rm32, lane, other));
                self.asm.put(I::with2(C::VEX_Blsr_r32_rm32, rest, rest));
                self.asm.jump(C::Je_rel32_64, go_on);
            }
        }
        self.asm.bind(go_on);
    }
}

/// The number of a lane in a register of 64 bits, at home.
fn home_of_lane(place: Place, lane: R) -> MemoryOperand {
    let (base, bytes, i) = match place {
        Place::Wide(i) => (R::RDX, 8, i),
        Place::Narrow(i) | Place::Predicate(i) => (R::RSI, 4, i),
    };
    let displacement = i64::from(i) * 32 * i64::from(bytes);
    MemoryOperand::with_base_index_scale_displ_size(base, lane, bytes, displacement, 1)
}
