//! Which instructions make a run.

use super::{Run, Runs, translate};
use crate::code::{Code, Inst, Op};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use texunit_jit::{Action, Predicate, Source, Step};

/// Instructions that are worth the way to the code and back.
const LEAST: usize = 2;
/// Longer ones are divided, so that code is made in no time.
const MOST: usize = 512;

/// The step of an instruction, as far as it does not depend on numbers.
fn shape(inst: &Inst) -> Option<Step> {
    translate::step(inst, &|slot| Source::Narrow(slot.index() as u32))
}

/// The length of the run that begins at each instruction, or 0. `is_entered`: what jumps lead to.
pub(crate) fn lengths(insts: &[Inst], is_entered: &[bool]) -> Vec<u32> {
    let mut lengths = vec![0; insts.len()];
    if !super::is_on() {
        return lengths;
    }
    let (mut start, mut work) = (0, 0);
    for i in 0..=insts.len() {
        let step = insts.get(i).and_then(shape);
        let divided = is_entered.get(i).is_none_or(|&is| is) || i - start >= MOST;
        if step.is_none() || divided {
            if work >= LEAST {
                lengths[start] = (i - start) as u32;
            }
            (start, work) = (i, 0);
        }
        match step {
            Some(step) => work += usize::from(step.action != Action::Nothing),
            None => start = i + 1,
        }
    }
    lengths
}

/// All runs of a code, by the marks in it, which get their numbers.
pub(crate) fn runs_of(code: &mut Code) -> Runs {
    let mut all = Vec::new();
    for i in 0..code.insts.len() {
        let Op::Run { length, .. } = code.insts[i].op else { continue };
        let steps = &code.insts[i + 1..][..length as usize];
        let counted = steps.iter().filter(|inst| inst.count != 0);
        let whole = counted
            .clone()
            .filter(|inst| shape(inst).is_some_and(|step| step.guard == Predicate::Always));
        all.push(Run {
            first: i as u32 + 1,
            length,
            steps: counted.clone().count() as u32,
            whole: whole.count() as u32,
            begun: AtomicU32::new(0),
            code: OnceLock::new(),
        });
        code.insts[i].op = Op::Run { length, number: all.len() as u32 - 1 };
    }
    Runs { all: all.into(), live: code.funcs.iter().map(|_| OnceLock::new()).collect() }
}
