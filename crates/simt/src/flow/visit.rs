//! What instructions read and write, and where they lead.

use crate::code::{Inst, Op, Slot};

/// Calls `f` with each register that an operation reads. False: it may read any.
pub(crate) fn each_read(op: &Op, mut f: impl FnMut(Slot)) -> bool {
    let mut all = |slots: &[Slot]| slots.iter().copied().for_each(&mut f);
    match op {
        Op::Join | Op::Nop | Op::Run { .. } | Op::Special { .. } => {}
        Op::Exit | Op::Return | Op::Trap | Op::Branch { .. } => {}
        Op::BranchIndexed { index, .. } => all(&[*index]),
        Op::Narrow { s, .. } | Op::Wide { s, .. } | Op::Widen { s, .. } | Op::Lop3 { s, .. } => {
            all(s);
        }
        Op::Cut { a, .. } | Op::MovNarrow { a, .. } | Op::MovWide { a, .. } => all(&[*a]),
        Op::Convert { a, .. } | Op::Unpack { a, .. } | Op::CountZero { divisor: a } => all(&[*a]),
        Op::Shift { a, b, .. } | Op::Logic { a, b, .. } => all(&[*a, *b]),
        Op::CompareNarrow { a, b, to, .. }
        | Op::CompareWide { a, b, to, .. }
        | Op::ComparePair { a, b, to, .. } => all(&[*a, *b, to.c]),
        Op::SelectNarrow { a, b, p, .. } | Op::SelectWide { a, b, p, .. } => all(&[*a, *b, *p]),
        Op::Rare(rare) => all(&rare.s),
        Op::Pack { parts, .. } => all(parts),
        Op::Load(access) => all(&[access.base]),
        Op::Store(access) => {
            all(&[access.base]);
            all(&access.parts);
        }
        Op::Fetch(fetch) => {
            all(&fetch.coords);
            all(&[fetch.texture.slot]);
            fetch.sampler.iter().for_each(|s| all(&[s.slot]));
            if let Some(more) = &fetch.more {
                all(&[more.level, more.compare]);
                [more.dpdx, more.dpdy, more.offset].iter().for_each(|s| all(s));
            }
        }
        _ => return false,
    }
    true
}

/// Calls `f` with registers that an operation writes whole, in all lanes that take it: all of them, of
/// those that a run can have.
pub(crate) fn each_write(op: &Op, mut f: impl FnMut(Slot)) {
    match op {
        Op::Narrow { d, .. }
        | Op::Wide { d, .. }
        | Op::Widen { d, .. }
        | Op::Cut { d, .. }
        | Op::Shift { d, .. }
        | Op::Lop3 { d, .. }
        | Op::MovNarrow { d, .. }
        | Op::MovWide { d, .. }
        | Op::Logic { d, .. }
        | Op::SelectNarrow { d, .. }
        | Op::SelectWide { d, .. }
        | Op::Special { d, .. } => f(*d),
        Op::CompareNarrow { to, .. } | Op::CompareWide { to, .. } => {
            f(to.p);
            f(to.q);
        }
        Op::Load(access) => access.parts.iter().copied().for_each(f),
        Op::Fetch(fetch) => fetch.parts.iter().copied().for_each(f),
        _ => {}
    }
}

/// Calls `f` with each operand of an operation but the guard. False: it has others too.
pub(crate) fn each_slot(op: &mut Op, mut f: impl FnMut(&mut Slot)) -> bool {
    let mut each = |slots: &mut dyn Iterator<Item = &mut Slot>| slots.for_each(&mut f);
    match op {
        Op::Join | Op::Nop | Op::Run { .. } => {}
        Op::Exit | Op::Trap | Op::Branch { .. } => {}
        Op::BranchIndexed { index, .. } => each(&mut [index].into_iter()),
        Op::Special { d, .. } => each(&mut [d].into_iter()),
        Op::Narrow { d, s, .. }
        | Op::Wide { d, s, .. }
        | Op::Widen { d, s, .. }
        | Op::Lop3 { d, s, .. } => {
            each(&mut [d].into_iter());
            each(&mut s.iter_mut());
        }
        Op::Cut { d, a, .. }
        | Op::MovNarrow { d, a }
        | Op::MovWide { d, a }
        | Op::Convert { d, a, .. } => each(&mut [d, a].into_iter()),
        Op::CountZero { divisor } => each(&mut [divisor].into_iter()),
        Op::Shift { d, a, b, .. } | Op::Logic { d, a, b, .. } => each(&mut [d, a, b].into_iter()),
        Op::CompareNarrow { a, b, to, .. }
        | Op::CompareWide { a, b, to, .. }
        | Op::ComparePair { a, b, to, .. } => {
            each(&mut [a, b, &mut to.p, &mut to.q, &mut to.c].into_iter())
        }
        Op::SelectNarrow { d, a, b, p } | Op::SelectWide { d, a, b, p } => {
            each(&mut [d, a, b, p].into_iter())
        }
        Op::Rare(rare) => {
            each(&mut [&mut rare.d].into_iter());
            each(&mut rare.s.iter_mut());
        }
        Op::Pack { d, parts, .. } | Op::Unpack { a: d, parts, .. } => {
            each(&mut [d].into_iter());
            each(&mut parts.iter_mut());
        }
        Op::Load(access) | Op::Store(access) => {
            each(&mut [&mut access.base].into_iter());
            each(&mut access.parts.iter_mut());
        }
        Op::Fetch(fetch) => {
            each(&mut fetch.coords.iter_mut());
            each(&mut fetch.parts.iter_mut());
            each(&mut [&mut fetch.texture.slot, &mut fetch.resident].into_iter());
            fetch.sampler.iter_mut().for_each(|s| each(&mut [&mut s.slot].into_iter()));
            if let Some(more) = &mut fetch.more {
                each(&mut [&mut more.level, &mut more.compare].into_iter());
                let gradients = more.dpdx.iter_mut().chain(&mut more.dpdy);
                each(&mut gradients.chain(&mut more.offset));
            }
        }
        _ => return false,
    }
    true
}

/// Calls `f` with the instructions that may come after the one at `pc`, of the same function.
pub(super) fn each_successor(inst: &Inst, pc: usize, mut f: impl FnMut(u32)) {
    match &inst.op {
        Op::Branch { target, .. } => f(*target),
        Op::BranchIndexed { targets, .. } => targets.iter().copied().for_each(&mut f),
        _ => {}
    }
    let jumps = matches!(inst.op, Op::Branch { .. } | Op::Exit | Op::Return);
    if !(jumps && inst.guard == Slot::TRUE) {
        f(pc as u32 + 1);
    }
}

/// First instructions of the blocks of a function that begins at `entry`.
pub(super) fn starts(insts: &[Inst], entry: u32) -> Vec<usize> {
    let mut is_start = vec![false; insts.len()];
    let mut mark = |i: usize| is_start.get_mut(i).into_iter().for_each(|is| *is = true);
    mark(0);
    for (i, inst) in insts.iter().enumerate() {
        let mut jumps = matches!(inst.op, Op::Exit | Op::Return);
        match &inst.op {
            Op::Branch { target, .. } => {
                mark(target.wrapping_sub(entry) as usize);
                jumps = true;
            }
            Op::BranchIndexed { targets, .. } => {
                targets.iter().for_each(|t| mark(t.wrapping_sub(entry) as usize));
                jumps = true;
            }
            _ => {}
        }
        if jumps {
            mark(i + 1);
        }
    }
    (0..insts.len()).filter(|&i| is_start[i]).collect()
}
