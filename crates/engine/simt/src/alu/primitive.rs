//! What the rows of operations are written in.
//!
//! A primitive is a method of [`B32`] or [`B64`], of which there are two kinds of values: a lane's number
//! (`u32`, `u64`), for which it computes, and a [`Term`], for which it notes the operation of compiled
//! code that gives the same. So one expression of primitives is a lane function, an arm of the
//! interpreter's inner loop and a list of compiled steps.

mod b32;
mod b64;

pub(crate) use b32::B32;
pub(crate) use b64::B64;

use super::term::Term;

/// Bits of three sources, as tables of bits have them.
const A: u8 = 0xf0;
const B: u8 = 0xcc;
const C: u8 = 0xaa;

/// The same number in all lanes.
pub(crate) trait Literal {
    /// The value of these low bits.
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

/// The same number in all lanes.
#[inline(always)]
pub(crate) fn lit<V: Literal>(bits: u64) -> V {
    V::literal(bits)
}

/// Rows of the traits: a primitive of some values (and, behind a semicolon, what is known when the row is
/// written) = what it gives in a lane => the operation of compiled code.
macro_rules! primitives {
    ($(#[$of:meta])* $trait:ident for $scalar:ty, $bits:literal {
        $(-> $out:ty {
            $($(#[$doc:meta])* $name:ident($a:ident $(, $arg:ident: $ty:ty)* $(; $($p:ident: $known:ty),*)?)
                = $meaning:expr => $op:expr;)*
        })*
    } $($other:ident = $number:ty, $width:literal);*) => {
        $(#[$of])*
        pub(crate) trait $trait: Literal + Copy {
            $(
                /// Values of another width, or of comparisons.
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
                fn $name(self $(, $arg: $ty)* $($(, $p: $known)*)?) -> $out {
                    // Of numbers alone it is a number.
                    if let (Some(a), $(Some($arg),)*) = (self.known(), $($arg.known(),)*) {
                        let value = <$scalar as $trait>::$name(
                            Scalar::of(a) $(, Scalar::of($arg))* $($(, $p)*)?
                        );
                        return Term::number(Scalar::bits(value));
                    }
                    Term::of($op.does(), &[self.any() $(, $arg.any())*])
                }
            )*)*
        }
    };
}
use primitives;
