//! Operands into vector registers.

use super::asm::{Zmm, at};
use super::values::{Key, Kind, Width};
use super::{Emitter, Frame};
use crate::block::Source;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Emitter<'_> {
    /// Loads a source that is no register.
    fn load_other(&mut self, z: Zmm, source: Source, width: Width) {
        let broadcast = match width {
            Width::Narrow => C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
            Width::Wide => C::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
        };
        if let Source::Literal(number) = source {
            if number == 0 {
                self.asm.put(I::with3(C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32, z.z(), z.z(), z.z()));
                return;
            }
            let from = at(R::R9, self.pooled(number));
            self.asm.put(I::with2(broadcast, z.z(), from));
            return;
        }
        let (field, displacement) = match source {
            Source::Constant(i) => (Frame::CONSTANTS, i as usize * 128),
            Source::WideConstant(i) => (Frame::WIDE_CONSTANTS, i as usize * 256),
            Source::Row(i) => (Frame::ROWS, i as usize * 128 + self.half * 64),
            Source::Word(i) => (Frame::WORDS, i as usize * 4),
            Source::Bytes32(i) | Source::Bytes64(i) => (Frame::BYTES, i as usize),
            Source::Narrow(_)
            | Source::Wide(_)
            | Source::Literal(_)
            | Source::FrameAt
            | Source::Lane => return,
        };
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, field)));
        let code = match source {
            Source::Row(_) => C::EVEX_Vmovdqu32_zmm_k1z_zmmm512,
            _ => broadcast,
        };
        self.asm.put(I::with2(code, z.z(), at(R::RAX, displacement)));
    }

    /// The vector register that holds something.
    pub(super) fn hold(&mut self, key: Key) -> Zmm {
        if let Some(z) = self.values.find(key) {
            return z;
        }
        let z = self.temporary();
        match key {
            Key::Other(source, width) => self.load_other(z, source, width),
            _ => {
                let from = self.home(key);
                self.asm.put(I::with2(C::EVEX_Vmovdqu32_zmm_k1z_zmmm512, z.z(), from));
            }
        }
        let kind = match key {
            Key::Other(Source::Literal(number), ..) => {
                Kind { normal: number & 0x7f80_0000 != 0 || number & 0x7f_ffff == 0, ..Kind::BITS }
            }
            _ => Kind::BITS,
        };
        self.values.set(z, key, kind, false);
        z
    }

    /// Lanes of 32 bits, whose NaNs may be any.
    pub(super) fn float(&mut self, source: Source) -> Option<Zmm> {
        Some(match source {
            Source::Narrow(i) => self.hold(Key::Narrow(i)),
            Source::Wide(_) | Source::WideConstant(_) | Source::Bytes64(_) => return None,
            other => self.hold(Key::Other(other, Width::Narrow)),
        })
    }

    /// Lanes of 32 bits as they are.
    pub(super) fn narrow(&mut self, source: Source) -> Option<Zmm> {
        let z = self.float(source)?;
        self.canonical(z);
        Some(z)
    }

    /// A part of lanes of 64 bits.
    pub(super) fn wide(&mut self, source: Source, part: usize) -> Option<Zmm> {
        Some(match source {
            Source::Wide(i) => self.hold(Key::Wide(i, part)),
            Source::Narrow(_)
            | Source::Constant(_)
            | Source::Row(_)
            | Source::Word(_)
            | Source::Bytes32(_) => return None,
            other => self.hold(Key::Other(other, Width::Wide)),
        })
    }

    /// A number in all lanes of 32 bits.
    pub(super) fn literal(&mut self, number: u32) -> Zmm {
        self.hold(Key::Other(Source::Literal(number.into()), Width::Narrow))
    }
}
