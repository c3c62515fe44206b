//! Pairs of vectors of a SIMD level, used as one vector.

use super::{Arguments, Pairs, Simd, Stage, operations};
use crate::request::Lanes;
use texunit_memory::Window;

/// A SIMD level whose vectors have twice as many lanes as those of the level `S`. Each operation is
/// done for one half, then for the other, so that the CPU has two independent chains of operations.
#[derive(Clone, Copy)]
pub(in crate::warp) struct PairedSimd<S>(pub(in crate::warp) S);

macro_rules! each {
    ($($(#[$doc:meta])* $name:ident($($a:ident: $t:ident),*) -> $r:ident;)*) => {
        $(#[inline(always)]
        fn $name($($a: Self::$t),*) -> Self::$r {
            [S::$name($($a[0]),*), S::$name($($a[1]),*)]
        })*
    };
}

impl<S: Simd> Simd for PairedSimd<S> {
    const LANES: usize = 2 * S::LANES;
    type I = [S::I; 2];
    type F = [S::F; 2];
    type D = [S::D; 2];
    type M = [S::M; 2];

    #[inline(always)]
    fn splat(self, x: i32) -> Self::I {
        [self.0.splat(x); 2]
    }
    #[inline(always)]
    fn splat_f32(self, x: f32) -> Self::F {
        [self.0.splat_f32(x); 2]
    }
    #[inline(always)]
    fn splat_f64(self, x: f64) -> Self::D {
        [self.0.splat_f64(x); 2]
    }
    #[inline(always)]
    fn load(self, from: &Lanes, chunk: usize) -> Self::I {
        [self.0.load(from, 2 * chunk), self.0.load(from, 2 * chunk + 1)]
    }
    #[inline(always)]
    fn mask(self, bits: u32, chunk: usize) -> Self::M {
        [self.0.mask(bits, 2 * chunk), self.0.mask(bits, 2 * chunk + 1)]
    }
    #[inline(always)]
    fn call<A: Arguments, K: Stage<A>>(self, arguments: A::Args<'_>) {
        self.0.call::<A, K>(arguments);
    }
    #[inline(always)]
    fn gather(self, window: Window<'_>, [a, b]: Self::I) -> Self::I {
        [self.0.gather(window, a), self.0.gather(window, b)]
    }
    #[inline(always)]
    fn gather2(self, window: Window<'_>, [a, b]: Self::I) -> [Self::I; 2] {
        let ([a, b], [c, d]) = (self.0.gather2(window, a), self.0.gather2(window, b));
        [[a, c], [b, d]]
    }
    #[inline(always)]
    fn gather4(self, window: Window<'_>, [a, b]: Self::I) -> [Self::I; 4] {
        let ([a, b, c, d], [e, f, g, h]) = (self.0.gather4(window, a), self.0.gather4(window, b));
        [[a, e], [b, f], [c, g], [d, h]]
    }
    #[inline(always)]
    fn gather8(self, window: Window<'_>, [a, b]: Self::I) -> [[Self::I; 4]; 2] {
        let ([[a, b, c, d], [i, j, k, l]], [[e, f, g, h], [m, n, o, p]]) =
            (self.0.gather8(window, a), self.0.gather8(window, b));
        [[[a, e], [b, f], [c, g], [d, h]], [[i, m], [j, n], [k, o], [l, p]]]
    }
    #[inline(always)]
    fn unzip([a, b]: Self::I, [c, d]: Self::I) -> [Self::I; 2] {
        let ([a, b], [c, d]) = (S::unzip(a, b), S::unzip(c, d));
        [[a, c], [b, d]]
    }
    #[inline(always)]
    fn fence([a, b]: &mut Self::I, [c, d]: &mut Self::I) {
        S::fence(a, b);
        S::fence(c, d);
    }
    #[inline(always)]
    fn store([a, b]: Self::I, to: &mut Lanes, chunk: usize) {
        S::store(a, to, 2 * chunk);
        S::store(b, to, 2 * chunk + 1);
    }
    #[inline(always)]
    fn look_up(table: &Lanes, [a, b]: Self::I) -> Self::I {
        [S::look_up(table, a), S::look_up(table, b)]
    }
    #[inline(always)]
    fn look_up_pairs(table: &Pairs, [a, b]: Self::I) -> [Self::I; 2] {
        let ([a, b], [c, d]) = (S::look_up_pairs(table, a), S::look_up_pairs(table, b));
        [[a, c], [b, d]]
    }
    #[inline(always)]
    fn mul_shift<const BITS: u32, const HALF: bool>(a: Self::I, b: Self::I) -> Self::I {
        [S::mul_shift::<BITS, HALF>(a[0], b[0]), S::mul_shift::<BITS, HALF>(a[1], b[1])]
    }
    #[inline(always)]
    fn shl(a: Self::I, bits: u32) -> Self::I {
        [S::shl(a[0], bits), S::shl(a[1], bits)]
    }
    #[inline(always)]
    fn shr([a, b]: Self::I, bits: u32) -> Self::I {
        [S::shr(a, bits), S::shr(b, bits)]
    }
    #[inline(always)]
    fn sar([a, b]: Self::I, bits: u32) -> Self::I {
        [S::sar(a, bits), S::sar(b, bits)]
    }
    #[inline(always)]
    fn bits([a, b]: Self::M) -> u32 {
        S::bits(a) | S::bits(b) << S::LANES
    }
    #[inline(always)]
    fn ratio([a, b]: Self::F, n: f32) -> Self::F {
        [S::ratio(a, n), S::ratio(b, n)]
    }
    operations!(each);
}
