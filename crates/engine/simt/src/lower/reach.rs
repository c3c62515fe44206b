//! Finds the kinds of uses that values computed by given instructions may reach: addresses,
//! branches, barriers, outputs.
//!
//! Values are traced forward through the registers of each function (`flow::reached_uses`) and from
//! operands to results. A value stored to shared memory is traced to all loads of shared memory;
//! one stored to local memory or passed to a function, to all loads of local memory and parameters.
//! Addresses are not compared, so the result is what a value *may* reach. A value stored to global
//! memory or a surface has reached an output, where the trace ends. Control dependence is not
//! traced: a branch on the value is reported as such.

use crate::code::{Callee, Code, Inst, MatrixAction, MemSpace, Op, Slot};
use crate::flow::{FunctionCode, each_slot};
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use texunit_flow::{Access, reached_uses};

/// Maximum number of instructions visited for a query; beyond it, every kind of use counts as
/// reached.
const MAX: usize = 1 << 18;

/// A kind of use that a value may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// An address, or the coordinates or handle of a texture or surface.
    Address,
    /// The condition or target of a branch or exit.
    Branch,
    /// An operand of a barrier or an mbarrier, or a member mask.
    Barrier,
    /// A store to global memory or a surface, or printed text.
    Output,
}

impl Reach {
    /// All kinds of uses.
    pub const ALL: [Self; 4] = [Self::Address, Self::Branch, Self::Barrier, Self::Output];

    /// Name of the kind in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Branch => "branch",
            Self::Barrier => "barrier",
            Self::Output => "output",
        }
    }
}

/// The functions of a kernel and its possible callees, prepared for queries.
pub(crate) struct ValueFlows<'a> {
    functions: Vec<FunctionCode<'a>>,
    /// Operations by the source offset of their instruction: function, and instruction in it.
    by_start: HashMap<u32, Vec<(usize, usize)>>,
    prints: bool,
}

/// A traced value: function, writing instruction, register.
type TracedValue = (usize, usize, Slot);

/// Memory through which values are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TracedMemory {
    Shared,
    Local,
}

impl<'a> ValueFlows<'a> {
    pub(crate) fn new(code: &'a Code) -> Self {
        let functions: Vec<_> =
            (0..code.funcs.len()).filter_map(|number| FunctionCode::new(code, number)).collect();
        let (mut by_start, mut prints) = (HashMap::<_, Vec<_>>::new(), false);
        for (number, function) in functions.iter().enumerate() {
            for (at, inst) in function.insts.iter().enumerate() {
                by_start.entry(inst.span.start).or_default().push((number, at));
                prints |=
                    matches!(&inst.op, Op::Builtin(call) if call.function.function.reads_text());
            }
        }
        Self { functions, by_start, prints }
    }

    /// The uses that the results of the instructions at these source offsets may reach.
    pub(crate) fn reached(&self, starts: impl Iterator<Item = u32>) -> Vec<Reach> {
        let mut search = Search {
            flows: self,
            reached: HashSet::new(),
            seen: HashSet::new(),
            open: Vec::new(),
            memories: Vec::new(),
            left: MAX,
        };
        for start in starts {
            for &(function, at) in self.by_start.get(&start).into_iter().flatten() {
                search.begins(function, at);
            }
        }
        if search.run().is_break() {
            return Reach::ALL.to_vec();
        }
        Reach::ALL.into_iter().filter(|reach| search.reached.contains(reach)).collect()
    }
}

struct Search<'f, 'a> {
    flows: &'f ValueFlows<'a>,
    reached: HashSet<Reach>,
    seen: HashSet<TracedValue>,
    open: Vec<TracedValue>,
    memories: Vec<TracedMemory>,
    left: usize,
}

impl<'f> Search<'f, '_> {
    fn inst(&self, function: usize, at: usize) -> &'f Inst {
        &self.flows.functions[function].insts[at]
    }

    /// Starts a trace at an instruction. Values that the instruction stores are traced as well.
    fn begins(&mut self, function: usize, at: usize) {
        match &self.inst(function, at).op {
            Op::SurfaceStore(_) => drop(self.reached.insert(Reach::Output)),
            Op::Atomic(atomic) => self.stored(atomic.access.at.mem_space),
            _ => {}
        }
        self.defines(function, at);
    }

    fn run(&mut self) -> ControlFlow<()> {
        while let Some((function, at, slot)) = self.open.pop() {
            let code = self.flows.functions[function];
            let Some(register) = code.registers.number(slot) else { continue };
            if !self.seen.insert((function, at, slot)) {
                continue;
            }
            let mut reads = Vec::new();
            reached_uses(&code, (register as u32, at), &mut self.left, &mut |read| {
                reads.push(read);
                ControlFlow::Continue(())
            })?;
            reads.into_iter().for_each(|read| self.used(function, read, slot));
        }
        ControlFlow::Continue(())
    }

    /// Traces the results of an instruction.
    fn defines(&mut self, function: usize, at: usize) {
        each_slot(&self.inst(function, at).op, &mut |access, slot| {
            if access == Access::Def && !slot.is_none() {
                self.open.push((function, at, slot));
            }
        });
    }

    fn stored(&mut self, mem_space: MemSpace) {
        if let MemSpace::Global | MemSpace::Generic = mem_space {
            self.reached.insert(Reach::Output);
        }
        match mem_space {
            MemSpace::Global => {}
            MemSpace::Shared => self.goes_through(TracedMemory::Shared),
            _ => self.goes_through(TracedMemory::Local),
        }
    }

    /// Traces the results of all loads of this memory.
    fn goes_through(&mut self, memories: TracedMemory) {
        if self.memories.contains(&memories) {
            return;
        }
        self.memories.push(memories);
        if memories == TracedMemory::Local && self.flows.prints {
            self.reached.insert(Reach::Output);
        }
        let brings = |mem_space| match memories {
            TracedMemory::Shared => matches!(mem_space, MemSpace::Generic | MemSpace::Shared),
            TracedMemory::Local => {
                !matches!(mem_space, MemSpace::Global | MemSpace::Shared | MemSpace::KernelParam)
            }
        };
        for (number, function) in self.flows.functions.iter().enumerate() {
            for (at, inst) in function.insts.iter().enumerate() {
                let mem_space = match &inst.op {
                    op if let Some(access) = op.access() => access.at.mem_space,
                    Op::Matrix(matrix) if matrix.action == MatrixAction::Load => {
                        matrix.at.mem_space
                    }
                    _ => continue,
                };
                if brings(mem_space) {
                    self.defines(number, at);
                }
            }
        }
    }

    /// Handles an instruction that reads a traced value.
    fn used(&mut self, function: usize, at: usize, slot: Slot) {
        let inst = self.inst(function, at);
        let is = |other: Slot| other.plain() == slot.plain();
        let (mut reach, mut mem_space, mut goes_on) = (None, None, true);
        match &inst.op {
            Op::Branch { .. } | Op::BranchIndexed { .. } | Op::Exit | Op::Return | Op::Trap => {
                (reach, goes_on) = (Some(Reach::Branch), false);
            }
            Op::Load(access) | Op::LoadQuad(access) => {
                reach = is(access.at.base).then_some(Reach::Address);
            }
            Op::Store(access) | Op::StoreQuad(access) => {
                reach = is(access.at.base).then_some(Reach::Address);
                mem_space = (!is(access.at.base) || access.parts.iter().any(|part| is(*part)))
                    .then_some(access.at.mem_space);
            }
            Op::Atomic(atomic) => {
                reach = is(atomic.access.at.base).then_some(Reach::Address);
                mem_space = Some(atomic.access.at.mem_space).filter(|_| !is(atomic.access.at.base));
            }
            Op::AsyncCopy(copy) => {
                let is_address = is(copy.to.base) || is(copy.from.base);
                reach = is_address.then_some(Reach::Address);
                mem_space = Some(copy.to.mem_space).filter(|_| !is_address);
            }
            Op::Fetch(_) | Op::SurfaceLoad(_) => {
                reach = (!is(inst.guard)).then_some(Reach::Address);
            }
            Op::SurfaceStore(access) => {
                let is_stored = is(inst.guard) || access.parts.iter().any(|part| is(*part));
                reach = Some(if is_stored { Reach::Output } else { Reach::Address });
            }
            Op::Barrier(barrier) => reach = (!is(barrier.p)).then_some(Reach::Barrier),
            Op::Mbarrier(mbarrier) => {
                let is_address = is(mbarrier.at.base);
                reach = Some(if is_address { Reach::Address } else { Reach::Barrier });
            }
            Op::Matrix(matrix) => {
                let is_address = is(matrix.at.base);
                reach = match is_address {
                    true => Some(Reach::Address),
                    false => is(matrix.members).then_some(Reach::Barrier),
                };
                let stores = matrix.action == MatrixAction::Store && !is_address;
                mem_space = stores.then_some(matrix.at.mem_space);
            }
            Op::Call(call) => {
                if let Callee::Indirect { address, .. } = call.callee {
                    reach = is(address).then_some(Reach::Branch);
                }
                // The callee reads the value as a parameter.
                mem_space = Some(MemSpace::Frame);
            }
            op => reach = op.members().filter(|members| is(*members)).map(|_| Reach::Barrier),
        }
        self.reached.extend(reach);
        mem_space.into_iter().for_each(|mem_space| self.stored(mem_space));
        if goes_on {
            self.defines(function, at);
        }
    }
}
