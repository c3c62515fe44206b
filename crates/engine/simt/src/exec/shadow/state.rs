//! Shadow memory of launches and workers.

use crate::code::{Events, MemSpace, Shadow};
use std::sync::Arc;
use texunit_memory::{Block, MemoryMap, Reach};
use texunit_unit::Texture;

/// Maximum number of textures for which the check of uninitialised texels is cached.
const LOOKED: usize = 64;

/// Shadow memory of a launch.
#[derive(Debug)]
pub(crate) struct Shadows {
    pub(super) map: MemoryMap,
    /// Shadow of the shared memory of each worker's CTA.
    shared: Vec<Block>,
}

impl Shadows {
    /// Creates the shadow memory of a launch whose observer wants it; `None` otherwise, or if
    /// memory is exhausted. Each of `workers` runs CTAs with `shared_len` bytes of shared memory.
    pub(crate) fn of(
        events: Events,
        memory: &MemoryMap,
        workers: usize,
        shared_len: usize,
    ) -> Option<Self> {
        if !events.intersects(Events::DEFINED) {
            return None;
        }
        let size = shared_len.max(1);
        let shared: Option<Vec<Block>> = (0..workers).map(|_| Block::new(size, "shadow")).collect();
        let map = memory.shadows();
        Some(Self { map, shared: shared? })
    }
}

/// Shadow memory as seen by a worker.
#[derive(Debug)]
pub(crate) struct WorkerShadows<'a> {
    pub(super) of: &'a Shadows,
    /// Shadow of the shared memory of a CTA that runs concurrently with others of its worker.
    own: Option<Block>,
    worker: usize,
    /// The block of the last access, where the next search begins.
    pub(super) hint: usize,
    /// Textures, or planes of them, in memory with uninitialised bytes, and whether their texels
    /// include such bytes.
    looked: Vec<(Arc<Texture>, Option<u32>, bool)>,
}

impl<'a> WorkerShadows<'a> {
    /// The view of a worker. `shared_len`: the size of each CTA's shared memory, if CTAs run
    /// concurrently.
    pub(crate) fn of(of: &'a Shadows, worker: usize, shared_len: Option<usize>) -> Option<Self> {
        let own = match shared_len {
            Some(len) => Some(Block::new(len.max(1), "shadow")?),
            None => None,
        };
        Some(Self { of, own, worker, hint: usize::MAX, looked: Vec::new() })
    }

    /// Lends the shadow of its shared memory to another CTA of the cluster for a turn.
    pub(in crate::exec) fn lend(&mut self) -> Option<Block> {
        self.own.take()
    }

    pub(in crate::exec) fn take_back(&mut self, shadow: Block) {
        self.own = Some(shadow);
    }

    pub(in crate::exec) fn shared(&self) -> &Block {
        self.own.as_ref().unwrap_or(&self.of.shared[self.worker])
    }

    /// Whether a texture had an uninitialised texel when the launch first fetched from it; fetches
    /// need not see later stores of the same launch. If only one plane is fetched from, the check
    /// is limited to it.
    pub(in crate::exec) fn has_undefined(&mut self, of: &Arc<Texture>, plane: Option<u32>) -> bool {
        let resource = &of.resource;
        if !resource.block().has_undefined() {
            return false;
        }
        let is_known = |(other, part, _): &&(Arc<Texture>, Option<u32>, bool)| {
            Arc::ptr_eq(other, of) && *part == plane
        };
        if let Some((.., has)) = self.looked.iter().find(is_known) {
            return *has;
        }
        let planes = plane.map_or(0..resource.shape().planes(), |plane| plane..plane + 1);
        let has = resource.rows_of(planes).any(|row| resource.block().has_undefined_in(row));
        if self.looked.len() == LOOKED {
            self.looked.clear();
        }
        self.looked.push((Arc::clone(of), plane, has));
        has
    }

    /// The shadow memory that a site of compiled code may access from now on, after the interpreter
    /// has executed the site's shadow operation.
    pub(in crate::exec) fn reach(&self, shadow: &Shadow) -> Option<Reach<'a>> {
        match shadow {
            Shadow::Load(access) | Shadow::Store(access) => match access.at.mem_space {
                MemSpace::Shared if self.own.is_none() => {
                    Some(self.of.shared[self.worker].reach(0))
                }
                MemSpace::Global | MemSpace::Generic if self.hint < self.of.map.blocks().len() => {
                    Some(self.of.map.reach(self.hint))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
