//! Sources of steps: values in the register file, constants and inputs, as registers or memory
//! operands.

use super::{Operand, V};
use crate::emit::Emitter;
use crate::emit::asm::at;
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Key, Reg, SAME, Width};
use crate::frame::Frame;
use crate::operand::Source;
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// The memory operand of a lane group of a register in its register file.
pub(in crate::emit) fn register_file<B: Backend>(key: Key) -> MemoryOperand {
    let size = 4 * B::LANES;
    match key {
        Key::B32(i, part) => at(R::RSI, i as usize * 128 + usize::from(part) * size),
        Key::B64(i, part) => at(R::RDX, i as usize * 256 + usize::from(part) * size),
        // A lane group of 8 lanes is a byte.
        Key::Predicate(i, part) => at(R::RCX, i as usize * 4 + usize::from(part)),
        Key::Other(..) => at(R::RDI, 0),
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// Loads a source that is an input or a constant.
    pub(in crate::emit) fn load_other(&mut self, to: Reg, source: Source, width: Width, part: u8) {
        let wide = width == Width::B64;
        match source {
            Source::Literal(0) => self.three(V::Xor32, to, to, to),
            // A register that already has the literal may be the destination.
            Source::Literal(number) => {
                let from = B::constant(self, masked(number, width), width);
                self.set(wide, to, from);
            }
            Source::Lane => {
                let from = self.multiples(false, part, 1);
                self.two(V::Load, to, from);
            }
            Source::PerLane(i) => {
                self.asm.put(I::with2(C::Mov_r64_rm64, R::RAX, at(R::RDI, Frame::PER_LANE)));
                let (code, part) = if part == SAME { (V::Spread32, 0) } else { (V::Load, part) };
                let from = at(R::RAX, i as usize * 128 + usize::from(part) * 4 * B::LANES);
                self.two(code, to, Operand::Memory(from));
            }
            source => {
                let from = Operand::Memory(self.number_at(source, R::RAX));
                self.two(if wide { V::Spread64 } else { V::Spread32 }, to, from);
            }
        }
    }

    /// A literal in all lanes: a register that has it, or a memory operand.
    fn constant(&mut self, number: u64, width: Width) -> Operand {
        if B::IS_512
            && let Some(reg) = self.cache.find(Key::Other(Source::Literal(number), width, 0))
        {
            return reg.into();
        }
        B::constant(self, masked(number, width), width)
    }

    /// The lane numbers of a lane group times a distance, in elements of 32 or 64 bits.
    pub(in crate::emit) fn multiples(
        &mut self,
        wide: bool,
        part: u8,
        distance: u64,
    ) -> MemoryOperand {
        let lane = |i: u64| (i * distance) & 0xffff_ffff;
        let half = B::LANES as u64 / 2;
        let row = (half * u64::from(part)..half * (u64::from(part) + 1)).map(|i| match wide {
            true => i * distance,
            false => lane(2 * i) | lane(2 * i + 1) << 32,
        });
        let row: Vec<u64> = row.collect();
        at(R::R9, self.pooled(&row))
    }

    /// A 32-bit constant in all lanes.
    pub(in crate::emit) fn number(&mut self, number: u32) -> Operand {
        self.constant(number.into(), Width::B32)
    }

    /// A 64-bit constant in all lanes.
    pub(in crate::emit) fn wide_number(&mut self, number: u64) -> Operand {
        self.constant(number, Width::B64)
    }

    /// A register with a lane group of a source as 32-bit lanes, in which NaNs need not be
    /// canonical ([`crate::emit::register_cache::Nans::Any`]).
    pub(in crate::emit) fn float(&mut self, source: Source, part: u8) -> Option<Reg> {
        Some(self.hold(narrow_key(source, part)?))
    }

    /// As [`Self::float`], but returns a memory operand where that is as good.
    pub(in crate::emit) fn float_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        let key = narrow_key(source, part)?;
        Some(self.in_memory(key).unwrap_or_else(|| self.hold(key).into()))
    }

    /// A register with a lane group of a source as 32-bit lanes with their exact bits.
    pub(in crate::emit) fn narrow(&mut self, source: Source, part: u8) -> Option<Reg> {
        let reg = self.float(source, part)?;
        self.canonical(reg);
        Some(reg)
    }

    /// As [`Self::narrow`], but returns a memory operand where that is as good.
    pub(in crate::emit) fn narrow_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        let operand = self.float_operand(source, part)?;
        if let Operand::Register(reg) = operand {
            self.canonical(reg);
        }
        Some(operand)
    }

    /// A register with a lane group of a source as 64-bit lanes.
    pub(in crate::emit) fn wide(&mut self, source: Source, part: u8) -> Option<Reg> {
        Some(self.hold(wide_key(source, part)?))
    }

    /// As [`Self::wide`], but returns a memory operand where that is as good.
    pub(in crate::emit) fn wide_operand(&mut self, source: Source, part: u8) -> Option<Operand> {
        let key = wide_key(source, part)?;
        Some(self.in_memory(key).unwrap_or_else(|| self.hold(key).into()))
    }

    /// The operand of a constant, or of the lane numbers.
    pub(in crate::emit) fn in_memory(&mut self, key: Key) -> Option<Operand> {
        match key {
            Key::Other(Source::Literal(number), width, _) => Some(self.constant(number, width)),
            Key::Other(Source::Lane, _, part) => Some(self.multiples(false, part, 1).into()),
            _ => None,
        }
    }

    /// Whether the register file has the exact bits of the current value of a lane group.
    pub(in crate::emit) fn is_stored(&self, key: Key) -> bool {
        !self.cache.is_unsettled(key)
            && self.cache.position(key).is_none_or(|reg| !self.cache.get(reg).dirty)
    }

    /// A register with the low 32 bits of a source.
    pub(in crate::emit) fn low_of(&mut self, source: Source, part: u8) -> Option<Reg> {
        match source {
            Source::B64(_) | Source::WideConstant(_) | Source::Bytes64(_) => self.low(source, part),
            _ => self.narrow(source, part),
        }
    }

    /// A temporary register with the low 32 bits of a source.
    pub(in crate::emit) fn low_word(&mut self, source: Source, part: u8) -> Option<Reg> {
        if let Source::B64(_) | Source::WideConstant(_) | Source::Bytes64(_) = source {
            return self.low(source, part);
        }
        let a = self.narrow_operand(source, part)?;
        Some(self.copied(false, a))
    }

    /// A source as 64 bits; 32-bit sources are zero-extended.
    pub(in crate::emit) fn whole_of(&mut self, source: Source, part: u8) -> Option<Reg> {
        self.wide(source, part).or_else(|| self.extended(source, part, false))
    }
}

/// The bits of a literal that lanes of a width have.
fn masked(number: u64, width: Width) -> u64 {
    if width == Width::B32 { number & 0xffff_ffff } else { number }
}

/// The register-cache key of a lane group of an operand that is read as 32-bit lanes.
pub(super) fn narrow_key(source: Source, part: u8) -> Option<Key> {
    Some(match source {
        Source::B32(i) => Key::B32(i, part),
        Source::B64(_) | Source::WideConstant(_) | Source::Bytes64(_) => return None,
        Source::PerLane(_) | Source::Lane => Key::Other(source, Width::B32, part),
        other => Key::Other(other, Width::B32, 0),
    })
}

/// The register-cache key of a lane group of an operand that is read as 64-bit lanes; `None` if the
/// operand must be extended first.
fn wide_key(source: Source, part: u8) -> Option<Key> {
    Some(match source {
        Source::B64(i) => Key::B64(i, part),
        Source::B32(_) | Source::Constant(_) | Source::PerLane(_) => return None,
        Source::Lane | Source::Uniform(_) | Source::Bytes32(_) => return None,
        other => Key::Other(other, Width::B64, 0),
    })
}
