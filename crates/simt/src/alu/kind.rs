//! Arithmetic that the interpreter's inner loop has inline: what programs execute most.
//!
//! One table says, for each [`Kind`], how PTX spells it and what it computes in a lane. The same
//! instructions have functions in [`select`](super::select), which the tests compare with these.

use texunit_isa::{Modifiers, Opcode};

/// Calls the macro `$with` with `$arg` and the table: sections by the widths of destination and
/// sources; rows of name, spellings and the value of a lane.
macro_rules! kinds {
    ($with:ident!($($arg:tt)*)) => {
        $with! { [$($arg)*]
            // Destination and sources of up to 32 bits.
            narrow {
                Add ["add.s32", "add.u32"] |a, b| a.wrapping_add(b);
                Sub ["sub.s32", "sub.u32"] |a, b| a.wrapping_sub(b);
                MulLo ["mul.lo.s32", "mul.lo.u32"] |a, b| a.wrapping_mul(b);
                MadLo ["mad.lo.s32", "mad.lo.u32"] |a, b, c| a.wrapping_mul(b).wrapping_add(c);
                MulHi ["mul.hi.u32"] |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32;
                MulHiS ["mul.hi.s32"] |a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32;
                NegS ["neg.s32"] |a| a.wrapping_neg();
                AbsS ["abs.s32"] |a| (a as i32).wrapping_abs() as u32;
                MinS ["min.s32"] |a, b| (a as i32).min(b as i32) as u32;
                MaxS ["max.s32"] |a, b| (a as i32).max(b as i32) as u32;
                MinU ["min.u32"] |a, b| a.min(b);
                MaxU ["max.u32"] |a, b| a.max(b);
                And ["and.b32"] |a, b| a & b;
                Or ["or.b32"] |a, b| a | b;
                Xor ["xor.b32"] |a, b| a ^ b;
                Not ["not.b32"] |a| !a;
                Shl ["shl.b32"] |a, b| if b < 32 { a << (b & 31) } else { 0 };
                ShrU ["shr.u32", "shr.b32"] |a, b| if b < 32 { a >> (b & 31) } else { 0 };
                ShrS ["shr.s32"] |a, b| (a as i32 >> b.min(31)) as u32;
                ShfL ["shf.l.wrap.b32"] |a, b, c| (b << (c & 31)) | (a >> 1 >> (!c & 31));
                ShfR ["shf.r.wrap.b32"] |a, b, c| (a >> (c & 31)) | (b << 1 << (!c & 31));
                Low8 ["cvt.u32.u8"] |a| a & 0xff;
                Low16 ["cvt.u32.u16", "cvt.u16.u32"] |a| a & 0xffff;
                FAdd ["add.f32", "add.rn.f32"] |a, b| f::rn(f::x(a) + f::x(b));
                FSub ["sub.f32", "sub.rn.f32"] |a, b| f::rn(f::x(a) - f::x(b));
                FMul ["mul.f32", "mul.rn.f32"] |a, b| f::rn(f::x(a) * f::x(b));
                FFma ["fma.rn.f32"] |a, b, c| f::rn(f::x(a).mul_add(f::x(b), f::x(c)));
                FDiv ["div.rn.f32"] |a, b| f::rn(f::x(a) / f::x(b));
                FRcp ["rcp.rn.f32"] |a| f::rn(1.0 / f::x(a));
                FSqrt ["sqrt.rn.f32"] |a| f::rn(f::x(a).sqrt());
                FMin ["min.f32"] |a, b| f::rn(f::min(f::x(a), f::x(b)));
                FMax ["max.f32"] |a, b| f::rn(f::max(f::x(a), f::x(b)));
                FNeg ["neg.f32"] |a| f::rn(-f::x(a));
                FAbs ["abs.f32"] |a| f::rn(f::x(a).abs());
                FAddSat ["add.sat.f32"] |a, b| f::sat(f::x(a) + f::x(b));
                FMulSat ["mul.sat.f32"] |a, b| f::sat(f::x(a) * f::x(b));
                FFmaSat ["fma.rn.sat.f32"] |a, b, c| f::sat(f::x(a).mul_add(f::x(b), f::x(c)));
                ZAdd ["add.ftz.f32", "add.rn.ftz.f32"] |a, b| f::ftz(f::z(a) + f::z(b));
                ZSub ["sub.ftz.f32", "sub.rn.ftz.f32"] |a, b| f::ftz(f::z(a) - f::z(b));
                ZMul ["mul.ftz.f32", "mul.rn.ftz.f32"] |a, b| f::ftz(f::z(a) * f::z(b));
                ZFma ["fma.rn.ftz.f32"] |a, b, c| f::ftz(f::z(a).mul_add(f::z(b), f::z(c)));
                ZMin ["min.ftz.f32"] |a, b| f::ftz(f::min(f::z(a), f::z(b)));
                ZMax ["max.ftz.f32"] |a, b| f::ftz(f::max(f::z(a), f::z(b)));
                ZNeg ["neg.ftz.f32"] |a| f::ftz(-f::z(a));
                ZAbs ["abs.ftz.f32"] |a| f::ftz(f::z(a).abs());
                FromU ["cvt.rn.f32.u32"] |a| (a as f32).to_bits();
                FromS ["cvt.rn.f32.s32"] |a| (a as i32 as f32).to_bits();
                FromU16 ["cvt.rn.f32.u16"] |a| f32::from(a as u16).to_bits();
                FromU8 ["cvt.rn.f32.u8"] |a| f32::from(a as u8).to_bits();
                ToU ["cvt.rzi.u32.f32", "cvt.rzi.ftz.u32.f32"] |a| f::x(a) as u32;
                ToS ["cvt.rzi.s32.f32", "cvt.rzi.ftz.s32.f32"] |a| f::x(a) as i32 as u32;
                FloorS ["cvt.rmi.s32.f32"] |a| f::x(a).floor() as i32 as u32;
                NearS ["cvt.rni.s32.f32"] |a| f::x(a).round_ties_even() as i32 as u32;
                Floor ["cvt.rmi.f32.f32"] |a| f::rn(f::x(a).floor());
                Ceil ["cvt.rpi.f32.f32"] |a| f::rn(f::x(a).ceil());
                Near ["cvt.rni.f32.f32"] |a| f::rn(f::x(a).round_ties_even());
                Trunc ["cvt.rzi.f32.f32"] |a| f::rn(f::x(a).trunc());
            }
            // All of 64 bits.
            wide {
                AddW ["add.s64", "add.u64"] |a, b| a.wrapping_add(b);
                SubW ["sub.s64", "sub.u64"] |a, b| a.wrapping_sub(b);
                MulW ["mul.lo.s64", "mul.lo.u64"] |a, b| a.wrapping_mul(b);
                AndW ["and.b64"] |a, b| a & b;
                OrW ["or.b64"] |a, b| a | b;
                XorW ["xor.b64"] |a, b| a ^ b;
            }
            // Destination and third source of 64 bits, the first two of 32.
            widen {
                MulWideU ["mul.wide.u32"] |a, b| u64::from(a) * u64::from(b);
                MulWideS ["mul.wide.s32"] |a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64;
                MadWideU ["mad.wide.u32"] |a, b, c| (u64::from(a) * u64::from(b)).wrapping_add(c);
                MadWideS ["mad.wide.s32"] |a, b, c| {
                    ((i64::from(a as i32) * i64::from(b as i32)) as u64).wrapping_add(c)
                };
                ZeroExtend ["cvt.u64.u32"] |a| u64::from(a);
                SignExtend ["cvt.s64.s32"] |a| a as i32 as u64;
            }
            // Destination of 32 bits, source of 64.
            cut {
                Cut ["cvt.u32.u64", "cvt.s32.s64", "cvt.u32.s64", "cvt.s32.u64"] |a| a as u32;
            }
            // Destination and first source of 64 bits, the second of 32.
            shift {
                ShlW ["shl.b64"] |a, b| if b < 64 { a << (b & 63) } else { 0 };
                ShrWU ["shr.u64", "shr.b64"] |a, b| if b < 64 { a >> (b & 63) } else { 0 };
                ShrWS ["shr.s64"] |a, b| (a as i64 >> b.min(63)) as u64;
            }
            // Lanes in which a comparison of sources of 32 bits holds.
            compare {
                Eq ["setp.eq.s32", "setp.eq.u32", "setp.eq.b32"] |a, b| a == b;
                Ne ["setp.ne.s32", "setp.ne.u32", "setp.ne.b32"] |a, b| a != b;
                LtS ["setp.lt.s32"] |a, b| (a as i32) < b as i32;
                LeS ["setp.le.s32"] |a, b| a as i32 <= b as i32;
                GtS ["setp.gt.s32"] |a, b| a as i32 > b as i32;
                GeS ["setp.ge.s32"] |a, b| a as i32 >= b as i32;
                LtU ["setp.lt.u32", "setp.lo.u32"] |a, b| a < b;
                LeU ["setp.le.u32", "setp.ls.u32"] |a, b| a <= b;
                GtU ["setp.gt.u32", "setp.hi.u32"] |a, b| a > b;
                GeU ["setp.ge.u32", "setp.hs.u32"] |a, b| a >= b;
                FEq ["setp.eq.f32"] |a, b| f::x(a) == f::x(b);
                FNeu ["setp.neu.f32"] |a, b| f::x(a) != f::x(b);
                FLt ["setp.lt.f32"] |a, b| f::x(a) < f::x(b);
                FLe ["setp.le.f32"] |a, b| f::x(a) <= f::x(b);
                FGt ["setp.gt.f32"] |a, b| f::x(a) > f::x(b);
                FGe ["setp.ge.f32"] |a, b| f::x(a) >= f::x(b);
                FLeu ["setp.leu.f32"] |a, b| !(f::x(a) > f::x(b));
                FLtu ["setp.ltu.f32"] |a, b| !(f::x(a) >= f::x(b));
                FGtu ["setp.gtu.f32"] |a, b| !(f::x(a) <= f::x(b));
                FGeu ["setp.geu.f32"] |a, b| !(f::x(a) < f::x(b));
            }
            // The same for sources of 64 bits.
            compare_wide {
                EqW ["setp.eq.s64", "setp.eq.u64", "setp.eq.b64"] |a, b| a == b;
                NeW ["setp.ne.s64", "setp.ne.u64", "setp.ne.b64"] |a, b| a != b;
                LtWS ["setp.lt.s64"] |a, b| (a as i64) < b as i64;
                LeWS ["setp.le.s64"] |a, b| a as i64 <= b as i64;
                GtWS ["setp.gt.s64"] |a, b| a as i64 > b as i64;
                GeWS ["setp.ge.s64"] |a, b| a as i64 >= b as i64;
                LtWU ["setp.lt.u64", "setp.lo.u64"] |a, b| a < b;
                LeWU ["setp.le.u64", "setp.ls.u64"] |a, b| a <= b;
                GtWU ["setp.gt.u64", "setp.hi.u64"] |a, b| a > b;
                GeWU ["setp.ge.u64", "setp.hs.u64"] |a, b| a >= b;
            }
        }
    };
}
pub(crate) use kinds;

/// Floats of the table: sources and results, with and without `.ftz` and `.sat`.
pub(crate) mod f {
    pub(crate) use super::super::float::{max, min};
    use super::super::float::{result, source};

    #[inline(always)]
    pub(crate) fn x(bits: u32) -> f32 {
        source::<false>(bits)
    }

    #[inline(always)]
    pub(crate) fn z(bits: u32) -> f32 {
        source::<true>(bits)
    }

    #[inline(always)]
    pub(crate) fn rn(x: f32) -> u32 {
        result::<false, false>(x)
    }

    #[inline(always)]
    pub(crate) fn sat(x: f32) -> u32 {
        result::<false, true>(x)
    }

    #[inline(always)]
    pub(crate) fn ftz(x: f32) -> u32 {
        result::<true, false>(x)
    }
}

macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        /// What an instruction of the inner loop does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(crate) enum Kind {
            /// Not one of the inner loop.
            Leave,
            /// A function of [`Alu`](super::Alu), called by pointer.
            Call,
            /// Nothing.
            Nop,
            Join,
            /// Counts lanes for observers.
            Count,
            Branch,
            /// Where a run of instructions begins that may have machine code.
            Run,
            MovNarrow,
            MovWide,
            SelectNarrow,
            SelectWide,
            /// A word or two of the kernel's parameters.
            ParamNarrow,
            ParamWide,
            /// A value that is the same for the CTA.
            OfCta,
            /// %tid of an axis.
            Tid,
            $($($name,)*)*
        }

        /// The kind that is spelled like this.
        fn spelled(text: &str) -> Option<Kind> {
            Some(match text {
                $($($($text)|* => Kind::$name,)*)*
                _ => return None,
            })
        }

        /// All spellings.
        #[cfg(test)]
        pub(crate) const SPELLINGS: &[&str] = &[$($($($text,)*)*)*];
    };
}
kinds!(define!());

/// The kind of an arithmetic instruction, if it has one. The boolean operation of a comparison is
/// not looked at.
pub(crate) fn kind(opcode: Opcode, mods: &Modifiers) -> Option<Kind> {
    use std::fmt::Write;
    let plain = Modifiers {
        types: mods.types.clone(),
        rounding: mods.rounding,
        ftz: mods.ftz,
        sat: mods.sat,
        part: mods.part,
        cmp: mods.cmp,
        bool_op: mods.bool_op,
        shf_right: mods.shf_right,
        wrap: mods.wrap,
        ..Modifiers::default()
    };
    if *mods != plain {
        return None;
    }
    let mut text = opcode.name().to_owned();
    let side = if mods.shf_right { "r" } else { "l" };
    let words = [
        mods.cmp.map(|cmp| cmp.name()),
        mods.part.map(|part| part.name()),
        mods.rounding.map(|rounding| rounding.name()),
        mods.ftz.then_some("ftz"),
        mods.sat.then_some("sat"),
        (opcode == Opcode::Shf).then_some(side),
        mods.wrap.then_some("wrap"),
    ];
    for word in words.into_iter().flatten().chain(mods.types.iter().map(|ty| ty.name())) {
        // Writing to a string cannot fail.
        let _ = write!(text, ".{}", word.trim_start_matches('.'));
    }
    spelled(&text)
}
