//! What an operation is in compiled code and in the interpreter: steps that are found by evaluating its row for
//! [`Term`]s.

use crate::lane::{Function, Given, copy};
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

/// A primitive over the lanes of a warp, with what is known of it.
pub(crate) type Evaluate = (Function, Given);

/// A step of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// What it computes in compiled code.
    pub(crate) does: Does,
    /// How the interpreter evaluates it.
    pub(crate) evaluate: Evaluate,
    /// Bits of what it gives: 32, 64, or 1 of a predicate.
    pub(crate) bits: u32,
    /// Of what; those that the operation lacks are the number 0.
    pub(crate) from: [Operand; 3],
}

/// The steps of a row. The last one gives its value.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    steps: RefCell<Vec<Step>>,
    /// Sources that are numbers.
    known: [Option<u64>; 4],
    /// Whether steps stay as the row has them: the interpreter evaluates them by their primitives.
    literal: bool,
    /// Whether it gives a number.
    is_number: Cell<bool>,
}

/// A value of so many bits in compiled code; 1 of a predicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term<'r, const BITS: u32>(Operand, Option<&'r Recorder>);

/// A value of any width.
pub(crate) type AnyTerm<'r> = (Operand, Option<&'r Recorder>);

impl<'r, const BITS: u32> Term<'r, BITS> {
    /// A source of the instruction.
    pub(crate) fn source(recorder: &'r Recorder, place: u8) -> Self {
        match recorder.known.get(usize::from(place)).copied().flatten() {
            Some(number) => Self::number(number & (u64::MAX >> (64 - BITS))),
            None => Self(Operand::Source(place), Some(recorder)),
        }
    }

    /// The number that it is, if that is known.
    pub(crate) fn known(self) -> Option<u64> {
        match self.0 {
            Operand::Literal(number) => Some(number),
            _ => None,
        }
    }

    /// A number.
    pub(crate) fn number(bits: u64) -> Self {
        Self(Operand::Literal(bits), None)
    }

    pub(crate) fn any(self) -> AnyTerm<'r> {
        (self.0, self.1)
    }

    /// A step of these, not all of them numbers.
    pub(crate) fn of(does: Does, evaluate: Evaluate, terms: &[AnyTerm<'r>]) -> Self {
        let (operand, recorder) = step(BITS, does, evaluate, terms);
        Self(operand, recorder)
    }
}

/// Notes a step that gives so many bits.
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

/// What a step with numbers among its sources is.
enum Simpler {
    /// What one of its sources is, or a number.
    Is(Operand),
    /// Another one of the same sources, or the same.
    Does(Does),
}

/// Steps that numbers make simpler. `ones`: a value with all bits set.
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

/// Bits by a table, of which sources that are all zeros or all ones are no part.
fn bits(mut table: u8, from: &[Operand; 3], ones: u64, op: fn(u8) -> J) -> Simpler {
    // Entries where the source has a zero, and how far from them is the same with a one.
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

/// Numbers as those of sources are kept.
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
    /// One for compiled code of a row of which some sources are numbers.
    pub(crate) fn new(known: [Option<u64>; 4]) -> Self {
        Self { known, ..Self::default() }
    }

    /// One for the interpreter.
    pub(crate) fn literal() -> Self {
        Self { literal: true, ..Self::default() }
    }

    /// What the row gives.
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

    /// Whether it is a number that the row gives, whatever sources have.
    pub(crate) fn gives_number(&self) -> bool {
        self.is_number.get()
    }

    /// The steps.
    pub(crate) fn steps(self) -> Vec<Step> {
        self.steps.into_inner()
    }
}

/// The operation of compiled code that a primitive is.
pub(crate) trait Compiles {
    fn does(self) -> Does;
}

impl Compiles for J {
    fn does(self) -> Does {
        Does::Compute(self)
    }
}

/// The primitive [`Does::Select`].
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
