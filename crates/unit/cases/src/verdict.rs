//! Comparison of a case's results with the expected ones, value by value.
//!
//! A value is an expected register, a digit of `resident`, the bytes that an access loads, the
//! fault that it must raise, or the bytes of the surface that it stores to. An expected error
//! counts as one value, and so do the bytes of a surface that no access stores to.

use crate::engine::{Engine, Wrong};
use crate::fetch::{BuiltFetch, Expected, ExpectedValue};
use crate::file::{Access, Built, Case};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

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
                    let of = |v: &ExpectedValue| v.components + u8::from(v.resident.is_some());
                    values.iter().map(|value| usize::from(of(value))).sum()
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
                Ok(surface.wrong(&surface.run().map_err(|e| e.to_string())?))
            }
        }
    }
}

/// Runs a case that is expected to fail, and returns its error.
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
        answers.push((engine, engine.run(fetch).map_err(|e| format!("{e} ({engine})"))?));
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
        let wanted = text(expected, &expected.values, expected.resident);
        let mut one = Wrong::new(Some(n), values, wanted);
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
