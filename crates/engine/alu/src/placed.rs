//! The steps of an operation with registers assigned to their temporary values, as lowering puts
//! them into compiled code.

use crate::row::Row;
use crate::term::{Does, Operand, Step};
use texunit_jit::{Op as J, Place, Predicate, Source, Test};

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

/// The maximum number of temporaries that an operation may use. Operations that need more are
/// called as functions.
pub const MAX: Temporaries = Temporaries { narrow: 11, wide: 6, predicates: 3 };

/// A step of compiled code with its registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placed {
    /// Computes a register.
    Compute {
        /// The operation.
        op: J,
        /// The register that it writes.
        to: Place,
        /// Its source operands.
        from: [Source; 3],
    },
    /// Computes a predicate.
    Compare {
        /// The comparison.
        test: Test,
        /// The predicate that it writes.
        to: u32,
        /// Its source operands.
        from: [Source; 2],
    },
}

/// The steps of an operation. The destination of the last step is that of the instruction.
#[derive(Debug)]
pub struct Steps {
    /// All steps except the last.
    pub before: Vec<Placed>,
    /// The last step.
    pub last: Last,
}

/// The step that computes the result of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// An operation whose result is a register.
    Compute(J, [Source; 3]),
    /// A comparison whose result is a predicate.
    Compare(Test, [Source; 2]),
}

impl Row {
    /// The steps of the operation for these sources; `None` if compiled code calls the operation's
    /// function.
    pub fn placed(&self, sources: &[Source], free: Temporaries) -> Option<Steps> {
        let known = std::array::from_fn(|i| match sources.get(i) {
            Some(&Source::Literal(number)) => Some(number),
            _ => None,
        });
        let steps = self.compiled(known)?;
        let (last, before) = steps.split_last()?;
        let mut rooms = Rooms::new(&steps, free);
        let mut placed = Vec::with_capacity(before.len());
        for (i, step) in before.iter().enumerate() {
            let (op, from) = rooms.operands(step, sources)?;
            let to = rooms.take(i, step.bits)?;
            placed.push(match (op, to) {
                (Op::Compute(op), to) => Placed::Compute { op, to, from },
                (Op::Compare(test), Place::Predicate(to)) => {
                    Placed::Compare { test, to, from: [from[0], from[1]] }
                }
                (Op::Compare(_), _) => return None,
            });
        }
        let last = match rooms.operands(last, sources)? {
            (Op::Compute(op), from) => Last::Compute(op, from),
            (Op::Compare(test), [a, b, _]) => Last::Compare(test, [a, b]),
        };
        Some(Steps { before: placed, last })
    }
}

/// An operation or a comparison of compiled code.
enum Op {
    Compute(J),
    Compare(Test),
}

/// Register allocation for the values of steps.
struct Rooms {
    free: Temporaries,
    /// For each step, the register of its value, and the last step that reads it.
    of: Vec<(Option<Place>, usize)>,
    taken: Vec<Place>,
}

impl Rooms {
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

    /// Allocates a register for the value of a step. Registers that are not read after this step
    /// are freed first.
    fn take(&mut self, step: usize, bits: u32) -> Option<Place> {
        for (room, last) in &mut self.of {
            if *last <= step
                && let Some(ended) = room.take()
            {
                self.taken.retain(|room| *room != ended);
            }
        }
        let Temporaries { narrow, wide, predicates } = self.free;
        let room = |i: u32| match bits {
            1 => Place::Predicate(predicates + i),
            64 => Place::B64(wide + i),
            _ => Place::B32(narrow + i),
        };
        let most = match bits {
            1 => MAX.predicates,
            64 => MAX.wide,
            _ => MAX.narrow,
        };
        let room = (0..most).map(room).find(|room| !self.taken.contains(room))?;
        self.taken.push(room);
        self.of[step].0 = Some(room);
        Some(room)
    }

    fn source(&self, operand: Operand, sources: &[Source]) -> Option<Source> {
        Some(match operand {
            Operand::Source(i) => *sources.get(usize::from(i))?,
            Operand::Literal(number) => Source::Literal(number),
            Operand::Step(i) => match self.of[usize::from(i)].0? {
                Place::B32(i) => Source::B32(i),
                Place::B64(i) => Source::B64(i),
                Place::Predicate(_) => return None,
            },
        })
    }

    /// The operation and the operands of a step.
    fn operands(&self, step: &Step, sources: &[Source]) -> Option<(Op, [Source; 3])> {
        let zero = Source::Literal(0);
        let read = |operand| self.source(operand, sources);
        Some(match step.does {
            Does::Compute(op) => {
                let [a, b, c] = step.from;
                (Op::Compute(op), [read(a)?, read(b)?, read(c)?])
            }
            Does::Compare(test) => {
                (Op::Compare(test), [read(step.from[0])?, read(step.from[1])?, zero])
            }
            Does::Select => {
                let [a, Operand::Step(p), b] = step.from else { return None };
                let Place::Predicate(p) = self.of[usize::from(p)].0? else { return None };
                let p = Predicate::If(p);
                let op = if step.bits == 64 { J::SelectWide(p) } else { J::Select(p) };
                (Op::Compute(op), [read(a)?, read(b)?, zero])
            }
        })
    }
}
