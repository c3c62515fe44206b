//! What an operation is in compiled code: steps that are found by evaluating its row for [`Term`]s.

use std::cell::{Cell, RefCell};
use texunit_jit::{Op as J, Test};

/// What a step computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// A number.
    Compute(J),
    /// A predicate.
    Compare(Test),
    /// The first where the second, a predicate, holds, else the third.
    Select,
}

/// What a step reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A source of the instruction, by its place.
    Source(u8),
    /// A number.
    Literal(u64),
    /// What an earlier step gives, by its place.
    Step(u8),
}

/// A step of compiled code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// What it computes.
    pub(crate) does: Does,
    /// Bits of what it gives: 32, 64, or 1 of a predicate.
    pub(crate) bits: u32,
    /// Of what; those that the operation lacks are the number 0.
    pub(crate) from: [Operand; 3],
}

/// The steps of a row. The last one gives its value.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    steps: RefCell<Vec<Step>>,
    /// Whether there is something that compiled code does not have.
    fails: Cell<bool>,
}

/// A value of so many bits in compiled code; 1 of a predicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term<'r, const BITS: u32>(Operand, Option<&'r Recorder>);

/// A value of any width.
pub(crate) type AnyTerm<'r> = (Operand, Option<&'r Recorder>);

impl<'r, const BITS: u32> Term<'r, BITS> {
    /// A source of the instruction.
    pub(crate) fn source(recorder: &'r Recorder, place: u8) -> Self {
        Self(Operand::Source(place), Some(recorder))
    }

    /// A number.
    pub(crate) fn number(bits: u64) -> Self {
        Self(Operand::Literal(bits), None)
    }

    pub(crate) fn any(self) -> AnyTerm<'r> {
        (self.0, self.1)
    }

    /// A step of these. None: compiled code does not have it.
    pub(crate) fn of(does: Option<Does>, terms: &[AnyTerm<'r>]) -> Self {
        let mut from = [Operand::Literal(0); 3];
        from.iter_mut().zip(terms).for_each(|(to, term)| *to = term.0);
        // Numbers alone are no step: rows have sources.
        let Some(recorder) = terms.iter().find_map(|term| term.1) else {
            return Self::number(0);
        };
        let Some(does) = does else {
            recorder.fails.set(true);
            return Self::number(0);
        };
        let mut steps = recorder.steps.borrow_mut();
        steps.push(Step { does, bits: BITS, from });
        Self(Operand::Step((steps.len() - 1) as u8), Some(recorder))
    }
}

impl Recorder {
    /// What the row gives.
    pub(crate) fn end<const BITS: u32>(&self, value: Term<'_, BITS>) {
        let mut steps = self.steps.borrow_mut();
        let last = Operand::Step(steps.len().wrapping_sub(1) as u8);
        if steps.is_empty() || value.0 != last {
            let copy = if BITS == 64 { J::CopyWide } else { J::Copy };
            let zero = Operand::Literal(0);
            steps.push(Step { does: Does::Compute(copy), bits: BITS, from: [value.0, zero, zero] });
        }
    }

    /// The steps. None: compiled code calls the row's function.
    pub(crate) fn steps(self) -> Option<Vec<Step>> {
        (!self.fails.get()).then(|| self.steps.into_inner())
    }
}

/// The operation of compiled code that a primitive is.
pub(crate) trait Compiles {
    /// None: there is none.
    fn does(self) -> Option<Does>;
}

impl Compiles for J {
    fn does(self) -> Option<Does> {
        Some(Does::Compute(self))
    }
}

impl Compiles for Option<J> {
    fn does(self) -> Option<Does> {
        self.map(Does::Compute)
    }
}

/// The primitive [`Does::Select`].
pub(crate) struct Select;

impl Compiles for Select {
    fn does(self) -> Option<Does> {
        Some(Does::Select)
    }
}

impl Compiles for Test {
    fn does(self) -> Option<Does> {
        Some(Does::Compare(self))
    }
}
