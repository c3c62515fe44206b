//! Lints W0201 to W0203: registers that are read before they are written.
//!
//! Most registers are written once, in a block that dominates every read, which one walk over the
//! dominator tree shows. For other registers, paths are searched backwards from the read; paths on
//! which a predicate would have to be both true and false are excluded.

use texunit_flow::{Access, Code, Control};
use texunit_forms::sort_by_key;
use texunit_isa::Opcode;
use texunit_syntax::{Diagnostic, Span};

use super::body::{Body, Knowledge};
use crate::ir::{Guard, Operand, RegId};
use crate::names::{Map, Set};

/// Maximum number of states searched for one read; if it is exceeded, nothing is reported.
const MAX_STATES: usize = 20_000;
/// Maximum number of states and edges searched for all reads of a function: a constant, and a
/// number per instruction, so that the time is linear in the length of the text.
const ALL_STATES: (usize, usize) = (2_000, 32);
/// Maximum number of predicate values tracked on a path.
const MAX_FACTS: usize = 12;
/// Maximum number of successors of a branch, and of writes after it, that are examined to find the
/// branch that a message names.
const MAX_SUCCESSORS: usize = 64;

/// Finds registers that are read before they are written.
pub(super) fn lint(body: &Body, out: &mut Vec<Diagnostic>) {
    let suspects = Suspects::find(body, &only_guards(body));
    let mut search = Search::new(body);
    let mut said = Set::default();
    for (reg, at) in suspects.unwritten {
        if said.contains(&reg) {
            continue;
        }
        if body.writes.of(reg.0).is_empty() {
            said.insert(reg);
            if !body.origin.debug || !copies(body, at) {
                out.push(undefined(body, reg, at));
            }
        } else if body.origin.compiled {
            if !search.is_reached(reg, at) {
                said.insert(reg);
                out.push(undefined(body, reg, at));
            }
        } else if let Some(path) = search.path_without(reg, at) {
            said.insert(reg);
            out.push(not_everywhere(body, reg, at, &path));
        }
    }
    for (reg, at, write) in suspects.guarded {
        if said.insert(reg) {
            out.push(guarded(body, reg, at, write));
        }
    }
}

/// Whether an instruction only copies a value; compilers copy the unwritten bytes of empty objects.
fn copies(body: &Body, at: usize) -> bool {
    matches!(body.code[at].opcode, Opcode::St | Opcode::Mov)
}

/// For each register, the guard of all instructions that write it; `None` if they differ.
fn only_guards(body: &Body) -> Vec<Option<Guard>> {
    let guard = |reg| {
        let mut guards = body.writes.of(reg).iter().map(|&w| body.code[w as usize].guard);
        let first = guards.next()??;
        guards.all(|guard| guard == Some(first)).then_some(first)
    };
    (0..body.function.regs.len() as u32).map(guard).collect()
}

/// Reads that no write dominates.
#[derive(Default)]
struct Suspects {
    unwritten: Vec<(RegId, usize)>,
    /// Reads after a guarded write in the same block: register, read, write.
    guarded: Vec<(RegId, usize, usize)>,
}

impl Suspects {
    fn find(body: &Body, guards: &[Option<Guard>]) -> Self {
        let mut found = Self::default();
        let mut written = vec![false; body.function.regs.len()];
        let function = body.function;
        for param in function.params.iter().chain(&function.returns) {
            if let Some(RegId(first)) = param.reg {
                let lanes = u32::from(function.regs[first as usize].vector.max(1));
                (first..first + lanes).for_each(|r| written[r as usize] = true);
            }
        }
        for (written, known) in written.iter_mut().zip(&body.known) {
            *written |= *known != Knowledge::All;
        }
        let mut log = Vec::new();
        let mut stack = vec![(0, None)];
        while let Some((block, undo)) = stack.pop() {
            if let Some(length) = undo {
                log.drain(length..).for_each(|r: RegId| written[r.0 as usize] = false);
                continue;
            }
            if block == body.graph.exit() {
                continue;
            }
            stack.push((block, Some(log.len())));
            stack.extend(body.dominators.children.of(block).iter().map(|&c| (c, None)));
            found.block(body, guards, block, &mut written, &mut log);
        }
        sort_by_key(&mut found.unwritten, |&(_, at)| at);
        found
    }

    fn block(
        &mut self,
        body: &Body,
        guards: &[Option<Guard>],
        block: u32,
        written: &mut [bool],
        log: &mut Vec<RegId>,
    ) {
        for at in body.graph.range(block) {
            body.registers(at, |reg, access| {
                let known = std::mem::replace(&mut written[reg.0 as usize], true);
                if !known {
                    // Only the first read of a register on a path is reported.
                    log.push(reg);
                    if access == Access::Use {
                        self.unwritten.push((reg, at));
                    }
                } else if let (Access::Use, Some(guard)) = (access, guards[reg.0 as usize])
                    && body.known[reg.0 as usize] == Knowledge::All
                    && let Some(write) = body.write_before(reg, at)
                    && !depends(body, guard, write..at + 1)
                {
                    self.guarded.push((reg, at, write));
                }
            });
        }
    }
}

/// Whether code after a guarded write, the first instruction of `range`, accesses the guard's
/// predicate: a read of the register at the end of `range` may then be intended.
fn depends(body: &Body, guard: Guard, range: std::ops::Range<usize>) -> bool {
    // To save time, long ranges count as accessing the predicate.
    range.len() > 64
        || range.skip(1).any(|at| {
            let mut found = false;
            body.registers(at, |reg, _| found |= reg == guard.reg);
            found
        })
}

/// The blocks of a path on which a register is not written, from the read back to the entry.
type UnwrittenPath = Vec<u32>;

/// Known values of predicates on a path, sorted by register.
type Facts = Vec<(u32, bool)>;

struct Search<'b, 'a> {
    body: &'b Body<'a>,
    /// For each predicate, the number of guards and selp instructions that test it.
    tests: Map<u32, u32>,
    left: usize,
}

impl<'b, 'a> Search<'b, 'a> {
    fn new(body: &'b Body<'a>) -> Self {
        let mut tests = Map::default();
        for i in body.code {
            if let Some(guard) = i.guard {
                *tests.entry(guard.reg.0).or_default() += 1;
            }
            if let (Opcode::Selp, Some(Operand::Reg(p))) = (i.opcode, i.operands.get(3)) {
                *tests.entry(p.0).or_default() += 1;
            }
        }
        Self { body, tests, left: ALL_STATES.0 + ALL_STATES.1 * body.code.len() }
    }

    /// Adds the value of a predicate to `facts`; false if it contradicts them.
    fn learn(&self, facts: &mut Facts, reg: RegId, value: bool) -> bool {
        if self.tests.get(&reg.0).is_none_or(|&n| n < 2) {
            return true;
        }
        match facts.binary_search_by_key(&reg.0, |f| f.0) {
            Ok(at) => facts[at].1 == value,
            Err(at) if facts.len() < MAX_FACTS => {
                facts.insert(at, (reg.0, value));
                true
            }
            Err(_) => true,
        }
    }

    /// Removes the values of predicates that are written in a range of instructions.
    fn forget(&self, facts: &mut Facts, range: std::ops::Range<usize>) {
        facts.retain(|&(reg, _)| self.body.writes.last_within(reg, range.clone()).is_none());
    }

    /// The predicate values for which the instruction executes and the read has an effect.
    fn needed(&self, reg: RegId, at: usize) -> Facts {
        let mut facts = Facts::new();
        let i = &self.body.code[at];
        if let Some(guard) = i.guard {
            self.learn(&mut facts, guard.reg, !guard.negated);
        }
        if let (Opcode::Selp, [_, a, b, Operand::Reg(p)]) = (i.opcode, i.operands.as_slice()) {
            let reads = |o: &Operand| *o == Operand::Reg(reg);
            if reads(a) != reads(b) {
                self.learn(&mut facts, *p, reads(a));
            }
        }
        facts
    }

    /// A path from the entry to a read on which the register is not written.
    fn path_without(&mut self, reg: RegId, at: usize) -> Option<UnwrittenPath> {
        let graph = &self.body.graph;
        let writes = self.body.writes.of(reg.0);
        let few: Vec<u32> = writes.iter().take(4).map(|&w| graph.block_of(w as usize)).collect();
        let block = graph.block_of(at);
        let mut facts = self.needed(reg, at);
        self.forget(&mut facts, graph.range(block).start..at);
        // The searched states, each with the index of the state from which it was reached.
        let mut states = vec![(block, facts.clone(), usize::MAX)];
        let mut seen: Set<(u32, Facts)> = Set::from_iter([(block, facts)]);
        let mut next = 0;
        while next < states.len() {
            let (at, facts, _) = states[next].clone();
            if at == 0 {
                let mut path = vec![];
                let mut state = next;
                while state != usize::MAX {
                    path.push(states[state].0);
                    state = states[state].2;
                }
                path.reverse();
                return Some(path);
            }
            let before = graph.predecessors.of(at);
            if self.left <= before.len() {
                return None;
            }
            self.left -= 1 + before.len();
            for &from in before {
                let written = self.body.writes.last_within(reg.0, graph.range(from)).is_some()
                    || few.iter().any(|&w| self.body.dominators.dominates(w, from));
                if written || !self.body.dominators.reaches(from) {
                    continue;
                }
                let mut facts = facts.clone();
                if !self.crosses(&mut facts, from, at) {
                    continue;
                }
                self.forget(&mut facts, graph.range(from));
                if seen.insert((from, facts.clone())) {
                    states.push((from, facts, next));
                }
            }
            next += 1;
            if next > MAX_STATES || states.len() > 4 * MAX_STATES {
                return None;
            }
        }
        None
    }

    /// Whether any write of the register can precede the read.
    fn is_reached(&mut self, reg: RegId, at: usize) -> bool {
        let graph = &self.body.graph;
        let mut seen = Set::default();
        let mut stack = Vec::new();
        let mut block = graph.block_of(at);
        loop {
            let before = graph.predecessors.of(block);
            if self.left <= before.len() {
                return true;
            }
            self.left -= 1 + before.len();
            stack.extend(before.iter().copied().filter(|&b| seen.insert(b)));
            let Some(next) = stack.pop() else { return false };
            if self.body.writes.last_within(reg.0, graph.range(next)).is_some() {
                return true;
            }
            block = next;
        }
    }

    /// Adds the predicate value that an edge implies to `facts`; false if it contradicts them.
    fn crosses(&self, facts: &mut Facts, from: u32, to: u32) -> bool {
        match taken(self.body, from, to) {
            Some((guard, taken)) => self.learn(facts, guard.reg, taken != guard.negated),
            None => true,
        }
    }
}

/// The guard of the branch at the end of block `from`, and whether the edge to `to` is taken if the
/// guard holds; `None` without a guard, or if both edges go to `to`.
fn taken(body: &Body, from: u32, to: u32) -> Option<(Guard, bool)> {
    let last = body.graph.range(from).last()?;
    let guard = body.code[last].guard?;
    let next = body.graph.successors.of(from);
    if next.len() < 2 || body.flow.control(last, &mut |_| {}) == Control::Next {
        return None;
    }
    // Of two edges, the edge to the next block is not the jump: a jump there would be the same
    // edge.
    Some((guard, to != from + 1))
}

/// Reports a read that no write precedes.
fn undefined(body: &Body, reg: RegId, at: usize) -> Diagnostic {
    let name = body.name(reg);
    let warn = |code, what| {
        Diagnostic::warning(code, body.place(reg, at), format!("{name} is read {what}"))
            .label("its value is undefined")
            .help(format!("write {name} first, or read the intended register"))
    };
    match body.writes.of(reg.0).first() {
        None => warn("W0201", "and never written"),
        Some(&write) => warn("W0202", "before it is written")
            .note(body.head(write as usize), "written only here, later"),
    }
}

fn not_everywhere(body: &Body, reg: RegId, at: usize, path: &[u32]) -> Diagnostic {
    let name = body.name(reg);
    let message = format!("{name} may be read before it is written");
    let mut diagnostic = Diagnostic::warning("W0202", body.place(reg, at), message)
        .label("undefined on one path to here");
    let write = body.writes.of(reg.0).first().map(|&w| w as usize);
    if let Some((span, text)) = branch_of(body, reg, path) {
        diagnostic = diagnostic.note(span, text);
    }
    if let Some(write) = write {
        let text =
            if write > at && path.len() <= 1 { "written only here, later" } else { "written here" };
        diagnostic = diagnostic.note(body.head(write), text);
    }
    diagnostic.help(format!("write {name} before the branches, or on every path to this place"))
}

/// The last branch on `path` with another successor that leads to a write of the register.
fn branch_of(body: &Body, reg: RegId, path: &[u32]) -> Option<(Span, &'static str)> {
    let graph = &body.graph;
    let writes: Vec<u32> = body
        .writes
        .of(reg.0)
        .iter()
        .take(MAX_SUCCESSORS)
        .map(|&w| graph.block_of(w as usize))
        .collect();
    // The path runs backwards, from the read to the entry.
    let mut fallback = None;
    for pair in path.windows(2) {
        let (to, from) = (pair[0], pair[1]);
        let others = graph.successors.of(from);
        if others.len() < 2 {
            continue;
        }
        let last = graph.range(from).last()?;
        let text = match taken(body, from, to) {
            Some((_, true)) => "not written when this branch is taken",
            Some((_, false)) => "not written when this branch is not taken",
            None => "not written on one path from here",
        };
        let said = (body.head(last), text);
        let leads = |&other: &u32| {
            other != to && writes.iter().any(|&w| body.dominators.dominates(other, w))
        };
        if others.iter().take(MAX_SUCCESSORS).any(leads) {
            return Some(said);
        }
        fallback.get_or_insert(said);
    }
    fallback
}

fn guarded(body: &Body, reg: RegId, at: usize, write: usize) -> Diagnostic {
    let name = body.name(reg);
    let guard = body.syntax[write].guard.map_or(body.head(write), |g| g.span);
    let condition = body.source.snippet(guard).to_owned();
    let message = format!("{name} is written under {condition} only, and read without it");
    Diagnostic::warning("W0203", body.place(reg, at), message)
        .label("undefined where the guard is false")
        .note(guard, "written under this guard")
        .help(format!("write {name} without a guard before, or guard this instruction too"))
}
