//! What each arithmetic instruction computes, as functions over the lanes of a warp.
//!
//! [`select`] picks, once at lowering, the function for an (opcode, modifiers) pair. Functions
//! compute all 32 lanes; the caller keeps the lanes that are not active. Registers of up to 32
//! bits are held zero-extended in [`L32`], of 64 bits in [`L64`], predicates as a bit mask.

use texunit_isa::{Modifiers, Opcode};

/// A register of up to 32 bits: a zero-extended value for each lane.
pub type L32 = [u32; 32];
/// A register of 64 bits.
pub type L64 = [u64; 32];

/// A function over lanes. Sources that an instruction lacks are passed as zero lanes.
#[derive(Clone, Copy)]
pub enum Alu {
    /// Destination and up to three sources, all held in [`L32`].
    Narrow(fn(&mut L32, &L32, &L32, &L32)),
    /// Destination and up to three sources, all held in [`L64`].
    Wide(fn(&mut L64, &L64, &L64, &L64)),
    /// Sources and destination of mixed width, each zero-extended to 64 bits; the destination is
    /// cut to its register's width by the caller. Predicate sources come as 0 or 1.
    Mixed(fn(&mut L64, &L64, &L64, &L64)),
    /// Two sources in [`L32`], answer as a mask of lanes: comparisons of setp and set, testp.
    CompareNarrow(fn(&L32, &L32) -> u32),
    /// Two sources in [`L64`], answer as a mask of lanes.
    CompareWide(fn(&L64, &L64) -> u32),
    /// add.cc, addc, sub.cc, subc, mad.cc, madc: as `Mixed`, with the carry flags of the lanes
    /// going in and coming out. Whether the flags are written back is `Modifiers::cc`.
    Carry(fn(&mut L64, &L64, &L64, &L64, u32) -> u32),
}

/// The function for an instruction, or `None` for one that is not arithmetic or that we do not
/// execute. `set`, `setp` and `testp` give a `Compare*`: the caller applies the boolean operation
/// and turns the mask into set's destination (all ones, or 1.0f for `.f32`).
/// `sources` are the widths in bits (1, 8, 16, 32, 64) of the source operands.
pub fn select(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    let _ = (opcode, mods);
    None
}
