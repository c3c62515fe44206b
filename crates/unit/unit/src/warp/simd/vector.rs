//! Operators and methods on the vectors of a SIMD level.

use super::{Pairs, Simd};
use crate::request::Lanes;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Shl, Shr, Sub};
use texunit_memory::Window;

/// A vector of 32-bit integers. `+`, `-` and `*` wrap around; `>>` fills with the sign.
#[derive(Clone, Copy)]
pub(in crate::warp) struct Int<S: Simd>(pub(super) S::I);

/// A vector of f32.
#[derive(Clone, Copy)]
pub(in crate::warp) struct Float<S: Simd>(pub(super) S::F);

/// A vector of f64.
#[derive(Clone, Copy)]
pub(in crate::warp) struct Double<S: Simd>(pub(super) S::D);

/// A mask with a bit per lane.
#[derive(Clone, Copy)]
pub(in crate::warp) struct Mask<S: Simd>(pub(super) S::M);

macro_rules! operator {
    ($($trait:ident $method:ident $vector:ident $function:ident;)*) => {
        $(impl<S: Simd> $trait for $vector<S> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(S::$function(self.0, other.0))
            }
        })*
    };
}

operator! {
    Add add Int add;
    Sub sub Int sub;
    Mul mul Int mul;
    BitAnd bitand Int and;
    BitOr bitor Int or;
    BitXor bitxor Int xor;
    Add add Float add_f32;
    Sub sub Float sub_f32;
    Mul mul Float mul_f32;
    Div div Float div_f32;
    Add add Double add_f64;
    Mul mul Double mul_f64;
    BitAnd bitand Mask both;
    BitOr bitor Mask either;
}

impl<S: Simd> Shl<u32> for Int<S> {
    type Output = Self;
    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        Self(S::shl(self.0, bits))
    }
}

impl<S: Simd> Shr<u32> for Int<S> {
    type Output = Self;
    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        Self(S::sar(self.0, bits))
    }
}

#[inline(always)]
pub(in crate::warp) fn int<S: Simd>(simd: S, x: i32) -> Int<S> {
    Int(simd.splat(x))
}

#[inline(always)]
pub(in crate::warp) fn float<S: Simd>(simd: S, x: f32) -> Float<S> {
    Float(simd.splat_f32(x))
}

#[inline(always)]
pub(in crate::warp) fn double<S: Simd>(simd: S, x: f64) -> Double<S> {
    Double(simd.splat_f64(x))
}

#[inline(always)]
pub(in crate::warp) fn load<S: Simd>(simd: S, from: &Lanes, chunk: usize) -> Int<S> {
    Int(simd.load(from, chunk))
}

/// The mask of one chunk of a warp, from the bits of 32 lanes.
#[inline(always)]
pub(in crate::warp) fn mask<S: Simd>(simd: S, bits: u32, chunk: usize) -> Mask<S> {
    Mask(simd.mask(bits, chunk))
}

/// Defines methods of vectors as operations of their level.
macro_rules! methods {
    ($($of:ident {
        $($(#[$doc:meta])* $name:ident($($other:ident),*) -> $r:ident = $operation:ident;)*
    })*) => {
        $(impl<S: Simd> $of<S> {
            $($(#[$doc])*
            #[inline(always)]
            pub(in crate::warp) fn $name(self, $($other: Self),*) -> $r<S> {
                $r(S::$operation(self.0, $($other.0),*))
            })*
        })*
    };
}

methods! {
    Int {
        times(other) -> Int = mul_small;
        dot16(other) -> Int = dot16;
        mul16_high(other) -> Int = mul16_high;
        min(other) -> Int = min;
        max(other) -> Int = max;
        /// Shifts to the left by a count per lane, which must be below 32.
        shl_each(bits) -> Int = shl_each;
        /// Shifts to the right by a count per lane, filling with zeros.
        shr_each(bits) -> Int = shr_each;
        sar_each(bits) -> Int = sar_each;
        /// Rotates to the left by a count per lane, which must be below 32.
        rotate_each(bits) -> Int = rotate_each;
        add16(other) -> Int = add16;
        mul16(other) -> Int = mul16;
        mul16_round(other) -> Int = mul16_round;
        shr16_8() -> Int = shr16_8;
        lt(other) -> Mask = lt;
        is(other) -> Mask = eq;
        /// Reinterprets the bits of integers as f32.
        as_float() -> Float = from_bits;
        half() -> Float = half;
        /// Converts integers to the nearest f32.
        to_float() -> Float = to_f32;
        to_double() -> Double = to_f64;
        power_of_two() -> Double = power_of_two;
    }
    Float {
        /// Reinterprets the bits of f32 numbers as integers.
        as_int() -> Int = to_bits;
        floor() -> Int = floor;
        to_int() -> Int = to_int;
        fused(factor, term) -> Float = fused;
        lt(other) -> Mask = lt_f32;
    }
    Double {
        narrow() -> Float = narrow;
        floor() -> Double = floor_f64;
    }
}

impl<S: Simd> Int<S> {
    /// Loads a word of 4 bytes at each byte offset; offsets are clamped to the window.
    #[inline(always)]
    pub(in crate::warp) fn gather(simd: S, window: Window<'_>, offsets: Self) -> Self {
        Self(simd.gather(window, offsets.0))
    }
    /// Loads two words at each byte offset; offsets are clamped to the window.
    #[inline(always)]
    pub(in crate::warp) fn gather2(simd: S, window: Window<'_>, offsets: Self) -> [Self; 2] {
        let [a, b] = simd.gather2(window, offsets.0);
        [Self(a), Self(b)]
    }
    /// Loads four words at each byte offset; offsets are clamped to the window.
    #[inline(always)]
    pub(in crate::warp) fn gather4(simd: S, window: Window<'_>, offsets: Self) -> [Self; 4] {
        let [a, b, c, d] = simd.gather4(window, offsets.0);
        [Self(a), Self(b), Self(c), Self(d)]
    }
    /// Loads eight words at each byte offset; offsets are clamped to the window.
    #[inline(always)]
    pub(in crate::warp) fn gather8(simd: S, window: Window<'_>, offsets: Self) -> [[Self; 4]; 2] {
        let [[a, b, c, d], [e, f, g, h]] = simd.gather8(window, offsets.0);
        [[Self(a), Self(b), Self(c), Self(d)], [Self(e), Self(f), Self(g), Self(h)]]
    }
    /// See [`Simd::unzip`].
    #[inline(always)]
    pub(in crate::warp) fn unzip(self, other: Self) -> [Self; 2] {
        let [even, odd] = S::unzip(self.0, other.0);
        [Self(even), Self(odd)]
    }
    /// See [`Simd::fence`].
    #[inline(always)]
    pub(in crate::warp) fn fence(a: &mut Self, b: &mut Self) {
        S::fence(&mut a.0, &mut b.0);
    }
    /// Looks up an element of a table of 32 numbers for each index, of which the lowest five bits
    /// count.
    #[inline(always)]
    pub(in crate::warp) fn look_up(self, table: &Lanes) -> Self {
        Self(S::look_up(table, self.0))
    }
    /// See [`Simd::look_up_pairs`].
    #[inline(always)]
    pub(in crate::warp) fn look_up_pairs(self, table: &Pairs) -> [Self; 2] {
        let [a, b] = S::look_up_pairs(table, self.0);
        [Self(a), Self(b)]
    }
    /// Looks up an element of a table of 256 numbers for each index, of which the lowest eight bits
    /// count.
    #[inline(always)]
    pub(in crate::warp) fn look_up_byte(self, simd: S, table: &[u32; 256]) -> Self {
        let mut lanes = [0; 32];
        self.store(&mut lanes, 0);
        for lane in &mut lanes[..S::LANES] {
            *lane = table[(*lane & 0xff) as usize];
        }
        load(simd, &lanes, 0)
    }
    #[inline(always)]
    pub(in crate::warp) fn store(self, to: &mut Lanes, chunk: usize) {
        S::store(self.0, to, chunk);
    }
    /// The high part of the 64-bit products; see [`Simd::mul_shift`].
    #[inline(always)]
    pub(in crate::warp) fn mul_shift<const BITS: u32, const HALF: bool>(self, other: Self) -> Self {
        Self(S::mul_shift::<BITS, HALF>(self.0, other.0))
    }
    /// Shifts to the right, filling with zeros.
    #[inline(always)]
    pub(in crate::warp) fn shr(self, bits: u32) -> Self {
        Self(S::shr(self.0, bits))
    }
}

impl<S: Simd> Float<S> {
    /// See [`Simd::ratio`].
    #[inline(always)]
    pub(in crate::warp) fn ratio(self, n: f32) -> Self {
        Self(S::ratio(self.0, n))
    }
}

/// The mask in which all lanes of one vector are set.
#[inline(always)]
pub(in crate::warp) fn all_lanes<S: Simd>() -> u32 {
    u32::MAX >> (32 - S::LANES)
}

impl<S: Simd> Mask<S> {
    /// Whether all lanes are set in the mask.
    #[inline(always)]
    pub(in crate::warp) fn is_full(self) -> bool {
        self.bits() == all_lanes::<S>()
    }
    /// The mask as the bits of an integer, lane 0 lowest.
    #[inline(always)]
    pub(in crate::warp) fn bits(self) -> u32 {
        S::bits(self.0)
    }
    #[inline(always)]
    pub(in crate::warp) fn select(self, yes: Int<S>, no: Int<S>) -> Int<S> {
        Int(S::select(self.0, yes.0, no.0))
    }
}

/// Splits 1/n into the sum of two f32 numbers. For an integer k of up to 16 bits, the sum of k
/// times both numbers is the nearest f32 to k / n, which a test verifies for all k. If `n` is a
/// constant, the function is evaluated at compile time.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
#[inline(always)]
pub(super) fn reciprocal(n: f32) -> (f32, f32) {
    let exact = 1.0 / f64::from(n);
    let high = exact as f32;
    (high, (exact - f64::from(high)) as f32)
}
