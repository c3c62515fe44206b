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

/// An operation of f64; sources that it lacks are zeros. NaNs among the results are looked for once
/// for all lanes, and become those of [`nan64`](super::float::nan64).
macro_rules! wide64 {
    (|$a:tt, $b:tt, $c:tt| $e:expr) => {
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
                        $crate::alu::float::put_nans(&mut lanes, [a, b, c]);
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
}

/// An operation on integers of the type word `$ty`, written once with `$t` standing for the Rust
/// type, in the slot of that width. Other types give `None`.
macro_rules! ints {
    ($ty:expr, $t:ident, |$a:tt, $b:tt, $c:tt| $e:expr) => {{
        use texunit_isa::ScalarType as Ty;
        match $ty {
            Ty::U16 | Ty::B16 => ints!(@ narrow u32 u16 u16 $t, $a $b $c, $e),
            Ty::S16 => ints!(@ narrow u32 i16 u16 $t, $a $b $c, $e),
            Ty::U32 | Ty::B32 => ints!(@ narrow u32 u32 u32 $t, $a $b $c, $e),
            Ty::S32 => ints!(@ narrow u32 i32 u32 $t, $a $b $c, $e),
            Ty::U64 | Ty::B64 => ints!(@ wide u64 u64 u64 $t, $a $b $c, $e),
            Ty::S64 => ints!(@ wide u64 i64 u64 $t, $a $b $c, $e),
            _ => None,
        }
    }};
    (@ $slot:ident $s:ident $int:ident $u:ident $t:ident, $a:tt $b:tt $c:tt, $e:expr) => {
        Some($slot!(|a, b, c| {
            type $t = $int;
            let ($a, $b, $c) = (a as $t, b as $t, c as $t);
            let result: $t = $e;
            result as $u as $s
        }))
    };
}
pub(super) use {
    compare, cut, direct, gathered, ints, lanes, mixed, narrow, shift, wide, wide64, widen,
};
