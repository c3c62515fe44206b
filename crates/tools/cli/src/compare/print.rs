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
    crate::out::stderr_text(&errors, false)?;
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
                for Difference { index, operands, reference, card } in first {
                    writeln!(out, "  #{index} {operands}\n    reference {reference}")?;
                    writeln!(out, "    card      {card}")?;
                }
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
    let of_rule = |(rule, tally): (&String, &Tally)| with(object!(tally), "rule", object!(rule));
    let asked = |a: &Workload| with(object!(a), "estimated_seconds", object!(a.seconds()));
    object!({
        "succeeded": c.succeeded() && c.no_card.is_none(),
        "card": c.card,
        "cases": c.compared,
        "rules": by_rule(&c.compared).iter().map(of_rule).collect::<Vec<_>>(),
        "recorded": c.recorded.as_ref().map(|(path, count)| object!({
            "file": path.display().to_string(),
            "cases": count,
        })),
        "asked": c.asked.as_ref().map(asked),
        "seconds": c.seconds,
        "errors": c.errors.iter().chain(&c.no_card).collect::<Vec<_>>(),
    })
}

/// Adds a member to an object.
pub(super) fn with(mut object: Value, name: &str, member: Value) -> Value {
    object[name] = member;
    object
}

/// Describes the work of `--all`, and the expected time.
pub(super) fn workload_text(a: &Workload) -> String {
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
