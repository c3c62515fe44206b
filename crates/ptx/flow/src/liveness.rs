//! Which registers are read later: backward data flow.
//!
//! Most registers are written and read in one block. Only the others, the global ones, need a bit for
//! each block: they get the lowest numbers in the sets.

use crate::forward::MAX_PASSES;
use crate::{Access, Cfg, Code, Set};

/// The registers that are live where each block begins: whose values are read on some path from there.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// By register: its number in sets.
    numbers: Vec<u32>,
    /// Number of global registers.
    globals: usize,
    /// By block: the global registers that are live where it begins. `None`: any may be.
    live_in: Option<Vec<Set>>,
}

/// The registers that are live at one place of a function.
#[derive(Clone, Debug)]
pub struct LiveSet<'a> {
    numbers: &'a [u32],
    set: Set,
}

impl LiveSet<'_> {
    /// Whether a register is live.
    pub fn has(&self, reg: u32) -> bool {
        self.numbers.get(reg as usize).is_some_and(|&number| self.set.has(number as usize))
    }

    fn insert(&mut self, reg: u32) {
        if let Some(&number) = self.numbers.get(reg as usize) {
            self.set.insert(number as usize);
        }
    }

    fn remove(&mut self, reg: u32) {
        if let Some(&number) = self.numbers.get(reg as usize) {
            self.set.remove(number as usize);
        }
    }

    /// From what is live behind an instruction to what is live before it. False: nothing reads what the
    /// instruction writes, and it does nothing else.
    pub fn step_back(&mut self, code: &impl Code, inst: usize) -> bool {
        let (mut writes, mut is_needed) = (false, !code.is_removable(inst));
        if !is_needed {
            code.operands(inst, |reg, access| {
                if access == Access::Def {
                    writes = true;
                    is_needed |= self.has(reg);
                }
            });
            if writes && !is_needed {
                return false;
            }
        }
        if !code.is_guarded(inst) {
            code.operands(inst, |reg, access| {
                if access == Access::Def {
                    self.remove(reg);
                }
            });
        }
        let is_known = code.operands(inst, |reg, access| {
            if access == Access::Use {
                self.insert(reg);
            }
        });
        if !is_known {
            (0..self.numbers.len()).for_each(|number| self.set.insert(number));
        }
        true
    }
}

impl Liveness {
    /// Finds what is live. Where global registers times blocks are more than `limit`, or loops are too deep,
    /// all global registers count as live everywhere.
    pub fn new(code: &impl Code, cfg: &Cfg, limit: usize) -> Self {
        let (numbers, globals) = number(code, cfg);
        let blocks = cfg.successors.vertices();
        let mut liveness = Self { numbers, globals, live_in: None };
        if globals.saturating_mul(blocks) > limit {
            return liveness;
        }
        let mut live_in = vec![Set::new(globals); blocks];
        code.results(|reg| {
            if let Some(&number) = liveness.numbers.get(reg as usize) {
                live_in[cfg.exit() as usize].insert(number as usize);
            }
        });
        for _ in 0..MAX_PASSES {
            let mut changes = false;
            for block in (0..cfg.exit()).rev() {
                let mut live = liveness.union(cfg.successors.of(block), &live_in);
                cfg.range(block).rev().for_each(|inst| {
                    live.step_back(code, inst);
                });
                // Registers of one block are dead where it begins.
                changes |= live_in[block as usize].assign(&live.set);
            }
            if !changes {
                liveness.live_in = Some(live_in);
                break;
            }
        }
        liveness
    }

    /// Whether it has been found out which registers are live.
    pub fn is_known(&self) -> bool {
        self.live_in.is_some()
    }

    /// Whether a register is live where a block begins.
    pub fn is_live_in(&self, block: u32, reg: u32) -> bool {
        let number = self.numbers.get(reg as usize).map_or(usize::MAX, |&number| number as usize);
        match &self.live_in {
            Some(live_in) => live_in[block as usize].has(number),
            None => number < self.globals,
        }
    }

    /// What is live where a block ends.
    pub fn live_out(&self, cfg: &Cfg, block: u32) -> LiveSet<'_> {
        let Some(live_in) = &self.live_in else {
            let mut all = self.union(&[], &[]);
            (0..self.globals).for_each(|number| all.set.insert(number));
            return all;
        };
        self.union(cfg.successors.of(block), live_in)
    }

    /// What is live where one of these blocks begins.
    fn union(&self, blocks: &[u32], live_in: &[Set]) -> LiveSet<'_> {
        let mut set = Set::new(self.numbers.len());
        blocks.iter().for_each(|&block| set.union(&live_in[block as usize]));
        LiveSet { numbers: &self.numbers, set }
    }
}

/// Gives each register its number in sets, and says how many registers are global: these are read in a
/// block that has not written them before.
fn number(code: &impl Code, cfg: &Cfg) -> (Vec<u32>, usize) {
    let mut is_global = vec![false; code.registers()];
    code.results(|reg| is_global.get_mut(reg as usize).into_iter().for_each(|is| *is = true));
    // The last block that wrote each register, plus one.
    let mut written = vec![0; code.registers()];
    for (block, range) in (1..).zip(cfg.ranges()) {
        for inst in range {
            let is_guarded = code.is_guarded(inst);
            let is_known = code.operands(inst, |reg, access| {
                let reg = reg as usize;
                match access {
                    Access::Use if written.get(reg).is_some_and(|&at| at != block) => {
                        is_global[reg] = true;
                    }
                    Access::Def if !is_guarded && reg < written.len() => written[reg] = block,
                    _ => {}
                }
            });
            if !is_known {
                is_global.fill(true);
            }
        }
    }
    let globals = is_global.iter().filter(|&&is| is).count();
    let (mut global, mut local) = (0, globals as u32);
    let next = |&is: &bool| {
        let number = if is { &mut global } else { &mut local };
        *number += 1;
        *number - 1
    };
    (is_global.iter().map(next).collect(), globals)
}
