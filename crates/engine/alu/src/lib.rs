//! What each arithmetic instruction of PTX computes: rows of operations.
//!
//! A [`Row`] says it once, as an expression of primitives where that is possible. The arm of the interpreter's inner
//! loop, the steps of compiled code and the look-up come from it (docs/adding-an-instruction.md). [`find`] picks the row
//! for an opcode and its modifiers, once at lowering. A row computes all 32 lanes of a warp; the caller keeps the lanes
//! that are not active. Registers of up to 32 bits are held zero-extended in [`L32`], of 64 bits in [`L64`],
//! predicates as a bit mask.
//!
//! How a row is evaluated:
//!
//! * Rows of the inner loop ([`inner_rows!`]) are compiled into it, one arm each, for every SIMD level.
//! * Compiled code has the steps of a row ([`Row::placed`]), which a `Recorder` (`term.rs`) notes when the row's expression
//!   is evaluated for terms instead of numbers.
//! * The interpreter takes the same steps one after the other ([`Row::run`]): each is one of about 150 primitives, and
//!   a primitive has one function over the lanes. A function for each of the thousand rows took three quarters of the
//!   time to build the engine, and programs hardly execute them: compiled code has their steps inline.
//! * Rows that are not made of primitives are functions ([`Alu`]).
//!
//! Operands are in the order in which PTX writes them, without the destination. Sources that an instruction lacks are
//! passed as zero lanes. Reading more than the low bits of the source type never happens, so a source register wider
//! than its type needs no masking. A result is zero-extended from the type's width; only `cvt` to a signed type gives it
//! sign-extended to the whole slot (PTX ISA 9.4.1: a destination register may be wider than the type), so the caller
//! cuts the result of `cvt` to its register's width.

mod approx;
mod calls;
mod convert;
mod exact;
mod find;
mod float;
mod function;
mod half;
mod inner;
mod key;
mod lane;
mod mode;
mod placed;
mod primitive;
mod program;
mod round;
mod row;
mod rows;
mod select;
pub mod soft;
mod term;
mod tiny;
mod variant;
mod video;

pub use convert::Convert;
pub use find::{Approximate, all, find};
pub use float::nan64;
pub use inner::{Kind, words};
pub use lane::{Lanes, Value};
pub use placed::{Last, MAX, Placed, Steps, Temporaries};
pub use row::{Gives, Row, Shape};
pub use rows::lop3;
pub use select::{select_mixed, with_data};
pub use tiny::Tiny;
pub use video::Video;

use texunit_simd::Build;

/// A register of up to 32 bits: a zero-extended value for each lane.
pub type L32 = [u32; 32];
/// A register of 64 bits.
pub type L64 = [u64; 32];

/// How an operation computes the lanes of a warp. Sources that an instruction lacks are passed as zero lanes.
#[derive(Clone, Copy, Debug)]
pub enum Alu {
    /// By the steps of its row: [`Row::run`].
    Composed,
    /// Destination and up to three sources, all held in [`L32`].
    Narrow(fn(&mut L32, &L32, &L32, &L32)),
    /// Destination and up to three sources, all held in [`L64`].
    Wide(fn(&mut L64, &L64, &L64, &L64)),
    /// The less usual conversions: up to two sources, each zero-extended to 64 bits, `Convert::run(&mut d, &a, &b)`. The
    /// caller cuts the destination to its register's width.
    Convert(Convert),
    /// `cvt` between packed small floats (e4m3x2, e5m2x2) and `cvt.pack`: as `Convert`, with three sources,
    /// `Tiny::run(&mut d, &a, &b, &c)`.
    Tiny(Tiny),
    /// Video instructions: as `Tiny`, `Video::run(&mut d, &a, &b, &c)`.
    Video(Video),
    /// `lop3.b32`: three sources and the look-up table (the immediate fourth operand).
    Lop3(fn(&mut L32, &L32, &L32, &L32, u8)),
    /// `and`, `or`, `xor`, `not` on predicates, as masks of lanes (all 32 bits are computed).
    Predicate(fn(u32, u32) -> u32),
    /// add.cc, addc, sub.cc, subc, mad.cc, madc: three sources, each zero-extended to 64 bits, with the carry flags of
    /// the lanes going in and coming out. Whether the flags are written back is `Modifiers::cc`.
    Carry(fn(&mut L64, &L64, &L64, &L64, u32) -> u32),
}

/// Runs `f`, which must be inlined, in a build for AVX2 where the level allows it. For the many
/// functions that are called by pointer, where a third build would be code and no speed.
#[inline(always)]
fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    Build::current().run_narrow(f)
}
