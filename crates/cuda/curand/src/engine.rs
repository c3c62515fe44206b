//! Engines: generate the numbers of an array from the states of many generators, in the order that
//! cuRAND specifies.
//!
//! The states of a pseudorandom generator take turns. In a turn a state yields one number, or as
//! many as a device function yields at once: two normal numbers, four of Philox, eight of MT19937,
//! 256 of MTGP32. A call continues where the previous one ended. With a quasirandom generator each
//! dimension fills a contiguous part of the array.

mod recipe;

pub(crate) use recipe::{Recipe, Type};

use crate::directions;
use crate::distribution::{self as of, Draw};
use crate::poisson::{FEW, MANY, poisson_between, poisson_few};
use crate::source::Source;
use crate::source::twister::Twister;
use bytemuck::{Pod, cast_slice_mut};

/// Requested distribution. `Normal` has mean and standard deviation, and whether the result is
/// log-normal (the exponential of the normal number); `Poisson` has lambda.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Distribution {
    Bits,
    Wide,
    Uniform,
    UniformDouble,
    Normal([f32; 2], bool),
    NormalDouble([f64; 2], bool),
    Poisson(f64),
}

impl Distribution {
    /// Size of a number in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bits | Self::Uniform | Self::Normal(..) | Self::Poisson(_) => 4,
            Self::Wide | Self::UniformDouble | Self::NormalDouble(..) => 8,
        }
    }

    /// Whether pseudorandom generators produce numbers of this distribution in pairs.
    pub(crate) fn is_in_pairs(self) -> bool {
        matches!(self, Self::Normal(..) | Self::NormalDouble(..))
    }
}

/// Generates numbers; each call continues the sequence.
pub(crate) trait Engine: Send {
    /// Fills an array.
    fn fill(&mut self, wanted: Distribution, to: &mut [u8]);
}

/// A generator state, and the second normal number of a generated pair, if it has not been used
/// yet.
struct State<S> {
    source: S,
    left: Option<f64>,
}

/// Generator states that take turns to fill an array.
struct Turns<S> {
    states: Vec<State<S>>,
    /// Index of the state whose turn it is, and the number of draws that this state has made in its
    /// turn.
    next: usize,
    used: usize,
    /// Draws per turn.
    together: usize,
}

/// Scales a standard normal number to this mean and standard deviation; with `is_log` returns its
/// exponential, a log-normal number.
fn moved(number: f32, [mean, deviation]: [f32; 2], is_log: bool) -> f32 {
    let x = deviation.mul_add(number, mean);
    if is_log { f64::from(x).exp() as f32 } else { x }
}

/// As [`moved`], in double precision.
fn moved_double(number: f64, [mean, deviation]: [f64; 2], is_log: bool) -> f64 {
    let x = deviation.mul_add(number, mean);
    if is_log { x.exp() } else { x }
}

impl<S: Source> Turns<S> {
    /// Generator states from which the first `offset` numbers of the sequence have been drawn.
    fn new(sources: impl Iterator<Item = S>, together: usize, offset: u64) -> Self {
        let states: Vec<_> = sources.map(|source| State { source, left: None }).collect();
        let (turn, used) = (offset / together as u64, (offset % together as u64) as usize);
        let next = (turn % states.len() as u64) as usize;
        Self { states, next, used, together }
    }

    /// Fills an array from the states in turn, `N` numbers for each draw.
    fn each<T: Pod, const N: usize>(
        &mut self,
        to: &mut [u8],
        draws: usize,
        give: impl Fn(&mut State<S>) -> [T; N],
    ) {
        for part in cast_slice_mut::<_, T>(to).chunks_mut(N) {
            part.copy_from_slice(&give(&mut self.states[self.next])[..part.len()]);
            self.used += draws;
            if self.used >= self.together {
                self.used = 0;
                self.next = if self.next + 1 == self.states.len() { 0 } else { self.next + 1 };
            }
        }
    }
}

impl<S: Source + Send> Engine for Turns<S> {
    fn fill(&mut self, wanted: Distribution, to: &mut [u8]) {
        match wanted {
            Distribution::Bits => self.each(to, 1, |state| [state.source.bits()]),
            Distribution::Wide => self.each(to, 2, |state| {
                let [low, high] = [state.source.bits(), state.source.bits()];
                [u64::from(low) | u64::from(high) << 32]
            }),
            Distribution::Uniform => self.each(to, 1, |state| [state.source.uniform()]),
            Distribution::UniformDouble => {
                self.each(to, 2, |state| [state.source.uniform_double()])
            }
            Distribution::Normal(by, is_log) => {
                self.each(to, 2, |state| state.source.normals().map(|x| moved(x, by, is_log)));
            }
            Distribution::NormalDouble(by, is_log) => self.each(to, 4, |state| {
                state.source.normals_double().map(|x| moved_double(x, by, is_log))
            }),
            // A turn ends after a fixed count of Poisson numbers, each of which may take several
            // draws.
            Distribution::Poisson(lambda) => self.each(to, 1, |state| [state.poisson(lambda)]),
        }
    }
}

impl<S: Source> State<S> {
    /// `curand_poisson`
    fn poisson(&mut self, lambda: f64) -> u32 {
        if lambda < FEW {
            return poisson_few(&mut self.source, lambda);
        }
        if lambda <= MANY {
            return poisson_between(&mut self.source, lambda);
        }
        let normal = self.left.take().unwrap_or_else(|| {
            let [first, second] = self.source.normals_double();
            self.left = Some(second);
            first
        });
        of::poisson_of_normal(lambda, normal)
    }
}

/// Fills an array with one number for each draw.
fn fill_of<D: Draw>(wanted: Distribution, to: &mut [u8], mut draws: impl FnMut() -> D) {
    fn each<T: Pod>(to: &mut [u8], mut make: impl FnMut() -> T) {
        cast_slice_mut::<_, T>(to).iter_mut().for_each(|number| *number = make());
    }
    match wanted {
        Distribution::Bits => each(to, || draws().upper()),
        Distribution::Wide => each(to, draws),
        Distribution::Uniform => each(to, || of::uniform(draws().upper())),
        Distribution::UniformDouble => each(to, || draws().uniform_double()),
        Distribution::Normal(by, is_log) => {
            each(to, || moved(of::normal(draws().upper()), by, is_log));
        }
        Distribution::NormalDouble(by, is_log) => {
            each(to, || moved_double(draws().normal_double(), by, is_log));
        }
        Distribution::Poisson(lambda) => each(to, || draws().poisson(lambda)),
    }
}

/// Mersenne Twisters, each of which yields `TOGETHER` numbers in its turn.
struct Twisters<S, const TOGETHER: usize> {
    states: Vec<S>,
    /// Function that appends the next state; a state is created when its first turn comes.
    more: fn(&mut Vec<S>),
    count: usize,
    next: usize,
    /// Numbers generated in the last turn, and how many of them have been used.
    turn: [u32; TOGETHER],
    used: usize,
    give: fn(&mut S) -> [u32; TOGETHER],
}

impl<S: Send, const TOGETHER: usize> Engine for Twisters<S, TOGETHER> {
    fn fill(&mut self, wanted: Distribution, to: &mut [u8]) {
        fill_of(wanted, to, || {
            if self.used == TOGETHER {
                if self.states.len() == self.next {
                    (self.more)(&mut self.states);
                }
                self.turn = (self.give)(&mut self.states[self.next]);
                self.used = 0;
                self.next = (self.next + 1) % self.count;
            }
            self.used += 1;
            self.turn[self.used - 1]
        });
    }
}

/// A sequence of MT19937: its initial state, from which the next sequence is reached by a jump, and
/// its current state.
struct Sequence {
    first: Twister,
    now: Twister,
}

/// Sobol sequences of several dimensions.
struct Sequences<D, const BITS: usize> {
    dimensions: Vec<([D; BITS], D)>,
    index: u64,
}

impl<D: Draw, const BITS: usize> Engine for Sequences<D, BITS> {
    fn fill(&mut self, wanted: Distribution, to: &mut [u8]) {
        // The length of the array is a multiple of the number of dimensions.
        let count = to.len() / wanted.size() / self.dimensions.len();
        if count == 0 {
            return;
        }
        let parts = to.chunks_mut(count * wanted.size());
        for (part, (vectors, constant)) in parts.zip(&self.dimensions) {
            let mut index = self.index;
            let mut next = directions::at(vectors, *constant, index);
            fill_of(wanted, part, || {
                let number = next;
                next = directions::after(vectors, next, index);
                index = index.wrapping_add(1);
                number
            });
        }
        self.index = self.index.wrapping_add(count as u64);
    }
}
