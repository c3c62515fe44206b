//! The steps of a row, evaluated for the lanes of a warp one after the other.

use crate::lane::{Function, Given, Lanes, Value};
use crate::term::{Operand, Step};
use std::cell::RefCell;

/// Where a step of a program reads.
#[derive(Clone, Copy, Debug)]
enum From {
    Source(u8),
    Step(u8),
    Number(u8),
}

/// The steps of a row, ready to be evaluated.
#[derive(Debug)]
pub(crate) struct Program {
    steps: Vec<(Function, Given, [From; 3])>,
    /// The numbers that they read.
    numbers: Vec<Value>,
}

impl Program {
    pub(crate) fn new(steps: &[Step]) -> Self {
        let mut literals: Vec<u64> = Vec::new();
        let mut from = |operand: Operand| match operand {
            Operand::Source(place) => From::Source(place),
            Operand::Step(place) => From::Step(place),
            Operand::Literal(number) => {
                let known = literals.iter().position(|&literal| literal == number);
                From::Number(known.unwrap_or_else(|| {
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

    /// The value of the last step.
    pub(crate) fn run(&self, sources: [Lanes<'_>; 4], to: &mut Value) {
        thread_local! {
            /// What the steps before the last one give.
            static VALUES: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
        }
        let mut work = |values: &mut Vec<Value>| {
            if values.len() < self.steps.len() {
                values.resize(self.steps.len(), Value::ZERO);
            }
            for (i, &(function, given, from)) in self.steps.iter().enumerate() {
                let (before, rest) = values.split_at_mut(i);
                let lanes = from.map(|from| match from {
                    From::Source(place) => sources[usize::from(place)],
                    From::Step(place) => Lanes::Value(&before[usize::from(place)]),
                    From::Number(place) => Lanes::Value(&self.numbers[usize::from(place)]),
                });
                let is_last = i + 1 == self.steps.len();
                function(if is_last { &mut *to } else { &mut rest[0] }, lanes, given);
            }
        };
        // The first thread has no variables any more where functions of `atexit` run.
        let done = VALUES.try_with(|values| work(&mut values.borrow_mut()));
        done.unwrap_or_else(|_| work(&mut Vec::new()));
    }
}
