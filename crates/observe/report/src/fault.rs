//! Faults of a running kernel, converted to diagnostics of its source and to JSON.

mod host;

pub use host::Host;

use crate::place::{CodeLocation, function_name};
use serde_json::{Value, json};
use std::sync::LazyLock;
use texunit_forms::Count;
use texunit_simt::runtime::Caller;
use texunit_simt::{Fault, FaultKind, SpaceKind};
use texunit_syntax::codes::{Code, read};
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// The codes of faults ([`FaultKind::name`]), with titles and explanations, from faults.txt.
pub static FAULTS: LazyLock<Vec<Code>> = LazyLock::new(|| read(include_str!("faults.txt")));

/// The code for a library that cannot run, independently of any kernel.
pub const LIBRARY: &Code = &Code {
    code: "library",
    title: "library that cannot run",
    explanation: "NVIDIA's CUDA runtime is linked into the library, and its symbols were stripped (cuFFT, cuBLAS, cuSOLVER and so on are built so). That runtime works on NVIDIA's driver alone, and texunit's cannot take its place. The library is named at its first call, which fails like all that follow; what it should have computed is not there, also where the program does not look at the answer. A library that is loaded and not called is not named.",
};

/// The code for a memory pool in which a Python package makes its arrays.
pub const POOL: &Code = &Code {
    code: "memory-pool",
    title: "memory of a pool",
    explanation: "CuPy and PyTorch keep memory in pools: an allocation is a block that has arrays in it, rounded up to 512 bytes or more, and stays when they are gone. An access one past the end of an array, or of an array that is gone, is one inside of an allocation then, and no fault. `texunit run --check memory` (or `all`) turns the pools off; `cupy.cuda.set_allocator(None)` and PYTORCH_NO_CUDA_MEMORY_CACHING=1 do so without it.",
};

/// Describes a thread in messages, with its kernel and CTA.
pub fn who(kernel: &str, [cx, cy, cz]: [u32; 3], [tx, ty, tz]: [u32; 3]) -> String {
    let kernel = function_name(kernel);
    format!("kernel `{kernel}`, CTA ({cx}, {cy}, {cz}), thread ({tx}, {ty}, {tz})")
}

/// Describes the thread that launched a grid.
pub fn who_called(caller: &Caller) -> String {
    who(&caller.kernel, caller.cta, caller.thread)
}

/// Converts a fault to a diagnostic. Its code is [`FaultKind::name`], its primary position the
/// instruction, its label the thread, and its secondary positions are the calls that led there. The
/// advice depends on the host.
pub fn fault_diagnostic(fault: &Fault, host: Host) -> Diagnostic {
    let who = who(&fault.kernel, fault.cta, fault.thread);
    let mut diagnostic =
        Diagnostic::error(fault.kind.name(), fault.span, fault.kind.to_string()).label(who);
    // Innermost call first, as in code locations.
    let mut calls = fault.calls.iter().rev().peekable();
    while let Some(call @ (function, place)) = calls.next() {
        // Repeated calls of a recursion are combined.
        let mut times = 1;
        while calls.next_if(|next| *next == call).is_some() {
            times += 1;
        }
        let name = function_name(function);
        let text = match times {
            // The engine drops the middle of a long call chain.
            1 if function.ends_with(" more calls") => format!("and {function}"),
            1 => format!("`{name}` is called here"),
            _ => format!("`{name}` is called here {} in a row", Count(times, "time")),
        };
        diagnostic = diagnostic.note(*place, text);
    }
    for caller in &fault.launched_by {
        let text = format!("this grid is launched here by {}", who_called(caller));
        diagnostic = diagnostic.note(caller.span, text);
        for (function, place) in caller.calls.iter().rev() {
            let name = function_name(function);
            diagnostic = diagnostic.note(*place, format!("`{name}` is called here"));
        }
    }
    let advice = match &fault.kind {
        FaultKind::OutOfBounds { space: SpaceKind::Local | SpaceKind::Shared, .. }
            if !fault.launched_by.is_empty() =>
        {
            host.advice("of-parent")
        }
        kind => host.help(kind),
    };
    advice.into_iter().fold(diagnostic, Diagnostic::help)
}

/// A diagnostic for a fetch or access whose handle refers to no matching texture or surface, but
/// which got a result ([`texunit_simt::BadFetches`]). `fault` is the fault that another setting
/// would have reported.
pub fn bad_fetch_diagnostic(fault: &Fault, host: Host) -> Diagnostic {
    let mut diagnostic = fault_diagnostic(fault, host);
    diagnostic.code = "texture-bad-fetch";
    host.of_card(&fault.kind).into_iter().fold(diagnostic, Diagnostic::remark)
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_simt::BadHandle;
    use texunit_unit::Geometry;

    fn fault(kind: FaultKind) -> Fault {
        Fault {
            kind,
            kernel: "k".into(),
            cta: [1, 2, 3],
            thread: [4, 5, 6],
            span: Span::new(1, 20),
            calls: vec![("f".into(), Span::new(22, 29))],
            launched_by: Vec::new(),
            sources: Default::default(),
            stats: texunit_simt::LaunchStats::default(),
        }
    }

    #[test]
    fn every_fault_is_explained() {
        let explained: Vec<&str> = FAULTS.iter().map(|row| row.code).collect();
        let mut names = FaultKind::NAMES.to_vec();
        names.sort_unstable();
        assert_eq!(explained, names);
    }

    #[test]
    fn helps_where_the_message_cannot() {
        let space = SpaceKind::Global;
        let outside = |address, unnoticed| FaultKind::OutOfBounds {
            access: "load",
            space,
            address,
            size: 4,
            nearest: String::new().into(),
            unnoticed,
        };
        let handle = |why: &str| {
            let is =
                if why.contains("destroyed") { BadHandle::Destroyed } else { BadHandle::Unknown };
            FaultKind::Handle { handle: 1, wanted: "texture", is, why: why.to_owned() }
        };
        assert!(Host::Job.help(&outside(12, false)).is_some_and(|h| h.contains("null")));
        assert_eq!(Host::Job.help(&outside(0x7000_0000_0000, false)), None);
        let passes = |host: Host| host.help(&outside(0x7000_0000_0000, true)).unwrap_or_default();
        let in_environment = "`--bounds hardware` (TEXUNIT_BOUNDS=hardware) lets";
        for (host, option, words) in [
            (Host::Job, "`--bounds hardware` lets", "[textures.NAME]"),
            (Host::Program, in_environment, "cuTexRefSetArray"),
            (Host::Python, "`bounds=\"hardware\"` lets", "module.bind"),
        ] {
            assert!(passes(host).contains(option));
            let bound = host.help(&handle("texref `t` is not bound"));
            assert!(bound.is_some_and(|h| h.contains(words)));
            let unknown = host.help(&handle("the handle is zero"));
            assert!(unknown.is_some_and(|h| h.contains("parameters")));
        }
        let destroyed = Host::Job.help(&handle("it was destroyed"));
        assert!(destroyed.is_some_and(|h| h.contains("the next object")));
    }

    #[test]
    fn what_a_card_makes_of_bad_fetches() {
        let handle =
            |handle, wanted, is| FaultKind::Handle { handle, wanted, is, why: "no".into() };
        for (kind, does) in [
            (FaultKind::Floats { resource: "texture `t`".into() }, "a fetch or load gives 0"),
            (host::tests::geometry(Geometry::D1, Geometry::D3, true), "a fetch or load gives 0"),
            (handle(0, "texture", BadHandle::Unknown), "a fetch or load gives 0"),
            (handle(1 << 63 | 5, "surface", BadHandle::Unknown), "a fetch or load gives 0"),
            (handle(5, "texture", BadHandle::Unknown), "the lower half"),
            (handle(5, "sampler", BadHandle::Unknown), "that of the texture"),
            (handle(1 << 63, "texture", BadHandle::Surface), "fetches from the surface"),
        ] {
            let diagnostic = bad_fetch_diagnostic(&fault(kind), Host::Python);
            let [remark] = &diagnostic.remarks[..] else { panic!("{diagnostic:?}") };
            assert!(remark.contains(does) && remark.contains("`bad_fetch=\"fault\"`"), "{remark}");
            assert!(diagnostic.help.is_some() && diagnostic.code == "texture-bad-fetch");
        }
        let gone = fault(handle(1 << 61 | 5, "texture", BadHandle::Destroyed));
        assert!(bad_fetch_diagnostic(&gone, Host::Job).remarks.is_empty());
    }
}
