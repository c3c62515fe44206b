//! Loads and stores of the register files, and masks.

use super::{Avx2, Avx2Emitter, PoolVector, SCRATCH, Vector};
use crate::emit::asm::at;
use crate::emit::backend::Primitives;
use crate::emit::register_cache::{Key, Reg};
use crate::emit::vector::{Operand, V, register_file};
use crate::machine::Mode;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx2Emitter<'_> {
    pub(super) fn load_key(&mut self, to: Reg, key: Key) {
        match key {
            Key::Predicate(..) => self.spread_byte(to, register_file::<super::Avx2>(key)),
            Key::Other(source, width, part) => self.load_other(to, source, width, part),
            Key::B32(..) | Key::B64(..) => self.two(V::Load, to, register_file::<super::Avx2>(key)),
        }
    }

    /// Stores a register. Inactive lanes are merged from the register file, so that it can be
    /// stored whole.
    pub(super) fn store_key(&mut self, from: Reg, key: Key) {
        let register_file = register_file::<super::Avx2>(key);
        let some = self.mode == Mode::Some;
        match key {
            Key::Predicate(_, part) => {
                self.asm.put(I::with2(C::VEX_Vmovmskps_r32_ymm, R::EAX, from.ymm()));
                if some {
                    let shift = 8 * u32::from(part);
                    self.asm.put(I::with2(C::Xor_r8_rm8, R::AL, register_file));
                    self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, shift));
                    self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
                    self.asm.put(I::with2(C::Shr_rm32_imm8, R::EAX, shift));
                    self.asm.put(I::with2(C::Xor_r8_rm8, R::AL, register_file));
                }
                self.asm.put(I::with2(C::Mov_rm8_r8, register_file, R::AL));
            }
            Key::B32(..) | Key::B64(..) => {
                if some {
                    self.inactive_lanes(key);
                    Avx2::blend(self, false, (from, from), register_file, SCRATCH);
                }
                // A masked store would delay later loads of the value, because it cannot be
                // forwarded to them.
                self.store(register_file, from);
            }
            Key::Other(..) => {}
        }
    }

    /// Loads the mask of inactive lanes of a part into the scratch register. Only in
    /// [`Mode::Some`].
    pub(super) fn inactive_lanes(&mut self, key: Key) {
        match key {
            Key::B64(_, part) => self.inactive_row(SCRATCH, part / 2, Some(part % 2)),
            Key::B32(_, part) | Key::Predicate(_, part) | Key::Other(_, _, part) => {
                self.inactive_row(SCRATCH, part, None);
            }
        }
    }

    /// A constant vector of the pool.
    pub(super) fn pool_vector(&mut self, row: PoolVector) -> Operand {
        at(R::R9, self.pooled(&row)).into()
    }

    /// Widens half of a mask of 32-bit lanes to 64-bit lanes.
    pub(super) fn widen_mask(&mut self, to: Reg, from: Reg, half: u8) {
        let mut low = from;
        if half == 1 {
            self.upper_half(to, from);
            low = to;
        }
        self.widen(V::ExtendS, to, low);
    }
}
