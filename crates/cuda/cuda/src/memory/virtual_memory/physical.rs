//! Physical memory (`cuMemCreate`), its handles, and its export to other processes.
//!
//! The memory exists as long as it has handles or is mapped. A handle retained by address
//! (`cuMemRetainAllocationHandle`) is the original one, whose references are counted.

use super::*;
use crate::memory;
use texunit_device::Pages;

/// Name of the creating function in messages.
pub(super) const NAME: &str = "cuMemCreate";

/// Physical memory.
#[derive(Debug)]
pub(crate) struct Physical {
    handle: Handle<Physical>,
    /// Number of references to the handle.
    users: Mutex<usize>,
    pages: Arc<Pages>,
    /// Properties passed at creation.
    pub(crate) prop: CUmemAllocationProp,
    /// Size in bytes.
    pub(crate) size: u64,
    /// Unique number, which messages use.
    pub(crate) number: u64,
    /// The device that counts the memory as used; `None` for memory of another process.
    counted: Option<Arc<Gpu>>,
}

object!(Physical, "a memory handle of cuMemCreate");

/// Kind number in the label of an exported file, which says that the memory was made by
/// `cuMemCreate`; the properties follow.
const KIND: u8 = 1;

impl Physical {
    /// `cuMemCreate`, with a checked size and checked properties.
    pub(crate) fn create(size: u64, prop: CUmemAllocationProp) -> Answer<Handle<Self>> {
        let counted = match place(&prop) {
            Some(ordinal) => {
                let gpu = state::gpu(ordinal)?;
                memory::with_room(gpu, || {
                    let room = gpu.device.reserve(size);
                    room.map_err(|error| memory::no_room(&gpu.device, size, error))
                })?;
                Some(Arc::clone(gpu))
            }
            None => None,
        };
        let is_shared = prop.requested_handle_types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR != 0;
        let pages = match is_shared {
            true => Pages::shareable(size, &note(&prop)),
            false => Pages::new(size),
        };
        let pages = pages.map_err(|error| {
            if let Some(gpu) = &counted {
                gpu.device.memory().release_opaque(size);
            }
            CUresult::OUT_OF_MEMORY.because(format!(
                "the system does not have {} of memory: {error}",
                Count(size, "byte")
            ))
        })?;
        Ok(Self::keep(pages, prop, counted))
    }

    fn keep(pages: Pages, prop: CUmemAllocationProp, counted: Option<Arc<Gpu>>) -> Handle<Self> {
        let (handle, number) = (Handle::fresh(), Block::next_number());
        allocation_trace::allocated(number);
        let (size, pages, users) = (pages.size(), Arc::new(pages), Mutex::new(1));
        let memory = Self { handle, users, pages, prop, size, number, counted };
        Self::registry().insert_as(handle, Arc::new(memory));
        handle
    }

    /// Releases a handle; the last release invalidates it (`cuMemRelease`).
    pub(crate) fn release(handle: Handle<Self>) -> Answer {
        let memory = Self::of(handle)?;
        let mut users = lock(&memory.users);
        *users = users.saturating_sub(1);
        if *users == 0 {
            Self::registry().remove(handle);
        }
        Ok(())
    }

    /// Retains the handle, which may have been invalid (`cuMemRetainAllocationHandle`).
    pub(crate) fn retain(self: &Arc<Self>) -> Handle<Self> {
        let mut users = lock(&self.users);
        if *users == 0 {
            Self::registry().insert_as(self.handle, Arc::clone(self));
        }
        *users += 1;
        self.handle
    }

    /// The memory of a handle; `CUDA_ERROR_INVALID_VALUE` if the handle is invalid.
    pub(crate) fn of(handle: Handle<Self>) -> Answer<Arc<Self>> {
        handle.get().map_err(|refusal| refusal.with_code(CUresult::INVALID_VALUE))
    }

    /// A file descriptor for the memory, which the caller owns (`cuMemExportToShareableHandle`).
    pub(crate) fn export(&self) -> Answer<i32> {
        ensure!(
            self.prop.requested_handle_types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR != 0,
            "the memory was made with requestedHandleTypes {}, without CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR (1)",
            self.prop.requested_handle_types
        );
        self.pages.new_number().ok_or_else(|| {
            CUresult::OUT_OF_MEMORY.because("the process has no more numbers for open files")
        })
    }

    /// Imports memory that a process of texunit has exported (`cuMemImportFromShareableHandle`).
    pub(crate) fn import(number: i32) -> Answer<Handle<Self>> {
        let (pages, prop) = Self::open(number)?;
        Ok(Self::keep(pages, prop, None))
    }

    /// The pages and properties of memory behind an exported file descriptor, which the caller
    /// keeps.
    pub(crate) fn open(number: i32) -> Answer<(Pages, CUmemAllocationProp)> {
        let (pages, note) = match Pages::of_file(number) {
            Ok(found) => found,
            Err(error) => bail!(
                "{number} is not the number of an open file that cuMemExportToShareableHandle has given: {error}"
            ),
        };
        let Some(prop) = read_note(&note) else {
            bail!("file {number} is not memory of cuMemCreate");
        };
        if let Some(ordinal) = place(&prop) {
            state::gpu(ordinal)?;
        }
        Ok((pages, prop))
    }

    pub(super) fn pages(&self) -> &Arc<Pages> {
        &self.pages
    }

    /// Whether the memory is for tiles of sparse arrays.
    pub(crate) fn is_for_tiles(&self) -> bool {
        self.prop.usage & CU_MEM_CREATE_USAGE_TILE_POOL != 0
    }

    /// The device of the memory; `None` for host memory.
    pub(crate) fn place(&self) -> Place {
        place(&self.prop)
    }
}

/// Where memory with these properties is.
pub(crate) fn place(prop: &CUmemAllocationProp) -> Place {
    (prop.location.kind == CU_MEM_LOCATION_TYPE_DEVICE).then_some(prop.location.id)
}

impl Drop for Physical {
    fn drop(&mut self) {
        allocation_trace::freed(self.number);
        if let Some(gpu) = &self.counted {
            gpu.device.memory().release_opaque(self.size);
        }
    }
}

fn note(prop: &CUmemAllocationProp) -> Vec<u8> {
    let CUmemLocation { kind, id } = prop.location;
    let id = match kind {
        CU_MEM_LOCATION_TYPE_DEVICE => state::gpu(id).map_or(id, |gpu| gpu.index),
        _ => id,
    };
    let mut note = vec![KIND, prop.gpu_direct_rdma_capable];
    note.extend(kind.to_le_bytes());
    note.extend(id.to_le_bytes());
    note.extend(prop.requested_handle_types.to_le_bytes());
    note
}

/// Reads a label, which another process may have written.
fn read_note(note: &[u8]) -> Option<CUmemAllocationProp> {
    let &[KIND, gpu_direct_rdma_capable, ref rest @ ..] = note else { return None };
    let [kind, id, requested_handle_types] = *rest.as_chunks::<4>().0 else { return None };
    let (kind, id) = (u32::from_le_bytes(kind), i32::from_le_bytes(id));
    let id = match kind {
        CU_MEM_LOCATION_TYPE_DEVICE => state::with_index(id).ok()?.ordinal,
        _ => id,
    };
    Some(CUmemAllocationProp {
        kind: CU_MEM_ALLOCATION_TYPE_PINNED,
        requested_handle_types: u32::from_le_bytes(requested_handle_types),
        location: CUmemLocation { kind, id },
        gpu_direct_rdma_capable,
        ..CUmemAllocationProp::default()
    })
}
