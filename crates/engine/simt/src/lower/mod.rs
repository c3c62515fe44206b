//! From a typed module to warp code.
//!
//! Lowering never fails: an instruction that we do not execute becomes a diagnostic, listed by
//! [`Program::unsupported`] for every kernel that can reach it, and a fault if it runs.

mod arithmetic;
mod assigned;
mod builder;
mod call;
mod codes;
mod control;
mod element;
mod fetch;
mod fidelity;
mod fuse;
mod fused;
mod memory;
mod moves;
mod operands;
#[cfg(test)]
mod places;
mod pools;
mod program;
mod reach;
mod resources;
mod reuse;
mod sites;
mod special_memory;
mod spin;
mod surface;
mod symbols;
mod tensor;
mod texture;
mod uniform;
mod unit;
mod unsupported;

pub use crate::kernel::KernelId;
pub(crate) use builder::mask_of;
pub use codes::CODES;
pub use fidelity::InstructionForm;
pub use program::Program;
pub(crate) use program::SharedLayout;
pub use reach::Reach;
pub use resources::Resources;
pub use sites::{FetchSite, HandleSource};
pub use symbols::{Symbols, function_address, function_of_address};
use texunit_check::ir;
use texunit_flow::Cfg;
use texunit_syntax::{Diagnostic, SourceFile};
pub(crate) use unit::Unit;
pub use unsupported::is_known_function;

use crate::flow::FunctionCode;

/// What a function needs, besides its code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// Functions called or whose address is taken.
    pub(crate) functions: Vec<ir::FuncId>,
    /// Whether it calls the device runtime.
    pub(crate) runtime: bool,
    /// Whether it may wait for somebody: it has a loop that only does, sleeps, or loads what others change.
    pub(crate) may_wait: bool,
    /// Whether it asks for memory of the heap itself, or gives some back.
    pub(crate) allocates: bool,
    /// Whether it calls through registers.
    pub(crate) indirect: bool,
    /// Whether it takes stack as it runs (`alloca`).
    pub(crate) alloca: bool,
    /// Whether it calls `malloc` or `free`.
    pub(crate) heap: bool,
    /// Whether it reads where the reserved shared memory lies.
    pub(crate) reserved_shared: bool,
    /// Special registers that it reads and that have other values in another run: clocks, host threads.
    pub(crate) nondeterministic_inputs: Vec<texunit_isa::SpecialReg>,
    /// Shared variables.
    pub(crate) shared: Vec<ir::VarId>,
    /// Instructions that we do not execute.
    pub(crate) unsupported: Vec<Diagnostic>,
}

/// A module that has no errors as a program. Kernels are lowered as they are needed.
pub fn lower(module: ir::Module, symbols: Symbols, source: SourceFile) -> Program {
    Program::new(module, symbols, source)
}

/// Resolves labels and puts a `Join` where the lanes meet again that a branch separates: at its immediate
/// post-dominator.
fn flow_into(built: builder::Built, entry: u32) -> Vec<crate::code::Inst> {
    use crate::code::{AT_RETURN, Callee, Inst, NONE, Op, Slot};
    let builder::Built { mut insts, labels, is_entry } = built;
    let last = insts.len();
    let resolve = |to: &mut u32| *to = labels.get(*to as usize).map_or(last as u32, |&at| at);
    for inst in &mut insts {
        match &mut inst.op {
            Op::Branch { target, .. } => resolve(target),
            Op::BranchIndexed { targets, .. } => targets.iter_mut().for_each(resolve),
            _ => {}
        }
    }
    let cfg = Cfg::new(&FunctionCode::without_registers(&insts, 0));
    let post_dominators = cfg.immediate_post_dominators();
    // By instruction that separates lanes: where they meet; the number of instructions where the function is left.
    let meet = |(at, inst): (usize, &Inst)| {
        let separates = match inst.op {
            Op::Branch { .. } => inst.guard != Slot::TRUE,
            Op::BranchIndexed { .. } => true,
            _ => false,
        };
        let meet = post_dominators[cfg.block_of(at) as usize].min(cfg.exit());
        separates.then(|| cfg.range(meet).start)
    };
    let meets: Vec<Option<usize>> = insts.iter().enumerate().map(meet).collect();
    let mut joins = vec![false; last + 1];
    for (i, (inst, meet)) in insts.iter().zip(&meets).enumerate() {
        if let Some(at) = meet.filter(|&at| at < last) {
            joins[at] = true;
        }
        if let Op::Call(call) = &inst.op
            && matches!(call.callee, Callee::Indirect { .. })
        {
            joins[i + 1] = true;
        }
    }
    let mut moved = Vec::with_capacity(joins.len());
    let mut pc = entry;
    for &join in &joins {
        moved.push(pc);
        pc += 1 + u32::from(join);
    }
    let mut out = Vec::with_capacity(pc as usize - entry as usize);
    let end = Inst {
        op: Op::Return,
        guard: Slot::TRUE,
        count: 0,
        span: insts.last().map_or_else(Default::default, |i| i.span),
    };
    for (i, mut inst) in insts.into_iter().chain(std::iter::once(end)).enumerate() {
        if joins[i] {
            out.push(Inst { op: Op::Join, guard: Slot::TRUE, count: 0, span: inst.span });
        }
        let meet = match meets.get(i).copied().flatten() {
            Some(at) if at < last => moved[at],
            Some(_) if !is_entry => AT_RETURN,
            _ => NONE,
        };
        match &mut inst.op {
            Op::Branch { target, reconverge } => {
                *target = moved[*target as usize];
                *reconverge = meet;
            }
            Op::BranchIndexed { targets, reconverge, .. } => {
                targets.iter_mut().for_each(|t| *t = moved[*t as usize]);
                *reconverge = meet;
            }
            Op::Call(call) => {
                if let Callee::Indirect { reconverge, .. } = &mut call.callee {
                    *reconverge = moved[i + 1];
                }
            }
            Op::Return if is_entry => inst.op = Op::Exit,
            _ => {}
        }
        out.push(inst);
    }
    out
}
