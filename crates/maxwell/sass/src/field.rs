//! Fields of an instruction word.

use crate::Arch;

/// The interpretation of a field's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A register number; 255 is RZ.
    Register,
    /// A predicate number; 7 is PT, or none.
    Predicate,
    /// One bit.
    Flag,
    /// An unsigned number.
    Number,
    /// An index into [`crate::txd::COORDINATES`].
    Coordinates,
    /// Fixed bits of the opcode.
    Opcode(u64),
}

/// The position of a field in the text of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// `@P0` at the beginning.
    Guard,
    /// `!` in the guard.
    GuardNot,
    /// A modifier after the mnemonic; modifiers are ordered by number.
    Modifier(u8, &'static str),
    /// An operand; operands are ordered by number.
    Operand(u8),
    /// The mnemonic itself.
    Mnemonic,
}

/// A field of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name on the instruction's page.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
    /// The interpretation of the bits.
    pub kind: Kind,
    /// The position in the text.
    pub written: Written,
    /// The first architecture with the field; in earlier ones it must be [`Field::absent`].
    pub since: Arch,
    /// The meaning.
    pub meaning: &'static str,
}

impl Field {
    /// The mask of the field in the word.
    pub const fn mask(&self) -> u64 {
        self.max() << self.low
    }

    /// The maximum value.
    pub const fn max(&self) -> u64 {
        (1 << self.width) - 1
    }

    /// The value if the field is omitted in the text: no predicate, no flag, 0.
    pub const fn absent(&self) -> u64 {
        match self.kind {
            Kind::Predicate => 7,
            Kind::Opcode(bits) => bits,
            _ => 0,
        }
    }

    /// The field of a word.
    pub const fn get(&self, word: u64) -> u64 {
        word >> self.low & self.max()
    }

    /// Replaces the field in a word; the value is truncated to its width.
    #[must_use]
    pub const fn set(&self, word: u64, value: u64) -> u64 {
        word & !self.mask() | (value & self.max()) << self.low
    }
}
