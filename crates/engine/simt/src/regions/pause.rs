//! Where warps that run together wait for each other, so that somebody does an instruction for all of them: fetches, loads from
//! surfaces and stores to them, and barriers for all threads of the CTA.

use crate::code::{Handle, Inst, Op, Slot, SurfaceAccess};
use crate::flow::{Flow, reads};

/// Where the handle of a texture or sampler is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandleAt {
    /// In the parameters, at an offset: the register need not be filled.
    Param(u32),
    /// In the register or constant that the instruction names.
    Slot,
}

/// An instruction of warps that run together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause {
    /// Its number.
    pub(crate) at: u32,
    pub(crate) what: Wait,
}

/// What they wait for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    /// A fetch by a texture and a sampler.
    Fetch(HandleAt, HandleAt),
    /// An access by a surface.
    Surface(HandleAt),
    /// A barrier that does nothing else.
    Barrier,
}

impl Pause {
    /// That of an instruction which can be one. `flow`: that of the function, if it is known and a kernel.
    pub(super) fn of(flow: Option<&Flow<'_>>, at: u32, inst: &Inst) -> Option<Self> {
        if inst.guard != Slot::TRUE {
            return None;
        }
        let is_one = match &inst.op {
            Op::Barrier(of) => of.is_plain(),
            Op::Fetch(fetch) => fetch.block.is_some(),
            Op::SurfaceLoad(access) | Op::SurfaceStore(access) => can_wait(access),
            _ => false,
        };
        if !is_one {
            return None;
        }
        let held = flow.and_then(|flow| flow.values_at((at - flow.code.first) as usize));
        let param = |slot: Slot| held.as_ref().and_then(|held| held.param(slot));
        let of = |handle: &Handle| param(handle.slot).map_or(HandleAt::Slot, HandleAt::Param);
        let what = match &inst.op {
            Op::Fetch(fetch) => {
                // Operands of 32 bits that are parameters might not be there.
                let mut are_there = true;
                reads(&inst.op, |slot| are_there &= slot.is_wide() || param(slot).is_none());
                let texture = of(&fetch.texture);
                let sampler = fetch.sampler.as_ref().map_or(texture, of);
                are_there.then_some(Wait::Fetch(texture, sampler))?
            }
            Op::SurfaceLoad(access) | Op::SurfaceStore(access) => {
                let stores = matches!(inst.op, Op::SurfaceStore(_));
                let parts = access.parts.iter().filter(|_| stores);
                let are_all = parts.clone().all(|part| !part.is_none());
                let mut operands = (&access.coords).into_iter().chain(parts);
                let are_there = operands.all(|slot| slot.is_none() || param(*slot).is_none());
                (are_all && are_there).then_some(Wait::Surface(of(&access.surface)))?
            }
            _ => Wait::Barrier,
        };
        Some(Self { at, what })
    }
}

/// Whether warps wait for each other before an access to a surface. Reductions are atomics, which are counted.
fn can_wait(access: &SurfaceAccess) -> bool {
    !access.is_reduction() && access.parts.iter().all(|part| part.is_none() || !part.is_predicate())
}
