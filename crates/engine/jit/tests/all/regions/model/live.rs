//! The registers that an instruction reads, and those that are live at a position.

use super::super::lanes;
use std::collections::HashSet;
use texunit_jit::region::{Action, End, Region};
use texunit_jit::{Op, Predicate, Source, VReg};

fn register(source: Source) -> Option<VReg> {
    match source {
        Source::B32(i) => Some(VReg::B32(i)),
        Source::B64(i) => Some(VReg::B64(i)),
        _ => None,
    }
}

fn asks(predicate: Predicate) -> Option<VReg> {
    match predicate {
        Predicate::If(i) | Predicate::Unless(i) => Some(VReg::Predicate(i)),
        _ => None,
    }
}

/// The registers that an action reads.
fn reads(action: &Action) -> Vec<VReg> {
    let (mut sources, mut asked, mut places) = (Vec::new(), Vec::new(), Vec::new());
    match action {
        Action::Compute { op, from, .. } => {
            sources.extend(&from[..lanes::sources(*op)]);
            if let Op::Select(p) | Op::SelectWide(p) = op {
                asked.push(*p);
            }
        }
        Action::Compare { from, with, .. } => {
            sources.extend(from);
            asked.push(with.1);
        }
        Action::Logic { from, .. } => asked.extend(from),
        Action::Load(load) => sources.extend(load.access.base),
        Action::Store(store) => {
            sources.extend(store.access.base);
            sources.extend(&store.from);
        }
        Action::Atomic(atomic) => {
            sources.extend(atomic.access.base);
            sources.push(atomic.b);
            sources.extend(atomic.c);
        }
        Action::Call(call) => sources.extend(&call.from[..call.routine.sources()]),
        Action::Shuffle(shuffle) => {
            sources.extend([shuffle.a, shuffle.b, shuffle.c]);
            sources.extend(shuffle.members);
        }
        Action::Vote { of, members, .. } => {
            asked.push(*of);
            sources.extend(members);
        }
        Action::Match(of) => sources.extend([of.of, of.members]),
        Action::Redux { of, members, .. } => sources.extend([*of, *members]),
        Action::Sync { members } => sources.push(*members),
        Action::Count { of, .. } | Action::Issue { of, .. } => asked.extend(of),
        Action::CountZeros(of) => sources.push(*of),
        Action::Rarely { of, .. } => asked.push(*of),
        Action::ActiveMask { .. } | Action::Nothing => {}
    }
    places.extend(sources.into_iter().filter_map(register));
    places.extend(asked.into_iter().filter_map(asks));
    places
}

/// The registers that are live at a position.
pub(crate) fn live(region: &Region, (b, i): (usize, usize)) -> HashSet<VReg> {
    let block = &region.blocks[b];
    let mut live = block.kept.clone();
    if let End::Branch { taken, .. } = block.end {
        live.extend(asks(taken));
    }
    for step in block.steps[i..].iter().rev() {
        let mut writes = Vec::new();
        step.each_written(&mut |place| writes.push(place));
        let effects = matches!(
            step.action,
            Action::Store(_) | Action::Count { .. } | Action::Issue { .. } | Action::CountZeros(_)
        );
        if !step.may_exit() && !effects && writes.iter().all(|place| !live.contains(place)) {
            live.extend(asks(step.guard));
            continue;
        }
        if step.guard == Predicate::Always {
            writes.iter().for_each(|place| {
                live.remove(place);
            });
        }
        live.extend(reads(&step.action));
        live.extend(asks(step.guard));
    }
    live
}
