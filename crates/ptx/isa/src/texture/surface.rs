//! Forms of suld, sust and sured: access, operation, geometry, types.

use crate::Opcode::{self, Suld, Sured, Sust};
use crate::types::Geometry::{self, *};
use crate::types::ReduceOp::{self, *};
use crate::types::ScalarType::{self, *};

/// Forms of a surface instruction that differ only in the listed modifiers.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    /// The opcode: `suld`, `sust` or `sured`.
    pub opcode: Opcode,
    /// Whether the instruction is a `.p` form (texels in the surface's format) instead of a `.b`
    /// form (bytes).
    pub formatted: bool,
    /// Operations of sured.
    pub operations: &'static [ReduceOp],
    /// Geometries.
    pub geometries: &'static [Geometry],
    /// Element types.
    pub types: &'static [ScalarType],
    /// Vector lengths; 1: no vector modifier.
    pub lanes: &'static [u8],
    /// The required `.version`, times ten.
    pub version: u32,
    /// Number of the required `.target`; 0: any.
    pub target: u32,
    /// What the instruction does, for the documentation.
    pub doc: &'static str,
}

const BYTES: &[ScalarType] = &[B8, B16, B32];
const LOAD: &str = "Reads bytes of a surface as they lie there.";
const STORE: &str = "Writes bytes of a surface as they are given.";
const SAMPLE: &str = "Writes components, converted to the surface's format: .b32 data are taken as .u32, .s32 or .f32, whatever the format is made of.";
const REDUCE: &str =
    "Changes bytes of a surface in one atomic step; the old value is not returned.";
const REDUCE_SAMPLE: &str =
    "Changes a sample of a surface in one atomic step; the old value is not returned.";

/// All forms.
#[rustfmt::skip]
pub const SURFACES: &[Surface] = &[
    row(Suld,  false, &[],        &[D1, D2],       BYTES,            &[1, 2, 4], 15,  0, LOAD),
    row(Suld,  false, &[],        &[D1, D2],       &[B64],           &[1, 2],    15,  0, LOAD),
    row(Suld,  false, &[],        &[D3, A1d, A2d], BYTES,            &[1, 2, 4], 30, 20, LOAD),
    row(Suld,  false, &[],        &[D3, A1d, A2d], &[B64],           &[1, 2],    30, 20, LOAD),
    row(Sust,  false, &[],        &[D1, D2],       BYTES,            &[1, 2, 4], 15,  0, STORE),
    row(Sust,  false, &[],        &[D1, D2],       &[B64],           &[1, 2],    15,  0, STORE),
    row(Sust,  false, &[],        &[D3, A1d, A2d], BYTES,            &[1, 2, 4], 30, 20, STORE),
    row(Sust,  false, &[],        &[D3, A1d, A2d], &[B64],           &[1, 2],    30, 20, STORE),
    row(Sust,  true,  &[],        &[D1, D2],       &[B32],           &[1, 2, 4], 20, 20, SAMPLE),
    row(Sust,  true,  &[],        &[D3],           &[B32],           &[1, 2, 4], 30, 20, SAMPLE),
    row(Sust,  true,  &[],        &[A1d, A2d],     &[B32],           &[1, 2, 4], 41, 30, SAMPLE),
    row(Sured, false, &[Add],     &[D1, D2],       &[U32, S32, U64], &[1],       20, 20, REDUCE),
    row(Sured, false, &[Add],     &[D3],           &[U32, S32, U64], &[1],       30, 20, REDUCE),
    row(Sured, false, &[Min, Max], &[D1, D2],      &[U32, S32],      &[1],       20, 20, REDUCE),
    row(Sured, false, &[Min, Max], &[D3],          &[U32, S32],      &[1],       30, 20, REDUCE),
    row(Sured, false, &[Min, Max], &[D1, D2, D3],  &[U64, S64],      &[1],       81, 50, REDUCE),
    row(Sured, false, &[And, Or], &[D1, D2],       &[B32],           &[1],       20, 20, REDUCE),
    row(Sured, false, &[And, Or], &[D3],           &[B32],           &[1],       30, 20, REDUCE),
    row(Sured, true,  &[Add, Min, Max, And, Or], &[D1, D2], &[B32],  &[1],       20, 20, REDUCE_SAMPLE),
    row(Sured, true,  &[Add, Min, Max, And, Or], &[D3],     &[B32],  &[1],       30, 20, REDUCE_SAMPLE),
    row(Sured, true,  &[Min, Max], &[D1, D2, D3],  &[B64],           &[1],       81, 50, REDUCE_SAMPLE),
];

#[allow(clippy::too_many_arguments)]
const fn row(
    opcode: Opcode,
    formatted: bool,
    operations: &'static [ReduceOp],
    geometries: &'static [Geometry],
    types: &'static [ScalarType],
    lanes: &'static [u8],
    version: u32,
    target: u32,
    doc: &'static str,
) -> Surface {
    Surface { opcode, formatted, operations, geometries, types, lanes, version, target, doc }
}

/// The row of a form, if the form exists.
pub fn surface_of(
    opcode: Opcode,
    formatted: bool,
    operation: Option<ReduceOp>,
    geometry: Geometry,
    ty: ScalarType,
) -> Option<&'static Surface> {
    SURFACES.iter().find(|s| {
        s.opcode == opcode
            && s.formatted == formatted
            && operation.map_or(s.operations.is_empty(), |op| s.operations.contains(&op))
            && s.geometries.contains(&geometry)
            && s.types.contains(&ty)
    })
}

impl Surface {
    /// The name with choices, such as `suld.b.(1d|2d){.v2|.v4}.(b8|b16|b32).(trap|clamp|zero)`.
    pub fn name(&self) -> String {
        let mut text = format!("{}.{}", self.opcode, if self.formatted { "p" } else { "b" });
        text += &one_of(self.operations.iter().map(|op| op.name()));
        text += &one_of(self.geometries.iter().map(|g| g.name()));
        let vectors: Vec<String> =
            self.lanes.iter().filter(|n| **n > 1).map(|n| format!(".v{n}")).collect();
        if !vectors.is_empty() {
            text += &format!("{{{}}}", vectors.join("|"));
        }
        text += &one_of(self.types.iter().map(|ty| ty.name()));
        text + ".(trap|clamp|zero)"
    }
}

/// A choice of modifiers: `.a`, `.(a|b)`, or nothing.
fn one_of(words: impl Iterator<Item = &'static str>) -> String {
    let words: Vec<&str> = words.collect();
    match words.as_slice() {
        [] => String::new(),
        [word] => format!(".{word}"),
        words => format!(".({})", words.join("|")),
    }
}
