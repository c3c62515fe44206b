//! From an opcode and its modifiers to what computes it.

use super::{Alu, convert, find, tiny, video};
use texunit_isa::{Modifiers, Opcode};

/// The function for an instruction of two sources or fewer or, but for `min` and `max`, of more; `None` for one
/// that is not arithmetic or that we do not execute. It expects each register in the slot ([`L32`](super::L32)
/// or [`L64`](super::L64)) of its type's width, which PTX demands of all instructions but `cvt`.
///
/// `set` and `setp` give a `Compare*`: the caller applies the boolean operation with the third
/// source, and turns set's mask into its destination (all ones, or 1.0 of the float type).
/// `lop3` with a boolean operation is the same as without: the caller makes the predicate.
pub fn select(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    find::find(opcode, mods, 2).map(|row| row.function).or_else(|| with_data(opcode, mods))
}

/// What is no row because it has data of its own: video instructions, conversions with packing and with rarer
/// modifiers.
pub(crate) fn with_data(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.types.is_empty() {
        return None;
    }
    match opcode {
        Opcode::Cvt => tiny::select(mods).or_else(|| select_mixed(mods)),
        _ => video::select(opcode, mods),
    }
}

/// The form of a `cvt` for registers in slots that its types do not have (`cvt.s32.s8` from or
/// into a 64-bit register), where its row would have `Narrow`, `Widen` or `Cut`: always
/// [`Alu::Convert`]. `None` where it makes none.
pub fn select_mixed(mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.vector != 0 {
        return None;
    }
    convert::general(mods).map(Alu::Convert)
}
