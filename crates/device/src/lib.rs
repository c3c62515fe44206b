//! The object model that users program against, in CUDA's words: a [`Device`] with [`Buffer`]s,
//! [`Array`]s, [`MipmappedArray`]s, texture, sampler and surface objects, [`Module`]s of PTX, and
//! [`Kernel`] launches.
//!
//! Left out: streams, contexts, and CUDA's flags that say what an array is for. Every array can be
//! gathered from, and be a surface if its format and geometry can.
//!
//! Everything is safe Rust; objects keep alive what they use. A mistake in the PTX is a
//! [`LoadError`] with diagnostics, misuse of this API is an `Err`, and a kernel that goes wrong
//! ends in a [`LaunchError::Fault`].
//!
//! ```
//! use texunit_device::{Arg, Device, LaunchOptions, Module};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let ptx = "
//! .version 8.0
//! .target sm_75
//! .address_size 64
//! .visible .entry fill(.param .u64 out, .param .u32 value)
//! {
//!     .reg .b64 %rd<3>;
//!     .reg .b32 %r<3>;
//!     ld.param.u64 %rd1, [out];
//!     ld.param.u32 %r1, [value];
//!     mov.u32 %r2, %tid.x;
//!     mad.wide.u32 %rd2, %r2, 4, %rd1;
//!     st.global.u32 [%rd2], %r1;
//!     ret;
//! }";
//! let device = Device::default();
//! let out = device.alloc(4 * 64, "out")?;
//! let module = Module::load(&device, "fill.ptx", ptx)?;
//! let kernel = module.kernel("fill").ok_or("no such kernel")?;
//! let options = LaunchOptions { grid: [1, 1, 1], block: [64, 1, 1], ..LaunchOptions::default() };
//! kernel.launch(&options, &[Arg::Buffer(&out), Arg::U32(7)])?;
//! assert_eq!(out.read()[252..], [7, 0, 0, 0]);
//! # Ok(())
//! # }
//! ```

mod arg;
mod array;
mod bound;
mod buffer;
pub mod cards;
mod codes;
mod descriptors;
mod device;
mod initial;
mod kernel;
mod limits;
mod linear;
mod loader;
mod local;
mod module;
mod pieces;
mod region;
mod reserve;
mod resource;
mod sparse;
mod state;
mod texture;
mod txd;

pub use arg::{Arg, ParamInfo, ParamType};
pub use array::{Array, ArrayDescriptor, MipmappedArray};
pub use bound::{BoundTexture, Effective};
pub use buffer::Buffer;
pub use codes::CODES;
pub use device::{Device, DeviceOptions, Error};
pub use kernel::{ArgError, Kernel, LaunchError, LaunchOptions};
pub use limits::ComputeCapability;
pub use linear::Linear;
pub use module::{Global, LoadError, Module, OpaqueKind, OpaqueVariable};
pub use pieces::lay_over;
pub use resource::{SurfaceResource, TextureResource};
pub use sparse::{MipTail, TileRegion};
pub use state::{Places, State, Stored};
pub use texture::{SamplerObject, SurfaceObject, TextureDescriptor, TextureObject};
pub use txd::GradientPath;

pub use texunit_memory::{
    AddressError, AttachError, Block, CONST_BASE, CONST_END, End, Fill, Fresh, GLOBAL_BASE, Gone,
    MemoryMap, NoFill, Placement, Rights, Windows, rights_to_pin, views,
};
pub use texunit_simt::{
    Bounds, Count, CtaRange, Fault, FaultKind, FetchSite, Frame, GradientStats, HandleSource,
    LaunchStats, Observer, Resources, SourceId, SourcePlace, Sources, Tallies, Tally, Watch,
    Watched, WatchedAccess, WatchedFetch, WatchedSurface, observe,
};
pub use texunit_syntax::{Diagnostic, SourceFile};
pub use texunit_texel::{Channel, Format};
pub use texunit_unit::{
    AddressMode, CompareFunction, Coords, EffectiveSampler, Extent, FetchForm, Filter, Geometry,
    Override, ReadMode, Sampler, Texture, View,
};
