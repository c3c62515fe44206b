//! Macros that lift an operation on one lane to the 32 lanes of a warp.
//!
//! Each makes an [`Alu`](super::Alu) from a closure over the values of one lane. The loop is
//! compiled once for the baseline processor and once for AVX2 with FMA and chosen at run time, so
//! one definition of an operation serves all; operations must be `#[inline(always)]` to be
//! compiled along. In the slots of one width results are gathered in a local array: the compiler
//! sees that it overlaps no source, and vectorises.

/// Three sources in slots of the destination's width.
macro_rules! gathered {
    ($variant:ident, |$a:tt, $b:tt, $c:tt| $e:expr) => {
        $crate::alu::Alu::$variant(|d, a, b, c| {
            $crate::simd::dispatch(
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

/// Three sources of mixed width, where a local array was found to be slower.
macro_rules! direct {
    ($variant:ident, |$a:tt, $b:tt, $c:tt| $e:expr) => {
        $crate::alu::Alu::$variant(|d, a, b, c| {
            $crate::simd::dispatch(
                #[inline(always)]
                || {
                    for i in 0..32 {
                        let ($a, $b, $c) = (a[i], b[i], c[i]);
                        d[i] = $e;
                    }
                },
            )
        })
    };
}

macro_rules! narrow {
    ($($lane:tt)*) => { $crate::alu::lanes::gathered!(Narrow, $($lane)*) };
}

macro_rules! wide {
    ($($lane:tt)*) => { $crate::alu::lanes::gathered!(Wide, $($lane)*) };
}

/// An operation of f64 with so many sources. NaNs among the results are looked for once
/// for all lanes, and become those of [`nan64`](super::float::nan64).
macro_rules! wide64 {
    ($sources:literal, |$a:tt, $b:tt, $c:tt| $e:expr) => {
        $crate::alu::Alu::Wide(|d, a, b, c| {
            $crate::simd::dispatch(
                #[inline(always)]
                || {
                    let mut lanes = [0; 32];
                    let mut any = false;
                    for i in 0..32 {
                        let ($a, $b, $c) = (a[i], b[i], c[i]);
                        let bits: u64 = $e;
                        any |= f64::from_bits(bits).is_nan();
                        lanes[i] = bits;
                    }
                    if any {
                        $crate::alu::float::put_nans(&mut lanes, &[a, b, c][..$sources]);
                    }
                    *d = lanes;
                },
            )
        })
    };
}

macro_rules! mixed {
    ($($lane:tt)*) => { $crate::alu::lanes::direct!(Mixed, $($lane)*) };
}

macro_rules! widen {
    ($($lane:tt)*) => { $crate::alu::lanes::direct!(Widen, $($lane)*) };
}

macro_rules! cut {
    (|$a:tt| $e:expr) => {
        $crate::alu::Alu::Cut(|d, a| {
            $crate::simd::dispatch(
                #[inline(always)]
                || {
                    let mut lanes = [0; 32];
                    for i in 0..32 {
                        let $a = a[i];
                        lanes[i] = $e;
                    }
                    *d = lanes;
                },
            )
        })
    };
}

/// A first source of 64 bits and a second one of 32.
macro_rules! shift {
    (|$a:tt, $b:tt| $e:expr) => {
        $crate::alu::Alu::Shift(|d, a, b| {
            $crate::simd::dispatch(
                #[inline(always)]
                || {
                    for i in 0..32 {
                        let ($a, $b) = (a[i], b[i]);
                        d[i] = $e;
                    }
                },
            )
        })
    };
}

/// A mask of the lanes in which the expression holds.
macro_rules! compare {
    ($variant:ident, |$a:tt, $b:tt| $e:expr) => {
        $crate::alu::Alu::$variant(|a, b| {
            $crate::simd::dispatch(
                #[inline(always)]
                || {
                    let mut mask = 0u32;
                    for i in 0..32 {
                        let ($a, $b) = (a[i], b[i]);
                        mask |= u32::from($e) << i;
                    }
                    mask
                },
            )
        })
    };
}

/// Four sources.
macro_rules! four {
    ($variant:ident, |$a:tt, $b:tt, $c:tt, $d:tt| $e:expr) => {
        $crate::alu::Alu::$variant(|to, a, b, c, d| {
            $crate::simd::dispatch(
                #[inline(always)]
                || {
                    for i in 0..32 {
                        let ($a, $b, $c, $d) = (a[i], b[i], c[i], d[i]);
                        to[i] = $e;
                    }
                },
            )
        })
    };
}

/// Masks of the lanes in which the expression holds, of the low and of the high halves.
macro_rules! pairs {
    (|$a:tt, $b:tt| $e:expr) => {
        $crate::alu::Alu::ComparePair(|x, y| {
            let (mut low, mut high) = (0u32, 0u32);
            for i in 0..32 {
                let ($a, $b) = (x[i], y[i]);
                low |= u32::from($e) << i;
                let ($a, $b) = (x[i] >> 16, y[i] >> 16);
                high |= u32::from($e) << i;
            }
            (low, high)
        })
    };
}

/// A result and a carry from three sources and a carry.
macro_rules! carry {
    (|$a:tt, $b:tt, $c:tt, $carry:tt| $e:expr) => {
        $crate::alu::Alu::Carry(|d, a, b, c, flags| {
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

/// The function of a row, by the widths of its destination and sources.
macro_rules! lanes {
    (b32 |$a:ident| $e:expr) => {
        $crate::alu::lanes::narrow!(|$a, _, _| $e)
    };
    (b32 |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::narrow!(|$a, $b, _| $e)
    };
    (b32 |$a:ident, $b:ident, $c:ident| $e:expr) => {
        $crate::alu::lanes::narrow!(|$a, $b, $c| $e)
    };
    (b64 |$a:ident| $e:expr) => {
        $crate::alu::lanes::wide!(|$a, _, _| $e)
    };
    (b64 |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::wide!(|$a, $b, _| $e)
    };
    (b64 |$a:ident, $b:ident, $c:ident| $e:expr) => {
        $crate::alu::lanes::wide!(|$a, $b, $c| $e)
    };
    (extend |$a:ident| $e:expr) => {
        $crate::alu::lanes::widen!(|$a, _, _| $e)
    };
    (extend |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::widen!(|$a, $b, _| $e)
    };
    (extend |$a:ident, $b:ident, $c:ident| $e:expr) => {
        $crate::alu::lanes::widen!(|$a, $b, $c| $e)
    };
    (b32 |$a:ident, $b:ident, $c:ident, $d:ident| $e:expr) => {
        $crate::alu::lanes::four!(Narrow4, |$a, $b, $c, $d| $e)
    };
    (truncate |$a:ident| $e:expr) => {
        $crate::alu::lanes::cut!(|$a| $e)
    };
    (shift |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::shift!(|$a, $b| $e)
    };
    (compare |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::compare!(CompareNarrow, |$a, $b| $e)
    };
    (compare64 |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::compare!(CompareWide, |$a, $b| $e)
    };
    (compare |$a:ident| $e:expr) => {
        $crate::alu::lanes::compare!(CompareNarrow, |$a, _| $e)
    };
    (compare64 |$a:ident| $e:expr) => {
        $crate::alu::lanes::compare!(CompareWide, |$a, _| $e)
    };
    (f64 |$a:ident| $e:expr) => {
        $crate::alu::lanes::wide64!(1, |$a, _, _| $e)
    };
    (f64 |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::wide64!(2, |$a, $b, _| $e)
    };
    (f64 |$a:ident, $b:ident, $c:ident| $e:expr) => {
        $crate::alu::lanes::wide64!(3, |$a, $b, $c| $e)
    };
    // Sources of 32 bits come in the low halves here.
    (field64 |$a:ident, $b:ident, $c:ident| $e:expr) => {
        $crate::alu::lanes::mixed!(|$a, b, c| {
            let ($b, $c) = (b as u32, c as u32);
            $e
        })
    };
    (select64 |$a:ident, $b:ident, $c:ident| $e:expr) => {
        $crate::alu::lanes::mixed!(|$a, $b, c| {
            let $c = c as u32;
            $e
        })
    };
    (insert64 |$a:ident, $b:ident, $c:ident, $d:ident| $e:expr) => {
        $crate::alu::lanes::four!(Mixed4, |$a, $b, c, d| {
            let ($c, $d) = (c as u32, d as u32);
            $e
        })
    };
    (pairs |$a:ident, $b:ident| $e:expr) => {
        $crate::alu::lanes::pairs!(|$a, $b| $e)
    };
    (carry |$a:ident, $b:ident, $c:ident, $carry:ident| $e:expr) => {
        $crate::alu::lanes::carry!(|$a, $b, $c, $carry| $e)
    };
    (function | | $e:expr) => {
        $e
    };
}

pub(super) use {
    carry, compare, cut, direct, four, gathered, lanes, mixed, narrow, pairs, shift, wide, wide64,
    widen,
};
