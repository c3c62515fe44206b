//! The operations that programs execute most often, which the interpreter's inner loop contains
//! inline.
//!
//! Each entry of the table has a name, the PTX spellings of its instructions, and the result of one
//! lane as an expression of primitives ([`B32`](super::primitive::B32),
//! [`B64`](super::primitive::B64)). Entries without spellings pack and unpack the elements of
//! `mov`.

/// Calls the macro `$with` with `$arg` and the table of inner-loop operations, whose sections are
/// named after the widths of destination and sources.
#[macro_export]
macro_rules! inner_rows {
    ($with:ident!($($arg:tt)*)) => {
        $with! { [$($arg)*]
            // The destination and all sources have up to 32 bits.
            b32 {
                Add ["add.s32", "add.u32"] |a, b| a.add(b);
                Sub ["sub.s32", "sub.u32"] |a, b| a.sub(b);
                MulLo ["mul.lo.s32", "mul.lo.u32"] |a, b| a.mul_lo(b);
                MadLo ["mad.lo.s32", "mad.lo.u32"] |a, b, c| a.mad_lo(b, c);
                MulHiU ["mul.hi.u32"] |a, b| a.mul_hi_u(b);
                MulHiS ["mul.hi.s32"] |a, b| a.mul_hi_s(b);
                Neg ["neg.s32"] |a| B32::sub(lit(0), a);
                Abs ["abs.s32"] |a| a.abs_s();
                MinS ["min.s32"] |a, b| a.min_s(b);
                MaxS ["max.s32"] |a, b| a.max_s(b);
                MinU ["min.u32"] |a, b| a.min_u(b);
                MaxU ["max.u32"] |a, b| a.max_u(b);
                And ["and.b32"] |a, b| a.and(b);
                Or ["or.b32"] |a, b| a.or(b);
                Xor ["xor.b32"] |a, b| a.xor(b);
                Not ["not.b32"] |a| a.not();
                Shl ["shl.b32"] |a, b| a.shl(b);
                ShrU ["shr.u32", "shr.b32"] |a, b| a.shr_u(b);
                ShrS ["shr.s32"] |a, b| a.shr_s(b);
                ShfLWrap ["shf.l.wrap.b32"] |a, b, c| a.shf_l(b, c);
                ShfRWrap ["shf.r.wrap.b32"] |a, b, c| a.shf_r(b, c);
                U8ToU32 ["cvt.u32.u8"] |a| a.and(lit(0xff));
                U16ToU32 ["cvt.u32.u16", "cvt.u16.u32"] |a| a.and(lit(0xffff));
                PackBytes [] |a, b| b.shl(lit(8)).pick(a, lit(0xff00)).and(lit(0xffff));
                PackHalves [] |a, b| b.shl(lit(16)).pick(a, lit(0xffff_0000));
                FAdd ["add.f32"] |a, b| a.f_add(b, IEEE);
                FSub ["sub.f32"] |a, b| a.f_sub(b, IEEE);
                FMul ["mul.f32"] |a, b| a.f_mul(b, IEEE);
                FFma ["fma.rn.f32", "mad.rn.f32"] |a, b, c| a.f_fma(b, c, IEEE);
                FDiv ["div.rn.f32", "div.full.rounded.f32"] |a, b| a.f_div(b, IEEE);
                FRcp ["rcp.rn.f32", "rcp.approx.rounded.f32"] |a| B32::f_div(lit(ONE), a, IEEE);
                FSqrt ["sqrt.rn.f32", "sqrt.approx.rounded.f32"] |a| a.f_sqrt(IEEE);
                FMin ["min.f32"] |a, b| a.f_min(b, IEEE);
                FMax ["max.f32"] |a, b| a.f_max(b, IEEE);
                FNeg ["neg.f32"] |a| a.f_neg(IEEE);
                FAbs ["abs.f32"] |a| a.f_abs(IEEE);
                FAddSat ["add.sat.f32"] |a, b| a.f_add(b, SAT);
                FMulSat ["mul.sat.f32"] |a, b| a.f_mul(b, SAT);
                FFmaSat ["fma.rn.sat.f32", "mad.rn.sat.f32"] |a, b, c| a.f_fma(b, c, SAT);
                FAddFtz ["add.ftz.f32"] |a, b| a.f_add(b, FTZ);
                FSubFtz ["sub.ftz.f32"] |a, b| a.f_sub(b, FTZ);
                FMulFtz ["mul.ftz.f32"] |a, b| a.f_mul(b, FTZ);
                FFmaFtz ["fma.rn.ftz.f32", "mad.rn.ftz.f32"] |a, b, c| a.f_fma(b, c, FTZ);
                FMinFtz ["min.ftz.f32"] |a, b| a.f_min(b, FTZ);
                FMaxFtz ["max.ftz.f32"] |a, b| a.f_max(b, FTZ);
                FNegFtz ["neg.ftz.f32"] |a| a.f_neg(FTZ);
                FAbsFtz ["abs.ftz.f32"] |a| a.f_abs(FTZ);
                U32ToF32 ["cvt.rn.f32.u32"] |a| a.f_from_u(u32::MAX);
                S32ToF32 ["cvt.rn.f32.s32"] |a| a.f_from_s();
                U16ToF32 ["cvt.rn.f32.u16"] |a| a.f_from_u(0xffff);
                U8ToF32 ["cvt.rn.f32.u8"] |a| a.f_from_u(0xff);
                F32ToU32Trunc ["cvt.rzi.u32.f32", "cvt.rzi.ftz.u32.f32"] |a| a.f_to_u(Trunc);
                F32ToS32Trunc ["cvt.rzi.s32.f32", "cvt.rzi.ftz.s32.f32"] |a| a.f_to_s(Trunc);
                F32ToS32Floor ["cvt.rmi.s32.f32"] |a| a.f_to_s(Floor);
                F32ToS32Near ["cvt.rni.s32.f32", "cvt.rni.ftz.s32.f32"] |a| a.f_to_s(Near);
                FFloor ["cvt.rmi.f32.f32"] |a| a.f_round(Floor, IEEE);
                FCeil ["cvt.rpi.f32.f32"] |a| a.f_round(Ceil, IEEE);
                FNear ["cvt.rni.f32.f32"] |a| a.f_round(Near, IEEE);
                FTrunc ["cvt.rzi.f32.f32"] |a| a.f_round(Trunc, IEEE);
            }
            // The destination and all sources have 64 bits.
            b64 {
                Add64 ["add.s64", "add.u64"] |a, b| a.add(b);
                Sub64 ["sub.s64", "sub.u64"] |a, b| a.sub(b);
                MulLo64 ["mul.lo.s64", "mul.lo.u64"] |a, b| a.mul_lo(b);
                And64 ["and.b64"] |a, b| a.and(b);
                Or64 ["or.b64"] |a, b| a.or(b);
                Xor64 ["xor.b64"] |a, b| a.xor(b);
            }
            // The destination and a third source have 64 bits; the first two sources have 32.
            extend {
                MulWideU ["mul.wide.u32"] |a, b| a.mul_wide_u(b);
                MulWideS ["mul.wide.s32"] |a, b| a.mul_wide_s(b);
                MadWideU ["mad.wide.u32"] |a, b, c| a.mad_wide_u(b, c);
                MadWideS ["mad.wide.s32"] |a, b, c| a.mad_wide_s(b, c);
                U32ToU64 ["cvt.u64.u32", "cvt.s64.u32"] |a| a.extend_u();
                S32ToS64 ["cvt.s64.s32", "cvt.u64.s32"] |a| a.extend_s();
                PackWords [] |a, b| a.mad_wide_u(lit(1), b.extend_u().shl(lit(32)));
            }
            // The destination has 32 bits, and the source 64.
            truncate {
                Low ["cvt.u32.u64", "cvt.s32.s64", "cvt.u32.s64", "cvt.s32.u64"] |a| a.low();
                High [] |a| a.shr_u(lit(32)).low();
            }
            // The destination and the first source have 64 bits; the second source has 32.
            shift {
                Shl64 ["shl.b64"] |a, b| a.shl(b);
                ShrU64 ["shr.u64", "shr.b64"] |a, b| a.shr_u(b);
                ShrS64 ["shr.s64"] |a, b| a.shr_s(b);
            }
            // Comparisons of 32-bit sources, which give a predicate. `set` uses the comparison of
            // `setp`.
            compare {
                Eq ["setp.eq.s32", "setp.eq.u32", "setp.eq.b32"] |a, b| a.eq(b);
                Ne ["setp.ne.s32", "setp.ne.u32", "setp.ne.b32"] |a, b| a.ne(b);
                LtS ["setp.lt.s32"] |a, b| a.lt_s(b);
                LeS ["setp.le.s32"] |a, b| a.le_s(b);
                GtS ["setp.gt.s32"] |a, b| a.gt_s(b);
                GeS ["setp.ge.s32"] |a, b| a.ge_s(b);
                LtU ["setp.lt.u32", "setp.lo.u32"] |a, b| a.lt_u(b);
                LeU ["setp.le.u32", "setp.ls.u32"] |a, b| a.le_u(b);
                GtU ["setp.gt.u32", "setp.hi.u32"] |a, b| a.gt_u(b);
                GeU ["setp.ge.u32", "setp.hs.u32"] |a, b| a.ge_u(b);
                FEq ["setp.eq.f32"] |a, b| a.f_eq(b);
                FNeu ["setp.neu.f32"] |a, b| a.f_neu(b);
                FLt ["setp.lt.f32"] |a, b| a.f_lt(b);
                FLe ["setp.le.f32"] |a, b| a.f_le(b);
                FGt ["setp.gt.f32"] |a, b| a.f_gt(b);
                FGe ["setp.ge.f32"] |a, b| a.f_ge(b);
                FLtu ["setp.ltu.f32"] |a, b| a.f_ltu(b);
                FLeu ["setp.leu.f32"] |a, b| a.f_leu(b);
                FGtu ["setp.gtu.f32"] |a, b| a.f_gtu(b);
                FGeu ["setp.geu.f32"] |a, b| a.f_geu(b);
            }
            // Comparisons of 64-bit sources, which give a predicate.
            compare64 {
                Eq64 ["setp.eq.s64", "setp.eq.u64", "setp.eq.b64"] |a, b| a.eq(b);
                Ne64 ["setp.ne.s64", "setp.ne.u64", "setp.ne.b64"] |a, b| a.ne(b);
                LtS64 ["setp.lt.s64"] |a, b| a.lt_s(b);
                LeS64 ["setp.le.s64"] |a, b| a.le_s(b);
                GtS64 ["setp.gt.s64"] |a, b| a.gt_s(b);
                GeS64 ["setp.ge.s64"] |a, b| a.ge_s(b);
                LtU64 ["setp.lt.u64", "setp.lo.u64"] |a, b| a.lt_u(b);
                LeU64 ["setp.le.u64", "setp.ls.u64"] |a, b| a.le_u(b);
                GtU64 ["setp.gt.u64", "setp.hi.u64"] |a, b| a.gt_u(b);
                GeU64 ["setp.ge.u64", "setp.hs.u64"] |a, b| a.ge_u(b);
            }
        }
    };
}

/// Names that the expressions of operations use.
pub mod words {
    pub use crate::mode::{FTZ, FTZ_SAT, IEEE, SAT};
    pub use crate::primitive::{B32, B64, lit};
    pub use texunit_jit::Rounding::{Ceil, Floor, Near, Trunc};

    /// 1.0 as f32.
    pub const ONE: u64 = 0x3f80_0000;
    /// The NaN result of f32 instructions.
    pub const NAN32: u64 = 0x7fff_ffff;
}

macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        /// What the interpreter's inner loop does for an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind {
            /// The inner loop does not execute the instruction.
            Leave,
            /// Calls the function of an operation that is not inline, of a Boolean function of
            /// predicates, or of `lop3`.
            Call,
            /// The instruction has no effect.
            Nop,
            /// Lets diverged lanes reconverge.
            Join,
            /// Counts threads for observers.
            Count,
            /// Counts warp instructions for observers.
            Issue,
            /// Executes a branch.
            Branch,
            /// Executes `mov` of up to 32 bits.
            MovNarrow,
            /// Executes `mov` of 64 bits.
            MovWide,
            /// Executes `selp` of up to 32 bits.
            SelectNarrow,
            /// Executes `selp` of 64 bits.
            SelectWide,
            /// Loads 4 bytes of the kernel's parameters.
            ParamNarrow,
            /// Loads 8 bytes of the kernel's parameters.
            ParamWide,
            /// Reads a value that all threads of the CTA share.
            OfCta,
            /// Reads `%tid` along one axis.
            Tid,
            $($(
                #[doc = concat!("Operation `", stringify!($name), "`" $(, " `", $text, "`")*, ".")]
                $name,
            )*)*
        }
    };
}
inner_rows!(define!());
