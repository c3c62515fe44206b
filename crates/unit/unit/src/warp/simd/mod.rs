//! Vectors of 32-bit lanes: the same source code for every SIMD level.
//!
//! A [`Simd`] is a level: a value whose existence proves that the machine supports the level, with
//! the raw operations. [`Int`], [`Float`] and [`Double`] add operators to the level's vectors, so
//! that a stage reads like the rule that it implements. A [`Stage`] is written once, compiled for
//! each level by [`pick`], and called through a [`Run`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
pub(super) mod check;
mod paired;
mod portable;
#[cfg(test)]
mod tests;
mod vector;

pub(super) use paired::PairedSimd;
pub(super) use portable::Portable;
pub(super) use vector::{Double, Float, Int, Mask, all_lanes, double, float, int, load, mask};

#[cfg(target_arch = "x86_64")]
use super::build::SimdLevel;
use super::build::{Build, Wide};
use crate::request::Lanes;
use texunit_memory::Window;

/// A table of 128 pairs of words, in both layouts that look-ups use.
pub(super) struct Pairs {
    /// All first words, then all second ones, for permutations of vectors.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    apart: [[i32; 128]; 2],
    /// The pairs, for loads.
    together: [[i32; 2]; 128],
}

impl Pairs {
    pub(super) const fn new(together: [[i32; 2]; 128]) -> Self {
        let (mut apart, mut i) = ([[0; 128]; 2], 0);
        while i < 128 {
            [apart[0][i], apart[1][i]] = together[i];
            i += 1;
        }
        Self { apart, together }
    }
}

/// The operations of a level on its vectors, as arguments of another macro: the trait, and pairs of
/// vectors, have them from here.
macro_rules! operations {
    ($of:ident) => {
        $of! {
            add(a: I, b: I) -> I;
            sub(a: I, b: I) -> I;
            /// The low 32 bits of the products.
            mul(a: I, b: I) -> I;
            /// The products of numbers `a` (-32768 to 32767) and `b` (0 to 32767).
            mul_small(a: I, b: I) -> I;
            /// Each lane has two signed 16-bit numbers; the result is the sum of their products.
            dot16(a: I, b: I) -> I;
            /// The upper halves of the products of unsigned 16-bit numbers, of which each lane has
            /// two.
            mul16_high(a: I, b: I) -> I;
            and(a: I, b: I) -> I;
            or(a: I, b: I) -> I;
            xor(a: I, b: I) -> I;
            min(a: I, b: I) -> I;
            max(a: I, b: I) -> I;
            /// Shifts to the left by a count per lane, which must be below 32.
            shl_each(a: I, bits: I) -> I;
            /// Shifts to the right by a count per lane, filling with zeros; counts of 32 and more
            /// give 0.
            shr_each(a: I, bits: I) -> I;
            /// Shifts to the right by a count per lane, filling with the sign, also for counts of
            /// 32 and more.
            sar_each(a: I, bits: I) -> I;
            /// Rotates to the left by a count per lane, which must be below 32.
            rotate_each(a: I, bits: I) -> I;
            /// Each lane has two 16-bit numbers; the result has their sums.
            add16(a: I, b: I) -> I;
            /// Each lane has two 16-bit numbers; the result has the low 16 bits of their products.
            mul16(a: I, b: I) -> I;
            /// Each lane has two signed 16-bit numbers; the result has floor((a * b + 2^14) / 2^15)
            /// of each, for products below 2^30.
            mul16_round(a: I, b: I) -> I;
            /// Each lane has two 16-bit numbers, which are shifted right by eight bits, filling
            /// with zeros.
            shr16_8(a: I) -> I;
            lt(a: I, b: I) -> M;
            eq(a: I, b: I) -> M;
            select(m: M, a: I, b: I) -> I;
            both(a: M, b: M) -> M;
            either(a: M, b: M) -> M;
            from_bits(x: I) -> F;
            to_bits(x: F) -> I;
            /// Converts f16 codes, which are below 2^16, to f32. A NaN becomes any NaN.
            half(code: I) -> F;
            /// Converts integers to the nearest f32.
            to_f32(x: I) -> F;
            /// Rounds f32 numbers between -2^31 and 2^31 down to integers; others give arbitrary
            /// results.
            floor(x: F) -> I;
            /// Truncates f32 numbers between -2^31 and 2^31 to integers. Results are arbitrary for
            /// others.
            to_int(x: F) -> I;
            add_f32(a: F, b: F) -> F;
            sub_f32(a: F, b: F) -> F;
            mul_f32(a: F, b: F) -> F;
            div_f32(a: F, b: F) -> F;
            /// Computes a * b + c for a power of two `b` by which `a` does not become subnormal, so
            /// that the product is exact and the sum is rounded once.
            fused(a: F, b: F, c: F) -> F;
            lt_f32(a: F, b: F) -> M;
            to_f64(x: I) -> D;
            /// Converts f64 numbers to the nearest f32, ties to even.
            narrow(x: D) -> F;
            add_f64(a: D, b: D) -> D;
            mul_f64(a: D, b: D) -> D;
            floor_f64(x: D) -> D;
            /// Computes 2^exponent as f64, for exponents of normal numbers.
            power_of_two(exponent: I) -> D;
        }
    };
}
use operations;

macro_rules! declared {
    ($($(#[$doc:meta])* $name:ident($($a:ident: $t:ident),*) -> $r:ident;)*) => {
        $($(#[$doc])* fn $name($($a: Self::$t),*) -> Self::$r;)*
    };
}

/// A SIMD level, with its vectors of `LANES` numbers.
pub(super) trait Simd: Copy {
    /// Lanes per vector: 4, 8, 16 or 32. A warp is `32 / LANES` vectors, which are its chunks.
    const LANES: usize;
    /// Vector of 32-bit integers.
    type I: Copy;
    /// Vector of f32.
    type F: Copy;
    /// Vector of f64.
    type D: Copy;
    /// Mask with a bit per lane.
    type M: Copy;

    fn splat(self, x: i32) -> Self::I;
    fn splat_f32(self, x: f32) -> Self::F;
    fn splat_f64(self, x: f64) -> Self::D;
    fn load(self, from: &Lanes, chunk: usize) -> Self::I;
    /// The mask of one chunk of a warp, from the bits of 32 lanes.
    fn mask(self, bits: u32, chunk: usize) -> Self::M;
    /// Calls a stage as a separate function that is compiled for this level. Use it for large
    /// stages that are called at several points of another stage, because they would otherwise be
    /// inlined at each point.
    fn call<A: Arguments, K: Stage<A>>(self, arguments: A::Args<'_>);
    /// Loads a word of 4 bytes at each byte offset. Offsets are clamped to the window.
    fn gather(self, window: Window<'_>, offsets: Self::I) -> Self::I;
    /// Loads 8 bytes at each byte offset, as two words. Offsets are clamped to the window.
    fn gather2(self, window: Window<'_>, offsets: Self::I) -> [Self::I; 2];
    /// Loads 16 bytes at each byte offset, as four words. Offsets are clamped to the window.
    fn gather4(self, window: Window<'_>, offsets: Self::I) -> [Self::I; 4];
    /// Loads 32 bytes at each byte offset, as two times four words. Offsets are clamped to the
    /// window.
    #[inline(always)]
    fn gather8(self, window: Window<'_>, offsets: Self::I) -> [[Self::I; 4]; 2] {
        let next = Self::add(offsets, self.splat(16));
        [self.gather4(window, offsets), self.gather4(window, next)]
    }
    /// The elements with even and those with odd indices, of two concatenated vectors.
    fn unzip(a: Self::I, b: Self::I) -> [Self::I; 2];
    /// A compiler fence for prefetches, between the computation of `a` and `b` and their use.
    /// Without the fence, the compiler would issue all prefetches at once.
    fn fence(a: &mut Self::I, b: &mut Self::I);

    fn store(x: Self::I, to: &mut Lanes, chunk: usize);
    /// Looks up an element of a table of 32 numbers for each index, of which the lowest five bits
    /// count.
    fn look_up(table: &Lanes, index: Self::I) -> Self::I;
    /// Looks up both words of the entry for each index, of which the lowest seven bits count.
    fn look_up_pairs(table: &Pairs, index: Self::I) -> [Self::I; 2];
    /// The low 32 bits of floor((a * b + 2^(BITS - 1)) / 2^BITS), computed with 64-bit products.
    /// Without `HALF`, the low 32 bits of floor(a * b / 2^BITS).
    fn mul_shift<const BITS: u32, const HALF: bool>(a: Self::I, b: Self::I) -> Self::I;
    fn shl(a: Self::I, bits: u32) -> Self::I;
    /// Shifts to the right, filling with zeros.
    fn shr(a: Self::I, bits: u32) -> Self::I;
    /// Shifts to the right, filling with the sign.
    fn sar(a: Self::I, bits: u32) -> Self::I;
    /// The mask as the bits of an integer, lane 0 lowest.
    fn bits(m: Self::M) -> u32;
    /// Computes k / n, rounded to the nearest f32, for integers k of up to 16 bits and n = 127,
    /// 255, 32767 or 65535.
    fn ratio(k: Self::F, n: f32) -> Self::F;
    operations!(declared);
}

/// The argument type of a kind of stage. It is generic over the lifetime of a call.
pub(super) trait Arguments {
    type Args<'a>;
}

/// Defines an argument type's name as an [`Arguments`].
macro_rules! arguments {
    ($visibility:vis $name:ident = $call:ident) => {
        #[derive(Debug)]
        $visibility struct $name;

        impl $crate::warp::simd::Arguments for $name {
            type Args<'a> = $call<'a>;
        }
    };
}
pub(super) use arguments;

/// A stage of a fetch, which is compiled for each SIMD level. When a plan is made, the build for
/// its level is selected.
pub(super) trait Stage<A: Arguments> {
    fn run<S: Simd>(simd: S, arguments: A::Args<'_>);

    // The builds are methods, so that the compiler generates them in the codegen unit of their
    // stage. If they were free functions, they would all be in one codegen unit, which a single
    // thread would compile for minutes.

    fn portable(arguments: A::Args<'_>) {
        Self::run(portable::Portable, arguments);
    }

    /// # Safety
    /// The machine supports [`SimdLevel::Avx2`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt")]
    unsafe fn avx2(arguments: A::Args<'_>) {
        Self::run(avx2::Avx2::new(), arguments);
    }

    /// # Safety
    /// The machine supports [`SimdLevel::Avx512`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,fma,bmi1,bmi2,lzcnt,popcnt"
    )]
    unsafe fn avx512(arguments: A::Args<'_>) {
        Self::run(avx512::Avx512::new(), arguments);
    }
}

/// The build of a stage for a SIMD level that this machine supports.
pub(super) struct Run<A: Arguments>(unsafe fn(A::Args<'_>));

impl<A: Arguments> Clone for Run<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Arguments> Copy for Run<A> {}

impl<A: Arguments> std::fmt::Debug for Run<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:p}", self.0 as *const ())
    }
}

impl<A: Arguments> Run<A> {
    #[inline(always)]
    pub(super) fn call(self, arguments: A::Args<'_>) {
        // SAFETY: `pick` was given a `Build`, which proves that the machine supports the level.
        unsafe { (self.0)(arguments) }
    }
}

/// Selects the build of a stage of the fast schedule for a SIMD level.
pub(super) fn pick_wide<A: Arguments, K: Stage<A>>(build: Wide) -> Run<A> {
    match build {
        #[cfg(target_arch = "x86_64")]
        Wide::Avx512 => Run(K::avx512),
        #[cfg(target_arch = "x86_64")]
        Wide::Avx2 => Run(K::avx2),
        #[cfg(not(target_arch = "x86_64"))]
        Wide::Portable => Run(K::portable),
    }
}

/// Selects the build of a stage for a SIMD level.
pub(super) fn pick<A: Arguments, K: Stage<A>>(build: Build) -> Run<A> {
    match build.level() {
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => Run(K::avx512),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => Run(K::avx2),
        _ => Run(K::portable),
    }
}
