//! Float operations that several tests use.

use texunit_jit::Float;

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
