//! Lints W0205 to W0207: instructions that must be executed by a whole warp or CTA, in divergent
//! code.
//!
//! A branch counts as divergent if threads that take different sides reconverge only after the
//! instruction, or never. Threads that exit without further effects do not matter, because barriers
//! do not wait for them (an early `if (i >= n) return;` is valid).

use texunit_flow::{Cfg, Edges, Variation, control_dependence};
use texunit_isa::Opcode;
use texunit_syntax::{Diagnostic, Span};

use super::body::{Body, is_foreign};
use super::divergence::{Value, Values};
use crate::ir::{Instruction, Operand};

/// Work limit for pairs of a block and a branch that controls it: a constant, and a number per
/// block. If it is exceeded, nothing is reported.
const MAX_PAIRS: (usize, usize) = (100_000, 200);

/// Which threads must execute an instruction together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Participants {
    Cta,
    Warp,
    /// The threads of a warp, because a branch declares itself uniform (`.uni`).
    Branch,
}

/// Finds barriers and similar instructions in divergent code.
pub(super) fn lint(body: &Body, out: &mut Vec<Diagnostic>) {
    let sites: Vec<(usize, Participants)> = (0..body.code.len())
        .filter(|&at| body.is_reachable(at))
        .filter_map(|at| together(body, at).map(|t| (at, t)))
        .collect();
    if sites.is_empty() || one_thread(body) {
        return;
    }
    let Some((_, control)) = control(body) else { return };
    let mut values = Values::new(body, &control);
    let mut said = std::collections::HashSet::new();
    for (at, together) in sites {
        let counts = |value: Value| match together {
            Participants::Cta => value.kind.varies(),
            Participants::Warp => value.kind == Variation::InWarp,
            Participants::Branch => matches!(value.kind, Variation::InWarp | Variation::Bound),
        };
        if let Some(guard) = body.code[at].guard {
            let value = values.read(guard.reg, at);
            if counts(value) {
                let span = body.syntax[at].guard.map_or(body.head(at), |g| g.span);
                out.push(report(body, at, together, (span, value)));
                continue;
            }
        }
        if together == Participants::Branch {
            continue;
        }
        let block = body.graph.block_of(at);
        let Some(deciders) = values.deciders(block).cloned() else { continue };
        for &decider in deciders.iter().rev() {
            let value = values.decision(decider);
            let Some(last) = body.graph.range(decider).last() else { continue };
            if counts(value) {
                if said.insert((block, last)) {
                    out.push(report(body, at, together, (body.syntax[last].span, value)));
                }
                break;
            }
        }
    }
}

/// Whether the kernel declares that its CTAs have a single thread.
pub(super) fn one_thread(body: &Body) -> bool {
    body.function.directives.iter().any(|(name, values)| {
        matches!(name.as_str(), "reqntid" | "maxntid") && values.iter().product::<u64>() == 1
    })
}

fn together(body: &Body, at: usize) -> Option<Participants> {
    let i = &body.code[at];
    let word = |wanted: &str| body.words(at).any(|w| w == wanted);
    if let Some(mask) = member_mask(i) {
        let (mask, _) = body.integer(mask, at)?;
        return (mask == -1).then_some(Participants::Warp);
    }
    match i.opcode {
        Opcode::Bar | Opcode::Barrier if word("cluster") => {
            word("aligned").then_some(Participants::Warp)
        }
        // If a thread count is given, some warps may not participate.
        Opcode::Bar | Opcode::Barrier => whole_cta(i).then_some(Participants::Cta),
        Opcode::Bra | Opcode::Call | Opcode::Ret if i.mods.uni && i.guard.is_some() => {
            Some(Participants::Branch)
        }
        _ if is_foreign(i, body.syntax[at]) && word("aligned") => Some(Participants::Warp),
        _ => None,
    }
}

/// Whether a barrier is for all threads of the CTA.
fn whole_cta(i: &Instruction) -> bool {
    !i.mods.arrive && i.operands.len() == if i.mods.red { 3 } else { 1 }
}

/// The operand that names the lanes which execute the instruction together.
pub(super) fn member_mask(i: &Instruction) -> Option<&Operand> {
    match i.opcode {
        Opcode::Bar | Opcode::Barrier if i.mods.warp => i.operands.first(),
        Opcode::Vote | Opcode::Shfl | Opcode::Match | Opcode::Redux if i.mods.sync => {
            i.operands.last()
        }
        _ => None,
    }
}

/// Whether other threads, or the host, can observe the effect of an instruction.
fn has_effect(body: &Body, at: usize, barriers: bool) -> bool {
    let i = &body.code[at];
    match i.opcode {
        Opcode::St | Opcode::Atom | Opcode::Red | Opcode::Sust | Opcode::Sured => true,
        Opcode::Call => !i.never_returns(body.module),
        Opcode::Bar | Opcode::Barrier => barriers,
        Opcode::Ret => !body.function.is_entry,
        _ => is_foreign(i, body.syntax[at]),
    }
}

/// For each block, whether the kernel ends after it without any effect.
fn ending(body: &Body, barriers: bool) -> Vec<bool> {
    let graph: &Cfg = &body.graph;
    let exit = graph.exit();
    let mut open: Vec<usize> = (0..exit).map(|b| graph.successors.of(b).len()).collect();
    let mut ending = vec![false; exit as usize + 1];
    // Returning from a function continues in its caller; only exit and trap end the thread.
    let mut stack = vec![exit];
    ending[exit as usize] = true;
    while let Some(block) = stack.pop() {
        for &before in graph.predecessors.of(block) {
            open[before as usize] -= 1;
            let idle = || graph.range(before).all(|at| !has_effect(body, at, barriers));
            let falls_out = !body.function.is_entry && block == exit && falls(body, before);
            if open[before as usize] == 0 && !falls_out && idle() {
                ending[before as usize] = true;
                stack.push(before);
            }
        }
    }
    ending
}

/// Whether a block runs past the end of the function, rather than end by `exit`, `trap` or `ret`.
fn falls(body: &Body, block: u32) -> bool {
    body.graph.range(block).last().is_none_or(|last| {
        !matches!(body.code[last].opcode, Opcode::Exit | Opcode::Trap | Opcode::Ret)
    })
}

/// The edges of [`without_early_ends`], and the control dependences along these edges; `None` for
/// functions that are too large.
pub(super) fn control(body: &Body) -> Option<(Edges, Edges)> {
    let next = without_early_ends(body);
    let most = MAX_PAIRS.0 + MAX_PAIRS.1 * next.vertices();
    let control = control_dependence(&next, most)?;
    Some((next, control))
}

/// The control-flow edges, except edges to blocks after which the kernel ends without effects. Such
/// an edge is kept if the other successors have no effects either, apart from waiting.
fn without_early_ends(body: &Body) -> Edges {
    let graph = &body.graph;
    let (ending, idle) = (ending(body, true), ending(body, false));
    let exit = graph.exit();
    let mut list = Vec::new();
    for block in 0..exit {
        let next = graph.successors.of(block);
        let leaves = |&to: &u32| {
            if to == exit {
                body.function.is_entry || leaves_thread(body, block)
            } else {
                ending[to as usize]
            }
        };
        let works = next.iter().any(|to| !leaves(to) && (*to == exit || !idle[*to as usize]));
        list.extend(next.iter().filter(|to| !(works && leaves(to))).map(|&to| (block, to)));
    }
    Edges::new(exit as usize + 1, &list)
}

fn leaves_thread(body: &Body, block: u32) -> bool {
    let last = body.graph.range(block).last();
    last.is_some_and(|last| matches!(body.code[last].opcode, Opcode::Exit | Opcode::Trap))
}

fn report(
    body: &Body,
    at: usize,
    together: Participants,
    (branch, value): (Span, Value),
) -> Diagnostic {
    let name = body.mnemonic(at);
    let head = body.head(at);
    let (code, message, label, help) = match together {
        Participants::Cta => (
            "W0205",
            format!("not all threads of the CTA reach this {name}"),
            "a barrier under divergence",
            "move the barrier to where all threads arrive, outside of the branch or loop",
        ),
        Participants::Warp => (
            "W0206",
            format!("not all threads of the warp reach this {name}"),
            "needs all threads of the warp",
            "move it to where all threads arrive, or name those that do in a mask",
        ),
        Participants::Branch => (
            "W0207",
            format!("the threads of a warp diverge at this {name}"),
            ".uni promises that they do not",
            "leave .uni out",
        ),
    };
    let mut diagnostic = Diagnostic::warning(code, head, message).label(label).help(help);
    if together != Participants::Branch {
        diagnostic = diagnostic.note(branch, "threads diverge here");
    }
    if let Some(source) = value.source.filter(|&s| s as usize != at) {
        let span = body.syntax[source as usize].span;
        diagnostic = diagnostic.note(span, "this differs between threads");
    }
    diagnostic
}
