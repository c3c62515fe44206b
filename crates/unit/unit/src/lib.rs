//! NVIDIA's texture and surface unit.
//!
//! A [`Resource`] is texels in memory; a [`Texture`] and a [`Sampler`] say how to read them; a
//! [`FetchPlan`] is made once per (instruction form, texture, sampler) and answers
//! [`FetchRequest`]s of a whole warp. `reference` follows docs/numerics.md line by line and is
//! never optimised; the plans must equal it on every bit. This crate has no PTX, no files and no
//! threads.
//!
//! An array is sampled in five lines:
//!
//! ```
//! use std::sync::Arc;
//! use texunit_unit::{ArrayShape, Filter, ReadMode, Resource, Sampler, Texture, sample};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let shape = ArrayShape::d2("f32".parse()?, 2, 2);
//! let array = Resource::from_texels(&shape, &[0.0_f32, 1.0, 2.0, 3.0], "a")?;
//! let sampler = Sampler::default().with_filter(Filter::Linear);
//! let texture = Texture::new(Arc::new(array), ReadMode::Element, false, &sampler)?;
//! let results = sample(&Arc::new(texture), &sampler, &[[1.0, 1.0], [0.5, 1.5]])?;
//! assert_eq!(results, [[1.5, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0]]);
//! # Ok(())
//! # }
//! ```
//!
//! Layers, levels, gradients, gathers and integer coordinates use a plan, whose operands are arrays
//! of register bits:
//!
//! ```
//! use std::sync::Arc;
//! use texunit_unit::bytemuck::cast_slice;
//! use texunit_unit::{
//! ArrayShape, Coordinates, FetchArrays, FetchPlan, Filter, ReadMode, Resource, Sampler, Scratch,
//!     Texture,
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Levels of 2 x 2 and of one texel.
//! let shape = ArrayShape::d2("u8".parse()?, 2, 2).with_levels(2);
//! let array = Resource::from_texels(&shape, &[0_u8, 255, 0, 255, 51], "a")?;
//! let sampler = Sampler::default().with_mip_filter(Filter::Linear);
//! let texture = Texture::new(Arc::new(array), ReadMode::NormalizedFloat, true, &sampler)?;
//! let plan = FetchPlan::new("tex.level.2d.v4.f32.f32".parse()?, &Arc::new(texture), &sampler)?;
//! let (x, y, levels) = ([0.75_f32, 0.75], [0.25_f32, 0.25], [0.0_f32, 1.0]);
//! let point = [cast_slice(&x), cast_slice(&y), &[]];
//! let mut operands = FetchArrays::new(Coordinates::at(point, &[]));
//! (operands.level, operands.components) = (cast_slice(&levels), 1);
//! let mut red = [0_u32; 2];
//! plan.fetch_arrays(&operands, [&mut red, &mut [], &mut [], &mut []], &mut Scratch::default())?;
//! assert_eq!(red.map(f32::from_bits), [1.0, 0.2]);
//! # Ok(())
//! # }
//! ```

mod effective;
mod fixed_level;
mod name;
mod query;
pub mod reference;
mod register_files;
pub mod request;
pub mod resource;
pub mod sampler;
mod setters;
#[cfg(test)]
mod states;
mod surface;
mod texels;
mod typed;
mod warp;

pub use bytemuck;
pub use effective::{
    Coords, EffectiveSampler, Override, compatible_geometry, effective_sampler, overrides, resolve,
};
pub use name::NameError;
pub use query::{QueryPlan, QueryRequest};
pub use register_files::{FetchRows, Operand, Requests, Results, UnwrittenRows};
pub use request::{
    AccessFault, ClampMode, CoordType, Coordinates, FetchAnswer, FetchForm, FetchKind,
    FetchOperands, FetchRequest, Geometry, GeometryError, Lanes, Lod, OutputRegisters, PlanError,
    ReduceOp, ReduceType, ResultType, SurfaceAnswer, SurfaceForm, SurfaceKind, SurfaceRequest,
    ZERO_LANES, lanes,
};
pub use resource::{
    ArchLimits, ArrayShape, Base, BlockLevels, BlockLinear, CreateError, CudaError, Extent, Layout,
    Level, Limits, Residency, Resource, TILE_BYTES, TexelIndex, TileShape, View,
};
pub use sampler::{
    AddressMode, CompareFunction, Filter, ReadMode, Sampler, Surface, Texture, per_axis,
};
pub use surface::{SurfaceOutcome, SurfacePlace, SurfacePlan, SurfaceTrace};
pub use texels::{AxisTexels, ReadTexel, ReadTexels, WarpTexels};
pub use texunit_forms::{Attribute, Element, UnknownGeometry};
pub use texunit_memory::Block;
pub use texunit_texel::{Channel, Format, UnknownFormat};
pub use typed::sample;
pub use warp::{
    Build, FetchArrays, FetchPlan, LengthError, Scratch, SimdError, SimdLevel, fetch_simd_level,
    simd_level,
};
