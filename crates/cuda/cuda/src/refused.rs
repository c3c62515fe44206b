//! Refused calls: the trace, the report and standard error say why (docs/run.md, "Refused calls").
//!
//! The runtime library does its work by calls of this one. A refused call of the driver inside one of the runtime is
//! told in the trace, and its reason kept; the runtime then tells of its own call, with that reason or one of its own
//! ([`texunit_runtime_begins`], [`texunit_reason`], [`texunit_runtime_ends`]).

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
    /// How many calls of the runtime this thread is in, one inside the other.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// Why the last call inside one of the runtime was refused.
    static LAST: RefCell<Cow<'static, str>> = const { RefCell::new(Cow::Borrowed("")) };
    /// The function that the program has called to have memory, while it runs.
    static MAKER: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// The functions of the runtime and of libraries that allocate memory; those of the driver are known by their names' beginnings.
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

/// The function that the program has called to have memory, which messages call that by.
pub(crate) fn maker() -> Option<&'static str> {
    MAKER.get()
}

/// A call of the driver that allocates, as long as it runs.
pub(crate) struct Making(());

impl Making {
    /// `None`: the function does not allocate, or another one does by calling it.
    pub(crate) fn by(function: &'static str) -> Option<Self> {
        let makes = ["cuMemAlloc", "cuMemHostAlloc"].iter().any(|name| function.starts_with(name));
        (makes && MAKER.get().is_none()).then(|| {
            MAKER.set(Some(function.strip_suffix("_v2").unwrap_or(function)));
            Self(())
        })
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        MAKER.set(None);
    }
}

/// A function of the driver refuses a call.
pub(crate) fn driver(function: &str, refusal: &Refusal, arguments: &[Argument<'_>]) {
    let (is_inside, traces) = (DEPTH.get() > 0, settings().trace.api);
    // A program may ask for these all the time.
    let is_ordinary = is_ordinary(function, refusal.code);
    if is_ordinary && !is_inside && !traces {
        return;
    }
    let reason = refusal.reason(arguments);
    if traces {
        // What is not provided does not know what it takes.
        let arguments = match refusal.code {
            CUresult::NOT_SUPPORTED if arguments.is_empty() => "...".to_owned(),
            _ => call_arguments(arguments),
        };
        say(format_args!("{function}({arguments}) = {:?}: {reason}", refusal.code));
    }
    if is_inside {
        keep(reason);
    } else if !is_ordinary {
        tell(function, &refusal.code.name(), &reason, refusal.code);
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

fn keep(reason: Cow<'static, str>) {
    // A thread that is ending keeps nothing any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = reason);
}

/// Answers that programs ask for, and that are no mistakes: told in the trace only.
fn is_ordinary(function: &str, code: CUresult) -> bool {
    match code {
        CUresult::NOT_READY | CUresult::PEER_ACCESS_ALREADY_ENABLED => true,
        CUresult::NOT_FOUND => {
            function.starts_with("cuGetProcAddress") || function == "cuGetExportTable"
        }
        // The runtime looks for values that it has not put there yet.
        CUresult::INVALID_HANDLE => function.starts_with("table function"),
        _ => false,
    }
}

/// Whether calls answer this code because a kernel has gone wrong before.
fn is_fault(code: CUresult) -> bool {
    (CUresult::ILLEGAL_ADDRESS.0 == code.0)
        || (714..=719).contains(&code.0)
        || matches!(code, CUresult::LAUNCH_TIMEOUT | CUresult::ASSERT)
}

/// Most different refusals that are told of; a program with more has few kinds of them.
const MAX_TOLD: usize = 1000;

/// Refusals that are told of.
#[derive(Debug)]
struct Told {
    /// The function that was refused first.
    function: String,
    /// The name of its code.
    code: String,
    /// How often, and how often the report knows of.
    count: u64,
    reported: u64,
}

/// Each refusal, by its function, which is empty after a fault, and its reason.
static TOLD: Mutex<Option<HashMap<(String, String), Told>>> = Mutex::new(None);

/// Tells the report, and the user if that is wanted. The same once more is counted: standard error has it the
/// first, the tenth, the hundredth time, and the report its number.
fn tell(function: &str, code_name: &str, reason: &str, code: CUresult) {
    crate::log::refused(function, code_name, reason);
    if !settings().report_api_errors && !crate::report::is_wanted() {
        return;
    }
    // After a fault every call is refused for the same reason, whatever it is.
    let of = if is_fault(code) { "" } else { function };
    let counted = {
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        let told = told.get_or_insert_default();
        let key = (of.to_owned(), reason.to_owned());
        (told.len() < MAX_TOLD || told.contains_key(&key)).then(|| {
            let one = told.entry(key).or_insert_with(|| Told {
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
    // The report is told when `TOLD` is free again: it holds a lock of its own.
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

/// Whether a table of functions was missing that the program has asked for.
static LACKS_TABLE: AtomicBool = AtomicBool::new(false);

/// The program itself, with a runtime inside, has asked for such a table.
pub(crate) fn lacks_table() {
    LACKS_TABLE.store(true, Relaxed);
}

/// Why a program with NVIDIA's runtime inside may have done nothing: that asks for tables of functions, and where it does not
/// get them, refuses all calls by itself.
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

/// What the report does not know yet: how often refusals have occurred by the end.
pub(crate) fn rest() -> Vec<Api> {
    let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
    let new = told.iter_mut().flatten().filter(|(_, one)| one.reported < one.count);
    let api = |((_, reason), one): (&(String, String), &mut Told)| {
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

/// Says what is not supported, unless the refusal that follows is told anyway.
pub(crate) fn say_refused(text: &str) {
    if !settings().report_api_errors {
        say(format_args!("{text}"));
    }
}

/// [`say_refused`] for the runtime.
///
/// # Safety
/// The text is valid.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_say_refused(text: Str) {
    // SAFETY: as the caller promises.
    say_refused(&unsafe { text.text() });
}

/// The calling thread is in code of the program until this ends: calls from there are the program's own.
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

/// Whether the program calls the runtime API: then messages have the names that it has.
pub(crate) fn has_runtime() -> bool {
    HAS_RUNTIME.load(Relaxed)
}

/// A call of this function of the runtime begins, which ends with [`texunit_runtime_ends`]: 1.
///
/// # Safety
/// The text is valid.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_runtime_begins(function: Str) -> u32 {
    // No more than a load in every call: threads would write the same cache line.
    if !has_runtime() {
        HAS_RUNTIME.store(true, Relaxed);
    }
    // SAFETY: as the caller promises.
    let function = unsafe { function.bytes() };
    let maker = MAKERS.into_iter().find(|name| name.as_bytes() == function);
    if maker.is_some() && MAKER.get().is_none() {
        MAKER.set(maker);
    }
    DEPTH.set(DEPTH.get() + 1);
    1
}

/// Writes why the last call of the driver inside this one was refused, in UTF-8 and up to `size` bytes; the number of bytes that it has.
///
/// # Safety
/// `to` is valid for `size` bytes.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn texunit_reason(to: *mut u8, size: usize) -> usize {
    LAST.try_with(|last| {
        let last = last.borrow();
        // SAFETY: the caller's buffer has that size, and is not ours.
        unsafe { to.copy_from_nonoverlapping(last.as_ptr(), last.len().min(size)) };
        last.len()
    })
    .unwrap_or(0)
}

/// A text of the runtime library.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Str {
    start: *const u8,
    size: usize,
}

impl Str {
    /// # Safety
    /// It points to so many bytes, or to nothing if there are none.
    pub(crate) unsafe fn text(self) -> String {
        // SAFETY: as the caller promises.
        String::from_utf8_lossy(unsafe { self.bytes() }).into_owned()
    }

    /// # Safety
    /// As of [`Str::text`]; the bytes are there as long as the caller's text is.
    unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts(self.start, self.size) }
    }
}

/// A call of the runtime has ended. If it was refused, `code` is not 0, and the texts are its name, the name of the code and the
/// reason.
///
/// # Safety
/// The texts are valid.
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
    // SAFETY: the runtime library's own texts.
    let [function, name, reason] = [function, name, reason].map(|text| unsafe { text.text() });
    if settings().trace.api {
        say(format_args!("{function} = {name}: {reason}"));
    }
    let code = CUresult(code);
    if depth > 0 {
        keep(reason.into());
    } else if !is_ordinary(&function, code) {
        tell(&function, &name, &reason, code);
    }
}

/// "; did you mean `x`?", if one of the names is almost the one that was given, or ends with it, as a mangled one does.
pub(crate) fn similar<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> String {
    let alike = |name: &&str| {
        let (a, b) = (name.to_ascii_lowercase(), given.to_ascii_lowercase());
        // `_Z4fillPii` of `fill`.
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
