//! The steps of an operation, with registers assigned to their temporary values, as they become
//! part of compiled code.

use crate::row::Row;
use crate::term::{Computation, Operand, Step};
use texunit_jit::region::Action;
use texunit_jit::{Combine, Op as J, Predicate, Source, Test, VReg};

/// The numbers of the first free temporary registers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Temporaries {
    /// The first register of up to 32 bits.
    pub narrow: u32,
    /// The first register of 64 bits.
    pub wide: u32,
    /// The first predicate register.
    pub predicates: u32,
}

/// The maximum numbers of temporaries that an operation may use. An operation that needs more is
/// called as a function.
pub const MAX: Temporaries = Temporaries { narrow: 11, wide: 6, predicates: 3 };

/// The destination of a step of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A register, for the result of an operation.
    Register(VReg),
    /// Predicates, for the result of a comparison: the two destinations of [`Action::Compare`], and
    /// the operation and predicate with which the result is combined.
    Predicates([Option<u32>; 2], (Combine, Predicate)),
}

impl From<VReg> for Destination {
    fn from(register: VReg) -> Self {
        match register {
            VReg::Predicate(p) => {
                Self::Predicates([Some(p), None], (Combine::And, Predicate::Always))
            }
            register => Self::Register(register),
        }
    }
}

impl Row {
    /// The steps of the operation for these sources, of which the last one writes the destination.
    /// Returns `None` if compiled code calls the operation's function.
    pub fn lowered(
        &self,
        sources: &[Source],
        free: Temporaries,
        destination: Destination,
    ) -> Option<Vec<Action>> {
        let known = std::array::from_fn(|i| match sources.get(i) {
            Some(&Source::Literal(number)) => Some(number),
            _ => None,
        });
        let steps = self.compiled(known)?;
        let mut allocation = Allocation::new(&steps, free);
        let action = |(i, step): (usize, &Step)| {
            if let Computation::Rarely(steps) = step.computation {
                let of = Predicate::If(allocation.predicate(step.from[0])?);
                return Some(Action::Rarely { of, steps });
            }
            let (op, from) = allocation.operands(step, sources)?;
            let to = match step.computation {
                _ if i + 1 == steps.len() => destination,
                Computation::SelectInto => allocation.take_over(i, step.from[2])?.into(),
                _ => allocation.take(i, step.bits)?.into(),
            };
            Some(match (op, to) {
                (Op::Compute(op), Destination::Register(to)) => Action::Compute { op, to, from },
                (Op::Compare(test), Destination::Predicates(to, with)) => {
                    Action::Compare { test, from: [from[0], from[1]], to, with }
                }
                _ => return None,
            })
        };
        steps.iter().enumerate().map(action).collect()
    }
}

/// An operation or a comparison of compiled code.
enum Op {
    Compute(J),
    Compare(Test),
}

/// The allocation of temporary registers to the values of steps.
struct Allocation {
    free: Temporaries,
    /// For each step, the register of its value, and the last step that reads it.
    of: Vec<(Option<VReg>, usize)>,
    taken: Vec<VReg>,
}

impl Allocation {
    fn new(steps: &[Step], free: Temporaries) -> Self {
        let mut of = vec![(None, 0); steps.len()];
        for (i, step) in steps.iter().enumerate() {
            for operand in step.from {
                if let Operand::Step(read) = operand {
                    of[usize::from(read)].1 = i;
                }
            }
        }
        Self { free, of, taken: Vec::new() }
    }

    /// Allocates a register for the value of a step. First frees the registers of values that no
    /// step after this one reads.
    fn take(&mut self, step: usize, bits: u32) -> Option<VReg> {
        for (register, last) in &mut self.of {
            if *last <= step
                && let Some(ended) = register.take()
            {
                self.taken.retain(|register| *register != ended);
            }
        }
        let Temporaries { narrow, wide, predicates } = self.free;
        let register = |i: u32| match bits {
            1 => VReg::Predicate(predicates + i),
            64 => VReg::B64(wide + i),
            _ => VReg::B32(narrow + i),
        };
        let most = match bits {
            1 => MAX.predicates,
            64 => MAX.wide,
            _ => MAX.narrow,
        };
        let register = (0..most).map(register).find(|register| !self.taken.contains(register))?;
        self.taken.push(register);
        self.of[step].0 = Some(register);
        Some(register)
    }

    /// Gives the value of a step the register of an earlier step's value, which no later step
    /// reads.
    fn take_over(&mut self, step: usize, from: Operand) -> Option<VReg> {
        let Operand::Step(from) = from else { return None };
        self.of[step].0 = self.of[usize::from(from)].0.take();
        self.of[step].0
    }

    fn predicate(&self, operand: Operand) -> Option<u32> {
        let Operand::Step(i) = operand else { return None };
        let VReg::Predicate(p) = self.of[usize::from(i)].0? else { return None };
        Some(p)
    }

    fn source(&self, operand: Operand, sources: &[Source]) -> Option<Source> {
        Some(match operand {
            Operand::Source(i) => *sources.get(usize::from(i))?,
            Operand::Literal(number) => Source::Literal(number),
            Operand::Step(i) => match self.of[usize::from(i)].0? {
                VReg::B32(i) => Source::B32(i),
                VReg::B64(i) => Source::B64(i),
                VReg::Predicate(_) => return None,
            },
        })
    }

    /// The operation and the operands of a step.
    fn operands(&self, step: &Step, sources: &[Source]) -> Option<(Op, [Source; 3])> {
        let zero = Source::Literal(0);
        let read = |operand| self.source(operand, sources);
        Some(match step.computation {
            Computation::Compute(op) => {
                let [a, b, c] = step.from;
                (Op::Compute(op), [read(a)?, read(b)?, read(c)?])
            }
            Computation::Compare(test) => {
                (Op::Compare(test), [read(step.from[0])?, read(step.from[1])?, zero])
            }
            Computation::Rarely(_) => return None,
            Computation::Select | Computation::SelectInto => {
                let [a, p, b] = step.from;
                let p = Predicate::If(self.predicate(p)?);
                let op = if step.bits == 64 { J::SelectWide(p) } else { J::Select(p) };
                (Op::Compute(op), [read(a)?, read(b)?, zero])
            }
        })
    }
}
