//! texunit's own report format, described by `schemas/report.schema.json`.

use crate::event::{Allocation, Api, Finding, Kernel, Running};
use crate::reader::Record;
use crate::run::Run;
use serde::Serialize;
use serde_json::{Value, json};
use texunit_report::fidelity_json;
use texunit_report::place::function_name;

pub(super) fn report(run: &Run) -> Value {
    let kernels = run.kernels();
    let sum = |of: fn(&Kernel) -> u64| kernels.iter().map(of).fold(0, u64::saturating_add);
    let all = || run.records.iter().flat_map(|r| r.findings.values().map(move |f| (r, f)));
    let faults = all().filter(|(_, f)| f.check.is_none()).map(|(r, f)| finding(r, f));
    let findings = all().filter(|(_, f)| f.check.is_some()).map(|(r, f)| checked(r, f));
    let running = run.records.iter().flat_map(|r| r.running.values().map(|l| launch(r, l)));
    let total = |of: fn(&Record) -> u64| run.records.iter().map(of).fold(0, u64::saturating_add);
    json!({
        "texunit": run.texunit,
        "run": {
            "command": run.command,
            "exit_code": run.exit_code,
            "signal": run.signal,
            "timed_out_after_seconds": run.timed_out,
            "not_executed": run.not_executed,
            "evidence_lost": run.lost.as_ref().map(ToString::to_string),
            "schedule": run.schedule,
            "milliseconds": run.milliseconds.map(rounded),
            "cpu_milliseconds": run.cpu_milliseconds.map(rounded),
        },
        "devices": run.devices(),
        "launches": sum(|k| k.launches),
        "milliseconds": total_time(kernels.iter().map(|k| k.milliseconds)),
        "cpu_milliseconds": total_time(kernels.iter().map(|k| k.cpu_milliseconds)),
        "thread_instructions": sum(|k| k.thread_instructions),
        "fetches": sum(|k| k.fetches),
        "surface_accesses": sum(|k| k.surface_accesses),
        "accesses": run.accesses(&kernels),
        "accesses_past_end": sum(|k| k.accesses_past_end),
        "kernels": kernels.iter().map(kernel).collect::<Vec<_>>(),
        "fidelity": fidelity_json(run.instructions()),
        "faults": faults.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
        "more_faults": total(|r| r.totals.more_findings),
        "more_findings": total(|r| r.totals.more_checked.total()),
        "running": running.collect::<Vec<_>>(),
        "api_errors": run.records.iter().flat_map(api_errors).collect::<Vec<_>>(),
        "more_api_errors": total(|r| r.totals.more_api),
        "allocations": run.records.iter().flat_map(allocations).collect::<Vec<_>>(),
        "libraries": run.records.iter().flat_map(libraries).collect::<Vec<_>>(),
        "processes": run.records.iter().map(|r| process(run, r)).collect::<Vec<_>>(),
    })
}

fn rounded(milliseconds: f64) -> f64 {
    (milliseconds * 1e3).round() / 1e3
}

/// The sum of times; unlike `sum`, it is not -0.0 for an empty list.
fn total_time(milliseconds: impl Iterator<Item = f64>) -> f64 {
    rounded(milliseconds.fold(0.0, |sum, time| sum + time))
}

/// The fields of an event as JSON, without the fields `gone`, and with the fields `others`.
fn with(event: &impl Serialize, gone: &[&str], others: Value) -> Value {
    let mut value = json!(event);
    if let (Value::Object(fields), Value::Object(others)) = (&mut value, others) {
        fields.retain(|name, _| !gone.contains(&&**name));
        fields.extend(others);
    }
    value
}

fn kernel(k: &Kernel) -> Value {
    let fmad = json!({ "fused": k.fused_sums, "undecided": k.undecided_sums });
    let others = json!({ "function": function_name(&k.name), "place": k.place, "fmad": fmad });
    with(k, &["launched_by", "fused_sums", "undecided_sums"], others)
}

fn finding(of: &Record, f: &Finding) -> Value {
    json!({
        "kind": f.kind,
        "level": f.severity.name(),
        "message": f.message,
        "help": f.help,
        "notes": f.notes,
        "code": f.code,
        "count": f.count.max(1),
        "process": of.process.pid,
        "kernel": f.kernel,
        "function": function_name(&f.kernel),
        "launch": f.launch,
        "block": f.block,
        "thread": f.thread,
        "file": f.place.as_ref().map(|place| place.file()),
        "line": f.place.as_ref().map(|place| place.line()),
        "column": f.place.as_ref().map(|place| place.column()),
        "place": f.place,
    })
}

/// A check's finding.
fn checked(of: &Record, f: &Finding) -> Value {
    let mut value = finding(of, f);
    value["check"] = json!(f.check);
    value["severity"] = json!(f.severity.name());
    value["places"] = json!(f.places);
    value["object"] = json!(f.object);
    value["related"] = json!(f.related);
    value
}

fn launch(of: &Record, l: &Running) -> Value {
    let (process, function) = (of.process.pid, function_name(&l.kernel));
    let others = json!({
        "process": process, "function": function, "place": l.place, "blocks_ended": l.ctas,
    });
    with(l, &["ctas"], others)
}

fn api_errors(of: &Record) -> impl Iterator<Item = Value> {
    let more = |api: &Api| json!({ "process": of.process.pid, "count": api.count.max(1) });
    of.api.values().map(move |api| with(api, &[], more(api)))
}

fn allocations(of: &Record) -> impl Iterator<Item = Value> {
    let more = |a: &Allocation| json!({ "process": of.process.pid, "backtrace": a.backtrace });
    of.allocations.iter().map(move |allocation| with(allocation, &[], more(allocation)))
}

fn libraries(of: &Record) -> impl Iterator<Item = Value> {
    of.libraries.iter().map(|library| with(library, &[], json!({ "process": of.process.pid })))
}

fn process(run: &Run, r: &Record) -> Value {
    let sum = |of: fn(&Kernel) -> f64| total_time(r.kernels.values().map(of));
    json!({
        "pid": r.process.pid,
        "parent": r.process.parent,
        "command": r.process.command,
        "devices": r.devices,
        "started": r.process.started,
        "has_ended": r.totals.has_ended,
        "launches": r.kernels.values().map(|k| k.launches).fold(0, u64::saturating_add),
        "milliseconds": sum(|k| k.milliseconds),
        "cpu_milliseconds": r.totals.has_ended.then_some(r.totals.cpu_milliseconds),
        "faults": run.failures_of(r),
    })
}
