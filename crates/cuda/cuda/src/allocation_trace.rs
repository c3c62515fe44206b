//! Backtraces of allocations and frees (`TEXUNIT_HOST_BACKTRACE`), for reports of faults and
//! findings about an allocation. Nothing is recorded unless the environment variable is set.
//!
//! Return addresses are stored, and resolved to functions and lines when a report needs them. For a
//! Python program the Python frames are stored.

pub(crate) mod pools;
mod python;

use crate::prelude::*;
use crate::settings::settings;
use std::collections::VecDeque;
use std::ffi::CStr;
use texunit_report::place::{function_name, is_toolkit, shown_file};

/// Maximum number of frames stored for a call, of which the innermost are functions of texunit.
const MAX_KEPT: usize = 64;
/// Maximum number of stack frames that a message shows.
const MAX_SHOWN: usize = 12;
/// Maximum number of remembered freed allocations, equal to the number that device memory
/// remembers.
const MAX_FREED: usize = 1 << 12;

/// Maximum number of Python frames stored and shown, of which the innermost belong to packages and
/// not to the program.
const MAX_OF_PYTHON: usize = 24;

/// Stack trace of a thread, innermost frame first.
#[derive(Clone, Default)]
struct Trace {
    /// Return addresses of the stack frames, innermost first.
    addresses: Box<[usize]>,
    python: Box<[python::Frame]>,
}

#[derive(Default)]
struct Traces {
    by_number: HashMap<u64, Calls>,
    /// Numbers of freed allocations, oldest first.
    freed: VecDeque<u64>,
    /// Allocations made by memory pools of packages, and whether they are blocks that hold several
    /// arrays.
    pools: HashMap<u64, (&'static pools::Pool, bool)>,
}

#[derive(Default)]
struct Calls {
    made: Trace,
    freed: Option<Trace>,
}

fn traces() -> MutexGuard<'static, Traces> {
    static KNOWN: LazyLock<Mutex<Traces>> = LazyLock::new(Mutex::default);
    lock(&KNOWN)
}

/// Records the stack trace of an allocation.
pub(crate) fn allocated(number: u64) {
    if settings().host_backtrace {
        let calls = Calls { made: trace(), freed: None };
        traces().by_number.insert(number, calls);
    }
}

/// Records the stack trace of a free.
pub(crate) fn freed(number: u64) {
    traces().pools.remove(&number);
    if !settings().host_backtrace {
        return;
    }
    let trace = trace();
    let Traces { by_number, freed, .. } = &mut *traces();
    let Some(calls) = by_number.get_mut(&number) else { return };
    calls.freed = Some(trace);
    freed.push_back(number);
    if freed.len() > MAX_FREED
        && let Some(oldest) = freed.pop_front()
    {
        by_number.remove(&oldest);
    }
}

fn trace() -> Trace {
    let mut addresses = Vec::with_capacity(MAX_KEPT);
    backtrace::trace(|frame| {
        addresses.push(frame.ip().addr());
        addresses.len() < MAX_KEPT
    });
    Trace { addresses: addresses.into(), python: python::frames(MAX_OF_PYTHON).into() }
}

/// Lines for a report about an allocation: the stack traces, if they were recorded, and the memory
/// pool that it is a block of.
pub(crate) fn lines(number: u64) -> Vec<String> {
    let (calls, block) = {
        let known = traces();
        let calls =
            known.by_number.get(&number).map(|calls| (calls.made.clone(), calls.freed.clone()));
        (calls, known.block(number))
    };
    let mut lines = Vec::new();
    if let Some((made, freed)) = calls {
        lines.extend(format_trace(&format!("allocation {number} was asked for at"), &made));
        lines.extend(freed.iter().flat_map(|freed| format_trace("and freed at", freed)));
    }
    lines.extend(block);
    lines
}

/// Whether the stack trace of an allocation or object with this number is recorded.
pub(crate) fn is_recorded(number: u64) -> bool {
    traces().by_number.contains_key(&number)
}

/// Whether the allocation with this number belongs to a package's memory pool, which frees nothing
/// before the end.
pub(crate) fn is_of_pool(number: u64) -> bool {
    traces().pools.contains_key(&number)
}

/// Stack frames of the call that made the allocation with this number, innermost first; empty if
/// they are unknown.
pub(crate) fn allocation_frames(number: u64) -> Vec<String> {
    let made = traces().by_number.get(&number).map(|calls| calls.made.clone());
    made.map_or_else(Vec::new, |made| frames(&made))
}

/// Frames of the current call, innermost first; empty if backtraces are not enabled.
pub(crate) fn current_frames() -> Vec<String> {
    if settings().host_backtrace { frames(&trace()) } else { Vec::new() }
}

/// The frame that calls the driver, and the notes of a finding: the frames of the call, the first
/// after `call`, and those of the allocation with this number.
pub(crate) fn call_and_allocation(call: &str, number: u64) -> (Option<String>, Vec<String>) {
    let here = current_frames();
    let made = notes("the memory was asked for at", allocation_frames(number));
    (here.first().cloned(), notes(call, here).chain(made).collect())
}

/// The notes of a finding about a call: its frames, the first after `first`.
pub(crate) fn notes(first: &str, frames: Vec<String>) -> impl Iterator<Item = String> {
    frames.into_iter().enumerate().map(move |(i, place)| match i {
        0 => format!("{first} {place}"),
        _ => format!("called from {place}"),
    })
}

/// Formats a trace: the first frame on the line of `what`, its callers below.
fn format_trace(what: &str, trace: &Trace) -> Vec<String> {
    let frames = frames(trace);
    let Some((first, callers)) = frames.split_first() else {
        return vec![format!("{what} a place that is not known")];
    };
    let callers = callers.iter().map(|caller| format!("    called from {caller}"));
    std::iter::once(format!("{what} {first}")).chain(callers).collect()
}

/// Frames of a trace outside of texunit's libraries, up to `main`.
fn frames(trace: &Trace) -> Vec<String> {
    if !trace.python.is_empty() {
        // The native frames after the Python frames belong to the interpreter.
        let shown = trace.python.iter().map(|python::Frame { file, line, function }| {
            texunit_report::visible(&format!("{}:{line} in {function}", shown_file(file)))
        });
        return shown.collect();
    }
    let outside = trace.addresses.iter().skip_while(|&&address| is_ours(address));
    let mut shown = Vec::new();
    for &address in outside {
        let is_main = add_functions(address, &mut shown);
        if is_main || shown.len() >= MAX_SHOWN {
            break;
        }
    }
    shown.truncate(MAX_SHOWN);
    shown
}

/// Adds the functions at a return address, of which there are several with inlining, and returns
/// whether the last one is `main`. Template wrappers in CUDA's headers are omitted.
fn add_functions(address: usize, shown: &mut Vec<String>) -> bool {
    let (before, mut is_main, mut in_toolkit) = (shown.len(), false, false);
    // The return address may belong to the next line or function, so that the call before it is
    // resolved.
    let call = std::ptr::without_provenance_mut(address.saturating_sub(1));
    backtrace::resolve(call, |symbol| {
        let name = symbol.name().and_then(|name| name.as_str().map(function_name));
        is_main = name.as_deref() == Some("main");
        let file = symbol.filename().and_then(|file| file.to_str());
        if file.is_some_and(is_toolkit) || name.as_deref().is_some_and(is_wrapper) {
            in_toolkit = true;
            return;
        }
        let place = match (file, symbol.lineno()) {
            (Some(file), Some(line)) => {
                let column = symbol.colno().filter(|&column| column > 0);
                let column = column.map_or_else(String::new, |column| format!(":{column}"));
                format!("{}:{line}{column}", shown_file(file))
            }
            _ => module(address).map_or_else(|| format!("{address:#x}"), |(name, _)| name),
        };
        shown.push(match name {
            Some(name) => texunit_report::visible(&format!("{place} in {name}")),
            None => texunit_report::visible(&place),
        });
    });
    if shown.len() == before && !in_toolkit {
        shown.push(match module(address) {
            Some((name, offset)) => format!("{name}+{offset:#x}"),
            None => format!("{address:#x}"),
        });
    }
    is_main
}

/// Whether a function is a template wrapper in CUDA's headers: `cudaMalloc<int>(int**, unsigned
/// long)`.
fn is_wrapper(function: &str) -> bool {
    let rest = function.strip_prefix("cuda").unwrap_or("");
    rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains('<')
}

/// Frames for code addresses, innermost first. Frames of the C library are omitted.
pub(crate) fn frames_of(addresses: &[usize]) -> Vec<String> {
    let is_system = |&&address: &&usize| {
        let name = module(address).map(|(name, _)| name).unwrap_or_default();
        let file = name.rsplit('/').next().unwrap_or(&name);
        ["libc.so", "libc-", "libm.so", "libm-", "libstdc++.so", "libgcc_s.so"]
            .iter()
            .any(|start| file.starts_with(start))
    };
    let start = addresses.iter().position(|address| !is_system(&address)).unwrap_or(0);
    let addresses = addresses[start..].into();
    frames(&Trace { addresses, python: Box::default() })
}

/// Whether an address is in one of texunit's libraries. NVIDIA's libraries have the same names but
/// other folders.
pub(crate) fn is_ours(address: usize) -> bool {
    let own = module(is_ours as fn(usize) -> bool as usize);
    let (Some((name, _)), Some((own, _))) = (module(address), own) else { return false };
    let split = |name: &str| {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        (folder.to_owned(), file.to_owned())
    };
    let ((folder, file), (own_folder, _)) = (split(&name), split(&own));
    let is_library = ["libcuda.so", "libcudart.so", "libtexunit"];
    own == name || folder == own_folder && is_library.iter().any(|start| file.starts_with(start))
}

/// The file that contains the innermost caller of texunit's libraries.
pub(crate) fn caller() -> Option<String> {
    let (mut found, mut frames) = (None, 0);
    backtrace::trace(|frame| {
        let address = frame.ip().addr();
        frames += 1;
        if !is_ours(address) {
            found = module(address).map(|(name, _)| name);
            return false;
        }
        frames < MAX_KEPT
    });
    found
}

/// The loaded file that contains an address, and the offset of the address in it.
pub(crate) fn module(address: usize) -> Option<(String, usize)> {
    // SAFETY: a plain C structure for which zeros are a valid value.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    let at: *const c_void = std::ptr::without_provenance(address);
    // SAFETY: `dladdr` only compares the address and writes the structure.
    let found = unsafe { libc::dladdr(at, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker keeps the name as long as the file is loaded; it is copied
    // immediately.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some((name.to_string_lossy().into_owned(), address.saturating_sub(info.dli_fbase.addr())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn a_function_of_the_test() -> Trace {
        std::hint::black_box(trace())
    }

    /// Whether the test executable has line tables, which release builds and builds with
    /// `CARGO_PROFILE_DEV_DEBUG=0` lack.
    fn has_lines() -> bool {
        let (code, mut has_lines) = (a_function_of_the_test as *const (), false);
        backtrace::resolve(code.cast_mut().cast(), |symbol| has_lines |= symbol.lineno().is_some());
        has_lines
    }

    #[test]
    fn addresses_become_functions_and_lines() {
        if !has_lines() {
            return texunit_testkit::skipped("the test's program is built without tables of lines");
        }
        let trace = a_function_of_the_test();
        assert!((3..=MAX_KEPT).contains(&trace.addresses.len()) && trace.python.is_empty());
        let mut shown = Vec::new();
        trace.addresses.iter().for_each(|&address| {
            add_functions(address, &mut shown);
        });
        let place = shown.iter().find(|line| line.contains("a_function_of_the_test"));
        assert!(place.is_some_and(|line| line.contains("allocation_trace.rs:")), "{shown:?}");
        // In the test, texunit's code and the caller are in one executable.
        assert!(is_ours(trace.addresses[0]));
        assert!(
            is_wrapper("cudaMalloc<int>(int**, unsigned long)") && !is_wrapper("cuda_thing<int>()")
        );
        assert!(!is_ours(1) && module(1).is_none());
        assert_eq!(
            format_trace("freed at", &Trace::default()),
            ["freed at a place that is not known"]
        );
    }
}
