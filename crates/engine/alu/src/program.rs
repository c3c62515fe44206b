//! Evaluates the steps of an operation in the interpreter, one step after the other, each for all
//! lanes of a warp.

use crate::lane::{Constants, Function, Lanes, Value};
use crate::term::{Operand, Step};
use std::cell::RefCell;

/// An operand of a step, by its index: a source of the instruction, the value of an earlier step,
/// or a constant.
#[derive(Clone, Copy, Debug)]
enum OperandIndex {
    Source(u8),
    Step(u8),
    Number(u8),
}

/// The steps of an operation, prepared for evaluation by the interpreter.
#[derive(Debug)]
pub(crate) struct Program {
    steps: Vec<(Function, Constants, [OperandIndex; 3])>,
    /// The constants that the steps read.
    numbers: Vec<Value>,
}

impl Program {
    pub(crate) fn new(steps: &[Step]) -> Self {
        let mut literals: Vec<u64> = Vec::new();
        let mut from = |operand: Operand| match operand {
            Operand::Source(place) => OperandIndex::Source(place),
            Operand::Step(place) => OperandIndex::Step(place),
            Operand::Literal(number) => {
                let known = literals.iter().position(|&literal| literal == number);
                OperandIndex::Number(known.unwrap_or_else(|| {
                    literals.push(number);
                    literals.len() - 1
                }) as u8)
            }
        };
        let steps = steps
            .iter()
            .map(|step| (step.evaluate.0, step.evaluate.1, step.from.map(&mut from)))
            .collect();
        Self { steps, numbers: literals.into_iter().map(Value::number).collect() }
    }

    /// Evaluates all steps. The value of the last step is the result of the operation.
    pub(crate) fn run(&self, sources: [Lanes<'_>; 4], to: &mut Value) {
        thread_local! {
            /// The values of all steps of the operation's program except the last.
            static VALUES: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
        }
        let mut work = |values: &mut Vec<Value>| {
            if values.len() < self.steps.len() {
                values.resize(self.steps.len(), Value::ZERO);
            }
            for (i, &(function, given, from)) in self.steps.iter().enumerate() {
                let (before, rest) = values.split_at_mut(i);
                let lanes = from.map(|from| match from {
                    OperandIndex::Source(place) => sources[usize::from(place)],
                    OperandIndex::Step(place) => Lanes::Value(&before[usize::from(place)]),
                    OperandIndex::Number(place) => Lanes::Value(&self.numbers[usize::from(place)]),
                });
                let is_last = i + 1 == self.steps.len();
                function(if is_last { &mut *to } else { &mut rest[0] }, lanes, given);
            }
        };
        // When `atexit` functions run on the main thread, its thread-local variables are already
        // destroyed.
        let done = VALUES.try_with(|values| work(&mut values.borrow_mut()));
        done.unwrap_or_else(|_| work(&mut Vec::new()));
    }
}
