//! Formats the report of a launch as one JSON object. docs/jobs.md describes its members.

use crate::checks::{self, Log};
use crate::launch_report::{Failure, Report};
use serde_json::{Value, json};
use texunit_device::GradientStats;
use texunit_job::{InText, Problem};
use texunit_report::{Host, Located, Object, fault_json, fidelity_json};
use texunit_syntax::{Diagnostic, Severity, Span};

/// Prints a report on one line.
pub fn print(report: &Value) -> std::io::Result<()> {
    let mut text = report.to_string();
    text.push('\n');
    crate::out::print_json(&text)
}

/// The report as a value.
pub fn render(report: &Report) -> Value {
    let seconds = |t: std::time::Duration| t.as_secs_f64();
    let stats = report.stats.as_ref();
    let outputs: Vec<_> = report
        .outputs
        .iter()
        .map(|o| json!({ "param": o.param, "path": o.path.display().to_string() }))
        .collect();
    let ptx = report.ptx_source.as_ref();
    let located = report.located();
    let errors: Vec<_> = report.failures.iter().map(|f| failure(f, report, located)).collect();
    let job = report.job_source.as_ref().map(Located::from);
    let note = |note: &Problem| diagnostic(&note.diagnostic(), job, json!(note.key));
    let mut warnings: Vec<_> = report.job_notes.iter().map(note).collect();
    warnings.extend(report.ptx_warnings.iter().map(|d| diagnostic(d, located, Value::Null)));
    warnings.extend(report.warnings.iter().map(|w| plain(Severity::Warning, None, w, None)));
    json!({
        "job": report.job,
        "succeeded": report.succeeded(),
        "kernel": report.kernel,
        "function": report.kernel.as_deref().map(texunit_report::place::function_name),
        "grid": report.grid,
        "block": report.block,
        "ctas": report.ctas.map(|ctas| [ctas.begin, ctas.end]),
        "times": {
            "load": seconds(report.times.load),
            "compile": seconds(report.times.compile),
            "launch": seconds(report.times.launch),
            "write": seconds(report.times.write),
        },
        "instructions": stats.map(|s| json!({
            "warp": s.warp_instructions,
            "thread": s.thread_instructions,
        })),
        "fetches": stats.map(|s| s.fetches),
        "surface_accesses": stats.map(|s| s.surface_accesses),
        "fmad": stats.map(|s| json!({ "fused": s.fusion.fused, "undecided": s.fusion.undecided })),
        "divisions_by_zero": stats.map(|s| s.divisions_by_zero),
        "accesses_past_end": stats.map(|s| s.past_end),
        "interpreted": stats.map(|_| crate::interpreted::json(report)),
        "fidelity": stats.map(|_| fidelity_json(report.instructions.iter())),
        "gradients": stats.and_then(|s| s.gradients.as_ref()).map(gradients),
        "outputs": outputs,
        "sets": report.sets.as_ref().map(|sets| json!({
            "path": sets.path.display().to_string(),
            "bytes": sets.bytes,
            "read": sets.read,
            "written": sets.written,
        })),
        "merged": report.merged.map(|merged| json!({
            "files": merged.files,
            "bytes": merged.bytes,
        })),
        "checked": report.checked,
        "explained": report.explained.as_ref().map(|e| e.json(located)),
        "effective": report.effective.as_ref().map(|lines| crate::effective::json(lines)),
        "printf": stats.map(|s| String::from_utf8_lossy(&s.printf)),
        "findings": report.log.as_ref().map(|log| checks::json(log, report.gen_suppressions)),
        "findings_suppressed": report.log.as_ref().map(Log::suppressed),
        "findings_not_shown": report.log.as_ref().map(checks::more),
        "fault": report.fault.as_ref().map(|f| fault_json(f, ptx, Host::Job)),
        "errors": errors,
        "warnings": warnings,
    })
}

fn gradients(GradientStats { engine, unit }: &GradientStats) -> Value {
    let reasons = unit.iter().map(|(why, n)| json!({ "reason": why, "fetches": n }));
    json!({ "txd": engine, "unit": reasons.collect::<Vec<_>>() })
}

fn failure(failure: &Failure, report: &Report, ptx: Option<Located<'_>>) -> Value {
    let job = report.job_source.as_ref().map(Located::from);
    match failure {
        Failure::Job(p) => diagnostic(&p.diagnostic(), job, json!(p.key)),
        Failure::Ptx(d) => diagnostic(d, ptx, Value::Null),
        Failure::File { path, message, help } => {
            plain(Severity::Error, Some(&path.display().to_string()), message, help.as_deref())
        }
    }
}

/// A diagnostic without code and position.
fn plain(severity: Severity, file: Option<&str>, message: &str, help: Option<&str>) -> Value {
    let mut value = diagnostic(&Diagnostic::error("", Span::default(), message), None, Value::Null);
    value["code"] = Value::Null;
    value["severity"] = json!(severity.name());
    value["file"] = json!(file);
    value["help"] = json!(help);
    value
}

/// A diagnostic with the job's key that it refers to.
fn diagnostic(d: &Diagnostic, source: Option<Located<'_>>, key: Value) -> Value {
    let mut value = json!(Object::new(source, d));
    value["key"] = key;
    value
}
