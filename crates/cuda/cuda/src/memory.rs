//! The table of allocations: what the driver knows of an address.
//!
//! Device memory has addresses that the device gives out. Host memory, be it allocated here,
//! registered or managed, has one address for the program and for all devices (unified addressing):
//! kernels of every device read and write it where it is.
//!
//! Module variables are not in the table; the device knows them ([`texunit_device::Device::linear`]).

pub(crate) mod advice;
pub(crate) mod boxes;
pub(crate) mod endpoint;
pub(crate) mod fill;
pub(crate) mod pool;
mod reasons;
#[cfg(test)]
mod tests;

use crate::args::Answer;
use crate::context::Context;
use crate::handle::Handle;
use crate::state::{self, Gpu};
use advice::AdviceMap;
use pool::{PoolLocation, Share};
pub(crate) use reasons::{no_room, not_inside};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use texunit_cuda_abi::{CUresult, Refusal};
use texunit_device::{Block, Buffer, Device, Linear, Reserved};
use texunit_forms::Count;

/// How memory was allocated, and thus how it is given back.
#[derive(Debug)]
pub(crate) enum AllocationKind {
    /// `cuMemAlloc`.
    Device,
    /// A node of a graph.
    Graph,
    /// `cuMemAllocAsync`, from a pool.
    Pool(Share),
    /// `cuMemHostAlloc`, with its flags.
    Host(u32),
    /// `cuMemHostRegister`, with its flags.
    Registered(u32),
    /// `cuMemAllocManaged`.
    Managed,
    /// `cuIpcOpenMemHandle`.
    Opened(crate::ipc::memory::Opened),
}

impl AllocationKind {
    /// The function that makes it, which messages call the memory by: the one that the program has called.
    pub(crate) fn made_by(&self) -> &'static str {
        let function = match self {
            Self::Device => "cuMemAlloc",
            Self::Graph => crate::graph::memory::MADE_BY,
            Self::Pool(_) => pool::MADE_BY,
            Self::Host(_) => "cuMemHostAlloc",
            Self::Registered(_) => return "registered host memory",
            Self::Managed => "cuMemAllocManaged",
            Self::Opened(_) => "cuIpcOpenMemHandle",
        };
        crate::refused::maker().unwrap_or(function)
    }
}

/// One allocation.
#[derive(Debug)]
pub(crate) struct Allocation {
    /// The memory: first, so that it is gone when a pool hears of it.
    storage: Storage,
    /// Address of the first byte.
    pub(crate) base: u64,
    /// Size in bytes.
    pub(crate) size: u64,
    /// How it was made.
    pub(crate) kind: AllocationKind,
    /// The context that it ends with.
    pub(crate) context: Handle<Context>,
    /// The device of that context.
    pub(crate) gpu: Arc<Gpu>,
    /// Its number, never used again (`CU_POINTER_ATTRIBUTE_BUFFER_ID`), which faults call it by.
    pub(crate) id: u64,
    /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`; copies are always synchronous.
    pub(crate) sync: AtomicBool,
    advice: Mutex<AdviceMap>,
}

/// Kept for its `drop`.
#[derive(Debug)]
enum Storage {
    Device { buffer: Buffer },
    Host { block: Arc<Block> },
}

static TABLE: RwLock<BTreeMap<u64, Arc<Allocation>>> = RwLock::new(BTreeMap::new());

impl Allocation {
    fn new(
        context: &Context,
        kind: AllocationKind,
        base: u64,
        size: u64,
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
            gpu: Arc::clone(&context.gpu),
            id,
            sync: AtomicBool::new(false),
            advice: Mutex::new(AdviceMap::new(base)),
            storage,
        }
    }

    /// The function that has made it.
    pub(crate) fn made_by(&self) -> &str {
        match &self.storage {
            Storage::Device { buffer } => buffer.name(),
            Storage::Host { block } => block.name(),
        }
    }

    /// The memory of a device.
    pub(crate) fn buffer(&self) -> Option<&Buffer> {
        match &self.storage {
            Storage::Device { buffer } => Some(buffer),
            Storage::Host { .. } => None,
        }
    }

    /// Whether the program can use its address.
    pub(crate) fn on_host(&self) -> bool {
        matches!(self.storage, Storage::Host { .. })
    }

    /// It is no longer in the table. Device memory, and what it took of a pool, is given back when the last
    /// one that holds it lets it go.
    pub(crate) fn end(&self) {
        crate::asked::freed(self.id);
        if matches!(self.kind, AllocationKind::Pool(_)) {
            crate::checks::forgotten(self.id);
        }
        if matches!(self.kind, AllocationKind::Registered(_)) {
            crate::checks::unregistered(self.base, self.size);
        }
        let Ok(gpus) = state::gpus() else { return };
        let others = |share: &Share| share.pool.peers();
        let shown = match &self.kind {
            AllocationKind::Pool(share) if !self.on_host() => others(share),
            _ => Vec::new(),
        };
        for gpu in gpus {
            if self.on_host() || shown.contains(&gpu.ordinal) {
                gpu.device.unmap_host(self.base);
            }
        }
    }

    /// Lets another device reach it, or not any more.
    pub(crate) fn show(&self, gpu: &Gpu, is_shown: bool) {
        let Storage::Device { buffer } = &self.storage else { return };
        match is_shown {
            // It may be there already.
            true => _ = gpu.device.reach(buffer),
            false => _ = gpu.device.part_from(self.base),
        }
    }

    /// What has been advised.
    pub(crate) fn advice(&self) -> MutexGuard<'_, AdviceMap> {
        self.advice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is managed memory, of a pool too.
    pub(crate) fn is_managed(&self) -> bool {
        match &self.kind {
            AllocationKind::Managed => true,
            AllocationKind::Pool(share) => share.pool.place == PoolLocation::Managed,
            _ => false,
        }
    }

    /// Whether `len` bytes at `address` are inside.
    pub(crate) fn holds(&self, address: u64, len: u64) -> bool {
        let offset = address.checked_sub(self.base);
        offset.and_then(|o| o.checked_add(len)).is_some_and(|end| end <= self.size)
    }
}

/// Allocates memory of the context's device.
pub(crate) fn allocate(context: &Context, size: usize) -> Answer<u64> {
    allocate_as(context, &context.gpu, size, AllocationKind::Device)
}

/// Allocates memory of a device, of a kind.
pub(crate) fn allocate_as(
    context: &Context,
    gpu: &Arc<Gpu>,
    size: usize,
    kind: AllocationKind,
) -> Answer<u64> {
    if size == 0 {
        return Err(
            CUresult::INVALID_VALUE.because("bytesize is 0: an allocation has at least one byte")
        );
    }
    let size = size as u64;
    let buffer = with_room(gpu, || match &kind {
        AllocationKind::Pool(share) => share.buffer(&gpu.device),
        kind => gpu
            .device
            .alloc(size, kind.made_by())
            .map_err(|error| no_room(&gpu.device, size, error)),
    })?;
    let base = buffer.address();
    let mut allocation = Allocation::new(context, kind, base, size, Storage::Device { buffer });
    allocation.gpu = Arc::clone(gpu);
    if let AllocationKind::Pool(share) = &allocation.kind {
        // Who reaches it, the pool says, and no access of peers.
        gpu.device.exclude_from_peers(base);
        for device in share.pool.peers() {
            allocation.show(state::gpu(device)?, true);
        }
    }
    keep(context, allocation)
}

/// Allocates memory of a device at an address that it gave out before, for a graph.
pub(crate) fn allocate_at(
    context: &Context,
    gpu: &Arc<Gpu>,
    (address, size): (u64, u64),
    name: &str,
) -> Answer {
    let buffer = with_room(gpu, || {
        gpu.device.alloc_again(address, size, name).ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because(format!(
                "the device has no memory left for {} of a graph",
                Count(size, "byte")
            ))
        })
    })?;
    let kind = AllocationKind::Graph;
    let mut allocation = Allocation::new(context, kind, address, size, Storage::Device { buffer });
    allocation.gpu = Arc::clone(gpu);
    keep(context, allocation).map(|_| ())
}

/// Makes memory that is there an allocation of a device; its address.
pub(crate) fn take_in(
    context: &Context,
    gpu: &Arc<Gpu>,
    (base, size): (u64, u64),
    buffer: Buffer,
    kind: AllocationKind,
) -> Answer<u64> {
    let mut allocation = Allocation::new(context, kind, base, size, Storage::Device { buffer });
    allocation.gpu = Arc::clone(gpu);
    keep(context, allocation)
}

/// What is allocated from a pool.
pub(crate) fn of_pool(pool: &pool::Pool) -> Vec<Arc<Allocation>> {
    all(
        |allocation| matches!(&allocation.kind, AllocationKind::Pool(share) if share.pool.handle == pool.handle),
    )
}

/// Takes memory of a device. If that has too little, its pools give back what they keep.
pub(crate) fn with_room<T>(gpu: &Gpu, make: impl Fn() -> Answer<T>) -> Answer<T> {
    with_room_if(gpu, |refusal: &Refusal| refusal.code == CUresult::OUT_OF_MEMORY, make)
}

/// Takes memory of a device. If that has too little, which `is_full` sees of the error, its pools give back what they keep.
pub(crate) fn with_room_if<T, E>(
    gpu: &Gpu,
    is_full: impl Fn(&E) -> bool,
    make: impl Fn() -> Result<T, E>,
) -> Result<T, E> {
    match make() {
        Err(error) if is_full(&error) => {
            crate::late::wait_for_all();
            pool::give_back(gpu.ordinal);
            make()
        }
        made => made,
    }
}

/// Allocates host memory that all devices reach, of a kind.
pub(crate) fn allocate_host(context: &Context, size: usize, kind: AllocationKind) -> Answer<u64> {
    if size == 0 {
        return Err(
            CUresult::INVALID_VALUE.because("bytesize is 0: an allocation has at least one byte")
        );
    }
    let block = host_block(size, kind.made_by())?;
    map_host(context, Arc::new(block), kind)
}

/// A block of host memory, which nobody knows of.
pub(crate) fn host_block(size: usize, name: &str) -> Answer<Block> {
    if !fits_host(size) {
        return Err(CUresult::OUT_OF_MEMORY
            .because(format!("bytesize {size} is more host memory than the system could have")));
    }
    Block::page_aligned(size, name).ok_or_else(|| {
        CUresult::OUT_OF_MEMORY.because(format!(
            "the system does not have {} of host memory left",
            Count(size, "byte")
        ))
    })
}

/// Makes a block of host memory an allocation, and part of the memory of all devices.
///
/// `CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED` if a part of it is one already.
pub(crate) fn map_host(context: &Context, block: Arc<Block>, kind: AllocationKind) -> Answer<u64> {
    let (base, size) = (block.host_address(), block.size() as u64);
    let gpus = state::gpus()?;
    for (i, gpu) in gpus.iter().enumerate() {
        if gpu.device.map_host(&block).is_err() {
            for earlier in &gpus[..i] {
                earlier.device.unmap_host(base);
            }
            return Err(CUresult::HOST_MEMORY_ALREADY_REGISTERED.because(format!(
                "{} of host memory from {base:#x} on: a part of them is registered or allocated already", Count(size, "byte")
            )));
        }
    }
    keep(context, Allocation::new(context, kind, base, size, Storage::Host { block }))
}

/// Whether the system could have so much memory at all. Pages that are not used cost nothing, so that
/// it says so late, or never.
fn fits_host(size: usize) -> bool {
    const MAX_SIZE: usize = 1 << 40;
    size <= MAX_SIZE
}

/// The bytes at an address, if they are in one allocation or variable that a device knows.
pub(crate) fn linear(gpu: &Gpu, address: u64, len: u64) -> Option<Linear> {
    let linear = gpu.device.linear(address, len);
    tell_unmapped(&gpu.device);
    linear.ok()
}

/// Tells the user of registered memory that a device has found not to be there any more.
pub(crate) fn tell_unmapped(device: &Device) {
    for gone in device.take_unmapped() {
        crate::call::say(format_args!(
            "{gone}; until it is registered again, copies of it are refused, and a kernel that uses it faults"
        ));
    }
}

/// Puts an allocation into the table; its address.
fn keep(context: &Context, allocation: Allocation) -> Answer<u64> {
    let (base, id) = (allocation.base, allocation.id);
    crate::asked::made(id);
    crate::asked::pools::made(id, &allocation.kind);
    TABLE.write().unwrap_or_else(PoisonError::into_inner).insert(base, Arc::new(allocation));
    // By then the address may be that of another allocation.
    context.outlives(|| release(|allocation| allocation.id == id))?;
    Ok(base)
}

/// The allocations that are `wanted`.
pub(crate) fn all(wanted: impl Fn(&Allocation) -> bool) -> Vec<Arc<Allocation>> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    table.values().filter(|allocation| wanted(allocation)).cloned().collect()
}

/// The allocation that an address points into.
pub(crate) fn find(address: u64) -> Option<Arc<Allocation>> {
    let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
    let (_, allocation) = table.range(..=address).next_back()?;
    allocation.holds(address, 1).then(|| Arc::clone(allocation))
}

/// Frees the allocation that begins at an address, if it is of the right kind. `name` is the parameter.
///
/// `CUDA_ERROR_INVALID_VALUE` if there is none: freed before, inside an allocation, unknown; or if it
/// is given back in another way.
pub(crate) fn free(
    name: &str,
    address: u64,
    right: impl FnOnce(&AllocationKind) -> bool,
) -> Answer {
    take(name, address, right).map(|freed| freed.end())
}

/// Takes the allocation that begins at an address, as [`free`] does; it ends ([`Allocation::end`]) when the caller says so.
pub(crate) fn take(
    name: &str,
    address: u64,
    right: impl FnOnce(&AllocationKind) -> bool,
) -> Answer<Arc<Allocation>> {
    let freed = {
        let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        match table.get(&address) {
            Some(allocation) if right(&allocation.kind) => table.remove(&address),
            _ => None,
        }
    };
    match freed {
        Some(allocation) => Ok(allocation),
        None => Err(CUresult::INVALID_VALUE.because(reasons::not_freed(name, address))),
    }
}

/// Whether copies of the memory that an address points into are always synchronous.
pub(crate) fn is_sync(address: u64) -> bool {
    find(address).is_some_and(|allocation| allocation.sync.load(Ordering::Relaxed))
}

/// Whether an address is one of some device, or reserved for memory of devices, be there an allocation or not.
pub(crate) fn is_device_address(address: u64) -> Answer<bool> {
    let gives_out = state::gpus()?.iter().any(|gpu| gpu.device.gives_out(address));
    Ok(gives_out || Reserved::holds(address))
}

/// Whether an address is in an allocation, or one that a device gives out.
pub(crate) fn is_known(address: u64) -> Answer<bool> {
    Ok(is_device_address(address)? || find(address).is_some())
}

/// Whether some of these bytes, at least one, are in an allocation, or have addresses of a device.
pub(crate) fn touches(address: u64, len: u64) -> Answer<bool> {
    let last = address.saturating_add(len - 1);
    let in_table = {
        let table = TABLE.read().unwrap_or_else(PoisonError::into_inner);
        table
            .range(..=last)
            .next_back()
            .is_some_and(|(_, a)| a.base.saturating_add(a.size) > address)
    };
    Ok(in_table || is_device_address(address)? || is_device_address(last)?)
}

/// Frees what was allocated in a context.
pub(crate) fn release_context(context: &Context) {
    release(|allocation| allocation.context == context.handle);
    pool::synchronized(context.gpu.ordinal);
}

/// Frees all allocations for which `gone` holds.
pub(crate) fn release(mut gone: impl FnMut(&Allocation) -> bool) {
    let freed: Vec<_> = {
        let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
        table.extract_if(.., |_, allocation| gone(allocation)).collect()
    };
    for (_, allocation) in freed {
        allocation.end();
    }
}
