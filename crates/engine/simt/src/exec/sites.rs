//! Caches of fetch and surface plans for each instruction.

use super::bad_fetch::Bad;
use texunit_unit::{FetchAnswer, FetchPlan, Scratch, SurfaceAnswer, SurfacePlan};

/// Maximum number of cached plans of an instruction: one for each lane.
const KEPT: usize = 32;

/// Cached plans of one instruction by texture and sampler handle, with the most recently used one
/// first.
pub(super) type Kept<P> = Vec<((u64, u64), P)>;

/// Plan caches and buffers of a worker.
pub(crate) struct Sites {
    pub(super) fetches: Vec<Kept<FetchPlan>>,
    pub(super) surfaces: Vec<Kept<SurfacePlan>>,
    pub(super) scratch: Scratch,
    pub(super) answer: FetchAnswer,
    pub(super) elements: SurfaceAnswer,
    pub(super) bad: Bad,
}

/// The caches and buffers, with the cached plans borrowed immutably.
pub(super) struct Borrowed<'s> {
    pub(super) fetches: &'s [Kept<FetchPlan>],
    pub(super) surfaces: &'s [Kept<SurfacePlan>],
    pub(super) scratch: &'s mut Scratch,
    pub(super) elements: &'s mut SurfaceAnswer,
}

impl Sites {
    pub(super) fn borrow(&mut self) -> Borrowed<'_> {
        let Self { fetches, surfaces, scratch, elements, .. } = self;
        Borrowed { fetches, surfaces, scratch, elements }
    }

    pub(crate) fn new(sites: usize) -> Self {
        Self {
            fetches: (0..sites).map(|_| Vec::new()).collect(),
            surfaces: (0..sites).map(|_| Vec::new()).collect(),
            scratch: Scratch::new(),
            answer: FetchAnswer::default(),
            elements: SurfaceAnswer { values: [[0; 32]; 4] },
            bad: Bad::default(),
        }
    }
}

/// The plan for these handles, which is moved to the front; `make` creates it on a miss.
#[inline(always)]
pub(super) fn plan_for<P, E>(
    kept: &mut Kept<P>,
    handles: (u64, u64),
    make: impl FnOnce() -> Result<Option<P>, E>,
) -> Result<Option<&P>, E> {
    if !find(kept, handles) {
        match make()? {
            Some(plan) => keep(kept, handles, plan),
            None => return Ok(None),
        }
    }
    Ok(Some(&kept[0].1))
}

/// Looks up the plan for these handles, and moves it to the front.
fn find<P>(kept: &mut Kept<P>, handles: (u64, u64)) -> bool {
    let found = kept.iter().position(|(h, _)| *h == handles);
    if let Some(i @ 1..) = found {
        kept.swap(0, i);
    }
    found.is_some()
}

/// Inserts a plan at the front, replacing the last one if the cache is full.
fn keep<P>(kept: &mut Kept<P>, handles: (u64, u64), plan: P) {
    kept.truncate(KEPT - 1);
    kept.push((handles, plan));
    let last = kept.len() - 1;
    kept.swap(0, last);
}
