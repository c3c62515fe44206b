//! Straight-line arithmetic as machine code.
//!
//! Lowering puts a mark (`Op::Run`) before every run of instructions that `texunit-jit` knows. The
//! instructions stay behind the mark, and the inner loop interprets them until the run has begun often
//! enough for code to pay; then the mark is where the code runs. `TEXUNIT_JIT` is `on`, `off`, or
//! `always`: from the first time on.

mod find;
mod live;
#[cfg(test)]
mod machine_code;
mod setting;
#[cfg(test)]
mod tests;
mod translate;

pub(crate) use find::{lengths, runs_of};
pub(crate) use setting::is_on;
pub use setting::{JitError, JitMode};
pub(crate) use translate::step;

use crate::code::{Code, Slot};
use live::Live;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use texunit_jit::{Block, Function, Source, Step};

/// Instructions that follow each other and are entered at the first one alone.
#[derive(Debug)]
pub(crate) struct Run {
    /// The first instruction, behind the mark.
    first: u32,
    /// How many there are.
    pub(crate) length: u32,
    /// How many of them count.
    pub(crate) steps: u32,
    /// How many of them all lanes take and count.
    pub(crate) whole: u32,
    /// Times that it has been interpreted.
    begun: AtomicU32,
    /// None inside: it has no code.
    code: OnceLock<Option<Function>>,
}

/// All runs of a module, and what is found out for their code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    pub(crate) all: Arc<[Run]>,
    /// By function.
    live: Arc<[OnceLock<Live>]>,
}

impl Run {
    /// The code, if there is one.
    #[inline]
    pub(crate) fn code(&self) -> Option<&Function> {
        self.code.get()?.as_ref()
    }

    /// Counts that it is interpreted. True: once, when code is to be made of it.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.code.get().is_none() && self.begun.fetch_add(1, Relaxed) == setting::threshold()
    }

    /// Makes code of it. Where that cannot be done it is interpreted as before.
    #[cold]
    pub(crate) fn compile(&self, code: &Code) {
        let function = setting::level().zip(self.block(code));
        let function = function.and_then(|(level, b)| texunit_jit::compile(&b, level).ok());
        let _ = self.code.set(function);
    }

    /// What the code does.
    fn block(&self, code: &Code) -> Option<Block> {
        let patched: HashSet<Slot> = code.patches.iter().map(|p| p.slot).collect();
        let source = |slot| source(code, &patched, slot);
        let range = self.first as usize..(self.first + self.length) as usize;
        let steps: Option<Vec<Step>> =
            code.insts.get(range)?.iter().map(|i| translate::step(i, &source)).collect();
        let function = code.funcs.partition_point(|f| f.entry <= self.first).checked_sub(1)?;
        let live = code.runs.live.get(function)?.get_or_init(|| Live::of(code, function));
        let steps = steps?;
        let mut kept = HashSet::new();
        match live.kept(self) {
            Some(places) => kept.extend(places),
            None => steps.iter().for_each(|step| step.each_written(|p| kept.extend([p]))),
        }
        Some(Block { steps, kept })
    }
}

/// Where an operand of the inner loop comes from.
fn source(code: &Code, patched: &HashSet<Slot>, slot: Slot) -> Source {
    let i = slot.index() as u32;
    let constant = |number: Option<u64>, row| match number {
        Some(number) if !patched.contains(&slot) => Source::Literal(number),
        _ => row,
    };
    let constants = &code.constants;
    match (slot.is_constant(), slot.is_wide()) {
        (false, false) => Source::Narrow(i),
        (false, true) => Source::Wide(i),
        (true, false) => {
            let row = constants.narrow.get(slot.index());
            constant(row.map(|r| r[0].into()), Source::Constant(i))
        }
        (true, true) => {
            let row = constants.wide.get(slot.index());
            constant(row.map(|r| r[0]), Source::WideConstant(i))
        }
    }
}
