//! Which writes reach a read, and which reads see a write: found for one register at a time.
//!
//! Most registers are written once or in few blocks, so that a search from the place of a question is
//! quicker than sets of all writes for each block.

use crate::{Access, Cfg, Code, Control, Edges};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

/// The instructions that write each register.
#[derive(Clone, Debug)]
pub struct Definitions(Edges);

impl Definitions {
    /// The definitions of a function.
    pub fn new(code: &impl Code) -> Self {
        let mut list: Vec<(u32, u32)> = Vec::new();
        for at in 0..code.instructions() as u32 {
            let first = list.len();
            code.operands(at as usize, |reg, access| {
                if access == Access::Def && !list[first..].contains(&(reg, at)) {
                    list.push((reg, at));
                }
            });
        }
        Self(Edges::new(code.registers(), &list))
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
        definitions: &Definitions,
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
    definitions: &Definitions,
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
    definitions: &Definitions,
    (reg, block): (u32, u32),
    left: &mut usize,
) -> Option<Reaching> {
    let mut found = Reaching { unwritten: block == 0, ..Reaching::default() };
    let mut seen = HashSet::new();
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
/// breaks. Takes the number of instructions visited off `left`; breaks, too, where that would be more than
/// there is.
pub fn reached_uses(
    code: &impl Code,
    (reg, at): (u32, usize),
    left: &mut usize,
    mut f: impl FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let follow = |at: usize, open: &mut Vec<usize>| {
        if code.control(at, |target| open.push(target)) != Control::Jump {
            open.push(at + 1);
        }
    };
    let (mut seen, mut open) = (HashSet::new(), Vec::new());
    follow(at, &mut open);
    while let Some(at) = open.pop() {
        if at >= code.instructions() || !seen.insert(at) {
            continue;
        }
        *left = left.saturating_sub(1);
        if *left == 0 {
            return ControlFlow::Break(());
        }
        let (mut is_read, mut is_written) = (false, false);
        code.operands(at, |operand, access| match access {
            Access::Use => is_read |= operand == reg,
            Access::Def => is_written |= operand == reg,
        });
        if is_read {
            f(at)?;
        }
        if !is_written || code.is_guarded(at) {
            follow(at, &mut open);
        }
    }
    ControlFlow::Continue(())
}
