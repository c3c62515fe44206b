//! Addresses that are not computed where they are not needed: a number for all, and one of 32 bits for each lane.

use super::memory::{Way, site, spread_of};
use super::{MOMENT, Maker};
use crate::emit::affine::Affine;
use crate::emit::asm::{Label, at};
use crate::emit::frame::Frame;
use crate::emit::values::Reg;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

const ADD: C = C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
const SHIFT: C = C::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;

impl Maker<'_> {
    /// A part of such an address, in a temporary.
    pub(super) fn affine_part(&mut self, value: Affine, part: u8) -> Option<Reg> {
        let d = self.extended(Source::Narrow(value.index), part, value.signed)?;
        if value.shift != 0 {
            self.asm.put(I::with3(SHIFT, d.z(), d.z(), u32::from(value.shift)));
        }
        if value.add != Source::Literal(0) {
            let add = self.wide_operand(value.add, part)?;
            self.three(ADD, d.z(), d, add);
        }
        Some(d)
    }

    /// The base of an access, in the registers that there are for it. Uses `rax`.
    pub(super) fn compute_bases(&mut self, way: &Way) {
        let Some((value, index)) = way.affine else { return };
        let add = match value.add {
            Source::Literal(number) => at(R::R9, self.pooled(&[number])),
            source => self.number_at(source, R::RAX),
        };
        for (part, base) in way.bases.iter().enumerate() {
            let mut from = index[part / 2];
            if part % 2 == 1 {
                let extract = C::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8;
                self.asm.put(I::with3(extract, MOMENT.y(), from.z(), 1_u32));
                from = MOMENT;
            }
            let extend = if value.signed {
                C::EVEX_Vpmovsxdq_zmm_k1z_ymmm256
            } else {
                C::EVEX_Vpmovzxdq_zmm_k1z_ymmm256
            };
            self.asm.put(I::with2(extend, base.z(), from.y()));
            if value.shift != 0 {
                self.asm.put(I::with3(SHIFT, base.z(), base.z(), u32::from(value.shift)));
            }
            if value.add != Source::Literal(0) {
                self.asm.put(I::with3(ADD, base.z(), base.z(), spread_of(add)));
            }
        }
    }

    /// Where an input of 64 bits is that is the same in all lanes.
    fn number_at(&mut self, source: Source, by: R) -> MemoryOperand {
        let (field, displacement) = match source {
            Source::WideConstant(i) => (Frame::WIDE_CONSTANTS, i as usize * 256),
            Source::Bytes64(i) => (Frame::BYTES, i as usize),
            _ => return at(R::RDI, Frame::BYTES),
        };
        self.asm.put(I::with2(C::Mov_r64_rm64, by, at(R::RDI, field)));
        at(by, displacement)
    }

    /// The offsets of the first lanes of the halves, in `rax` and `r12`, where `add` is the field of the site that
    /// makes them of addresses. It goes on at `to` if the lanes behind them (`rows`) might be others than their
    /// numbers say. Uses `r13`, `r14` and `rbx`.
    pub(super) fn affine_firsts(&mut self, way: &Way, add: usize, rows: bool, to: Label) {
        let Some((value, index)) = way.affine else { return };
        let halves = [(R::RAX, R::EAX), (R::R12, R::R12D)];
        for ((_, low), index) in halves.into_iter().zip(index) {
            self.asm.put(I::with2(C::EVEX_Vmovd_rm32_xmm, low, index.x()));
        }
        if rows {
            // No number may be the last one before zero, or before the sign.
            let above = |by| MemoryOperand::with_base_displ(by, 0x4000_0000);
            if value.signed {
                self.asm.put(I::with2(C::Lea_r32_m, R::R14D, above(R::RAX)));
                self.asm.put(I::with2(C::Lea_r32_m, R::EBX, above(R::R12)));
                self.asm.put(I::with2(C::Or_r32_rm32, R::R14D, R::EBX));
            } else {
                self.asm.put(I::with2(C::Mov_r32_rm32, R::R14D, R::EAX));
                self.asm.put(I::with2(C::Or_r32_rm32, R::R14D, R::R12D));
            }
            self.asm.put(I::with2(C::Test_rm32_r32, R::R14D, R::R14D));
            self.asm.jump(C::Js_rel32_64, to);
        }
        match value.add {
            Source::Literal(number) => {
                self.asm.put(I::with2(C::Mov_r64_imm64, R::R13, number));
            }
            source => {
                let from = self.number_at(source, R::R13);
                self.asm.put(I::with2(C::Mov_r64_rm64, R::R13, from));
            }
        }
        self.asm.put(I::with2(C::Add_r64_rm64, R::R13, site(way, add)));
        for (first, low) in halves {
            if value.signed {
                self.asm.put(I::with2(C::Movsxd_r64_rm32, first, low));
            }
            let mut scale = 1_u32 << value.shift;
            if scale > 8 {
                self.asm.put(I::with2(C::Shl_rm64_imm8, first, u32::from(value.shift)));
                scale = 1;
            }
            let sum = MemoryOperand::with_base_index_scale(R::R13, first, scale);
            self.asm.put(I::with2(C::Lea_r64_m, first, sum));
        }
    }
}
