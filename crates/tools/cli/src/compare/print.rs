//! Formats the comparison as text and as JSON.

use super::{Comparison, Workload};
use serde_json::{Value, json as object};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use texunit_forms::Count;
use texunit_gpu::compare::{Compared, Difference, Outcome, Tally, by_rule, cuda_version};

/// Maximum number of differing cases shown.
const MAX_SHOWN: usize = 50;
/// Maximum number of reasons shown.
const MAX_REASONS: usize = 20;

/// Prints the comparison: results on standard output, errors on standard error.
pub fn print(comparison: &Comparison) -> std::io::Result<()> {
    let mut errors = String::new();
    for error in comparison.errors.iter().chain(&comparison.no_card) {
        errors += &format!("error: {}\n", texunit_report::visible(error));
    }
    if comparison.no_card.is_some() {
        errors += "  = help: `texunit compare` needs a real NVIDIA GPU; everything else runs without one\n";
    }
    let printed = crate::out::print(&human(comparison));
    crate::out::tell_text(&errors, false)?;
    printed
}

/// The comparison as text: differences, skipped cases with reasons, and a table by rule.
pub fn human(comparison: &Comparison) -> String {
    let mut out = String::new();
    // The result is ignored, because writing to a `String` cannot fail.
    let _ = write_human(&mut out, comparison);
    out
}

fn write_human(out: &mut String, c: &Comparison) -> std::fmt::Result {
    if let Some(card) = &c.card {
        let (major, minor) = card.capability;
        let cuda = cuda_version(card.driver_version);
        writeln!(out, "{}, sm_{major}{minor}, driver for CUDA {cuda}\n", card.name)?;
    }
    let mut shown = 0;
    for case in &c.compared {
        match &case.outcome {
            Outcome::Differs { count, differing, first } if shown < MAX_SHOWN => {
                shown += 1;
                writeln!(out, "{} {}: {differing} of {count} differ", case.file, case.name)?;
                first.iter().try_for_each(|d| write_difference(out, d))?;
            }
            Outcome::Failed { reason } => {
                writeln!(out, "{} {}: failed: {reason}", case.file, case.name)?;
            }
            _ => {}
        }
    }
    let skipped = skipped(&c.compared);
    for (reason, count) in skipped.iter().take(MAX_REASONS) {
        writeln!(out, "skipped {count}: {reason}")?;
    }
    let others = &skipped[skipped.len().min(MAX_REASONS)..];
    if !others.is_empty() {
        let cases: usize = others.iter().map(|(_, count)| count).sum();
        writeln!(out, "skipped {cases}: {} other reasons, which JSON has", others.len())?;
    }
    if !c.compared.is_empty() {
        writeln!(
            out,
            "\n{:<12} {:>7} {:>10} {:>10} {:>8}",
            "rule", "cases", "answers", "differ", "skipped"
        )?;
        let mut all = Tally::default();
        c.compared.iter().for_each(|case| all.add(&case.outcome));
        for (rule, tally) in by_rule(&c.compared) {
            write_tally(out, &rule, &tally)?;
        }
        write_tally(out, "all", &all)?;
    }
    if let Some(seconds) = c.seconds {
        writeln!(out, "\n{seconds:.1} seconds")?;
    }
    if let Some((path, count)) = &c.recorded {
        writeln!(out, "\nrecorded {} in {}", Count(count, "case"), path.display())?;
    }
    Ok(())
}

fn write_tally(out: &mut String, name: &str, t: &Tally) -> std::fmt::Result {
    let Tally { cases, count, differing, skipped, .. } = t;
    writeln!(out, "{name:<12} {cases:>7} {count:>10} {differing:>10} {skipped:>8}")
}

fn write_difference(out: &mut String, d: &Difference) -> std::fmt::Result {
    writeln!(out, "  #{} {}", d.index, d.operands)?;
    writeln!(out, "    reference {}", d.reference)?;
    writeln!(out, "    card      {}", d.card)
}

/// Reasons with the number of their cases, the most frequent first.
fn skipped(compared: &[Compared]) -> Vec<(&str, usize)> {
    let mut reasons = BTreeMap::<&str, usize>::new();
    for case in compared {
        if let Outcome::Skipped { reason } = &case.outcome {
            *reasons.entry(reason.as_str()).or_default() += 1;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    reasons
}

/// The comparison as one JSON object.
pub fn json(c: &Comparison) -> Value {
    object!({
        "succeeded": c.succeeded() && c.no_card.is_none(),
        "card": c.card.as_ref().map(|card| object!({
            "name": card.name,
            "compute_capability": [card.capability.0, card.capability.1],
            "driver_version": card.driver_version,
        })),
        "cases": c.compared.iter().map(case).collect::<Vec<_>>(),
        "rules": by_rule(&c.compared).iter().map(|(rule, t)| object!({
            "rule": rule,
            "cases": t.cases,
            "answers": t.count,
            "differing": t.differing,
            "skipped": t.skipped,
            "failed": t.failed,
        })).collect::<Vec<_>>(),
        "recorded": c.recorded.as_ref().map(|(path, count)| object!({
            "file": path.display().to_string(),
            "cases": count,
        })),
        "asked": c.asked.as_ref().map(|a| object!({
            "units": a.units,
            "cases": a.cases,
            "random": a.random,
            "fetches": a.fetches,
            "accesses": a.accesses,
            "jobs": a.jobs,
            "faults": a.faults,
            "kernels": a.kernels,
            "workers": a.workers,
            "estimated_seconds": a.seconds(),
        })),
        "seconds": c.seconds,
        "errors": c.errors.iter().chain(&c.no_card).collect::<Vec<_>>(),
    })
}

/// Describes the work of `--all`, and the expected time.
pub(super) fn asked(a: &Workload) -> String {
    format!(
        "{}, {} random ones: {}, {}; {}; {}; \
         {}\n\
         estimated time on a card: {:.0} s",
        Count(a.cases, "case"),
        a.random,
        Count(a.fetches, "fetch"),
        Count(a.accesses, "surface access"),
        Count(a.jobs, "job"),
        Count(a.faults, "fault"),
        Count(a.workers, "process"),
        a.seconds()
    )
}

/// A case or a job as one JSON object.
pub(super) fn case(c: &Compared) -> Value {
    let mut value = object!({ "file": c.file, "name": c.name, "rules": c.rules });
    let rest = match &c.outcome {
        Outcome::Equal { count } => object!({ "outcome": "equal", "answers": count }),
        Outcome::Differs { count, differing, first } => object!({
            "outcome": "differs",
            "answers": count,
            "differing": differing,
            "first": first.iter().map(|d| object!({
                "index": d.index,
                "operands": d.operands,
                "reference": d.reference,
                "card": d.card,
            })).collect::<Vec<_>>(),
        }),
        Outcome::Skipped { reason } => object!({ "outcome": "skipped", "reason": reason }),
        Outcome::Failed { reason } => object!({ "outcome": "failed", "reason": reason }),
    };
    if let (Some(value), Value::Object(rest)) = (value.as_object_mut(), rest) {
        value.extend(rest);
    }
    value
}

/// Parses the output of [`case`].
pub(super) fn case_from_json(value: &Value) -> Option<Compared> {
    let text = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let count = |key: &str| value[key].as_u64().map(|n| n as usize);
    let difference = |value: &Value| {
        Some(Difference {
            index: value["index"].as_u64()? as usize,
            operands: text(value, "operands")?,
            reference: text(value, "reference")?,
            card: text(value, "card")?,
        })
    };
    let outcome = match value["outcome"].as_str()? {
        "equal" => Outcome::Equal { count: count("answers")? },
        "differs" => Outcome::Differs {
            count: count("answers")?,
            differing: count("differing")?,
            first: value["first"].as_array()?.iter().map(difference).collect::<Option<_>>()?,
        },
        "skipped" => Outcome::Skipped { reason: text(value, "reason")? },
        "failed" => Outcome::Failed { reason: text(value, "reason")? },
        _ => return None,
    };
    let rules = value["rules"].as_array()?.iter().map(|rule| rule.as_str().map(str::to_owned));
    let (file, name) = (text(value, "file")?, text(value, "name")?);
    Some(Compared { file, name, rules: rules.collect::<Option<_>>()?, outcome })
}
