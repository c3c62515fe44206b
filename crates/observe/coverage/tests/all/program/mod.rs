//! Random programs with control flow, as PTX and as a model that executes one thread.

mod writer;

use std::collections::BTreeMap;
use texunit_coverage::{BranchKey, Coverage, File, Function};

/// A thread's state: the value `x` that decides its branches.
struct Thread {
    x: u32,
    /// Its loop iterations.
    turns: u32,
}

/// The thread has exited.
struct Exited;

/// A part of a program, with its line numbers in the PTX.
enum Node {
    /// `x = x * a + b`
    Step { line: u32, a: u32, b: u32 },
    /// Both sides of a branch; the second may be empty. `jump` is the line of the branch around the
    /// second side.
    If { test: Test, taken: Vec<Node>, jump: Option<u32>, past: Vec<Node> },
    /// A loop with `turns + 1` iterations, counted in a register for its nesting depth.
    Loop { first: u32, body: Vec<Node>, add: u32, test: u32, branch: u32 },
    /// `brx` on some bits of x. Each case ends with a branch to the end, whose line is given.
    Switch { bits: u32, lines: [u32; 2], cases: Vec<(Vec<Node>, u32)>, order: Vec<usize> },
    /// A call of a function on x, which returns the new x.
    Call { line: u32, function: usize },
    /// An `exit` or `ret` for some lanes.
    Leave { test: Test },
}

/// Three lines: a mask, a comparison, a branch.
#[derive(Clone, Copy)]
struct Test {
    lines: [u32; 3],
    mask: u32,
    value: u32,
}

impl Test {
    fn holds(&self, thread: &Thread) -> bool {
        thread.x & self.mask == self.value
    }
}

/// A function with the lines of its first instruction and of its return.
struct Body {
    name: String,
    header: u32,
    /// Lines before and after `nodes`.
    head: Vec<u32>,
    nodes: Vec<Node>,
    tail: Vec<u32>,
}

pub(crate) struct Program {
    text: String,
    functions: Vec<Body>,
    /// Whether each instruction has a `.loc`; line numbers are then those of `k.cu`.
    has_loc: bool,
}

/// Counts by line, and by line and branch.
#[derive(Default)]
pub(crate) struct Covered {
    lines: BTreeMap<u32, u64>,
    branches: BTreeMap<u32, Vec<u64>>,
    functions: BTreeMap<String, u64>,
}

impl Covered {
    fn line(&mut self, line: u32) {
        *self.lines.entry(line).or_default() += 1;
    }

    fn all(&mut self, lines: &[u32]) {
        lines.iter().for_each(|&line| self.line(line));
    }

    fn way(&mut self, line: u32, way: usize) {
        let ways = self.branches.entry(line).or_default();
        ways.resize(ways.len().max(way + 1), 0);
        ways[way] += 1;
    }

    fn test(&mut self, test: &Test, thread: &Thread) -> bool {
        self.all(&test.lines);
        let holds = test.holds(thread);
        self.way(test.lines[2], usize::from(!holds));
        holds
    }
}

impl Program {
    pub(crate) fn text(&self) -> String {
        self.text.clone()
    }

    /// Executes a thread, given its number in its CTA.
    pub(crate) fn run(&self, thread: u32, cta: u32, parameter: u32, covered: &mut Covered) {
        let x = thread.wrapping_mul(40503).wrapping_add(parameter);
        let x = cta.wrapping_mul(60493).wrapping_add(x);
        let mut thread = Thread { x, turns: x & 3 };
        let _ = self.body(self.functions.len() - 1, &mut thread, covered);
    }

    fn body(
        &self,
        number: usize,
        thread: &mut Thread,
        covered: &mut Covered,
    ) -> Result<(), Exited> {
        let body = &self.functions[number];
        *covered.functions.entry(body.name.clone()).or_default() += 1;
        covered.all(&body.head);
        self.nodes(&body.nodes, thread, covered)?;
        covered.all(&body.tail);
        Ok(())
    }

    fn nodes(&self, nodes: &[Node], thread: &mut Thread, c: &mut Covered) -> Result<(), Exited> {
        nodes.iter().try_for_each(|node| self.node(node, thread, c))
    }

    fn node(&self, node: &Node, thread: &mut Thread, c: &mut Covered) -> Result<(), Exited> {
        match node {
            Node::Step { line, a, b } => {
                c.line(*line);
                thread.x = thread.x.wrapping_mul(*a).wrapping_add(*b);
            }
            Node::If { test, taken, jump, past } => {
                let mut goes_there = c.test(test, thread);
                if !goes_there {
                    self.nodes(past, thread, c)?;
                    c.all(jump.as_slice());
                    goes_there = jump.is_none();
                }
                if goes_there {
                    self.nodes(taken, thread, c)?;
                }
            }
            Node::Loop { first, body, add, test, branch } => {
                c.line(*first);
                for turn in 0..=thread.turns {
                    self.nodes(body, thread, c)?;
                    c.all(&[*add, *test, *branch]);
                    c.way(*branch, usize::from(turn == thread.turns));
                }
            }
            Node::Switch { bits, lines, cases, order } => {
                c.all(lines);
                let case = order[(thread.x & ((1 << bits) - 1)) as usize];
                // Branches are ordered by the first position of their target in the list.
                let first = |case| order.iter().position(|&other| other == case).unwrap();
                let named = (0..first(case)).filter(|&i| first(order[i]) == i).count();
                c.way(lines[1], named);
                let (nodes, jump) = &cases[case];
                self.nodes(nodes, thread, c)?;
                c.line(*jump);
            }
            Node::Call { line, function } => {
                c.line(*line);
                let mut callee = Thread { x: thread.x, turns: thread.x & 3 };
                self.body(*function, &mut callee, c)?;
                thread.x = callee.x;
            }
            Node::Leave { test } => {
                if c.test(test, thread) {
                    return Err(Exited);
                }
            }
        }
        Ok(())
    }

    /// The expected coverage of `launches` launches, with a tracefile's numbers.
    pub(crate) fn coverage(&self, covered: &Covered, launches: u64) -> Coverage {
        let mut file = File::default();
        let mut all = Listed::default();
        for body in &self.functions {
            all.lines.extend(body.head.iter().chain(&body.tail));
            all.add(&body.nodes);
            let first = body.head.iter().min().copied().unwrap();
            let line = if self.has_loc { first } else { body.header };
            let lanes = covered.functions.get(&body.name).copied().unwrap_or(0) * launches;
            file.function(&body.name, Function { line, lanes });
            if !self.has_loc {
                file.line(line, lanes);
            }
        }
        for line in all.lines {
            file.line(line, covered.lines.get(&line).copied().unwrap_or(0) * launches);
        }
        for (line, ways) in all.branches {
            let found = covered.branches.get(&line);
            let lanes = (0..ways)
                .map(|way| found.and_then(|ways| ways.get(way)).copied().unwrap_or(0) * launches);
            file.branch(BranchKey { line, owner: 0, number: 0 }, lanes);
        }
        let name = if self.has_loc { "k.cu" } else { "k.ptx" };
        Coverage { files: [(name.to_owned(), file)].into() }
    }
}

/// All lines and branches of a program.
#[derive(Default)]
struct Listed {
    lines: Vec<u32>,
    branches: Vec<(u32, usize)>,
}

impl Listed {
    fn test(&mut self, test: &Test) {
        self.lines.extend(test.lines);
        self.branches.push((test.lines[2], 2));
    }

    fn add(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Step { line, .. } | Node::Call { line, .. } => self.lines.push(*line),
                Node::If { test, taken, jump, past } => {
                    self.test(test);
                    self.lines.extend(jump);
                    self.add(taken);
                    self.add(past);
                }
                Node::Loop { first, body, add, test, branch } => {
                    self.lines.extend([first, add, test, branch]);
                    self.branches.push((*branch, 2));
                    self.add(body);
                }
                Node::Switch { lines, cases, order, .. } => {
                    self.lines.extend(lines);
                    let mut targets = order.clone();
                    targets.sort_unstable();
                    targets.dedup();
                    self.branches.push((lines[1], targets.len()));
                    for (nodes, jump) in cases {
                        self.add(nodes);
                        self.lines.push(*jump);
                    }
                }
                Node::Leave { test } => self.test(test),
            }
        }
    }
}
