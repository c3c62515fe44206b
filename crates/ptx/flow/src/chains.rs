//! Which writes reach a read, and which reads see a write: found for one register at a time.
//!
//! Most registers are written once or in few blocks, so that a search from the place of a question is
//! quicker than sets of all writes for each block.

use crate::{Access, Cfg, Code, Edges};
use std::ops::{ControlFlow, Range};

/// The instructions that read, or that write, each register.
#[derive(Clone, Debug)]
pub struct Index(Edges);

impl Index {
    /// The instructions that do this to each register for which `wanted` holds.
    pub fn new(code: &impl Code, access: Access, wanted: impl Fn(u32) -> bool) -> Self {
        let mut list: Vec<(u32, u32)> = Vec::new();
        for at in 0..code.instructions() as u32 {
            let first = list.len();
            code.operands(at as usize, |reg, does| {
                let is_new = || !list[first..].contains(&(reg, at));
                if does == access && wanted(reg) && is_new() {
                    list.push((reg, at));
                }
            });
        }
        Self(Edges::new(code.registers(), &list))
    }

    /// The instructions that write each register.
    pub fn definitions(code: &impl Code) -> Self {
        Self::new(code, Access::Def, |_| true)
    }

    /// The instructions of a register, in the order of the text.
    pub fn of(&self, reg: u32) -> &[u32] {
        self.0.of(reg)
    }

    /// The instructions of a register in a range, in the order of the text.
    pub fn within(&self, reg: u32, range: Range<usize>) -> &[u32] {
        let list = self.of(reg);
        let at = |end: usize| list.partition_point(|&inst| (inst as usize) < end);
        let first = at(range.start);
        &list[first..at(range.end).max(first)]
    }

    /// The last instruction of a register in a range.
    pub fn last_within(&self, reg: u32, range: Range<usize>) -> Option<usize> {
        self.within(reg, range).last().map(|&inst| inst as usize)
    }
}

/// The writes of a register that reach an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reaching {
    /// The instructions that write it, in the order of the text.
    pub definitions: Vec<u32>,
    /// Whether some path from the beginning of the function has no write.
    pub unwritten: bool,
}

impl Reaching {
    /// Adds the writes in a range of instructions that reach its end. True: no write before the range does.
    fn within(
        &mut self,
        code: &impl Code,
        definitions: &Index,
        reg: u32,
        range: Range<usize>,
    ) -> bool {
        for &write in definitions.within(reg, range).iter().rev() {
            self.definitions.push(write);
            if !code.is_guarded(write as usize) {
                return true;
            }
        }
        false
    }
}

/// The writes of a register that reach an instruction, from its own block, and whether those from the
/// blocks before do, too.
pub fn reaching_in_block(
    code: &impl Code,
    cfg: &Cfg,
    definitions: &Index,
    (reg, at): (u32, usize),
) -> (Vec<u32>, bool) {
    let mut found = Reaching::default();
    let range = cfg.range(cfg.block_of(at)).start..at;
    let closed = found.within(code, definitions, reg, range);
    (found.definitions, !closed)
}

/// The writes of a register that reach the beginning of a block. Takes the number of blocks visited off
/// `left`; `None` where that would be more than there is.
pub fn reaching_definitions(
    code: &impl Code,
    cfg: &Cfg,
    definitions: &Index,
    (reg, block): (u32, u32),
    left: &mut usize,
) -> Option<Reaching> {
    let mut found = Reaching { unwritten: block == 0, ..Reaching::default() };
    let mut seen = std::collections::HashSet::new();
    let mut stack: Vec<u32> = cfg.predecessors.of(block).to_vec();
    while let Some(block) = stack.pop() {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return None;
        }
        if seen.insert(block) && !found.within(code, definitions, reg, cfg.range(block)) {
            found.unwritten |= block == 0;
            stack.extend(cfg.predecessors.of(block));
        }
    }
    found.definitions.sort_unstable();
    found.definitions.dedup();
    Some(found)
}

/// Calls `f` with each instruction that may read what instruction `at` leaves in a register, until `f`
/// breaks. Takes the number of blocks and edges visited off `left`; breaks, too, where that would be
/// more than there is.
pub fn reached_uses(
    code: &impl Code,
    cfg: &Cfg,
    (uses, definitions): (&Index, &Index),
    (reg, at): (u32, usize),
    left: &mut usize,
    mut f: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    // True: the value may be there behind the range.
    let mut within = |range: Range<usize>| {
        let mut writes = definitions.within(reg, range.clone()).iter();
        let end = writes.find(|&&write| !code.is_guarded(write as usize));
        let last = end.map_or(range.end, |&write| write as usize + 1);
        for &read in uses.within(reg, range.start..last) {
            f(read as usize)?;
        }
        ControlFlow::Continue(end.is_none())
    };
    let block = cfg.block_of(at);
    let mut passed = Vec::new();
    if within(at + 1..cfg.range(block).end)? {
        passed.push(block);
    }
    let mut seen = std::collections::HashSet::new();
    while let Some(block) = passed.pop() {
        let next = cfg.successors.of(block);
        *left = left.saturating_sub(1 + next.len());
        if *left == 0 {
            return ControlFlow::Break(());
        }
        for &block in next {
            if block != cfg.exit() && seen.insert(block) && within(cfg.range(block))? {
                passed.push(block);
            }
        }
    }
    ControlFlow::Continue(())
}
