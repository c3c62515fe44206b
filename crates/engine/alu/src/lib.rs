//! The arithmetic of PTX: what each instruction computes in a lane. [`find()`] is given an opcode
//! and modifiers, and returns a [`Row`]: an entry of the tables of operations.
//!
//! A row defines its operation once, as an expression of primitives if that is possible. The
//! interpreter's inner loop, the steps of compiled code and the lookup by instruction all derive
//! from it (docs/adding-an-instruction.md). A row computes all 32 lanes of a warp; the caller
//! preserves the registers of inactive lanes. Registers of up to 32 bits are held zero-extended in
//! [`L32`], registers of 64 bits in [`L64`], and predicates as bit masks.
//!
//! Rows are evaluated in four ways:
//!
//! * Rows of the inner loop ([`inner_rows!`]) are compiled into it, for each SIMD level.
//! * Compiled code contains the steps of a row ([`Row::lowered`]): its primitives, as operations of
//!   the JIT compiler. A `Recorder` (`term.rs`) records them when the row's expression is evaluated
//!   on terms instead of numbers.
//! * The interpreter executes the same steps one after the other ([`Row::run`]). Each step is one
//!   of about 150 primitives, and each primitive has one function over the lanes. A function for
//!   each of the thousand rows would take three quarters of the engine's build time, although
//!   programs rarely execute them.
//! * Rows that are not composed of primitives are functions ([`Alu`]).
//!
//! Operands are in PTX's order, without the destination. Sources that an instruction lacks are
//! passed as zeros. A row never reads more than the low bits of the source type, so that a source
//! register wider than its type needs no masking. Results are zero-extended from the type's width,
//! except that `cvt` to a signed type sign-extends to the whole register (PTX ISA 9.4.1: a
//! destination register may be wider than the type); the caller truncates the result of `cvt` to
//! the register's width.

mod approx;
mod calls;
mod convert;
mod exact;
mod find;
mod float;
mod inner;
mod key;
mod lane;
mod lowered;
mod mode;
mod mufu;
mod pack;
mod primitive;
mod program;
mod round;
mod row;
mod rows;
pub mod soft;
mod term;
mod video;

pub use convert::Convert;
pub use find::{Approximate, all, find, select_mixed, with_data};
pub use float::nan64;
pub use inner::{Kind, words};
pub use lane::{Lanes, Value};
pub use lowered::{Destination, MAX, Temporaries};
pub use pack::Pack;
pub use row::{ResultKind, Row, Shape};
pub use rows::{logic, lop3};
pub use video::Video;

use texunit_simd::Build;

/// A register of up to 32 bits: a zero-extended value for each lane.
pub type L32 = [u32; 32];
/// A register of 64 bits: one value for each lane.
pub type L64 = [u64; 32];

/// How the interpreter computes an operation. Sources that an instruction lacks are passed as
/// zeros.
#[derive(Clone, Copy, Debug, Default)]
pub enum Alu {
    /// The interpreter evaluates the primitives of the operation's expression one after the other
    /// ([`Row::run`]).
    #[default]
    Composed,
    /// A function with a destination and up to three sources in [`L32`].
    Narrow(fn(&mut L32, &L32, &L32, &L32)),
    /// A function with a destination and up to three sources in [`L64`].
    Wide(fn(&mut L64, &L64, &L64, &L64)),
    /// A rare conversion: `Convert::run(&mut d, &a, &b)` has up to two sources, each zero-extended
    /// to 64 bits. The caller truncates the result to the register's width.
    Convert(Convert),
    /// The instruction `cvt.pack`: `Pack::run(&mut d, &a, &b, &c)` is as `Convert::run`, but with
    /// three sources.
    Pack(Pack),
    /// A video instruction: `Video::run(&mut d, &a, &b, &c)` is as `Pack::run`.
    Video(Video),
    /// Instruction `lop3.b32` ([`lop3`]), with three sources and a truth table (the immediate
    /// fourth operand).
    Lop3,
    /// The instructions `and`, `or`, `xor` and `not` of predicates: a truth table, whose bit
    /// `2 * a + b` is the result of the sources a and b
    /// ([`logic`]).
    Predicate(u8),
    /// The instructions add.cc, addc, sub.cc, subc, mad.cc and madc, with three sources, each
    /// zero-extended to 64 bits, and the lanes' carry flags as input and output. `Modifiers::cc`
    /// tells the caller whether to write the flags back.
    Carry(fn(&mut L64, &L64, &L64, &L64, u32) -> u32),
}

impl Alu {
    /// Computes the result of a rare conversion or a video instruction in all lanes. Returns false
    /// for other operations.
    pub fn run(self, d: &mut L64, [a, b, c]: [&L64; 3]) -> bool {
        match self {
            Self::Convert(convert) => convert.run(d, a, b),
            Self::Pack(pack) => pack.run(d, a, b, c),
            Self::Video(video) => video.run(d, a, b, c),
            _ => return false,
        }
        true
    }
}

/// Runs `f`, which must be inlined, in a version compiled for AVX2 if the processor has AVX2. There
/// is no third version for AVX-512, because functions that are called through pointers would not be
/// faster with it.
#[inline(always)]
fn dispatch<R>(f: impl FnOnce() -> R) -> R {
    Build::current().run_narrow(f)
}
