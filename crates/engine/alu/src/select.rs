//! Instructions that are no rows because they have data of their own.

use crate::{Alu, convert, tiny, video};
use texunit_isa::{Modifiers, Opcode};

/// Video instructions, and conversions with packing and with rarer modifiers. `None` for all others. Each source is
/// expected in the slot ([`L32`](crate::L32) or [`L64`](crate::L64)) of its type's width, which PTX demands of all
/// instructions but `cvt`.
pub fn with_data(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.types.is_empty() {
        return None;
    }
    match opcode {
        Opcode::Cvt => tiny::select(mods).or_else(|| select_mixed(mods)),
        _ => video::select(opcode, mods),
    }
}

/// The form of a `cvt` for registers in slots that its types do not have (`cvt.s32.s8` from or
/// into a 64-bit register): always [`Alu::Convert`]. `None` where it makes none.
pub fn select_mixed(mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.vector != 0 {
        return None;
    }
    convert::general(mods).map(Alu::Convert)
}
