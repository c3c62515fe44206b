//! Register types for the operands of texture and surface instructions.

use crate::types::ScalarType::{self, *};

/// An operand position, and the register types that are valid there.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// Name of the operand position, such as `coordinate`.
    pub place: &'static str,
    /// The type that the instruction's modifiers give the operand.
    pub ty: ScalarType,
    /// Accepted types of a scalar register.
    pub scalar: &'static [ScalarType],
    /// Accepted types of vector elements. Elements of different compatible types form an untyped
    /// vector, so each list includes `.b32`.
    pub vector: &'static [ScalarType],
    /// A note on the operand for users, one sentence.
    pub doc: &'static str,
}

/// The register types of coordinates, and of the operands after them.
#[rustfmt::skip]
pub const COORDINATES: &[Registers] = &[
    place("coordinate", F32, &[F32, B32],           &[F32, B32, S32, U32],   "Texels, or the range 0 to 1 with normalized coordinates; the bits of integer registers are taken as .f32."),
    place("coordinate", S32, &[S32, U32, B32, F16x2], &[S32, U32, B32, F16x2], "Texels; there is neither filtering nor wrapping. tex.grad takes their bits for .f32, as the code of ptxas does."),
    place("level",      F32, &[F32, B32],           &[F32, B32, S32, U32],   "Level of detail; its fraction mixes two levels if the sampler filters between levels."),
    place("level",      S32, &[S32, U32, B32, F16x2], &[S32, U32, B32, F16x2], "Number of the level."),
    place("gradient",   F32, &[],                   &[F32, B32],             "Change of each coordinate from one pixel to the next; always .f32, also with .s32 coordinates."),
    place("offset",     S32, &[],                   &[S32, U32, B32],        "Texels that are added to the coordinates, -8 to 7; other numbers are cut to their low bits."),
    place("compare",    F32, &[F32, B32],           &[],                     "Depth reference: each texel counts as 1 where the comparison with it holds and as 0 elsewhere."),
];

/// The register types of the level operand of txq.level.
pub const QUERY_LEVEL: Registers =
    place("level", S32, &[S32, U32, B32], &[S32, U32, B32], "Number of the level.");

/// The register types of the coordinates of suld, sust and sured.
pub const SURFACE_COORDINATES: Registers = place(
    "coordinate",
    S32,
    &[S32, U32, B32],
    &[S32, U32, B32],
    "Integers, never scaled: x in bytes for .b and in texels for .p, all others in texels.",
);

/// Description of the data operand of suld and sust: any register at least as wide as an element.
pub const DATA: &str =
    "registers of any type (not .pred), each at least as wide as an element; sust also constants";

/// The register types of the data operand of sured, for each operand type.
pub const SURFACE_DATA: &[(ScalarType, &[ScalarType])] = &[
    (B32, &[B32, U32, S32, F32, F16x2, B64, U64, S64, F64]),
    (U32, &[B32, U32, S32, F16x2, B64, U64, S64]),
    (S32, &[B32, U32, S32, F16x2, B64, U64, S64]),
    (B64, &[B64, U64, S64, F64]),
    (U64, &[B64, U64, S64]),
    (S64, &[B64, U64, S64]),
];

/// A result type of tex and tld4.
#[derive(Clone, Copy, Debug)]
pub struct Texel {
    /// The type modifier of the result.
    pub ty: ScalarType,
    /// Number of result registers, as in the vector modifier.
    pub lanes: u8,
    /// Accepted types of the result registers.
    pub registers: &'static [ScalarType],
    /// Whether tld4 supports the result type.
    pub gather: bool,
    /// A note on the result type for users, one sentence.
    pub doc: &'static str,
}

/// All result types of tex and tld4.
#[rustfmt::skip]
pub const TEXELS: &[Texel] = &[
    Texel { ty: U32,   lanes: 4, registers: &[U32, S32, B32, F16x2],    gather: true,  doc: "Unsigned integers, for textures of unsigned integers." },
    Texel { ty: S32,   lanes: 4, registers: &[S32, U32, B32, F16x2],    gather: true,  doc: "Signed integers, for textures of signed integers." },
    Texel { ty: F32,   lanes: 4, registers: &[F32, B32, S32, U32],      gather: true,  doc: "Floating-point numbers, for textures of floats and of integers that are read as fractions." },
    Texel { ty: F16,   lanes: 4, registers: &[F16, B16, U16, S16],      gather: false, doc: "Halves: the .f32 result rounded." },
    Texel { ty: F16x2, lanes: 2, registers: &[F16x2, B32],              gather: false, doc: "Halves in pairs, first and second, third and fourth component; the first of each pair in the low 16 bits." },
];

const fn place(
    place: &'static str,
    ty: ScalarType,
    scalar: &'static [ScalarType],
    vector: &'static [ScalarType],
    doc: &'static str,
) -> Registers {
    Registers { place, ty, scalar, vector, doc }
}

/// The row of [`COORDINATES`] for an operand position (`coordinate`, `level`, `gradient`, `offset`,
/// `compare`) and type.
///
/// # Panics
///
/// [`COORDINATES`] has no row for the position or type.
pub fn registers(place: &str, ty: ScalarType) -> &'static Registers {
    let row = COORDINATES.iter().find(|r| r.place == place && r.ty == ty);
    row.expect("every place has a row for the types it is asked about")
}

/// The row of [`TEXELS`] for a result type.
pub fn texel_of(ty: ScalarType) -> Option<&'static Texel> {
    TEXELS.iter().find(|t| t.ty == ty)
}
