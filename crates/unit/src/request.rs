//! What the executor asks of the unit, a warp at a time, and what it gets back.

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

/// Geometry of a texture or surface instruction (PTX `.geom`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Geometry {
    D1,
    D2,
    D3,
    A1d,
    A2d,
    Cube,
    Acube,
    D2ms,
    A2dms,
}

impl Geometry {
    /// PTX name with its dot.
    pub fn name(self) -> &'static str {
        match self {
            Geometry::D1 => ".1d",
            Geometry::D2 => ".2d",
            Geometry::D3 => ".3d",
            Geometry::A1d => ".a1d",
            Geometry::A2d => ".a2d",
            Geometry::Cube => ".cube",
            Geometry::Acube => ".acube",
            Geometry::D2ms => ".2dms",
            Geometry::A2dms => ".a2dms",
        }
    }

    /// Number of dimensions of the geometries that are plain boxes of texels: 1, 2 or 3.
    pub fn box_dims(self) -> Option<u8> {
        match self {
            Geometry::D1 => Some(1),
            Geometry::D2 => Some(2),
            Geometry::D3 => Some(3),
            _ => None,
        }
    }
}

/// Type of coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CoordType {
    F32,
    S32,
}

/// Type of the four results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ResultType {
    F32,
    S32,
    U32,
}

/// The static part of a `tex` instruction: what is known before it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FetchForm {
    /// `.geom`
    pub geometry: Geometry,
    /// `.ctype`
    pub coord: CoordType,
    /// `.dtype`
    pub result: ResultType,
}

/// One `tex` of a warp.
#[derive(Clone, Copy, Debug)]
pub struct FetchRequest<'a> {
    /// Lanes that take part.
    pub active: u32,
    /// Components that are read later, bit 0 for x; others may be left as they are.
    pub components: u8,
    /// x, y, z as far as the geometry has them (an array index would come first); others unused.
    pub coords: [&'a Lanes; 4],
}

/// Results of a fetch. Lanes that are not active keep what was there.
#[derive(Clone, Debug, Default)]
pub struct FetchAnswer {
    /// x, y, z, w of each lane.
    pub values: [Lanes; 4],
}

/// Why a fetch or surface access of this form cannot be made of this resource; a fault of the
/// running kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// `tex.3d` of a 2D array and the like.
    #[error("the instruction has {instruction} geometry, but {resource}")]
    Geometry {
        /// `.3d`
        instruction: &'static str,
        /// `texture `name` is a 2D array of 4 x 4 u8x4`
        resource: String,
    },
    /// The unit has no defined answer (docs/numerics.md names the rule).
    #[error("{0}")]
    Undefined(String),
}

/// `.clamp` of a surface instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ClampMode {
    Trap,
    Clamp,
    Zero,
}

/// The static part of a `suld.b` or `sust.b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SurfaceForm {
    /// `.1d`, `.2d`, `.3d`
    pub geometry: Geometry,
    /// Bytes of an element: 1, 2, 4, 8.
    pub element_size: u8,
    /// Elements: 1, 2, 4; at most 16 bytes in all.
    pub vector: u8,
    /// Policy outside.
    pub clamp: ClampMode,
}

/// One surface access of a warp.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceRequest<'a> {
    /// Lanes that take part.
    pub active: u32,
    /// x in bytes, y, z (s32 bits); others unused.
    pub coords: [&'a Lanes; 3],
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
    #[error("coordinate ({x}, {y}, {z}) with {size} bytes is outside {resource}")]
    Outside {
        /// Lane.
        lane: u32,
        /// In bytes.
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
    #[error("byte coordinate {x} is not a multiple of the {size} bytes accessed in {resource}")]
    Misaligned {
        /// Lane.
        lane: u32,
        /// In bytes.
        x: i32,
        /// Bytes of the access.
        size: u32,
        /// What it is and its size.
        resource: String,
    },
}
