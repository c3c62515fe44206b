//! The control-flow graph of a function: basic blocks, the edges between them, and analyses of the
//! graph.

use crate::dominators::{DominatorTree, immediate_dominators, with_exits};
use crate::{Code, Control, Edges};
use std::ops::Range;

/// Basic blocks and the edges between them. A block begins at the target of a branch or after a
/// branch; block 0 begins with the first instruction. The exit is the last block: it has no
/// instructions, and all blocks that leave the function have an edge to it.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// The first instruction of each block; that of the exit is the number of instructions.
    starts: Vec<u32>,
    block_of: Vec<u32>,
    /// For each block, its direct successors in the graph, in ascending order.
    pub successors: Edges,
    /// For each block, its direct predecessors in the graph, in ascending order.
    pub predecessors: Edges,
}

impl Cfg {
    /// Builds the graph of a function.
    pub fn new(code: &dyn Code) -> Self {
        Self::with_starts(code, &mut std::iter::empty())
    }

    /// Builds the graph of a function in which blocks also begin at the instructions `starts`.
    pub fn with_starts(code: &dyn Code, starts: &mut dyn Iterator<Item = usize>) -> Self {
        let n = code.instructions();
        let mut is_start = vec![false; n + 1];
        is_start[0] = true;
        starts.for_each(|at| is_start[at.min(n)] = true);
        let mut jumps = Vec::new();
        let mut never_falls = Vec::new();
        for at in 0..n {
            let control = code.control(at, &mut |target| {
                jumps.push((at as u32, target.min(n)));
                is_start[target.min(n)] = true;
            });
            if control != Control::Next {
                is_start[at + 1] = true;
            }
            if control == Control::Jump {
                never_falls.push(at as u32);
            }
        }
        is_start[n] = true;
        let starts: Vec<u32> = (0..=n).filter(|&at| is_start[at]).map(|at| at as u32).collect();
        let mut block_of = vec![starts.len() as u32 - 1; n + 1];
        for (block, pair) in starts.windows(2).enumerate() {
            block_of[pair[0] as usize..pair[1] as usize].fill(block as u32);
        }
        let mut edges = Vec::new();
        let (mut jumps, mut never_falls) = (jumps.iter().peekable(), never_falls.iter().peekable());
        for (block, pair) in (0..).zip(starts.windows(2)) {
            let last = pair[1] - 1;
            let first = edges.len();
            while let Some((_, target)) = jumps.next_if(|(from, _)| *from == last) {
                edges.push((block, block_of[*target]));
            }
            if never_falls.next_if_eq(&&last).is_none() {
                edges.push((block, block + 1));
            }
            edges[first..].sort_unstable();
            let mut kept = first;
            for at in first..edges.len() {
                if at == first || edges[at] != edges[at - 1] {
                    edges[kept] = edges[at];
                    kept += 1;
                }
            }
            edges.truncate(kept);
        }
        let successors = Edges::new(starts.len(), &edges);
        let predecessors = successors.reversed();
        Self { starts, block_of, successors, predecessors }
    }

    /// The number of the exit block, which is also how many blocks have instructions.
    pub fn exit(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The range of instructions of a block.
    pub fn range(&self, block: u32) -> Range<usize> {
        let start = self.starts[block as usize] as usize;
        start..self.starts.get(block as usize + 1).map_or(start, |&end| end as usize)
    }

    /// The ranges of instructions of all blocks except the exit.
    pub fn ranges(&self) -> impl DoubleEndedIterator<Item = Range<usize>> {
        (0..self.exit()).map(|block| self.range(block))
    }

    /// The block of an instruction; the exit for instructions past the end.
    pub fn block_of(&self, inst: usize) -> u32 {
        self.block_of.get(inst).copied().unwrap_or(self.exit())
    }

    /// Edges to the same or an earlier block in program order, each of which is taken to close a
    /// loop.
    pub fn back_edges(&self) -> impl Iterator<Item = (u32, u32)> {
        self.successors.pairs().filter(|(from, to)| to <= from)
    }

    /// The dominator tree, with the first block as its root.
    pub fn dominators(&self) -> DominatorTree {
        DominatorTree::new(&self.successors, &self.predecessors, 0)
    }

    /// For each block, its immediate post-dominator: the first block that is on every path from it
    /// to the exit. Infinite loops are treated as if one of their blocks could leave the function.
    pub fn immediate_post_dominators(&self) -> Vec<u32> {
        let (forward, backward) = with_exits(&self.successors);
        immediate_dominators(&backward, &forward, self.exit())
    }

    /// For each block, whether control can reach it.
    pub fn reachable(&self) -> Vec<bool> {
        let mut reachable = vec![false; self.starts.len()];
        let order = self.successors.reverse_postorder(0);
        order.into_iter().for_each(|block| reachable[block as usize] = true);
        reachable
    }
}
