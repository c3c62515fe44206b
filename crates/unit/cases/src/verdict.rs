//! What a case's answers are beside those that it expects, value by value.
//!
//! A value is an expected word, a digit of `resident`, what an access loads, the fault that it must
//! raise, or the bytes of the surface that it stores to; an expected refusal is one, and so is the
//! part of a surface that no access stores to.

use crate::fetch::{Answer, BuiltFetch, Expected, ExpectedValue};
use crate::file::{Access, Built, Case};
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use texunit_unit::{PlanError, SimdLevel};

/// What answers fetches. Surface accesses have one implementation, which stands for every engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// `unit::reference`.
    Reference,
    /// The planned path for a SIMD level.
    Plan(SimdLevel),
}

impl Engine {
    /// The planned path at every SIMD level of this machine.
    pub fn plans() -> impl Iterator<Item = Self> {
        let levels = SimdLevel::ALL.into_iter().filter(|&level| level <= SimdLevel::detected());
        levels.map(Self::Plan)
    }

    /// The answers of a case's fetches.
    ///
    /// # Errors
    /// The unit has none.
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

/// How the answers of a case compare with what it expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Values that the case expects.
    pub values: usize,
    /// What differs.
    pub wrong: Vec<Wrong>,
}

impl Verdict {
    /// How many values differ, on one engine or several.
    pub fn differing(&self) -> usize {
        self.wrong.iter().map(|wrong| wrong.values).sum()
    }
}

/// A fetch or an access whose values are not those that the case expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Its number in the case, from 0; `None` if the whole case differs.
    pub number: Option<usize>,
    /// How many of its values differ, on one engine or several.
    pub values: usize,
    /// What it must return.
    pub wanted: String,
    /// What it did return, and on which engines.
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
    /// Runs the case on engines. A case that is refused where it expects values, or that panics,
    /// differs in all of them.
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

    /// The message that must be among those of a refusal.
    fn refusal(&self) -> Option<&str> {
        match &self.access {
            Access::Fetch(fetch) => match &fetch.expected {
                Expected::Error(message) => Some(message),
                _ => None,
            },
            Access::Surface(surface) => surface.error.as_deref(),
        }
    }

    /// How many values the case expects.
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

    /// What differs, or why there is nothing to compare.
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

/// Runs a case that must be refused.
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

/// The words and the predicate that a case knows.
fn text(known: &ExpectedValue, words: &[u32; 4], resident: Option<bool>) -> String {
    let words: Vec<_> =
        words[..known.components.into()].iter().map(|w| format!("{w:08x}")).collect();
    let mut text = words.join(" ");
    if let Some(resident) = resident {
        let _ = write!(text, " resident {}", u8::from(resident));
    }
    text
}
