//! The instruction word of TXD: its fields, decoding, and the number of registers that it uses.

use crate::field::{Field, Kind, fields};
use crate::{Arch, Control};

/// The register number of RZ.
pub const RZ: u64 = 255;
/// The predicate number of PT; in the result predicate `Ps` it means that there is none.
pub const PT: u64 = 7;

/// The coordinate descriptions of `paramA`. Those from the fifth on are reserved: the disassembler
/// prints their names, but the hardware has no derivatives for them.
pub const COORDINATES: [&str; 8] =
    ["1D", "ARRAY_1D", "2D", "ARRAY_2D", "3D", "ARRAY_3D", "CUBE", "ARRAY_CUBE"];

use Kind::{Coordinates, Flag, Number, Opcode, Predicate, Register};

#[rustfmt::skip]
fields! {
    /// Every field of a TXD, lowest bits first. Together they cover all 64 bits.
    RD         0  8 "Rd"            Register,              Sm50, "First register of the result: one for each bit of the write mask. RZ discards it.";
    RA         8  8 "Ra"            Register,              Sm50, "First register of handle (with .B), s, t (2D), and the packed word of array index, offset and LOD clamp.";
    GUARD     16  3 "Pg"            Predicate,             Sm50, "Predicate of the guard; PT is always true.";
    GUARD_NOT 19  1 "!Pg"           Flag,                  Sm50, "Whether the guard is negated.";
    RB        20  8 "Rb"            Register,              Sm50, "First register of the derivatives: dsdx, dsdy, and for 2D dtdx, dtdy.";
    PARAM     28  3 "paramA"        Coordinates,           Sm50, "Description of the coordinates: 1D, ARRAY_1D, 2D or ARRAY_2D.";
    MASK      31  4 "wmskU04"       Number,                Sm50, "Write mask: one bit for each of R, G, B, A, R lowest. The written components follow each other in registers.";
    AOFFI     35  1 "AOFFI"         Flag,                  Sm50, "An offset in texels comes in the packed word.";
    INDEX     36 13 "tsPtrIdxU13"   Number,                Sm50, "Word of the constant bank that holds the handle; ignored with .B. The older spelling has two numbers: tid in the lower 8 bits, smp in the upper 5.";
    NODEP     49  1 "NODEP"         Flag,                  Sm50, "No derivatives are taken of the result: killed threads fetch nothing.";
    LC        50  1 "LC"            Flag,                  Sm52, "A lower limit of the LOD (u4.8) comes in the packed word.";
    PS        51  3 "Ps"            Predicate,             Sm52, "Predicate that says that a tile is not resident; none if it is 7.";
    BINDLESS  54  1 "B"             Flag,                  Sm50, "Bindless: the handle comes in the first register of Ra.";
    OPCODE    55  9 "opcode"        Opcode(0b1_1011_1100), Sm50, "What makes the word a TXD.";
}

/// The flags that are modifiers, in the order of the text, which has their names.
pub(crate) const MODIFIERS: [&Field; 4] = [&BINDLESS, &LC, &AOFFI, &NODEP];

/// The operands in the order of the text.
pub(crate) const OPERANDS: [&Field; 7] = [&PS, &RD, &RA, &RB, &INDEX, &PARAM, &MASK];

/// A valid TXD with its control field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Txd {
    /// The instruction word.
    pub word: u64,
    /// The instruction's control field.
    pub control: Control,
}

/// Why an instruction word is not a valid TXD.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The word has another opcode.
    #[error("the word is not a TXD")]
    OtherOpcode,
    /// The control field has both `.T` and `.P`.
    #[error("the control field asks for both .T and .P")]
    BothPhases,
    /// The word uses a field that the architecture does not have.
    #[error("{arch} has no {}: it came with {}", .field.name, .field.since)]
    NotYet {
        /// The field that the word uses.
        field: &'static Field,
        /// The architecture that lacks it.
        arch: Arch,
    },
}

/// Fields that sm_50 does not have.
const LATER: [&Field; 2] = [&LC, &PS];

impl Txd {
    /// A TXD without optional parts: `TXD R0, R0, R0, 0x0, 1D, 0xf`.
    pub const PLAIN: Self = Self {
        word: MASK.mask() | PS.mask() | GUARD.mask() | OPCODE.set(0, OPCODE.absent()),
        control: Control::NONE,
    };

    /// Decodes a word with its control field. Rejects what the disassembler rejects;
    /// [`crate::rules::check`] has the further restrictions of the instruction's page.
    pub fn decode(word: u64, control: Control, arch: Arch) -> Result<Self, DecodeError> {
        if OPCODE.get(word) != OPCODE.absent() {
            return Err(DecodeError::OtherOpcode);
        }
        if control.phase_t() && control.phase_p() {
            return Err(DecodeError::BothPhases);
        }
        for field in LATER {
            if arch < field.since && field.get(word) != field.absent() {
                return Err(DecodeError::NotYet { field, arch });
            }
        }
        Ok(Self { word, control })
    }

    /// The value of a field of the instruction.
    pub const fn get(&self, field: &Field) -> u64 {
        field.get(self.word)
    }

    /// Whether the instruction has a flag.
    pub const fn has(&self, flag: &Field) -> bool {
        flag.get(self.word) != 0
    }

    /// Replaces a field of the instruction; the value is truncated to the field's width.
    #[must_use]
    pub const fn with(self, field: &Field, value: u64) -> Self {
        Self { word: field.set(self.word, value), ..self }
    }

    /// Number of spatial coordinates: 1, 2 or (reserved) 3.
    pub const fn dimensions(&self) -> u32 {
        match self.get(&PARAM) >> 1 {
            0 => 1,
            1 => 2,
            _ => 3,
        }
    }

    /// Whether the instruction has an array index, which the packed word contains.
    pub const fn is_array(&self) -> bool {
        self.get(&PARAM) & 1 == 1
    }

    /// Whether the coordinate description is a reserved one.
    pub const fn is_reserved(&self) -> bool {
        self.get(&PARAM) >= 4
    }

    /// Whether the registers at Ra include a packed word, which has array index, offsets or level
    /// clamp.
    pub const fn has_packed_word(&self) -> bool {
        self.is_array() || self.has(&AOFFI) || self.has(&LC)
    }

    /// Number of registers that the instruction reads from Ra on.
    pub const fn ra_count(&self) -> u32 {
        self.has(&BINDLESS) as u32 + self.dimensions() + self.has_packed_word() as u32
    }

    /// Number of registers that the instruction reads from Rb on.
    pub const fn rb_count(&self) -> u32 {
        2 * self.dimensions()
    }

    /// Number of registers that the instruction writes from Rd on.
    pub const fn rd_count(&self) -> u32 {
        self.get(&MASK).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_tile_the_word() {
        let mut next = 0;
        for field in FIELDS {
            assert_eq!(field.low, next, "{}", field.name);
            next += field.width;
            assert!(field.absent() <= field.max());
            assert_eq!(field.since > Arch::Sm50, LATER.contains(&field), "{}", field.name);
        }
        assert_eq!(next, 64);
        assert_eq!(Txd::PLAIN.word, 0xde38_0007_8007_0000);
        assert_eq!(Txd::decode(Txd::PLAIN.word, Control::NONE, Arch::Sm50), Ok(Txd::PLAIN));
    }

    #[test]
    fn counts() {
        for (param, flags, counts) in [
            (0, &[][..], [1, 2]),
            (1, &[], [2, 2]),
            (2, &[&BINDLESS], [3, 4]),
            (3, &[&BINDLESS, &AOFFI, &LC], [4, 4]),
            (0, &[&LC], [2, 2]),
        ] {
            let txd = flags.iter().fold(Txd::PLAIN.with(&PARAM, param), |t, f| t.with(f, 1));
            assert_eq!([txd.ra_count(), txd.rb_count()], counts);
        }
        assert_eq!(Txd::PLAIN.with(&MASK, 0b1011).rd_count(), 3);
    }
}
