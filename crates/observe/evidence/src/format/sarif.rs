//! SARIF 2.1.0, for viewers and code scanning: each finding is a result.

use super::{outcome, paragraph, repository_file, was_running};
use crate::event::Finding;
use crate::run::Run;
use serde_json::{Value, json};
use texunit_report::place::{Frame, PtxPlace, Via, function_name};
use texunit_report::sarif::{location, relate, uri, with_message};
use texunit_report::{FAULTS, LIBRARY, POOL, Severity, check_rule, fidelity_json, fidelity_totals};

pub(super) fn document(run: &Run) -> Value {
    let findings = || run.records.iter().flat_map(|record| record.findings.values());
    let mut rules: Vec<&str> = findings().map(|finding| &*finding.kind).collect();
    rules.sort_unstable();
    rules.dedup();
    let results: Vec<Value> = findings().map(|finding| result(finding, &rules)).collect();
    let mut document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "columnKind": "utf16CodeUnits",
            "tool": { "driver": {
                "name": "texunit",
                "semanticVersion": run.texunit,
                "informationUri": env!("CARGO_PKG_REPOSITORY"),
                "rules": rules.iter().map(|id| rule(id)).collect::<Vec<_>>(),
            } },
            "invocations": [invocation(run)],
            "results": results,
        }],
    });
    let unsure: Vec<_> = run.instructions().filter(|row| row.class != "specified").collect();
    if !unsure.is_empty() {
        document["runs"][0]["properties"] = json!({
            "fidelity": fidelity_json(unsure.into_iter()),
            "fidelitySummary": fidelity_totals(run.instructions()),
        });
    }
    document
}

fn rule(id: &str) -> Value {
    let check = check_rule(id);
    let level = check.map_or_else(Severity::default, |rule| rule.severity).name();
    let fault = FAULTS.iter().chain([LIBRARY, POOL]).find(|fault| fault.code == id);
    match fault.or(check.map(|rule| rule.text())) {
        Some(fault) => json!({
            "id": id,
            "defaultConfiguration": { "level": level },
            "shortDescription": { "text": fault.title },
            "fullDescription": { "text": fault.explanation },
            "help": { "text": fault.explanation },
        }),
        None => json!({ "id": id }),
    }
}

fn invocation(run: &Run) -> Value {
    let mut invocation = json!({
        "executionSuccessful":
            run.exit_code.unwrap_or(0) == 0 && run.failures() == 0 && outcome(run).is_empty(),
    });
    if !run.command.is_empty() {
        invocation["commandLine"] = json!(run.command.join(" "));
        invocation["arguments"] = json!(run.command[1..]);
    }
    if let Some(code) = run.exit_code {
        invocation["exitCode"] = json!(code);
    }
    if let Some(signal) = run.signal {
        invocation["exitSignalNumber"] = json!(signal);
    }
    let running = run.records.iter().flat_map(|record| record.running.values());
    let notes: Vec<Value> = outcome(run)
        .into_iter()
        .chain(running.map(was_running))
        .map(|text| json!({ "level": "error", "message": { "text": text } }))
        .collect();
    if !notes.is_empty() {
        invocation["toolExecutionNotifications"] = json!(notes);
    }
    invocation
}

fn result(finding: &Finding, rules: &[&str]) -> Value {
    let mut result = json!({
        "ruleId": finding.kind,
        "ruleIndex": rules.binary_search(&&*finding.kind).unwrap_or(0),
        "level": finding.severity.name(),
        "message": { "text": paragraph(finding) },
        "occurrenceCount": finding.count.max(1),
    });
    let Some(place) = &finding.place else { return result };
    // Prefers a position outside CUDA's headers.
    let leading = place.source();
    let first = leading.map_or_else(|| ptx(&place.ptx), source);
    let frames =
        place.frames.iter().filter(|frame| !leading.is_some_and(|l| std::ptr::eq(l, *frame)));
    result["locations"] = json!([first]);
    let frames = frames.map(|frame| {
        let called = if frame.via == Via::Called { "called here" } else { "inlined here" };
        with_message(source(frame), called)
    });
    let mut related: Vec<Value> = frames.collect();
    if !place.frames.is_empty() {
        related.push(with_message(ptx(&place.ptx), "the instruction"));
    }
    let calls = place.calls.iter();
    related.extend(calls.map(|call| with_message(ptx(call), "called here in the PTX")));
    for other in &finding.related {
        let place = &other.place;
        let first = place.source().map_or_else(|| ptx(&place.ptx), source);
        related.push(with_message(first, &other.text));
        if !place.frames.is_empty() {
            related.push(with_message(ptx(&place.ptx), "the instruction"));
        }
    }
    relate(&mut result, related);
    result
}

fn source(frame: &Frame) -> Value {
    let Frame { file, line, column, text, function, .. } = frame;
    place((file, *line, *column), text.as_deref(), function.as_deref())
}

fn ptx(at: &PtxPlace) -> Value {
    place((&at.file, at.line, Some(at.column)), Some(&at.text), at.function.as_deref())
}

fn place(
    (file, line, column): (&str, u32, Option<u32>),
    text: Option<&str>,
    function: Option<&str>,
) -> Value {
    let mut region = json!({ "startLine": line.max(1) });
    if let Some(column) = column {
        region["startColumn"] = json!(utf16(text, column));
    }
    if let Some(text) = text {
        region["snippet"] = json!({ "text": text });
    }
    location(&uri(repository_file(file)), &region, function.map(function_name).as_deref())
}

/// Converts a column in bytes to UTF-16 code units.
fn utf16(text: Option<&str>, column: u32) -> usize {
    let bytes = (column as usize).saturating_sub(1);
    match text.and_then(|text| text.get(..bytes)) {
        Some(before) => before.encode_utf16().count() + 1,
        None => bytes + 1,
    }
}
