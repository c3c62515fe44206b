//! Memory pools: counts and settings. The memory itself is the device's or the host's; what is freed
//! goes back at once, so that a pool never holds more than is in use.

use crate::args::Answer;
use crate::context::Context;
use crate::handle::{Handle, Object, object};
use crate::memory::{self, Kind};
use crate::state;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use texunit_cuda_abi::{
    CU_MEM_ACCESS_FLAGS_PROT_NONE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, CU_MEM_LOCATION_TYPE_DEVICE,
    CU_MEM_LOCATION_TYPE_HOST, CUdevice, CUmemLocation, CUresult,
};

/// What a pool's memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Memory of a device.
    Device(CUdevice),
    /// Memory of the host.
    Host,
    /// Managed memory.
    Managed,
}

/// A pool of memory.
#[derive(Debug)]
pub(crate) struct Pool {
    /// Its handle.
    pub(crate) handle: Handle<Pool>,
    /// What its memory is.
    pub(crate) place: Place,
    /// As it was given.
    pub(crate) location: CUmemLocation,
    /// Most bytes; 0: no limit.
    pub(crate) max_size: u64,
    state: Mutex<State>,
}

object!(Pool, INVALID_VALUE);

/// Bytes of a pool that are in use, given back when they are let go.
#[derive(Debug)]
pub(crate) struct Share {
    /// The pool.
    pub(crate) pool: Arc<Pool>,
    size: u64,
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.pool.state();
        state.used = state.used.saturating_sub(self.size);
    }
}

/// What changes of a pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Bytes in use, and the most since the mark was reset.
    pub(crate) used: u64,
    pub(crate) most: u64,
    /// The same of the bytes that the pool holds, which are those in use; the marks are apart.
    pub(crate) most_reserved: u64,
    /// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`.
    pub(crate) threshold: u64,
    /// `CU_MEMPOOL_ATTR_REUSE_*`, the first three.
    pub(crate) reuse: [i32; 3],
    /// Access of devices other than its own, where it was set.
    access: BTreeMap<CUdevice, u32>,
}

/// The pools of a place: the one that it always has, and the one that is taken from.
#[derive(Clone, Copy, Debug)]
struct OfPlace {
    default: Handle<Pool>,
    current: Handle<Pool>,
}

static PLACES: Mutex<BTreeMap<Place, OfPlace>> = Mutex::new(BTreeMap::new());

/// Works with the pools of a place; its default one is made when it is first asked for.
fn of_place<T>(place: Place, work: impl FnOnce(&mut OfPlace) -> T) -> T {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    work(places.entry(place).or_insert_with(|| {
        let location = match place {
            Place::Device(id) => CUmemLocation { kind: CU_MEM_LOCATION_TYPE_DEVICE, id },
            Place::Host => CUmemLocation { kind: CU_MEM_LOCATION_TYPE_HOST, id: 0 },
            Place::Managed => CUmemLocation::default(),
        };
        let default = Pool::create(place, location, 0);
        OfPlace { default, current: default }
    }))
}

/// `cuDeviceGetDefaultMemPool`, `cuMemGetDefaultMemPool`.
pub(crate) fn default_of(place: Place) -> Handle<Pool> {
    of_place(place, |pools| pools.default)
}

/// `cuDeviceGetMemPool`, `cuMemGetMemPool`.
pub(crate) fn current_of(place: Place) -> Handle<Pool> {
    of_place(place, |pools| pools.current)
}

/// `cuDeviceSetMemPool`, `cuMemSetMemPool`: `CUDA_ERROR_INVALID_VALUE` if the pool is of another place.
pub(crate) fn set_current(place: Place, pool: Handle<Pool>) -> Answer {
    of_place(place, |pools| {
        if pool.get()?.place != place {
            return Err(CUresult::INVALID_VALUE);
        }
        pools.current = pool;
        Ok(())
    })
}

impl Pool {
    /// A new pool.
    pub(crate) fn create(place: Place, location: CUmemLocation, max_size: u64) -> Handle<Self> {
        let state = Mutex::new(State { reuse: [1; 3], ..State::default() });
        let handle = Handle::fresh();
        let pool = Self { handle, place, location, max_size, state };
        Self::registry().keep(handle, Arc::new(pool));
        handle
    }

    /// Ends a pool. What is allocated from it stays until it is freed. The default pool of a place
    /// cannot be ended; if another one was current, the default one becomes that.
    pub(crate) fn destroy(pool: Handle<Self>) -> Answer {
        of_place(pool.get()?.place, |pools| {
            if pools.default == pool {
                return Err(CUresult::INVALID_VALUE);
            }
            if pools.current == pool {
                pools.current = pools.default;
            }
            pool.take().map(drop)
        })
    }

    /// What changes of it.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Allocates for a context.
    pub(crate) fn allocate(self: &Arc<Self>, context: &Context, size: usize) -> Answer<u64> {
        if size == 0 {
            return Err(CUresult::INVALID_VALUE);
        }
        let kind = Kind::Pool(self.take(size as u64)?);
        match self.place {
            Place::Device(device) => memory::allocate_as(context, state::gpu(device)?, size, kind),
            Place::Host | Place::Managed => memory::allocate_host(context, size, kind),
        }
    }

    fn take(self: &Arc<Self>, size: u64) -> Answer<Share> {
        let mut state = self.state();
        let used = state.used.checked_add(size).ok_or(CUresult::OUT_OF_MEMORY)?;
        if self.max_size != 0 && used > self.max_size {
            return Err(CUresult::OUT_OF_MEMORY);
        }
        state.used = used;
        state.most = state.most.max(used);
        state.most_reserved = state.most_reserved.max(used);
        Ok(Share { pool: Arc::clone(self), size })
    }

    /// `cuMemPoolGetAccess`: a device reaches its own memory, and memory of the host.
    pub(crate) fn access(&self, device: CUdevice) -> u32 {
        let foreign = matches!(self.place, Place::Device(own) if own != device);
        let default = if foreign {
            CU_MEM_ACCESS_FLAGS_PROT_NONE
        } else {
            CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        };
        self.state().access.get(&device).copied().unwrap_or(default)
    }

    /// `cuMemPoolSetAccess`: a device cannot lose access to its own memory, and there are no reads
    /// without writes. Nothing else depends on it: all devices reach what they are given.
    pub(crate) fn set_access(&self, device: CUdevice, flags: u32) -> Answer {
        state::gpu(device)?;
        let all = flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let none = flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
        if !all && (!none || self.place == Place::Device(device)) {
            return Err(CUresult::INVALID_VALUE);
        }
        self.state().access.insert(device, flags);
        Ok(())
    }
}
