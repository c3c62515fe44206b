//! Allocates the registers of a kernel so that registers with disjoint live ranges share storage.
//! The fewer registers a warp has, the more warps fit in the first-level cache.
//!
//! PTX has a register for each value. A linear scan over the instructions of a kernel assigns each
//! PTX register the lowest machine register that is free from its first to its last mention, and
//! through loops as long as its value is live. The results of a fetch get consecutive registers. A
//! 32-bit index that an address is computed from keeps its register until the access, because
//! compiled code checks bounds on the index instead of the address.

use crate::code::{Code, Inst, Op, Slot};
use crate::flow::{Facts, Flow, Registers, each_slot, each_slot_mut};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use texunit_flow::Access;
use texunit_forms::sort_by_key;

/// Limits of the number of registers, and of registers times blocks, beyond which a kernel is left
/// unchanged, to bound the time of the analysis.
const MAX: (usize, usize) = (4096, 1 << 22);

/// The first and last instruction between which a register is live.
type Span = (usize, usize);

/// Allocates the registers of all kernels of a code, which have their temporaries.
pub(crate) fn share_rows(code: &mut Code) {
    (0..code.funcs.len()).for_each(|function| share_rows_of(code, function));
}

/// Allocates the registers of a kernel. A function that has calls, or instructions with operands of
/// other kinds, is left unchanged.
fn share_rows_of(code: &mut Code, function: usize) {
    let func = &code.funcs[function];
    let registers = (func.narrow + func.wide) as usize;
    if !func.is_entry || !func.has_body || registers > MAX.0 {
        return;
    }
    let first = func.entry as usize;
    let Some(flow) = Flow::of(code, function, MAX.1, false) else { return };
    let numbers = flow.code.registers;
    let Some(spans) = spans(&flow) else { return };
    let end = first + flow.code.insts.len();
    // Whether any register may be read before it is written.
    let liveness = &flow.facts.liveness;
    let reads = |mut all: Range<usize>| all.any(|number| liveness.is_live_in(0, number as u32));
    let (reads_registers, reads_predicates) =
        (reads(0..registers), reads(registers..numbers.len()));
    let (narrow, wide) = spans.split_at(numbers.narrow);
    let (narrow, wide) = (rows(narrow, &groups(flow.code.insts)), rows(wide, &[]));
    let row = |slot: Slot| match numbers.number(slot) {
        Some(n) if n < numbers.narrow => Slot::narrow(narrow[n]),
        Some(n) if n < registers => Slot::wide(wide[n - numbers.narrow]),
        _ => slot,
    };
    for inst in &mut code.insts[first..end] {
        each_slot_mut(&mut inst.op, &mut |_, slot| *slot = row(*slot));
        if let Op::Fetch(fetch) = &mut inst.op {
            fetch.find_block();
        }
    }
    let most = |rows: &[u32]| rows.iter().max().map_or(0, |most| most + 1);
    let (narrow, wide) = (most(&narrow), most(&wide));
    let func = &mut code.funcs[function];
    (func.narrow, func.wide) = (narrow, wide);
    func.predicates = func.predicates.saturating_sub(texunit_alu::MAX.predicates);
    func.add_temporaries();
    func.cleared &= reads_registers;
    func.clears_predicates &= reads_predicates;
}

/// The live range of each register; an unused one has an empty range.
fn spans(flow: &Flow<'_>) -> Option<Vec<Span>> {
    let numbers @ Registers { narrow, wide, .. } = flow.code.registers;
    let mut spans = vec![(usize::MAX, 0); narrow + wide];
    let mut at = |number: usize, i: usize| {
        if let Some((first, last)) = spans.get_mut(number) {
            (*first, *last) = ((*first).min(i), (*last).max(i));
        }
    };
    let Facts { cfg, liveness, .. } = &*flow.facts;
    for (block, range) in (0..).zip(flow.blocks()) {
        let live_out = liveness.live_out(cfg, block);
        for &number in liveness.globals() {
            if liveness.is_live_in(block, number) {
                at(number as usize, range.start);
            }
            if live_out.has(number) {
                at(number as usize, range.end - 1);
            }
        }
    }
    for (i, inst) in flow.code.insts.iter().enumerate() {
        let known = each_slot(&inst.op, &mut |_, slot| {
            numbers.number(slot).into_iter().for_each(|number| at(number, i));
        });
        if !known {
            return None;
        }
    }
    for (index, i) in indices(flow) {
        at(index, i);
    }
    Some(spans)
}

/// The narrow registers that addresses are computed from, each with the instruction number of the
/// access. Registers are followed in the order of the text, which is that of most executions.
fn indices(flow: &Flow<'_>) -> Vec<(usize, usize)> {
    let numbers = flow.code.registers;
    let is_wide = |n: usize| (numbers.narrow..numbers.narrow + numbers.wide).contains(&n);
    let mut found = Vec::new();
    // For each wide register: the only narrow register that it is computed from.
    let mut of: HashMap<usize, usize> = HashMap::new();
    let mut used: HashSet<usize> = HashSet::new();
    for (i, inst) in flow.code.insts.iter().enumerate() {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        each_slot(&inst.op, &mut |access, slot| {
            let list = if access == Access::Def { &mut writes } else { &mut reads };
            list.extend(numbers.number(slot));
        });
        if let Op::Load(_) | Op::Store(_) = &inst.op {
            found.extend(reads.iter().filter_map(|n| Some((*of.get(n)?, i))));
        }
        let made = |&n: &usize| if n < numbers.narrow { Some(n) } else { of.get(&n).copied() };
        let mut from: Vec<usize> = reads.iter().filter_map(made).collect();
        from.dedup();
        let new = match (&inst.op, &writes[..], &from[..]) {
            (Op::Compute { .. }, &[to], &[index]) if is_wide(to) => Some((to, index)),
            _ => None,
        };
        writes.iter().for_each(|to| {
            of.remove(to);
        });
        if writes.iter().any(|to| used.contains(to)) {
            of.retain(|_, index| !writes.contains(index));
        }
        used.extend(new.map(|new| new.1));
        of.extend(new);
    }
    found
}

/// Narrow registers that a fetch writes, in component order, with the instruction number of the
/// fetch.
fn groups(insts: &[Inst]) -> Vec<(usize, Vec<usize>)> {
    let group = |(i, inst): (usize, &Inst)| {
        let Op::Fetch(fetch) = &inst.op else { return None };
        let wanted = fetch.parts.iter().filter(|part| !part.is_none());
        Some((i, wanted.map(|part| part.index()).collect()))
    };
    (0..).zip(insts).filter_map(group).collect()
}

/// Assigns a machine register to each register. Those of a group get consecutive ones if the
/// group's instruction is the first to mention them.
fn rows(spans: &[Span], groups: &[(usize, Vec<usize>)]) -> Vec<u32> {
    let mut group_of = vec![None; spans.len()];
    for (at, members) in groups {
        let mut sorted = members.clone();
        sort_by_key(&mut sorted, |&m| m);
        sorted.dedup();
        if sorted.len() == members.len() && members.iter().all(|&m| spans[m].0 == *at) {
            members.iter().for_each(|&m| group_of[m] = Some(members));
        }
    }
    let mut order: Vec<usize> = (0..spans.len()).collect();
    sort_by_key(&mut order, |&n| spans[n].0);
    let mut rows = vec![u32::MAX; spans.len()];
    // For each machine register: the last instruction of its current live range.
    let mut taken: Vec<Option<usize>> = Vec::new();
    for n in order {
        if rows[n] != u32::MAX {
            continue;
        }
        let alone = vec![n];
        let members = group_of[n].unwrap_or(&alone);
        let first = spans[n].0;
        let is_free = |row: usize| taken.get(row).is_none_or(|last| last.is_none_or(|l| l < first));
        let base = (0..=taken.len()).find(|&base| (base..base + members.len()).all(is_free));
        let base = base.unwrap_or(taken.len());
        taken.resize(taken.len().max(base + members.len()), None);
        for (row, &member) in (base..).zip(members) {
            rows[member] = row as u32;
            taken[row] = Some(spans[member].1);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_testkit::Random;

    #[test]
    fn nothing_shares_a_row_at_the_same_time() {
        let mut numbers = Random::for_test(1);
        let mut random = |n: usize| numbers.below(n);
        for _ in 0..200 {
            let mut spans: Vec<Span> = (0..40).map(|_| (random(50), random(20))).collect();
            spans.iter_mut().for_each(|(first, last)| *last += *first);
            // Results of fetches, some of which are mentioned earlier.
            let groups: Vec<_> = (0..5)
                .map(|_| (random(50), (0..1 + random(4)).map(|_| random(40)).collect::<Vec<_>>()))
                .collect();
            for (at, members) in &groups {
                members.iter().skip(random(2)).for_each(|&m| spans[m].0 = *at);
                members.iter().for_each(|&m| spans[m].1 = spans[m].1.max(spans[m].0));
            }
            let rows = rows(&spans, &groups);
            for a in 0..spans.len() {
                for b in 0..a {
                    let apart = spans[a].1 < spans[b].0 || spans[b].1 < spans[a].0;
                    assert!(apart || rows[a] != rows[b], "{a} {b} {spans:?} {rows:?}");
                }
            }
        }
    }
}
