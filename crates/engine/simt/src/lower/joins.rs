//! Reconvergence: finds where the lanes of each divergent branch meet again.

use crate::code::{AT_RETURN, Callee, Code, Inst, Item, NONE, Op, Role, Slot, assemble};
use crate::flow::FunctionCode;
use texunit_flow::Cfg;

/// Inserts a `Join` at the reconvergence point of each divergent branch, its immediate
/// post-dominator, and after each indirect call. Returns of kernels become exits.
pub(crate) fn join(code: &mut Code) {
    let mut joins = vec![false; code.insts.len()];
    for function in 0..code.funcs.len() {
        let Some(range) = code.range(function) else { continue };
        // The last instruction returns, and is no part of the graph: lanes that reach it leave.
        let end = range.end.saturating_sub(1).max(range.start);
        let body = range.start as usize..end as usize;
        let of = FunctionCode::without_registers(&code.insts[body.clone()], range.start);
        let cfg = Cfg::new(&of);
        let post_dominators = cfg.immediate_post_dominators();
        let is_entry = code.funcs[function].is_entry;
        // The reconvergence point of a divergent branch.
        let meet = |at: usize, separates: bool| {
            let meet = post_dominators[cfg.block_of(at) as usize].min(cfg.exit());
            match range.start + cfg.range(meet).start as u32 {
                at if separates && at < end => at,
                _ if separates && !is_entry => AT_RETURN,
                _ => NONE,
            }
        };
        for (at, inst) in code.insts[body].iter_mut().enumerate() {
            let is_guarded = inst.guard != Slot::TRUE;
            let (reconverge, point) = match &mut inst.op {
                Op::Branch { reconverge, .. } => (reconverge, meet(at, is_guarded)),
                Op::BranchIndexed { reconverge, .. } => (reconverge, meet(at, true)),
                Op::Call(call) => match &mut call.callee {
                    Callee::Indirect { reconverge, .. } => {
                        (reconverge, range.start + at as u32 + 1)
                    }
                    Callee::Direct(_) => continue,
                },
                _ => continue,
            };
            *reconverge = point;
            if let Some(join) = joins.get_mut(point as usize) {
                *join = true;
            }
        }
        if is_entry {
            let all = &mut code.insts[range.start as usize..range.end as usize];
            all.iter_mut().filter(|inst| matches!(inst.op, Op::Return)).for_each(|inst| {
                inst.op = Op::Exit;
            });
        }
    }
    insert(code, |at| joins[at].then_some(Op::Join));
}

/// Inserts helpers before instructions, by their numbers.
pub(super) fn insert(code: &mut Code, before: impl Fn(usize) -> Option<Op>) {
    let insts = std::mem::take(&mut code.insts);
    let mut items = Vec::with_capacity(insts.len());
    for (op, inst) in (0..).zip(insts) {
        if let Some(helper) = before(op as usize) {
            let helper = Inst { op: helper, guard: Slot::TRUE, count: 0, span: inst.span };
            items.push(Item { inst: helper, op, role: Role::Inserted });
        }
        items.push(Item { inst, op, role: Role::Itself });
    }
    assemble(code, items);
}
