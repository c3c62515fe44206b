//! From an opcode and its modifiers to the function.

use texunit_isa::{Modifiers, Opcode, ScalarType as Ty};

use super::{
    Alu, approx, bits, carry, compare, convert, find, float, half, int, pairs, tiny, video,
};

/// The function for an instruction, or `None` for one that is not arithmetic or that we do not
/// execute. It expects each register in the slot ([`L32`](super::L32) or [`L64`](super::L64)) of
/// its type's width, which PTX demands of all instructions but `cvt`.
///
/// `set` and `setp` give a `Compare*`: the caller applies the boolean operation with the third
/// source, and turns set's mask into its destination (all ones, or 1.0 of the float type).
/// `lop3` with a boolean operation is the same as without: the caller makes the predicate.
pub fn select(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    let ty = mods.ty()?;
    if mods.unexecuted.is_some() {
        return None;
    }
    if let Some(row) = find(opcode, mods) {
        return Some(row.function);
    }
    if let Some(alu) = video::select(opcode, mods) {
        return Some(alu);
    }
    if opcode == Opcode::Cvt
        && let Some(alu) = tiny::select(mods)
    {
        return Some(alu);
    }
    // Mixed-precision forms (add.f32.f16) have a second type.
    let mixed = matches!(opcode, Opcode::Add | Opcode::Sub | Opcode::Fma) && ty == Ty::F32;
    if mixed && let [_, half] = mods.types[..] {
        return pairs::select_mixed(opcode, half, mods);
    }
    let two =
        matches!(opcode, Opcode::Cvt | Opcode::Set | Opcode::Slct | Opcode::Dp4a | Opcode::Dp2a);
    if mods.unexecuted.is_some() || mods.vector != 0 || mods.types.len() != 1 + usize::from(two) {
        return None;
    }
    match opcode {
        Opcode::Cvt => convert::select(mods),
        Opcode::Set => compare::select(*mods.types.get(1)?, mods.cmp?, mods.ftz),
        Opcode::Setp => compare::select(ty, mods.cmp?, mods.ftz),
        Opcode::Testp => compare::testp(ty, mods.test?),
        Opcode::Selp => compare::selp(ty),
        Opcode::Slct => compare::slct(mods),
        Opcode::Addc | Opcode::Subc | Opcode::Madc => carry::select(opcode, ty, mods),
        _ if mods.cc => carry::select(opcode, ty, mods),
        _ => match ty {
            Ty::F32 if mods.approx || mods.full => approx::select32(opcode, mods),
            Ty::F64 if mods.approx => approx::select64(opcode, mods),
            Ty::F32 => float::select32(opcode, mods),
            Ty::F64 => float::select64(opcode, mods),
            Ty::F32x2 => pairs::select(opcode, mods),
            Ty::F16 | Ty::F16x2 | Ty::Bf16 | Ty::Bf16x2 => half::select(opcode, ty, mods),
            _ => bits::select(opcode, ty, mods).or_else(|| int::select(opcode, ty, mods)),
        },
    }
}

/// `min` and `max` of three sources.
pub fn select_three(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    match mods.ty()? {
        Ty::F32 => pairs::select_three(opcode, mods),
        _ => None,
    }
}

/// The form of a `cvt` for registers in slots that its types do not have (`cvt.s32.s8` from or
/// into a 64-bit register), where [`select`] would give `Narrow`, `Widen` or `Cut`: always
/// [`Alu::Convert`]. `None` where `select` has none.
pub fn select_mixed(mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() {
        return None;
    }
    convert::general(mods).map(Alu::Convert)
}
