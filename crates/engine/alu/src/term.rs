//! Records the steps of an operation by evaluating its expression on [`Term`]s. A step has an
//! operation of compiled code and a function for the interpreter.

use crate::lane::{Function, Given, copy};
use std::cell::{Cell, RefCell};
use texunit_jit::{Op as J, Test};

/// The computation of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    /// An operation of compiled code.
    Compute(J),
    /// A comparison of compiled code.
    Compare(Test),
    /// The first operand if the second, a predicate, is true, else the third.
    Select,
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

/// The function of a primitive over the lanes of a warp, and its constants.
pub(crate) type Evaluate = (Function, Given);

/// A step of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The computation in compiled code.
    pub(crate) does: Does,
    /// The function and its constants for the interpreter.
    pub(crate) evaluate: Evaluate,
    /// The width of the value: 32 or 64 bits, or 1 for a predicate.
    pub(crate) bits: u32,
    /// The operands; those that the computation does not read are the constant 0.
    pub(crate) from: [Operand; 3],
}

/// Records the steps of an operation. The last step computes the result.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    steps: RefCell<Vec<Step>>,
    /// Sources that are constants.
    known: [Option<u64>; 4],
    /// Whether steps are recorded without simplification, as the interpreter needs them.
    literal: bool,
    /// Whether the result is a constant.
    is_number: Cell<bool>,
}

/// A value of `BITS` bits during recording; `BITS` is 1 for a predicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term<'r, const BITS: u32>(Operand, Option<&'r Recorder>);

/// A value of any width during recording.
pub(crate) type AnyTerm<'r> = (Operand, Option<&'r Recorder>);

impl<'r, const BITS: u32> Term<'r, BITS> {
    /// A source of the instruction.
    pub(crate) fn source(recorder: &'r Recorder, place: u8) -> Self {
        match recorder.known.get(usize::from(place)).copied().flatten() {
            Some(number) => Self::number(number & (u64::MAX >> (64 - BITS))),
            None => Self(Operand::Source(place), Some(recorder)),
        }
    }

    /// The value of a constant; `None` for other terms.
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

    /// Records a step with these operands, at least one of which is not a constant.
    pub(crate) fn of(does: Does, evaluate: Evaluate, terms: &[AnyTerm<'r>]) -> Self {
        let (operand, recorder) = step(BITS, does, evaluate, terms);
        Self(operand, recorder)
    }
}

/// Records a step whose value has `bits` bits.
fn step<'r>(bits: u32, does: Does, evaluate: Evaluate, terms: &[AnyTerm<'r>]) -> AnyTerm<'r> {
    let mut from = [Operand::Literal(0); 3];
    from.iter_mut().zip(terms).for_each(|(to, term)| *to = term.0);
    let Some(recorder) = terms.iter().find_map(|term| term.1) else {
        return (Operand::Literal(0), None);
    };
    let does = match simpler(does, &from, u64::MAX >> (64 - bits)) {
        _ if recorder.literal => does,
        Simpler::Does(does) => does,
        Simpler::Is(operand @ Operand::Literal(_)) => return (operand, None),
        Simpler::Is(operand) => return (operand, Some(recorder)),
    };
    let mut steps = recorder.steps.borrow_mut();
    steps.push(Step { does, evaluate, bits, from });
    (Operand::Step((steps.len() - 1) as u8), Some(recorder))
}

/// The simplified form of a step with constants among its operands.
enum Simpler {
    /// One of the operands, or a constant.
    Is(Operand),
    /// A computation of the same operands.
    Does(Does),
}

/// Simplifies a step whose operands include constants. `ones` is a value with all bits set.
fn simpler(does: Does, from: &[Operand; 3], ones: u64) -> Simpler {
    let zero = Operand::Literal(0);
    match does {
        Does::Compute(J::Bits(table)) => bits(table, from, ones, J::Bits),
        Does::Compute(J::BitsWide(table)) => bits(table, from, ones, J::BitsWide),
        Does::Compute(
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
        ) if from[1] == zero => Simpler::Is(from[0]),
        Does::Select => match from[1] {
            Operand::Literal(0) => Simpler::Is(from[2]),
            Operand::Literal(_) => Simpler::Is(from[0]),
            _ => Simpler::Does(does),
        },
        _ => Simpler::Does(does),
    }
}

/// Simplifies a Boolean function by removing operands that are all zeros or all ones from its truth
/// table.
fn bits(mut table: u8, from: &[Operand; 3], ones: u64, op: fn(u8) -> J) -> Simpler {
    // For each source, the entries of the table where its bit is zero, and the distance from them
    // to the entries where it is one.
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
        0 => Simpler::Is(Operand::Literal(0)),
        0xff => Simpler::Is(Operand::Literal(ones)),
        0xf0 => Simpler::Is(from[0]),
        0xcc => Simpler::Is(from[1]),
        0xaa => Simpler::Is(from[2]),
        table => Simpler::Does(Does::Compute(op(table))),
    }
}

/// Conversion between numbers of a lane and the 64 bits of a constant.
pub(crate) trait Scalar: Copy {
    fn of(bits: u64) -> Self;
    fn bits(self) -> u64;
}

impl Scalar for u32 {
    fn of(bits: u64) -> Self {
        bits as u32
    }
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Scalar for u64 {
    fn of(bits: u64) -> Self {
        bits
    }
    fn bits(self) -> u64 {
        self
    }
}

impl Scalar for bool {
    fn of(bits: u64) -> Self {
        bits != 0
    }
    fn bits(self) -> u64 {
        self.into()
    }
}

impl Recorder {
    /// A recorder for compiled code, where some sources are constants.
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
        if steps.is_empty() || value.0 != last {
            let zero = Operand::Literal(0);
            steps.push(Step {
                does: Does::Compute(if BITS == 64 { J::CopyWide } else { J::Copy }),
                evaluate: (copy(BITS), Given::NONE),
                bits: BITS,
                from: [value.0, zero, zero],
            });
        }
    }

    /// Whether the result is a constant, whatever the sources are.
    pub(crate) fn gives_number(&self) -> bool {
        self.is_number.get()
    }

    /// The recorded steps.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps.into_inner()
    }
}

/// The computation of compiled code that a primitive has.
pub(crate) trait Compiles {
    fn does(self) -> Does;
}

impl Compiles for J {
    fn does(self) -> Does {
        Does::Compute(self)
    }
}

/// The primitive of [`Does::Select`].
pub(crate) struct Select;

impl Compiles for Select {
    fn does(self) -> Does {
        Does::Select
    }
}

impl Compiles for Test {
    fn does(self) -> Does {
        Does::Compare(self)
    }
}
