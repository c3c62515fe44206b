//! The interface of the unit: instruction forms, requests of a warp, and answers, for fetches and
//! surface accesses.

use crate::resource::Layout;
pub use texunit_forms::{ClampMode, Coordinates, Geometry, ReduceOp, ReduceType};
use texunit_forms::{Count, words};

/// A 32-bit value for each lane of a warp: raw bits of f32, s32 or u32.
pub type Lanes = [u32; 32];

/// Indices of the lanes of a mask, lowest first.
pub fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane as usize)
    })
}

words! {
    /// Type of coordinates.
    #[derive(Default)]
    CoordType { #[default] F32 = "f32", S32 = "s32" }
}

words! {
    /// Type of the results (`.dtype`), with the number of components.
    #[derive(Default)]
    ResultType {
        #[default]
        F32 = "v4.f32",
        S32 = "v4.s32",
        U32 = "v4.u32",
        /// Four f16 values, each zero-extended to 32 bits.
        F16 = "v4.f16",
        /// Two registers of two f16 values, component 0 in the low half.
        F16x2 = "v2.f16x2",
    }
}

impl ResultType {
    /// Number of registers of a result: two for `.f16x2`, else x, y, z, w.
    pub fn registers(self) -> u8 {
        if self == Self::F16x2 { 2 } else { 4 }
    }
}

words! {
    /// How a `tex` selects its mip level.
    Lod {
        /// `tex` without a level.
        Implicit = "",
        /// `tex.base`: the base level.
        Base = "base",
        /// `tex.level`: a level per lane, in the type of the coordinates.
        Level = "level",
        /// `tex.grad`: the partial derivatives of the coordinates.
        Gradient = "grad",
    }
}

/// The operation of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FetchKind {
    /// The instruction `tex`, with the way in which its mip level is selected.
    Sample(Lod),
    /// The instruction `tld4` of this component: 0 (r) to 3 (a).
    Gather(u8),
}

impl Default for FetchKind {
    fn default() -> Self {
        Self::Sample(Lod::Implicit)
    }
}

/// The properties of a `tex` or `tld4` instruction that are known at compile time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FetchForm {
    /// The operation: `tex`, `tex.level`, `tld4.r` and so on.
    pub kind: FetchKind,
    /// Geometry (`.geom`).
    pub geometry: Geometry,
    /// Type of the coordinates (`.ctype`); always `.f32` for `tld4`.
    pub coord: CoordType,
    /// Result type (`.dtype`).
    pub result: ResultType,
    /// Whether there is an offset operand `e`.
    pub offset: bool,
    /// Whether there is a compare operand `f`.
    pub compare: bool,
}

impl FetchForm {
    /// A plain `tex` without offset and compare operand.
    pub fn sample(geometry: Geometry, coord: CoordType, result: ResultType) -> Self {
        Self { geometry, coord, result, ..Self::default() }
    }
}

/// A `tex` or `tld4` of one warp. Operands that the form does not have are ignored.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// Active mask.
    pub active: u32,
    /// The components that are requested, as a mask with bit 0 for x; other components may keep
    /// their values. The registers of an `.f16x2` result count as components 0 and 1.
    pub components: u8,
    /// The coordinates: layer and sample as u32, and x, y, z in the type of the instruction's
    /// coordinates.
    pub coords: Coordinates<&'a Lanes>,
    /// Offsets in texels along x, y, z (s32). The unit uses their low 4 (`tex`) or 6 (`tld4`) bits.
    pub offset: [&'a Lanes; 3],
    /// Level of `tex.level`: f32 or s32 bits, like the coordinates.
    pub level: &'a Lanes,
    /// Derivatives of x, y, z along screen x, the first gradient of `tex.grad`, as f32 bits.
    pub dpdx: [&'a Lanes; 3],
    /// Derivatives of x, y, z along screen y, the second gradient of `tex.grad`, as f32 bits.
    pub dpdy: [&'a Lanes; 3],
    /// Reference value of a depth compare: f32 bits.
    pub compare: &'a Lanes,
}

/// Zeros in all lanes, for operands that an instruction does not have.
pub static ZERO_LANES: Lanes = [0; 32];

impl<'a> FetchRequest<'a> {
    /// A fetch of all components for the active lanes and coordinates, without other operands.
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

/// The operands of one lane's fetch. [`FetchRequest`] describes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchOperands {
    /// Coordinates: f32, s32 or u32 bits.
    pub coords: Coordinates<u32>,
    /// Offsets in texels. The unit uses only their low 4 (`tex`) or 6 (`tld4`) bits.
    pub offset: [i32; 3],
    /// Level: f32 or s32 bits.
    pub level: u32,
    /// Gradients along screen x: f32 bits.
    pub dpdx: [u32; 3],
    /// Gradients along screen y: f32 bits.
    pub dpdy: [u32; 3],
    /// Reference value of a depth compare: f32 bits.
    pub compare: u32,
}

/// The results of a warp's fetch. Inactive lanes keep their values.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))] // So that no vector crosses two cache lines.
pub struct FetchAnswer {
    /// The components x, y, z, w of each lane; for `.f16x2` the two registers.
    pub values: [Lanes; 4],
    /// The mask of the lanes whose texels are all resident, which is the destination predicate.
    pub resident: u32,
}

/// The output registers of a warp, by component: `None` for components that are not requested.
pub type OutputRegisters<'a> = [Option<&'a mut Lanes>; 4];

/// The output registers of the requested components, which are a mask with bit 0 for x.
#[inline(always)]
pub(crate) fn places(values: &mut [Lanes; 4], components: u8) -> OutputRegisters<'_> {
    let [x, y, z, w] = values;
    let wants = |c: u32| components >> c & 1 == 1;
    [wants(0).then_some(x), wants(1).then_some(y), wants(2).then_some(z), wants(3).then_some(w)]
}

/// Borrows output registers for a shorter time.
#[inline(always)]
pub(crate) fn reborrow<'a>(out: &'a mut OutputRegisters<'_>) -> OutputRegisters<'a> {
    let [x, y, z, w] = out;
    [x.as_deref_mut(), y.as_deref_mut(), z.as_deref_mut(), w.as_deref_mut()]
}

/// Why a fetch or surface access of this form is impossible on this resource. In a running kernel,
/// this is a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// The geometries do not match, such as `tex.3d` of a 2D array.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// Float coordinates on linear memory (docs/numerics.md 1.13).
    #[error("{resource}: linear memory is fetched with integer coordinates (.s32), not with .f32")]
    Floats {
        /// Description of the resource: `texture `name` is linear memory of 4 texels of u8x4`.
        resource: String,
    },
    /// The result of the fetch is undefined. The message says why; docs/numerics.md has the rule.
    #[error("{0}")]
    Undefined(String),
}

impl PlanError {
    /// Whether the hardware answers such a fetch or surface access with zeros (docs/numerics.md
    /// 1.13, 10.10). Loads then return 0 in every component with a true destination predicate;
    /// stores and reductions are dropped.
    pub fn reads_zero(&self) -> bool {
        matches!(self, Self::Geometry(_) | Self::Floats { .. })
    }
}

/// The geometry of an instruction is neither that of its texture or surface nor compatible with it
/// (docs/numerics.md 1.13, 10.10).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the instruction has .{instruction} geometry, but {resource}{}", Self::also(.instruction, .own))]
pub struct GeometryError {
    /// Geometry of the instruction.
    pub instruction: Geometry,
    /// Geometry of the texture or surface.
    pub own: Geometry,
    /// How the texels of the texture or surface lie in memory.
    pub layout: Layout,
    /// Description of the resource, such as `texture `name` is a 2D array of 4 x 4 u8x4`.
    pub resource: String,
}

impl GeometryError {
    /// The end of the message for a fetch whose geometry has the same name as that of the resource,
    /// but which reads resources of another class (rule 1.13 of docs/numerics.md).
    fn also(instruction: &Geometry, own: &Geometry) -> &'static str {
        if instruction == own {
            ": a fetch of a line (.1d with integer coordinates, or of independent mode) sees layered 1D \
             arrays and linear memory"
        } else {
            ""
        }
    }
}

/// The operation of a surface instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SurfaceKind {
    /// `suld.b`: 1, 2 or 4 elements of 1, 2, 4 or 8 bytes, at most 16 bytes in all.
    Load {
        /// Size of an element in bytes.
        element_size: u8,
        /// Number of elements.
        vector: u8,
    },
    /// `sust.b`: 1, 2 or 4 elements of 1, 2, 4 or 8 bytes, at most 16 bytes in all.
    Store {
        /// Size of an element in bytes.
        element_size: u8,
        /// Number of elements.
        vector: u8,
    },
    /// `sust.p`: 1, 2 or 4 components of 32 bits.
    StoreFormatted {
        /// Number of components.
        vector: u8,
    },
    /// `sured.b`, or `sured.p` if `formatted`.
    Reduce {
        /// Operation (`.op`).
        op: ReduceOp,
        /// Operand type (`.ctype`).
        ty: ReduceType,
        /// Whether the instruction is `sured.p`. In this case x counts elements, and the format of
        /// the channels determines the signedness.
        formatted: bool,
    },
}

impl Default for SurfaceKind {
    fn default() -> Self {
        Self::StoreFormatted { vector: 1 }
    }
}

impl SurfaceKind {
    /// Size in bytes and number of the elements that each lane accesses, as its registers hold
    /// them.
    pub fn elements(self) -> (u8, u8) {
        use ReduceType::{B64, S64, U64};
        match self {
            Self::Load { element_size, vector } | Self::Store { element_size, vector } => {
                (element_size, vector)
            }
            Self::StoreFormatted { vector } => (4, vector),
            Self::Reduce { ty: U64 | S64 | B64, .. } => (8, 1),
            Self::Reduce { .. } => (4, 1),
        }
    }

    /// Whether the instruction is a load.
    pub fn loads(self) -> bool {
        matches!(self, Self::Load { .. })
    }
}

/// The properties of a `suld`, `sust` or `sured` instruction that are known at compile time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SurfaceForm {
    /// The operation.
    pub kind: SurfaceKind,
    /// Geometry (`.geom`): `.1d`, `.2d`, `.3d`, `.a1d` or `.a2d`.
    pub geometry: Geometry,
    /// What happens to accesses outside the surface.
    pub clamp: ClampMode,
}

/// A surface access of one warp.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceRequest<'a> {
    /// Active mask.
    pub active: u32,
    /// The layer as u32, and x, y, z as s32; x is in bytes (`.b`) or texels (`.p`). There are no
    /// samples.
    pub coords: Coordinates<&'a Lanes>,
}

/// The elements that a surface load returns, each zero-extended to 64 bits. Only as many elements
/// as the instruction's vector are valid.
#[derive(Clone, Debug, Default)]
pub struct SurfaceAnswer {
    /// The values of element 0 to 3 in each lane.
    pub values: [[u64; 32]; 4],
}

/// The fault of a surface access. If several lanes fault, it describes the lowest one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AccessFault {
    /// An access outside the surface with `.trap` (docs/numerics.md 10).
    #[error("{}coordinate ({x}, {y}, {z}) with {} is outside {resource}", of_layer(*.layer), Count(size, "byte"))]
    Outside {
        /// Index of the lane.
        lane: u32,
        /// Layer, for layered accesses.
        layer: Option<u32>,
        /// The x coordinate of the instruction: in bytes (`.b`), texels (`sust.p`) or elements
        /// (`sured.p`).
        x: i32,
        /// The row of the access.
        y: i32,
        /// The slice of the access.
        z: i32,
        /// Size of the access in bytes.
        size: u32,
        /// Kind and size of the resource.
        resource: String,
    },
    /// x is not a multiple of the access size.
    #[error(
        "{}byte coordinate {x} is not a multiple of the {} accessed in {resource}", of_layer(*.layer), Count(size, "byte"))]
    Misaligned {
        /// Index of the lane.
        lane: u32,
        /// Layer, for layered accesses.
        layer: Option<u32>,
        /// The x coordinate of the access in bytes.
        x: i32,
        /// Size of the access in bytes.
        size: u32,
        /// Kind and size of the resource.
        resource: String,
    },
}

impl AccessFault {
    /// Index of the lane.
    pub fn lane(&self) -> usize {
        let (Self::Outside { lane, .. } | Self::Misaligned { lane, .. }) = self;
        *lane as usize
    }
}

fn of_layer(layer: Option<u32>) -> String {
    layer.map_or_else(String::new, |layer| format!("layer {layer}, "))
}
