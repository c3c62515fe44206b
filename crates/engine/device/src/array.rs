//! Arrays, mipmapped arrays, and views of them (`CUarray`, `CUmipmappedArray`).

use crate::device::{Device, Storage};
use crate::error::Error;
use crate::limits::{self, LimitedObject};
use std::ops::Deref;
use std::sync::{Arc, OnceLock, PoisonError, Weak};
use texunit_forms::Count;
use texunit_memory::Block;
use texunit_texel::Format;
use texunit_unit::{ArrayShape, CreateError, Extent, Geometry, Residency, Resource, View};

/// The properties of a new array (`CUDA_ARRAY3D_DESCRIPTOR`).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ArrayDescriptor {
    /// Format of the texels.
    pub format: Format,
    /// Kind of array: CUDA's flags `LAYERED` and `CUBEMAP` and the number of axes, as one value.
    /// Instructions that fetch from the array must have this geometry.
    pub geometry: Geometry,
    /// Size in texels of one layer or face; axes that the geometry lacks are 1.
    pub extent: Extent,
    /// Layers; cubes of a layered cube map; 1 for other geometries.
    pub layers: u32,
    /// Samples of a multi-sample array: 2, 4, 8 or 16; 1 for other geometries.
    pub samples: u32,
    /// Whether the array is created without memory, and tiles of 64 KiB are mapped later
    /// (`CUDA_ARRAY3D_SPARSE`).
    pub sparse: bool,
    /// Whether the array has the flag that CUDA requires for `tld4`
    /// (`CUDA_ARRAY3D_TEXTURE_GATHER`). Without the flag the unit gathers as well, and checks
    /// report it.
    pub gathers: bool,
    /// The array's name in messages.
    pub name: String,
}

texunit_unit::setters! {
    ArrayDescriptor {
        with_format(format: Format);
        with_geometry(geometry: Geometry);
        with_extent(extent: Extent);
        with_layers(layers: u32);
        with_samples(samples: u32);
        with_sparse(sparse: bool);
        with_gathers(gathers: bool);
        with_name(name: impl Into<String>);
    }
}

impl ArrayDescriptor {
    /// A descriptor with one layer (and 2 samples if the geometry is multi-sample) that is not
    /// sparse and allows gathering.
    pub fn new(format: Format, geometry: Geometry, extent: Extent, name: &str) -> Self {
        let samples = if geometry.is_multisample() { 2 } else { 1 };
        let (layers, sparse, gathers, name) = (1, false, true, name.to_owned());
        Self { format, geometry, extent, layers, samples, sparse, gathers, name }
    }

    fn shape(&self, levels: Option<u32>) -> ArrayShape {
        let Self { format, geometry, extent, layers, samples, .. } = *self;
        ArrayShape { format, geometry, extent, layers, levels, samples }
    }
}

/// Texels that only texture and surface instructions access: an array without mip levels, or one
/// level, layer or face of another array. Clones and views share the texels.
#[derive(Clone, Debug)]
pub struct Array {
    storage: Arc<Storage>,
    resource: Arc<Resource>,
}

/// An array with mip levels (`cuMipmappedArrayCreate`), with all functions of an [`Array`]. Clones
/// share the texels.
#[derive(Clone, Debug)]
pub struct MipmappedArray {
    pub(crate) whole: Array,
}

/// Marks the texels of a new array as uninitialised, but not the padding of its rows, which is
/// never read.
fn undefine_texels(resource: &Resource) {
    let block = resource.block();
    let size = block.size() as u64;
    if block.shadow().is_some() && resource.size_in_bytes() != size {
        block.define(0, size);
        resource.rows().for_each(|row| block.undefine(row.start, row.end - row.start));
    }
}

impl Array {
    /// Creates an array, in given memory or in new memory.
    pub(crate) fn new(
        device: &Device,
        descriptor: &ArrayDescriptor,
        levels: Option<u32>,
        memory: Option<&Arc<Block>>,
    ) -> Result<Self, Error> {
        let (shape, name) = (descriptor.shape(levels), descriptor.name.as_str());
        let architecture = device.inner.architecture;
        limits::check(LimitedObject::Array(shape.geometry), &shape, 0, architecture, name)?;
        if levels.is_some() {
            limits::check(LimitedObject::Mipmapped(shape.geometry), &shape, 0, architecture, name)?;
        }
        shape.check_for(&architecture.limits())?;
        let size = shape.size()?;
        let block = match memory {
            None => {
                let memory = &device.inner.memory;
                let new = memory.allocate_opaque(size, name);
                let new = new.map_err(|source| Error::Memory { name: name.to_owned(), source })?;
                memory.apply_initial_contents(&new);
                new
            }
            Some(memory) => memory.slice(0, size, name).map(Arc::new).ok_or_else(|| {
                CreateError::Refused(format!(
                    "`{name}` needs {}, and the memory has {}",
                    Count(size, "byte"),
                    memory.size()
                ))
            })?,
        };
        // From here on, dropping the storage frees the memory if an error occurs.
        let storage = Arc::new(Storage {
            device: device.clone(),
            block: Arc::clone(&block),
            is_counted: memory.is_none(),
            whole: OnceLock::new(),
        });
        let mut resource = Resource::array_for(&architecture.limits(), &shape, block, name)?;
        if descriptor.sparse {
            // No tile is mapped.
            resource = resource.with_residency(Arc::new(Residency::new(&shape)?))?;
        }
        if !descriptor.gathers {
            resource = resource.without_gather();
        }
        let resource = Arc::new(resource);
        undefine_texels(&resource);
        storage.keep(&resource);
        Ok(Self { storage, resource })
    }

    /// Checks that surfaces of the array can be created, by its size and format
    /// (`CUDA_ARRAY3D_SURFACE_LDST`).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] with the reason why there can be no surface.
    pub fn check_surface(&self) -> Result<(), Error> {
        self.check_surface_size()?;
        let (format, geometry) = (self.format(), self.geometry());
        if format.is_block() || format.is_depth() || geometry.is_multisample() {
            let why = format!("`{}` cannot be a surface: it is an array of {format}", self.name());
            return Err(CreateError::Refused(why).into());
        }
        Ok(())
    }

    pub(crate) fn check_surface_size(&self) -> Result<(), Error> {
        let (shape, geometry) = (self.resource.shape(), self.geometry());
        let architecture = self.device().inner.architecture;
        limits::check(LimitedObject::Surface(geometry), shape, 0, architecture, self.name())
    }

    /// Checks that `tld4` can read the array, by its geometry and size
    /// (`CUDA_ARRAY3D_TEXTURE_GATHER`).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] with the reason why `tld4` cannot read it.
    pub fn check_gather(&self) -> Result<(), Error> {
        use Geometry as G;
        if !matches!(self.geometry(), G::D2 | G::A2d | G::Cube | G::Acube) {
            let reason = format!("tld4 does not read a {}", self.resource.kind());
            return Err(CreateError::Refused(reason).into());
        }
        Ok(self.resource.limits().check_gather(&self.resource)?)
    }

    /// Destroys the array for all that share its texels (`cuArrayDestroy`): its memory counts as
    /// freed, and fetches and surface accesses are faults. Without this call, the array is
    /// destroyed when the last of those that share its texels is dropped.
    pub fn destroy(&self) {
        self.storage.end();
    }

    /// All arrays of a device, each as a whole. They include destroyed arrays that a texture or
    /// surface still refers to.
    pub(crate) fn all(device: &Device) -> Vec<Self> {
        let all = device.inner.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = |storage: Arc<Storage>| {
            let resource = Arc::clone(storage.whole.get()?);
            Some(Self { storage, resource })
        };
        all.iter().filter_map(Weak::upgrade).filter_map(whole).collect()
    }

    /// Number of mip levels; `None` if the array was created without mip levels.
    pub fn mip_levels(&self) -> Option<u32> {
        self.resource.shape().levels
    }

    /// Number of the allocation that holds the texels; it is never used again.
    pub fn number(&self) -> u64 {
        self.storage.block.number()
    }

    /// The first layer or face of the allocation that the array contains: 0, unless it is a view.
    pub fn first_plane(&self) -> u32 {
        self.resource.first().1
    }

    /// Whether the array has been destroyed ([`Self::destroy`]).
    pub fn is_destroyed(&self) -> bool {
        self.storage.block.ended().is_some()
    }

    /// A range of the array's layers or levels, or its texels with another format or geometry
    /// (`CUDA_RESOURCE_VIEW_DESC`), as an array that shares the texels.
    ///
    /// # Errors
    /// [`Error::Create`] if the array lacks the range, or its texels cannot be read with this
    /// format or geometry.
    pub fn view(&self, view: &View) -> Result<Self, Error> {
        self.with(self.resource.view(view)?)
    }

    /// One layer of a layered array, or face of a cube map (face `f` of cube `c` is `6 * c + f`),
    /// as an array that shares the texels.
    ///
    /// # Errors
    /// [`Error::Create`] if there is no such layer.
    pub fn layer(&self, layer: u32) -> Result<Self, Error> {
        let geometry = match self.geometry() {
            Geometry::A1d => Geometry::D1,
            Geometry::A2dms => Geometry::D2ms,
            Geometry::A2d | Geometry::Cube | Geometry::Acube => Geometry::D2,
            own => own,
        };
        let planes = Some(layer..layer.saturating_add(1));
        self.view(&View { geometry: Some(geometry), planes, ..View::default() })
    }

    /// One mip level, as an array that shares the texels (`cuMipmappedArrayGetLevel`).
    ///
    /// # Errors
    /// [`Error::Create`] if there is no such level.
    pub fn level(&self, level: u32) -> Result<Self, Error> {
        self.with(self.resource.single_level(level)?)
    }

    fn with(&self, resource: Resource) -> Result<Self, Error> {
        Ok(Self { storage: Arc::clone(&self.storage), resource: Arc::new(resource) })
    }

    /// Format of the texels.
    pub fn format(&self) -> Format {
        self.resource.format()
    }

    /// The kind of array.
    pub fn geometry(&self) -> Geometry {
        self.resource.geometry()
    }

    /// Size in texels of a layer or face of the first level.
    pub fn extent(&self) -> Extent {
        self.resource.extent()
    }

    /// Layers; cubes of a layered cube map; 1 for other geometries.
    pub fn layers(&self) -> u32 {
        self.resource.shape().layers
    }

    /// Number of layers, or of faces of all cubes.
    pub fn planes(&self) -> u32 {
        self.resource.shape().planes()
    }

    /// Number of samples of a texel; 1 unless the array is multi-sample.
    pub fn samples(&self) -> u32 {
        self.resource.shape().samples
    }

    /// The array's name in messages.
    pub fn name(&self) -> &str {
        self.resource.name()
    }

    /// Size of all texels in bytes.
    pub fn size(&self) -> u64 {
        self.resource.size_in_bytes()
    }

    /// The texels without padding: layer by layer (face by face), sample by sample, slice by slice,
    /// row by row. A row of a block-compressed format is a row of 4x4 blocks.
    pub fn read(&self) -> Vec<u8> {
        self.resource.to_packed()
    }

    /// The texels as [`Self::read`] returns them; `None` if there is not enough memory for them.
    pub fn try_read(&self) -> Option<Vec<u8>> {
        self.resource.try_to_packed()
    }

    /// Sets all texels to zero, whatever the initial contents of memory are
    /// ([`crate::DeviceOptions::initial_contents`]). Must not be called for an array that has been
    /// written.
    pub fn clear(&self) {
        self.storage.device.inner.memory.clear(&self.storage.block);
    }

    /// Sets the first texels from `bytes`, which are laid out as [`Self::read`] returns them.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if there are more bytes than texels.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        let (len, size) = (bytes.len() as u64, self.size());
        if len > size {
            return Err(Error::CopyOutside { name: self.name().to_owned(), offset: 0, len, size });
        }
        match len == size {
            true => self.resource.fill_packed(bytes)?,
            false => {
                let mut all = self.resource.to_packed();
                all[..bytes.len()].copy_from_slice(bytes);
                self.resource.fill_packed(&all)?;
            }
        }
        self.define_packed(len);
        Ok(())
    }

    /// Marks the first `len` bytes of those that [`Self::read`] returns as initialised.
    fn define_packed(&self, len: u64) {
        let block = self.resource.block();
        if block.shadow().is_none() {
            return;
        }
        let mut rest = len;
        for row in self.resource.rows() {
            let part = rest.min(row.end - row.start);
            block.define(row.start, part);
            rest -= part;
            if rest == 0 {
                break;
            }
        }
    }

    /// The texels, as the sampler reads them.
    pub fn texels(&self) -> &Arc<Resource> {
        &self.resource
    }

    /// The device that the array belongs to.
    pub fn device(&self) -> &Device {
        &self.storage.device
    }
}

impl Device {
    /// Creates an array of zero texels (`cuArrayCreate`, `cuArray3DCreate`).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if such an array cannot exist, [`Error::Memory`] if
    /// the device has not enough memory.
    pub fn create_array(&self, descriptor: &ArrayDescriptor) -> Result<Array, Error> {
        Array::new(self, descriptor, None, None)
    }

    /// Creates an array of zero texels with mip levels (`cuMipmappedArrayCreate`).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if such an array cannot exist, [`Error::Memory`] if
    /// the device has not enough memory.
    pub fn create_mipmapped_array(
        &self,
        descriptor: &ArrayDescriptor,
        levels: u32,
    ) -> Result<MipmappedArray, Error> {
        Ok(MipmappedArray { whole: Array::new(self, descriptor, Some(levels), None)? })
    }
}

impl MipmappedArray {
    /// Number of levels of a full mip chain for this size, down to one texel.
    pub fn max_mip_levels(extent: Extent) -> u32 {
        let longest = extent.axes().into_iter().max().unwrap_or(1);
        32 - longest.max(1).leading_zeros()
    }

    /// As [`Array::view`].
    ///
    /// # Errors
    /// [`Error::Create`] if the array lacks the range, or its texels cannot be read with this
    /// format or geometry.
    pub fn view(&self, view: &View) -> Result<Self, Error> {
        Ok(Self { whole: self.whole.view(view)? })
    }

    /// Number of mip levels.
    pub fn levels(&self) -> u32 {
        self.resource.levels().len() as u32
    }
}

/// All levels as one array, whose texels are read and written level by level.
impl Deref for MipmappedArray {
    type Target = Array;

    fn deref(&self) -> &Array {
        &self.whole
    }
}

impl From<MipmappedArray> for Array {
    fn from(array: MipmappedArray) -> Self {
        array.whole
    }
}
