//! Translates shadow operations (`marks::shadow`) to steps of a region.

use super::access::{load_from, placed, store_to};
use super::moves::compute;
use super::operand::{Operands, predicate};
use crate::code::{self, Check, MemSpace, Shadow};
use texunit_alu::Temporaries;
use texunit_jit::region::{Access, Action, Space, Step};
use texunit_jit::{Combine, Op as J, Predicate, Relation, Source, Test, VReg as To};

/// Index of shadow memory in [`Access::map`].
const SHADOW: u8 = 1;

const ZEROS: Source = Source::Literal(0);
/// Truth table of the union of two sources.
const EITHER: u8 = 0xf0 | 0xcc;
/// Truth tables of predicates ([`Action::Logic`]).
const OR: u8 = 0b1110;
const AND: u8 = 0b1000;

/// The actions of a shadow operation other than a check; `None` if the interpreter has to execute
/// it.
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
    let (mut base, mut offset) = (operands.base(of.at.base)?, of.at.offset);
    match of.at.mem_space {
        MemSpace::Global | MemSpace::Generic => {}
        MemSpace::Shared => {
            if let Some(place) = base.filter(|_| !of.at.base.is_wide()) {
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

/// The steps of a check: the region is left if any lane that executes it has an uninitialised bit.
pub(super) fn check(operands: &Operands<'_>, of: &Check, guard: Predicate, at: u32) -> Vec<Step> {
    let Temporaries { narrow, wide, predicates: any } = operands.temporaries;
    let mut actions = Vec::new();
    let [mut short, mut long] = [None::<Source>; 2];
    let mut found = None::<Predicate>;
    let mut add = |sum: &mut Option<Source>, from: Source, (to, own, op): (To, Source, J)| {
        *sum = Some(match *sum {
            None => from,
            Some(before) => {
                actions.push(compute(op, to, &[before, from]));
                own
            }
        });
    };
    for &slot in of.shadows.iter().filter(|slot| !slot.is_predicate()) {
        let from = operands.source(slot);
        if from == ZEROS {
            continue;
        }
        match slot.is_wide() {
            true => add(&mut long, from, (To::B64(wide), Source::B64(wide), J::BitsWide(EITHER))),
            false => add(&mut short, from, (To::B32(narrow), Source::B32(narrow), J::Bits(EITHER))),
        }
    }
    let tests = [Test::Unsigned(Relation::Ne), Test::UnsignedWide(Relation::Ne)];
    for (bits, test) in [short, long].into_iter().zip(tests) {
        let Some(bits) = bits else { continue };
        let with = found.map_or((Combine::And, Predicate::Always), |found| (Combine::Or, found));
        actions.push(Action::Compare { test, from: [bits, ZEROS], to: [Some(any), None], with });
        found = Some(Predicate::If(any));
    }
    let logic = |table, from| Action::Logic { table, to: any, from };
    for &slot in of.shadows.iter().filter(|slot| slot.is_predicate()) {
        actions.push(logic(OR, [found.unwrap_or(Predicate::Never), predicate(slot)]));
        found = Some(Predicate::If(any));
    }
    let step = |guard, action| Step { at, guard, counted: false, action };
    let Some(found) = found else { return vec![step(Predicate::Always, Action::Nothing)] };
    if guard != Predicate::Always {
        actions.push(logic(AND, [found, guard]));
    }
    let mut steps: Vec<Step> =
        actions.into_iter().map(|action| step(Predicate::Always, action)).collect();
    // Lanes that execute this step are not among no members.
    steps.push(step(Predicate::If(any), Action::Sync { members: ZEROS }));
    steps
}
