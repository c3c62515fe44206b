//! The middle loop of the interpreter: executes the lanes of a split in compiled regions, and in the
//! inner loop for arithmetic and uniform branches. It stops at any other instruction, which
//! [`Context::step`] executes.

use super::context::Context;
use super::outcome::Stop;
use super::warp::{Split, Warp};
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
            let pc = split.pc;
            if code.decoded[pc as usize].kind == Kind::Leave {
                return Stop::Instruction;
            }
            match self.run_decoded(warp, split, *limit) {
                Stop::Instruction if split.pc != pc => {}
                Stop::Elsewhere => self.arrives(warp, split),
                stop => return stop,
            }
        }
    }
}
