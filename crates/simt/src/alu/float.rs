//! IEEE arithmetic of f32 and f64: add to fma, division, roots, min, max, abs, neg, copysign.
//!
//! Subnormals are numbers unless `.ftz` says to take them, in sources and results, as zeros of
//! their sign. A NaN result of f32 is 0x7fffffff, whatever the NaN that went in; the ISA leaves the
//! payload of `abs` and `neg` open, and they do the same. Of f64, a NaN that goes in comes out, and
//! one that arithmetic makes is 0xfff8000000000000 (`nan64`). `.sat` limits a result to [+0, 1], NaN
//! becoming +0.

use texunit_isa::{Modifiers, Opcode};

use super::lanes::{narrow, wide, wide64};
use super::round::{self, Format, RM, RN, RP, RZ, narrow32, sum_odd, to_odd};
use super::soft;
use super::{Alu, L64};

/// Subnormals become zeros of their sign.
#[inline(always)]
pub(super) fn flush32(x: u32) -> u32 {
    if x & 0x7f80_0000 == 0 { x & 0x8000_0000 } else { x }
}

/// A source of an f32 instruction.
#[inline(always)]
pub(super) fn source<const FTZ: bool>(x: u32) -> f32 {
    f32::from_bits(if FTZ { flush32(x) } else { x })
}

/// A result of an f32 instruction.
#[inline(always)]
pub(super) fn result<const FTZ: bool, const SAT: bool>(x: f32) -> u32 {
    if SAT {
        let low = if x > 0.0 { x } else { 0.0 };
        return result::<FTZ, false>(if low < 1.0 { low } else { 1.0 });
    }
    let bits = if x.is_nan() { 0x7fff_ffff } else { x.to_bits() };
    if FTZ { flush32(bits) } else { bits }
}

/// The bit that tells a quiet NaN of f64 from a signalling one.
pub(super) const QUIET64: u64 = 1 << 51;

/// The NaN that an f64 instruction gives: the first one among its sources, sign and payload as they
/// are, or the one that arithmetic makes (docs/numerics.md, 13.2 and 13.7). A signalling one is quiet
/// afterwards.
pub(crate) fn nan64<const N: usize>(sources: [u64; N]) -> u64 {
    let is_nan = |x: &u64| f64::from_bits(*x).is_nan();
    sources.into_iter().find(is_nan).map_or(Format::F64.nan, |x| x | QUIET64)
}

/// Puts the NaNs that [`nan64`] gives into the lanes of a result that are NaN.
#[cold]
pub(super) fn put_nans(lanes: &mut L64, sources: [&L64; 3]) {
    for (i, lane) in lanes.iter_mut().enumerate().filter(|(_, x)| f64::from_bits(**x).is_nan()) {
        *lane = nan64(sources.map(|source| source[i]));
    }
}

/// A result of an f64 instruction with one NaN for all.
#[inline(always)]
pub(super) fn result64(x: f64) -> u64 {
    if x.is_nan() { Format::F64.nan } else { x.to_bits() }
}

/// The sum of an exact product and an addend, rounded to f32.
#[inline(always)]
fn sum<const R: u8>(product: f64, c: f64) -> f32 {
    let sum = sum_odd(product, c);
    if R == RM && sum == 0.0 && (product.is_sign_negative() || c.is_sign_negative()) {
        return -0.0;
    }
    narrow32::<R>(sum)
}

#[inline(always)]
pub(super) fn add<const R: u8>(a: f32, b: f32) -> f32 {
    if R == RN { a + b } else { sum::<R>(a.into(), b.into()) }
}

#[inline(always)]
pub(super) fn mul<const R: u8>(a: f32, b: f32) -> f32 {
    // The product of two f32 is exact in f64.
    if R == RN { a * b } else { narrow32::<R>(f64::from(a) * f64::from(b)) }
}

#[inline(always)]
pub(super) fn fma<const R: u8>(a: f32, b: f32, c: f32) -> f32 {
    if R == RN { a.mul_add(b, c) } else { sum::<R>(f64::from(a) * f64::from(b), c.into()) }
}

#[inline(always)]
fn div<const R: u8>(a: f32, b: f32) -> f32 {
    if R == RN {
        return a / b;
    }
    let (a, b) = (f64::from(a), f64::from(b));
    let quotient = a / b;
    let rest = (-quotient).mul_add(b, a);
    narrow32::<R>(to_odd(quotient, if b < 0.0 { -rest } else { rest }))
}

#[inline(always)]
fn sqrt<const R: u8>(a: f32) -> f32 {
    if R == RN {
        return a.sqrt();
    }
    let a = f64::from(a);
    let root = a.sqrt();
    narrow32::<R>(to_odd(root, (-root).mul_add(root, a)))
}

/// `min` and `max`: the source that stands before the other. Of equal ones, which may be zeros of
/// both signs, the bits combined: -0 is less than +0. One NaN gives the other source.
macro_rules! extreme {
    ($name:ident, $float:ty, $before:tt, $combine:tt) => {
        #[inline(always)]
        pub(crate) fn $name(a: $float, b: $float) -> $float {
            let equal = <$float>::from_bits(a.to_bits() $combine b.to_bits());
            let first = if a $before b {
                a
            } else if b $before a {
                b
            } else {
                equal
            };
            if a.is_nan() {
                b
            } else if b.is_nan() {
                a
            } else {
                first
            }
        }
    };
}

extreme!(min, f32, <, |);
extreme!(max, f32, >, &);
extreme!(min64, f64, <, |);
extreme!(max64, f64, >, &);

/// A NaN if either source is one (`.NaN`), else the value.
#[inline(always)]
pub(super) fn strict(a: f32, b: f32, value: f32) -> f32 {
    if a.is_nan() | b.is_nan() { f32::NAN } else { value }
}

/// Instructions of f32 that round, for one mode, `.ftz` and `.sat`.
fn rounded<const R: u8, const FTZ: bool, const SAT: bool>(opcode: Opcode) -> Option<Alu> {
    Some(match opcode {
        Opcode::Add => {
            narrow!(|a, b, _| result::<FTZ, SAT>(add::<R>(source::<FTZ>(a), source::<FTZ>(b))))
        }
        Opcode::Sub => {
            narrow!(|a, b, _| result::<FTZ, SAT>(add::<R>(source::<FTZ>(a), -source::<FTZ>(b))))
        }
        Opcode::Mul => {
            narrow!(|a, b, _| result::<FTZ, SAT>(mul::<R>(source::<FTZ>(a), source::<FTZ>(b))))
        }
        // mad.f32 is a fused multiply-add from sm_20 on.
        Opcode::Fma | Opcode::Mad => narrow!(|a, b, c| result::<FTZ, SAT>(fma::<R>(
            source::<FTZ>(a),
            source::<FTZ>(b),
            source::<FTZ>(c)
        ))),
        _ => return None,
    })
}

/// Division and roots of f32, for one mode and `.ftz`.
fn quotient<const R: u8, const FTZ: bool>(opcode: Opcode) -> Option<Alu> {
    Some(match opcode {
        Opcode::Div => {
            narrow!(|a, b, _| result::<FTZ, false>(div::<R>(source::<FTZ>(a), source::<FTZ>(b))))
        }
        Opcode::Rcp => {
            narrow!(|a, _, _| result::<FTZ, false>(div::<R>(1.0, source::<FTZ>(a))))
        }
        Opcode::Sqrt => {
            narrow!(|a, _, _| result::<FTZ, false>(sqrt::<R>(source::<FTZ>(a))))
        }
        _ => return None,
    })
}

/// f32 instructions with exact results.
#[rustfmt::skip]
fn exact<const FTZ: bool>(opcode: Opcode, nan: bool) -> Option<Alu> {
    Some(match (opcode, nan) {
        (Opcode::Min, false) => narrow!(|a, b, _| result::<FTZ, false>(min(source::<FTZ>(a), source::<FTZ>(b)))),
        (Opcode::Max, false) => narrow!(|a, b, _| result::<FTZ, false>(max(source::<FTZ>(a), source::<FTZ>(b)))),
        (Opcode::Min, true) => narrow!(|a, b, _| {
            let (a, b) = (source::<FTZ>(a), source::<FTZ>(b));
            result::<FTZ, false>(strict(a, b, min(a, b)))
        }),
        (Opcode::Max, true) => narrow!(|a, b, _| {
            let (a, b) = (source::<FTZ>(a), source::<FTZ>(b));
            result::<FTZ, false>(strict(a, b, max(a, b)))
        }),
        (Opcode::Abs, _) => narrow!(|a, _, _| result::<FTZ, false>(source::<FTZ>(a).abs())),
        (Opcode::Neg, _) => narrow!(|a, _, _| result::<FTZ, false>(-source::<FTZ>(a))),
        (Opcode::Copysign, _) => narrow!(|a, b, _| (a & 0x8000_0000) | (b & 0x7fff_ffff)),
        _ => return None,
    })
}

/// f32 instructions, or `None`. `.approx` and `.full` are not here.
pub(super) fn select32(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    let mode = round::mode(mods.rounding)?;
    macro_rules! modes {
        ($f:ident, $($arg:tt)*) => {
            match mode {
                RN => $f::<RN, $($arg)*>(opcode),
                RZ => $f::<RZ, $($arg)*>(opcode),
                RM => $f::<RM, $($arg)*>(opcode),
                RP => $f::<RP, $($arg)*>(opcode),
                _ => None,
            }
        };
    }
    match opcode {
        Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Fma | Opcode::Mad => {
            match (mods.ftz, mods.sat) {
                (false, false) => modes!(rounded, false, false),
                (false, true) => modes!(rounded, false, true),
                (true, false) => modes!(rounded, true, false),
                (true, true) => modes!(rounded, true, true),
            }
        }
        Opcode::Div | Opcode::Rcp | Opcode::Sqrt => match mods.ftz {
            false => modes!(quotient, false),
            true => modes!(quotient, true),
        },
        Opcode::Min | Opcode::Max if mods.xorsign && mods.abs => {
            Some(super::pairs::select_signed(opcode == Opcode::Max, mods))
        }
        _ if mods.xorsign || mods.abs => None,
        _ if mods.ftz => exact::<true>(opcode, mods.nan),
        _ => exact::<false>(opcode, mods.nan),
    }
}

/// Directed roundings of f64.
fn directed64<const R: u8>(opcode: Opcode) -> Option<Alu> {
    const F: Format = Format::F64;
    const ONE: u64 = 1f64.to_bits();
    const SIGN: u64 = 1 << 63;
    Some(match opcode {
        Opcode::Add => wide64!(|a, b, _| soft::add(F, R, a, b)),
        Opcode::Sub => wide64!(|a, b, _| soft::add(F, R, a, b ^ SIGN)),
        Opcode::Mul => wide64!(|a, b, _| soft::mul(F, R, a, b)),
        Opcode::Fma | Opcode::Mad => wide64!(|a, b, c| soft::fma(F, R, a, b, c)),
        Opcode::Div => wide64!(|a, b, _| soft::div(F, R, a, b)),
        Opcode::Rcp => wide64!(|a, _, _| soft::div(F, R, ONE, a)),
        Opcode::Sqrt => wide64!(|a, _, _| soft::sqrt(F, R, a)),
        _ => return None,
    })
}

/// f64 instructions, or `None`. `.approx` is not here.
pub(super) fn select64(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    match (round::mode(mods.rounding)?, opcode) {
        (RZ, _) => return directed64::<RZ>(opcode),
        (RM, _) => return directed64::<RM>(opcode),
        (RP, _) => return directed64::<RP>(opcode),
        (RN, _) => {}
        _ => return None,
    }
    if mods.sat || mods.ftz {
        return None;
    }
    #[inline(always)]
    fn f(x: u64) -> f64 {
        f64::from_bits(x)
    }
    Some(match opcode {
        Opcode::Add => wide64!(|a, b, _| (f(a) + f(b)).to_bits()),
        Opcode::Sub => wide64!(|a, b, _| (f(a) - f(b)).to_bits()),
        Opcode::Mul => wide64!(|a, b, _| (f(a) * f(b)).to_bits()),
        Opcode::Fma | Opcode::Mad => wide64!(|a, b, c| (f(a).mul_add(f(b), f(c))).to_bits()),
        Opcode::Div => wide64!(|a, b, _| (f(a) / f(b)).to_bits()),
        Opcode::Rcp => wide64!(|a, _, _| (1.0 / f(a)).to_bits()),
        Opcode::Sqrt => wide64!(|a, _, _| (f(a).sqrt()).to_bits()),
        Opcode::Min => wide!(|a, b, _| result64(min64(f(a), f(b)))),
        Opcode::Max => wide!(|a, b, _| result64(max64(f(a), f(b)))),
        Opcode::Abs => wide64!(|a, _, _| (f(a).abs()).to_bits()),
        Opcode::Neg => wide64!(|a, _, _| (-f(a)).to_bits()),
        Opcode::Copysign => wide!(|a, b, _| (a & 1 << 63) | (b & !(1 << 63))),
        _ => return None,
    })
}
