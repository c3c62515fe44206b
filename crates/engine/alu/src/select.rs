//! Finds operations that are not in the tables, because they have data (an [`Alu`] with fields).

use crate::{Alu, convert, small_float, video};
use texunit_isa::{Modifiers, Opcode};

/// The operation of a video instruction, of a conversion with packing, or of a conversion with rare
/// modifiers; `None` for other instructions. Each source must be in a register ([`L32`](crate::L32)
/// or [`L64`](crate::L64)) of its type's width, as PTX demands for all instructions except `cvt`.
pub fn with_data(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.types.is_empty() {
        return None;
    }
    match opcode {
        Opcode::Cvt => small_float::select(mods).or_else(|| select_mixed(mods)),
        _ => video::select(opcode, mods),
    }
}

/// The operation of a `cvt` whose registers are wider than its types (`cvt.s32.s8` from or to a
/// 64-bit register), which always is an [`Alu::Convert`]; `None` if the types are not a valid
/// combination.
pub fn select_mixed(mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.vector != 0 {
        return None;
    }
    convert::general(mods).map(Alu::Convert)
}
