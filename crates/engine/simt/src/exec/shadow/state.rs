//! What launches and workers have of shadows.

use crate::code::{Place, Shadow};
use crate::observe::Events;
use std::sync::Arc;
use texunit_memory::{Block, MemoryMap, Reach};
use texunit_unit::Texture;

/// Textures of which it is remembered whether texels are undefined.
const LOOKED: usize = 64;

/// What a launch has of shadows.
#[derive(Debug)]
pub(crate) struct Shadows {
    pub(super) map: MemoryMap,
    /// Of the shared memory of each worker's CTA.
    shared: Vec<Block>,
    /// What is read where all is defined: at address 0 alone.
    zero: Block,
}

impl Shadows {
    /// Those of a launch that wants them; `None` also if there is no memory for them. Each of `workers` runs CTAs with so many bytes of shared memory.
    pub(crate) fn of(
        events: Events,
        memory: &MemoryMap,
        workers: usize,
        shared_len: usize,
    ) -> Option<Self> {
        if !events.has(Events::DEFINED) {
            return None;
        }
        let size = shared_len.max(1);
        let shared: Option<Vec<Block>> = (0..workers).map(|_| Block::new(size, "shadow")).collect();
        let map = memory.shadows();
        Some(Self { map, shared: shared?, zero: Block::new(1, "shadow")? })
    }
}

/// What a worker has of them.
#[derive(Debug)]
pub(crate) struct OwnShadows<'a> {
    pub(super) of: &'a Shadows,
    /// Of a CTA that runs beside others of its worker.
    own: Option<Block>,
    worker: usize,
    /// The block of the last access.
    pub(super) hint: usize,
    /// Textures in memory that has undefined bytes, or planes of them, and whether those are among their texels.
    looked: Vec<(Arc<Texture>, Option<u32>, bool)>,
}

impl<'a> OwnShadows<'a> {
    /// Those of a worker. `shares`: its CTAs run beside each other, each with so many bytes of shared memory.
    pub(crate) fn of(
        of: &'a Shadows,
        worker: usize,
        (shares, shared_len): (bool, usize),
    ) -> Option<Self> {
        let own = if shares { Block::new(shared_len.max(1), "shadow") } else { None };
        (own.is_some() == shares).then_some(Self {
            of,
            own,
            worker,
            hint: usize::MAX,
            looked: Vec::new(),
        })
    }

    /// Gives the shadow of its shared memory to another CTA of the cluster, until that has had its turn.
    pub(in crate::exec) fn lend(&mut self) -> Option<Block> {
        self.own.take()
    }

    pub(in crate::exec) fn take_back(&mut self, shadow: Block) {
        self.own = Some(shadow);
    }

    pub(in crate::exec) fn shared(&self) -> &Block {
        self.own.as_ref().unwrap_or(&self.of.shared[self.worker])
    }

    /// Whether a texel of a texture is undefined, or was when the launch came by first: what it stores to the memory of a
    /// texture, fetches need not see. Of a plane alone, where no other one is fetched from.
    pub(in crate::exec) fn has_undefined(
        &mut self,
        texture: &Arc<Texture>,
        plane: Option<u32>,
    ) -> bool {
        let resource = &texture.resource;
        if !resource.block().has_undefined() {
            return false;
        }
        let is_known = |(other, of, _): &&(Arc<Texture>, Option<u32>, bool)| {
            Arc::ptr_eq(other, texture) && *of == plane
        };
        if let Some((.., has)) = self.looked.iter().find(is_known) {
            return *has;
        }
        let planes = plane.map_or(0..resource.shape().planes(), |plane| plane..plane + 1);
        let has = resource.rows_of(planes).any(|row| resource.block().has_undefined_in(row));
        if self.looked.len() == LOOKED {
            self.looked.clear();
        }
        self.looked.push((Arc::clone(texture), plane, has));
        has
    }

    /// What compiled code may reach for an operation on shadows that has left it.
    pub(in crate::exec) fn reach(&self, shadow: &Shadow) -> Option<Reach<'a>> {
        match shadow {
            Shadow::Check(_) => Some(self.of.zero.reach(0)),
            Shadow::Load(access) | Shadow::Store(access) => match access.place {
                Place::Shared if self.own.is_none() => Some(self.of.shared[self.worker].reach(0)),
                Place::Global | Place::Generic if self.hint < self.of.map.blocks().len() => {
                    Some(self.of.map.reach(self.hint))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
