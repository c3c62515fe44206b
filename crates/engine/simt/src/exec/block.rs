//! The middle loop of the interpreter: executes the lanes of a split in compiled regions, in the
//! inner loop for arithmetic, and directly for uniform branches and frequent memory accesses. It
//! stops at any other instruction, which [`Context::step`] executes.

use super::context::Context;
use super::outcome::Stop;
use super::warp::{Split, Warp, guarded, is_converged};
use crate::code::{MemSpace, NONE, Op, Slot};
use texunit_alu::Kind;

impl Context<'_> {
    /// Executes a split up to an instruction that [`Context::step`] has to execute, or up to the
    /// first backward jump after `limit` steps, which ends the split's time slice (turn).
    pub(super) fn advance(&mut self, warp: &mut Warp, split: &mut Split, limit: &mut u64) -> Stop {
        let code = self.launch.code;
        loop {
            match self.enter(warp, split, limit) {
                None | Some(Stop::Instruction) => {}
                Some(Stop::Elsewhere) => {
                    self.arrives(warp, split);
                    continue;
                }
                Some(Stop::Over) => return Stop::Over,
            }
            let stopped = match code.decoded[split.pc as usize].kind {
                Kind::Leave => self.effect(warp, split),
                Kind::Branch => self.branch(warp, split, *limit),
                Kind::Join if split.group == NONE => {
                    split.pc += 1;
                    None
                }
                Kind::Count | Kind::Issue => {
                    self.count_op(warp, &code.insts[split.pc as usize].op, split.mask);
                    split.pc += 1;
                    None
                }
                _ => self.arithmetic(warp, split, *limit),
            };
            if let Some(stopped) = stopped {
                return stopped;
            }
        }
    }

    /// Executes a uniform branch.
    fn branch(&mut self, warp: &mut Warp, split: &mut Split, limit: u64) -> Option<Stop> {
        let inst = &self.launch.code.insts[split.pc as usize];
        let Op::Branch { target, .. } = inst.op else { return Some(Stop::Instruction) };
        let taken = guarded(warp, split, inst);
        if taken != 0 && taken != split.mask {
            return Some(Stop::Instruction);
        }
        let from = split.pc;
        split.pc = if taken == 0 { from + 1 } else { target };
        self.count(warp, inst, taken);
        if split.pc > from {
            return None;
        }
        self.arrives(warp, split);
        (warp.steps >= limit).then_some(Stop::Over)
    }

    /// Runs the inner loop for a split, which executes arithmetic.
    fn arithmetic(&mut self, warp: &mut Warp, split: &mut Split, limit: u64) -> Option<Stop> {
        let pc = split.pc;
        match self.run_decoded(warp, split, limit) {
            Stop::Instruction if split.pc != pc => {}
            Stop::Elsewhere => self.arrives(warp, split),
            stop => return Some(stop),
        }
        None
    }

    /// Executes a frequent form of memory access for a converged warp.
    fn effect(&mut self, warp: &mut Warp, split: &mut Split) -> Option<Stop> {
        let (pc, live) = (split.pc, warp.live);
        let inst = &self.launch.code.insts[pc as usize];
        let is_looked_at = self.is_random || self.wait_trace.is_some();
        if inst.guard != Slot::TRUE || !is_converged(warp, split) || is_looked_at {
            return Some(Stop::Instruction);
        }
        let done = match &inst.op {
            // Loads of kernel parameters belong to the inner loop, together with the arithmetic
            // that follows.
            Op::Load(access) if access.at.mem_space != MemSpace::KernelParam => {
                self.load_stream(warp, access, live)
            }
            Op::Store(access) => self.store_stream(warp, access, live),
            _ => false,
        };
        if !done {
            return Some(Stop::Instruction);
        }
        self.fill_missed(pc);
        self.count(warp, inst, live);
        split.pc = pc + 1;
        None
    }
}
