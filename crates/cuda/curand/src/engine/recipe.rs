//! The types of generators, and the engines of their numbers.

use super::*;
use crate::directions::VectorSet;
use crate::source::mrg::Mrg;
use crate::source::mtgp::{self, Mtgp};
use crate::source::philox::Philox;
use crate::source::xorwow::Xorwow;

/// A type of generators (`curandRngType_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Xorwow,
    Mrg,
    Mtgp,
    Twister,
    Philox,
    Sobol32(VectorSet),
    Sobol64(VectorSet),
}

impl Type {
    /// Whether the generator is quasirandom.
    pub(crate) fn is_quasi(self) -> bool {
        matches!(self, Self::Sobol32(_) | Self::Sobol64(_))
    }

    /// Number of states with the legacy or the default ordering.
    fn states(self, legacy: bool) -> usize {
        match self {
            Self::Mrg if !legacy => 81_920,
            Self::Mtgp if !legacy => 192,
            Self::Mtgp => 64,
            Self::Philox => 65_536,
            Self::Twister => 8192,
            _ => 4096,
        }
    }
}

/// Settings from which an engine is built.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    pub(crate) of: Type,
    pub(crate) seed: u64,
    pub(crate) offset: u64,
    /// `CURAND_ORDERING_PSEUDO_LEGACY`
    pub(crate) legacy: bool,
    /// `CURAND_ORDERING_PSEUDO_SEEDED`
    pub(crate) seeded: bool,
    /// Number of dimensions of a quasirandom generator.
    pub(crate) dimensions: usize,
}

impl Recipe {
    pub(crate) fn make(&self) -> Box<dyn Engine> {
        let Self { seed, offset, dimensions, .. } = *self;
        let count = self.of.states(self.legacy);
        match self.of {
            Type::Xorwow => self.turns(count, Xorwow::new, Xorwow::skip, Xorwow::next_sequence),
            Type::Mrg => self.turns(count, Mrg::new, Mrg::skip, Mrg::next_sequence),
            Type::Philox => {
                let together = 4;
                let state = |i: usize| {
                    let i = i as u64;
                    let (turn, count) = (offset / together, count as u64);
                    let turns = turn / count + u64::from(i < turn % count);
                    let part = if i == turn % count { offset % together } else { 0 };
                    Philox::new(seed, i, turns * together + part)
                };
                Box::new(Turns::new((0..count).map(state), together as usize, offset))
            }
            Type::Mtgp => Box::new(Twisters {
                states: Mtgp::all(count, seed),
                more: |_| {},
                count,
                next: 0,
                turn: [0; mtgp::TOGETHER],
                used: mtgp::TOGETHER,
                give: Mtgp::together,
            }),
            Type::Twister => {
                let first = Twister::new(seed);
                Box::new(Twisters {
                    states: vec![Sequence { now: first.clone(), first }],
                    more: |states| {
                        if let Some(last) = states.last() {
                            let first = last.first.next_sequence();
                            states.push(Sequence { now: first.clone(), first });
                        }
                    },
                    count,
                    next: 0,
                    turn: [0; 8],
                    used: 8,
                    give: |state: &mut Sequence| std::array::from_fn(|_| state.now.bits()),
                })
            }
            Type::Sobol32(set) => Box::new(Sequences {
                dimensions: directions::short(set, dimensions),
                index: offset,
            }),
            Type::Sobol64(set) => {
                Box::new(Sequences { dimensions: directions::wide(set, dimensions), index: offset })
            }
        }
    }

    /// States that take turns, after the numbers before the offset: sequences of one seed, or, with
    /// the seeded ordering, first sequences of many seeds.
    fn turns<S: Source + Send + 'static>(
        &self,
        count: usize,
        new: fn(u64) -> S,
        skip: fn(&mut S, u64),
        next: fn(&S) -> S,
    ) -> Box<dyn Engine> {
        let (turns, given) = (self.offset / count as u64, self.offset % count as u64);
        let first = |seed: u64| {
            let mut first = new(seed);
            skip(&mut first, turns);
            first
        };
        let mut states: Vec<S> = match self.seeded {
            true => (0..count as u64).map(|i| first(self.seed.wrapping_add(i))).collect(),
            false => {
                let states = std::iter::successors(Some(first(self.seed)), |last| Some(next(last)));
                states.take(count).collect()
            }
        };
        for state in &mut states[..given as usize] {
            state.bits();
        }
        Box::new(Turns::new(states.into_iter(), 1, self.offset))
    }
}
