//! The coefficients of the special function unit, as integers.
//!
//! Derived from the results of an NVIDIA H200 (sm_90, driver 580.159.04, CUDA 13.0, 2026-11-28):
//! for each segment, exactly one triple explains all recorded operands. Several neighbouring values
//! of a bias give the same results.

use super::Table;

/// `MUFU.RCP`, by the upper 7 bits of the mantissa.
pub static RCP: Table<128> =
    Table { shifts: [15, 1, 2], bias: 8092, coefficients: include!("../data/rcp.txt") };

/// `MUFU.RSQ`, by the lowest bit of the exponent (inverted in the encoding) and the upper 6 bits of
/// the mantissa.
pub static RSQ: Table<128> =
    Table { shifts: [15, 1, 3], bias: 32766, coefficients: include!("../data/rsq.txt") };

/// `MUFU.SQRT`, by the same bits as [`RSQ`].
pub static SQRT: Table<128> =
    Table { shifts: [16, 1, 2], bias: 65534, coefficients: include!("../data/sqrt.txt") };

/// `MUFU.EX2`, by the upper 6 bits of the fraction.
pub static EX2: Table<64> =
    Table { shifts: [16, 3, 3], bias: 48912, coefficients: include!("../data/ex2.txt") };

/// `MUFU.LG2`, by the upper 6 bits of the mantissa.
pub static LG2: Table<64> =
    Table { shifts: [15, 3, 4], bias: 6696, coefficients: include!("../data/lg2.txt") };

/// `MUFU.SIN` and `MUFU.COS`, by the upper 6 bits of the phase within a quadrant.
pub static SIN: Table<64> =
    Table { shifts: [16, 4, 4], bias: 0, coefficients: include!("../data/sin.txt") };

/// `MUFU.TANH`, by binade and the upper bits of the mantissa: [`super::mufu::tanh`].
pub static TANH: Table<51> =
    Table { shifts: [17, 2, 3], bias: 0, coefficients: include!("../data/tanh.txt") };
