//! Memory pools. They grow in steps and keep what is freed, until the program waits for work and they hold more
//! than their threshold, or trims them.
//!
//! Every allocation is memory of its own, of the device or the host, and ends when it is freed, so that
//! what reads or writes it then is found. What a pool keeps of it is its part of the device's memory, which
//! the device goes on counting, and its address, which a later allocation gets. Of the host's
//! memory only the counts are kept.

mod kept;
mod share;
mod shared;

use crate::args::Answer;
use crate::context::Context;
use crate::handle::{Handle, Object, object};
use crate::memory::{self, AllocationKind};
use crate::state;
use kept::Kept;
pub(crate) use share::Share;
pub(crate) use shared::Shared;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texunit_cuda_abi::{
    CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_HOST, CUdevice, CUmemLocation, CUresult,
};
use texunit_device::Device;
use texunit_forms::Count;

/// What a pool's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PoolLocation {
    /// Memory of a device.
    Device(CUdevice),
    /// Memory of the host.
    Host,
    /// Managed memory.
    Managed,
}

impl PoolLocation {
    /// What a sentence calls it.
    fn name(self) -> String {
        match self {
            Self::Device(ordinal) => format!("device {ordinal}"),
            Self::Host => "the host".to_owned(),
            Self::Managed => "managed memory".to_owned(),
        }
    }
}

/// A pool of memory.
#[derive(Debug)]
pub(crate) struct Pool {
    /// Its handle.
    pub(crate) handle: Handle<Pool>,
    /// What its memory is.
    pub(crate) place: PoolLocation,
    /// As it was given.
    pub(crate) location: CUmemLocation,
    /// Most bytes; 0: no limit.
    pub(crate) max_size: u64,
    /// Its memory, if other processes can be given it.
    pub(crate) shared: Option<Arc<Shared>>,
    state: Mutex<State>,
}

object!(Pool, "a memory pool", INVALID_VALUE);

/// What messages call memory of pools where no call of the program is known.
pub(super) const MADE_BY: &str = "cuMemAllocAsync";

/// In which steps a pool grows, as NVIDIA's do.
const STEP: u64 = 32 << 20;

/// What changes of a pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Bytes in use, and the most since the mark was reset.
    pub(crate) used: u64,
    pub(crate) most: u64,
    /// Bytes that the pool holds (those in use, and those kept for the next allocation), and the most since its mark was reset.
    pub(crate) reserved: u64,
    pub(crate) most_reserved: u64,
    /// How many of the bytes that are kept the device counts as used.
    counted: u64,
    kept: Kept,
    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`.
    pub(crate) threshold: u64,
    /// `CU_MEMPOOL_ATTR_REUSE_*`, the first three.
    pub(crate) reuse: [i32; 3],
    /// The pool is destroyed: nothing is kept any more.
    ended: bool,
    /// Access of devices other than its own, where it was set.
    access: BTreeMap<CUdevice, u32>,
}

impl State {
    /// Grows by whole steps, so that what is used has room.
    fn grow(&mut self, max_size: u64) {
        let steps = self.used.checked_next_multiple_of(STEP).unwrap_or(self.used);
        let room = if max_size == 0 { steps } else { steps.min(max_size) };
        self.reserved = self.reserved.max(room).max(self.used);
        self.most_reserved = self.most_reserved.max(self.reserved);
    }

    /// Gives back what is kept and not used, by whole steps, until the pool holds `keep` bytes at most.
    pub(crate) fn trim(&mut self, keep: u64) {
        let needed = self.used.checked_next_multiple_of(STEP).unwrap_or(self.used);
        let wanted = needed.max(keep / STEP * STEP);
        self.reserved = self.reserved.min(wanted);
    }

    /// Lets the device have what is kept, for the allocation that follows.
    fn lend(&mut self, device: &Device) {
        device.release_reserved(self.counted);
        self.counted = 0;
    }

    /// Has the device count what is kept; if it has no room for it, the pool does not keep it.
    pub(crate) fn settle(&mut self, device: Option<&Device>) {
        let wanted = self.reserved.saturating_sub(self.used);
        if let Some(device) = device {
            if wanted > self.counted && device.reserve(wanted - self.counted).is_err() {
                self.reserved = self.used + self.counted;
            } else if wanted < self.counted {
                device.release_reserved(self.counted - wanted);
                self.counted = wanted;
            } else {
                self.counted = wanted;
            }
        }
        self.kept.shrink(self.reserved.saturating_sub(self.used));
    }
}

/// The place of a device.
fn on(id: CUdevice) -> CUmemLocation {
    CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id }
}

/// The pools of a place: the one that it always has, and the one that is taken from.
#[derive(Clone, Copy, Debug)]
struct OfPlace {
    default: Handle<Pool>,
    current: Handle<Pool>,
}

static PLACES: Mutex<BTreeMap<PoolLocation, OfPlace>> = Mutex::new(BTreeMap::new());

/// Works with the pools of a place; its default one is made when it is first asked for.
fn of_place<T>(place: PoolLocation, work: impl FnOnce(&mut OfPlace) -> T) -> T {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    work(places.entry(place).or_insert_with(|| {
        let location = match place {
            PoolLocation::Device(id) => CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id },
            PoolLocation::Host => CUmemLocation { kind: CU_MEM_LOCATION_TYPE_HOST, id: 0 },
            PoolLocation::Managed => CUmemLocation::default(),
        };
        let default = Pool::create(place, location, 0);
        OfPlace { default, current: default }
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

/// `cuDeviceSetMemPool`, `cuMemSetMemPool`: `CUDA_ERROR_INVALID_VALUE` if the pool is of another place.
pub(crate) fn set_current(place: PoolLocation, pool: Handle<Pool>) -> Answer {
    of_place(place, |pools| {
        let found = pool.get()?;
        found.check_own()?;
        if found.place != place {
            return Err(CUresult::INVALID_VALUE
                .because(format!("pool {pool:?} is not a pool of {}", place.name())));
        }
        pools.current = pool;
        Ok(())
    })
}

/// The program waits for work on a device: pools of it, and those of the host, give back what they keep
/// above their threshold.
pub(crate) fn synchronized(ordinal: CUdevice) {
    for pool in of_device(ordinal) {
        let threshold = pool.state().threshold;
        pool.trim(threshold);
    }
}

/// Gives back all that the pools of a device keep.
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
    /// A new pool.
    pub(crate) fn create(
        place: PoolLocation,
        location: CUmemLocation,
        max_size: u64,
    ) -> Handle<Self> {
        Self::create_with(place, location, max_size, None)
    }

    /// A new pool on a device that other processes can be given.
    pub(crate) fn create_shared(device: CUdevice, max_size: u64) -> Answer<Handle<Self>> {
        let limit = state::gpu(device)?.device.memory_limit();
        let shared = Shared::new(device, if max_size == 0 { limit } else { max_size })?;
        Ok(Self::create_with(PoolLocation::Device(device), on(device), max_size, Some(shared)))
    }

    /// The pool of a file that another process has exported (`cuMemPoolImportFromShareableHandle`).
    pub(crate) fn import(number: i32) -> Answer<Handle<Self>> {
        let (shared, device) = Shared::import(number)?;
        state::gpu(device)?;
        Ok(Self::create_with(PoolLocation::Device(device), on(device), 0, Some(shared)))
    }

    /// An allocation of the pool of another process (`cuMemPoolImportPointer`).
    pub(crate) fn import_pointer(
        self: &Arc<Self>,
        context: &Context,
        data: &[u8; 64],
    ) -> Answer<u64> {
        let imported = self.shared.as_ref().filter(|shared| shared.is_imported);
        let (Some(shared), PoolLocation::Device(device)) = (imported, self.place) else {
            return Err(CUresult::INVALID_VALUE
                .because("pool was not imported (cuMemPoolImportFromShareableHandle)"));
        };
        let found = shared.read(data)?;
        let kind = AllocationKind::Pool(self.take(found.1, Some(found))?);
        memory::allocate_as(context, state::gpu(device)?, found.1 as usize, kind)
    }

    fn create_with(
        place: PoolLocation,
        location: CUmemLocation,
        max_size: u64,
        shared: Option<Arc<Shared>>,
    ) -> Handle<Self> {
        let state = Mutex::new(State { reuse: [1; 3], ..State::default() });
        let handle = Handle::fresh();
        let pool = Self { handle, place, location, max_size, shared, state };
        Self::registry().keep(handle, Arc::new(pool));
        handle
    }

    /// Ends a pool. What is allocated from it stays until it is freed. The default pool of a place
    /// cannot be ended; if another one was current, the default one becomes that.
    pub(crate) fn destroy(pool: Handle<Self>) -> Answer {
        of_place(pool.get()?.place, |pools| {
            if pools.default == pool {
                return Err(CUresult::INVALID_VALUE.because(format!(
                    "pool {pool:?} is the default pool of its place, which always stays"
                )));
            }
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

    /// The device that its memory is of, if it is not the host's.
    fn device(&self) -> Option<&'static Device> {
        match self.place {
            PoolLocation::Device(ordinal) => state::gpu(ordinal).ok().map(|gpu| &gpu.device),
            PoolLocation::Host | PoolLocation::Managed => None,
        }
    }

    /// Gives back what is kept and not used, until the pool holds `keep` bytes at most
    /// (`cuMemPoolTrimTo`).
    pub(crate) fn trim(&self, keep: u64) {
        let mut state = self.state();
        state.trim(keep);
        state.settle(self.device());
    }

    /// What changes of it.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates for a context.
    pub(crate) fn allocate(self: &Arc<Self>, context: &Context, size: usize) -> Answer<u64> {
        if size == 0 {
            return Err(CUresult::INVALID_VALUE
                .because("bytesize is 0: an allocation has at least one byte"));
        }
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

    /// `CUDA_ERROR_INVALID_VALUE` for the pool of another process, from which nothing can be allocated.
    fn check_own(&self) -> Answer {
        match self.shared.as_ref().is_some_and(|shared| shared.is_imported) {
            false => Ok(()),
            true => Err(CUresult::INVALID_VALUE.because(format!(
                "pool {:?} was imported from another process: nothing can be allocated from it here",
                self.handle
            ))),
        }
    }

    fn take(self: &Arc<Self>, size: u64, found: Option<(u64, u64)>) -> Answer<Share> {
        let mut state = self.state();
        let used = state.used.checked_add(size).ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because(format!(
                "bytesize {size} with the {} in use are more than 64 bits count",
                Count(state.used, "byte")
            ))
        })?;
        if self.max_size != 0 && used > self.max_size {
            return Err(CUresult::OUT_OF_MEMORY.because(format!(
                "bytesize {size} with the {} in use is more than {}, the maxSize of the pool",
                Count(state.used, "byte"),
                self.max_size
            )));
        }
        state.used = used;
        state.most = state.most.max(used);
        Ok(Share::new(Arc::clone(self), size, found))
    }

    /// `cuMemPoolGetAccess`: a device reaches its own memory, and memory of the host.
    pub(crate) fn access(&self, device: CUdevice) -> u32 {
        let foreign = matches!(self.place, PoolLocation::Device(own) if own != device);
        let default = if foreign {
            CU_MEM_ACCESS_FLAGS_PROT_NONE
        } else {
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        };
        self.state().access.get(&device).copied().unwrap_or(default)
    }

    /// `cuMemPoolSetAccess`: a device cannot lose access to its own memory, nor get it to that of a device which it cannot reach
    /// (`cuDeviceCanAccessPeer`), and there are no reads without writes. It holds for what is allocated, too.
    pub(crate) fn set_access(&self, device: CUdevice, flags: u32) -> Answer {
        let gpu = state::gpu(device)?;
        let all = flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let none = flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
        if !all && (!none || self.place == PoolLocation::Device(device)) {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "flags {flags} is not CU_MEM_ACCESS_FLAGS_PROT_READWRITE (3), or for another device than the pool's \
                 own _PROT_NONE (0)"
            )));
        }
        let PoolLocation::Device(own) = self.place else {
            self.state().access.insert(device, flags);
            return Ok(());
        };
        if all && own != device && !gpu.can_reach(state::gpu(own)?) {
            return Err(CUresult::INVALID_DEVICE.because(format!(
                "device {device} cannot reach memory of device {own}, where the pool is (cuDeviceCanAccessPeer)"
            )));
        }
        self.state().access.insert(device, flags);
        if own != device {
            for allocation in memory::of_pool(self) {
                allocation.show(gpu, all);
            }
        }
        Ok(())
    }

    /// The devices other than its own that reach its memory.
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
