//! Macros that lift a function of one lane to the 32 lanes of a warp, for operations that are not
//! composed of primitives.
//!
//! Each macro makes an [`Alu`](crate::Alu) from a closure over the values of one lane. The loop
//! over lanes is compiled for the baseline processor and for AVX2 with FMA; one of the two is
//! selected at run time. Functions that the closure calls must be `#[inline(always)]`. Results are
//! collected in a local array, which overlaps no source, so that the compiler vectorises the loop.

/// Makes a function whose three sources have the width of its destination.
macro_rules! gathered {
    ($variant:ident, |$a:tt, $b:tt, $c:tt| $e:expr) => {
        $crate::Alu::$variant(|d, a, b, c| {
            $crate::dispatch(
                #[inline(always)]
                || {
                    let mut lanes = [0; 32];
                    for i in 0..32 {
                        let ($a, $b, $c) = (a[i], b[i], c[i]);
                        lanes[i] = $e;
                    }
                    *d = lanes;
                },
            )
        })
    };
}

/// Makes the function of an addition or subtraction with carry. The expression maps three sources
/// and the carry flag of a lane to the result and the new flag.
macro_rules! carry {
    (|$a:tt, $b:tt, $c:tt, $carry:tt| $e:expr) => {
        $crate::Alu::Carry(|d, a, b, c, flags| {
            let mut out = 0;
            for i in 0..32 {
                let ($a, $b, $c, $carry) = (a[i], b[i], c[i], flags >> i & 1 == 1);
                let (result, carry): (u64, bool) = $e;
                d[i] = result;
                out |= u32::from(carry) << i;
            }
            out
        })
    };
}

/// Makes the function of an operation, whose width the first argument names. The expression
/// computes the result of one lane.
macro_rules! calls {
    (b32 |$a:ident| $e:expr) => {
        $crate::calls::gathered!(Narrow, |$a, _, _| $e)
    };
    (b32 |$a:ident, $b:ident| $e:expr) => {
        $crate::calls::gathered!(Narrow, |$a, $b, _| $e)
    };
    (b32 |$a:ident, $b:ident, $c:ident| $e:expr) => {
        $crate::calls::gathered!(Narrow, |$a, $b, $c| $e)
    };
    (b64 |$a:ident| $e:expr) => {
        $crate::calls::gathered!(Wide, |$a, _, _| $e)
    };
    (b64 |$a:ident, $b:ident| $e:expr) => {
        $crate::calls::gathered!(Wide, |$a, $b, _| $e)
    };
    // In f64 operations, NaN results are rare: all lanes are tested for them at once, and NaNs are
    // replaced by those of `nan64`.
    (f64 |$a:ident| $e:expr) => {
        $crate::Alu::Wide(|d, a, _, _| {
            for i in 0..32 {
                let $a = a[i];
                d[i] = $e;
            }
            if d.iter().any(|&x| f64::from_bits(x).is_nan()) {
                $crate::float::put_nans(d, &[a]);
            }
        })
    };
    (carry |$a:ident, $b:ident, $c:ident, $carry:ident| $e:expr) => {
        $crate::calls::carry!(|$a, $b, $c, $carry| $e)
    };
    (function | | $e:expr) => {
        $e
    };
}

pub(super) use {calls, carry, gathered};
