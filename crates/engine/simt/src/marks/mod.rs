//! Builds marked code: a copy of a program's code with additional operations that notify an
//! observer of their neighbours.
//!
//! [`MarkedCodes::get`] is given a set of events and returns the marked code with the mapping of
//! its operations to those of the program.

mod costs;
mod counts;
mod issues;
mod shadow;

pub use costs::{AccessCost, Costs};
pub use counts::{BlockCounters, CountedBlock, CountedBranch, LaneCount};
pub use issues::{Issues, Stretch};

use crate::code::{
    Code, Events, Inst, Item, Mark, MemSpace, Op, Order, Role, Slot, Synchronization, assemble,
    words,
};
use crate::flow::FunctionCode;
use crate::regions::Regions;
use counts::Counters;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use texunit_syntax::{SourceFile, Span};

#[cfg(test)]
mod tests;

/// The code that an observed launch executes.
#[derive(Debug, Default)]
pub(crate) struct MarkedCode {
    /// The marked code; `None`: the program's own code, as no marks are needed.
    pub(crate) code: Option<Code>,
    /// For each operation of the marked code the program's operation; for a mark the operation that
    /// it reports.
    origin: Vec<u32>,
    /// Operations of fetches and surface accesses, by site number.
    sites: Vec<u32>,
    /// Number of counters in the code; 0 if none are wanted.
    pub(crate) counters: usize,
    /// Compiled regions of the marked code.
    pub(crate) regions: Regions,
}

impl MarkedCode {
    /// The program's operation for a position in the executed code.
    pub(crate) fn op(&self, pc: u32) -> u32 {
        self.origin.get(pc as usize).copied().unwrap_or(pc)
    }

    /// The operation of a fetch or surface access.
    pub(crate) fn site(&self, site: usize) -> u32 {
        self.sites.get(site).copied().unwrap_or(0)
    }
}

/// Marked codes by the events that they report.
type Codes = HashMap<Events, Arc<MarkedCode>>;

/// Cache of the marked codes of a unit.
#[derive(Debug, Default)]
pub(crate) struct MarkedCodes(Mutex<Codes>);

impl MarkedCodes {
    /// The marked code for a set of events. `code` is the code of the unit.
    pub(crate) fn get(&self, source: &SourceFile, code: &Code, events: Events) -> Arc<MarkedCode> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let marks = events & Events::BY_MARKS;
        let make = || match marks.is_empty() {
            true => MarkedCode { sites: sites(code), ..MarkedCode::default() },
            false => marked(source, code, marks, &|_| true),
        };
        Arc::clone(kept.entry(marks).or_insert_with(|| Arc::new(make())))
    }
}

/// For each texture or surface instruction, by its site number, its operation.
fn sites(code: &Code) -> Vec<u32> {
    let mut sites = vec![0; code.sites];
    for (op, inst) in (0..).zip(&code.insts) {
        let site = match &inst.op {
            Op::Fetch(fetch) => fetch.site,
            Op::SurfaceLoad(access) | Op::SurfaceStore(access) => access.site,
            _ => continue,
        };
        sites[site] = op;
    }
    sites
}

/// The marks around an operation.
#[derive(Default)]
struct MarksAround {
    /// Events reported before the operation.
    before: Events,
    /// Events reported after the operation.
    after: Events,
    order: Order,
    fence: Option<Synchronization<'static>>,
}

/// The marks of an operation. `leads`: the operation is the first one of a block.
fn around(source: &SourceFile, inst: &Inst, events: Events, leads: bool) -> MarksAround {
    let words = || words(source, inst.span);
    let mut around = MarksAround { before: Events::OPERATIONS, ..MarksAround::default() };
    if leads {
        around.before |= Events::BLOCKS;
    }
    if inst.op.members().is_some() {
        around.before |= Events::SYNCHRONIZATION;
        // The members of a `bar.warp.sync` may wait at different instructions; the last arrival
        // reports those that continue.
        if !matches!(inst.op, Op::WarpSync { .. }) {
            around.after |= Events::SYNCHRONIZATION;
        }
    }
    match &inst.op {
        Op::Load(access) | Op::LoadQuad(access) | Op::Store(access) | Op::StoreQuad(access) => {
            around.before |= match access.at.mem_space {
                MemSpace::KernelParam => Events::PARAMETERS,
                MemSpace::Param | MemSpace::Generic => Events::ANY_ACCESS,
                _ if access.constant => Events::CONSTANTS,
                _ => Events::ACCESSES,
            };
            let loads = matches!(inst.op, Op::Load(_) | Op::LoadQuad(_));
            if loads && access.at.mem_space != MemSpace::KernelParam {
                around.after |= Events::RESULTS;
            }
            around.order = Order::of(words());
            if around.after.intersects(Events::RESULTS) && around.order != Order::default() {
                around.after |= Events::STRONG_RESULTS;
            }
        }
        Op::Atomic(_) => {
            around.before |= Events::ACCESSES;
            around.after |= Events::RESULTS | Events::STRONG_RESULTS;
            around.order = Order::of(words());
        }
        Op::AsyncCopy(_) | Op::Matrix(_) => around.before |= Events::ACCESSES,
        Op::Mbarrier(_) => {
            around.before |= Events::SYNCHRONIZATION;
            around.order = Order::of(words());
        }
        Op::Branch { .. } | Op::BranchIndexed { .. } => around.before |= Events::BRANCHES,
        Op::Nop if inst.count != 0 => {
            around.fence = fence(&words().collect::<Vec<_>>(), source, inst);
            if around.fence.is_some() {
                around.before |= Events::SYNCHRONIZATION;
            }
        }
        _ => {}
    }
    around.before &= events;
    around.after &= events;
    around
}

/// The synchronisation of a fence or copy-group instruction.
fn fence(words: &[&str], source: &SourceFile, inst: &Inst) -> Option<Synchronization<'static>> {
    match *words {
        // A proxy fence orders kinds of access that are identical in this implementation.
        ["fence", "proxy", ..] => None,
        ["fence" | "membar", ..] => Some(Synchronization::Fence(fence_order(words))),
        ["cp", "async", "commit_group"] => Some(Synchronization::CommitsCopies),
        ["cp", "async", "wait_all"] => Some(Synchronization::WaitsForCopies { but: None }),
        ["cp", "async", "wait_group"] => {
            let text = source.snippet(inst.span);
            let number = text.trim_end_matches(';').split_whitespace().last();
            let but = Some(number.and_then(|n| n.parse().ok()).unwrap_or(0));
            Some(Synchronization::WaitsForCopies { but })
        }
        _ => None,
    }
}

/// Memory order of a fence; the defaults are GPU scope and acquire-release semantics.
fn fence_order(words: &[&str]) -> Order {
    use crate::code::{Scope, Semantics};
    let Order { semantics, scope } = Order::of(words.iter().copied());
    let semantics = match semantics {
        Semantics::Weak => Semantics::AcquireRelease,
        other => other,
    };
    let scope = if scope == Scope::None { Scope::Gpu } else { scope };
    Order { semantics, scope }
}

/// Builds the marked code for a set of events. Debugger marks ([`Events::STEPS`]) are placed before
/// the instructions whose source offsets `steps` selects.
pub(crate) fn marked(
    source: &SourceFile,
    code: &Code,
    events: Events,
    steps: &dyn Fn(u32) -> bool,
) -> MarkedCode {
    // First operations of basic blocks.
    let mut leads = vec![false; code.insts.len()];
    for (_, function) in FunctionCode::all(code) {
        function.starts().into_iter().for_each(|start| leads[start as usize] = true);
    }
    let (counters, costs) = counters(source, code, events);
    let mut shadows =
        if events.intersects(Events::DEFINED) { shadow::of(code) } else { Default::default() };
    let mut items: Vec<Item> = Vec::with_capacity(code.insts.len() * 2);
    // Set from the start of a block until its first reported operation.
    let mut leading = false;
    let begins = if events.intersects(Events::STEPS) { begins(code) } else { Vec::new() };
    for (op, inst) in (0..).zip(&code.insts) {
        leading |= leads[op as usize];
        let (beside_it, at_entry) = shadows.take(op);
        let with = |role| move |inst| Item { inst, op, role };
        let [counted_before, counted_after] = counters.beside(op);
        items.extend(at_entry.into_iter().map(with(Role::AtEntry)));
        items.extend(beside_it.into_iter().map(with(Role::Inserted)));
        if matches!(inst.op, Op::Join) {
            items.push(Item { inst: inst.clone(), op, role: Role::Itself });
            items.extend(counted_after.iter().cloned().map(with(Role::Inserted)));
            continue;
        }
        let MarksAround { mut before, after, order, fence } =
            around(source, inst, events, std::mem::take(&mut leading));
        if begins.get(op as usize) == Some(&true) && steps(inst.span.start) {
            before |= Events::STEPS;
        }
        let costed = costs.of(op);
        if costed.is_some_and(|costed| costed.leader != op) {
            before -= Events::ANY_ACCESS;
        }
        let (sums_costs, cost) =
            (events.intersects(Events::COSTS), costed.map(|costed| costed.counter));
        let mark = |reports, after| {
            let mark = Mark { reports, target: 0, op, after, order, sums_costs, cost, fence };
            Inst { op: Op::Mark(Box::new(mark)), guard: Slot::TRUE, count: 0, span: inst.span }
        };
        let mut push = |inst| items.push(Item { inst, op, role: Role::Inserted });
        counted_before.iter().cloned().for_each(&mut push);
        if !before.is_empty() {
            push(mark(before, false));
        }
        items.push(Item { inst: shadows.call(op, inst), op, role: Role::Itself });
        if !after.is_empty() {
            items.push(Item { inst: mark(after, true), op, role: Role::Inserted });
        }
        items.extend(counted_after.iter().cloned().map(with(Role::Inserted)));
    }
    let mut marked = code.without_instructions();
    if !shadows.funcs.is_empty() {
        (marked.funcs, marked.constants) = (shadows.funcs, shadows.constants);
    }
    let origin = assemble(&mut marked, items);
    marked.complete();
    let (sites, counters, regions) = (sites(code), counters.len, Regions::default());
    MarkedCode { code: Some(marked), origin, sites, counters, regions }
}

/// The counters for a set of events.
fn counters(source: &SourceFile, code: &Code, events: Events) -> (Counters, Costs) {
    if !events.intersects(Events::COUNTS) {
        return Default::default();
    }
    let counting = BlockCounters::of(code);
    let is_issued = events.intersects(Events::ISSUES);
    let issues = if is_issued { Issues::of(code, &counting) } else { Issues::default() };
    let has_costs = events.intersects(Events::COSTS);
    let costs = if has_costs { Costs::new(source, code, &issues) } else { Costs::default() };
    let mut counters = if is_issued { issues.counters } else { counting.counters };
    counters.len = counters.len.max(costs.counters());
    (counters, costs)
}

/// First operations of PTX instructions. All operations of an instruction have its span. Operations
/// that only prepare a function are not marked.
fn begins(code: &Code) -> Vec<bool> {
    let mut begins = vec![false; code.insts.len()];
    for range in (0..code.funcs.len()).filter_map(|function| code.range(function)) {
        let mut first: Option<(usize, Span)> = None;
        for at in range.start as usize..range.end as usize {
            let inst = &code.insts[at];
            if matches!(inst.op, Op::Join) {
                continue;
            }
            if first.is_none_or(|(_, span)| span != inst.span) {
                first = Some((at, inst.span));
            }
            if let Some((at, _)) = first.filter(|_| inst.count != 0) {
                begins[at] = true;
            }
        }
    }
    begins
}
