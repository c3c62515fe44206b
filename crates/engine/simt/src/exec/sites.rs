//! Caches of fetch and surface plans for each instruction.

use super::bad_fetch::BadAccesses;
use std::cell::Cell;
use texunit_unit::{FetchAnswer, FetchPlan, Scratch, SurfaceAnswer, SurfacePlan};

/// Maximum number of cached plans of an instruction: one for each lane.
const CACHED: usize = 32;

/// Cached plans of one instruction by texture and sampler handle, with the most recently used one
/// first.
pub(super) type PlanCache<P> = Vec<((u64, u64), P)>;

thread_local! {
    /// The scratch memory of the thread's last launch.
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Scratch memory of the texture unit. A thread keeps it from launch to launch, because clearing
/// its 350 KiB takes longer than a small launch; launches that fetch nothing need none.
#[derive(Default)]
pub(super) struct ThreadScratch(Option<Box<Scratch>>);

impl ThreadScratch {
    #[inline(always)]
    pub(super) fn get(&mut self) -> &mut Scratch {
        // The destructor of `SCRATCH` may have run: other destructors of a thread can still launch.
        self.0
            .get_or_insert_with(|| SCRATCH.try_with(Cell::take).ok().flatten().unwrap_or_default())
    }
}

impl Drop for ThreadScratch {
    fn drop(&mut self) {
        if let Some(scratch) = self.0.take() {
            // Without `SCRATCH`, whose destructor has run, the memory is freed.
            let _ = SCRATCH.try_with(|kept| kept.set(Some(scratch)));
        }
    }
}

/// Plan caches and buffers of a worker.
pub(crate) struct Sites {
    pub(super) fetches: Vec<PlanCache<FetchPlan>>,
    pub(super) surfaces: Vec<PlanCache<SurfacePlan>>,
    pub(super) scratch: ThreadScratch,
    pub(super) answer: FetchAnswer,
    pub(super) elements: SurfaceAnswer,
    pub(super) bad: BadAccesses,
}

/// The contents of [`Sites`], with the cached plans borrowed immutably.
pub(super) struct BorrowedSites<'s> {
    pub(super) fetches: &'s [PlanCache<FetchPlan>],
    pub(super) surfaces: &'s [PlanCache<SurfacePlan>],
    pub(super) scratch: &'s mut ThreadScratch,
    pub(super) elements: &'s mut SurfaceAnswer,
}

impl Sites {
    pub(super) fn borrow(&mut self) -> BorrowedSites<'_> {
        let Self { fetches, surfaces, scratch, elements, .. } = self;
        BorrowedSites { fetches, surfaces, scratch, elements }
    }

    pub(crate) fn new(sites: usize) -> Self {
        Self {
            fetches: (0..sites).map(|_| Vec::new()).collect(),
            surfaces: (0..sites).map(|_| Vec::new()).collect(),
            scratch: ThreadScratch::default(),
            answer: FetchAnswer::default(),
            elements: SurfaceAnswer { values: [[0; 32]; 4] },
            bad: BadAccesses::default(),
        }
    }
}

/// The cached plan for a texture and a sampler handle, which is moved to the front of the cache;
/// `make` creates it on a miss.
#[inline(always)]
pub(super) fn plan_for<P, E>(
    cache: &mut PlanCache<P>,
    handles: (u64, u64),
    make: impl FnOnce() -> Result<Option<P>, E>,
) -> Result<Option<&P>, E> {
    match cache.iter().position(|(h, _)| *h == handles) {
        Some(0) => {}
        Some(at) => cache.swap(0, at),
        None => {
            let Some(plan) = make()? else { return Ok(None) };
            // The last plan leaves a full cache.
            cache.truncate(CACHED - 1);
            cache.push((handles, plan));
            let last = cache.len() - 1;
            cache.swap(0, last);
        }
    }
    Ok(Some(&cache[0].1))
}
