//! Comparison of a case's results with the expected ones, value by value.
//!
//! A value is an expected register, a digit of `resident`, the bytes that an access loads, the
//! fault that it must raise, or the bytes of the surface that it stores to. An expected refusal is
//! one value, and so is the part of a surface that no access stores to.

use crate::fetch::{Answer, BuiltFetch, Expected, ExpectedValue};
use crate::file::{Access, Built, Case};
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
        let levels = SimdLevel::ALL.into_iter().filter(|&level| level <= SimdLevel::detected());
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

/// The comparison of a case's results with the expected ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Number of values that the case expects.
    pub values: usize,
    /// The fetches or accesses that have wrong values.
    pub wrong: Vec<Wrong>,
}

impl Verdict {
    /// Number of values that differ on at least one engine.
    pub fn differing(&self) -> usize {
        self.wrong.iter().map(|wrong| wrong.values).sum()
    }
}

/// A fetch or access with values that differ from the expected ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Index of the access in the case, from 0; `None` if the whole case differs.
    pub number: Option<usize>,
    /// Number of its values that differ on at least one engine.
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

impl Case {
    /// Runs the case on some engines. If a case with expected values is refused, or panics, all of
    /// its values differ.
    pub fn verdict(&self, engines: &[Engine]) -> Verdict {
        let values = self.values();
        if values == 0 {
            return Verdict::default();
        }
        let all = |why: String| vec![Wrong::new(None, values, "values").got(&[], why)];
        let wrong = catch_unwind(AssertUnwindSafe(|| self.wrong(engines)))
            .unwrap_or_else(|_| Err("a panic".to_owned()))
            .unwrap_or_else(all);
        Verdict { values, wrong }
    }

    /// The text that the error message must contain, if the case expects an error.
    fn refusal(&self) -> Option<&str> {
        match &self.access {
            Access::Fetch(fetch) => match &fetch.expected {
                Expected::Error(message) => Some(message),
                _ => None,
            },
            Access::Surface(surface) => surface.error.as_deref(),
        }
    }

    /// Number of values that the case expects.
    fn values(&self) -> usize {
        match &self.access {
            _ if self.refusal().is_some() => 1,
            Access::Fetch(fetch) => match &fetch.expected {
                Expected::Values(values) => {
                    let of = |v: &ExpectedValue| {
                        usize::from(v.components) + usize::from(v.resident.is_some())
                    };
                    values.iter().map(of).sum()
                }
                _ => 0,
            },
            Access::Surface(surface) => surface.values(),
        }
    }

    /// The fetches or accesses with wrong values. An error says why the case could not be run, so
    /// that nothing can be compared.
    fn wrong(&self, engines: &[Engine]) -> Result<Vec<Wrong>, String> {
        let built = self.build().map_err(|e| e.to_string());
        if let Some(message) = self.refusal() {
            let mut wrong = Wrong::new(None, 1, format!("a refusal with `{message}`"));
            for &engine in engines {
                match built.as_ref().map_err(String::clone).and_then(|built| made(built, engine)) {
                    Ok(()) => wrong = wrong.got(&[engine], "none"),
                    Err(e) if e.contains(message) => {}
                    Err(e) => wrong = wrong.got(&[engine], format!("`{e}`")),
                }
            }
            return Ok(if wrong.got.is_empty() { Vec::new() } else { vec![wrong] });
        }
        match built? {
            Built::Fetch(fetch) => fetch_wrong(&fetch, engines),
            Built::Surface(surface) => {
                let run = surface.run().map_err(|e| e.to_string())?;
                Ok(surface.wrong(&run))
            }
        }
    }
}

/// Runs a case that is expected to fail, for its error.
fn made(built: &Built, engine: Engine) -> Result<(), String> {
    match built {
        Built::Fetch(fetch) => engine.run(fetch).map(|_| ()).map_err(|e| e.to_string()),
        Built::Surface(surface) => surface.run().map(|_| ()).map_err(|e| e.to_string()),
    }
}

fn fetch_wrong(fetch: &BuiltFetch, engines: &[Engine]) -> Result<Vec<Wrong>, String> {
    let Expected::Values(expected) = &fetch.expected else { return Ok(Vec::new()) };
    let mut answers = Vec::with_capacity(engines.len());
    for &engine in engines {
        let all = engine.run(fetch).map_err(|e| format!("{e} ({engine})"))?;
        answers.push((engine, all));
    }
    let mut wrong = Vec::new();
    for (n, expected) in expected.iter().enumerate() {
        let mut differing = [false; 5];
        for (_, all) in &answers {
            expected.differing(&all[n]).for_each(|value| differing[value] = true);
        }
        let values = differing.iter().filter(|d| **d).count();
        if values == 0 {
            continue;
        }
        let mut one =
            Wrong::new(Some(n), values, text(expected, &expected.values, expected.resident));
        for (engine, all) in answers.iter().filter(|(_, all)| !expected.agrees(&all[n])) {
            let resident = expected.resident.map(|_| all[n].resident);
            one = one.got(&[*engine], text(expected, &all[n].values, resident));
        }
        wrong.push(one);
    }
    Ok(wrong)
}

/// Formats a result for messages: the registers that the case states, and the predicate.
fn text(known: &ExpectedValue, words: &[u32; 4], resident: Option<bool>) -> String {
    let words: Vec<_> =
        words[..known.components.into()].iter().map(|w| format!("{w:08x}")).collect();
    let mut text = words.join(" ");
    if let Some(resident) = resident {
        let _ = write!(text, " resident {}", u8::from(resident));
    }
    text
}
