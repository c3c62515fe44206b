//! Records the steps of an operation by evaluating its expression on [`Term`]s. A step is one
//! primitive: an operation of the JIT compiler, and a function for the interpreter.

use crate::lane::{Constants, Function, copy};
use std::cell::{Cell, RefCell};
use texunit_jit::{Op as J, Test};

/// What a step of compiled code computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Computation {
    /// A step of the program computes this operation of the JIT compiler (crate `jit`).
    Compute(J),
    /// The step computes this comparison of the JIT compiler.
    Compare(Test),
    /// The value is the first operand if the second operand, a predicate, is true, else the third.
    Select,
    /// As [`Self::Select`]; the value is written to the register of the third operand.
    SelectInto,
    /// If the first operand, a predicate, is false in all lanes, this number of next steps can be
    /// skipped.
    Rarely(u32),
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A source of the instruction, by its index.
    Source(u8),
    /// A constant.
    Literal(u64),
    /// The value of an earlier step, by its index.
    Step(u8),
}

/// The function that computes a primitive for the lanes of a warp, and the primitive's constants.
pub(crate) type Evaluate = (Function, Constants);

/// A step of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// What the step computes in compiled code.
    pub(crate) computation: Computation,
    /// The function that the interpreter calls for the step, and its constants.
    pub(crate) evaluate: Evaluate,
    /// The width of the value: 32 or 64 bits, 1 for a predicate, or 0 if there is none.
    pub(crate) bits: u32,
    /// The operands of the computation. Operands that it does not read are the constant 0.
    pub(crate) from: [Operand; 3],
}

/// Records the steps of an operation. The last step computes the result of the operation.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    steps: RefCell<Vec<Step>>,
    /// The values of the sources that are constants.
    known: [Option<u64>; 4],
    /// Whether the steps are recorded without simplification, as the interpreter needs them.
    literal: bool,
    /// Whether the result of the recorded operation is a constant.
    pub(crate) is_number: Cell<bool>,
}

/// A value of `BITS` bits in an expression that is recorded. A predicate has one bit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term<'r, const BITS: u32>(Operand, Option<&'r Recorder>);

/// A value of any width in an expression that is recorded.
pub(crate) type AnyTerm<'r> = (Operand, Option<&'r Recorder>);

impl<'r, const BITS: u32> Term<'r, BITS> {
    /// A source of the instruction, by its index.
    pub(crate) fn source(recorder: &'r Recorder, place: u8) -> Self {
        match recorder.known.get(usize::from(place)).copied().flatten() {
            Some(number) => Self::number(number & (u64::MAX >> (64 - BITS))),
            None => Self(Operand::Source(place), Some(recorder)),
        }
    }

    /// The value of a constant; `None` for terms that are not constant.
    pub(crate) fn known(self) -> Option<u64> {
        match self.0 {
            Operand::Literal(number) => Some(number),
            _ => None,
        }
    }

    /// A constant.
    pub(crate) fn number(bits: u64) -> Self {
        Self(Operand::Literal(bits), None)
    }

    pub(crate) fn any(self) -> AnyTerm<'r> {
        (self.0, self.1)
    }

    /// Records a step with the operands `terms`, at least one of which is not constant.
    pub(crate) fn of(computation: Computation, evaluate: Evaluate, terms: &[AnyTerm<'r>]) -> Self {
        let (operand, recorder) = step(BITS, computation, evaluate, terms);
        Self(operand, recorder)
    }
}

impl Term<'_, 32> {
    /// Selects a value for rare lanes; see [`Rarely::unless`](crate::primitive::Rarely::unless).
    pub(crate) fn or_other(self, rare: Term<'_, 1>, other: impl FnOnce() -> Self) -> Self {
        let (Some(recorder), Operand::Step(_)) = (self.1, rare.0) else { return other() };
        if recorder.literal {
            return other();
        }
        let zero = Operand::Literal(0);
        let put = |computation, bits, from| {
            let evaluate = (copy(32), Constants::NONE);
            let mut steps = recorder.steps.borrow_mut();
            steps.push(Step { computation, evaluate, bits, from });
            steps.len() - 1
        };
        let first = put(Computation::Rarely(0), 0, [rare.0, zero, zero]);
        let other = other();
        let last = put(Computation::SelectInto, 32, [other.0, rare.0, self.0]);
        let skipped = Computation::Rarely((last - first) as u32);
        recorder.steps.borrow_mut()[first].computation = skipped;
        Self(Operand::Step(last as u8), Some(recorder))
    }
}

/// Records a step whose value has `bits` bits, and returns this value.
fn step<'r>(
    bits: u32,
    computation: Computation,
    evaluate: Evaluate,
    terms: &[AnyTerm<'r>],
) -> AnyTerm<'r> {
    let mut from = [Operand::Literal(0); 3];
    from.iter_mut().zip(terms).for_each(|(to, term)| *to = term.0);
    let Some(recorder) = terms.iter().find_map(|term| term.1) else {
        return (Operand::Literal(0), None);
    };
    let computation = match simplified(computation, &from, u64::MAX >> (64 - bits)) {
        _ if recorder.literal => computation,
        Simplified::Computation(computation) => computation,
        Simplified::Operand(operand @ Operand::Literal(_)) => return (operand, None),
        Simplified::Operand(operand) => return (operand, Some(recorder)),
    };
    let mut steps = recorder.steps.borrow_mut();
    steps.push(Step { computation, evaluate, bits, from });
    (Operand::Step((steps.len() - 1) as u8), Some(recorder))
}

/// The simplified form of a step with constants among its operands.
enum Simplified {
    /// The step's value is one of its operands, or a constant.
    Operand(Operand),
    /// The step's value is this computation of the same operands.
    Computation(Computation),
}

/// Simplifies a step whose operands include constants. `ones` is the constant in which all bits are
/// set.
fn simplified(computation: Computation, from: &[Operand; 3], ones: u64) -> Simplified {
    let zero = Operand::Literal(0);
    match computation {
        Computation::Compute(J::Bits(table)) => bits(table, from, ones, J::Bits),
        Computation::Compute(J::BitsWide(table)) => bits(table, from, ones, J::BitsWide),
        Computation::Compute(
            J::Add
            | J::Sub
            | J::ShiftLeft
            | J::ShiftRightU
            | J::ShiftRightS
            | J::AddWide
            | J::SubWide
            | J::ShiftLeftWide
            | J::ShiftRightWideU
            | J::ShiftRightWideS,
        ) if from[1] == zero => Simplified::Operand(from[0]),
        Computation::Select => match from[1] {
            Operand::Literal(0) => Simplified::Operand(from[2]),
            Operand::Literal(_) => Simplified::Operand(from[0]),
            _ => Simplified::Computation(computation),
        },
        _ => Simplified::Computation(computation),
    }
}

/// Simplifies a Boolean function by removing operands that are all zeros or all ones from its truth
/// table.
fn bits(mut table: u8, from: &[Operand; 3], ones: u64, op: fn(u8) -> J) -> Simplified {
    // For each source: the bits of the truth table for which the source is zero, and their distance
    // from the bits for which the source is one.
    for (source, (zeros, far)) in from.iter().zip([(0x0f, 4), (0x33, 2), (0x55, 1)]) {
        match *source {
            Operand::Literal(0) => table = table & zeros | (table & zeros) << far,
            Operand::Literal(all) if all == ones => {
                table = table & !zeros | (table & !zeros) >> far;
            }
            _ => {}
        }
    }
    match table {
        0 => Simplified::Operand(Operand::Literal(0)),
        0xff => Simplified::Operand(Operand::Literal(ones)),
        0xf0 => Simplified::Operand(from[0]),
        0xcc => Simplified::Operand(from[1]),
        0xaa => Simplified::Operand(from[2]),
        table => Simplified::Computation(Computation::Compute(op(table))),
    }
}

impl Recorder {
    /// A recorder for compiled code. `known` has the values of sources that are constants.
    pub(crate) fn new(known: [Option<u64>; 4]) -> Self {
        Self { known, ..Self::default() }
    }

    /// A recorder for the interpreter.
    pub(crate) fn literal() -> Self {
        Self { literal: true, ..Self::default() }
    }

    /// Ends the recording with the result of the operation.
    pub(crate) fn end<const BITS: u32>(&self, value: Term<'_, BITS>) {
        self.is_number.set(value.known().is_some());
        let mut steps = self.steps.borrow_mut();
        let last = Operand::Step(steps.len().wrapping_sub(1) as u8);
        // The register of a step that can be skipped cannot be the instruction's destination.
        let skipped = steps.last().is_some_and(|s| s.computation == Computation::SelectInto);
        if steps.is_empty() || value.0 != last || skipped {
            let zero = Operand::Literal(0);
            steps.push(Step {
                computation: Computation::Compute(if BITS == 64 { J::CopyWide } else { J::Copy }),
                evaluate: (copy(BITS), Constants::NONE),
                bits: BITS,
                from: [value.0, zero, zero],
            });
        }
    }

    /// The recorded steps.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps.into_inner()
    }
}

impl From<J> for Computation {
    fn from(op: J) -> Self {
        Self::Compute(op)
    }
}

impl From<Test> for Computation {
    fn from(test: Test) -> Self {
        Self::Compare(test)
    }
}
