//! The middle loop of the interpreter: executes the lanes of a split in compiled regions, in the
//! inner loop for arithmetic and uniform branches, and frequent memory accesses directly. It
//! stops at any other instruction, which [`Context::step`] executes.

use super::context::Context;
use super::outcome::Stop;
use super::warp::{Split, Warp, is_converged};
use crate::code::{MemSpace, Op, Slot};
use texunit_alu::Kind;

impl Context<'_> {
    /// Executes a split up to an instruction for [`Context::step`], or to the first backward jump
    /// after `limit` steps, which ends its turn.
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
                _ => self.arithmetic(warp, split, *limit),
            };
            if let Some(stopped) = stopped {
                return stopped;
            }
        }
    }

    /// Runs the inner loop.
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
            Op::Load(access) if access.mem_space != MemSpace::KernelParam => {
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
