//! How long the files and inputs must be that a function looks at.

use crate::block::{Action, Block, Place, Source};
use crate::{Error, Inputs, Registers};

/// Lengths that the files and inputs of a call must have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    narrow: usize,
    wide: usize,
    predicates: usize,
    constants: usize,
    wide_constants: usize,
    rows: usize,
    words: usize,
    bytes: usize,
}

impl Limits {
    /// Those of a block, whose numbers must be below `most`.
    pub(crate) fn of(block: &Block, most: u32) -> Result<Self, Error> {
        let mut limits = Self::default();
        let mut too_far = None;
        let mut place = |place: Place| {
            let (limit, number) = match place {
                Place::Narrow(i) => (&mut limits.narrow, i),
                Place::Wide(i) => (&mut limits.wide, i),
                Place::Predicate(i) => (&mut limits.predicates, i),
            };
            if number >= most {
                too_far = Some(place);
            }
            *limit = (*limit).max(number as usize + 1);
        };
        for step in &block.steps {
            step.each_read(&mut place);
            step.each_written(&mut place);
            step.guard.place().into_iter().for_each(&mut place);
        }
        if let Some(place) = too_far {
            return Err(Error::TooFar(place));
        }
        for step in &block.steps {
            match step.action {
                Action::Compute { op, from, .. } => {
                    for source in from.into_iter().take(op.sources()) {
                        limits.input(source, most)?;
                    }
                }
                Action::Compare { from, .. } => {
                    for source in from {
                        limits.input(source, most)?;
                    }
                }
                Action::Logic { .. } | Action::Nothing => {}
            }
        }
        Ok(limits)
    }

    fn input(&mut self, source: Source, most: u32) -> Result<(), Error> {
        let (limit, number, size) = match source {
            Source::Constant(i) => (&mut self.constants, i, 1),
            Source::WideConstant(i) => (&mut self.wide_constants, i, 1),
            Source::Row(i) => (&mut self.rows, i, 1),
            Source::Word(i) => (&mut self.words, i, 1),
            Source::Bytes32(i) => (&mut self.bytes, i, 4),
            Source::Bytes64(i) => (&mut self.bytes, i, 8),
            Source::FrameAt | Source::Lane => return Err(Error::InputTooFar(source)),
            Source::Narrow(_) | Source::Wide(_) | Source::Literal(_) => return Ok(()),
        };
        if number >= most {
            return Err(Error::InputTooFar(source));
        }
        *limit = (*limit).max(number as usize + size);
        Ok(())
    }

    /// Whether inputs are so long.
    pub(crate) fn hold(&self, inputs: &Inputs<'_>) -> bool {
        inputs.constants.len() >= self.constants
            && inputs.wide_constants.len() >= self.wide_constants
            && inputs.words.len() >= self.words
            && inputs.bytes.len() >= self.bytes
    }

    /// Whether the files of a warp are.
    pub(crate) fn hold_registers(&self, registers: &Registers<'_>) -> bool {
        registers.narrow.len() >= self.narrow
            && registers.wide.len() >= self.wide
            && registers.predicates.len() >= self.predicates
            && registers.rows.len() >= self.rows
    }
}
