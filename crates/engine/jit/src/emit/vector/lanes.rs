//! Compares the lanes of a register with each other.

use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::asm::Label;
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Key, Reg};
use crate::operand::VReg;

impl<B: Backend> Emitter<'_, B> {
    /// The operands of the lane groups of a register with their exact bits: processor registers, or
    /// memory operands of the register file. Valid until a register is allocated.
    pub(in crate::emit) fn parts_of(&mut self, register: VReg) -> Vec<Operand> {
        let part = |key| match self.cache.position(key) {
            Some(reg) => {
                self.canonical(reg);
                reg.into()
            }
            None => super::register_file::<B>(key).into(),
        };
        Key::all::<B>(register).map(part).collect()
    }

    /// Jumps to `to` unless, in each group of consecutive lane groups, each lane's value is that of
    /// the lane before it plus `apart`. The registers are overwritten.
    pub(in crate::emit) fn unless_apart(
        &mut self,
        parts: &[Operand],
        (wide, group): (bool, usize),
        apart: u64,
        [any, moved]: [Reg; 2],
        to: Label,
    ) {
        let (add, xor) = if wide { (V::Add64, V::Xor64) } else { (V::Add32, V::Xor32) };
        for (part, &lanes) in parts.iter().enumerate() {
            if part % group == 0 {
                self.spread(wide, B::SPARE, lanes);
            }
            let mut from = B::SPARE;
            if apart != 0 {
                let steps = self.multiples(wide, (part % group) as u8, apart);
                from = moved;
                self.three(add, moved, B::SPARE, steps);
            }
            if part == 0 {
                self.three(xor, any, from, lanes);
            } else {
                B::or_difference(self, (any, moved), from, lanes);
            }
        }
        B::jump_if_any(self, any, to);
    }
}
