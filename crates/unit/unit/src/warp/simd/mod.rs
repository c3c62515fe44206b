//! Vectors of 32-bit lanes, the same source for every SIMD level.
//!
//! A [`Simd`] is a level: a token whose existence proves that the machine has the instructions, and
//! the raw operations. [`Int`], [`Float`] and [`Double`] put operators on its vectors, so that a stage
//! reads like the rule it implements. A stage is a [`Stage`]: written once, built for each level by
//! [`pick`], run through a [`Run`].

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(test)]
pub(super) mod check;
mod portable;
#[cfg(test)]
mod tests;
mod twice;
mod vector;

pub(super) use portable::Portable;
pub(super) use twice::Twice;
pub(super) use vector::{Double, Float, Int, Mask, all_lanes, double, float, int, load, mask};

#[cfg(target_arch = "x86_64")]
use super::build::SimdLevel;
use super::build::{Build, Wide};
use crate::request::Lanes;
use texunit_memory::Window;

/// A level and its vectors of `LANES` numbers.
pub(super) trait Simd: Copy {
    /// Lanes of a vector: 4, 8, 16 or 32. 32 lanes are `32 / LANES` chunks.
    const LANES: usize;
    /// 32-bit integers.
    type I: Copy;
    /// f32.
    type F: Copy;
    /// f64.
    type D: Copy;
    /// A bit for each lane.
    type M: Copy;

    fn splat(self, x: i32) -> Self::I;
    fn splat_f32(self, x: f32) -> Self::F;
    fn splat_f64(self, x: f64) -> Self::D;
    fn load(self, from: &Lanes, chunk: usize) -> Self::I;
    /// A mask from the bits of 32 lanes.
    fn mask(self, bits: u32, chunk: usize) -> Self::M;
    /// Runs a stage as a function of its own, built for this level: for what is large and wanted at several
    /// places of another stage, into each of which it would be compiled otherwise.
    fn call<A: Arguments, K: Stage<A>>(self, arguments: A::Of<'_>);
    /// The words at these byte offsets. Every offset is limited to the window.
    fn gather(self, window: Window<'_>, offsets: Self::I) -> Self::I;
    /// Likewise 8 bytes, as two words.
    fn gather2(self, window: Window<'_>, offsets: Self::I) -> [Self::I; 2];
    /// Likewise 16 bytes, as four words.
    fn gather4(self, window: Window<'_>, offsets: Self::I) -> [Self::I; 4];
    /// Likewise 32 bytes, as two times four words.
    #[inline(always)]
    fn gather8(self, window: Window<'_>, offsets: Self::I) -> [[Self::I; 4]; 2] {
        let next = Self::add(offsets, self.splat(16));
        [self.gather4(window, offsets), self.gather4(window, next)]
    }
    /// The even and the odd numbers of two vectors, one behind the other.
    fn unzip(a: Self::I, b: Self::I) -> [Self::I; 2];
    /// A place that no request for a cache line is moved past by the compiler, after `a` and `b` are computed
    /// and before they are used: else it would ask for all lines at once.
    fn fence(a: &mut Self::I, b: &mut Self::I);

    fn store(x: Self::I, to: &mut Lanes, chunk: usize);
    /// The entries of a table with these numbers, of which the lowest five bits count.
    fn look_up(table: &Lanes, index: Self::I) -> Self::I;
    /// Likewise of a larger table, of which the lowest seven bits count.
    fn look_up_128(table: &[i32; 128], index: Self::I) -> Self::I;
    fn add(a: Self::I, b: Self::I) -> Self::I;
    fn sub(a: Self::I, b: Self::I) -> Self::I;
    /// The low 32 bits of the products.
    fn mul(a: Self::I, b: Self::I) -> Self::I;
    /// The products of `a`, from -32768 to 32767, and `b`, from 0 to 32767.
    fn mul_small(a: Self::I, b: Self::I) -> Self::I;
    /// Two signed 16-bit numbers a lane: the sum of their products.
    fn dot16(a: Self::I, b: Self::I) -> Self::I;
    /// floor((a * b + 2^(BITS - 1)) / 2^BITS) of the 64-bit products, or without the half; the low 32
    /// bits of it.
    fn mul_shift<const BITS: u32, const HALF: bool>(a: Self::I, b: Self::I) -> Self::I;
    fn and(a: Self::I, b: Self::I) -> Self::I;
    fn or(a: Self::I, b: Self::I) -> Self::I;
    fn xor(a: Self::I, b: Self::I) -> Self::I;
    fn min(a: Self::I, b: Self::I) -> Self::I;
    fn max(a: Self::I, b: Self::I) -> Self::I;
    fn shl(a: Self::I, bits: u32) -> Self::I;
    /// Zeros come in from the left.
    fn shr(a: Self::I, bits: u32) -> Self::I;
    /// The sign comes in from the left.
    fn sar(a: Self::I, bits: u32) -> Self::I;
    /// A count for each lane, below 32.
    fn shl_each(a: Self::I, bits: Self::I) -> Self::I;
    /// A count for each lane; zeros come in from the left, and 32 and more shift everything out.
    fn shr_each(a: Self::I, bits: Self::I) -> Self::I;
    /// Likewise, the sign from the left.
    fn sar_each(a: Self::I, bits: Self::I) -> Self::I;
    /// Bits that leave a lane on the left come in from the right. A count for each lane, below 32.
    fn rotate_each(a: Self::I, bits: Self::I) -> Self::I;
    /// Two 16-bit numbers a lane: sums.
    fn add16(a: Self::I, b: Self::I) -> Self::I;
    /// Two 16-bit numbers a lane: the low 16 bits of the products.
    fn mul16(a: Self::I, b: Self::I) -> Self::I;
    /// Two signed 16-bit numbers a lane: floor((a * b + 2^14) / 2^15), of products below 2^30.
    fn mul16_round(a: Self::I, b: Self::I) -> Self::I;
    /// Two 16-bit numbers a lane, shifted by eight bits to the right.
    fn shr16_8(a: Self::I) -> Self::I;
    fn lt(a: Self::I, b: Self::I) -> Self::M;
    fn eq(a: Self::I, b: Self::I) -> Self::M;
    fn select(m: Self::M, a: Self::I, b: Self::I) -> Self::I;

    /// Bits of the mask, lane 0 lowest.
    fn bits(m: Self::M) -> u32;
    fn both(a: Self::M, b: Self::M) -> Self::M;
    fn either(a: Self::M, b: Self::M) -> Self::M;

    fn from_bits(x: Self::I) -> Self::F;
    fn to_bits(x: Self::F) -> Self::I;
    /// The f32 of f16 codes below 2^16. A NaN comes out as any NaN.
    fn half(code: Self::I) -> Self::F;
    /// Nearest f32.
    fn to_f32(x: Self::I) -> Self::F;
    /// The integers below, of floats that lie between -2^31 and 2^31. Others give any number.
    fn floor(x: Self::F) -> Self::I;
    /// Floats cut to integers, likewise.
    fn to_int(x: Self::F) -> Self::I;
    fn add_f32(a: Self::F, b: Self::F) -> Self::F;
    fn sub_f32(a: Self::F, b: Self::F) -> Self::F;
    fn mul_f32(a: Self::F, b: Self::F) -> Self::F;
    fn div_f32(a: Self::F, b: Self::F) -> Self::F;
    /// a * b + c, rounded once, of numbers whose sum fits an f64.
    fn fused(a: Self::F, b: Self::F, c: Self::F) -> Self::F;
    /// k / n to the nearest f32, for integers k of up to 16 bits and n = 127, 255, 32767 or 65535.
    fn ratio(k: Self::F, n: f32) -> Self::F;
    fn lt_f32(a: Self::F, b: Self::F) -> Self::M;

    fn to_f64(x: Self::I) -> Self::D;
    /// Nearest f32, ties to even.
    fn narrow(x: Self::D) -> Self::F;
    fn add_f64(a: Self::D, b: Self::D) -> Self::D;
    fn mul_f64(a: Self::D, b: Self::D) -> Self::D;
    fn floor_f64(x: Self::D) -> Self::D;
    /// 2^exponent, for exponents of normal numbers.
    fn power_of_two(exponent: Self::I) -> Self::D;
}

/// Arguments of a kind of stage, with the lifetimes that they have in a call.
pub(super) trait Arguments {
    type Of<'a>;
}

/// A stage that is picked when the plan is made.
pub(super) trait Stage<A: Arguments> {
    fn run<S: Simd>(simd: S, arguments: A::Of<'_>);

    // The builds are methods, which the compiler puts where their stage is: functions would all be in one part of
    // the crate, which it works on for minutes, by one thread.

    fn portable(arguments: A::Of<'_>) {
        Self::run(portable::Portable, arguments);
    }

    /// # Safety
    /// The machine runs [`SimdLevel::Avx2`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,bmi1,bmi2,f16c,lzcnt,popcnt")]
    unsafe fn avx2(arguments: A::Of<'_>) {
        Self::run(avx2::Avx2::new(), arguments);
    }

    /// # Safety
    /// The machine runs [`SimdLevel::Avx512`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(
        enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,fma,bmi1,bmi2,lzcnt,popcnt"
    )]
    unsafe fn avx512(arguments: A::Of<'_>) {
        Self::run(avx512::Avx512::new(), arguments);
    }
}

/// A stage built for a level that this machine has.
pub(super) struct Run<A: Arguments>(unsafe fn(A::Of<'_>));

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
    pub(super) fn call(self, arguments: A::Of<'_>) {
        // SAFETY: `pick` was given a `Build`, which the machine runs.
        unsafe { (self.0)(arguments) }
    }
}

/// The build of a stage of the fast schedule.
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

/// The build of a stage.
pub(super) fn pick<A: Arguments, K: Stage<A>>(build: Build) -> Run<A> {
    match build.level() {
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx512 => Run(K::avx512),
        #[cfg(target_arch = "x86_64")]
        SimdLevel::Avx2 => Run(K::avx2),
        _ => Run(K::portable),
    }
}
