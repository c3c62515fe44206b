//! Memory pools. They grow in steps and keep freed memory until they are trimmed, or the program
//! synchronises while they hold more than their threshold.
//!
//! Each allocation is separate memory of the device or the host and is freed immediately, so that
//! later accesses are detected. A pool only keeps the share of device memory, which the device
//! continues to count as used, and the address, which a later allocation reuses. For host memory
//! only the counts are kept.

mod location;
mod share;
mod shared;

use super::*;
use crate::memory::{self, AllocationKind};
pub(crate) use location::{PoolLocation, place};
use share::FreeList;
pub(crate) use share::PoolShare;
pub(crate) use shared::Shared;

impl PoolLocation {
    /// Name in a sentence.
    fn name(self) -> String {
        match self {
            Self::Device(ordinal) => format!("device {ordinal}"),
            Self::Host => "the host".to_owned(),
            Self::Managed => "managed memory".to_owned(),
        }
    }
}

/// A memory pool.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) handle: Handle<Pool>,
    /// Kind of the pool's memory.
    pub(crate) place: PoolLocation,
    /// Location, as passed at creation.
    pub(crate) location: CUmemLocation,
    /// Maximum size in bytes; 0 for no limit.
    pub(crate) max_size: u64,
    /// The shared memory of a pool that can be exported.
    pub(crate) shared: Option<Arc<Shared>>,
    state: Mutex<State>,
}

object!(Pool, "a memory pool", INVALID_VALUE);

/// Name of the allocating function in messages if the program's call is unknown.
pub(super) const MADE_BY: &str = "cuMemAllocAsync";

/// Step in which a pool grows, equal to that of NVIDIA's driver.
const STEP: u64 = 32 << 20;

/// Mutable state of a pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Bytes in use, and their maximum since the last reset.
    pub(crate) used: u64,
    pub(crate) most: u64,
    /// Bytes reserved by the pool (in use, or kept for later allocations), and their maximum since
    /// the last reset.
    pub(crate) reserved: u64,
    pub(crate) most_reserved: u64,
    /// Bytes that are kept and that the device counts as used.
    counted: u64,
    kept: FreeList,
    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`.
    pub(crate) threshold: u64,
    /// `CU_MEMPOOL_ATTR_REUSE_*`, the first three.
    pub(crate) reuse: [i32; 3],
    /// Whether the pool is destroyed, so that nothing is kept.
    ended: bool,
    /// Access rights of other devices, where they were set.
    access: BTreeMap<CUdevice, u32>,
}

impl State {
    /// Grows the reservation by whole steps to cover the bytes in use.
    fn grow(&mut self, max_size: u64) {
        let steps = self.used.checked_next_multiple_of(STEP).unwrap_or(self.used);
        let room = if max_size == 0 { steps } else { steps.min(max_size) };
        self.reserved = self.reserved.max(room).max(self.used);
        self.most_reserved = self.most_reserved.max(self.reserved);
    }

    /// Frees unused memory by whole steps, until the pool holds at most `keep` bytes.
    pub(crate) fn trim(&mut self, keep: u64) {
        let needed = self.used.checked_next_multiple_of(STEP).unwrap_or(self.used);
        let wanted = needed.max(keep / STEP * STEP);
        self.reserved = self.reserved.min(wanted);
    }

    /// Returns the kept bytes to the device for the allocation that follows.
    fn lend(&mut self, device: &Device) {
        device.memory().release_opaque(self.counted);
        self.counted = 0;
    }

    /// Makes the device count the kept bytes as used; if it has no room for them, the pool does not
    /// keep them.
    pub(crate) fn settle(&mut self, device: Option<&Device>) {
        let wanted = self.reserved.saturating_sub(self.used);
        if let Some(device) = device {
            if wanted > self.counted && device.reserve(wanted - self.counted).is_err() {
                self.reserved = self.used + self.counted;
            } else {
                device.memory().release_opaque(self.counted.saturating_sub(wanted));
                self.counted = wanted;
            }
        }
        self.kept.shrink(self.reserved.saturating_sub(self.used));
    }
}

/// The location of a device.
fn on(id: CUdevice) -> CUmemLocation {
    CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id }
}

/// The pools of a location: the default pool and the current one.
#[derive(Clone, Copy, Debug)]
struct LocationPools {
    default: Handle<Pool>,
    current: Handle<Pool>,
}

static PLACES: Mutex<BTreeMap<PoolLocation, LocationPools>> = Mutex::new(BTreeMap::new());

/// Accesses the pools of a location, whose default pool is created at the first access.
fn of_place<T>(place: PoolLocation, work: impl FnOnce(&mut LocationPools) -> T) -> T {
    let mut places = lock(&PLACES);
    work(places.entry(place).or_insert_with(|| {
        let location = match place {
            PoolLocation::Device(id) => on(id),
            PoolLocation::Host => CUmemLocation { kind: CU_MEM_LOCATION_TYPE_HOST, id: 0 },
            PoolLocation::Managed => CUmemLocation::default(),
        };
        let default = Pool::create(place, location, 0, None);
        LocationPools { default, current: default }
    }))
}

/// `cuDeviceGetDefaultMemPool`, `cuMemGetDefaultMemPool`.
pub(crate) fn default_of(place: PoolLocation) -> Handle<Pool> {
    of_place(place, |pools| pools.default)
}

/// `cuDeviceGetMemPool`, `cuMemGetMemPool`.
pub(crate) fn current_of(place: PoolLocation) -> Handle<Pool> {
    of_place(place, |pools| pools.current)
}

/// Sets the current pool (`cuDeviceSetMemPool`, `cuMemSetMemPool`): `CUDA_ERROR_INVALID_VALUE` if
/// the pool has another location.
pub(crate) fn set_current(place: PoolLocation, pool: Handle<Pool>) -> Answer {
    of_place(place, |pools| {
        let found = pool.get()?;
        found.check_own()?;
        ensure!(found.place == place, "pool {pool:?} is not a pool of {}", place.name());
        pools.current = pool;
        Ok(())
    })
}

/// After a synchronisation with a device, frees unused memory above the thresholds of its pools and
/// those of the host.
pub(crate) fn synchronized(ordinal: CUdevice) {
    for pool in of_device(ordinal) {
        let threshold = pool.state().threshold;
        pool.trim(threshold);
    }
}

/// Frees all unused memory of a device's pools.
pub(crate) fn give_back(ordinal: CUdevice) {
    for pool in of_device(ordinal) {
        pool.trim(0);
    }
}

fn of_device(ordinal: CUdevice) -> Vec<Arc<Pool>> {
    let foreign =
        |pool: &Pool| matches!(pool.place, PoolLocation::Device(other) if other != ordinal);
    Pool::registry().all(|pool| !foreign(pool))
}

impl Pool {
    /// Creates a pool on a device that can be exported.
    pub(crate) fn create_shared(device: CUdevice, max_size: u64) -> Answer<Handle<Self>> {
        let limit = state::gpu(device)?.device.memory().limit();
        let shared = Shared::new(device, if max_size == 0 { limit } else { max_size })?;
        Ok(Self::create(PoolLocation::Device(device), on(device), max_size, Some(shared)))
    }

    /// Imports a pool from a file of another process (`cuMemPoolImportFromShareableHandle`).
    pub(crate) fn import(number: i32) -> Answer<Handle<Self>> {
        let (shared, device) = Shared::import(number)?;
        state::gpu(device)?;
        Ok(Self::create(PoolLocation::Device(device), on(device), 0, Some(shared)))
    }

    /// Imports an allocation of another process's pool (`cuMemPoolImportPointer`).
    pub(crate) fn import_pointer(
        self: &Arc<Self>,
        context: &Context,
        data: &[u8; 64],
    ) -> Answer<u64> {
        let imported = self.shared.as_ref().filter(|shared| shared.is_imported);
        let (Some(shared), PoolLocation::Device(device)) = (imported, self.place) else {
            bail!("pool was not imported (cuMemPoolImportFromShareableHandle)");
        };
        let found = shared.read(data)?;
        let kind = AllocationKind::Pool(self.take(found.1, Some(found))?);
        memory::allocate_as(context, state::gpu(device)?, found.1 as usize, kind)
    }

    /// Creates a pool; `shared` is its memory if other processes can use it.
    pub(crate) fn create(
        place: PoolLocation,
        location: CUmemLocation,
        max_size: u64,
        shared: Option<Arc<Shared>>,
    ) -> Handle<Self> {
        let state = Mutex::new(State { reuse: [1; 3], ..State::default() });
        let handle = Handle::fresh();
        let pool = Self { handle, place, location, max_size, shared, state };
        Self::registry().insert_as(handle, Arc::new(pool));
        handle
    }

    /// Destroys a pool. Its allocations remain until they are freed. The default pool cannot be
    /// destroyed; it becomes current again if the destroyed pool was.
    pub(crate) fn destroy(pool: Handle<Self>) -> Answer {
        of_place(pool.get()?.place, |pools| {
            ensure!(
                pools.default != pool,
                "pool {pool:?} is the default pool of its place, which always stays"
            );
            if pools.current == pool {
                pools.current = pools.default;
            }
            let pool = pool.take()?;
            let mut state = pool.state();
            state.ended = true;
            state.trim(0);
            state.settle(pool.device());
            Ok(())
        })
    }

    /// The device of the pool's memory; `None` for host memory.
    fn device(&self) -> Option<&'static Device> {
        match self.place {
            PoolLocation::Device(ordinal) => state::gpu(ordinal).ok().map(|gpu| &gpu.device),
            PoolLocation::Host | PoolLocation::Managed => None,
        }
    }

    /// Frees unused memory, until the pool holds at most `keep` bytes (`cuMemPoolTrimTo`).
    pub(crate) fn trim(&self, keep: u64) {
        let mut state = self.state();
        state.trim(keep);
        state.settle(self.device());
    }

    /// The mutable state.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Allocates memory for a context.
    pub(crate) fn allocate(self: &Arc<Self>, context: &Context, size: usize) -> Answer<u64> {
        ensure!(size != 0, "bytesize is 0: an allocation has at least one byte");
        self.check_own()?;
        let kind = AllocationKind::Pool(self.take(size as u64, None)?);
        let made = match self.place {
            PoolLocation::Device(device) => {
                memory::allocate_as(context, state::gpu(device)?, size, kind)
            }
            PoolLocation::Host | PoolLocation::Managed => {
                memory::allocate_host(context, size, kind)
            }
        };
        let mut state = self.state();
        if made.is_ok() {
            state.grow(self.max_size);
        }
        state.settle(self.device());
        made
    }

    /// Refuses allocation from another process's pool by `CUDA_ERROR_INVALID_VALUE`.
    fn check_own(&self) -> Answer {
        match self.shared.as_ref().is_some_and(|shared| shared.is_imported) {
            false => Ok(()),
            true => Err(invalid!(
                "pool {:?} was imported from another process: nothing can be allocated from it here",
                self.handle
            )),
        }
    }

    fn take(self: &Arc<Self>, size: u64, found: Option<(u64, u64)>) -> Answer<PoolShare> {
        let mut state = self.state();
        let used = state.used.checked_add(size).ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because(format!(
                "bytesize {size} with the {} in use are more than 64 bits count",
                Count(state.used, "byte")
            ))
        })?;
        ensure!(
            self.max_size == 0 || used <= self.max_size,
            CUresult::OUT_OF_MEMORY,
            "bytesize {size} with the {} in use is more than {}, the maxSize of the pool",
            Count(state.used, "byte"),
            self.max_size
        );
        state.used = used;
        state.most = state.most.max(used);
        Ok(PoolShare::new(Arc::clone(self), size, found))
    }

    /// `cuMemPoolGetAccess`: a device can always access its own memory and host memory.
    pub(crate) fn access(&self, device: CUdevice) -> u32 {
        let foreign = matches!(self.place, PoolLocation::Device(own) if own != device);
        let default = if foreign {
            CU_MEM_ACCESS_FLAGS_PROT_NONE
        } else {
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        };
        self.state().access.get(&device).copied().unwrap_or(default)
    }

    /// `cuMemPoolSetAccess`. A device cannot lose access to its own memory, nor gain access to that
    /// of a device which it cannot reach (`cuDeviceCanAccessPeer`), and read-only access is not
    /// supported. Existing allocations are affected, too.
    pub(crate) fn set_access(&self, device: CUdevice, flags: u32) -> Answer {
        let gpu = state::gpu(device)?;
        let all = flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let none = flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
        ensure!(
            all || none && self.place != PoolLocation::Device(device),
            "flags {flags} is not CU_MEM_ACCESS_FLAGS_PROT_READWRITE (3), or for another device than the pool's \
             own _PROT_NONE (0)"
        );
        let PoolLocation::Device(own) = self.place else {
            self.state().access.insert(device, flags);
            return Ok(());
        };
        ensure!(
            !all || own == device || gpu.can_reach(state::gpu(own)?),
            CUresult::INVALID_DEVICE,
            "device {device} cannot reach memory of device {own}, where the pool is (cuDeviceCanAccessPeer)"
        );
        self.state().access.insert(device, flags);
        if own != device {
            let is_own = |share: &PoolShare| share.pool.handle == self.handle;
            let of_pool = memory::all(
                |one| matches!(&one.kind, AllocationKind::Pool(share) if is_own(share)),
            );
            of_pool.iter().for_each(|allocation| allocation.show(gpu, all));
        }
        Ok(())
    }

    /// The other devices that can access the pool's memory.
    pub(crate) fn peers(&self) -> Vec<CUdevice> {
        let state = self.state();
        let all = state.access.iter();
        let reach = all.filter(|(_, flags)| **flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
        reach
            .map(|(&device, _)| device)
            .filter(|&d| self.place != PoolLocation::Device(d))
            .collect()
    }
}
