//! Which instructions are passed before others, for a debugger.

use super::Machine;
use crate::flow::FunctionCode;
use std::collections::HashMap;
use texunit_flow::{Cfg, DominatorTree};

/// The order in which the instructions of each function are reached.
#[derive(Debug, Default)]
pub struct Passed {
    /// The function and the basic block of each instruction, by source offset.
    blocks: HashMap<u32, (usize, u32)>,
    dominators: Vec<DominatorTree>,
}

impl Passed {
    /// Whether each thread that reaches instruction `b` of a function has passed its instruction
    /// `a`, both given by their source offsets.
    pub fn is_before(&self, a: u32, b: u32) -> bool {
        let (Some(&(function, from)), Some(&(other, to))) =
            (self.blocks.get(&a), self.blocks.get(&b))
        else {
            return false;
        };
        let dominates = |tree: &DominatorTree| tree.dominates(from, to);
        function == other
            && if from == to { a < b } else { self.dominators.get(function).is_some_and(dominates) }
    }
}

impl Machine<'_> {
    /// The order of the instructions at which the launch can stop.
    pub fn passed(&self) -> Passed {
        let mut passed = Passed::default();
        let stops: Vec<(usize, u32)> = self.stepped().collect();
        for (number, (_, function)) in FunctionCode::all(self.launch.code).enumerate() {
            let (range, cfg) = (function.range(), Cfg::new(&function));
            let [begin, end] = [range.start as usize, range.end as usize];
            let own = &stops[stops.partition_point(|(pc, _)| *pc < begin)..];
            let own = own.iter().take_while(|(pc, _)| *pc < end);
            let block = |(pc, at): &(usize, u32)| (*at, (number, cfg.block_of(pc - begin)));
            passed.blocks.extend(own.map(block));
            passed.dominators.push(cfg.dominators());
        }
        passed
    }
}
