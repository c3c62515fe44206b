//! The implementations of fetches on which test cases run, and the values in which their results
//! differ from the expected ones.

use crate::fetch::{Answer, BuiltFetch};
use std::fmt;
use texunit_unit::{PlanError, SimdLevel};

/// An implementation of fetches. Surface accesses have a single implementation, which stands for
/// every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The reference sampler, which computes fetches one by one.
    Reference,
    /// The planned path for a SIMD level.
    Plan(SimdLevel),
}

impl Engine {
    /// The planned path at every SIMD level that this machine supports.
    pub fn plans() -> impl Iterator<Item = Self> {
        let levels = SimdLevel::ALL.iter().copied().filter(|&level| level <= SimdLevel::detected());
        levels.map(Self::Plan)
    }

    /// Runs the fetches of a case.
    ///
    /// # Errors
    /// The unit refuses the fetch.
    pub fn run(self, fetch: &BuiltFetch) -> Result<Vec<Answer>, PlanError> {
        match self {
            Engine::Reference => fetch.reference(),
            Engine::Plan(level) => fetch.planned_at(level),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Engine::Reference => f.write_str("reference"),
            Engine::Plan(level) => write!(f, "plan-{level}"),
        }
    }
}

/// A fetch or access with values that differ from the expected ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Index of the access in the case, from 0; `None` if the whole case differs.
    pub number: Option<usize>,
    /// Number of values of the fetch or access that differ on at least one engine.
    pub values: usize,
    /// The expected result, as text.
    pub wanted: String,
    /// The actual results as text, each with the engines that returned it.
    pub got: Vec<(String, Vec<Engine>)>,
}

impl Wrong {
    pub(crate) fn new(number: Option<usize>, values: usize, wanted: impl Into<String>) -> Self {
        Self { number, values, wanted: wanted.into(), got: Vec::new() }
    }

    pub(crate) fn got(mut self, engines: &[Engine], text: impl Into<String>) -> Self {
        let text = text.into();
        match self.got.iter_mut().find(|(got, _)| *got == text) {
            Some((_, all)) => all.extend(engines),
            None => self.got.push((text, engines.to_vec())),
        }
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (got, engines)) in self.got.iter().enumerate() {
            write!(f, "{}got {got}", if n == 0 { "" } else { ", " })?;
            if !engines.is_empty() {
                let names: Vec<_> = engines.iter().map(Engine::to_string).collect();
                write!(f, " ({})", names.join(", "))?;
            }
        }
        write!(f, ", wanted {}", self.wanted)
    }
}
