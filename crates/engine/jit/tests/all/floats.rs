//! Operations that several tests use.

use texunit_jit::{Float, Op};

/// All float operations except rounding to an integral value.
pub(crate) const FLOATS: [Float; 11] = [
    Float::Add,
    Float::Sub,
    Float::Mul,
    Float::Fma,
    Float::Div,
    Float::Sqrt,
    Float::Min,
    Float::Max,
    Float::Neg,
    Float::Abs,
    Float::Copy,
];

/// Operations of 32-bit registers that have no parameters, and conversions of integers.
#[rustfmt::skip]
pub(crate) const WORDS: [Op; 25] = [
    Op::Copy, Op::Add, Op::Sub, Op::Mul, Op::MulAdd, Op::MulHighU, Op::MulHighS,
    Op::MinS, Op::MaxS, Op::MinU, Op::MaxU, Op::Abs,
    Op::ShiftLeft, Op::ShiftRightU, Op::ShiftRightS, Op::FunnelLeft, Op::FunnelRight,
    Op::FromU(u32::MAX), Op::FromU(0xffff), Op::FromU(0xff), Op::FromS,
    Op::Reverse, Op::Bytes, Op::LeadingZeros, Op::FromHalf,
];
