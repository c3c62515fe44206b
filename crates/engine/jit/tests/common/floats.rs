//! Operations on floats, for all tests.

use texunit_jit::Float;

/// All but roundings to integers, in an order of their own.
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
