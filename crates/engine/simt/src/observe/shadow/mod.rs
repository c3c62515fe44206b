//! Shadows: beside each register another one that says which of its bits nobody has written, as in Valgrind's Memcheck.
//!
//! The copy of the code that an observer of [`Events::DEFINED`](super::Events::DEFINED) gets has, before each instruction,
//! operations that compute the shadows of what it writes from those of what it reads ([`rules`]): the same kinds of
//! operations as all others, so they are interpreted and compiled as all others are. Loads and stores go to the shadow of
//! memory ([`Shadow`]), which has a byte for each byte. Where it matters that a value is defined ([`sinks`]) stands
//! a check, which tells the probe and makes the value count as defined.
//!
//! Most registers of most kernels can never be undefined (what follows from parameters, indices and numbers alone): a
//! pass over the function ([`state`]) finds those that can, and nothing is computed for the others.

mod arithmetic;
mod rules;
mod sinks;
mod state;

pub(crate) use super::Sink;

use crate::code::{Code, Constants, Func, Inst, Op, Slot};
use crate::flow::{FunctionCode, Registers, reads};
use rules::{Common, Making};
use state::States;

/// What the observed code has besides the program's.
#[derive(Debug, Default)]
pub(super) struct Shadows {
    /// By operation: what stands before it.
    before: Vec<Vec<Inst>>,
    /// By operation that a function begins with: what is done when it is called, and only then.
    at_entry: Vec<(u32, Vec<Inst>)>,
    /// Calls that hand shadows over, by operation.
    calls: Vec<(u32, Op)>,
    pub(super) funcs: Vec<Func>,
    pub(super) constants: Constants,
}

impl Shadows {
    /// What stands before an operation, and what is done only where its function begins with it.
    pub(super) fn take(&mut self, op: u32) -> (Vec<Inst>, Vec<Inst>) {
        let before = self.before.get_mut(op as usize).map_or_else(Vec::new, std::mem::take);
        let entry = self.at_entry.iter_mut().find(|entry| entry.0 == op);
        (before, entry.map_or_else(Vec::new, |entry| std::mem::take(&mut entry.1)))
    }

    /// The operation itself.
    pub(super) fn call(&mut self, op: u32, inst: &Inst) -> Inst {
        let call = self.calls.binary_search_by_key(&op, |call| call.0).ok();
        match call.and_then(|i| self.calls.get(i)) {
            Some((_, op)) => Inst { op: op.clone(), ..inst.clone() },
            None => inst.clone(),
        }
    }
}

/// Registers that the operations of one instruction use between them: narrow, wide, predicates.
const SCRATCH: u32 = 4;

/// The shadows of a code.
pub(super) fn of(code: &Code) -> Shadows {
    let mut shadows = Shadows {
        before: vec![Vec::new(); code.insts.len()],
        funcs: code.funcs.clone(),
        constants: code.constants.clone(),
        ..Shadows::default()
    };
    let common = Common::add_to(&mut shadows.constants);
    for (i, func) in code.funcs.iter().enumerate().filter(|(_, func)| func.has_body) {
        let function = FunctionCode::new(code, i);
        if let Some(mut function) = function.filter(|function| !function.insts.is_empty()) {
            // The steps of compiled operations have registers of their own, which are always defined.
            let own = func.temporaries();
            let [narrow, wide, predicates] =
                [own.narrow, own.wide, own.predicates].map(|n| n as usize);
            function.registers = Registers { narrow, wide, predicates };
            of_function(code, function, &common, &mut shadows);
            widen(&mut shadows.funcs[i]);
        }
    }
    shadows
}

/// Gives a function its shadows. The registers of steps stay the last ones.
fn widen(func: &mut Func) {
    let free = func.temporaries();
    func.narrow += free.narrow + SCRATCH;
    func.wide += free.wide + SCRATCH;
    func.predicates += free.predicates + SCRATCH;
}

fn of_function(code: &Code, function: FunctionCode<'_>, common: &Common, shadows: &mut Shadows) {
    let registers = function.registers;
    let states = States::of(code, function);
    // Registers that are read where they may be undefined: others need no shadow.
    let mut tracked = vec![false; registers.len()];
    let mut unwritten = vec![false; registers.len()];
    states.each(|_, inst, state| {
        let mut read = |slot: Slot| {
            let Some(number) = registers.number(slot) else { return };
            tracked[number] |= state[number] != 0;
            unwritten[number] |= state[number] & state::UNWRITTEN != 0;
        };
        read(inst.guard);
        reads(&inst.op, &mut read);
    });
    states.each(|op, inst, state| {
        let mut making = Making::new(registers, &tracked, common, (op, inst, state));
        if let Some(call) = making.instruction() {
            shadows.calls.push((op, call));
        }
        shadows.before[op as usize] = making.out;
    });
    let Some(first) = function.insts.first() else { return };
    let entry = Inst { op: Op::Nop, guard: Slot::TRUE, ..first.clone() };
    let mut making = Making::new(registers, &tracked, common, (function.first, &entry, &[]));
    for (number, _) in unwritten.iter().enumerate().filter(|(_, is)| **is) {
        making.undefine(number);
    }
    if !making.out.is_empty() {
        shadows.at_entry.push((function.first, making.out));
    }
}
