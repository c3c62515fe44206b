//! Yield points: instructions at which the warps of a CTA wait for each other, so that the
//! instruction is executed for all of them at once. These are fetches, surface loads and stores,
//! and barriers for all threads of the CTA.

use crate::code::{Handle, Inst, Op, Slot, SurfaceAccess};
use crate::flow::{Flow, reads};

/// Location of a texture or sampler handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandleAt {
    /// In the kernel parameters, at this offset; the register need not hold the handle.
    Param(u32),
    /// The operand is in the register or constant that the instruction names.
    Slot,
}

/// A yield point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct YieldPoint {
    /// Number of the instruction.
    pub(crate) at: u32,
    pub(crate) what: YieldKind,
}

/// Kind of a yield point.
#[derive(Clone, Copy, Debug)]
pub(crate) enum YieldKind {
    /// A fetch, with the locations of its texture and sampler handles.
    Fetch(HandleAt, HandleAt),
    /// A surface access, with the location of its handle.
    Surface(HandleAt),
    /// A plain barrier.
    Barrier,
}

impl YieldPoint {
    /// The yield point of an instruction that can be one. `flow`: the data flow of the function, if
    /// known and if it is a kernel.
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
                // Compiled code need not keep 32-bit operands in registers if they are known to be
                // kernel parameters.
                let mut are_there = true;
                reads(&inst.op, &mut |slot| are_there &= slot.is_wide() || param(slot).is_none());
                let texture = of(&fetch.texture);
                let sampler = fetch.sampler.as_ref().map_or(texture, of);
                are_there.then_some(YieldKind::Fetch(texture, sampler))?
            }
            Op::SurfaceLoad(access) | Op::SurfaceStore(access) => {
                let stores = matches!(inst.op, Op::SurfaceStore(_));
                let parts = access.parts.iter().filter(|_| stores);
                let are_all = parts.clone().all(|part| !part.is_none());
                let mut operands = (&access.coords).into_iter().chain(parts);
                let are_there = operands.all(|slot| slot.is_none() || param(*slot).is_none());
                (are_all && are_there).then_some(YieldKind::Surface(of(&access.surface)))?
            }
            _ => YieldKind::Barrier,
        };
        Some(Self { at, what })
    }
}

/// Whether a surface access can be a yield point. Reductions cannot, because they are atomics and
/// count for the schedule.
fn can_wait(access: &SurfaceAccess) -> bool {
    !access.is_reduction() && access.parts.iter().all(|part| part.is_none() || !part.is_predicate())
}
