//! Faults as JSON: one object for each fault.

use super::{Host, fault_diagnostic};
use crate::place::{CodeLocation, function_name};
use serde_json::{Value, json};
use texunit_simt::{Fault, FaultKind};
use texunit_syntax::{SourceFile, Span};

/// A fault as JSON, including the fields of its kind (docs/jobs.md); `source` is the module's text.
/// Addresses and handles are strings, because JSON numbers do not hold 64 bits.
pub fn fault_json(fault: &Fault, source: Option<&SourceFile>, host: Host) -> Value {
    let (line, column) = place(fault.span, source);
    let text = source.map(|s| s.line(s.location(fault.span.start).line).trim().to_owned());
    let calls = fault.calls.iter().map(|(function, span)| {
        let (line, column) = place(*span, source);
        json!({ "function": function, "name": function_name(function), "line": line, "column": column })
    });
    let mut value = json!({
        "kind": fault.kind.name(),
        "message": fault.kind.to_string(),
        "kernel": fault.kernel,
        "function": function_name(&fault.kernel),
        "cta": fault.cta,
        "thread": fault.thread,
        "file": source.map(SourceFile::name),
        "line": line,
        "column": column,
        "text": text,
        "calls": calls.collect::<Vec<_>>(),
        "frames": source.map(|text| CodeLocation::of_fault(fault, text).frames),
        "help": fault_diagnostic(fault, host).help,
    });
    if !fault.launched_by.is_empty() {
        let launched_by = fault.launched_by.iter().map(|caller| {
            let (line, column) = place(caller.span, source);
            json!({
                "kernel": caller.kernel, "function": function_name(&caller.kernel), "cta": caller.cta,
                "thread": caller.thread, "line": line, "column": column,
                "frames": source.map(|text| CodeLocation::new(&fault.sources, text, caller.span).frames),
            })
        });
        value["launched_by"] = launched_by.collect();
    }
    if let (Value::Object(object), Value::Object(details)) = (&mut value, details(&fault.kind)) {
        object.extend(details);
    }
    value
}

/// Line and column of a position; null without a text.
fn place(span: Span, source: Option<&SourceFile>) -> (Value, Value) {
    match source.map(|s| s.location(span.start)) {
        Some(at) => (json!(at.line), json!(at.column)),
        None => (Value::Null, Value::Null),
    }
}

fn details(kind: &FaultKind) -> Value {
    let hex = |v: u64| format!("{v:#x}");
    match kind {
        FaultKind::OutOfBounds { access, space, address, size, nearest, unnoticed } => json!({
            "access": access, "space": space.name(), "address": hex(*address), "size": size,
            "resource": &**nearest, "allocation": nearest.allocation, "unnoticed": unnoticed,
        }),
        FaultKind::Freed { memory, .. } | FaultKind::Unreachable { memory, .. } => {
            json!({ "resource": &**memory, "allocation": memory.allocation })
        }
        FaultKind::Misaligned { access, space, address, size, resource } => json!({
            "access": access, "space": space.name(), "address": hex(*address), "size": size,
            "resource": resource.as_deref(), "allocation": kind.allocation(),
        }),
        FaultKind::ReadOnly { space, address, resource } => json!({
            "space": space.name(), "address": hex(*address),
            "resource": resource.as_deref(), "allocation": kind.allocation(),
        }),
        FaultKind::Handle { handle, wanted, .. } => {
            json!({ "handle": hex(*handle), "wanted": wanted })
        }
        FaultKind::StepLimit { limit } | FaultKind::StackOverflow { limit } => {
            json!({ "limit": limit })
        }
        _ => json!({}),
    }
}
