//! Puts marks into code: operations that tell an observer what the operation beside them does.

use super::mark::Mark;
use super::order::words;
use super::shadow::{self, Shadows};
use super::{Costs, Counted, Counting, Events, Issues, Order, Synchronized};
use crate::code::{Callee, Code, Decoded, Inst, Op, Place, Slot};
use crate::flow::FunctionCode;
use crate::lower::{Program, Unit};
use crate::regions::Regions;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(test)]
mod tests;

/// The code that an observed launch runs.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// `None`: the program's own, as no mark is wanted.
    pub(crate) code: Option<Code>,
    /// The program's operation of each one of the marked code; of a mark, the one that it tells of.
    origin: Vec<u32>,
    /// Operations of fetches and surface accesses, by site.
    sites: Vec<u32>,
    /// How many counters of blocks and branches the code has; 0: they are not wanted.
    pub(crate) counters: usize,
    /// Compiled regions of the marked code.
    pub(crate) regions: Regions,
}

impl Observed {
    /// The program's operation at a place of the code that runs.
    pub(crate) fn op(&self, pc: u32) -> u32 {
        self.origin.get(pc as usize).copied().unwrap_or(pc)
    }

    /// The operation of a site.
    pub(crate) fn site(&self, site: usize) -> u32 {
        self.sites.get(site).copied().unwrap_or(0)
    }
}

/// By what is told.
type Codes = HashMap<Events, Arc<Observed>>;

/// Codes that have been made for observers.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<Codes>);

impl Unit {
    /// The code for these events.
    pub(crate) fn observed(&self, program: &Program, events: Events) -> Arc<Observed> {
        let mut kept = self.kept.0.lock().unwrap_or_else(PoisonError::into_inner);
        let marks = events.and(Events::BY_MARKS | Events::CALLS);
        let made = kept.entry(marks).or_insert_with(|| Arc::new(make(program, &self.code, marks)));
        Arc::clone(made)
    }
}

/// The code with marks ([`Events::STEPS`]) before the instructions whose first bytes are asked for.
pub(crate) fn at_places(program: &Program, unit: &Unit, of: &dyn Fn(u32) -> bool) -> Observed {
    let code = &unit.code;
    let (marked, origin) = marked(program, code, Events::STEPS, of);
    Observed { code: Some(marked), origin, sites: sites(code), ..Observed::default() }
}

/// The operation of each site.
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

fn make(program: &Program, code: &Code, events: Events) -> Observed {
    let sites = sites(code);
    let (counting, issues, costs) = counters(program, code, events);
    let counters = counting.len().max(issues.len()).max(costs.len());
    let mut observed = Observed { sites, counters, ..Observed::default() };
    if !events.is_none() {
        let (code, origin) = marked(program, code, events, &|_| true);
        (observed.code, observed.origin) = (Some(code), origin);
    }
    observed
}

/// What stands beside an operation.
struct Beside {
    /// Events that are told before it.
    before: Events,
    /// Events that are told behind it.
    behind: Events,
    order: Order,
    fence: Option<Synchronized<'static>>,
}

/// What is told of an operation. `leads`: it is the first of a block.
fn beside(program: &Program, inst: &Inst, events: Events, leads: bool) -> Beside {
    let words = || words(&program.source, inst.span);
    let mut beside = Beside {
        before: Events::OPERATIONS,
        behind: Events::NONE,
        order: Order::default(),
        fence: None,
    };
    if leads {
        beside.before |= Events::BLOCKS;
    }
    let members = |beside: &mut Beside, members: Slot| {
        if !members.is_none() {
            beside.before |= Events::SYNCHRONIZATION;
            beside.behind |= Events::SYNCHRONIZATION;
        }
    };
    match &inst.op {
        Op::Load(access) | Op::LoadQuad(access) | Op::Store(access) | Op::StoreQuad(access) => {
            beside.before |= match access.place {
                Place::KernelParam => Events::PARAMETERS,
                Place::Param | Place::Generic => Events::PARAMETERS | Events::ACCESSES,
                _ => Events::ACCESSES,
            };
            if matches!(inst.op, Op::Load(_) | Op::LoadQuad(_)) {
                beside.behind |= match access.place {
                    Place::KernelParam => Events::NONE,
                    _ => Events::RESULTS,
                };
            }
            beside.order = Order::of(words());
            if beside.behind.has(Events::RESULTS) && beside.order != Order::default() {
                beside.behind |= Events::STRONG_RESULTS;
            }
        }
        Op::Atomic(_) => {
            beside.before |= Events::ACCESSES;
            beside.behind |= Events::RESULTS | Events::STRONG_RESULTS;
            beside.order = Order::of(words());
        }
        Op::AsyncCopy(_) => beside.before |= Events::ACCESSES,
        Op::Matrix(matrix) => {
            beside.before |= Events::ACCESSES;
            members(&mut beside, matrix.members);
        }
        Op::Mma(mma) => members(&mut beside, mma.members),
        Op::Converge { members: slot } => members(&mut beside, *slot),
        Op::Mbarrier(_) => {
            beside.before |= Events::SYNCHRONIZATION;
            beside.order = Order::of(words());
        }
        Op::HeapCall(_) => beside.before |= Events::CALLS | Events::HEAP,
        // Lanes may wait at different ones of these: who goes on is told by the one that comes last.
        Op::WarpSync { .. } => beside.before |= Events::SYNCHRONIZATION,
        Op::Shuffle(shuffle) => members(&mut beside, shuffle.members),
        Op::Vote { members: slot, .. }
        | Op::Match { members: slot, .. }
        | Op::Redux { members: slot, .. }
        | Op::Elect { members: slot, .. } => members(&mut beside, *slot),
        Op::Branch { .. } | Op::BranchIndexed { .. } => beside.before |= Events::BRANCHES,
        Op::Nop if inst.count != 0 => {
            beside.fence = fence(&words().collect::<Vec<_>>(), program, inst);
            if beside.fence.is_some() {
                beside.before |= Events::SYNCHRONIZATION;
            }
        }
        _ => {}
    }
    beside.before = beside.before.and(events);
    beside.behind = beside.behind.and(events);
    beside
}

/// What an instruction orders that is nothing else to the executor.
fn fence(words: &[&str], program: &Program, inst: &Inst) -> Option<Synchronized<'static>> {
    match *words {
        // Between ways to memory that are one here.
        ["fence", "proxy", ..] => None,
        ["fence" | "membar", ..] => Some(Synchronized::Fence(fence_order(words))),
        ["cp", "async", "commit_group"] => Some(Synchronized::CommitsCopies),
        ["cp", "async", "wait_all"] => Some(Synchronized::WaitsForCopies { but: None }),
        ["cp", "async", "wait_group"] => {
            let text = program.source.snippet(inst.span);
            let number = text.trim_end_matches(';').split_whitespace().last();
            let but = Some(number.and_then(|n| n.parse().ok()).unwrap_or(0));
            Some(Synchronized::WaitsForCopies { but })
        }
        _ => None,
    }
}

/// A fence without a scope is one of the GPU, without semantics one that acquires and releases.
fn fence_order(words: &[&str]) -> Order {
    use super::{Scope, Semantics};
    let Order { semantics, scope } = Order::of(words.iter().copied());
    let semantics = match semantics {
        Semantics::Weak => Semantics::AcquireRelease,
        other => other,
    };
    let scope = if scope == Scope::None { Scope::Gpu } else { scope };
    Order { semantics, scope }
}

/// An operation on its way into marked code.
struct Item {
    inst: Inst,
    /// Number in the program's code.
    op: u32,
    stands: Stands,
}

/// Where something stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// It is the operation.
    Itself,
    /// Before or behind it.
    Beside,
    /// Where its function begins: what jumps to the operation does not come by.
    AtEntry,
}

/// The code with marks, and where its operations come from.
pub(crate) fn marked(
    program: &Program,
    code: &Code,
    events: Events,
    steps: &dyn Fn(u32) -> bool,
) -> (Code, Vec<u32>) {
    let leads = leaders(code);
    let (counting, issues, costs) = counters(program, code, events);
    let mut shadows =
        if events.has(Events::DEFINED) { shadow::of(code) } else { Shadows::default() };
    let mut items: Vec<Item> = Vec::with_capacity(code.insts.len() * 2);
    // Whether a block has begun whose first operation has not come yet.
    let mut leading = false;
    let begins = if events.has(Events::STEPS) { begins(code) } else { Vec::new() };
    for (op, inst) in (0..).zip(&code.insts) {
        leading |= leads[op as usize];
        let (beside_it, at_entry) = shadows.take(op);
        let with = |stands| move |inst| Item { inst, op, stands };
        items.extend(at_entry.into_iter().map(with(Stands::AtEntry)));
        items.extend(beside_it.into_iter().map(with(Stands::Beside)));
        if matches!(inst.op, Op::Join) {
            items.push(Item { inst: inst.clone(), op, stands: Stands::Itself });
            items.extend(counted_behind(&counting, inst, op));
            items.extend(issues.behind(op).map(with(Stands::Beside)));
            continue;
        }
        let Beside { mut before, behind, order, fence } =
            beside(program, inst, events, std::mem::take(&mut leading));
        if begins.get(op as usize) == Some(&true) && steps(inst.span.start) {
            before |= Events::STEPS;
        }
        let costed = costs.of(op);
        if costed.is_some_and(|costed| costed.leader != op) {
            before = before.without(Events::ACCESSES | Events::PARAMETERS);
        }
        let (sums, cost) = (events.has(Events::COSTS), costed.map(|costed| costed.counter));
        let mark = |tells, behind| {
            let mark = Mark { tells, about: 0, op, behind, order, sums, cost, fence };
            Inst { op: Op::Mark(Box::new(mark)), guard: Slot::TRUE, count: 0, span: inst.span }
        };
        let mut push = |inst| items.push(Item { inst, op, stands: Stands::Beside });
        counted_before(&counting, inst, op).into_iter().for_each(&mut push);
        issues.before(op).for_each(&mut push);
        if !before.is_none() {
            push(mark(before, false));
        }
        items.push(Item { inst: shadows.call(op, inst), op, stands: Stands::Itself });
        if !behind.is_none() {
            items.push(Item { inst: mark(behind, true), op, stands: Stands::Beside });
        }
        items.extend(counted_behind(&counting, inst, op));
        items.extend(issues.behind(op).map(with(Stands::Beside)));
    }
    if shadows.funcs.is_empty() {
        return assemble(code, &items);
    }
    let Shadows { funcs, constants, .. } = shadows;
    assemble(&Code { funcs, constants, ..code.clone() }, &items)
}

/// The counters that are wanted.
fn counters(program: &Program, code: &Code, events: Events) -> (Counting, Issues, Costs) {
    if !events.has(Events::COUNTS) {
        return Default::default();
    }
    let counting = Counting::of(code);
    let issues =
        if events.has(Events::ISSUES) { Issues::of(code, &counting) } else { Issues::default() };
    let costs = if events.has(Events::COSTS) {
        Costs::new(program, code, &issues)
    } else {
        Costs::default()
    };
    (counting, issues, costs)
}

/// What counts the lanes that come to a branch, and where they go.
fn counted_before(counting: &Counting, inst: &Inst, op: u32) -> Vec<Inst> {
    let (counter, targets) = match (counting.at(op), &inst.op) {
        (Some(Counted::Before(counter)), _) => (counter, None),
        (Some(Counted::Indexed(counter)), Op::BranchIndexed { index, targets, .. }) => {
            (counter, Some((*index, targets.len() as u32)))
        }
        _ => return Vec::new(),
    };
    let guarded = inst.guard != Slot::TRUE;
    let helper = |op, guard| Inst { op, guard, count: 0, span: inst.span };
    let mut all = Vec::new();
    if guarded || targets.is_none() {
        all.push(helper(Op::Count { counter, of: inst.guard }, Slot::TRUE));
    }
    if let Some((index, targets)) = targets {
        let counter = counter + 2 * u32::from(guarded);
        all.push(helper(Op::CountIndexed { counter, index, targets }, inst.guard));
    }
    all
}

/// What counts the lanes that go on into the next block: jumps to that do not come by.
fn counted_behind(counting: &Counting, inst: &Inst, op: u32) -> Option<Item> {
    let Some(Counted::Behind(counter)) = counting.at(op) else { return None };
    let count = Op::Count { counter, of: Slot::TRUE };
    let inst = Inst { op: count, guard: Slot::TRUE, count: 0, span: inst.span };
    Some(Item { inst, op, stands: Stands::Beside })
}

/// First operations of PTX instructions: all that comes of one has its span, and none that only prepares a function.
fn begins(code: &Code) -> Vec<bool> {
    let mut begins = vec![false; code.insts.len()];
    for range in (0..code.funcs.len()).filter_map(|function| code.range(function)) {
        let mut first: Option<(usize, texunit_syntax::Span)> = None;
        let mut told = None;
        for at in range.start as usize..range.end as usize {
            let inst = &code.insts[at];
            if matches!(inst.op, Op::Join) {
                continue;
            }
            if first.is_none_or(|(_, span)| span != inst.span) {
                first = Some((at, inst.span));
                told = None;
            }
            if let (true, None, Some((at, _))) = (inst.count != 0, told, first) {
                begins[at] = true;
                told = Some(at);
            }
        }
    }
    begins
}

/// First operations of blocks.
fn leaders(code: &Code) -> Vec<bool> {
    let mut leads = vec![false; code.insts.len()];
    for function in (0..code.funcs.len()).filter_map(|i| FunctionCode::new(code, i)) {
        function.starts().into_iter().for_each(|start| leads[start as usize] = true);
    }
    leads
}

/// Puts all in its place and turns jumps.
///
/// Jumps to an operation lead to the first thing that stands for it: the mark before it.
fn assemble(code: &Code, items: &[Item]) -> (Code, Vec<u32>) {
    let mut out: Vec<Inst> = Vec::with_capacity(items.len());
    let mut origin = Vec::with_capacity(items.len());
    // By the number in the program's code: where those go that come there, and the operation itself.
    let mut moved = vec![u32::MAX; code.insts.len() + 1];
    let mut itself = vec![0; code.insts.len()];
    // Where functions begin that do something more than what jumps to their first operation lead to.
    let mut entries: HashMap<u32, u32> = HashMap::new();
    for item in items {
        let place = out.len() as u32;
        match item.stands {
            Stands::AtEntry => {
                entries.entry(item.op).or_insert(place);
            }
            stands => {
                let to = &mut moved[item.op as usize];
                *to = (*to).min(place);
                if stands == Stands::Itself {
                    itself[item.op as usize] = place;
                }
            }
        }
        out.push(item.inst.clone());
        origin.push(item.op);
    }
    // What has gone (marks of runs) led to what follows it.
    moved[code.insts.len()] = out.len() as u32;
    for op in (0..code.insts.len()).rev() {
        if moved[op] == u32::MAX {
            moved[op] = moved[op + 1];
        }
    }
    // Places that are none stay what they are.
    let to = |pc: &mut u32| *pc = moved.get(*pc as usize).copied().unwrap_or(*pc);
    for inst in &mut out {
        match &mut inst.op {
            Op::Mark(mark) => mark.about = itself[mark.op as usize],
            Op::Branch { target, reconverge } => {
                to(target);
                to(reconverge);
            }
            Op::BranchIndexed { targets, reconverge, .. } => {
                targets.iter_mut().for_each(to);
                to(reconverge);
            }
            Op::Call(call) => {
                if let Callee::Indirect { reconverge, .. } = &mut call.callee {
                    to(reconverge);
                }
            }
            _ => {}
        }
    }
    let mut marked = Code { insts: out, decoded: Vec::new(), ..code.clone() };
    for func in &mut marked.funcs {
        match entries.get(&func.entry) {
            Some(&entry) => func.entry = entry,
            None => to(&mut func.entry),
        }
    }
    marked.decoded = marked.insts.iter().map(Decoded::of).collect();
    (marked, origin)
}
