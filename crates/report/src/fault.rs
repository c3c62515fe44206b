//! Faults of a running kernel, rendered as diagnostics of its source.

use texunit_simt::{Fault, FaultKind};
use texunit_syntax::Diagnostic;

/// A fault as a diagnostic: the code is [`FaultKind::name`], the primary place the instruction,
/// the label who executed it, and the secondary places the calls that led there.
pub fn fault_diagnostic(fault: &Fault) -> Diagnostic {
    let ([cx, cy, cz], [tx, ty, tz]) = (fault.cta, fault.thread);
    let kernel = &fault.kernel;
    let who = format!("kernel `{kernel}`, CTA ({cx}, {cy}, {cz}), thread ({tx}, {ty}, {tz})");
    let mut diagnostic =
        Diagnostic::error(fault.kind.name(), fault.span, fault.kind.to_string()).label(who);
    for (function, call) in &fault.calls {
        diagnostic = diagnostic.note(*call, format!("`{function}` is called here"));
    }
    match help(&fault.kind) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// What to do about it, where that is more than the message says.
fn help(kind: &FaultKind) -> Option<&'static str> {
    Some(match kind {
        FaultKind::StepLimit { .. } => {
            "if the kernel is only long, raise the limit (`--max-steps N`)"
        }
        FaultKind::Deadlock { .. } => {
            "every thread of the CTA that has not exited must reach the same barrier, and every \
             lane of a membermask the same instruction"
        }
        FaultKind::Misaligned { .. } => {
            "PTX addresses must be multiples of the access size, for vectors of the whole vector"
        }
        FaultKind::ReadOnly { .. } => "constant memory and kernel parameters cannot be written",
        FaultKind::StackOverflow { .. } => "a recursion that does not end, or large local arrays",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_syntax::{SourceFile, Span};

    #[test]
    fn names_everything() {
        let source = SourceFile::new("k.ptx", "\tld.u32 %r1, [%rd1];\n\tcall f;\n");
        let fault = Fault {
            kind: FaultKind::Misaligned {
                access: "load",
                space: texunit_simt::SpaceKind::Global,
                address: 0x1001,
                size: 4,
            },
            kernel: "k".into(),
            cta: [1, 2, 3],
            thread: [4, 5, 6],
            span: Span::new(1, 20),
            calls: vec![("f".into(), Span::new(22, 29))],
            stats: texunit_simt::LaunchStats::default(),
        };
        let text = crate::human(&source, &[fault_diagnostic(&fault)], false);
        for part in [
            "error[misaligned]: load of 4 bytes at .global address 0x1001, which is not a multiple",
            "k.ptx:1:2",
            "kernel `k`, CTA (1, 2, 3), thread (4, 5, 6)",
            "`f` is called here",
            "help: PTX addresses must be multiples",
        ] {
            assert!(text.contains(part), "no {part:?} in:\n{text}");
        }
    }
}
