//! Opaque arrays.

use crate::buffer::copy_in;
use crate::device::{Device, Error};
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{ArrayShape, CreateError, Extent, Geometry, Resource};

/// What an array is made with (`CUDA_ARRAY3D_DESCRIPTOR`).
#[derive(Clone, Debug)]
pub struct ArrayDescriptor {
    /// Format of the texels.
    pub format: Format,
    /// Size in texels; axes past `dims` are 1.
    pub extent: Extent,
    /// 1, 2 or 3.
    pub dims: u8,
    /// What messages call it.
    pub name: String,
}

/// Texels that only texture and surface instructions reach.
#[derive(Clone, Debug)]
pub struct Array {
    inner: Arc<Storage>,
}

#[derive(Debug)]
struct Storage {
    device: Device,
    block: Arc<Block>,
    resource: Arc<Resource>,
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.device.inner.memory.release_opaque(self.block.size() as u64);
    }
}

impl Array {
    pub(crate) fn new(device: &Device, descriptor: &ArrayDescriptor) -> Result<Self, Error> {
        let ArrayDescriptor { format, extent, dims, name } = descriptor;
        let plain = dims.checked_sub(1).filter(|&d| d < 3);
        let plain = plain.ok_or_else(|| {
            CreateError::Refused(format!("an array has 1, 2 or 3 dimensions, not {dims}"))
        })?;
        let shape = ArrayShape::new(*format, Geometry::ALL[usize::from(plain)], *extent);
        let size = shape.size()?;
        let memory = &device.inner.memory;
        let block = memory
            .allocate_opaque(size, name)
            .map_err(|source| Error::Memory { name: name.clone(), source })?;
        let resource = Resource::array(&shape, Arc::clone(&block), name.as_str())
            .inspect_err(|_| memory.release_opaque(size))?;
        let resource = Arc::new(resource);
        Ok(Self { inner: Arc::new(Storage { device: device.clone(), block, resource }) })
    }

    /// Format of the texels.
    pub fn format(&self) -> Format {
        self.inner.resource.format()
    }

    /// Size in texels.
    pub fn extent(&self) -> Extent {
        self.inner.resource.extent()
    }

    /// Size of all texels in bytes.
    pub fn size(&self) -> u64 {
        self.inner.block.size() as u64
    }

    /// The texels, row by row and slice by slice, without padding.
    pub fn read(&self) -> Vec<u8> {
        self.inner.block.to_vec()
    }

    /// Sets the texels from `bytes`, laid out as [`Self::read`] returns them, from the first on.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        copy_in(&self.inner.block, 0, bytes)
    }

    pub(crate) fn resource(&self) -> &Arc<Resource> {
        &self.inner.resource
    }

    pub(crate) fn device(&self) -> &Device {
        &self.inner.device
    }
}
