//! `texunit explain CASE.toml#N`: explains a fetch or an access of a case file.

use super::args::ExplainFormat;
use super::{Failure, FormatExplanation, Output};
use serde_json::{Value, json};
use std::path::Path;
use texunit_cases::{
    Access, Addressed, Built, BuiltFetch, BuiltSurface, Case, CaseError, Expected, Fault,
    FetchCase, SurfaceCase, SurfaceOp,
};
use texunit_explain::{Explanation, KnownResult, Source, SurfaceExpected, SurfaceExplanation};
use texunit_forms::Count;

/// Explains `FILE#N`, `FILE#NAME` or `FILE#N:I`, or lists the cases of `FILE`.
pub(super) fn run(
    address: &str,
    fetch: Option<usize>,
    format: ExplainFormat,
) -> Result<Output, Failure> {
    if address.is_empty() || address.starts_with('#') {
        return Err(Failure::usage("a case is CASE.toml#N: a file, and a number or a name"));
    }
    if !address.contains('#') || Path::new(address).is_file() {
        if fetch.is_some() {
            return Err(Failure::usage(format!("which case? `{address}#1` is the first one")));
        }
        return list(address, format);
    }
    let Addressed { case, number, notes } = texunit_cases::load_address(address).map_err(input)?;
    crate::warn_deprecated(address, &notes);
    let number = fetch.or(number).unwrap_or(0);
    let (one, several) = words(&case);
    if number >= case.count() && case.count() > 0 {
        let there = match case.count() {
            1 => format!("the case has one {one}, number 0"),
            n => format!("the {several} of the case are numbered 0 to {}", n - 1),
        };
        return Err(Failure::input(format!("{address}: {there}, but no {one} {number}")));
    }
    let mut place = format!("`{}`, {one} {number} of {address}", case.name);
    if !case.rules.is_empty() {
        place += &format!(", for rules {}", case.rules.join(", "));
    }
    let built = match case.build() {
        Ok(built) => built,
        Err(error) => return refusal(&case, &error.to_string(), format),
    };
    match built {
        Built::Fetch(built) => fetch_case(&case, &built, number, place, format),
        Built::Surface(built) => surface_case(&case, &built, number, place, format),
    }
}

/// The names of a case's elements, singular and plural.
fn words(case: &Case) -> (&'static str, &'static str) {
    match case.access {
        Access::Fetch(_) => ("fetch", "fetches"),
        Access::Surface(_) => ("access", "accesses"),
    }
}

fn input(error: CaseError) -> Failure {
    Failure::input(error.to_string())
}

/// Lists the cases of a file.
fn list(path: &str, format: ExplainFormat) -> Result<Output, Failure> {
    let file = texunit_cases::load(path).map_err(input)?;
    crate::warn_deprecated(path, &file.notes);
    let instruction = |case: &Case| match &case.access {
        Access::Fetch(fetch) => fetch.form.to_string(),
        Access::Surface(surface) => surface.op.to_string(),
    };
    let text = match format {
        ExplainFormat::Text => {
            let mut text = format!("{path}: {}\n", Count(file.cases.len(), "case"));
            for (n, case) in file.cases.iter().enumerate() {
                let (number, accesses) = (n + 1, Count(case.count(), words(case).0));
                text += &format!("{number:4}  {}: {}, {accesses}\n", case.name, instruction(case));
            }
            text
        }
        ExplainFormat::Json => {
            let row = |(n, case): (usize, &Case)| {
                json!({
                    "number": n + 1,
                    "name": case.name,
                    "instruction": instruction(case),
                    "count": case.count(),
                    "rules": case.rules,
                })
            };
            let cases: Vec<Value> = file.cases.iter().enumerate().map(row).collect();
            format!("{:#}\n", json!({ "file": path, "cases": cases }))
        }
        ExplainFormat::Svg => {
            return Err(Failure::usage(format!(
                "a list of cases has no picture: name one case, `{path}#1`"
            )));
        }
    };
    Ok(Output { text, agrees: true })
}

/// The refusal of a case's texture, plan or fetch, which the case may expect.
fn refusal(case: &Case, message: &str, format: ExplainFormat) -> Result<Output, Failure> {
    let expected = match &case.access {
        Access::Fetch(FetchCase { expected: Expected::Error(part), .. }) => Some(part),
        Access::Surface(SurfaceCase { error, .. }) => error.as_ref(),
        Access::Fetch(_) => None,
    };
    match expected {
        Some(part) if message.contains(part.as_str()) => {
            let text = match format {
                ExplainFormat::Text => format!("refused, as the case expects: {message}\n"),
                ExplainFormat::Json => {
                    format!("{:#}\n", json!({ "refused": message, "agrees": true }))
                }
                ExplainFormat::Svg => {
                    return Err(Failure::input(format!("it cannot be drawn: {message}")));
                }
            };
            Ok(Output { text, agrees: true })
        }
        Some(part) => Err(Failure::input(format!("{message}; the case expects `{part}`"))),
        None => Err(Failure::input(message)),
    }
}

fn fetch_case(
    case: &Case,
    built: &BuiltFetch,
    number: usize,
    place: String,
    format: ExplainFormat,
) -> Result<Output, Failure> {
    // A case that expects an error may lack coordinates; any will do.
    let operands = built.operands.get(number).copied().unwrap_or_default();
    let explained = Explanation::new(built.form, &built.texture, &built.sampler, &operands);
    let mut explanation = match explained {
        Ok(explanation) => explanation,
        Err(error) => return refusal(case, &error.to_string(), format),
    };
    explanation.place = Some(place);
    if let Expected::Values(values) = &built.expected {
        explanation.known = values.get(number).map(|expected| {
            // Words without an expectation are shown as computed.
            let (known, mut values) =
                (usize::from(expected.components), explanation.trace.answer.values);
            values[..known].copy_from_slice(&expected.values[..known]);
            KnownResult { values, resident: expected.resident, from: Source::Case }
        });
    }
    let agrees = explanation.agrees() != Some(false) && !expects_error(case);
    Ok(Output { text: explanation.render(format), agrees })
}

fn expects_error(case: &Case) -> bool {
    match &case.access {
        Access::Fetch(fetch) => matches!(fetch.expected, Expected::Error(_)),
        Access::Surface(surface) => surface.error.is_some(),
    }
}

fn surface_case(
    case: &Case,
    built: &BuiltSurface,
    number: usize,
    place: String,
    format: ExplainFormat,
) -> Result<Output, Failure> {
    // Earlier accesses have changed the same surface.
    let before = built.accesses.get(..number).unwrap_or_default().to_vec();
    BuiltSurface { accesses: before, after: None, ..built.clone() }.run().map_err(input)?;
    let access = built.accesses.get(number);
    // An access of this size stands for several instructions, which the case uses in turn.
    let forms = match (built.op, access) {
        (SurfaceOp::Form(form), _) => vec![form],
        (op, access) => op.forms(access.and_then(|a| a.size)),
    };
    let Some(&form) = forms.get(number % forms.len().max(1)) else {
        return Err(Failure::input("the case has no access"));
    };
    let bytes = access.and_then(|a| a.bytes.clone());
    let elements = SurfaceExplanation::elements(form, bytes.as_deref().unwrap_or_default());
    let coords = access.map_or_else(Default::default, |a| a.coords);
    let mut explanation = match SurfaceExplanation::new(form, &built.surface, coords, elements) {
        Ok(explanation) => explanation,
        Err(error) => return refusal(case, &error.to_string(), format),
    };
    explanation.place = Some(place);
    let loads = matches!(form.kind, texunit_unit::SurfaceKind::Load { .. });
    explanation.expected = match (access.and_then(|a| a.fault), bytes) {
        (Some(Fault::Outside), _) => Some(SurfaceExpected::Outside),
        (Some(Fault::Misaligned), _) => Some(SurfaceExpected::Misaligned),
        (None, Some(bytes)) if loads => Some(SurfaceExpected::Loads(bytes)),
        (None, _) => None,
    };
    let agrees = explanation.agrees() != Some(false) && !expects_error(case);
    Ok(Output { text: explanation.render(format), agrees })
}
