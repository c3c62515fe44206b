//! The flow of control of one function: blocks, the edges between them, what is dominated by what.

use texunit_isa::Opcode;

use crate::dominators::{Edges, Tree, with_exits};
use crate::ir::{Function, Instruction, Module, Operand};

/// Blocks of instructions; the number of blocks stands for the end of the function.
pub(super) struct Graph {
    /// First instruction of each block, and the number of instructions at the end.
    starts: Vec<u32>,
    /// The block of each instruction.
    block_of: Vec<u32>,
    /// Where control goes from each block, the end included.
    pub(super) next: Edges,
    /// Where it comes from.
    pub(super) previous: Edges,
    /// Dominators from the first block on.
    pub(super) dominators: Tree,
}

/// How an instruction ends a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It does not.
    Falls,
    /// To one of these instructions, or to the next one if `falls`.
    Jumps { targets: Vec<u32>, falls: bool },
    /// Out of the function, or to the next instruction if `falls`.
    Leaves { falls: bool },
}

/// What follows an instruction.
pub(super) fn next(module: &Module, function: &Function, i: &Instruction) -> Next {
    let falls = i.guard.is_some();
    let place = |label: &crate::ir::LabelId| {
        function
            .labels
            .get(label.0 as usize)
            .map_or(u32::MAX, |l| l.1.min(u32::MAX as usize) as u32)
    };
    match i.opcode {
        Opcode::Bra => match i.operands.first() {
            Some(Operand::Label(label)) => Next::Jumps { targets: vec![place(label)], falls },
            _ => Next::Leaves { falls },
        },
        Opcode::Brx => match i.operands.get(1) {
            Some(Operand::Targets(labels)) => {
                Next::Jumps { targets: labels.iter().map(place).collect(), falls }
            }
            _ => Next::Leaves { falls },
        },
        Opcode::Ret | Opcode::Exit | Opcode::Trap => Next::Leaves { falls },
        Opcode::Call if never_returns(module, i) => Next::Leaves { falls },
        _ => Next::Falls,
    }
}

/// Whether an instruction calls a function that is declared `.noreturn`.
pub(super) fn never_returns(module: &Module, i: &Instruction) -> bool {
    match i.operands.get(1) {
        Some(Operand::Function(id)) if i.opcode == Opcode::Call => {
            let function = &module.functions[id.0 as usize];
            function.directives.iter().any(|d| d.0 == "noreturn") || function.name == "__assertfail"
        }
        _ => false,
    }
}

impl Graph {
    /// The graph of a function's instructions.
    pub(super) fn new(module: &Module, function: &Function, code: &[Instruction]) -> Self {
        let follow: Vec<(usize, Next)> = code
            .iter()
            .enumerate()
            .map(|(n, i)| (n, next(module, function, i)))
            .filter(|(_, next)| *next != Next::Falls)
            .collect();
        Self::from_ends(code.len(), &follow)
    }

    /// The graph of `n` instructions of which these do more than go on to the next.
    pub(super) fn from_ends(n: usize, ends: &[(usize, Next)]) -> Self {
        let mut leader = vec![false; n];
        let mut mark = |i: usize| {
            if let Some(l) = leader.get_mut(i) {
                *l = true;
            }
        };
        mark(0);
        for (i, next) in ends {
            if let Next::Jumps { targets, .. } = next {
                targets.iter().for_each(|&t| mark(t as usize));
            }
            mark(i + 1);
        }
        let mut starts: Vec<u32> = (0..n).filter(|&i| leader[i]).map(|i| i as u32).collect();
        let exit = starts.len() as u32;
        starts.push(n as u32);
        let mut block_of = vec![0; n];
        for (b, pair) in starts.windows(2).enumerate() {
            block_of[pair[0] as usize..pair[1] as usize].fill(b as u32);
        }
        let block = |i: u32| block_of.get(i as usize).copied().unwrap_or(exit);
        let mut list = Vec::new();
        let mut ends = ends.iter().peekable();
        for b in 0..exit {
            let last = starts[b as usize + 1] - 1;
            while ends.next_if(|(i, _)| (*i as u32) < last).is_some() {}
            let end = ends.next_if(|(i, _)| *i as u32 == last).map(|(_, next)| next);
            let from = list.len();
            let falls = match end {
                None | Some(Next::Falls) => true,
                Some(Next::Jumps { targets, falls }) => {
                    list.extend(targets.iter().map(|&t| (b, block(t))));
                    *falls
                }
                Some(Next::Leaves { falls }) => {
                    list.push((b, exit));
                    *falls
                }
            };
            if falls {
                list.push((b, block(last + 1)));
            }
            list[from..].sort_unstable();
            let mut kept = from;
            for at in from..list.len() {
                if at == from || list[at] != list[at - 1] {
                    list[kept] = list[at];
                    kept += 1;
                }
            }
            list.truncate(kept);
        }
        let edges = Edges::new(exit as usize + 1, &list);
        let previous = edges.reversed();
        let dominators = Tree::new(&edges, &previous, 0);
        Self { starts, block_of, next: edges, previous, dominators }
    }

    /// Number of blocks; also the vertex of the end.
    pub(super) fn exit(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// The instructions of a block.
    pub(super) fn range(&self, block: u32) -> std::ops::Range<usize> {
        self.starts[block as usize] as usize..self.starts[block as usize + 1] as usize
    }

    /// The block of an instruction.
    pub(super) fn block_of(&self, instruction: usize) -> u32 {
        self.block_of[instruction]
    }

    /// Whether control can come to a block.
    pub(super) fn reaches(&self, block: u32) -> bool {
        self.dominators.reaches(block)
    }
}

/// Which branches decide whether a block runs (Ferrante, Ottenstein, Warren): the blocks that end
/// with them. `None` if there are more pairs than `limit`.
pub(super) fn control(next: &Edges, limit: usize) -> Option<Edges> {
    let n = next.vertices();
    let exit = n as u32 - 1;
    let (forward, backward) = with_exits(next);
    let tree = Tree::new(&backward, &forward, exit);
    let mut list = Vec::new();
    for b in 0..exit {
        let targets = next.of(b);
        if targets.len() < 2 || !tree.reaches(b) {
            continue;
        }
        let stop = tree.parent[b as usize];
        let from = list.len();
        for &target in targets {
            let mut at = target;
            while at != stop && at != exit {
                list.push((at, b));
                if list.len() > limit {
                    return None;
                }
                at = tree.parent[at as usize];
            }
        }
        if targets.len() > 2 {
            list[from..].sort_unstable();
        }
    }
    list.sort_unstable();
    list.dedup();
    Some(Edges::new(n, &list))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jump(target: u32) -> Next {
        Next::Jumps { targets: vec![target], falls: false }
    }

    fn branch(target: u32) -> Next {
        Next::Jumps { targets: vec![target], falls: true }
    }

    const LEAVE: Next = Next::Leaves { falls: false };

    fn controls(graph: &Graph) -> Vec<Vec<u32>> {
        let edges = control(&graph.next, 1000).expect("few edges");
        (0..graph.exit()).map(|b| edges.of(b).to_vec()).collect()
    }

    #[test]
    fn if_else_and_loop() {
        // 0: if -> 3; 1, 2: else, jump 4; 3: then; 4: meet; 5: loop -> 4; 6: leave
        let ends = [(0, branch(3)), (2, jump(4)), (5, branch(4)), (6, LEAVE)];
        let graph = Graph::from_ends(7, &ends);
        assert_eq!(graph.exit(), 5);
        assert_eq!((graph.range(1), graph.range(3)), (1..3, 4..6));
        assert_eq!(graph.next.of(0), [1, 2]);
        assert_eq!(graph.next.of(3), [3, 4]);
        assert_eq!(graph.previous.of(3), [1, 2, 3]);
        assert_eq!(controls(&graph), [vec![], vec![0], vec![0], vec![3], vec![]]);
    }

    #[test]
    fn early_return_endless_loop_and_dead_code() {
        // 0: return if; 1: 2: loop -> 1 for ever; 3: dead
        let ends = [(0, Next::Leaves { falls: true }), (2, jump(1)), (3, LEAVE)];
        let graph = Graph::from_ends(4, &ends);
        assert_eq!(graph.exit(), 3);
        assert!(graph.reaches(1) && !graph.reaches(2));
        assert_eq!(controls(&graph)[1], [0]);
    }

    #[test]
    fn targets_past_the_end_and_no_code() {
        assert_eq!(Graph::from_ends(0, &[]).exit(), 0);
        let graph = Graph::from_ends(1, &[(0, branch(9))]);
        assert_eq!(graph.next.of(0), [1]);
        assert_eq!(controls(&graph), [vec![]]);
    }

    #[test]
    fn too_many_pairs_are_refused() {
        // Loops in loops: each keeps all that is in it in its hands.
        let mut ends: Vec<_> = (0..50).map(|i| (50 + i, branch(49 - i as u32))).collect();
        ends.push((100, LEAVE));
        let graph = Graph::from_ends(101, &ends);
        assert!(control(&graph.next, 100).is_none());
        assert!(control(&graph.next, 5000).is_some());
    }
}
