//! Lowers a typed module to warp code.
//!
//! Lowering never fails: an unsupported instruction becomes a diagnostic, which
//! [`Program::unsupported`] lists for every kernel that can reach it, and a fault if it is
//! executed.

mod arithmetic;
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
mod unit;
mod unsupported;

pub use crate::kernel::KernelId;
pub(crate) use builder::mask_of;
pub use codes::CODES;
pub use fidelity::InstructionForm;
pub(crate) use operands::is_nondeterministic;
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

/// Requirements of a function besides its code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirements {
    /// Functions that are called or whose address is taken.
    pub(crate) functions: Vec<ir::FuncId>,
    /// Whether the function calls the device runtime.
    pub(crate) runtime: bool,
    /// Whether the function may wait for other threads: it has a spin loop, sleeps, or has loads
    /// that observe concurrent changes.
    pub(crate) may_wait: bool,
    /// Whether the function calls `vprintf`.
    pub(crate) prints: bool,
    /// Whether the function itself calls `malloc` or `free` or their device runtime equivalents.
    pub(crate) allocates: bool,
    /// Whether the function has indirect calls.
    pub(crate) indirect: bool,
    /// Whether the function uses `alloca`.
    pub(crate) alloca: bool,
    /// Whether the function needs a device heap.
    pub(crate) heap: bool,
    /// Whether the function reads the offset of reserved shared memory.
    pub(crate) reserved_shared: bool,
    /// Special registers that the function reads and that differ between runs: clocks, and values
    /// that depend on host threads.
    pub(crate) nondeterministic_inputs: Vec<texunit_isa::SpecialReg>,
    /// Shared variables that the function uses.
    pub(crate) shared: Vec<ir::VarId>,
    /// Diagnostics of unsupported instructions.
    pub(crate) unsupported: Vec<Diagnostic>,
}

/// Makes a program of a module that has no errors. Each kernel is lowered on demand.
pub fn lower(module: ir::Module, symbols: Symbols, source: SourceFile) -> Program {
    Program::new(module, symbols, source)
}

/// A module with this text, which must have no errors.
#[cfg(test)]
fn checked(text: &str) -> (ir::Module, SourceFile) {
    let source = SourceFile::new("t.ptx", text);
    let checked = texunit_check::check(&source, &texunit_syntax::parse(&source).module);
    assert!(checked.diagnostics.iter().all(|d| !d.is_error()), "{:?}\n{text}", checked.diagnostics);
    (checked.module, source)
}

/// A program with this text, which must have no errors.
#[cfg(test)]
pub(crate) fn lower_text(text: &str) -> Program {
    let (module, source) = checked(text);
    lower(module, Symbols::default(), source)
}

/// Resolves labels, and inserts a `Join` at the reconvergence point of each divergent branch: its
/// immediate post-dominator.
fn flow_into(unresolved: builder::UnresolvedCode, entry: u32) -> Vec<crate::code::Inst> {
    use crate::code::{AT_RETURN, Callee, Inst, NONE, Op, Slot};
    let builder::UnresolvedCode { mut insts, labels, is_entry } = unresolved;
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
    // For each divergent branch, its reconvergence point; the number of instructions stands for the
    // function's end.
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
