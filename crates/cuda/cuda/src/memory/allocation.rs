//! Allocations: where the memory comes from, who owns it, and its end.

use super::advice::AdviceMap;
use super::pool::{PoolLocation, PoolShare};
use super::*;

/// The function that adds a memory allocation node to a graph.
pub(crate) const GRAPH_NODE: &str = "cuGraphAddMemAllocNode";
/// The driver function that maps external memory, such as that of Vulkan, as a buffer.
pub(crate) const EXTERNAL_BUFFER: &str = "cuExternalMemoryGetMappedBuffer";

/// Origin of an allocation, which determines how it is freed.
#[derive(Debug)]
pub(crate) enum AllocationKind {
    /// Device memory of `cuMemAlloc`.
    Device,
    /// A memory allocation node of a graph.
    Graph,
    /// Memory of `cuMemAllocAsync` from a pool.
    Pool(PoolShare),
    /// Host memory of `cuMemHostAlloc`, with its flags.
    Host(u32),
    /// `cuMemHostRegister`, with its flags.
    Registered(u32),
    /// Managed memory of `cuMemAllocManaged`.
    Managed,
    /// Memory of another process, opened by `cuIpcOpenMemHandle`.
    OpenedMemory(ipc::OpenedMemory),
    /// A mapping of imported memory, by `cuExternalMemoryGetMappedBuffer`.
    External,
}

impl AllocationKind {
    /// The allocating function, what the memory is, and the functions that free it.
    fn words(&self) -> [&'static str; 3] {
        const FREE: &str = "cuMemFree, cudaFree";
        match self {
            Self::Device => ["cuMemAlloc", "device memory", FREE],
            Self::Graph => [GRAPH_NODE, "memory of a graph", FREE],
            Self::Pool(_) => {
                let frees = "cuMemFreeAsync, cudaFreeAsync, cuMemFree";
                [pool::MADE_BY, "memory of a pool", frees]
            }
            Self::Host(_) => ["cuMemHostAlloc", "host memory", "cuMemFreeHost, cudaFreeHost"],
            Self::Registered(_) => {
                let what = "registered host memory";
                [what, what, "cuMemHostUnregister, cudaHostUnregister"]
            }
            Self::Managed => ["cuMemAllocManaged", "managed memory", FREE],
            Self::OpenedMemory(_) => {
                let frees = "cuIpcCloseMemHandle, cudaIpcCloseMemHandle";
                ["cuIpcOpenMemHandle", "memory of another process", frees]
            }
            Self::External => [EXTERNAL_BUFFER, "imported memory", FREE],
        }
    }

    /// The allocating function that the program called, by which messages name the memory.
    pub(crate) fn made_by(&self) -> &'static str {
        crate::current_call::maker().unwrap_or(self.words()[0])
    }

    /// The functions that free this kind of memory.
    pub(super) fn freed_by(&self) -> &'static str {
        self.words()[2]
    }
}

#[derive(Debug)]
pub(crate) struct Allocation {
    /// The memory. It is the first field, so that it is freed before the pool is told.
    pub(super) storage: Storage,
    /// Address of the first byte.
    pub(crate) base: u64,
    /// Size in bytes.
    pub(crate) size: u64,
    /// Origin of the memory.
    pub(crate) kind: AllocationKind,
    /// The context with which the allocation ends.
    pub(crate) context: Handle<Context>,
    /// The device of that context.
    pub(crate) gpu: Arc<Gpu>,
    /// Unique number (`CU_POINTER_ATTRIBUTE_BUFFER_ID`), which fault reports use.
    pub(crate) id: u64,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`, without effect, as copies are always synchronous.
    pub(crate) sync: AtomicBool,
    advice: Mutex<AdviceMap>,
}

/// Owner of the memory, kept for its `drop`.
#[derive(Debug)]
pub(super) enum Storage {
    Device { buffer: Buffer },
    Host { block: Arc<Block> },
}

impl Allocation {
    /// An allocation of a device at an address, with its size in bytes.
    pub(super) fn new(
        context: &Context,
        gpu: &Arc<Gpu>,
        kind: AllocationKind,
        (base, size): (u64, u64),
        storage: Storage,
    ) -> Self {
        let id = match &storage {
            Storage::Device { buffer } => buffer.number(),
            Storage::Host { block } => block.number(),
        };
        Self {
            base,
            size,
            kind,
            context: context.handle,
            gpu: Arc::clone(gpu),
            id,
            sync: AtomicBool::new(false),
            advice: Mutex::new(AdviceMap::new(base)),
            storage,
        }
    }

    /// The function that has allocated the memory.
    pub(crate) fn made_by(&self) -> &str {
        match &self.storage {
            Storage::Device { buffer } => buffer.name(),
            Storage::Host { block } => block.name(),
        }
    }

    /// Kind of memory and allocating function, in a sentence.
    pub(crate) fn words(&self) -> String {
        let made_by = Some(self.made_by()).filter(|name| name.starts_with("cu"));
        format!("{} ({})", self.kind.words()[1], made_by.unwrap_or("cuMemHostRegister"))
    }

    /// The buffer of device memory.
    pub(crate) fn buffer(&self) -> Option<&Buffer> {
        match &self.storage {
            Storage::Device { buffer } => Some(buffer),
            Storage::Host { .. } => None,
        }
    }

    /// Whether the program can access the memory at its address.
    pub(crate) fn on_host(&self) -> bool {
        matches!(self.storage, Storage::Host { .. })
    }

    /// Ends an allocation that has been removed from the table. Device memory, and its share of a
    /// pool, is freed when the last reference is dropped.
    pub(crate) fn end(&self) {
        crate::allocation_trace::freed(self.id);
        if matches!(self.kind, AllocationKind::Pool(_)) {
            crate::check_log::forgotten(self.id);
        }
        if matches!(self.kind, AllocationKind::Registered(_)) {
            texunit_device::views::unwatch(&(self.base..self.base.saturating_add(self.size)));
        }
        let Ok(gpus) = state::gpus() else { return };
        let shown = match &self.kind {
            AllocationKind::Pool(share) if !self.on_host() => share.pool.peers(),
            _ => Vec::new(),
        };
        for gpu in gpus {
            if self.on_host() || shown.contains(&gpu.ordinal) {
                gpu.device.memory().free(self.base);
            }
        }
    }

    /// Gives or revokes another device's access.
    pub(crate) fn show(&self, gpu: &Gpu, is_shown: bool) {
        let Storage::Device { buffer } = &self.storage else { return };
        match is_shown {
            // Access may have been given already.
            true => _ = gpu.device.reach(buffer),
            false => _ = gpu.device.memory().detach(self.base),
        }
    }

    /// The advice of `cuMemAdvise` and prefetches that is recorded for managed memory.
    pub(crate) fn advice(&self) -> MutexGuard<'_, AdviceMap> {
        lock(&self.advice)
    }

    /// Whether the memory is managed, also in a pool.
    pub(crate) fn is_managed(&self) -> bool {
        match &self.kind {
            AllocationKind::Managed => true,
            AllocationKind::Pool(share) => share.pool.place == PoolLocation::Managed,
            _ => false,
        }
    }

    /// Whether `len` bytes at `address` are inside the allocation.
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let offset = address.checked_sub(self.base);
        offset.and_then(|o| o.checked_add(len)).is_some_and(|end| end <= self.size)
    }
}
