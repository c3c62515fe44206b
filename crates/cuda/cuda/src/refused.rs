//! Reports of refused calls: the trace, the report and standard error give the reason
//! (docs/run.md, "Refused calls").
//!
//! The runtime library calls this one. A refused driver call inside a runtime call is recorded in
//! the trace only, and its reason is stored; the runtime then reports its own call, with that
//! reason or another one ([`texunit_runtime_begins`], [`texunit_reason`],
//! [`texunit_runtime_ends`]).

use crate::current_call::{is_in_runtime, runtime_begins, runtime_ends};
use crate::prelude::*;
use crate::report::{self, is_power};
use crate::settings::{say_refused, settings};
use std::borrow::Cow;
use std::cell::RefCell;
use texunit_cuda_abi::work::Str;

thread_local! {
    /// Reason of the last refused call inside a runtime call.
    static LAST: RefCell<Cow<'static, str>> = const { RefCell::new(Cow::Borrowed("")) };
}

/// Reports a refused driver call.
pub(crate) fn driver(function: &str, refusal: &Refusal, arguments: &[Argument<'_>]) {
    let (is_inside, traces) = (is_in_runtime(), settings().trace.api);
    // Refusals that are ordinary are not printed, because programs may make such calls frequently.
    let is_ordinary = is_ordinary(function, refusal.code);
    if is_ordinary && !is_inside && !traces {
        return;
    }
    let reason = refusal.reason(arguments);
    if traces {
        // A function that is not provided does not know its parameters.
        let arguments = match refusal.code {
            CUresult::NOT_SUPPORTED if arguments.is_empty() => "...".to_owned(),
            _ => call_arguments(arguments),
        };
        say(format_args!("{function}({arguments}) = {:?}: {reason}", refusal.code));
    }
    if is_inside {
        store_reason(reason);
    } else if !is_ordinary {
        report(function, &refusal.code.name(), &reason, refusal.code);
    }
}

/// The arguments as the trace shows them.
pub(crate) fn call_arguments(arguments: &[Argument<'_>]) -> String {
    let shown = |argument: &Argument<'_>| format!("{}={:?}", argument.name, argument.value);
    arguments.iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn store_reason(reason: Cow<'static, str>) {
    // In a thread that is ending, the thread-local variable may be destroyed already.
    let _ = LAST.try_with(|last| *last.borrow_mut() = reason);
}

/// Whether a refusal is an expected answer and not an error, so that it appears in the trace only.
fn is_ordinary(function: &str, code: CUresult) -> bool {
    match code {
        CUresult::NOT_READY | CUresult::PEER_ACCESS_ALREADY_ENABLED => true,
        CUresult::NOT_FOUND => {
            function.starts_with("cuGetProcAddress") || function == "cuGetExportTable"
        }
        // The runtime looks for values that it has not stored yet.
        CUresult::INVALID_HANDLE => function.starts_with("table function"),
        _ => false,
    }
}

/// Whether the code is that of a kernel's earlier fault.
fn is_fault(code: CUresult) -> bool {
    (CUresult::ILLEGAL_ADDRESS.0 == code.0)
        || (714..=719).contains(&code.0)
        || matches!(code, CUresult::LAUNCH_TIMEOUT | CUresult::ASSERT)
}

/// Adds a refusal to the report, and prints it if requested. Repetitions are counted: standard
/// error shows the first, tenth, hundredth and so on, and the report the number.
fn report(function: &str, code_name: &str, reason: &str, code: CUresult) {
    crate::log::refused(function, code_name, reason);
    if !settings().report_api_errors && !report::is_wanted() {
        return;
    }
    // After a fault every function is refused for the same reason.
    let counted = report::refused(function, is_fault(code), (code_name, reason));
    let Some((function, count)) = counted else { return };
    if settings().report_api_errors && is_power(count, 10) {
        match count {
            1 => say(format_args!("{function}: {code_name}: {reason}")),
            _ => say(format_args!("{function}: {code_name}: {reason} (for the {count}th time)")),
        }
    }
}

/// [`say_refused`] for the runtime library.
///
/// # Safety
/// The string argument is valid for the duration of the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_say_refused(text: Str) {
    // SAFETY: the caller upholds this function's safety contract.
    say_refused(&unsafe { text.text() });
}

/// Begins a call of a runtime function, which ends with [`texunit_runtime_ends`]; returns 1.
///
/// # Safety
/// The string argument is valid for the duration of the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_runtime_begins(function: Str) -> u32 {
    // SAFETY: the caller upholds this function's safety contract.
    runtime_begins(unsafe { function.bytes() });
    1
}

/// Writes the reason of the last refused driver call inside this runtime call, in UTF-8, up to
/// `size` bytes, and returns its full length.
///
/// # Safety
/// `to` is valid for `size` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_reason(to: *mut u8, size: usize) -> usize {
    LAST.try_with(|last| {
        let last = last.borrow();
        // SAFETY: the caller's buffer has this size and is not part of the reason.
        unsafe { to.copy_from_nonoverlapping(last.as_ptr(), last.len().min(size)) };
        last.len()
    })
    .unwrap_or(0)
}

/// Ends a call of the runtime. If it was refused, `code` is not 0, and the texts are the function,
/// the name of the code and the reason.
///
/// # Safety
/// The strings are valid for the duration of the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_runtime_ends(
    code: u32,
    function: Str,
    name: Str,
    reason: Str,
) {
    let is_inside = runtime_ends();
    if code == 0 {
        return;
    }
    // SAFETY: the texts are the runtime library's and valid during the call.
    let [function, name, reason] = [function, name, reason].map(|text| unsafe { text.text() });
    if settings().trace.api {
        say(format_args!("{function} = {name}: {reason}"));
    }
    let code = CUresult(code);
    if is_inside {
        store_reason(reason.into());
    } else if !is_ordinary(&function, code) {
        report(&function, &name, &reason, code);
    }
}
