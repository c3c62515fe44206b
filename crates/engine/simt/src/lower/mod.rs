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
mod flow;
mod fuse;
mod fused;
mod memory;
mod moves;
mod operands;
#[cfg(test)]
mod places;
mod pools;
mod program;
mod registers;
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

pub(crate) use builder::mask_of;
pub use codes::CODES;
pub use fidelity::InstructionForm;
pub(crate) use program::SharedLayout;
pub use program::{KernelId, Program};
pub use resources::Resources;
pub use sites::{FetchSite, HandleSource};
pub use symbols::{Symbols, function_address, function_of_address};
use texunit_check::ir;
use texunit_syntax::{Diagnostic, SourceFile};
pub(crate) use unit::Unit;
pub use unsupported::is_known_function;

/// What a function needs, besides its code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// Functions called or whose address is taken.
    pub(crate) functions: Vec<ir::FuncId>,
    /// Whether it calls through registers.
    pub(crate) indirect: bool,
    /// Whether it takes stack as it runs (`alloca`).
    pub(crate) alloca: bool,
    /// Whether it calls `malloc` or `free`.
    pub(crate) heap: bool,
    /// Whether it reads where the reserved shared memory lies.
    pub(crate) reserved_shared: bool,
    /// Special registers that it reads and that have other values in another run: clocks, host threads.
    pub(crate) fleeting: Vec<texunit_isa::SpecialReg>,
    /// Shared variables.
    pub(crate) shared: Vec<ir::VarId>,
    /// Instructions that we do not execute.
    pub(crate) unsupported: Vec<Diagnostic>,
}

/// A module that has no errors as a program. Kernels are lowered as they are needed.
pub fn lower(module: ir::Module, symbols: Symbols, source: SourceFile) -> Program {
    Program::new(module, symbols, source)
}

/// Resolves labels, finds meeting points and puts a `Join` at each.
fn flow_into(built: builder::Built, entry: u32) -> Vec<crate::code::Inst> {
    use crate::code::{AT_RETURN, Callee, Inst, NONE, Op, Slot};
    let builder::Built { insts, labels, is_entry } = built;
    let last = insts.len();
    let at = |label: u32| labels.get(label as usize).map_or(last, |&i| i as usize);
    let next: Vec<flow::Next> = insts
        .iter()
        .map(|inst| match &inst.op {
            Op::Branch { target, .. } => {
                flow::Next::Jumps { target: at(*target), conditional: inst.guard != Slot::TRUE }
            }
            Op::BranchIndexed { targets, .. } => {
                flow::Next::Switches(targets.iter().map(|&t| at(t)).collect())
            }
            Op::Return => flow::Next::Leaves,
            Op::Exit | Op::Trap if inst.guard == Slot::TRUE => flow::Next::Leaves,
            _ => flow::Next::Falls,
        })
        .collect();
    let meets = flow::meeting_points(&next);
    let mut joins = vec![false; insts.len() + 1];
    for &(_, meet) in &meets {
        if let flow::Meet::At(i) = meet {
            joins[i] = true;
        }
    }
    for (i, inst) in insts.iter().enumerate() {
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
    let to = |label: u32| moved[at(label)];
    let mut meets = meets.into_iter().peekable();
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
        let meet = meets.next_if(|&(at, _)| at == i).map_or(NONE, |(_, meet)| match meet {
            flow::Meet::At(at) => moved[at],
            flow::Meet::Exit if is_entry => NONE,
            flow::Meet::Exit => AT_RETURN,
        });
        match &mut inst.op {
            Op::Branch { target, reconverge } => {
                *target = to(*target);
                *reconverge = meet;
            }
            Op::BranchIndexed { targets, reconverge, .. } => {
                targets.iter_mut().for_each(|t| *t = to(*t));
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
