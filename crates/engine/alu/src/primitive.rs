//! Primitives: the vocabulary in which operations are written.
//!
//! A primitive is a method of [`B32`] or [`B64`]. Two kinds of values implement these traits:
//! numbers of a lane (`u32`, `u64`), for which a primitive computes its result, and [`Term`]s, for
//! which a primitive records a step. A step has the operation of compiled code that gives the same
//! result, and the function that computes the primitive for the lanes of a warp. So one expression
//! of primitives serves as an arm of the interpreter's inner loop and as a list of steps for
//! compiled code.

mod b32;
mod b64;

pub use b32::B32;
pub use b64::B64;

use super::term::Term;

/// Values whose computation is shorter for frequent values than for rare ones.
pub(crate) trait Rarely: B32 {
    /// Selects this value where the predicate `rare` is false, and elsewhere `other`, which would
    /// be right for all lanes. Compiled code skips the steps of `other` where no lane needs them.
    fn unless(self, rare: Self::Holds, other: impl FnOnce() -> Self) -> Self;
}

impl Rarely for u32 {
    #[inline(always)]
    fn unless(self, _: bool, other: impl FnOnce() -> Self) -> Self {
        other()
    }
}

impl Rarely for Term<'_, 32> {
    fn unless(self, rare: Self::Holds, other: impl FnOnce() -> Self) -> Self {
        self.or_other(rare, other)
    }
}

/// The truth tables of the three sources a, b and c, from which the truth table of a Boolean
/// function is computed.
const A: u8 = 0xf0;
const B: u8 = 0xcc;
const C: u8 = 0xaa;

/// Values that can be constants.
pub trait Literal {
    /// The value with the low bits of `bits`, as many as the type has.
    fn literal(bits: u64) -> Self;
}

impl Literal for u32 {
    #[inline(always)]
    fn literal(bits: u64) -> Self {
        bits as u32
    }
}

impl Literal for u64 {
    #[inline(always)]
    fn literal(bits: u64) -> Self {
        bits
    }
}

impl<const BITS: u32> Literal for Term<'_, BITS> {
    fn literal(bits: u64) -> Self {
        Term::number(bits)
    }
}

/// A constant as an operand of primitives.
#[inline(always)]
pub fn lit<V: Literal>(bits: u64) -> V {
    V::literal(bits)
}

/// Defines the primitives of a trait. Each line has the sources of a primitive (and after a
/// semicolon its constants), `=` and its result in a lane, and `=>` and the operation of compiled
/// code.
macro_rules! primitives {
    ($(#[$of:meta])* $trait:ident for $scalar:ty, $bits:literal {
        $(-> $out:ty {
            $($(#[$doc:meta])* $name:ident($a:ident $(, $arg:ident: $ty:ty)* $(; $($p:ident: $known:ty),*)?)
                = $meaning:expr => $op:expr;)*
        })*
    } $($other:ident = $number:ty, $width:literal);*) => {
        $(#[$of])*
        pub trait $trait: Literal + Copy {
            $(
                /// The type of values of another width, or of predicates, to which primitives
                /// convert.
                type $other: Copy;
            )*
            $($($(#[$doc])* fn $name(self $(, $arg: $ty)* $($(, $p: $known)*)?) -> $out;)*)*
        }

        #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "what the unordered operators mean")]
        impl $trait for $scalar {
            $(type $other = $number;)*
            $($(
                #[inline(always)]
                fn $name(self $(, $arg: $ty)* $($(, $p: $known)*)?) -> $out {
                    let $a = self;
                    $meaning
                }
            )*)*
        }

        impl<'r> $trait for Term<'r, $bits> {
            $(type $other = Term<'r, $width>;)*
            $($(
                // Recording is rare, because an operation is recorded only once, so that small code
                // is preferable to inlined calls.
                #[inline(never)]
                fn $name(self $(, $arg: $ty)* $($(, $p: $known)*)?) -> $out {
                    fn lanes(to: &mut Value, [$a $(, $arg)*, ..]: [Lanes<'_>; 3], constants: Constants) {
                        let _ = constants;
                        $($(let $p = <$known as Constant>::of(constants);)*)?
                        let ($a, $($arg,)*) = (SourceLanes::new($a), $(SourceLanes::new($arg),)*);
                        let lanes = crate::dispatch(
                            #[inline(always)]
                            || {
                                let mut lanes = ResultLanes::new();
                                for lane in 0..32 {
                                    let value = <$scalar as $trait>::$name(
                                        $a.at(lane) $(, $arg.at(lane))* $($(, $p)*)?
                                    );
                                    lanes.put(lane, value);
                                }
                                lanes
                            },
                        );
                        lanes.store(to);
                    }
                    // If all sources are constants, so is the result.
                    if let (Some(a), $(Some($arg),)*) = (self.known(), $($arg.known(),)*) {
                        let value = <$scalar as $trait>::$name(
                            Lane::of(a) $(, Lane::of($arg))* $($(, $p)*)?
                        );
                        return Term::number(Lane::bits(value));
                    }
                    #[allow(unused_mut, reason = "nothing is known of most primitives")]
                    let mut constants = Constants::NONE;
                    $($(Constant::put($p, &mut constants);)*)?
                    Term::of(Computation::from($op), (lanes, constants), &[self.any() $(, $arg.any())*])
                }
            )*)*
        }
    };
}
use primitives;
