//! The loop of the interpreter: runs the lanes of a split as far as nobody has to be asked. Regions, arithmetic (by the
//! inner loop), branches that all lanes take or none, and usual accesses are done here; anything else ends it, and is
//! [`Context::step`]'s.

use super::context::Context;
use super::outcome::Stop;
use super::warp::{Split, Warp, guarded, is_converged};
use crate::code::{NONE, Op, Place, Slot};
use texunit_alu::Kind;

impl Context<'_> {
    /// Runs a split up to an instruction that has to be looked at, or to the end of its turn, which goes to `limit` steps:
    /// at a jump back it is over.
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
                Kind::Count => {
                    let Op::Count { counter, of } = code.insts[split.pc as usize].op else {
                        return Stop::Instruction;
                    };
                    self.count_lanes(warp, (counter, of), split.mask);
                    split.pc += 1;
                    None
                }
                Kind::Issue => {
                    let Op::Issue { counter, of } = code.insts[split.pc as usize].op else {
                        return Stop::Instruction;
                    };
                    self.count_issue(warp, (counter, of), split.mask);
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

    /// A branch that does not divide the lanes.
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

    /// What the inner loop does.
    fn arithmetic(&mut self, warp: &mut Warp, split: &mut Split, limit: u64) -> Option<Stop> {
        let pc = split.pc;
        match self.run_decoded(warp, split, limit) {
            Stop::Instruction if split.pc != pc => {}
            Stop::Elsewhere => self.arrives(warp, split),
            stop => return Some(stop),
        }
        None
    }

    /// A usual access of all lanes of a warp.
    fn effect(&mut self, warp: &mut Warp, split: &mut Split) -> Option<Stop> {
        let (pc, live) = (split.pc, warp.live);
        let inst = &self.launch.code.insts[pc as usize];
        let is_looked_at = self.is_random || self.wait_trace.is_some();
        if inst.guard != Slot::TRUE || !is_converged(warp, split) || is_looked_at {
            return Some(Stop::Instruction);
        }
        let done = match &inst.op {
            // The inner loop has parameters, with the arithmetic behind them.
            Op::Load(access) if access.place != Place::KernelParam => {
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
