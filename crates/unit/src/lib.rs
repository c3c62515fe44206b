//! NVIDIA's texture and surface unit.
//!
//! A [`Resource`] is texels in memory; a [`Texture`] and a [`Sampler`] say how to read them; a
//! [`FetchPlan`] is made once per (instruction form, texture, sampler) and answers
//! [`FetchRequest`]s of a whole warp. `reference` follows docs/numerics.md line by line and is
//! never optimised; the plans must equal it on every bit. No PTX, no files, no threads here.

mod effective;
mod name;
mod query;
pub mod reference;
pub mod request;
pub mod resource;
pub mod sampler;
mod surface;
mod warp;

pub use effective::{
    Coords, EffectiveSampler, Override, effective_sampler, overrides, resolve, sees,
};
pub use name::NameError;
pub use query::{QueryPlan, QueryRequest};
pub use request::{
    AccessFault, ClampMode, CoordType, Coordinates, FetchAnswer, FetchForm, FetchKind,
    FetchOperands, FetchRequest, Geometry, GeometryError, Lanes, Lod, Places, PlanError, ReduceOp,
    ReduceType, ResultType, SurfaceAnswer, SurfaceForm, SurfaceKind, SurfaceRequest, ZERO_LANES,
    lanes,
};
pub use resource::{
    ArchLimits, ArrayShape, Base, CreateError, CudaError, Extent, Layout, Level, Limits, Residency,
    Resource, TILE_BYTES, TexelIndex, TileShape, View,
};
pub use sampler::{AddressMode, CompareFunction, Filter, ReadMode, Sampler, Surface, Texture};
pub use surface::{SurfaceOutcome, SurfacePlace, SurfacePlan, SurfaceTrace};
pub use texunit_forms::{Attribute, Element};
pub use warp::{
    Build, FetchArrays, FetchPlan, LengthError, Scratch, SimdError, SimdLevel, fetch_level,
    simd_level,
};
