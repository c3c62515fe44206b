//! Moves between vector registers and scratch registers in the frame.

use super::Avx512Emitter;
use super::load::{LOAD, STORE};
use crate::emit::asm::at;
use crate::emit::register_cache::{Kind, Reg};
use crate::frame::Frame;
use crate::operand::{Predicate, Relation, Source, Test, VReg};
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Avx512Emitter<'_> {
    /// See [`crate::emit::backend::Backend::fill_row`].
    pub(super) fn fill_row(&mut self, source: Source, row: usize, narrow: bool) -> Option<()> {
        for part in 0..if narrow { 2 } else { 4 } {
            let value =
                if narrow { self.low_of(source, part)? } else { self.whole_of(source, part)? };
            let to = at(R::RDI, Frame::scratch(row) + 64 * usize::from(part));
            self.asm.put(I::with2(STORE, to, value.z()));
            self.cache.unpin();
        }
        Some(())
    }

    /// See [`crate::emit::backend::Backend::take_row`].
    pub(super) fn take_row(
        &mut self,
        (row, narrow): (usize, bool),
        to: VReg,
        keep: u64,
        guard: Predicate,
    ) -> Option<()> {
        let mut guard = self.guard(guard);
        let from = |bytes: usize| at(R::RDI, Frame::scratch(row) + bytes);
        match to {
            VReg::Predicate(to) => {
                let k = self.temporary_mask();
                self.asm.put(I::with2(C::VEX_Kmovd_kr_km32, k.k(), from(0)));
                self.put_predicate(to, k, &guard);
            }
            VReg::B32(to) => {
                for part in 0..2_u8 {
                    let value = self.temporary();
                    let first = usize::from(part);
                    if narrow {
                        self.asm.put(I::with2(LOAD, value.z(), from(64 * first)));
                    } else {
                        self.low_of_row(value, row, first);
                    }
                    if keep as u32 != u32::MAX {
                        let keep = self.number(keep as u32);
                        let and = C::EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32;
                        self.three(and, value.z(), value, keep);
                    }
                    self.write_narrow(to, part, value, Kind::BITS, &mut guard);
                }
            }
            VReg::B64(to) => {
                for part in 0..4_u8 {
                    let value = self.temporary();
                    let first = usize::from(part);
                    let (code, from) = if narrow {
                        (C::EVEX_Vpmovzxdq_zmm_k1z_ymmm256, from(32 * first))
                    } else {
                        (LOAD, from(64 * first))
                    };
                    self.asm.put(I::with2(code, value.z(), from));
                    if keep != u64::MAX {
                        let keep = self.wide_number(keep);
                        let and = C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64;
                        self.three(and, value.z(), value, keep);
                    }
                    self.write_wide(to, part, value, &mut guard);
                }
            }
        }
        Some(())
    }

    /// Loads the low halves of a part of a scratch register's 64-bit lanes.
    fn low_of_row(&mut self, value: Reg, row: usize, part: usize) {
        let other = self.temporary();
        for (i, half) in [value, other].into_iter().enumerate() {
            let from = at(R::RDI, Frame::scratch(row) + 128 * part + 64 * i);
            self.asm.put(I::with2(LOAD, half.z(), from));
            self.asm.put(I::with2(C::EVEX_Vpmovqd_ymmm256_k1z_zmm, half.y(), half.z()));
        }
        let insert = C::EVEX_Vinserti64x4_zmm_k1z_zmm_ymmm256_imm8;
        self.asm.put(I::with4(insert, value.z(), value.z(), other.y(), 1_u32));
        self.cache.release(other);
    }

    /// See [`crate::emit::backend::Backend::put_number`].
    pub(super) fn put_number(&mut self, to: VReg, guard: Predicate) -> Option<()> {
        let mut guard = self.guard(guard);
        match to {
            VReg::B32(to) => {
                for part in 0..2 {
                    let value = self.temporary();
                    let code = C::EVEX_Vpbroadcastd_zmm_k1z_r32;
                    self.asm.put(I::with2(code, value.z(), R::R12D));
                    self.write_narrow(to, part, value, Kind::BITS, &mut guard);
                }
            }
            VReg::B64(to) => {
                for part in 0..4 {
                    let value = self.temporary();
                    let code = C::EVEX_Vpbroadcastq_zmm_k1z_r64;
                    self.asm.put(I::with2(code, value.z(), R::R12));
                    self.write_wide(to, part, value, &mut guard);
                }
            }
            VReg::Predicate(to) => {
                let value = self.temporary_mask();
                self.asm.put(I::with2(C::VEX_Kmovd_kr_r32, value.k(), R::R12D));
                self.put_predicate(to, value, &guard);
            }
        }
        Some(())
    }

    /// See [`crate::emit::backend::Backend::zeros`].
    pub(super) fn zeros(&mut self, of: Source) -> Option<()> {
        let test = match of {
            Source::B64(_)
            | Source::WideConstant(_)
            | Source::Bytes64(_)
            | Source::FrameAt
            | Source::Literal(_) => Test::UnsignedWide(Relation::Eq),
            _ => Test::Unsigned(Relation::Eq),
        };
        let zero = self.test(test, [of, Source::Literal(0)])?;
        self.asm.put(I::with2(C::VEX_Kmovd_r32_kr, R::R12D, zero.k()));
        Some(())
    }
}
