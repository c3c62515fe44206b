//! Data-flow analysis of the registers that may be uninitialised before each operation of a
//! function, per thread.

use super::arithmetic;
use super::sinks::sinks;
use crate::code::{Code, Inst, MatrixAction, MemSpace, Op, Slot};
use crate::flow::{FunctionCode, Registers, reads, writes};
use texunit_alu::Alu;
use texunit_flow::{Cfg, forward};

/// Possible states of a register, as a bit mask; 0: certainly initialised.
pub(super) type State = u8;
/// The register may hold a copy of uninitialised memory.
const COPY: State = 1;
/// The register may hold a value computed from uninitialised data.
pub(super) const COMPUTED: State = 2;
/// The register may be unwritten.
pub(super) const UNWRITTEN: State = 4;

/// Limit of the number of registers times the number of blocks; beyond it, all registers count as
/// possibly uninitialised.
const MAX: usize = 1 << 25;
/// Results of the analysis of a function.
pub(super) struct States<'a> {
    code: &'a Code,
    function: FunctionCode<'a>,
    cfg: Cfg,
    /// For each block: the states of registers at its start, `None` if it is unreachable. `None`
    /// for the whole: not analysed, so that all registers may be uninitialised.
    at_start: Option<Vec<Option<Vec<State>>>>,
}

impl<'a> States<'a> {
    pub(super) fn of(code: &'a Code, function: FunctionCode<'a>) -> Self {
        let (cfg, registers) = (Cfg::new(&function), function.registers);
        let transfer = |block, state: &mut Vec<State>| {
            cfg.range(block).for_each(|at| step(code, registers, &function.insts[at], state));
        };
        let join = |state: &mut Vec<State>, other: &Vec<State>| {
            let mut changes = false;
            for (state, &other) in state.iter_mut().zip(other) {
                changes |= *state | other != *state;
                *state |= other;
            }
            changes
        };
        let is_small = (cfg.exit() as usize).saturating_mul(registers.len()) <= MAX;
        let entry = vec![UNWRITTEN; registers.len()];
        let at_start = is_small.then(|| forward(&cfg, entry, transfer, join)).flatten();
        Self { code, function, cfg, at_start }
    }

    /// Calls `f` with each instruction and the states of registers before it.
    pub(super) fn each(&self, mut f: impl FnMut(u32, &'a Inst, &[State])) {
        let registers = self.function.registers;
        for (block, range) in self.cfg.ranges().enumerate() {
            let mut state = match &self.at_start {
                Some(known) => known[block].clone().unwrap_or_else(|| vec![0; registers.len()]),
                None => vec![COPY | UNWRITTEN; registers.len()],
            };
            for at in range {
                let inst = &self.function.insts[at];
                f(self.function.first + at as u32, inst, &state);
                if self.at_start.is_some() {
                    step(self.code, registers, inst, &mut state);
                }
            }
        }
    }
}

/// The state of a register; constants are initialised.
pub(super) fn of(registers: Registers, state: &[State], slot: Slot) -> State {
    registers.number(slot).map_or(0, |number| state[number])
}

/// The value of a constant operand. Addresses of variables are constants, too, but their values are
/// not used.
pub(super) fn literal(code: &Code, slot: Slot) -> Option<u64> {
    if slot.is_none() || !slot.is_constant() || slot.is_predicate() {
        return None;
    }
    if slot.is_wide() {
        code.constants.wide.get(slot.index()).map(|row| row[0])
    } else {
        code.constants.narrow.get(slot.index()).map(|row| row[0].into())
    }
}

/// Whether a load reads memory that is always initialised: kernel parameters and constant memory.
pub(super) fn is_constant_load(op: &Op) -> bool {
    matches!(op, Op::Load(access) | Op::LoadQuad(access)
        if access.at.mem_space == MemSpace::KernelParam || access.constant)
}

/// The state of the registers that an instruction writes.
fn result(code: &Code, registers: Registers, inst: &Inst, state: &[State]) -> State {
    let of = |slot: Slot| of(registers, state, slot);
    let any = |slots: &[Slot]| slots.iter().fold(0, |all, &slot| all | of(slot));
    let computed = |all: State| if all == 0 { 0 } else { COMPUTED };
    let read = || {
        let mut all = 0;
        reads(&inst.op, &mut |slot| all |= of(slot));
        all
    };
    let copied = |all: State| if all & UNWRITTEN != 0 { all & !UNWRITTEN | COPY } else { all };
    match &inst.op {
        Op::Mov { a, .. } | Op::Cvta { a, .. } => copied(of(*a)),
        Op::Select { a, b, p, .. } => copied(of(*a) | of(*b)) | computed(of(*p)),
        Op::Shuffle(shuffle) => copied(of(shuffle.a)),
        Op::Matrix(of) if of.action == MatrixAction::Transpose => copied(any(&of.parts)),
        Op::Mma(mma) => computed(mma.sources.iter().fold(0, |all, slots| all | any(slots))),
        op if is_constant_load(op) => 0,
        Op::Atomic(atomic) if atomic.op == texunit_isa::AtomOp::Exch => COPY,
        // A fetch counts as a copy of texels, whether filtered or not.
        Op::Call(_) | Op::Fetch(_) | Op::SurfaceLoad(_) => COPY,
        Op::Load(_) | Op::LoadQuad(_) | Op::Matrix(_) => COPY,
        Op::Compute { row, s, .. } => {
            let is_copy = arithmetic::is_copy(row, &amounts(code, row, s));
            if is_copy { copied(any(s)) } else { computed(any(s)) }
        }
        // Carries are not tracked individually.
        Op::Rare(rare) if matches!(rare.alu, Alu::Carry(_)) => COMPUTED,
        Op::Lop3 { .. } | Op::Rare(_) | Op::Logic { .. } | Op::IsSpace { .. } => computed(read()),
        Op::Compare { .. } | Op::ComparePair { .. } => computed(read()),
        _ => 0,
    }
}

/// Values of the non-data sources of an operation, as far as they are constants; for `and`, of all
/// sources.
fn amounts(code: &Code, row: &texunit_alu::Row, s: &[Slot; 4]) -> Vec<Option<u64>> {
    let data: &[usize] = match arithmetic::rule(row) {
        arithmetic::Rule::Moves(data) => data,
        _ => &[],
    };
    let others = s.iter().enumerate().filter(|(i, slot)| !data.contains(i) && !slot.is_none());
    others.map(|(_, &slot)| literal(code, slot)).collect()
}

/// Updates the states of registers by an instruction.
fn step(code: &Code, registers: Registers, inst: &Inst, state: &mut [State]) {
    let result = result(code, registers, inst, state);
    let whole = inst.guard == Slot::TRUE;
    // A value whose use was reported counts as initialised afterwards.
    sinks(inst, |sink, slot| {
        if (whole || matches!(sink, crate::code::Sink::Guard | crate::code::Sink::Branch))
            && let Some(number) = registers.number(slot)
        {
            state[number] = 0;
        }
    });
    writes(&inst.op, &mut |slot| {
        if let Some(number) = registers.number(slot) {
            state[number] = if whole { result } else { state[number] | result };
        }
    });
}
