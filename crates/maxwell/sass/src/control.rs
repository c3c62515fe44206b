//! The scheduling information of an instruction: 21 bits of the control word that precedes each
//! group of three instructions.

use crate::field::{Field, Kind::Number, fields};

/// The control field of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Control(u32);

#[rustfmt::skip]
fields! {
    /// The fields of [`Control`], lowest bits first.
    SCHED  0 5 "sched" Number, Sm50, "Cycles until the next instruction of the warp (3:0), and whether it yields (4); 0x10 pairs it with the next one.";
    WRITE  5 3 "wr"    Number, Sm50, "Barrier that is released when the result is written; 7: none.";
    READ   8 3 "rd"    Number, Sm50, "Barrier that is released when the operands are read; 7: none.";
    WAIT  11 6 "req"   Number, Sm50, "Barriers that are waited for.";
    PHASE 17 2 "phase" Number, Sm50, "Of a texture instruction, .T (1) or .P (2): how the warp's texture hash goes on.";
    REUSE 19 2 "reuse" Number, Sm50, "Reuse flags that a texture instruction does not use for its phase.";
}

impl Control {
    /// Number of bits of a control field.
    pub const BITS: u32 = 21;
    /// The field without waits and barriers, after which the next instruction may be issued at
    /// once.
    pub const NONE: Self = Self((WRITE.mask() | READ.mask()) as u32);

    /// The control field with these bits; `None` if a bit above the 21st is set.
    pub const fn new(bits: u32) -> Option<Self> {
        if bits >> Self::BITS == 0 { Some(Self(bits)) } else { None }
    }

    /// The fields of the three instructions after a control word. The word's top bit is unused.
    pub fn of_group(word: u64) -> [Self; 3] {
        [0, 1, 2].map(|n| Self((word >> (n * Self::BITS)) as u32 & ((1 << Self::BITS) - 1)))
    }

    /// The control word of three instructions.
    pub fn group(fields: [Self; 3]) -> u64 {
        (0..).zip(fields).fold(0, |word, (n, field)| word | u64::from(field.0) << (n * Self::BITS))
    }

    /// The control field as a number of 21 bits.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The value of one of the [`FIELDS`] in this control field.
    pub const fn get(self, field: &Field) -> u64 {
        field.get(self.0 as u64)
    }

    /// Replaces one of the [`FIELDS`]; the value is truncated to the field's width.
    #[must_use]
    pub const fn with(self, field: &Field, value: u64) -> Self {
        Self(field.set(self.0 as u64, value) as u32)
    }

    /// Whether the phase has `.T`, which increments the texture component of the warp's hash.
    pub const fn phase_t(self) -> bool {
        self.get(&PHASE) & 1 != 0
    }

    /// Whether the phase has `.P`, which increments the phase component of the warp's hash, and
    /// resets the texture component.
    pub const fn phase_p(self) -> bool {
        self.get(&PHASE) & 2 != 0
    }

    /// Whether the instruction is issued together with the next one.
    pub const fn is_dual_issue(self) -> bool {
        self.get(&SCHED) == 0x10
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_tile_the_control_field_and_groups_have_three() {
        let end = FIELDS.iter().fold(0, |next, field| {
            assert_eq!(field.low, next, "{}", field.name);
            next + field.width
        });
        assert_eq!(end, Control::BITS);
        assert_eq!(Control::new(1 << 21), None);
        let fields = [0x1f_ffff, 0x00_0001, 0x15_5555].map(|b| Control::new(b).expect("21 bits"));
        assert_eq!(Control::of_group(Control::group(fields)), fields);
    }
}
