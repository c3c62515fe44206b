//! What the executor asks of the unit, a warp at a time, and what it gets back.

use crate::resource::Layout;
use texunit_forms::Count;
pub use texunit_forms::{ClampMode, Coordinates, Geometry, ReduceOp, ReduceType};

/// A 32-bit value for each lane of a warp: raw bits of f32, s32 or u32.
pub type Lanes = [u32; 32];

/// Numbers of the lanes of a mask, lowest first.
pub fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

/// Type of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CoordType {
    F32,
    S32,
}

/// Type of the results (`.dtype`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ResultType {
    F32,
    S32,
    U32,
    /// Four halves, each zero-extended to 32 bits.
    F16,
    /// Two registers of two halves, component 0 in the low half.
    F16x2,
}

impl ResultType {
    /// Registers of a result: two of `.f16x2`, else x, y, z, w.
    pub fn registers(self) -> u8 {
        if self == Self::F16x2 { 2 } else { 4 }
    }
}

/// How a `tex` says which mip level it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lod {
    /// Plain `tex`.
    Implicit,
    /// `tex.base`
    Base,
    /// `tex.level`: a level for each lane, of the type of the coordinates.
    Level,
    /// `tex.grad`: the partial derivatives of the coordinates.
    Gradient,
}

/// What a fetch does with the texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchKind {
    /// `tex`
    Sample(Lod),
    /// `tld4` of a component: 0 for r to 3 for a.
    Gather(u8),
}

/// The static part of a `tex` or `tld4` instruction: what is known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FetchForm {
    /// `tex`, `tex.level`, `tld4.r` and so on.
    pub kind: FetchKind,
    /// `.geom`
    pub geometry: Geometry,
    /// `.ctype`; `.f32` for `tld4`.
    pub coord: CoordType,
    /// `.dtype`
    pub result: ResultType,
    /// Whether there is an offset operand `e`.
    pub offset: bool,
    /// Whether there is a compare operand `f`.
    pub compare: bool,
}

impl FetchForm {
    /// A plain `tex` without offset and compare operand.
    pub fn sample(geometry: Geometry, coord: CoordType, result: ResultType) -> Self {
        let kind = FetchKind::Sample(Lod::Implicit);
        Self { kind, geometry, coord, result, offset: false, compare: false }
    }
}

/// One `tex` or `tld4` of a warp. What the form does not have is not looked at.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// Lanes that take part.
    pub active: u32,
    /// Components that are read later, bit 0 for x; others may be left as they are. Registers of
    /// an `.f16x2` result count as components 0 and 1.
    pub components: u8,
    /// Layer and sample as u32, the point by the type of the coordinates.
    pub coords: Coordinates<&'a Lanes>,
    /// Offsets along x, y, z as written (s32): the unit cuts them to 4 or 6 bits.
    pub offset: [&'a Lanes; 3],
    /// Level of `tex.level`: f32 or s32 bits, by the type of the coordinates.
    pub level: &'a Lanes,
    /// Gradients of `tex.grad`, without the array index: f32 bits.
    pub dpdx: [&'a Lanes; 3],
    /// Partial derivatives by y.
    pub dpdy: [&'a Lanes; 3],
    /// Reference value of a depth compare: f32 bits.
    pub compare: &'a Lanes,
}

/// Lanes for operands that an instruction does not have.
pub static ZERO_LANES: Lanes = [0; 32];

impl<'a> FetchRequest<'a> {
    /// A fetch of all components for these lanes and coordinates, without other operands.
    #[inline(always)]
    pub fn new(active: u32, coords: Coordinates<&'a Lanes>) -> Self {
        Self {
            active,
            components: 0xf,
            coords,
            offset: [&ZERO_LANES; 3],
            level: &ZERO_LANES,
            dpdx: [&ZERO_LANES; 3],
            dpdy: [&ZERO_LANES; 3],
            compare: &ZERO_LANES,
        }
    }

    /// The operands of one lane.
    pub fn lane(&self, lane: usize) -> FetchOperands {
        FetchOperands {
            coords: self.coords.map(|c| c[lane]),
            offset: self.offset.map(|c| c[lane] as i32),
            level: self.level[lane],
            dpdx: self.dpdx.map(|c| c[lane]),
            dpdy: self.dpdy.map(|c| c[lane]),
            compare: self.compare[lane],
        }
    }
}

/// The operands of one thread's fetch, as in [`FetchRequest`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchOperands {
    /// f32, s32 or u32 bits.
    pub coords: Coordinates<u32>,
    /// Offsets as written, before they are cut to 4 or 6 bits.
    pub offset: [i32; 3],
    /// Level: f32 or s32 bits.
    pub level: u32,
    /// f32 bits.
    pub dpdx: [u32; 3],
    /// f32 bits.
    pub dpdy: [u32; 3],
    /// f32 bits.
    pub compare: u32,
}

/// Results of a fetch. Lanes that are not active keep what was there.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))] // So that no vector crosses two cache lines.
pub struct FetchAnswer {
    /// x, y, z, w of each lane; of `.f16x2` the two registers.
    pub values: [Lanes; 4],
    /// Lanes whose texels are all resident: the destination predicate.
    pub resident: u32,
}

/// Where the results of a warp go: a register for each component that is wanted.
pub type Places<'a> = [Option<&'a mut Lanes>; 4];

/// Places for these components, bit 0 for x.
#[inline(always)]
pub(crate) fn places(values: &mut [Lanes; 4], components: u8) -> Places<'_> {
    let [x, y, z, w] = values;
    let wants = |c: u32| components >> c & 1 == 1;
    [wants(0).then_some(x), wants(1).then_some(y), wants(2).then_some(z), wants(3).then_some(w)]
}

/// Why a fetch or surface access of this form cannot be made of this resource; a fault of the
/// running kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// `tex.3d` of a 2D array and the like.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// Coordinates of floats on linear memory (docs/numerics.md 1.13).
    #[error("{resource}: linear memory is fetched with integer coordinates (.s32), not with .f32")]
    Floats {
        /// `texture `name` is linear memory of 4 texels of u8x4`
        resource: String,
    },
    /// The unit has no defined answer (docs/numerics.md names the rule).
    #[error("{0}")]
    Undefined(String),
}

impl PlanError {
    /// Whether a card answers such a fetch or surface access with zeros (docs/numerics.md 1.13,
    /// 10.10): loads 0 in every component, with a true destination predicate, and drops stores and
    /// reductions.
    pub fn reads_zero(&self) -> bool {
        matches!(self, Self::Geometry(_) | Self::Floats { .. })
    }
}

/// An instruction whose geometry is neither that of its texture or surface nor one that sees it all
/// the same (docs/numerics.md 1.13, 10.10).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the instruction has .{instruction} geometry, but {resource}{}", Self::also(.instruction, .own))]
pub struct GeometryError {
    /// Of the instruction.
    pub instruction: Geometry,
    /// Of the texture or surface.
    pub own: Geometry,
    /// How its texels lie in memory.
    pub layout: Layout,
    /// `texture `name` is a 2D array of 4 x 4 u8x4`
    pub resource: String,
}

impl GeometryError {
    /// Of a fetch that does not see the geometry of its own name.
    fn also(instruction: &Geometry, own: &Geometry) -> &'static str {
        if instruction == own {
            ": a fetch of a line (.1d with integer coordinates, or of independent mode) sees layered 1D \
             arrays and linear memory"
        } else {
            ""
        }
    }
}

/// What a surface instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceKind {
    /// `suld.b`: elements of 1, 2, 4 or 8 bytes, 1, 2 or 4 of them, at most 16 bytes in all.
    Load {
        /// Bytes.
        element_size: u8,
        /// Elements.
        vector: u8,
    },
    /// `sust.b`, likewise.
    Store {
        /// Bytes.
        element_size: u8,
        /// Elements.
        vector: u8,
    },
    /// `sust.p`: 1, 2 or 4 components of 32 bits.
    StoreFormatted {
        /// Components.
        vector: u8,
    },
    /// `sured.b`, or `sured.p` if `formatted`.
    Reduce {
        /// `.op`
        op: ReduceOp,
        /// `.ctype`
        ty: ReduceType,
        /// `.p`: x counts elements, the channel format says signed or unsigned.
        formatted: bool,
    },
}

/// The static part of a `suld`, `sust` or `sured`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceForm {
    /// What is done.
    pub kind: SurfaceKind,
    /// `.1d`, `.2d`, `.3d`, `.a1d`, `.a2d`
    pub geometry: Geometry,
    /// Policy outside.
    pub clamp: ClampMode,
}

impl SurfaceForm {
    /// How many elements an access of a lane has.
    pub fn elements(&self) -> usize {
        match self.kind {
            SurfaceKind::Load { vector, .. }
            | SurfaceKind::Store { vector, .. }
            | SurfaceKind::StoreFormatted { vector } => vector.into(),
            SurfaceKind::Reduce { .. } => 1,
        }
    }
}

/// One surface access of a warp.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceRequest<'a> {
    /// Lanes that take part.
    pub active: u32,
    /// The layer as u32; x in bytes (`.b`) or texels (`.p`), y, z as s32. There are no samples.
    pub coords: Coordinates<&'a Lanes>,
}

/// Elements of a surface access, each zero-extended to 64 bits; only the first `vector` count.
#[derive(Clone, Debug, Default)]
pub struct SurfaceAnswer {
    /// Element 0 to 3 of each lane.
    pub values: [[u64; 32]; 4],
}

/// A surface access that faults, for the first lane (lowest number) that does.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessFault {
    /// `.trap` outside (docs/numerics.md 10).
    #[error("{}coordinate ({x}, {y}, {z}) with {} is outside {resource}", of_layer(*.layer), Count(size, "byte"))]
    Outside {
        /// Lane.
        lane: u32,
        /// Layer, of layered accesses.
        layer: Option<u32>,
        /// As the instruction has it: in bytes (`.b`), texels (`sust.p`) or elements (`sured.p`).
        x: i32,
        /// Row.
        y: i32,
        /// Slice.
        z: i32,
        /// Bytes of the access.
        size: u32,
        /// What it is and its size.
        resource: String,
    },
    /// x is not a multiple of the access size.
    #[error(
        "{}byte coordinate {x} is not a multiple of the {} accessed in {resource}", of_layer(*.layer), Count(size, "byte"))]
    Misaligned {
        /// Lane.
        lane: u32,
        /// Layer, of layered accesses.
        layer: Option<u32>,
        /// In bytes.
        x: i32,
        /// Bytes of the access.
        size: u32,
        /// What it is and its size.
        resource: String,
    },
}

fn of_layer(layer: Option<u32>) -> String {
    layer.map_or_else(String::new, |layer| format!("layer {layer}, "))
}
