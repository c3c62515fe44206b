//! Affine addresses: computes a uniform base plus a scaled 32-bit index per lane.

use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::affine::{Addend, Affine, DeferredAddress};
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Key, Kind, Reg};
use crate::operand::{Source, VReg};
use iced_x86::{MemoryOperand, Register as R};

impl<B: Backend> Emitter<'_, B> {
    /// Computes a register whose affine address was deferred, and caches it.
    pub(in crate::emit) fn compute_deferred(&mut self, deferred: DeferredAddress) {
        for (part, key) in (0..).zip(Key::all::<B>(deferred.vreg)) {
            let value = match deferred.vreg {
                VReg::B64(_) => self.affine_part(deferred.value, part),
                VReg::B32(_) | VReg::Predicate(_) => self.index_part(deferred.value, part),
            };
            if let Some(value) = value {
                self.define(key, value, Kind::BITS);
            }
            self.cache.unpin();
        }
    }

    fn affine_part(&mut self, value: Affine, part: u8) -> Option<Reg> {
        let d = if value.addend == Addend::NONE {
            self.extended(Source::B32(value.index), part, value.signed)?
        } else {
            let sum = self.index_part(value, part / 2)?;
            self.extended_half(sum, part % 2, value.signed)
        };
        self.two_with(V::Left64, d, d, u32::from(value.shift));
        if value.add != Source::Literal(0) {
            let add = self.wide_operand(value.add, part)?;
            self.three(V::Add64, d, d, add);
        }
        Some(d)
    }

    /// Computes the index plus the uniform value of an affine address, for one lane group, in a
    /// temporary register.
    fn index_part(&mut self, value: Affine, part: u8) -> Option<Reg> {
        let index = self.narrow(Source::B32(value.index), part)?;
        let d = self.temporary();
        self.sum_of_index(value, d, index.into());
        Some(d)
    }

    /// Computes the index plus the uniform value of an affine address in a given register. Uses
    /// `rax`.
    pub(in crate::emit) fn sum_of_index(&mut self, value: Affine, to: Reg, mut index: Operand) {
        let number = match value.addend.number {
            Source::Literal(number) => self.number(number as u32),
            source => {
                let from = self.number_at(source, R::RAX);
                if B::IS_512 {
                    Operand::Memory(MemoryOperand { is_broadcast: true, ..from })
                } else {
                    self.two(V::Spread32, B::SPARE, Operand::Memory(from));
                    B::SPARE.into()
                }
            }
        };
        if let Operand::Memory(_) = index {
            // Subtraction needs the index as the first operand, which must be a register.
            self.two(V::Load, to, index);
            index = to.into();
        }
        if let Operand::Register(index) = index {
            self.three(if value.addend.minus { V::Sub32 } else { V::Add32 }, to, index, number);
        }
    }
}
