//! Loads and stores of the register files, and sources of steps as registers or memory operands.

use super::{Avx512Emitter, Guard, LANES, SCRATCH, SCRATCH_MASK};
use crate::emit::asm::{at, spread};
use crate::emit::register_cache::{Key, Kind, Nans, Reg, Width};
use crate::frame::Frame;
use crate::machine::Mode;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

pub(super) const LOAD: C = C::EVEX_Vmovdqu32_zmm_k1z_zmmm512;
pub(super) const STORE: C = C::EVEX_Vmovdqu32_zmmm512_k1z_zmm;

/// The last operand of an instruction, which may be in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand {
    Register(Reg),
    Memory(MemoryOperand),
}

impl From<Reg> for Operand {
    fn from(reg: Reg) -> Self {
        Self::Register(reg)
    }
}

/// The memory operand of a part of a register in its register file.
fn register_file(key: Key) -> MemoryOperand {
    match key {
        Key::B32(i, part) => at(R::RSI, i as usize * 128 + usize::from(part) * 64),
        Key::B64(i, part) => at(R::RDX, i as usize * 256 + usize::from(part) * 64),
        Key::Predicate(i, _) => at(R::RCX, i as usize * 4),
        Key::Other(..) => at(R::RDI, 0),
    }
}

impl Avx512Emitter<'_> {
    pub(super) fn load_key(&mut self, to: Reg, key: Key) {
        match key {
            Key::Predicate(..) => {
                self.asm.put(I::with2(C::VEX_Kmovd_kr_km32, to.k(), register_file(key)));
            }
            Key::Other(source, width, part) => self.load_other(to, source, width, part),
            _ => self.asm.put(I::with2(LOAD, to.z(), register_file(key))),
        }
    }

    pub(super) fn store_key(&mut self, from: Reg, key: Key) {
        let to = register_file(key);
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
                let mut lanes = LANES;
                if part != 0 {
                    self.shift_mask(SCRATCH_MASK, LANES, part * if wide { 8 } else { 16 });
                    lanes = SCRATCH_MASK;
                }
                self.asm.put(I::with2(LOAD, SCRATCH.z(), to));
                self.merge(SCRATCH, from, lanes, wide);
                self.asm.put(I::with2(STORE, to, SCRATCH.z()));
            }
            _ => self.asm.put(I::with2(STORE, to, from.z())),
        }
    }

    /// Shifts a mask so that its first bit is that of `lane`.
    pub(super) fn shift_mask(&mut self, to: R, from: R, lane: u8) {
        self.asm.put(match lane {
            0 => I::with2(C::VEX_Kmovd_kr_km32, to, from),
            _ => I::with3(C::VEX_Kshiftrd_kr_kr_imm8, to, from, u32::from(lane)),
        });
    }

    /// Merges a value into `to` in the lanes of a mask.
    pub(super) fn merge(&mut self, to: Reg, from: Reg, lanes: R, wide: bool) {
        let code = if wide {
            C::EVEX_Vmovdqa64_zmm_k1z_zmmm512
        } else {
            C::EVEX_Vmovdqa32_zmm_k1z_zmmm512
        };
        self.asm.put_masked(lanes, I::with2(code, to.z(), from.z()));
    }

    /// Writes a part of a 32-bit register; the value is a temporary.
    pub(super) fn write_narrow(
        &mut self,
        to: u32,
        part: u8,
        value: Reg,
        kind: Kind,
        guard: &mut Option<Guard>,
    ) {
        let key = Key::B32(to, part);
        let Some(mask) = self.guard_from(guard, 16 * part) else {
            return self.define(key, value, kind);
        };
        let old = self.hold(key);
        let before = self.cache.kind(old);
        let joined = before.or(kind).unwrap_or_else(|| {
            // The old value's NaNs are bits, so that the new value's NaNs must be canonical too.
            self.canonical(old);
            if kind.nans == Nans::Any {
                self.fix_nans(value.z());
            }
            before.bits_or(kind)
        });
        self.merge(old, value, mask.k(), false);
        let held = self.cache.of(old);
        (held.dirty, held.kind) = (true, joined);
        self.cache.release(value);
        self.drop_guard(guard, 16 * part);
    }

    /// Writes a part of a 64-bit register; the value is a temporary.
    pub(super) fn write_wide(&mut self, to: u32, part: u8, value: Reg, guard: &mut Option<Guard>) {
        let key = Key::B64(to, part);
        let Some(mask) = self.guard_from(guard, 8 * part) else {
            return self.define(key, value, Kind::BITS);
        };
        let old = self.hold(key);
        self.merge(old, value, mask.k(), true);
        self.cache.of(old).dirty = true;
        self.cache.release(value);
        self.drop_guard(guard, 8 * part);
    }

    /// Loads a source that is not a register.
    fn load_other(&mut self, to: Reg, source: Source, width: Width, part: u8) {
        let broadcast = match width {
            Width::B32 => C::EVEX_Vpbroadcastd_zmm_k1z_xmmm32,
            Width::B64 => C::EVEX_Vpbroadcastq_zmm_k1z_xmmm64,
        };
        let (field, displacement) = match source {
            Source::Literal(0) => {
                let zero = C::EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32;
                return self.asm.put(I::with3(zero, to.z(), to.z(), to.z()));
            }
            Source::Literal(number) => {
                let from = at(R::R9, self.pooled(&[number]));
                return self.asm.put(I::with2(broadcast, to.z(), from));
            }
            Source::FrameAt => {
                return self.asm.put(I::with2(broadcast, to.z(), at(R::RDI, Frame::FRAME_AT)));
            }
            Source::Lane => {
                let from = self.lane_numbers(part);
                return self.asm.put(I::with2(LOAD, to.z(), at(R::R9, from)));
            }
            Source::Constant(i) => (Frame::CONSTANTS, i as usize * 128),
            Source::WideConstant(i) => (Frame::WIDE_CONSTANTS, i as usize * 256),
            Source::PerLane(i) => (Frame::PER_LANE, i as usize * 128 + usize::from(part) * 64),
            Source::Uniform(i) => (Frame::UNIFORMS, i as usize * 4),
            Source::Bytes32(i) | Source::Bytes64(i) => (Frame::BYTES, i as usize),
            Source::B32(_) | Source::B64(_) => return,
        };
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, field)));
        let code = if matches!(source, Source::PerLane(_)) { LOAD } else { broadcast };
        self.asm.put(I::with2(code, to.z(), at(R::RAX, displacement)));
    }

    /// The offset in the pool of the numbers of 16 lanes.
    pub(super) fn lane_numbers(&mut self, part: u8) -> usize {
        let first = 16 * u64::from(part);
        let pair = |i: u64| (first + 2 * i) | (first + 2 * i + 1) << 32;
        let numbers: [u64; 8] = std::array::from_fn(|i| pair(i as u64));
        self.pooled(&numbers)
    }

    /// A part of a source as 32-bit lanes, in which NaNs need not be canonical ([`Nans::Any`]).
    pub(super) fn float(&mut self, source: Source, part: u8) -> Option<Reg> {
        Some(match source {
            Source::B32(i) => self.hold(Key::B32(i, part)),
            Source::B64(_) | Source::WideConstant(_) | Source::Bytes64(_) => return None,
            Source::PerLane(_) | Source::Lane => self.hold(Key::Other(source, Width::B32, part)),
            other => self.hold(Key::Other(other, Width::B32, 0)),
        })
    }

    /// A part of a source as 32-bit lanes with their exact bits.
    pub(super) fn narrow(&mut self, source: Source, part: u8) -> Option<Reg> {
        let reg = self.float(source, part)?;
        self.canonical(reg);
        Some(reg)
    }

    /// As [`Self::narrow`], for the last source of an instruction: an immediate becomes a memory
    /// operand.
    pub(super) fn narrow_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        if let Source::Literal(number) = source {
            return Some(self.number(number as u32));
        }
        Some(self.narrow(source, part)?.into())
    }

    /// A 32-bit constant in all lanes, for the last source of an instruction.
    pub(super) fn number(&mut self, number: u32) -> Operand {
        let number = u64::from(number);
        match self.cache.find(Key::Other(Source::Literal(number), Width::B32, 0)) {
            Some(reg) => reg.into(),
            None => Operand::Memory(spread(R::R9, self.pooled(&[number]))),
        }
    }

    /// A part of a source as 64-bit lanes.
    pub(super) fn wide(&mut self, source: Source, part: u8) -> Option<Reg> {
        Some(match source {
            Source::B64(i) => self.hold(Key::B64(i, part)),
            Source::B32(_)
            | Source::Constant(_)
            | Source::PerLane(_)
            | Source::Lane
            | Source::Uniform(_)
            | Source::Bytes32(_) => return None,
            other => self.hold(Key::Other(other, Width::B64, 0)),
        })
    }

    /// As [`Self::wide`], for the last source of an instruction.
    pub(super) fn wide_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        if let Source::Literal(number) = source {
            return Some(self.wide_number(number));
        }
        Some(self.wide(source, part)?.into())
    }

    /// A 64-bit constant in all lanes, for the last source of an instruction.
    pub(super) fn wide_number(&mut self, number: u64) -> Operand {
        match self.cache.find(Key::Other(Source::Literal(number), Width::B64, 0)) {
            Some(reg) => reg.into(),
            None => Operand::Memory(spread(R::R9, self.pooled(&[number]))),
        }
    }

    /// A 32-bit constant in all lanes, in a register.
    pub(super) fn literal(&mut self, number: u32) -> Reg {
        self.hold(Key::Other(Source::Literal(number.into()), Width::B32, 0))
    }

    /// A 64-bit constant in all lanes, in a register.
    pub(super) fn wide_literal(&mut self, number: u64) -> Reg {
        self.hold(Key::Other(Source::Literal(number), Width::B64, 0))
    }

    /// Emits an instruction with two sources.
    pub(super) fn three(&mut self, code: C, d: R, a: Reg, b: impl Into<Operand>) {
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with3(code, d, a.z(), b.z()),
            Operand::Memory(b) => I::with3(code, d, a.z(), b),
        });
    }

    /// Emits an instruction with two sources and an immediate.
    pub(super) fn three_with(&mut self, code: C, d: R, a: Reg, b: impl Into<Operand>, number: u32) {
        self.asm.put(match b.into() {
            Operand::Register(b) => I::with4(code, d, a.z(), b.z(), number),
            Operand::Memory(b) => I::with4(code, d, a.z(), b, number),
        });
    }

    /// Emits an instruction with two sources into a new temporary.
    pub(super) fn binary(&mut self, code: C, a: Reg, b: impl Into<Operand>) -> Reg {
        let (d, b) = (self.temporary(), b.into());
        self.three(code, d.z(), a, b);
        d
    }

    /// Emits an instruction with one source into a new temporary.
    pub(super) fn unary(&mut self, code: C, a: Reg) -> Reg {
        let d = self.temporary();
        self.asm.put(I::with2(code, d.z(), a.z()));
        d
    }
}
