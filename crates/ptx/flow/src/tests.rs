//! Tests the analyses on small and on random functions, against their definitions.

use super::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use texunit_testkit::Random;

/// An instruction of a test function.
#[derive(Clone, Debug)]
struct Inst {
    control: Control,
    targets: Vec<usize>,
    uses: Vec<u32>,
    defs: Vec<u32>,
    is_guarded: bool,
    is_removable: bool,
}

/// A test function.
#[derive(Clone, Debug)]
struct Function {
    registers: usize,
    insts: Vec<Inst>,
    results: Vec<u32>,
}

const PLAIN: Inst = Inst {
    control: Control::Next,
    targets: Vec::new(),
    uses: Vec::new(),
    defs: Vec::new(),
    is_guarded: false,
    is_removable: false,
};

fn jump(target: usize) -> Inst {
    Inst { control: Control::Jump, targets: vec![target], ..PLAIN }
}

fn branch(target: usize) -> Inst {
    Inst { control: Control::Branch, targets: vec![target], ..PLAIN }
}

/// The exit, as a target in test functions.
const EXIT: usize = usize::MAX;

impl Function {
    fn new(insts: Vec<Inst>) -> Self {
        Self { registers: 0, insts, results: Vec::new() }
    }

    fn random(random: &mut Random) -> Self {
        let (n, registers) = (1 + random.below(12), 1 + random.below(5));
        let mut inst = |_| {
            let some = |random: &mut Random| {
                (0..random.below(3)).map(|_| random.below(registers)).collect()
            };
            let control = [Control::Next, Control::Next, Control::Branch, Control::Jump];
            let control = control[random.below(4)];
            let targets = match control {
                Control::Next => Vec::new(),
                _ => (0..1 + random.below(2)).map(|_| random.below(n + 1)).collect(),
            };
            let (uses, defs) = (some(random), some(random));
            let is_guarded = random.below(3) == 0;
            Inst { control, targets, uses, defs, is_guarded, is_removable: false }
        };
        let insts = (0..n).map(&mut inst).collect();
        let results = (0..random.below(2) as u32).collect();
        Self { registers: registers as usize, insts, results }
    }

    /// The instructions that may follow an instruction; the number of instructions is the exit.
    fn next(&self, at: usize) -> Vec<usize> {
        let inst = &self.insts[at];
        let mut next: Vec<usize> = inst.targets.iter().map(|&t| t.min(self.insts.len())).collect();
        if inst.control != Control::Jump {
            next.push(at + 1);
        }
        next
    }

    /// The instructions that are reachable from instruction `from` (inclusive) without passing a
    /// definition of a register; the number of instructions is the exit.
    fn unchanged(&self, reg: u32, from: usize) -> Vec<bool> {
        let mut seen = vec![false; self.insts.len() + 1];
        let mut stack = vec![from];
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut seen[at], true) || at == self.insts.len() {
                continue;
            }
            if !self.insts[at].defs.contains(&reg) || self.insts[at].is_guarded {
                stack.extend(self.next(at));
            }
        }
        seen
    }

    /// The instructions that read the value that a register has before instruction `from`.
    fn reads(&self, reg: u32, from: usize) -> Vec<usize> {
        let seen = self.unchanged(reg, from);
        let reads = |&at: &usize| seen[at] && self.insts[at].uses.contains(&reg);
        (0..self.insts.len()).filter(reads).collect()
    }
}

impl Code for Function {
    fn instructions(&self) -> usize {
        self.insts.len()
    }

    fn registers(&self) -> usize {
        self.registers
    }

    fn control(&self, inst: usize, target: &mut dyn FnMut(usize)) -> Control {
        self.insts[inst].targets.iter().copied().for_each(target);
        self.insts[inst].control
    }

    fn operands(&self, inst: usize, f: &mut dyn FnMut(u32, Access)) -> bool {
        self.insts[inst].uses.iter().for_each(|&reg| f(reg, Access::Use));
        self.insts[inst].defs.iter().for_each(|&reg| f(reg, Access::Def));
        true
    }

    fn is_guarded(&self, inst: usize) -> bool {
        self.insts[inst].is_guarded
    }

    fn is_removable(&self, inst: usize) -> bool {
        self.insts[inst].is_removable
    }

    fn results(&self, f: &mut dyn FnMut(u32)) {
        self.results.iter().copied().for_each(f);
    }
}

/// Random functions and their control-flow graphs.
fn random_functions(seed: u64, count: usize) -> impl Iterator<Item = (Function, Cfg)> {
    let mut random = Random::for_test(seed);
    let functions = std::iter::repeat_with(move || Function::random(&mut random));
    functions.take(count).map(|function| (function.clone(), Cfg::new(&function)))
}

fn controls(cfg: &Cfg) -> Vec<Vec<u32>> {
    let edges = control_dependence(&cfg.successors, 1000).expect("few edges");
    (0..cfg.exit()).map(|b| edges.of(b).to_vec()).collect()
}

#[test]
fn if_else_and_loop() {
    // 0: branch to 3; 1, 2: else, jump to 4; 3: then; 4: reconvergence; 5: loop to 4; 6: return
    let insts = vec![branch(3), PLAIN, jump(4), PLAIN, PLAIN, branch(4), jump(EXIT)];
    let cfg = Cfg::new(&Function::new(insts));
    assert_eq!(cfg.exit(), 5);
    assert_eq!((cfg.range(1), cfg.range(3), cfg.range(5)), (1..3, 4..6, 7..7));
    assert_eq!((cfg.block_of(2), cfg.block_of(7), cfg.block_of(EXIT)), (1, 5, 5));
    assert_eq!(cfg.successors.of(0), [1, 2]);
    assert_eq!(cfg.successors.of(3), [3, 4]);
    assert_eq!(cfg.predecessors.of(3), [1, 2, 3]);
    assert_eq!(cfg.back_edges().collect::<Vec<_>>(), [(3, 3)]);
    assert_eq!(controls(&cfg), [vec![], vec![0], vec![0], vec![3], vec![]]);
    assert_eq!(cfg.dominators().idom, [0, 0, 0, 0, 3, 4]);
    assert_eq!(cfg.immediate_post_dominators(), [3, 3, 3, 4, 5, 5]);
}

#[test]
fn early_return_endless_loop_and_dead_code() {
    // 0: conditional return; 1, 2: infinite loop; 3: unreachable
    let cfg = Cfg::new(&Function::new(vec![branch(EXIT), PLAIN, jump(1), jump(EXIT)]));
    assert_eq!(cfg.exit(), 3);
    let dominators = cfg.dominators();
    assert!(dominators.reaches(1) && !dominators.reaches(2));
    assert_eq!(controls(&cfg)[1], [0]);
    // An `if` inside an infinite loop, whose sides meet in the last block of the loop.
    let cfg = Cfg::new(&Function::new(vec![branch(2), PLAIN, PLAIN, jump(0), jump(EXIT)]));
    assert_eq!(cfg.immediate_post_dominators()[..2], [2, 2]);
    // Two loops that jump into each other.
    let cfg = Cfg::new(&Function::new(vec![branch(2), PLAIN, branch(1), branch(2), jump(EXIT)]));
    assert_eq!(cfg.immediate_post_dominators(), [2, 2, 3, 4, 5, 5]);
}

#[test]
fn targets_past_the_end_more_starts_and_no_code() {
    let cfg = Cfg::new(&Function::new(Vec::new()));
    assert_eq!((cfg.exit(), cfg.dominators().idom), (0, vec![0]));
    let cfg = Cfg::new(&Function::new(vec![branch(9)]));
    assert_eq!(cfg.successors.of(0), [1]);
    assert_eq!(controls(&cfg), [vec![]]);
    let cfg = Cfg::with_starts(&Function::new(vec![PLAIN, PLAIN, PLAIN]), &mut [2, 9].into_iter());
    assert_eq!(cfg.ranges().collect::<Vec<_>>(), [0..2, 2..3]);
    assert_eq!(cfg.successors.pairs().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
}

#[test]
fn too_many_pairs_are_refused() {
    // Nested loops, each of which controls all blocks inside it.
    let mut insts = vec![PLAIN; 50];
    insts.extend((0..50).map(|i| branch(49 - i)));
    insts.push(jump(EXIT));
    let cfg = Cfg::new(&Function::new(insts));
    assert!(control_dependence(&cfg.successors, 100).is_none());
    assert!(control_dependence(&cfg.successors, 5000).is_some());
}

#[test]
fn blocks_agree_with_instructions() {
    for (function, cfg) in random_functions(1, 300) {
        for (block, range) in (0..).zip(cfg.ranges()) {
            for at in range.clone() {
                assert_eq!(cfg.block_of(at), block);
                let next = function.next(at);
                if at + 1 < range.end {
                    assert_eq!(next, [at + 1], "{function:?}");
                    continue;
                }
                let next: BTreeSet<u32> = next.iter().map(|&to| cfg.block_of(to)).collect();
                assert!(next.iter().eq(cfg.successors.of(block)), "{function:?}");
                assert!(next.iter().all(|&to| cfg.predecessors.of(to).contains(&block)));
            }
        }
    }
}

/// The vertices that the root reaches if `a` is removed.
fn reached_without(edges: &Edges, root: u32, a: u32) -> Vec<bool> {
    let mut seen = vec![false; edges.vertices()];
    let mut stack = vec![root];
    while let Some(v) = stack.pop() {
        if v != a && !std::mem::replace(&mut seen[v as usize], true) {
            stack.extend(edges.of(v));
        }
    }
    seen
}

/// A vertex dominates another if the root does not reach that without it.
#[test]
fn dominators_agree_with_the_definition() {
    for (function, cfg) in random_functions(12345, 300) {
        let exit = cfg.exit();
        let (forward, backward) = with_exits(&cfg.successors);
        let post = DominatorTree::new(&backward, &forward, exit);
        assert_eq!(post.idom, cfg.immediate_post_dominators());
        for (tree, edges, root) in [(post, &backward, exit), (cfg.dominators(), &cfg.successors, 0)]
        {
            let reached = reached_without(edges, root, u32::MAX);
            for a in 0..=exit {
                for (b, without) in (0..).zip(reached_without(edges, root, a)) {
                    let (reaches, expected) =
                        (reached[b as usize], reached[b as usize] && !without);
                    let found = (tree.reaches(b), tree.dominates(a, b));
                    assert_eq!(found, (reaches, expected), "{a} {b} {function:?}");
                }
            }
        }
    }
}

/// A chain in which each vertex has an edge back, half way to the root. An algorithm that walks
/// such edges from end to end needs quadratic time.
#[test]
fn a_long_chain_is_quick() {
    let n = 300_000_u32;
    let list: Vec<_> = (0..n - 1).flat_map(|v| [(v, v / 2), (v, v + 1)]).collect();
    let edges = Edges::new(n as usize, &list);
    let start = std::time::Instant::now();
    let tree = DominatorTree::new(&edges, &edges.reversed(), 0);
    let taken = start.elapsed();
    // No path avoids a vertex of the chain.
    assert!((1..n).all(|v| tree.idom[v as usize] == v - 1));
    // A quarter of a second on a busy machine; a quadratic algorithm needs more than a minute.
    assert!(taken.as_secs() < 5, "{taken:?}");
}

/// Edges that skip every vertex except each hundredth, and edges back to arbitrary vertices.
#[test]
fn a_long_graph_with_gates_agrees_with_the_definition() {
    let n = 50_000_u32;
    let past = |v: u32| if v.is_multiple_of(100) || v % 100 == 99 { v + 1 } else { v + 2 };
    let list: Vec<_> = (0..n - 2)
        .flat_map(|v| [(v, v + 1), (v, past(v)), (v, v.wrapping_mul(7919) % (v + 1))])
        .collect();
    let edges = Edges::new(n as usize, &list);
    let tree = DominatorTree::new(&edges, &edges.reversed(), 0);
    let mut numbers = Random::for_test(7919);
    for round in 0..20 {
        let any = 1 + numbers.below(n - 1);
        let a = if round % 2 == 0 { any } else { any / 100 * 100 };
        let without = reached_without(&edges, 0, a);
        for (b, reached) in (0..).zip(without) {
            assert_eq!(tree.dominates(a, b), tree.reaches(b) && !reached, "{a} {b}");
        }
        assert!(a % 100 != 0 || tree.dominates(a, n - 2));
    }
}

#[test]
fn liveness_agrees_with_the_definition() {
    for (function, cfg) in random_functions(2, 500) {
        let end = function.insts.len();
        let liveness = Liveness::new(&function, &cfg, usize::MAX);
        for (block, range) in (0..).zip(cfg.ranges()) {
            let mut live = liveness.live_out(&cfg, block);
            for at in range.clone().rev() {
                assert!(live.step_back(&function, at));
                for reg in 0..function.registers as u32 {
                    let is_result =
                        function.results.contains(&reg) && function.unchanged(reg, at)[end];
                    let expected = is_result || !function.reads(reg, at).is_empty();
                    assert_eq!(live.has(reg), expected, "{reg} before {at} of {function:?}");
                }
            }
            for reg in 0..function.registers as u32 {
                assert_eq!(liveness.is_live_in(block, reg), live.has(reg));
            }
        }
    }
}

#[test]
fn limits_and_instructions_that_nobody_needs() {
    let inst = |defs: &[u32], uses: &[u32]| Inst {
        defs: defs.to_vec(),
        uses: uses.to_vec(),
        is_removable: true,
        ..PLAIN
    };
    // Register 1 is read by an instruction whose result is dead.
    let mut insts = vec![inst(&[0], &[1]), branch(0), inst(&[2], &[0]), jump(EXIT)];
    let function = |insts| Function { registers: 3, insts, results: vec![2] };
    let needed = function(insts.clone());
    let cfg = Cfg::new(&needed);
    let liveness = Liveness::new(&needed, &cfg, usize::MAX);
    assert!(liveness.is_live_in(0, 1) && !liveness.is_live_in(0, 0) && liveness.is_live_in(1, 0));
    assert!(liveness.is_known() && !liveness.live_out(&cfg, 1).has(1));
    let unknown = Liveness::new(&needed, &cfg, 3);
    assert!(!unknown.is_known() && unknown.is_live_in(1, 1) && unknown.live_out(&cfg, 1).has(1));
    insts[2].uses.clear();
    let dead = function(insts);
    let liveness = Liveness::new(&dead, &cfg, usize::MAX);
    assert!(!liveness.is_live_in(0, 1));
    assert!(!liveness.live_out(&cfg, 0).step_back(&dead, 0));
}

#[test]
fn reaching_definitions_and_uses_agree_with_the_definition() {
    for (function, cfg) in random_functions(3, 500) {
        let definitions = Definitions::new(&function);
        // The instructions that a definition's value reaches.
        let behind = |reg: u32, def: usize| -> Vec<Vec<bool>> {
            function.next(def).into_iter().map(|to| function.unchanged(reg, to)).collect()
        };
        for reg in 0..function.registers as u32 {
            for at in 0..function.insts.len() {
                let place = (reg, at);
                let (found, is_open) = reaching_in_block(&function, &cfg, &definitions, place);
                let block = cfg.block_of(at);
                let before =
                    reaching_definitions(&function, &cfg, &definitions, (reg, block), &mut 1000);
                let before = before.expect("few blocks");
                let earlier = if is_open { before.definitions } else { Vec::new() };
                let found: BTreeSet<u32> = found.into_iter().chain(earlier).collect();
                let reaches = |&def: &usize| {
                    let defines = function.insts[def].defs.contains(&reg);
                    defines && behind(reg, def).iter().any(|seen| seen[at])
                };
                let expected: BTreeSet<u32> =
                    (0..function.insts.len()).filter(reaches).map(|def| def as u32).collect();
                assert_eq!(found, expected, "{reg} at {at} of {function:?}");
                let start = cfg.range(block).start;
                let unwritten = function.unchanged(reg, 0)[start];
                assert_eq!(before.unwritten, unwritten, "{reg} at {start} of {function:?}");

                let mut read = BTreeSet::new();
                let flow = reached_uses(&function, place, &mut 1000, &mut |read_at| {
                    read.insert(read_at);
                    ControlFlow::Continue(())
                });
                assert!(flow.is_continue());
                let next = function.next(at).into_iter().filter(|&to| to < function.insts.len());
                let expected: BTreeSet<usize> =
                    next.flat_map(|to| function.reads(reg, to)).collect();
                assert_eq!(read, expected, "{reg} from {at} of {function:?}");
            }
        }
    }
}

#[test]
fn searches_end_at_their_limits() {
    let mut insts = vec![branch(0); 100];
    insts[99].uses.push(0);
    let function = Function { registers: 1, insts, results: Vec::new() };
    let cfg = Cfg::new(&function);
    let definitions = Definitions::new(&function);
    let mut left = 50;
    assert!(reaching_definitions(&function, &cfg, &definitions, (0, 90), &mut left).is_none());
    assert_eq!(left, 0);
    let mut left = 50;
    let mut stop = |_: usize| -> ControlFlow<()> { unreachable!("the read is further") };
    assert!(reached_uses(&function, (0, 1), &mut left, &mut stop).is_break());
}

#[test]
fn forward_flow_finds_what_is_written_on_every_path() {
    for (function, cfg) in random_functions(4, 300) {
        let reached = cfg.dominators();
        let states = forward(
            &cfg,
            0_u32,
            |block, written| {
                for inst in cfg.range(block).map(|at| &function.insts[at]) {
                    let defs = inst.defs.iter().filter(|_| !inst.is_guarded);
                    defs.for_each(|reg| *written |= 1 << reg);
                }
            },
            |written, other| {
                let both = *written & other;
                std::mem::replace(written, both) != both
            },
        );
        let states = states.expect("few loops");
        for (block, state) in (0..=cfg.exit()).zip(states) {
            assert_eq!(state.is_some(), reached.reaches(block));
            assert_eq!(state.is_some(), cfg.reachable()[block as usize]);
            let Some(written) = state else { continue };
            for reg in 0..function.registers as u32 {
                let is_open = function.unchanged(reg, 0)[cfg.range(block).start];
                assert_eq!(written >> reg & 1 == 0, is_open, "{reg} at {block} of {function:?}");
            }
        }
    }
}

#[test]
fn long_code_is_quick() {
    let n = 200_000;
    let insts = (0..n).map(|i| if i % 2 == 0 { branch((i * 7919) % n) } else { PLAIN }).collect();
    let cfg = Cfg::new(&Function::new(insts));
    assert_eq!(cfg.immediate_post_dominators().len(), cfg.exit() as usize + 1);
}
