//! Loads and stores of the register files.

use super::{Avx512, Avx512Emitter, LANES, SCRATCH};
use crate::emit::backend::Primitives;
use crate::emit::register_cache::{Key, Reg, Width};
use crate::emit::vector::{V, register_file};
use crate::machine::Mode;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

pub(super) const MOVE: C = C::EVEX_Vmovdqa32_zmm_k1z_zmmm512;

impl Avx512Emitter<'_> {
    pub(super) fn load_key(&mut self, to: Reg, key: Key) {
        match key {
            Key::Predicate(..) => {
                self.asm.put(I::with2(
                    C::VEX_Kmovd_kr_km32,
                    to.k(),
                    register_file::<super::Avx512>(key),
                ));
            }
            Key::Other(source, width, part) => self.load_other(to, source, width, part),
            _ => self.two(V::Load, to, register_file::<super::Avx512>(key)),
        }
    }

    pub(super) fn store_key(&mut self, from: Reg, key: Key) {
        let to = register_file::<super::Avx512>(key);
        let some = self.mode == Mode::Some;
        match key {
            Key::Predicate(..) if some => {
                self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::EAX, from.k()));
                self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, to));
                self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
                self.asm.put(I::with2(C::Xor_rm32_r32, to, R::EAX));
            }
            Key::Predicate(..) => self.asm.put(I::with2(C::VEX_Kmovd_m32_kr, to, from.k())),
            // A masked store would delay later loads of the value, because it cannot be forwarded
            // to them.
            Key::B32(_, part) | Key::B64(_, part) if some => {
                let wide = matches!(key, Key::B64(..));
                let lanes = Avx512::mask_of(self, LANES, wide, part);
                self.two(V::Load, SCRATCH, to);
                Avx512::blend(self, wide, (SCRATCH, SCRATCH), from, lanes);
                self.store(to, SCRATCH);
            }
            _ => self.store(to, from),
        }
    }

    /// Shifts a mask so that its first bit is that of `lane`.
    pub(super) fn shift_mask(&mut self, to: R, from: R, lane: u8) {
        self.asm.put(match lane {
            0 => I::with2(C::VEX_Kmovd_kr_km32, to, from),
            _ => I::with3(C::VEX_Kshiftrd_kr_kr_imm8, to, from, u32::from(lane)),
        });
    }

    /// A 32-bit constant in all lanes, in a register.
    pub(super) fn literal(&mut self, number: u32) -> Reg {
        self.hold(Key::Other(Source::Literal(number.into()), Width::B32, 0))
    }
}
