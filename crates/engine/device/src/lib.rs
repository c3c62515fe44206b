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
//! A kernel runs in ten lines:
//!
//! ```
//! use texunit_device::{Device, LaunchOptions, Module, args};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let ptx = "
//! # .version 8.0
//! # .target sm_75
//! # .address_size 64
//! # .visible .entry add(.param .u64 values, .param .u32 amount)
//! # {
//! #     .reg .b64 %rd<3>;
//! #     .reg .b32 %r<5>;
//! #     ld.param.u64 %rd1, [values];
//! #     ld.param.u32 %r1, [amount];
//! #     mov.u32 %r2, %tid.x;
//! #     mad.wide.u32 %rd2, %r2, 4, %rd1;
//! #     ld.global.u32 %r3, [%rd2];
//! #     add.u32 %r4, %r3, %r1;
//! #     st.global.u32 [%rd2], %r4;
//! #     ret;
//! # }";
//! let device = Device::default();
//! let module = Module::load(&device, "add.ptx", ptx)?;
//! let values = device.alloc_from(&[1_u32, 2, 3, 4], "values")?;
//! let options = LaunchOptions::new(1, 4);
//! module.kernel("add")?.launch(&options, &args![&values, 10_u32])?;
//! assert_eq!(values.read_as::<u32>(), [11, 12, 13, 14]);
//! // A wrong name is an error that says what was meant.
//! assert!(module.kernel("ad").unwrap_err().to_string().contains("did you mean `add`?"));
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//!
//! `jit`, which is on unless `default-features = false` is set, compiles hot loops on x86-64;
//! without it everything is interpreted, with the same bits.

mod arg;
mod array;
mod bound;
mod buffer;
mod capability;
pub mod cards;
mod children;
mod cluster;
mod descriptors;
mod device;
mod error;
mod handles;
mod kernel;
mod launch;
mod launch_error;
mod launch_options;
mod limits;
mod linear;
mod loader;
mod local;
mod module;
mod pieces;
mod region;
mod resource;
mod shared;
mod sparse;
mod state;
mod texture;
mod unloadable;
mod variables;

pub use arg::{Arg, ParamInfo, ParamType};
pub use array::{Array, ArrayDescriptor, MipmappedArray};
pub use bound::{BoundTexture, Effective};
pub use buffer::Buffer;
pub use capability::ComputeCapability;
pub use cluster::{MAX_CLUSTER, PORTABLE_CLUSTER};
pub use device::{Device, DeviceOptions};
pub use error::Error;
pub use handles::OpaqueKind;
pub use kernel::{Kernel, UnknownKernel};
pub use launch_error::{ArgError, LaunchError};
pub use launch_options::{Dim, LaunchOptions};
pub use linear::Linear;
pub use loader::CODES;
pub use module::{LoadError, Module};
pub use pieces::overlay;
pub use resource::{MemoryTexels, SurfaceResource, TexelMemory, TextureResource};
pub use sparse::{MipTail, TileRegion};
pub use state::{State, WithHandle};
pub use texture::{SamplerObject, SurfaceObject, TextureDescriptor, TextureObject};
pub use unloadable::Unloadable;
pub use variables::{OpaqueVariable, VariableAddresses};

pub use bytemuck;

pub use texunit_memory::{
    AddressError, AttachError, Block, CONST_BASE, CONST_END, End, Fill, FreedBlock, GLOBAL_BASE,
    InitialContents, InvalidFill, Memory, MemoryMap, Placement, Rights, Windows, rights_to_pin,
    views,
};
#[cfg(all(target_os = "linux", not(miri)))]
pub use texunit_memory::{Mapped, Pages, Reserved};
pub use texunit_simt::{
    AccessKind, Approximate, Arithmetic, BadFetch, BadFetches, BadHandle, Bounds, CtaRange,
    Described, ExecutionOptions, ExternalWriters, Fault, FaultKind, FetchSite, Frame, Fusion,
    GradientEngine, GradientStats, HandleSource, InstructionForm, KernelId, LaunchStats, Observer,
    PolledMemory, Resources, SourceId, SourcePlace, Sources, Tallies, Tally, Verdict, WaitingLoop,
    Watch, Watched, WatchedAccess, WatchedFetch, WatchedSurface, debug, observe, runtime,
};
pub use texunit_syntax::{Diagnostic, SourceFile};
pub use texunit_texel::{Channel, Format, UnknownFormat};
pub use texunit_unit::{
    AddressMode, ArrayShape, CompareFunction, Coords, CreateError, EffectiveSampler, Extent,
    FetchForm, Filter, Geometry, Override, ReadMode, Sampler, Texture, View,
};
