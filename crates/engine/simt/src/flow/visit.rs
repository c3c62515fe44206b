//! What instructions read and write, and where they lead.

use crate::code::{Inst, Op, Shadow, Slot};

/// What an operation does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Reads,
    /// Whole, in all lanes that take the operation.
    Writes,
}

/// The operands of an operation, for those who look at them and for those who change them.
macro_rules! each_operand {
    ($(#[$doc:meta])* $name:ident $($mutable:ident)?) => {
        $(#[$doc])*
        pub(crate) fn $name(op: &$($mutable)? Op, mut f: impl FnMut(Use, &$($mutable)? Slot)) -> bool {
            return visit(op, &mut f);

            // Compiled once: it is larger than what its callers do.
            fn visit(op: &$($mutable)? Op, f: &mut dyn FnMut(Use, &$($mutable)? Slot)) -> bool {
                macro_rules! all {
                    ($what:ident: $slots:expr) => {
                        for slot in $slots {
                            f(Use::$what, slot);
                        }
                    };
                }
                match op {
                    Op::Join | Op::Nop | Op::Mark(_) | Op::Yield => {}
                    Op::Branch { .. } => {}
                    Op::Exit | Op::Return | Op::Trap | Op::Breakpoint => {}
                    Op::Count { of: a, .. }
                    | Op::CountIndexed { index: a, .. }
                    | Op::BranchIndexed { index: a, .. }
                    | Op::CountZero { divisor: a }
                    | Op::WarpSync { mask: a } => f(Use::Reads, a),
                    Op::Special { d, .. }
                    | Op::FrameAddress { d, .. }
                    | Op::EnvReg { d, .. }
                    | Op::ActiveMask { d } => f(Use::Writes, d),
                    Op::Shadow(shadow) => return match &$($mutable)? **shadow {
                        Shadow::Load(access) => {
                            f(Use::Reads, &$($mutable)? access.base);
                            all!(Writes: &$($mutable)? access.parts);
                            true
                        }
                        Shadow::Store(access) => {
                            f(Use::Reads, &$($mutable)? access.base);
                            all!(Reads: &$($mutable)? access.parts);
                            true
                        }
                        Shadow::Check(check) => {
                            all!(Reads: &$($mutable)? check.shadows);
                            if let Some(access) = &$($mutable)? check.access {
                                f(Use::Reads, &$($mutable)? access.base);
                            }
                            true
                        }
                        _ => false,
                    },
                    Op::Compute { d, s, .. } => {
                        all!(Reads: s);
                        f(Use::Writes, d);
                    }
                    Op::Lop3 { d, s, .. } => {
                        all!(Reads: s);
                        f(Use::Writes, d);
                    }
                    Op::Rare(rare) => {
                        all!(Reads: &$($mutable)? rare.s);
                        f(Use::Writes, &$($mutable)? rare.d);
                    }
                    Op::MovNarrow { d, a }
                    | Op::MovWide { d, a }
                    | Op::Convert { d, a, .. }
                    | Op::Cvta { d, a, .. }
                    | Op::IsSpace { d, a, .. }
                    | Op::IsType { d, a, .. } => {
                        f(Use::Reads, a);
                        f(Use::Writes, d);
                    }
                    Op::Logic { d, a, b, .. } => {
                        all!(Reads: [a, b]);
                        f(Use::Writes, d);
                    }
                    Op::Compare { a, b, to, .. } | Op::ComparePair { a, b, to, .. } => {
                        all!(Reads: [a, b, &$($mutable)? to.c]);
                        all!(Writes: [&$($mutable)? to.p, &$($mutable)? to.q]);
                    }
                    Op::SelectNarrow { d, a, b, p } | Op::SelectWide { d, a, b, p } => {
                        all!(Reads: [a, b, p]);
                        f(Use::Writes, d);
                    }
                    Op::Pack { d, parts, .. } => {
                        all!(Reads: parts);
                        f(Use::Writes, d);
                    }
                    Op::Unpack { parts, a, .. } => {
                        f(Use::Reads, a);
                        all!(Writes: parts);
                    }
                    Op::Load(access) | Op::LoadQuad(access) => {
                        f(Use::Reads, &$($mutable)? access.base);
                        all!(Writes: &$($mutable)? access.parts);
                    }
                    Op::Store(access) | Op::StoreQuad(access) => {
                        f(Use::Reads, &$($mutable)? access.base);
                        all!(Reads: &$($mutable)? access.parts);
                    }
                    Op::Atomic(atomic) => {
                        f(Use::Reads, &$($mutable)? atomic.base);
                        all!(Reads: &$($mutable)? atomic.b);
                        all!(Reads: &$($mutable)? atomic.c);
                        all!(Writes: &$($mutable)? atomic.d);
                    }
                    Op::Fetch(fetch) => {
                        f(Use::Reads, &$($mutable)? fetch.texture.slot);
                        if let Some(sampler) = &$($mutable)? fetch.sampler {
                            f(Use::Reads, &$($mutable)? sampler.slot);
                        }
                        all!(Reads: &$($mutable)? fetch.coords);
                        if let Some(more) = &$($mutable)? fetch.more {
                            all!(Reads: [&$($mutable)? more.level, &$($mutable)? more.compare]);
                            all!(Reads: &$($mutable)? more.dpdx);
                            all!(Reads: &$($mutable)? more.dpdy);
                            all!(Reads: &$($mutable)? more.offset);
                        }
                        all!(Writes: &$($mutable)? fetch.parts);
                        f(Use::Writes, &$($mutable)? fetch.resident);
                    }
                    Op::SurfaceLoad(access) => {
                        f(Use::Reads, &$($mutable)? access.surface.slot);
                        all!(Reads: &$($mutable)? access.coords);
                        all!(Writes: &$($mutable)? access.parts);
                    }
                    Op::SurfaceStore(access) => {
                        f(Use::Reads, &$($mutable)? access.surface.slot);
                        all!(Reads: &$($mutable)? access.coords);
                        all!(Reads: &$($mutable)? access.parts);
                    }
                    Op::Query(query) => {
                        all!(Reads: [&$($mutable)? query.handle.slot, &$($mutable)? query.level]);
                        f(Use::Writes, &$($mutable)? query.d);
                    }
                    Op::Barrier(barrier) => {
                        all!(Reads: [&$($mutable)? barrier.id, &$($mutable)? barrier.threads]);
                        f(Use::Reads, &$($mutable)? barrier.p);
                        f(Use::Writes, &$($mutable)? barrier.d);
                    }
                    Op::Vote { d, p, members, .. } => {
                        all!(Reads: [p, members]);
                        f(Use::Writes, d);
                    }
                    Op::Match { d, p, a, members, .. } => {
                        all!(Reads: [a, members]);
                        all!(Writes: [d, p]);
                    }
                    Op::Redux { d, a, members, .. } => {
                        all!(Reads: [a, members]);
                        f(Use::Writes, d);
                    }
                    Op::Converge { members } => f(Use::Reads, members),
                    Op::Elect { d, p, members } => {
                        f(Use::Reads, members);
                        all!(Writes: [d, p]);
                    }
                    // Lanes that do not execute it are not read.
                    Op::Shuffle(shuffle) => {
                        all!(Reads: [&$($mutable)? shuffle.a, &$($mutable)? shuffle.b]);
                        all!(Reads: [&$($mutable)? shuffle.c, &$($mutable)? shuffle.members]);
                        all!(Writes: [&$($mutable)? shuffle.d, &$($mutable)? shuffle.p]);
                    }
                    // It writes registers of other lanes than those that it reads.
                    Op::Matrix(_) | Op::Mma(_) => return false,
                    // Their operands may be places of a frame.
                    Op::Call(_) | Op::Printf(_) | Op::AssertFail(_) | Op::HeapCall(_) => return false,
                    Op::AsyncCopy(_) | Op::Mbarrier(_) | Op::Stack(_) | Op::Unsupported => return false,
                }
                true
            }
        }
    };
}

each_operand! {
    /// Calls `f` with each operand of an operation but the guard. False: there may be others.
    each_slot
}
each_operand! {
    /// Likewise, to be changed.
    each_slot_mut mut
}

/// Calls `f` with the instructions that may come after the one at `pc`, of the same function.
pub(crate) fn each_successor(inst: &Inst, pc: usize, mut f: impl FnMut(u32)) {
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
pub(crate) fn starts(insts: &[Inst], entry: u32) -> Vec<usize> {
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
