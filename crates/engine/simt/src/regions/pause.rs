//! Where warps that run together wait for each other, so that somebody does an instruction for all of them: fetches, and
//! barriers for all threads of the CTA.

use crate::code::{Handle, Inst, Op, Slot};
use crate::flow::{Flow, Use, each_slot};

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
    /// A barrier that does nothing else.
    Barrier,
}

impl Pause {
    /// That of an instruction which can be one. `flow`: that of the function, if it is known and a kernel.
    pub(super) fn of(flow: Option<&Flow<'_>>, at: u32, inst: &Inst) -> Option<Self> {
        let fetch = match &inst.op {
            _ if inst.guard != Slot::TRUE => return None,
            Op::Barrier(of) => {
                return of.is_plain().then_some(Self { at, what: Wait::Barrier });
            }
            Op::Fetch(fetch) if fetch.block.is_some() => fetch,
            _ => return None,
        };
        let held = flow.and_then(|flow| flow.params_at((at - flow.first) as usize));
        let param = |slot: Slot| held.as_ref().and_then(|held| held.get(slot));
        // Operands of 32 bits that are parameters might not be there.
        let mut are_there = true;
        each_slot(&inst.op, |does, slot| {
            are_there &= does == Use::Writes || slot.is_wide() || param(*slot).is_none();
        });
        let of = |handle: &Handle| param(handle.slot).map_or(HandleAt::Slot, HandleAt::Param);
        let texture = of(&fetch.texture);
        let sampler = fetch.sampler.as_ref().map_or(texture, of);
        are_there.then_some(Self { at, what: Wait::Fetch(texture, sampler) })
    }
}
