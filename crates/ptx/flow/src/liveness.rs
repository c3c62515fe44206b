//! Liveness of registers, by backward data flow.
//!
//! Most registers are written and read in one block. Only global registers, which live across
//! blocks, need a bit for each block; they have the lowest member numbers in the sets.

use crate::forward::MAX_PASSES;
use crate::{Access, Cfg, Code, Set};

/// The registers that are live at the beginning of each block: their values are read on some path
/// from there.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// For each register, its member number in the sets of live registers.
    numbers: Vec<u32>,
    /// The global registers.
    globals: Vec<u32>,
    /// For each block, the global registers that are live at its beginning. `None` if liveness was
    /// not computed, so that all of them count as live.
    live_in: Option<Vec<Set>>,
}

/// The registers that are live at one point of a function.
#[derive(Clone, Debug)]
pub struct LiveSet<'a> {
    numbers: &'a [u32],
    set: Set,
    /// The operands of the last instruction, kept to reuse the memory.
    operands: Operands,
}

impl LiveSet<'_> {
    /// Whether a register is live.
    pub fn has(&self, reg: u32) -> bool {
        self.numbers.get(reg as usize).is_some_and(|&number| self.set.has(number as usize))
    }

    /// Moves from the point after an instruction to the point before it. Returns false if the
    /// instruction is dead: nothing reads the registers that it writes, and it has no other effect.
    pub fn step_back(&mut self, code: &dyn Code, inst: usize) -> bool {
        let mut operands = std::mem::take(&mut self.operands);
        operands.clear();
        operands.push(code, inst);
        let is_needed = operands.step_back(0, self);
        self.operands = operands;
        is_needed
    }
}

/// The operands of several instructions, which are visited repeatedly.
#[derive(Clone, Debug, Default)]
struct Operands {
    /// For each instruction, where the registers that it reads begin in `list`, and where the
    /// registers that it writes begin.
    first: Vec<(u32, u32)>,
    list: Vec<u32>,
    kinds: Vec<Kind>,
    /// The registers that the last instruction writes.
    written: Vec<u32>,
}

/// Properties of an instruction besides its operands.
#[derive(Clone, Copy, Debug)]
struct Kind {
    is_known: bool,
    is_guarded: bool,
    is_removable: bool,
}

impl Operands {
    fn clear(&mut self) {
        self.first.clear();
        self.list.clear();
        self.kinds.clear();
    }

    fn push(&mut self, code: &dyn Code, inst: usize) {
        let Self { first, list, kinds, written } = self;
        let start = list.len() as u32;
        let is_known = code.operands(inst, &mut |reg, access| match access {
            Access::Use => list.push(reg),
            Access::Def => written.push(reg),
        });
        first.push((start, list.len() as u32));
        list.append(written);
        let (is_guarded, is_removable) = (code.is_guarded(inst), code.is_removable(inst));
        kinds.push(Kind { is_known, is_guarded, is_removable });
    }

    /// The registers that an instruction reads, and the registers that it writes.
    fn at(&self, inst: usize) -> (&[u32], &[u32]) {
        let (first, middle) = self.first[inst];
        let end = self.first.get(inst + 1).map_or(self.list.len(), |next| next.0 as usize);
        (&self.list[first as usize..middle as usize], &self.list[middle as usize..end])
    }

    /// Moves `live` to the point before an instruction, as [`LiveSet::step_back`] does.
    fn step_back(&self, inst: usize, live: &mut LiveSet<'_>) -> bool {
        let ((reads, writes), kind) = (self.at(inst), self.kinds[inst]);
        let numbers = live.numbers;
        let number = |reg: &u32| numbers.get(*reg as usize).map_or(usize::MAX, |&n| n as usize);
        if kind.is_removable
            && !writes.is_empty()
            && !writes.iter().any(|r| live.set.has(number(r)))
        {
            return false;
        }
        if !kind.is_guarded {
            writes.iter().for_each(|reg| live.set.remove(number(reg)));
        }
        reads.iter().for_each(|reg| live.set.insert(number(reg)));
        if !kind.is_known {
            (0..numbers.len()).for_each(|number| live.set.insert(number));
        }
        true
    }
}

impl Liveness {
    /// Computes liveness. If the number of global registers times blocks is above `limit`, or loops
    /// are nested too deeply, all global registers count as live everywhere.
    pub fn new(code: &dyn Code, cfg: &Cfg, limit: usize) -> Self {
        let mut operands = Operands::default();
        (0..code.instructions()).for_each(|inst| operands.push(code, inst));
        let (numbers, globals) = number(code, cfg, &operands);
        let blocks = cfg.successors.vertices();
        let mut liveness = Self { numbers, globals, live_in: None };
        if liveness.globals.len().saturating_mul(blocks) > limit {
            return liveness;
        }
        let mut live_in = vec![Set::new(liveness.globals.len()); blocks];
        code.results(&mut |reg| {
            if let Some(&number) = liveness.numbers.get(reg as usize) {
                live_in[cfg.exit() as usize].insert(number as usize);
            }
        });
        for _ in 0..MAX_PASSES {
            let mut changes = false;
            for block in (0..cfg.exit()).rev() {
                let mut live = liveness.union(cfg.successors.of(block), &live_in);
                cfg.range(block).rev().for_each(|inst| {
                    operands.step_back(inst, &mut live);
                });
                // Registers that are used in one block only are dead at its beginning.
                changes |= live_in[block as usize].assign(&live.set);
            }
            if !changes {
                liveness.live_in = Some(live_in);
                break;
            }
        }
        liveness
    }

    /// Whether liveness has been computed; otherwise all global registers count as live.
    pub fn is_known(&self) -> bool {
        self.live_in.is_some()
    }

    /// The global registers: those that may be live at the beginning or the end of a block.
    pub fn globals(&self) -> &[u32] {
        &self.globals
    }

    /// Whether a register is live at the beginning of a block.
    pub fn is_live_in(&self, block: u32, reg: u32) -> bool {
        let number = self.numbers.get(reg as usize).map_or(usize::MAX, |&number| number as usize);
        let all = number < self.globals.len();
        self.live_in.as_ref().map_or(all, |live_in| live_in[block as usize].has(number))
    }

    /// The registers that are live at the end of a block.
    pub fn live_out(&self, cfg: &Cfg, block: u32) -> LiveSet<'_> {
        let Some(live_in) = &self.live_in else {
            let mut all = self.union(&[], &[]);
            (0..self.globals.len()).for_each(|number| all.set.insert(number));
            return all;
        };
        self.union(cfg.successors.of(block), live_in)
    }

    /// The registers that are live at the beginning of any of the given blocks.
    fn union(&self, blocks: &[u32], live_in: &[Set]) -> LiveSet<'_> {
        let mut set = Set::new(self.numbers.len());
        for &block in blocks {
            set.union(&live_in[block as usize]);
        }
        LiveSet { numbers: &self.numbers, set, operands: Operands::default() }
    }
}

/// Gives each register its member number in the sets of live registers, and lists the global
/// registers: those that a block reads before it has written them.
fn number(code: &dyn Code, cfg: &Cfg, operands: &Operands) -> (Vec<u32>, Vec<u32>) {
    let mut is_global = vec![operands.kinds.iter().any(|kind| !kind.is_known); code.registers()];
    code.results(&mut |reg| is_global.get_mut(reg as usize).into_iter().for_each(|is| *is = true));
    // For each register, the number of the last block that wrote it, plus one.
    let mut written = vec![0; code.registers()];
    for (block, range) in (1..).zip(cfg.ranges()) {
        for inst in range {
            let (reads, writes) = operands.at(inst);
            for &reg in reads {
                is_global[reg as usize] |= written[reg as usize] != block;
            }
            for &reg in writes.iter().filter(|_| !operands.kinds[inst].is_guarded) {
                written[reg as usize] = block;
            }
        }
    }
    let globals: Vec<u32> =
        (0..).zip(&is_global).filter(|(_, is)| **is).map(|(reg, _)| reg).collect();
    let (mut global, mut local) = (0, globals.len() as u32);
    let next = |&is: &bool| {
        let number = if is { &mut global } else { &mut local };
        *number += 1;
        *number - 1
    };
    (is_global.iter().map(next).collect(), globals)
}
