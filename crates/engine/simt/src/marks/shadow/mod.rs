//! Shadow code: for each register a second one that tells which of its bits are uninitialised, as
//! in Valgrind's Memcheck.
//!
//! The code for an observer of [`Events::DEFINED`](crate::code::Events::DEFINED) has additional
//! operations before each instruction, which compute the shadows of its results from those of its
//! sources ([`rules`]). They are ordinary operations, so they are interpreted and compiled like all
//! others. Loads and stores access shadow memory ([`Shadow`]), which has a byte for each byte of
//! memory. Before a use that requires an initialised value ([`sinks`]) there is a check, which
//! notifies the probe and then marks the value as initialised.
//!
//! Most registers of most kernels can never be uninitialised, because they depend only on
//! parameters, thread indices and constants. A data-flow pass ([`state`]) finds the registers that
//! can be, and only these have shadows.

mod arithmetic;
mod rules;
mod sinks;
mod state;

use crate::code::{Code, Constants, Func, Inst, Op, Slot};
use crate::flow::{FunctionCode, Registers, reads};
use rules::{Common, ShadowBuilder};
use state::States;

/// Additions to the program's code.
#[derive(Debug, Default)]
pub(super) struct Shadows {
    /// For each operation of the program, by index: instructions inserted before it.
    before: Vec<Vec<Inst>>,
    /// For each function, by the index of its first operation: instructions executed when the
    /// function is called, but not when a loop branches back to its first operation.
    at_entry: Vec<(u32, Vec<Inst>)>,
    /// Call operations that replace the program's and also pass shadow values, with the index of
    /// the replaced call.
    calls: Vec<(u32, Op)>,
    pub(super) funcs: Vec<Func>,
    pub(super) constants: Constants,
}

impl Shadows {
    /// Removes the operations to insert before an operation, and those executed only at a call of
    /// the function that begins with it.
    pub(super) fn take(&mut self, op: u32) -> (Vec<Inst>, Vec<Inst>) {
        let before = self.before.get_mut(op as usize).map_or_else(Vec::new, std::mem::take);
        let entry = self.at_entry.iter_mut().find(|entry| entry.0 == op);
        (before, entry.map_or_else(Vec::new, |entry| std::mem::take(&mut entry.1)))
    }

    /// The operation itself, with shadows passed if it is a call.
    pub(super) fn call(&mut self, op: u32, inst: &Inst) -> Inst {
        let call = self.calls.binary_search_by_key(&op, |call| call.0).ok();
        match call.and_then(|i| self.calls.get(i)) {
            Some((_, op)) => Inst { op: op.clone(), ..inst.clone() },
            None => inst.clone(),
        }
    }
}

/// Number of temporary registers of each kind for the shadow operations of an instruction.
const SCRATCH: u32 = 4;

/// Computes the shadow operations of a program's code.
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
            // The temporaries of compiled operations are always initialised, so they need no
            // shadows.
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

/// Adds the shadow registers of a function. The temporaries stay the last registers.
fn widen(func: &mut Func) {
    let free = func.temporaries();
    func.narrow += free.narrow + SCRATCH;
    func.wide += free.wide + SCRATCH;
    func.predicates += free.predicates + SCRATCH;
}

fn of_function(code: &Code, function: FunctionCode<'_>, common: &Common, shadows: &mut Shadows) {
    let registers = function.registers;
    let states = States::of(code, function);
    // Only registers that are read while possibly uninitialised need a shadow.
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
        let mut builder = ShadowBuilder::new(registers, &tracked, common, (op, inst, state));
        if let Some(call) = builder.instruction() {
            shadows.calls.push((op, call));
        }
        shadows.before[op as usize] = builder.out;
    });
    let Some(first) = function.insts.first() else { return };
    let entry = Inst { op: Op::Nop, guard: Slot::TRUE, ..first.clone() };
    let mut builder =
        ShadowBuilder::new(registers, &tracked, common, (function.first, &entry, &[]));
    for (number, _) in unwritten.iter().enumerate().filter(|(_, is)| **is) {
        builder.undefine(number);
    }
    if !builder.out.is_empty() {
        shadows.at_entry.push((function.first, builder.out));
    }
}
