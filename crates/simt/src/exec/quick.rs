//! The inner loop: arithmetic, moves, comparisons and branches that all lanes take, in one function
//! that is built for each SIMD level. Everything else ends it, and the outer loop goes on.

pub(super) mod each;
mod lanes;
#[cfg(test)]
mod tests;

use super::warp::Warp;
use crate::alu::{Kind, L32, f, kinds};
use crate::code::{Constants, Inst, Quick, Slot};
use crate::simd::Level;
use lanes::{Lanes, Spread, Window};

/// What the instructions of a CTA read besides registers.
pub(super) struct Values<'a> {
    pub(super) insts: &'a [Inst],
    pub(super) quick: &'a [Quick],
    pub(super) constants: &'a Constants,
    pub(super) params: &'a [u8],
    /// %ctaid, %ntid, %nctaid.
    pub(super) of_cta: &'a [u32; 9],
    /// %tid of the warp's lanes.
    pub(super) tid: &'a [L32; 3],
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
    /// Steps after which no branch is taken any more without the scheduler.
    pub(super) limit: u64,
    /// Thread instructions executed.
    pub(super) threads: u64,
    /// Whether the limit has ended the loop.
    pub(super) over: bool,
}

/// What an arm of the loop has left to do.
enum Put {
    /// Nothing.
    Done,
    /// `narrow` goes to the destination.
    Narrow,
    /// `wide` goes there.
    Wide,
}

/// An arm of the loop for a row of the table: operands by the section's widths.
macro_rules! arm {
    (narrow $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident| $e:expr) => {{
        each::one(
            &mut $n,
            $l.n($i.s[0]),
            #[inline(always)]
            |$a: u32| $e,
        );
        Put::Narrow
    }};
    (narrow $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.n($i.s[0]), $l.n($i.s[1]));
        each::two(
            &mut $n,
            a,
            b,
            #[inline(always)]
            |$a: u32, $b: u32| $e,
        );
        Put::Narrow
    }};
    (narrow $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident, $c:ident| $e:expr) => {{
        let sources = ($l.n($i.s[0]), $l.n($i.s[1]), $l.n($i.s[2]));
        each::three(
            &mut $n,
            sources,
            #[inline(always)]
            |$a: u32, $b: u32, $c: u32| $e,
        );
        Put::Narrow
    }};
    (wide $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.w($i.s[0]), $l.w($i.s[1]));
        each::two(
            &mut $w,
            a,
            b,
            #[inline(always)]
            |$a: u64, $b: u64| $e,
        );
        Put::Wide
    }};
    (widen $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident| $e:expr) => {{
        each::one(
            &mut $w,
            $l.n($i.s[0]),
            #[inline(always)]
            |$a: u32| $e,
        );
        Put::Wide
    }};
    (widen $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.n($i.s[0]), $l.n($i.s[1]));
        each::two(
            &mut $w,
            a,
            b,
            #[inline(always)]
            |$a: u32, $b: u32| $e,
        );
        Put::Wide
    }};
    (widen $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident, $c:ident| $e:expr) => {{
        let sources = ($l.n($i.s[0]), $l.n($i.s[1]), $l.w($i.s[2]));
        each::three(
            &mut $w,
            sources,
            #[inline(always)]
            |$a: u32, $b: u32, $c: u64| $e,
        );
        Put::Wide
    }};
    (cut $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident| $e:expr) => {{
        each::one(
            &mut $n,
            $l.w($i.s[0]),
            #[inline(always)]
            |$a: u64| $e,
        );
        Put::Narrow
    }};
    (shift $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.w($i.s[0]), $l.n($i.s[1]));
        each::two(
            &mut $w,
            a,
            b,
            #[inline(always)]
            |$a: u64, $b: u32| $e,
        );
        Put::Wide
    }};
    (compare $l:ident $i:ident $m:ident $n:ident $w:ident $p:ident |$a:ident, $b:ident| $e:expr) => {{
        let (a, b) = ($l.n($i.s[0]), $l.n($i.s[1]));
        let holds = each::holds(
            a,
            b,
            #[inline(always)]
            |$a: u32, $b: u32| $e,
        );
        let to = &mut $p[$i.d.predicate_index()];
        *to = (*to & !$m) | (holds & $m);
        Put::Done
    }};
}

/// The loop, with an arm for each row of the table. It ends before an instruction that is not its
/// own, at a branch that divides the lanes, or at the limit.
macro_rules! define {
    ([] $($section:ident { $($name:ident [$($text:literal),*] |$($arg:ident),*| $value:expr;)* })*) => {
        #[inline(always)]
        #[allow(clippy::neg_cmp_op_on_partial_ord)] // What the unordered operators mean.
        fn run_inline(values: &Values<'_>, lanes: Lanes<'_>, place: Place) -> Place {
            // Locals, so that the compiler knows that no store changes them.
            let Lanes { narrow, wide, predicates, constants, live } = lanes;
            let constants = Spread { narrow: &constants.narrow, wide: &constants.wide };
            let quick = values.quick;
            let Place { mut pc, mask: whole, grouped, mut steps, limit, mut threads, .. } = place;
            let (mut n, mut w) = ([0u32; 32], [0u64; 32]);
            let over = loop {
                let inst = &quick[pc as usize];
                let lanes = Window { narrow, wide, predicates, constants };
                let mask =
                    if inst.guard == Slot::TRUE { whole } else { whole & lanes.p(inst.guard) };
                let count = u64::from(inst.count);
                let active = count * u64::from(mask.count_ones());
                steps += count;
                threads += active;
                // Those that are not ours count where they run.
                macro_rules! leave {
                    () => {{
                        steps -= count;
                        threads -= active;
                        break false;
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
                        if mask != whole {
                            leave!();
                        }
                        pc = inst.s[0].as_number();
                        if steps >= limit {
                            break true;
                        }
                        continue;
                    }
                    Kind::Join => {
                        if grouped {
                            leave!();
                        }
                        Put::Done
                    }
                    Kind::Nop => Put::Done,
                    Kind::Call => {
                        let constants = values.constants;
                        let mut all = Lanes { narrow, wide, predicates, constants, live };
                        all.call(&values.insts[pc as usize].op, mask);
                        Put::Done
                    }
                    Kind::OfCta => {
                        n = [values.of_cta[inst.s[0].as_number() as usize]; 32];
                        Put::Narrow
                    }
                    Kind::Tid => {
                        n = values.tid[inst.s[0].as_number() as usize];
                        Put::Narrow
                    }
                    Kind::ParamNarrow => match word(values.params, inst.s[0]) {
                        Some(bytes) => {
                            n = [u32::from_le_bytes(bytes); 32];
                            Put::Narrow
                        }
                        None => leave!(),
                    },
                    Kind::ParamWide => match word(values.params, inst.s[0]) {
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
                    Put::Done => {}
                }
                pc += 1;
            };
            Place { pc, steps, threads, over, ..place }
        }
    };
}
kinds!(define!());

/// Bytes of the parameters at an offset, if they have so many.
#[inline(always)]
fn word<const N: usize>(params: &[u8], at: Slot) -> Option<[u8; N]> {
    params.get(at.as_number() as usize..)?.first_chunk().copied()
}

/// Runs the instructions of the inner loop from `place` on; where it ended, and why.
pub(super) fn run(level: Level, values: &Values<'_>, warp: &mut Warp, place: Place) -> Place {
    let live = warp.live;
    let (narrow, wide, predicates) = warp.windows();
    let lanes = Lanes { narrow, wide, predicates, constants: values.constants, live };
    level.run(
        #[inline(always)]
        move || run_inline(values, lanes, place),
    )
}
