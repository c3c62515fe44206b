//! Devices: memory, descriptor tables, and the functions that create objects on a device.

use crate::array::{Array, ArrayDescriptor, MipmappedArray, Storage};
use crate::buffer::Buffer;
use crate::capability::ComputeCapability;
use crate::descriptors::Tables;
use crate::error::Error;
use crate::resource::{SurfaceResource, TextureResource};
use crate::texture::{Pairing, SamplerObject, SurfaceObject, TextureDescriptor, TextureObject};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use texunit_memory::{Heap, InitialContents, Memory, Windows};
use texunit_unit::Sampler;

/// The properties of a new device.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceOptions {
    /// The architecture whose limits apply to arrays, textures and surfaces;
    /// [`ComputeCapability::DEFAULT`] by default. The results of instructions do not depend on it.
    pub architecture: ComputeCapability,
    /// Maximum number of bytes of buffers, arrays, module variables and the heap together.
    pub memory_limit: u64,
    /// Bytes of the heap for `malloc` in device code (`cudaLimitMallocHeapSize`).
    pub heap_size: u64,
    /// The address ranges of allocations. Devices between which a program copies by address alone
    /// need disjoint ranges.
    pub windows: Windows,
    /// Number of the first launch, which `%gridid` reads.
    pub first_launch: u64,
    /// The initial contents of allocations, and whether uninitialised memory is tracked. Module
    /// variables are initialised by their module.
    pub initial_contents: InitialContents,
}

texunit_unit::setters! {
    DeviceOptions {
        with_architecture(architecture: ComputeCapability);
        with_memory_limit(memory_limit: u64);
        with_heap_size(heap_size: u64);
        with_windows(windows: Windows);
        with_first_launch(first_launch: u64);
        with_initial_contents(initial_contents: InitialContents);
    }
}

impl Default for DeviceOptions {
    /// [`ComputeCapability::DEFAULT`], a limit of 8 GiB, a heap of 8 MiB (CUDA's default), and
    /// launches numbered from 0.
    fn default() -> Self {
        let architecture = ComputeCapability::default();
        let windows = Windows::default();
        Self {
            architecture,
            memory_limit: 8 << 30,
            heap_size: 8 << 20,
            windows,
            first_launch: 0,
            initial_contents: InitialContents::default(),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) memory: Memory,
    pub(crate) architecture: ComputeCapability,
    tables: Mutex<Tables>,
    /// All arrays of the device; some may have been dropped.
    pub(crate) arrays: Mutex<Vec<Weak<Storage>>>,
    /// Number of the next launch (`%gridid`).
    pub(crate) launches: AtomicU64,
    heap_size: AtomicU64,
    /// The heap, created at the first launch that can use it.
    heap: OnceLock<Heap>,
    /// Devices whose arrays this device may use.
    pub(crate) peers: Mutex<Vec<Weak<Inner>>>,
}

impl Inner {
    pub(crate) fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The heap; if `needed`, it is created if it does not exist.
    pub(crate) fn heap(&self, needed: bool) -> Result<Option<&Heap>, Error> {
        if needed && self.heap.get().is_none() {
            let heap = Heap::new(&self.memory, self.heap_size.load(Ordering::Relaxed))
                .map_err(|source| Error::Memory { name: "device heap".to_owned(), source })?;
            if let Err(second) = self.heap.set(heap) {
                // Another thread has created the heap meanwhile.
                self.memory.free(second.base());
            }
        }
        Ok(self.heap.get())
    }
}

/// A software GPU. Clones refer to the same device.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) inner: Arc<Inner>,
}

impl Default for Device {
    fn default() -> Self {
        Self::new(&DeviceOptions::default())
    }
}

impl Device {
    /// Creates a device without any objects.
    pub fn new(options: &DeviceOptions) -> Self {
        let inner = Inner {
            memory: Memory::with_windows(options.memory_limit, options.windows.clone())
                .with_initial_contents(options.initial_contents),
            architecture: options.architecture,
            tables: Mutex::new(Tables::new()),
            arrays: Mutex::default(),
            launches: AtomicU64::new(options.first_launch),
            heap_size: AtomicU64::new(options.heap_size),
            heap: OnceLock::new(),
            peers: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Allocates `size` zero bytes of global memory. `name` is the buffer's name in messages.
    ///
    /// # Errors
    /// [`Error::Memory`] if the device has not enough memory.
    pub fn alloc(&self, size: u64, name: &str) -> Result<Buffer, Error> {
        Buffer::new(self, size, name)
    }

    /// Allocates global memory and fills it with numbers or structures.
    ///
    /// # Errors
    /// [`Error::Memory`] if the device has not enough memory, or `values` is empty.
    pub fn alloc_from<T: bytemuck::NoUninit>(
        &self,
        values: &[T],
        name: &str,
    ) -> Result<Buffer, Error> {
        let bytes = bytemuck::cast_slice::<T, u8>(values);
        let buffer = self.alloc(bytes.len() as u64, name)?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }

    /// Creates an array of zero texels (`cuArrayCreate`, `cuArray3DCreate`).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if such an array cannot exist, [`Error::Memory`] if
    /// the device has not enough memory.
    pub fn create_array(&self, descriptor: &ArrayDescriptor) -> Result<Array, Error> {
        Array::new(self, descriptor)
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
        MipmappedArray::new(self, descriptor, levels, None)
    }

    /// Creates a texture object (`cudaCreateTextureObject`), and refuses what the CUDA runtime
    /// refuses (docs/numerics.md 8.1).
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if CUDA has no such texture, [`Error::TooMany`] if all
    /// handles are in use.
    pub fn create_texture(
        &self,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<TextureObject, Error> {
        TextureObject::new(self, resource, descriptor, Pairing::Now, None)
    }

    /// Creates a texture object, and refuses only what the driver refuses (`cuTexObjectCreate`):
    /// integers that are read as integers may have a linear filter.
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if the driver has no such texture, [`Error::TooMany`]
    /// if all handles are in use.
    pub fn create_texture_as_driver(
        &self,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<TextureObject, Error> {
        TextureObject::new(self, resource, descriptor, Pairing::AtFetch, None)
    }

    /// Creates a sampler object, for modules in independent texturing mode.
    ///
    /// # Errors
    /// [`Error::Create`] if the state is not valid, [`Error::TooMany`] if all handles are in use.
    pub fn create_sampler(&self, sampler: &Sampler) -> Result<SamplerObject, Error> {
        SamplerObject::new(self, sampler, None)
    }

    /// Creates a surface object (`cuSurfObjectCreate`) of an array, `create_surface(&array)`, or of
    /// memory.
    ///
    /// # Errors
    /// [`Error::Create`] or [`Error::Limit`] if there can be no such surface, [`Error::TooMany`] if
    /// all handles are in use.
    pub fn create_surface<'a>(
        &self,
        resource: impl Into<SurfaceResource<'a>>,
    ) -> Result<SurfaceObject, Error> {
        SurfaceObject::new(self, &resource.into(), None)
    }

    /// The architecture whose limits apply.
    pub fn architecture(&self) -> ComputeCapability {
        self.inner.architecture
    }

    /// Bytes of the heap for device code (`cuCtxGetLimit(CU_LIMIT_MALLOC_HEAP_SIZE)`).
    pub fn heap_size(&self) -> u64 {
        match self.inner.heap.get() {
            Some(heap) => heap.size(),
            None => self.inner.heap_size.load(Ordering::Relaxed),
        }
    }

    /// Sets the size of the heap (`cuCtxSetLimit`). The size is fixed once a kernel that uses the
    /// heap has been launched.
    ///
    /// # Errors
    /// [`Error::HeapInUse`] after such a launch.
    pub fn set_heap_size(&self, size: u64) -> Result<(), Error> {
        if self.inner.heap.get().is_some() {
            return Err(Error::HeapInUse);
        }
        self.inner.heap_size.store(size, Ordering::Relaxed);
        Ok(())
    }

    /// Whether both refer to the same device.
    pub fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}
