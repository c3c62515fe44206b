//! Fields of a machine word.

use crate::Arch;

/// What the bits of a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A register; 255 is RZ.
    Register,
    /// A predicate; 7 is PT, or none.
    Predicate,
    /// One bit.
    Flag,
    /// A number.
    Number,
    /// A name of [`crate::txd::COORDINATES`].
    Coordinates,
    /// Always the same bits.
    Opcode(u64),
}

/// Where a field stands in the text of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// `@P0` before everything.
    Guard,
    /// `!` in the guard.
    GuardNot,
    /// A word after the mnemonic, in the order of the numbers.
    Modifier(u8, &'static str),
    /// An operand, in the order of the numbers.
    Operand(u8),
    /// The mnemonic itself.
    Mnemonic,
}

/// A field of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// As the instruction's page calls it.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
    /// What the bits are.
    pub kind: Kind,
    /// Where it stands in the text.
    pub written: Written,
    /// The first architecture that has it; those before it take [`Field::absent`] only.
    pub since: Arch,
    /// What it means.
    pub meaning: &'static str,
}

impl Field {
    /// The bits of the field, at their place.
    pub const fn mask(&self) -> u64 {
        self.max() << self.low
    }

    /// The greatest value.
    pub const fn max(&self) -> u64 {
        (1 << self.width) - 1
    }

    /// The value that stands for leaving it out: no predicate, no flag, 0.
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

    /// The word with another value in the field, cut to its width.
    #[must_use]
    pub const fn set(&self, word: u64, value: u64) -> u64 {
        word & !self.mask() | (value & self.max()) << self.low
    }
}
