//! Dominance between instructions, by which a debugger places the breakpoints of a line.

use super::Machine;
use crate::flow::FunctionCode;
use std::collections::HashMap;
use texunit_flow::{Cfg, DominatorTree};

/// The dominator trees of all functions of a launch.
#[derive(Debug, Default)]
pub struct Dominance {
    /// The function and the basic block of each instruction, by source offset.
    blocks: HashMap<u32, (usize, u32)>,
    dominators: Vec<DominatorTree>,
}

impl Dominance {
    /// Whether each thread that reaches instruction `b` of a function has passed its instruction
    /// `a`, both given by their source offsets.
    pub fn dominates(&self, a: u32, b: u32) -> bool {
        let (Some(&(function, from)), Some(&(other, to))) =
            (self.blocks.get(&a), self.blocks.get(&b))
        else {
            return false;
        };
        let is_above = |tree: &DominatorTree| tree.dominates(from, to);
        function == other
            && if from == to { a < b } else { self.dominators.get(function).is_some_and(is_above) }
    }
}

impl Machine<'_> {
    /// The dominance between the instructions at which the launch can stop.
    pub fn dominance(&self) -> Dominance {
        let mut dominance = Dominance::default();
        let stops: Vec<(usize, u32)> = self.stepped().collect();
        for (number, (_, function)) in FunctionCode::all(self.launch.code).enumerate() {
            let (range, cfg) = (function.range(), Cfg::new(&function));
            let [begin, end] = [range.start as usize, range.end as usize];
            let own = &stops[stops.partition_point(|(pc, _)| *pc < begin)..];
            let own = own.iter().take_while(|(pc, _)| *pc < end);
            let block = |(pc, at): &(usize, u32)| (*at, (number, cfg.block_of(pc - begin)));
            dominance.blocks.extend(own.map(block));
            dominance.dominators.push(cfg.dominators());
        }
        dominance
    }
}
