//! Shadows: beside each register another one that says which of its bits nobody has written, as in Valgrind's Memcheck.
//!
//! The copy of the code that an observer of [`Events::DEFINED`](super::Events::DEFINED) gets has, before each instruction,
//! operations that compute the shadows of what it writes from those of what it reads ([`rules`]): the same kinds of
//! operations as all others, so they are interpreted and compiled as all others are. Loads and stores go to the shadow of
//! memory ([`Shadow`]), which has a byte for each byte. Where it matters that a value is defined ([`operands::sinks`]) stands
//! a check, which tells the probe and makes the value count as defined.
//!
//! Most registers of most kernels can never be undefined (what follows from parameters, indices and numbers alone): a
//! pass over the function ([`state`]) finds those that can, and nothing is computed for the others.

mod arithmetic;
mod operands;
mod rules;
mod state;

pub(crate) use super::Sink;
pub(super) use operands::{reads, writes};

use crate::code::{Code, Constants, Func, Inst, Op, Slot};
use rules::{Common, Making};
use state::{Files, States};

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
    for (i, func) in code.funcs.iter().enumerate() {
        let end = code.funcs.get(i + 1).map_or(code.insts.len() as u32, |next| next.entry);
        if func.has_body && func.entry < end {
            of_function(code, func, func.entry..end, &common, &mut shadows);
            widen(&mut shadows.funcs[i]);
        }
    }
    shadows
}

/// Registers of a function but for those of steps of compiled operations.
fn files(func: &Func) -> Files {
    let free = func.temporaries();
    let [narrow, wide, predicates] = [free.narrow, free.wide, free.predicates].map(|n| n as usize);
    Files { narrow, wide, predicates }
}

/// Gives a function its shadows. The registers of steps stay the last ones.
fn widen(func: &mut Func) {
    let free = func.temporaries();
    func.narrow += free.narrow + SCRATCH;
    func.wide += free.wide + SCRATCH;
    func.predicates += free.predicates + SCRATCH;
}

fn of_function(
    code: &Code,
    func: &Func,
    range: std::ops::Range<u32>,
    common: &Common,
    shadows: &mut Shadows,
) {
    let files = files(func);
    let states = States::of(code, range.clone(), files);
    // Registers that are read where they may be undefined: others need no shadow.
    let mut tracked = vec![false; files.len()];
    let mut unwritten = vec![false; files.len()];
    states.each(code, |_, inst, state| {
        let mut read = |slot: Slot| {
            let Some(number) = files.number(slot) else { return };
            tracked[number] |= state[number] != 0;
            unwritten[number] |= state[number] & state::UNWRITTEN != 0;
        };
        read(inst.guard);
        reads(&inst.op, &mut read);
    });
    states.each(code, |op, inst, state| {
        let mut making = Making::new(files, &tracked, common, (op, inst, state));
        if let Some(call) = making.instruction() {
            shadows.calls.push((op, call));
        }
        shadows.before[op as usize] = making.out;
    });
    let Some(first) = code.insts.get(range.start as usize) else { return };
    let entry = Inst { op: Op::Nop, guard: Slot::TRUE, ..first.clone() };
    let mut making = Making::new(files, &tracked, common, (range.start, &entry, &[]));
    for (number, _) in unwritten.iter().enumerate().filter(|(_, is)| **is) {
        making.undefine(number);
    }
    if !making.out.is_empty() {
        shadows.at_entry.push((range.start, making.out));
    }
}
