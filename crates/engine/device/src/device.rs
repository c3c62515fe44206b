//! Devices: memory, descriptor tables, and the list of arrays.

use crate::capability::ComputeCapability;
use crate::descriptors::Tables;
use crate::error::Error;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use texunit_memory::{Block, End, Heap, InitialContents, Memory, Windows};
use texunit_unit::Resource;

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
        Self {
            architecture: ComputeCapability::default(),
            memory_limit: 8 << 30,
            heap_size: 8 << 20,
            windows: Windows::default(),
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
    /// The heap for `malloc` in device code, created at the first launch that can use it.
    heap: OnceLock<Heap>,
    /// Devices whose arrays this device may use.
    pub(crate) peers: Mutex<Vec<Weak<Inner>>>,
}

impl Inner {
    pub(crate) fn tables(&self) -> MutexGuard<'_, Tables> {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The heap for `malloc` in device code. If `needed`, the heap is created if it does not exist.
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

/// The memory of an array. It is freed when the array is destroyed or the last user is dropped.
#[derive(Debug)]
pub(crate) struct Storage {
    pub(crate) device: Device,
    pub(crate) block: Arc<Block>,
    /// Whether the memory counts against the memory limit of the device.
    pub(crate) is_counted: bool,
    /// The whole array, of which other arrays may be views.
    pub(crate) whole: OnceLock<Arc<Resource>>,
}

impl Storage {
    pub(crate) fn end(&self) {
        if self.block.end(End::Destroyed) && self.is_counted {
            self.device.inner.memory.release_opaque(self.block.size() as u64);
        }
    }

    /// Records the whole array, and adds it to the device's list.
    pub(crate) fn keep(self: &Arc<Self>, whole: &Arc<Resource>) {
        let _ = self.whole.set(Arc::clone(whole));
        let mut all = self.device.inner.arrays.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropped arrays are removed when the list would have to grow.
        if all.len() == all.capacity() {
            all.retain(|other| other.strong_count() > 0);
        }
        all.push(Arc::downgrade(self));
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        self.end();
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

    /// The memory of the device, for drivers, which map host memory and memory of other devices.
    /// Memory that is freed here ends as that of a dropped [`crate::Buffer`] does.
    pub fn memory(&self) -> &Memory {
        &self.inner.memory
    }

    /// The architecture whose limits apply.
    pub fn architecture(&self) -> ComputeCapability {
        self.inner.architecture
    }

    /// Bytes of the heap for device code (`cuCtxGetLimit(CU_LIMIT_MALLOC_HEAP_SIZE)`).
    pub fn heap_size(&self) -> u64 {
        self.inner
            .heap
            .get()
            .map_or_else(|| self.inner.heap_size.load(Ordering::Relaxed), Heap::size)
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

    /// Whether `self` and `other` refer to the same device.
    pub fn is(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}
