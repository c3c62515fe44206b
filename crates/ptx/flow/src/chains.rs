//! Use-definition chains: which definitions reach a use, and which uses a definition reaches, for
//! one register at a time.
//!
//! Most registers are defined once or in few blocks, so that a search for one register is faster
//! than a data-flow analysis of all definitions.

use crate::{Access, Cfg, Code, Control, Edges};
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};

/// For each register, the instructions that define it.
#[derive(Clone, Debug)]
pub struct Definitions(Edges);

impl Definitions {
    /// Finds the definitions in a function.
    pub fn new(code: &dyn Code) -> Self {
        let mut list: Vec<(u32, u32)> = Vec::new();
        for at in 0..code.instructions() as u32 {
            let first = list.len();
            code.operands(at as usize, &mut |reg, access| {
                if access == Access::Def && !list[first..].contains(&(reg, at)) {
                    list.push((reg, at));
                }
            });
        }
        Self(Edges::new(code.registers(), &list))
    }

    /// The instructions that define a register, in the order of the text.
    pub fn of(&self, reg: u32) -> &[u32] {
        self.0.of(reg)
    }

    /// The instructions in a range that define a register, in the order of the text.
    pub fn within(&self, reg: u32, range: Range<usize>) -> &[u32] {
        let list = self.of(reg);
        let at = |end: usize| list.partition_point(|&inst| (inst as usize) < end);
        let first = at(range.start);
        &list[first..at(range.end).max(first)]
    }

    /// The last instruction in a range that defines a register.
    pub fn last_within(&self, reg: u32, range: Range<usize>) -> Option<usize> {
        self.within(reg, range).last().map(|&inst| inst as usize)
    }
}

/// The definitions of a register that reach an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reaching {
    /// The instructions that define the register, in the order of the text.
    pub definitions: Vec<u32>,
    /// Whether a path from the beginning of the function has no definition, so that the register
    /// may be uninitialised.
    pub unwritten: bool,
}

impl Reaching {
    /// Adds the definitions in a range of instructions that reach its end. Returns true if no
    /// definition from before the range can reach its end.
    fn within(
        &mut self,
        code: &dyn Code,
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

/// The definitions of a register in the same block that reach an instruction, and whether
/// definitions from earlier blocks reach it too.
pub fn reaching_in_block(
    code: &dyn Code,
    cfg: &Cfg,
    definitions: &Definitions,
    (reg, at): (u32, usize),
) -> (Vec<u32>, bool) {
    let mut found = Reaching::default();
    let range = cfg.range(cfg.block_of(at)).start..at;
    let closed = found.within(code, definitions, reg, range);
    (found.definitions, !closed)
}

/// The definitions of a register that reach the beginning of a block. Subtracts the number of
/// visited blocks from `left`; returns `None` if more than `left` blocks would be visited.
pub fn reaching_definitions(
    code: &dyn Code,
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

/// Calls `f` with each instruction that may read the value that a register has after instruction
/// `at`, until `f` breaks. Subtracts the number of visited instructions from `left`; also breaks if
/// more than `left` would be visited.
pub fn reached_uses(
    code: &dyn Code,
    (reg, at): (u32, usize),
    left: &mut usize,
    f: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let follow = |at: usize, open: &mut Vec<usize>| {
        if code.control(at, &mut |target| open.push(target)) != Control::Jump {
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
        code.operands(at, &mut |operand, access| match access {
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
