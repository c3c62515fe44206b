//! Compares the lanes of a register with each other, to compute the costs of accesses
//! ([`crate::emit::cost`]).

use super::operand::register_file;
use super::shape::{ADD, Bases, XOR};
use super::{Avx2Emitter, PARTS};
use crate::emit::asm::Label;
use crate::emit::register_cache::{Key, Reg};
use crate::operand::VReg;
use iced_x86::{Code as C, Register as R};

/// A register whose lanes are compared, and three temporaries.
pub(in crate::emit) struct Lanes {
    bases: Bases,
    own: [Reg; 3],
}

impl Avx2Emitter<'_> {
    /// See [`crate::emit::backend::Backend::lanes_of`].
    pub(super) fn lanes_alike(&mut self, register: VReg) -> Lanes {
        let own = std::array::from_fn(|_| self.temporary());
        for key in Key::all::<super::Avx2>(register) {
            if let Some(reg) = self.cache.position(key) {
                self.canonical(reg);
            }
        }
        let bases = match register {
            VReg::B32(i) => (register_file(Key::B32(i, 0)), Some(i), false),
            VReg::B64(i) | VReg::Predicate(i) => (register_file(Key::B64(i, 0)), Some(i), true),
        };
        Lanes { bases, own }
    }

    /// See [`crate::emit::backend::Backend::unless_apart`].
    pub(super) fn unless_apart(&mut self, lanes: &Lanes, apart: u64, to: Label) {
        let Lanes { bases, own: [any, first, t] } = *lanes;
        let wide = bases.2;
        let (parts, add) =
            if wide { (2 * PARTS, ADD) } else { (PARTS, C::VEX_Vpaddd_ymm_ymm_ymmm256) };
        for part in 0..parts {
            let half_of_mask = part % (parts / 2);
            if half_of_mask == 0 {
                let from = self.base_part(bases, part);
                self.spread(wide, first, from);
            }
            let (base, to) = (self.base_part(bases, part), if part == 0 { any } else { t });
            let mut from = first;
            if apart != 0 {
                let steps = self.multiples(wide, half_of_mask, apart);
                self.three(add, to, first, steps);
                from = to;
            }
            self.three(XOR, to, from, base);
            if part != 0 {
                self.three(C::VEX_Vpor_ymm_ymm_ymmm256, any, any, t);
            }
        }
        self.two(C::VEX_Vptest_ymm_ymmm256, any, any);
        self.asm.jump(C::Jne_rel32_64, to);
    }

    /// See [`crate::emit::backend::Backend::firsts`].
    pub(super) fn firsts_of(&mut self, lanes: &Lanes) {
        let wide = lanes.bases.2;
        let half = if wide { PARTS } else { PARTS / 2 };
        for (part, low, first) in [(0, R::EAX, R::RAX), (half, R::R12D, R::R12)] {
            let from = self.base_part(lanes.bases, part);
            self.first_element(wide, if wide { first } else { low }, from);
        }
    }
}
