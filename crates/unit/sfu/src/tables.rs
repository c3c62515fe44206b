//! The coefficients of the special function unit, as integers.
//!
//! The coefficients were derived from the results of an NVIDIA H200 (sm_90, driver 580.159.04, CUDA
//! 13.0, 2026-11-28): for each segment, exactly one triple explains all recorded operands. Several
//! neighbouring values of a bias give the same results; each table has one of them.

use super::Table;

/// The table of `MUFU.RCP`. The upper 7 bits of the mantissa select the segment.
pub static RCP: Table<128> =
    Table { shifts: [15, 1, 2], bias: 8092, coefficients: include!("../data/rcp.txt") };

/// The table of `MUFU.RSQ`. The lowest bit of the exponent (inverted, because the encoding adds the
/// odd number 127) and the upper 6 bits of the mantissa select the segment.
pub static RSQ: Table<128> =
    Table { shifts: [15, 1, 3], bias: 32766, coefficients: include!("../data/rsq.txt") };

/// The table of `MUFU.SQRT`. The lowest bit of the exponent (inverted) and the upper 6 bits of the
/// mantissa select the segment.
pub static SQRT: Table<128> =
    Table { shifts: [16, 1, 2], bias: 65534, coefficients: include!("../data/sqrt.txt") };

/// The table of `MUFU.EX2`. The upper 6 bits of the operand's fraction select the segment.
pub static EX2: Table<64> =
    Table { shifts: [16, 3, 3], bias: 48912, coefficients: include!("../data/ex2.txt") };

/// The table of `MUFU.LG2`. The upper 6 bits of the mantissa select the segment.
pub static LG2: Table<64> =
    Table { shifts: [15, 3, 4], bias: 6696, coefficients: include!("../data/lg2.txt") };

/// The table of `MUFU.SIN` and `MUFU.COS`. The upper 6 bits of the phase within a quadrant select
/// the segment.
pub static SIN: Table<64> =
    Table { shifts: [16, 4, 4], bias: 0, coefficients: include!("../data/sin.txt") };

/// The table of `MUFU.TANH`. The exponent and up to 3 upper bits of the mantissa select the
/// segment; larger exponents use more bits ([`super::mufu::tanh`]).
pub static TANH: Table<51> =
    Table { shifts: [17, 2, 3], bias: 0, coefficients: include!("../data/tanh.txt") };
