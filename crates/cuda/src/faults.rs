//! What a kernel's fault is to the driver API, and how the user is told.

use crate::call::{say, write_error};
use texunit_cuda_abi::{CUresult, Refusal};
use texunit_device::{Fault, FaultKind, SourceFile};
use texunit_report::Host;

/// The code that ends the context.
pub(crate) fn code(kind: &FaultKind) -> CUresult {
    match kind {
        FaultKind::OutOfBounds { .. } | FaultKind::ReadOnly { .. } | FaultKind::Freed { .. } => {
            CUresult::ILLEGAL_ADDRESS
        }
        FaultKind::Misaligned { .. } => CUresult::MISALIGNED_ADDRESS,
        FaultKind::Surface(text) if text.contains("multiple") => CUresult::MISALIGNED_ADDRESS,
        FaultKind::Surface(_) | FaultKind::Geometry { surface: true, .. } => {
            CUresult::ILLEGAL_ADDRESS
        }
        FaultKind::Assert { .. } => CUresult::ASSERT,
        FaultKind::StackOverflow { .. } => CUresult::HARDWARE_STACK_ERROR,
        FaultKind::BadOperand(text) if text.contains("barrier") => CUresult::ILLEGAL_INSTRUCTION,
        FaultKind::BadOperand(_) => CUresult::INVALID_PC,
        FaultKind::Deadlock { .. } | FaultKind::StepLimit { .. } | FaultKind::Cancelled => {
            CUresult::LAUNCH_TIMEOUT
        }
        // `trap` is an illegal instruction to the hardware, and so the driver names it.
        FaultKind::Trap { .. } => CUresult::ILLEGAL_INSTRUCTION,
        // A wrong handle reads a texture header that is none: the driver has no code of its own.
        FaultKind::Handle { .. }
        | FaultKind::Texture(_)
        | FaultKind::Geometry { .. }
        | FaultKind::Heap(_) => CUresult::LAUNCH_FAILED,
    }
}

/// What every later call in the context answers.
pub(crate) fn refusal(fault: &Fault) -> Refusal {
    code(&fault.kind).because(format!(
        "a launch of kernel `{}` before has ended this context by a fault: {}",
        fault.kernel, fault.kind
    ))
}

/// Tells the user: an assertion in CUDA's words, everything as a diagnostic.
pub(crate) fn tell(fault: &Fault, source: &SourceFile) {
    if let FaultKind::Assert { message, file, line, function } = &fault.kind {
        let ([bx, by, bz], [tx, ty, tz]) = (fault.cta, fault.thread);
        write_error(format_args!(
            "{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] \
             Assertion `{message}` failed.\n"
        ));
    }
    let diagnostic = texunit_report::fault_diagnostic(fault, Host::Program);
    let code = code(&fault.kind).name();
    say(format_args!(
        "kernel fault: all further calls in this context return {code}\n{}",
        texunit_report::human((source, &*fault.sources), &[diagnostic], false).trim_end()
    ));
}
