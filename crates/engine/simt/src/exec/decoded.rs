//! The inner loop: arithmetic, moves, comparisons and branches that all lanes take, in one function
//! that is built for each SIMD level. Everything else ends it, and the outer loop goes on.

mod arms;
pub(super) mod each;
mod lanes;
#[cfg(test)]
mod tests;

use super::counters::Counts;
use super::outcome::Stop;
use super::warp::Warp;
use crate::code::{Code, Constants, OF_CTA, Slot};
use arms::arm;
use lanes::{Lanes, Spread, Window};
use texunit_alu::words::*;
use texunit_alu::{Kind, L32, inner_rows};
use texunit_unit::Build;

/// What is the same for the whole launch. It is made once: the loop would have to wait for the stores
/// if it were made each time.
pub(super) struct Fixed<'a> {
    pub(super) code: &'a Code,
    /// The code's constants with the addresses of the kernel's shared variables.
    pub(super) constants: &'a Constants,
    pub(super) params: &'a [u8],
}

/// What the instructions of a warp read besides registers.
pub(super) struct Values<'a> {
    pub(super) fixed: &'a Fixed<'a>,
    /// %ctaid, %ntid, %nctaid.
    pub(super) of_cta: &'a [u32; OF_CTA],
    /// %tid of the warp's lanes, by axis.
    pub(super) tid: &'a [L32],
    /// Counters of blocks and branches.
    pub(super) counts: &'a Counts,
}

/// Where a warp is: it begins and ends there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) pc: u32,
    /// Lanes of the split.
    pub(super) mask: u32,
    /// Whether the split is in a group, which `Join` must look at.
    pub(super) grouped: bool,
    pub(super) steps: u64,
    /// Steps after which no branch goes back any more without the scheduler.
    pub(super) limit: u64,
    /// Thread instructions executed.
    pub(super) threads: u64,
    /// Whether jumps back end the loop.
    pub(super) turns: bool,
    /// Why it has stopped.
    pub(super) stop: Stop,
}

/// All that the loop works on. It is handed on by address: copies of it would have to wait for the
/// stores of its fields.
struct Job<'v, 'w> {
    values: &'v Values<'v>,
    lanes: Lanes<'w>,
    place: &'w mut Place,
}

impl Job<'_, '_> {
    #[inline(always)]
    fn run(&mut self, level: Build) {
        level.run(
            #[inline(always)]
            || run_inline(self),
        );
    }
}

/// What an arm of the loop has left to do.
enum Put {
    /// Nothing.
    Executed,
    /// `narrow` goes to the destination.
    Narrow,
    /// `wide` goes there.
    Wide,
}

/// The loop, with an arm for each row of the table. It ends before an instruction that is not its
/// own, at a branch that divides the lanes, or at the limit.
macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        #[inline(always)]
        fn run_inline(job: &mut Job<'_, '_>) {
            // Locals, so that the compiler knows that no store changes them.
            let Job { values, lanes, place } = job;
            let Lanes { narrow, wide, predicates, constants, live } = lanes;
            let (narrow, wide, predicates) = (&mut **narrow, &mut **wide, &mut **predicates);
            let (constants, live) = (*constants, *live);
            let constants = Spread { narrow: &constants.narrow, wide: &constants.wide };
            let decoded = &values.fixed.code.decoded[..];
            let Place { mut pc, mask: active, grouped, mut steps, limit, mut threads, turns, .. } = **place;
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
                // Those that are not ours count where they run.
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
                    $($(Kind::$name => arm!($section lanes inst mask n w predicates |$($arg),*| $value),)*)*
                    Kind::MovNarrow => {
                        n = *lanes.n(inst.s[0]);
                        Put::Narrow
                    }
                    Kind::MovWide => {
                        w = *lanes.w(inst.s[0]);
                        Put::Wide
                    }
                    Kind::SelectNarrow => {
                        n = *lanes.n(inst.s[1]);
                        each::merge(&mut n, lanes.n(inst.s[0]), lanes.p(inst.s[2]));
                        Put::Narrow
                    }
                    Kind::SelectWide => {
                        w = *lanes.w(inst.s[1]);
                        each::merge(&mut w, lanes.w(inst.s[0]), lanes.p(inst.s[2]));
                        Put::Wide
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
                        Put::Executed
                    }
                    Kind::Nop => Put::Executed,
                    Kind::Count => {
                        let of = if inst.s[1] == Slot::TRUE { mask } else { lanes.p(inst.s[1]) };
                        values.counts.add((inst.s[0].as_number(), inst.s[1]), mask, of);
                        Put::Executed
                    }
                    Kind::Issue => {
                        let of = if inst.s[1] == Slot::TRUE { mask } else { lanes.p(inst.s[1]) };
                        values.counts.issue((inst.s[0].as_number(), inst.s[1]), mask, of);
                        Put::Executed
                    }
                    Kind::Call => {
                        let constants = values.fixed.constants;
                        let mut all = Lanes { narrow, wide, predicates, constants, live };
                        all.call(&values.fixed.code.insts[pc as usize].op, mask);
                        Put::Executed
                    }
                    Kind::OfCta => {
                        n = [values.of_cta[inst.s[0].as_number() as usize]; 32];
                        Put::Narrow
                    }
                    Kind::Tid => {
                        n = values.tid[inst.s[0].as_number() as usize];
                        Put::Narrow
                    }
                    Kind::ParamNarrow => match word(values.fixed.params, inst.s[0]) {
                        Some(bytes) => {
                            n = [u32::from_le_bytes(bytes); 32];
                            Put::Narrow
                        }
                        None => leave!(),
                    },
                    Kind::ParamWide => match word(values.fixed.params, inst.s[0]) {
                        Some(bytes) => {
                            w = [u64::from_le_bytes(bytes); 32];
                            Put::Wide
                        }
                        None => leave!(),
                    },
                    Kind::Leave => leave!(),
                };
                match put {
                    Put::Narrow if mask == live => narrow[inst.d.index()] = n,
                    Put::Narrow => each::merge(&mut narrow[inst.d.index()], &n, mask),
                    Put::Wide if mask == live => wide[inst.d.index()] = w,
                    Put::Wide => each::merge(&mut wide[inst.d.index()], &w, mask),
                    Put::Executed => {}
                }
                pc += 1;
            };
            (place.pc, place.steps) = (pc, steps);
            (place.threads, place.stop) = (threads, stop);
        }
    };
}
inner_rows!(define!());

/// Bytes of the parameters at an offset, if they have so many.
#[inline(always)]
fn word<const N: usize>(params: &[u8], at: Slot) -> Option<[u8; N]> {
    params.get(at.as_number() as usize..)?.first_chunk().copied()
}

/// Runs the instructions of the inner loop from `place` on, which becomes where it has ended.
pub(super) fn run(level: Build, values: &Values<'_>, warp: &mut Warp, place: &mut Place) {
    let live = warp.live;
    let (narrow, wide, predicates) = warp.windows();
    let lanes = Lanes { narrow, wide, predicates, constants: values.fixed.constants, live };
    Job { values, lanes, place }.run(level);
}
