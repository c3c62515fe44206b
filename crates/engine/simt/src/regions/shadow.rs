//! Translates shadow operations (`observe::shadow`) to steps of a region.

use super::access::{load_from, placed, store_to};
use super::moves::compute;
use super::operand::{Operands, predicate};
use crate::code::{self, Check, MemSpace, Shadow, Slot};
use texunit_alu::Temporaries;
use texunit_jit::region::{Access, Action, Load, Space};
use texunit_jit::{Op as J, Predicate, Source, VReg as To};

/// Index of shadow memory in [`Access::map`].
const SHADOW: u8 = 1;
/// Index of a map in [`Access::map`] that is all zeros, for fully initialised memory.
const ZERO: u8 = 2;

const ZEROS: Source = Source::Literal(0);
/// Truth table of the union of two sources.
const EITHER: u8 = 0xf0 | 0xcc;

/// The actions of a shadow operation; `None` if the interpreter has to execute it.
pub(super) fn actions(operands: &mut Operands<'_>, shadow: &Shadow) -> Option<Vec<Action>> {
    match shadow {
        Shadow::Load(of) | Shadow::Store(of) => {
            let (mut actions, access) = access(operands, of)?;
            actions.push(match shadow {
                Shadow::Load(_) => load_from(of, access)?,
                _ => store_to(operands, of, access)?,
            });
            Some(actions)
        }
        Shadow::Check(of) => check(operands, of),
        _ => None,
    }
}

/// An access to the shadow of global or shared memory, with 64-bit addresses.
fn access(operands: &mut Operands<'_>, of: &code::Access) -> Option<(Vec<Action>, Access)> {
    if of.constant {
        return None;
    }
    let Temporaries { narrow, wide, .. } = operands.temporaries;
    let mut actions = Vec::new();
    let (mut base, mut offset) = (operands.base(of.base)?, of.offset);
    match of.mem_space {
        MemSpace::Global | MemSpace::Generic => {}
        MemSpace::Shared => {
            if let Some(place) = base.filter(|_| !of.base.is_wide()) {
                let sum = compute(J::Add, To::B32(narrow), &[place, Source::Literal(offset)]);
                let long = compute(J::ExtendU, To::B64(wide), &[Source::B32(narrow)]);
                actions.extend([sum, long]);
                (base, offset) = (Some(Source::B64(wide)), 0);
            }
        }
        _ => return None,
    }
    let access = placed(operands, of, Space::Global, (base, offset), SHADOW)?;
    Some((actions, access))
}

/// A check becomes a load from the uninitialised bits as an address. Only address 0 is valid, so
/// the region is left if any bit is uninitialised.
fn check(operands: &mut Operands<'_>, of: &Check) -> Option<Vec<Action>> {
    let Temporaries { narrow, wide, .. } = operands.temporaries;
    let mut actions = Vec::new();
    let [mut short, mut long] = [None::<Source>; 2];
    let mut add = |sum: &mut Option<Source>, to: To, from: Source, op: J| {
        let other = match to {
            To::B64(i) => Source::B64(i),
            To::B32(i) | To::Predicate(i) => Source::B32(i),
        };
        *sum = Some(match *sum {
            None => from,
            Some(before) => {
                actions.push(compute(op, to, &[before, from]));
                other
            }
        });
    };
    let mut asked: Vec<Predicate> = Vec::new();
    for &slot in &of.shadows {
        if slot.is_predicate() {
            asked.push(predicate(slot));
        } else if slot.is_wide() {
            add(&mut long, To::B64(wide), operands.source(slot), J::BitsWide(EITHER));
        } else {
            add(&mut short, To::B32(narrow), operands.source(slot), J::Bits(EITHER));
        }
    }
    for p in asked {
        let from = short.unwrap_or(ZEROS);
        let one = Source::Literal(1);
        actions.push(compute(J::Select(p), To::B32(narrow), &[one, from]));
        short = Some(Source::B32(narrow));
    }
    if let Some(short) = short {
        actions.push(compute(J::ExtendU, To::B64(wide + 1), &[short]));
        let both = Source::B64(wide + 1);
        long = Some(match long {
            None => both,
            Some(long) => {
                let to = To::B64(wide + 1);
                actions.push(compute(J::BitsWide(EITHER), to, &[long, both]));
                both
            }
        });
    }
    let site = operands.site(Space::Global);
    let space = Space::Global;
    let access = Access { space, size: 1, count: 1, base: long, offset: 0, site, map: ZERO };
    debug_assert!(of.shadows.iter().all(|slot| *slot != Slot::NONE));
    let load = Load { access, signed: false, keep: u64::MAX, to: vec![None] };
    actions.push(Action::Load(Box::new(load)));
    Some(actions)
}
