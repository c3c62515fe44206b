//! Lowers branches, exits, barriers, and operations that the lanes of a warp execute together.

use super::builder::Builder;
use crate::code::{Barrier, BarrierKind, NONE, Op, Shuffle, Slot};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{MatchMode, Opcode, ScalarType, VoteMode};

impl<'a> Builder<'a> {
    pub(super) fn control(&mut self, inst: &'a Instruction) -> Option<()> {
        match inst.opcode {
            Opcode::Bra => {
                let Some(Operand::Label(label)) = inst.operands.first() else { return None };
                self.emit(Op::Branch { target: label.0, reconverge: NONE })
            }
            Opcode::Brx => {
                let [index, Operand::Targets(targets)] = &inst.operands[..] else { return None };
                let index = self.narrow(index)?;
                let targets = targets.iter().map(|t| t.0).collect();
                let op = Op::BranchIndexed { index, targets, reconverge: NONE };
                self.unguarded(|b| b.emit(op))
            }
            Opcode::Ret if self.function.is_entry => self.emit(Op::Exit),
            Opcode::Ret => self.unguarded(|b| {
                b.epilogue();
                b.emit(Op::Return)
            }),
            Opcode::Exit => self.emit(Op::Exit),
            Opcode::Trap => self.emit(Op::Trap),
            Opcode::Brkpt => self.emit(Op::Breakpoint),
            // The thread does not sleep, but other warps run first.
            Opcode::Nanosleep => {
                self.needs.may_wait = true;
                self.emit(Op::Yield)
            }
            Opcode::Activemask => {
                let d = self.destination(inst.operands.first()?)?;
                self.emit(Op::ActiveMask { d })
            }
            // Memory is accessed in program order and without latency, so fences, prefetches and
            // hints have no effect.
            _ => self.emit(Op::Nop),
        }
    }

    /// Lowers an instruction that can make the lanes of its guard diverge: other lanes branch
    /// around it.
    pub(super) fn unguarded<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.guard == Slot::TRUE {
            return f(self);
        }
        let (around, guard) = (self.label(), self.guard);
        self.guard = guard.negated();
        self.finisher(Op::Branch { target: around, reconverge: NONE });
        self.guard = Slot::TRUE;
        let result = f(self);
        self.guard = guard;
        self.place(around);
        result
    }

    pub(super) fn barrier(&mut self, inst: &'a Instruction) -> Option<()> {
        let m = &inst.mods;
        let ops = &inst.operands;
        if m.warp {
            let mask = self.narrow(ops.first()?)?;
            return self.unguarded(|b| b.emit(Op::WarpSync { mask }));
        }
        if m.acts("cluster") {
            return self.unguarded(|b| b.emit(Op::ClusterBarrier { waits: m.acts("wait") }));
        }
        let kind = match (m.arrive, m.red, m.red_op) {
            (true, _, _) => BarrierKind::Arrive,
            (_, true, None) => BarrierKind::Popc,
            (_, true, Some(op)) => BarrierKind::Reduce(op),
            _ => BarrierKind::Sync,
        };
        let (d, rest, p) = if m.red {
            let [d, rest @ .., p] = &ops[..] else { return None };
            (self.destination(d)?, rest, self.predicate(p)?)
        } else {
            (Slot::NONE, &ops[..], Slot::FALSE)
        };
        let id = self.source_at(rest, 0, false)?;
        let threads = rest.get(1).map_or(Some(Slot::NONE), |threads| self.narrow(threads))?;
        let barrier = Barrier { kind, id, threads, d, p };
        self.unguarded(|b| b.emit(Op::Barrier(Box::new(barrier))))
    }

    /// The member mask of `.sync` forms.
    fn members(&mut self, inst: &'a Instruction, at: usize) -> Option<Slot> {
        if !inst.mods.sync {
            return Some(Slot::NONE);
        }
        self.narrow(inst.operands.get(at)?)
    }

    pub(super) fn shuffle(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, p, a, b, c, ..] = &inst.operands[..] else { return None };
        let op = Shuffle {
            mode: inst.mods.shfl?,
            d: self.destination(d)?,
            p: self.destination(p)?,
            a: self.narrow(a)?,
            b: self.narrow(b)?,
            c: self.narrow(c)?,
            members: self.members(inst, 5)?,
        };
        self.unguarded(|b| b.emit(Op::Shuffle(Box::new(op))))
    }

    pub(super) fn vote(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, p, ..] = &inst.operands[..] else { return None };
        let mode = inst.mods.vote?;
        let (d, p) = (self.destination(d)?, self.predicate(p)?);
        if !d.is_none() && d.is_predicate() == (mode == VoteMode::Ballot) {
            return None;
        }
        let members = self.members(inst, 2)?;
        self.unguarded(|b| b.emit(Op::Vote { mode, d, p, members }))
    }

    pub(super) fn matching(&mut self, inst: &'a Instruction) -> Option<()> {
        let mode = inst.mods.matching?;
        let all = mode == MatchMode::All;
        let sources = &inst.operands[1 + usize::from(all)..];
        let d = self.destination(inst.operands.first()?)?;
        let p = if all { self.destination(inst.operands.get(1)?)? } else { Slot::NONE };
        let a = self.source(sources.first()?, inst.mods.ty()?.bits() == 64)?;
        let members = self.narrow(sources.get(1)?)?;
        self.unguarded(|b| b.emit(Op::Match { mode, d, p, a, members }))
    }

    pub(super) fn redux(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a, members] = &inst.operands[..] else { return None };
        let (op, ty) = (inst.mods.redux?, inst.mods.ty()?);
        if !matches!(ty, ScalarType::U32 | ScalarType::S32 | ScalarType::B32) {
            return None;
        }
        let (d, a, members) = (self.destination(d)?, self.narrow(a)?, self.narrow(members)?);
        self.unguarded(|b| b.emit(Op::Redux { op, ty, d, a, members }))
    }
}
