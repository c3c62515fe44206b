//! The inner loop of the interpreter: executes arithmetic, moves, comparisons and uniform branches
//! in a single function that is compiled with AVX2 and without. Any other instruction ends the
//! loop.

mod arms;
pub(super) mod each;
mod lanes;
#[cfg(test)]
mod tests;

use super::counters::Counts;
use super::outcome::Stop;
use super::warp::Warp;
use crate::code::{Code, Constants, OF_CTA, Slot};
use arms::{apply, arm};
use lanes::{Spread, Window};
use texunit_alu::words::*;
use texunit_alu::{Kind, L32, inner_rows};
use texunit_unit::Build;

/// Inputs that are constant during a launch. The structure is built only once, because the loop
/// would wait for the stores that build it.
pub(super) struct LaunchInputs<'a> {
    pub(super) code: &'a Code,
    /// The constants of the code, with the addresses of the kernel's shared variables.
    pub(super) constants: &'a Constants,
    pub(super) params: &'a [u8],
}

/// Inputs of a warp's instructions besides registers.
pub(super) struct WarpInputs<'a> {
    pub(super) fixed: &'a LaunchInputs<'a>,
    /// Values that are equal for all threads of the CTA.
    pub(super) of_cta: &'a [u32; OF_CTA],
    /// `%tid` of the warp's lanes, by component.
    pub(super) tid: &'a [L32],
    /// Counters of blocks and branches.
    pub(super) counts: &'a Counts,
}

/// Position and progress of a warp's split, updated by the inner loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) pc: u32,
    /// Active lanes of the split.
    pub(super) mask: u32,
    /// Whether the split has a reconvergence group, so that the loop must end at [`Kind::Join`].
    pub(super) grouped: bool,
    pub(super) steps: u64,
    /// Number of steps after which a taken backward branch ends the inner loop.
    pub(super) limit: u64,
    /// Number of executed thread instructions.
    pub(super) threads: u64,
    /// Whether the inner loop ends at every taken backward branch, even before the step limit,
    /// because the branch may lead to a compiled region.
    pub(super) turns: bool,
    /// Why the inner loop has stopped.
    pub(super) stop: Stop,
}

/// All inputs of the inner loop. The structure is passed by reference, because a copy would wait
/// for the stores of its fields.
struct InnerLoop<'v, 'w> {
    values: &'v WarpInputs<'v>,
    warp: &'w mut Warp,
    progress: &'w mut Progress,
}

/// Where the result of an operation is after the operation's match arm in the inner loop.
enum ArmResult {
    /// The arm has stored its result.
    Done,
    /// The result is in `narrow`, from which it is stored in the destination.
    Narrow,
    /// The result is in `wide`, from which it is stored in the destination.
    Wide,
}

/// Defines the inner loop, with a match arm for each operation of the ALU table. The loop ends
/// before an instruction that it does not handle, at a divergent branch, or at the step limit.
macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        #[inline(always)]
        fn run_inline(job: &mut InnerLoop<'_, '_>) {
            // The inputs are copied to local variables, so that the compiler sees that no store
            // changes them.
            let InnerLoop { values, warp, progress } = job;
            let (constants, live) = (values.fixed.constants, warp.live);
            let constants = Spread { narrow: &constants.narrow, wide: &constants.wide };
            let (mut narrow, mut wide, mut predicates) = warp.windows();
            let decoded = &values.fixed.code.decoded[..];
            let Progress { mut pc, mask: active, grouped, mut steps, limit, mut threads, turns, .. } = **progress;
            let (mut n, mut w) = ([0u32; 32], [0u64; 32]);
            let stop = loop {
                let inst = &decoded[pc as usize];
                let lanes = Window { narrow, wide, predicates, constants };
                let mask =
                    if inst.guard == Slot::TRUE { active } else { active & lanes.p(inst.guard) };
                let count = u64::from(inst.count);
                let of_lanes = count * u64::from(mask.count_ones());
                steps += count;
                threads += of_lanes;
                // Instructions that the loop does not handle are counted where they are executed.
                macro_rules! leave {
                    () => {{
                        steps -= count;
                        threads -= of_lanes;
                        break Stop::Instruction;
                    }};
                }
                if mask == 0 {
                    pc += 1;
                    continue;
                }
                let put = match inst.kind {
                    $($(Kind::$name => arm!($section (lanes inst mask n w predicates) |$($arg),*| $value),)*)*
                    Kind::MovNarrow => {
                        n = *lanes.n(inst.s[0]);
                        ArmResult::Narrow
                    }
                    Kind::MovWide => {
                        w = *lanes.w(inst.s[0]);
                        ArmResult::Wide
                    }
                    Kind::SelectNarrow => {
                        n = *lanes.n(inst.s[1]);
                        each::merge(&mut n, lanes.n(inst.s[0]), lanes.p(inst.s[2]));
                        ArmResult::Narrow
                    }
                    Kind::SelectWide => {
                        w = *lanes.w(inst.s[1]);
                        each::merge(&mut w, lanes.w(inst.s[0]), lanes.p(inst.s[2]));
                        ArmResult::Wide
                    }
                    Kind::Branch => {
                        if mask != active {
                            leave!();
                        }
                        let from = pc;
                        pc = inst.s[0].as_number();
                        if pc <= from {
                            if steps >= limit {
                                break Stop::Over;
                            }
                            if turns {
                                break Stop::Elsewhere;
                            }
                        }
                        continue;
                    }
                    Kind::Join => {
                        if grouped {
                            leave!();
                        }
                        ArmResult::Done
                    }
                    Kind::Nop => ArmResult::Done,
                    Kind::Count => {
                        let of = if inst.s[1] == Slot::TRUE { mask } else { lanes.p(inst.s[1]) };
                        values.counts.add((inst.s[0].as_number(), inst.s[1]), mask, of);
                        ArmResult::Done
                    }
                    Kind::Issue => {
                        let of = if inst.s[1] == Slot::TRUE { mask } else { lanes.p(inst.s[1]) };
                        values.counts.issue((inst.s[0].as_number(), inst.s[1]), mask, of);
                        ArmResult::Done
                    }
                    Kind::Call => {
                        let op = &values.fixed.code.insts[pc as usize].op;
                        warp.call(values.fixed.constants, op, mask);
                        (narrow, wide, predicates) = warp.windows();
                        ArmResult::Done
                    }
                    Kind::OfCta => {
                        n = [values.of_cta[inst.s[0].as_number() as usize]; 32];
                        ArmResult::Narrow
                    }
                    Kind::Tid => {
                        n = values.tid[inst.s[0].as_number() as usize];
                        ArmResult::Narrow
                    }
                    Kind::ParamNarrow => {
                        let Some(bytes) = word(values.fixed.params, inst.s[0]) else { leave!() };
                        n = [u32::from_le_bytes(bytes); 32];
                        ArmResult::Narrow
                    }
                    Kind::ParamWide => {
                        let Some(bytes) = word(values.fixed.params, inst.s[0]) else { leave!() };
                        w = [u64::from_le_bytes(bytes); 32];
                        ArmResult::Wide
                    }
                    Kind::Leave => leave!(),
                };
                match put {
                    ArmResult::Narrow if mask == live => narrow[inst.d.index()] = n,
                    ArmResult::Narrow => each::merge(&mut narrow[inst.d.index()], &n, mask),
                    ArmResult::Wide if mask == live => wide[inst.d.index()] = w,
                    ArmResult::Wide => each::merge(&mut wide[inst.d.index()], &w, mask),
                    ArmResult::Done => {}
                }
                pc += 1;
            };
            (progress.pc, progress.steps) = (pc, steps);
            (progress.threads, progress.stop) = (threads, stop);
        }
    };
}
inner_rows!(define!());

/// `N` bytes of the kernel parameters at an offset; `None` if they extend past the parameters' end.
#[inline(always)]
fn word<const N: usize>(params: &[u8], at: Slot) -> Option<[u8; N]> {
    params.get(at.as_number() as usize..)?.first_chunk().copied()
}

/// Executes instructions in the inner loop from the position in `progress` on, and updates
/// `progress`.
pub(super) fn run(level: Build, values: &WarpInputs<'_>, warp: &mut Warp, progress: &mut Progress) {
    let mut job = InnerLoop { values, warp, progress };
    level.run_narrow(
        #[inline(always)]
        || run_inline(&mut job),
    );
}
