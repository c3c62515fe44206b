//! Sources of steps: values in the register file, constants and inputs, as registers or memory
//! operands.

use super::{Avx2Emitter, LANES_SIZE, MOVE, Operand, SCRATCH, Vector};
use crate::emit::asm::at;
use crate::emit::register_cache::{Key, Reg, Width};
use crate::frame::Frame;
use crate::machine::Mode;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// A value is loaded to a register if its next use is at most this many steps away.
const SOON: u32 = 12;

/// The memory operand of a part of a register in its register file. A part of a predicate is a
/// byte.
pub(super) fn register_file(key: Key) -> MemoryOperand {
    match key {
        Key::B32(i, part) => at(R::RSI, i as usize * 128 + usize::from(part) * LANES_SIZE),
        Key::B64(i, part) => at(R::RDX, i as usize * 256 + usize::from(part) * LANES_SIZE),
        Key::Predicate(i, part) => at(R::RCX, i as usize * 4 + usize::from(part)),
        Key::Other(..) => at(R::RDI, 0),
    }
}

/// The offset of a part of a register in local memory.
pub(super) fn eighth_of_row(word: usize, part: u8) -> usize {
    word * 128 + usize::from(part) * LANES_SIZE
}

impl Avx2Emitter<'_> {
    pub(super) fn load_key(&mut self, to: Reg, key: Key) {
        match key {
            Key::Predicate(..) => self.spread_byte(to, register_file(key)),
            Key::Other(source, width, part) => self.load_other(to, source, width, part),
            Key::B32(..) | Key::B64(..) => self.two(MOVE, to, Operand::Memory(register_file(key))),
        }
    }

    /// Stores a register. Inactive lanes are merged from the register file, so that it can be
    /// stored whole.
    pub(super) fn store_key(&mut self, from: Reg, key: Key) {
        let register_file = register_file(key);
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
                    self.blend(from, from, Operand::Memory(register_file), SCRATCH);
                }
                // A masked store would delay later loads of the value, because it cannot be
                // forwarded to them.
                self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, register_file, from.ymm()));
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

    /// Loads a source that is not a register.
    fn load_other(&mut self, to: Reg, source: Source, width: Width, part: u8) {
        let broadcast = match width {
            Width::B32 => C::VEX_Vpbroadcastd_ymm_xmmm32,
            Width::B64 => C::VEX_Vpbroadcastq_ymm_xmmm64,
        };
        let (field, displacement) = match source {
            Source::Literal(_) | Source::Lane => {
                let from = self.constant(source, width, part);
                return self.two(MOVE, to, from);
            }
            Source::FrameAt => {
                return self.two(broadcast, to, Operand::Memory(at(R::RDI, Frame::FRAME_AT)));
            }
            Source::Constant(i) => (Frame::CONSTANTS, i as usize * 128),
            Source::WideConstant(i) => (Frame::WIDE_CONSTANTS, i as usize * 256),
            Source::PerLane(i) => {
                (Frame::PER_LANE, i as usize * 128 + usize::from(part) * LANES_SIZE)
            }
            Source::Uniform(i) => (Frame::UNIFORMS, i as usize * 4),
            Source::Bytes32(i) | Source::Bytes64(i) => (Frame::BYTES, i as usize),
            Source::B32(_) | Source::B64(_) => return,
        };
        self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, field)));
        let code = if matches!(source, Source::PerLane(_)) { MOVE } else { broadcast };
        self.two(code, to, Operand::Memory(at(R::RAX, displacement)));
    }

    /// The constant of a source in the pool; 0 if the source is not a constant.
    fn constant(&mut self, source: Source, width: Width, part: u8) -> Operand {
        match (source, width) {
            (Source::Literal(number), Width::B32) => self.number(number as u32),
            (Source::Literal(number), Width::B64) => self.wide_number(number),
            _ => {
                let first = 8 * u64::from(part);
                let pair = |i: u64| (first + 2 * i) | (first + 2 * i + 1) << 32;
                self.pool_vector(std::array::from_fn(|i| pair(i as u64)))
            }
        }
    }

    /// A part of a source as 32-bit lanes, in which NaNs need not be canonical
    /// ([`crate::emit::register_cache::Nans::Any`]).
    pub(super) fn float(&mut self, source: Source, part: u8) -> Option<Reg> {
        Some(self.hold(narrow_key(source, part)?))
    }

    /// As [`Self::float`], but returns a memory operand where that is as good.
    pub(super) fn float_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        let key = narrow_key(source, part)?;
        Some(match self.in_memory(key) {
            Some(operand) => operand,
            None => self.hold(key).into(),
        })
    }

    /// A part of a source as 32-bit lanes with their exact bits.
    pub(super) fn narrow(&mut self, source: Source, part: u8) -> Option<Reg> {
        let reg = self.float(source, part)?;
        self.canonical(reg);
        Some(reg)
    }

    /// As [`Self::narrow`], but returns a memory operand where that is as good.
    pub(super) fn narrow_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        let operand = self.float_operand(source, part)?;
        if let Operand::Register(reg) = operand {
            self.canonical(reg);
        }
        Some(operand)
    }

    /// A part of a source as 64-bit lanes.
    pub(super) fn wide(&mut self, source: Source, part: u8) -> Option<Reg> {
        Some(self.hold(wide_key(source, part)?))
    }

    /// As [`Self::wide`], but returns a memory operand where that is as good.
    pub(super) fn wide_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        let key = wide_key(source, part)?;
        Some(match self.in_memory(key) {
            Some(operand) => operand,
            None => self.hold(key).into(),
        })
    }

    /// The memory operand of a value, for constants and for registers that are not used again soon.
    pub(super) fn in_memory(&mut self, key: Key) -> Option<Operand> {
        if let Key::Other(source @ (Source::Literal(_) | Source::Lane), width, part) = key {
            return Some(self.constant(source, width, part));
        }
        let vreg = match key {
            Key::B32(..) | Key::B64(..) => key.vreg()?,
            Key::Predicate(..) | Key::Other(..) => return None,
        };
        if self.cache.position(key).is_some() {
            return None;
        }
        let after = self.facts.uses[self.block].after.get(self.step)?;
        let next = after.iter().find(|a| a.vreg == vreg).map(|a| a.next)?;
        let soon = next.saturating_sub(self.step as u32) <= SOON;
        (!soon).then(|| Operand::Memory(register_file(key)))
    }
}

/// The cache key of a part of a source as 32-bit lanes.
pub(super) fn narrow_key(source: Source, part: u8) -> Option<Key> {
    Some(match source {
        Source::B32(i) => Key::B32(i, part),
        Source::B64(_) | Source::WideConstant(_) | Source::Bytes64(_) => return None,
        Source::PerLane(_) | Source::Lane => Key::Other(source, Width::B32, part),
        other => Key::Other(other, Width::B32, 0),
    })
}

/// The cache key of a part of a source as 64-bit lanes.
fn wide_key(source: Source, part: u8) -> Option<Key> {
    Some(match source {
        Source::B64(i) => Key::B64(i, part),
        Source::B32(_)
        | Source::Constant(_)
        | Source::PerLane(_)
        | Source::Lane
        | Source::Uniform(_)
        | Source::Bytes32(_) => return None,
        other => Key::Other(other, Width::B64, 0),
    })
}
