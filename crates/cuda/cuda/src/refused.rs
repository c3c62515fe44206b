//! Reports of refused calls: the trace, the report and standard error give the reason
//! (docs/run.md, "Refused calls").
//!
//! The runtime library calls this one. A refused driver call inside a runtime call is recorded in
//! the trace only, and its reason is stored; the runtime then reports its own call, with that
//! reason or another one ([`texunit_runtime_begins`], [`texunit_reason`],
//! [`texunit_runtime_ends`]).

use crate::call::say;
use crate::settings::settings;
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use texunit_cuda_abi::{Argument, CUresult, Refusal};
use texunit_evidence::Api;

thread_local! {
    /// Nesting depth of runtime calls in this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Reason of the last refused call inside a runtime call.
    static LAST: RefCell<Cow<'static, str>> = const { RefCell::new(Cow::Borrowed("")) };
    /// The allocating function that the program has called, while it runs.
    static MAKER: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Allocating functions of the runtime and of libraries; those of the driver are recognised by
/// prefix.
const MAKERS: [&str; 18] = [
    "cudaMalloc",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocManaged",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cufftPlan1d",
    "cufftPlan2d",
    "cufftPlan3d",
    "cufftPlanMany",
    "cufftMakePlan1d",
    "cufftMakePlan2d",
    "cufftMakePlan3d",
    "cufftMakePlanMany",
    "cufftMakePlanMany64",
    "curandCreatePoissonDistribution",
];

/// The allocating function that the program has called, by which messages name the memory.
pub(crate) fn maker() -> Option<&'static str> {
    MAKER.get()
}

/// An allocating driver call in progress.
pub(crate) struct AllocatingCall(());

impl AllocatingCall {
    /// Begins a driver call; `None` if it does not allocate, or is made by another allocating
    /// function.
    pub(crate) fn by(function: &'static str) -> Option<Self> {
        let makes = ["cuMemAlloc", "cuMemHostAlloc"].iter().any(|name| function.starts_with(name));
        (makes && MAKER.get().is_none()).then(|| {
            MAKER.set(Some(function.strip_suffix("_v2").unwrap_or(function)));
            Self(())
        })
    }
}

impl Drop for AllocatingCall {
    fn drop(&mut self) {
        MAKER.set(None);
    }
}

/// Reports a refused driver call.
pub(crate) fn driver(function: &str, refusal: &Refusal, arguments: &[Argument<'_>]) {
    let (is_inside, traces) = (DEPTH.get() > 0, settings().trace.api);
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
    let shown: Vec<_> = arguments
        .iter()
        .map(|argument| format!("{}={:?}", argument.name, argument.value))
        .collect();
    shown.join(", ")
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

/// Maximum number of different refusals that are reported; programs with more have few kinds of
/// them.
const MAX_TOLD: usize = 1000;

/// A reported refusal.
#[derive(Debug)]
struct ReportedRefusal {
    /// The first function that was refused.
    function: String,
    /// Name of the code.
    code: String,
    /// Number of occurrences, and the number known to the report.
    count: u64,
    reported: u64,
}

/// Reported refusals by function (empty after a fault) and reason.
static TOLD: Mutex<Option<HashMap<(String, String), ReportedRefusal>>> = Mutex::new(None);

/// Adds a refusal to the report, and prints it if requested. Repetitions are counted: standard
/// error shows the first, tenth, hundredth and so on, and the report the number.
fn report(function: &str, code_name: &str, reason: &str, code: CUresult) {
    crate::log::refused(function, code_name, reason);
    if !settings().report_api_errors && !crate::report::is_wanted() {
        return;
    }
    // After a fault every function is refused for the same reason.
    let of = if is_fault(code) { "" } else { function };
    let counted = {
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        let told = told.get_or_insert_default();
        let key = (of.to_owned(), reason.to_owned());
        (told.len() < MAX_TOLD || told.contains_key(&key)).then(|| {
            let one = told.entry(key).or_insert_with(|| ReportedRefusal {
                function: function.to_owned(),
                code: code_name.to_owned(),
                count: 0,
                reported: 0,
            });
            one.count += 1;
            if is_power(one.count, 2) {
                one.reported = one.count;
            }
            (one.function.clone(), one.count)
        })
    };
    // The report is told after `TOLD` is unlocked, as it has a lock of its own.
    let Some((function, count)) = counted else { return crate::report::more_refused() };
    if settings().report_api_errors && is_power(count, 10) {
        match count {
            1 => say(format_args!("{function}: {code_name}: {reason}")),
            _ => say(format_args!("{function}: {code_name}: {reason} (for the {count}th time)")),
        }
    }
    if is_power(count, 2) {
        crate::report::refused(&function, code_name, reason, count);
    }
}

/// Whether an export table that the program requested was missing.
static LACKS_TABLE: AtomicBool = AtomicBool::new(false);

/// Records that the program itself, with a statically linked runtime, has requested a missing
/// table.
pub(crate) fn lacks_table() {
    LACKS_TABLE.store(true, Relaxed);
}

/// The report's explanation why a program with NVIDIA's statically linked runtime may have done
/// nothing: without its export tables that runtime refuses all calls itself.
pub(crate) fn lacking_table() -> Option<Api> {
    let reason = "CUDA's runtime is linked into the program, where texunit cannot replace it; keep the symbols (do not \
                  strip it), or compile it with -cudart shared";
    let is_lacking = LACKS_TABLE.load(Relaxed) && !has_runtime();
    is_lacking.then(|| Api {
        function: "cuGetExportTable".to_owned(),
        code: CUresult::NOT_FOUND.name().to_owned(),
        reason: reason.to_owned(),
        count: 1,
    })
}

/// Counts of refusals that the report does not know yet, at the end.
pub(crate) fn rest() -> Vec<Api> {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let new = told.iter_mut().flatten().filter(|(_, one)| one.reported < one.count);
    let api = |((_, reason), one): (&(String, String), &mut ReportedRefusal)| {
        one.reported = one.count;
        let (function, code) = (one.function.clone(), one.code.clone());
        Api { function, code, reason: reason.clone(), count: one.count }
    };
    new.map(api).collect()
}

fn is_power(mut count: u64, of: u64) -> bool {
    while count > 1 && count.is_multiple_of(of) {
        count /= of;
    }
    count == 1
}

/// Prints what is not supported, unless the refusal of the call is reported anyway.
pub(crate) fn say_refused(text: &str) {
    if !settings().report_api_errors {
        say(format_args!("{text}"));
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

/// Marks that the calling thread runs a callback of the program, until dropped: calls made there
/// are the program's own.
pub(crate) struct InProgram(u32);

impl InProgram {
    pub(crate) fn enter() -> Self {
        Self(DEPTH.replace(0))
    }
}

impl Drop for InProgram {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
}

/// Whether the program calls the runtime API.
static HAS_RUNTIME: AtomicBool = AtomicBool::new(false);

/// Whether the program calls the runtime API, so that messages use its names.
pub(crate) fn has_runtime() -> bool {
    HAS_RUNTIME.load(Relaxed)
}

/// Begins a call of a runtime function, which ends with [`texunit_runtime_ends`]; returns 1.
///
/// # Safety
/// The string argument is valid for the duration of the call.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_runtime_begins(function: Str) -> u32 {
    // The flag is stored only once, as concurrent writes would contend for its cache line.
    if !has_runtime() {
        HAS_RUNTIME.store(true, Relaxed);
    }
    // SAFETY: the caller upholds this function's safety contract.
    let function = unsafe { function.bytes() };
    let maker = MAKERS.into_iter().find(|name| name.as_bytes() == function);
    if maker.is_some() && MAKER.get().is_none() {
        MAKER.set(maker);
    }
    DEPTH.set(DEPTH.get() + 1);
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

/// A string of the runtime library.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Str {
    start: *const u8,
    size: usize,
}

impl Str {
    /// # Safety
    /// The pointer is to this many bytes, or the size is 0.
    pub(crate) unsafe fn text(self) -> String {
        // SAFETY: the caller upholds this function's safety contract.
        String::from_utf8_lossy(unsafe { self.bytes() }).into_owned()
    }

    /// # Safety
    /// As for [`Str::text`]; the bytes live as long as the caller's text.
    unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { std::slice::from_raw_parts(self.start, self.size) }
    }
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
    let depth = DEPTH.get().saturating_sub(1);
    DEPTH.set(depth);
    if depth == 0 {
        MAKER.set(None);
    }
    if code == 0 {
        return;
    }
    // SAFETY: the texts are the runtime library's and valid during the call.
    let [function, name, reason] = [function, name, reason].map(|text| unsafe { text.text() });
    if settings().trace.api {
        say(format_args!("{function} = {name}: {reason}"));
    }
    let code = CUresult(code);
    if depth > 0 {
        store_reason(reason.into());
    } else if !is_ordinary(&function, code) {
        report(&function, &name, &reason, code);
    }
}

/// "; did you mean `x`?" if one of the names is similar to the given one, or ends with it, as a
/// mangled name does.
pub(crate) fn similar<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> String {
    let alike = |name: &&str| {
        let (a, b) = (name.to_ascii_lowercase(), given.to_ascii_lowercase());
        // For example `_Z4fillPii` for `fill`.
        !given.is_empty()
            && (a == b
                || a.contains(&b)
                    && a.starts_with("_z")
                    && a[2..].starts_with(|c: char| c.is_ascii_digit()))
    };
    match names.filter(alike).min() {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}
