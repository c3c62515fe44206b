//! Memory without an address (`cuMemCreate`), its handles, and what other processes are given of it.
//!
//! It stays as long as it has handles or is mapped somewhere. A handle that is asked for by an address
//! (`cuMemRetainAllocationHandle`) is the one that the memory has had, and counts as often as it was given out.

use crate::args::Answer;
use crate::asked;
use crate::handle::{Handle, Object, object};
use crate::memory;
use crate::state::{self, Gpu};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use texunit_cuda_abi::{
    CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_CREATE_USAGE_TILE_POOL,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, CU_MEM_LOCATION_TYPE_DEVICE, CUdevice,
    CUmemAllocationProp, CUmemLocation, CUresult,
};
use texunit_device::{Block, End, EndedMemory, Pages};
use texunit_forms::Count;

/// What messages call such memory by.
pub(super) const NAME: &str = "cuMemCreate";

/// Where memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On a device.
    Device(CUdevice),
    /// In the host's memory.
    Host,
}

/// Memory without an address.
#[derive(Debug)]
pub(crate) struct Physical {
    handle: Handle<Physical>,
    /// How many users the handle has.
    users: Mutex<usize>,
    pages: Arc<Pages>,
    /// What it was made with.
    pub(crate) prop: CUmemAllocationProp,
    pub(crate) place: Place,
    /// Size in bytes.
    pub(crate) size: u64,
    /// Its number, never used again, which messages call it by.
    pub(crate) number: u64,
    /// The device that counts it: that of another process does not.
    counted: Option<Arc<Gpu>>,
}

object!(Physical, "a memory handle of cuMemCreate");

/// What a file says of the memory in it: whether it was made by `cuMemCreate`, and the properties.
const KIND: u8 = 1;

impl Physical {
    /// `cuMemCreate`: of a size and properties that were looked at.
    pub(crate) fn create(
        size: u64,
        prop: CUmemAllocationProp,
        place: Place,
    ) -> Answer<Handle<Self>> {
        let counted = match place {
            Place::Device(ordinal) => {
                let gpu = state::gpu(ordinal)?;
                memory::with_room(gpu, || {
                    let room = gpu.device.reserve(size);
                    room.map_err(|error| memory::no_room(&gpu.device, size, error))
                })?;
                Some(Arc::clone(gpu))
            }
            Place::Host => None,
        };
        let is_shared = prop.requested_handle_types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR != 0;
        let pages = match is_shared {
            true => Pages::shareable(size, &note(&prop)),
            false => Pages::new(size),
        };
        let pages = pages.map_err(|error| {
            if let Some(gpu) = &counted {
                gpu.device.release_reserved(size);
            }
            CUresult::OUT_OF_MEMORY.because(format!(
                "the system does not have {} of memory: {error}",
                Count(size, "byte")
            ))
        })?;
        Ok(Self::keep(pages, prop, place, counted))
    }

    fn keep(
        pages: Pages,
        prop: CUmemAllocationProp,
        place: Place,
        counted: Option<Arc<Gpu>>,
    ) -> Handle<Self> {
        let (handle, number) = (Handle::fresh(), Block::next_number());
        asked::made(number);
        let (size, pages, users) = (pages.size(), Arc::new(pages), Mutex::new(1));
        let memory = Self { handle, users, pages, prop, place, size, number, counted };
        Self::registry().keep(handle, Arc::new(memory));
        handle
    }

    /// One user less of a handle; the last one ends it (`cuMemRelease`).
    pub(crate) fn release(handle: Handle<Self>) -> Answer {
        let memory = Self::of(handle)?;
        let mut users = memory.users.lock().unwrap_or_else(PoisonError::into_inner);
        *users = users.saturating_sub(1);
        if *users == 0 {
            Self::registry().remove(handle);
        }
        Ok(())
    }

    /// One user more of its handle, which may have had none (`cuMemRetainAllocationHandle`).
    pub(crate) fn retain(self: &Arc<Self>) -> Handle<Self> {
        let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
        if *users == 0 {
            Self::registry().keep(self.handle, Arc::clone(self));
        }
        *users += 1;
        self.handle
    }

    /// The memory of a handle. `CUDA_ERROR_INVALID_VALUE` if there is none.
    pub(crate) fn of(handle: Handle<Self>) -> Answer<Arc<Self>> {
        handle.get().map_err(|refusal| refusal.with_code(CUresult::INVALID_VALUE))
    }

    /// A number of a file of the system that stands for the memory, which is the caller's
    /// (`cuMemExportToShareableHandle`).
    pub(crate) fn export(&self) -> Answer<i32> {
        if self.prop.requested_handle_types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR == 0 {
            return Err(CUresult::INVALID_VALUE.because(format!(
                "the memory was made with requestedHandleTypes {}, without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR (1)",
                self.prop.requested_handle_types
            )));
        }
        self.pages.new_number().ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because("the process has no more numbers for open files")
        })
    }

    /// Memory that a process of texunit has exported (`cuMemImportFromShareableHandle`).
    pub(crate) fn import(number: i32) -> Answer<Handle<Self>> {
        let refused = |reason: String| Err(CUresult::INVALID_VALUE.because(reason));
        let (pages, note) = match Pages::of_file(number) {
            Ok(found) => found,
            Err(error) => {
                return refused(format!(
                    "{number} is not the number of an open file that cuMemExportToShareableHandle has given: {error}"
                ));
            }
        };
        let Some((prop, place)) = read_note(&note) else {
            return refused(format!("file {number} is not memory of cuMemCreate"));
        };
        if let Place::Device(ordinal) = place {
            state::gpu(ordinal)?;
        }
        Ok(Self::keep(pages, prop, place, None))
    }

    /// Those that have handles.
    pub(super) fn with_handles() -> Vec<Arc<Self>> {
        Self::registry().all(|_| true)
    }

    pub(super) fn pages(&self) -> &Arc<Pages> {
        &self.pages
    }

    /// Whether it is for tiles of sparse arrays.
    pub(crate) fn is_for_tiles(&self) -> bool {
        self.prop.usage & CU_MEM_CREATE_USAGE_TILE_POOL != 0
    }

    /// The device that it is on.
    pub(crate) fn ordinal(&self) -> Option<CUdevice> {
        match self.place {
            Place::Device(ordinal) => Some(ordinal),
            Place::Host => None,
        }
    }

    /// What is said to a device that has no access to it.
    pub(super) fn gone(&self, range: &Range<u64>) -> EndedMemory {
        EndedMemory {
            name: NAME.to_owned(),
            address: Some(range.start),
            size: range.end - range.start,
            number: self.number,
            how: End::NoAccess,
        }
    }
}

impl Drop for Physical {
    fn drop(&mut self) {
        asked::freed(self.number);
        if let Some(gpu) = &self.counted {
            gpu.device.release_reserved(self.size);
        }
    }
}

fn note(prop: &CUmemAllocationProp) -> Vec<u8> {
    let CUmemLocation { kind, id } = prop.location;
    let mut note = vec![KIND, prop.gpu_direct_rdma_capable];
    note.extend(kind.to_le_bytes());
    note.extend(id.to_le_bytes());
    note.extend(prop.requested_handle_types.to_le_bytes());
    note
}

/// Reads such a note, which another process may have written.
fn read_note(note: &[u8]) -> Option<(CUmemAllocationProp, Place)> {
    let &[KIND, gpu_direct_rdma_capable, ref rest @ ..] = note else { return None };
    let [kind, id, requested_handle_types] = *rest.as_chunks::<4>().0 else { return None };
    let kind = u32::from_le_bytes(kind);
    let location = CUmemLocation { kind, id: i32::from_le_bytes(id) };
    let prop = CUmemAllocationProp {
        kind: CU_MEM_ALLOCATION_TYPE_PINNED,
        requested_handle_types: u32::from_le_bytes(requested_handle_types),
        location,
        gpu_direct_rdma_capable,
        ..CUmemAllocationProp::default()
    };
    let place = match kind {
        CU_MEM_LOCATION_TYPE_DEVICE => Place::Device(location.id),
        _ => Place::Host,
    };
    Some((prop, place))
}
