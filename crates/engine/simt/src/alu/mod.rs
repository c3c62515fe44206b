//! What each arithmetic instruction computes: rows of operations.
//!
//! A [`Row`] says it once, in primitives where there are some; from it come the function over the lanes of a
//! warp, the arm of the inner loop, the steps of compiled code and the look-up (docs/adding-an-instruction.md).
//! `find` picks the row, once at lowering, for an opcode and its modifiers. Functions
//! compute all 32 lanes; the caller keeps the lanes that are not active. Registers of up to 32
//! bits are held zero-extended in [`L32`], of 64 bits in [`L64`], predicates as a bit mask.
//!
//! Operands are in the order in which PTX writes them, without the destination. Sources that an
//! instruction lacks are passed as zero lanes. Reading more than the low bits of the source type
//! never happens, so a source register wider than its type needs no masking. A result is
//! zero-extended from the type's width; only `cvt` to a signed type gives it sign-extended to the
//! whole slot (PTX ISA 9.4.1: a destination register may be wider than the type), so the caller
//! cuts the result of `cvt` to its register's width.

mod approx;
mod convert;
mod exact;
mod find;
mod float;
mod half;
mod inner;
mod key;
mod lanes;
mod mode;
mod placed;
mod primitive;
mod round;
mod row;
mod rows;
mod select;
pub mod soft;
mod term;
mod tiny;
mod video;

pub use convert::Convert;
#[cfg(test)]
pub(crate) use find::all as all_rows;
pub(crate) use find::find;
pub(crate) use float::nan64;
pub(crate) use inner::{Kind, inner_rows, words};
pub(crate) use placed::{Last, MAX, Placed, Temporaries};
pub use row::Row;
#[cfg(test)]
pub(crate) use row::inner;
pub(crate) use rows::lop3;
pub(crate) use select::with_data;
pub use select::{select, select_mixed};
pub use tiny::Tiny;
pub use video::Video;

/// A register of up to 32 bits: a zero-extended value for each lane.
pub type L32 = [u32; 32];
/// A register of 64 bits.
pub type L64 = [u64; 32];

/// A function over lanes. Sources that an instruction lacks are passed as zero lanes.
#[derive(Clone, Copy, Debug)]
pub enum Alu {
    /// Destination and up to three sources, all held in [`L32`].
    Narrow(fn(&mut L32, &L32, &L32, &L32)),
    /// Destination and four sources, all held in [`L32`]: `bfi.b32`.
    Narrow4(fn(&mut L32, &L32, &L32, &L32, &L32)),
    /// Destination and up to three sources, all held in [`L64`].
    Wide(fn(&mut L64, &L64, &L64, &L64)),
    /// Destination and third source in [`L64`], first two sources in [`L32`]: `mul.wide` and
    /// `mad.wide` of 32-bit types, `cvt` from 32 bits or fewer to 64.
    Widen(fn(&mut L64, &L32, &L32, &L64)),
    /// Destination in [`L32`], one source in [`L64`]: `cvt` from 64 bits to 32 or fewer, `popc`,
    /// `clz` and `bfind` of 64-bit types.
    Cut(fn(&mut L32, &L64)),
    /// Destination and first source in [`L64`], the second source in [`L32`]: shifts of 64-bit types.
    Shift(fn(&mut L64, &L64, &L32)),
    /// Up to three sources and a destination of mixed width, each zero-extended to 64 bits; the
    /// destination is cut to its register's width by the caller. Predicate sources come as 0 or 1.
    Mixed(fn(&mut L64, &L64, &L64, &L64)),
    /// The less usual conversions: as `Mixed` with up to two sources, `Convert::run(&mut d, &a, &b)`.
    Convert(Convert),
    /// Conversions of pairs of small floats, `cvt.pack`: as `Mixed`, `Tiny::run(&mut d, &a, &b, &c)`.
    Tiny(Tiny),
    /// Video instructions: as `Mixed`, `Video::run(&mut d, &a, &b, &c)`.
    Video(Video),
    /// As `Mixed` with four sources: `bfi.b64`.
    Mixed4(fn(&mut L64, &L64, &L64, &L64, &L64)),
    /// `lop3.b32`: three sources and the look-up table (the immediate fourth operand).
    Lop3(fn(&mut L32, &L32, &L32, &L32, u8)),
    /// `selp` of up to 32 bits: sources a and b, then the predicate c as a mask of lanes.
    SelectNarrow(fn(&mut L32, &L32, &L32, u32)),
    /// `selp` of 64 bits.
    SelectWide(fn(&mut L64, &L64, &L64, u32)),
    /// Two sources in [`L32`], answer as a mask of lanes: comparisons of setp and set, testp.
    CompareNarrow(fn(&L32, &L32) -> u32),
    /// Two sources in [`L64`], answer as a mask of lanes.
    CompareWide(fn(&L64, &L64) -> u32),
    /// Comparison of packed halves (`setp.f16x2`, `set.f16x2`, bf16x2): the masks of the low and of
    /// the high halves; `setp` writes them to its two destinations in this order.
    ComparePair(fn(&L32, &L32) -> (u32, u32)),
    /// `and`, `or`, `xor`, `not` on predicates, as masks of lanes (all 32 bits are computed).
    Predicate(fn(u32, u32) -> u32),
    /// add.cc, addc, sub.cc, subc, mad.cc, madc: as `Mixed`, with the carry flags of the lanes
    /// going in and coming out. Whether the flags are written back is `Modifiers::cc`. The flag
    /// of a subtraction is its borrow.
    Carry(fn(&mut L64, &L64, &L64, &L64, u32) -> u32),
}
