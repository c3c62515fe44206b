//! Resources from which textures and surfaces are created: arrays, or texels in linear memory
//! (`CUDA_RESOURCE_DESC`).

use crate::array::{Array, MipmappedArray};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::error::Error;
use crate::limits::{self, LimitedObject};
use crate::linear::Linear;
use std::sync::Arc;
use texunit_texel::Format;
use texunit_unit::{ArrayShape, Base, Extent, Geometry, Resource, View};

/// Conversions of values to variants of an enum that contain them.
macro_rules! from {
    ($to:ident<$life:lifetime>: $($type:ty => $variant:ident)*) => {
        $(
            impl<$life> From<$type> for $to<$life> {
                fn from(value: $type) -> Self {
                    Self::$variant(value)
                }
            }
        )*
    };
}
pub(crate) use from;

/// The memory that contains texels.
#[derive(Clone, Copy, Debug)]
pub enum TexelMemory<'a> {
    /// A buffer, from its beginning on.
    Buffer(&'a Buffer),
    /// Memory from an address on ([`Device::linear`]).
    Linear(&'a Linear),
}

from! { TexelMemory<'a>: &'a Buffer => Buffer &'a Linear => Linear }

/// Texels in memory that kernels can also access by address: linear memory (one row), or
/// pitch-linear memory (several rows).
///
/// The address of the first texel must be a multiple of 16.
#[derive(Clone, Copy, Debug)]
pub struct MemoryTexels<'a> {
    memory: TexelMemory<'a>,
    /// Bytes before the first texel.
    offset: u64,
    format: Format,
    width: u32,
    /// The number of rows and the bytes from one to the next, for pitch-linear memory.
    rows: Option<(u32, u64)>,
    as_driver: bool,
}

impl<'a> MemoryTexels<'a> {
    /// `width` texels, from the beginning of the memory on.
    pub fn line(memory: impl Into<TexelMemory<'a>>, format: Format, width: u32) -> Self {
        let memory = memory.into();
        Self { memory, offset: 0, format, width, rows: None, as_driver: false }
    }

    /// Rows of texels, from the beginning of the memory on, each `pitch` bytes after the one
    /// before.
    pub fn rows(
        memory: impl Into<TexelMemory<'a>>,
        format: Format,
        [width, height]: [u32; 2],
        pitch: u64,
    ) -> Self {
        Self { rows: Some((height, pitch)), ..Self::line(memory, format, width) }
    }

    /// Sets the number of bytes before the first texel.
    #[must_use]
    pub fn with_offset(self, offset: u64) -> Self {
        Self { offset, ..self }
    }

    /// Allows what CUDA's driver allows: no texels, more texels than the memory has (the missing
    /// ones read as 0), and rows that are longer than the pitch (docs/numerics.md 8.1).
    #[must_use]
    pub fn as_driver(self) -> Self {
        Self { as_driver: true, ..self }
    }

    fn make(&self, device: &Device) -> Result<OwnedResource, Error> {
        let (memory, owner): (&Linear, Owner) = match self.memory {
            TexelMemory::Buffer(buffer) => {
                own(device, buffer.device(), buffer.name())?;
                (buffer, Owner::Buffer(buffer.clone()))
            }
            TexelMemory::Linear(memory) => (memory, Owner::Linear(memory.clone())),
        };
        // An offset beyond the last address is beyond the end of the block, and is refused for that
        // reason.
        let offset = memory.offset().saturating_add(self.offset);
        let (block, address) = (Arc::clone(memory.block()), memory.allocation().start);
        let (base, name) = (Base { block, offset, address }, memory.name());
        let (format, architecture) = (self.format, device.architecture());
        let limits = architecture.limits();
        let (height, pitch) = self.rows.unwrap_or((1, 0));
        let size @ [width, _] = [self.width, height];
        if !self.as_driver {
            let (of, geometry) = match self.rows {
                None => (LimitedObject::Linear, Geometry::D1),
                Some(_) => (LimitedObject::Pitched, Geometry::D2),
            };
            let shape = ArrayShape::new(format, geometry, Extent { width, height, depth: 1 });
            limits::check(of, &shape, pitch, architecture, name)?;
        }
        let resource = match (self.rows, self.as_driver) {
            (None, false) => Resource::linear_for(&limits, format, width, base, name),
            (None, true) => Resource::linear_as_driver(&limits, format, width, base, name),
            (Some(_), false) => Resource::pitched_for(&limits, format, size, pitch, base, name),
            (Some(_), true) => {
                Resource::pitched_as_driver(&limits, format, size, pitch, base, name)
            }
        };
        Ok(OwnedResource { resource: Arc::new(resource?), owner })
    }
}

/// A resource that a texture reads (`CUDA_RESOURCE_DESC`). A view of an array
/// (`CUDA_RESOURCE_VIEW_DESC`) is also an array: [`Array::view`], [`MipmappedArray::view`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum TextureResource<'a> {
    /// An array, with or without mip levels.
    Array(&'a Array),
    /// Texels in linear or pitch-linear memory: one or two axes.
    Memory(MemoryTexels<'a>),
    /// Texels that are not in device memory: those of a resource that the host program has created,
    /// which are read and written in place.
    Texels(&'a Arc<Resource>),
}

/// A resource that a surface reads and writes: an array without mip levels, or memory as a `.1d` or
/// `.2d` surface, which CUDA does not have. A mip level ([`Array::level`]) and a layer or face
/// ([`Array::layer`]) are arrays; a cube map is a surface of its faces, `.a2d`.
pub type SurfaceResource<'a> = TextureResource<'a>;

from! { TextureResource<'a>:
    MemoryTexels<'a> => Memory &'a Array => Array &'a MipmappedArray => Array
}

/// The owner of the memory behind a descriptor, which must live as long as the descriptor.
#[derive(Clone, Debug)]
#[allow(dead_code)] // held, never read
pub(crate) enum Owner {
    Array(Array),
    Buffer(Buffer),
    Linear(Linear),
    Texels(Arc<Resource>),
}

/// A resource, and the owner of its memory.
pub(crate) struct OwnedResource {
    pub(crate) resource: Arc<Resource>,
    pub(crate) owner: Owner,
}

impl OwnedResource {
    /// For cube maps, the resource with its faces as layers.
    fn faces(self) -> Result<Self, Error> {
        if !self.resource.geometry().is_cube() {
            return Ok(self);
        }
        let faces = View { geometry: Some(Geometry::A2d), ..View::default() };
        let resource = Arc::new(self.resource.view(&faces)?);
        Ok(Self { resource, ..self })
    }
}

impl TextureResource<'_> {
    pub(crate) fn make(&self, device: &Device) -> Result<OwnedResource, Error> {
        match *self {
            Self::Array(array) => of_array(device, array),
            Self::Texels(resource) => Ok(of_texels(resource)),
            Self::Memory(texels) => texels.make(device),
        }
    }

    pub(crate) fn make_surface(&self, device: &Device) -> Result<OwnedResource, Error> {
        match *self {
            Self::Array(array) => {
                let made = of_array(device, array)?;
                array.check_surface_size()?;
                made.faces()
            }
            Self::Texels(resource) => {
                device.architecture().limits().check_surface(resource)?;
                of_texels(resource).faces()
            }
            Self::Memory(texels) => texels.make(device),
        }
    }
}

fn own(device: &Device, other: &Device, name: &str) -> Result<(), Error> {
    if device.uses_arrays_of(other) { Ok(()) } else { Err(Error::OtherDevice(name.to_owned())) }
}

fn of_array(device: &Device, array: &Array) -> Result<OwnedResource, Error> {
    own(device, array.device(), array.name())?;
    Ok(OwnedResource { resource: Arc::clone(array.texels()), owner: Owner::Array(array.clone()) })
}

fn of_texels(resource: &Arc<Resource>) -> OwnedResource {
    OwnedResource { resource: Arc::clone(resource), owner: Owner::Texels(Arc::clone(resource)) }
}
