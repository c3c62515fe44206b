//! Where warps that run together wait for each other, so that somebody does an instruction for all of them: fetches.

use crate::code::{Code, Fetch, Handle, Inst, Op, Slot};
use crate::flow::{Flow, Use, each_slot};

/// Where the handle of a texture or sampler is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HandleAt {
    /// In the parameters, at an offset: the register need not be filled.
    Param(u32),
    /// In the register or constant that the instruction names.
    Slot,
}

/// A fetch of warps that run together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause {
    /// Its number.
    pub(crate) at: u32,
    pub(crate) texture: HandleAt,
    pub(crate) sampler: HandleAt,
}

impl Pause {
    /// That of an instruction which can be one. `flow`: that of the function, if it is known and a kernel.
    pub(super) fn of(flow: Option<&Flow<'_>>, at: u32, inst: &Inst) -> Option<Self> {
        let Op::Fetch(fetch) = &inst.op else { return None };
        if inst.guard != Slot::TRUE || fetch.block.is_none() {
            return None;
        }
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
        are_there.then_some(Self { at, texture, sampler })
    }
}

/// The fetch at a place.
pub(crate) fn fetch_at(code: &Code, at: u32) -> Option<(&Fetch, u64)> {
    let inst = code.insts.get(at as usize)?;
    match &inst.op {
        Op::Fetch(fetch) => Some((fetch, inst.count.into())),
        _ => None,
    }
}
