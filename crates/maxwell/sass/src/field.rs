//! Fields of an instruction word: their bits, the interpretation of the bits, and the architectures
//! that have them.

use std::str::FromStr;
use texunit_forms::words;

words! {
    /// A Maxwell or Pascal architecture, oldest first; the names are those of `.target`.
    Arch {
        Sm50 = "sm_50", Sm52 = "sm_52", Sm53 = "sm_53",
        Sm60 = "sm_60", Sm61 = "sm_61", Sm62 = "sm_62",
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_name(text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|arch| arch.name()).collect();
            format!("expected an architecture with TXD in this form: {}", names.join(", "))
        })
    }
}

/// The interpretation of a field's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The field is a register number; 255 is RZ.
    Register,
    /// The field is a predicate number; 7 is PT, or no predicate.
    Predicate,
    /// The field is a flag of one bit.
    Flag,
    /// The field is an unsigned number.
    Number,
    /// The field is an index into [`crate::txd::COORDINATES`].
    Coordinates,
    /// The field has fixed bits of the opcode.
    Opcode(u64),
}

/// A field of an instruction word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name on the instruction's page.
    pub name: &'static str,
    /// Number of the field's lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
    /// The interpretation of the field's bits.
    pub kind: Kind,
    /// The first architecture with the field; on earlier ones its value must be [`Field::absent`].
    pub since: Arch,
    /// The field's meaning, for explanations.
    pub meaning: &'static str,
}

impl Field {
    /// A mask of the field's bits in the instruction word.
    pub const fn mask(&self) -> u64 {
        self.max() << self.low
    }

    /// The maximum value of the field.
    pub const fn max(&self) -> u64 {
        (1 << self.width) - 1
    }

    /// The value of the field if the text omits it: no predicate, no flag, or 0.
    pub const fn absent(&self) -> u64 {
        match self.kind {
            Kind::Predicate => 7,
            Kind::Opcode(bits) => bits,
            _ => 0,
        }
    }

    /// The value of the field in an instruction word.
    pub const fn get(&self, word: u64) -> u64 {
        word >> self.low & self.max()
    }

    /// Replaces the field in an instruction word; the value is truncated to the field's width.
    #[must_use]
    pub const fn set(&self, word: u64, value: u64) -> u64 {
        word & !self.mask() | (value & self.max()) << self.low
    }
}

/// Declares fields as constants, and as the table `FIELDS`, whose doc comment comes first.
macro_rules! fields {
    ($(#[$doc:meta])* $($constant:ident $low:literal $width:literal $name:literal $kind:expr, $since:ident, $meaning:literal;)*) => {
        $(#[doc = $meaning]
        pub const $constant: $crate::field::Field = $crate::field::Field {
            name: $name, low: $low, width: $width, kind: $kind, since: $crate::Arch::$since,
            meaning: $meaning,
        };)*
        $(#[$doc])*
        pub const FIELDS: &[$crate::field::Field] = &[$($constant),*];
    };
}
pub(crate) use fields;
