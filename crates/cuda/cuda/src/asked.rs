//! Who asked for memory, and who freed it (`TEXUNIT_HOST_BACKTRACE`): places in the program, for faults that have to do
//! with an allocation. Without the variable nothing is kept.
//!
//! Addresses are kept as they are; what they stand for is looked up when a fault is told. Of a Python program the lines of
//! Python are kept.

pub(crate) mod pools;
mod python;

use crate::settings::settings;
use std::collections::{HashMap, VecDeque};
use std::ffi::{CStr, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_report::place::{function_name, is_toolkit, shown_file};

/// Frames of a call that are kept: ours come first.
const MAX_KEPT: usize = 64;
/// Frames that are shown.
const MAX_SHOWN: usize = 12;
/// Freed allocations that are remembered, as many as the memory of a device remembers.
const MAX_FREED: usize = 1 << 12;

/// Frames of Python that are kept and shown: packages come first.
const MAX_OF_PYTHON: usize = 24;

/// Where a thread was, the innermost first.
#[derive(Clone, Default)]
struct Trace {
    /// Return addresses.
    addresses: Box<[usize]>,
    python: Box<[python::Frame]>,
}

#[derive(Default)]
struct Known {
    by_number: HashMap<u64, Calls>,
    /// Numbers of those that were freed, the oldest first.
    freed: VecDeque<u64>,
    /// Allocations of pools, and whether they are blocks.
    pools: HashMap<u64, (pools::Pool, bool)>,
}

#[derive(Default)]
struct Calls {
    made: Trace,
    freed: Option<Trace>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program has asked for an allocation.
pub(crate) fn made(number: u64) {
    if settings().host_backtrace {
        let made = trace();
        let calls = Calls { made, freed: None };
        known().get_or_insert_default().by_number.insert(number, calls);
    }
}

/// The program has freed an allocation.
pub(crate) fn freed(number: u64) {
    if let Some(known) = &mut *known() {
        known.pools.remove(&number);
    }
    if !settings().host_backtrace {
        return;
    }
    let trace = trace();
    let mut known = known();
    let Known { by_number, freed, .. } = known.get_or_insert_default();
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
    let python = python::frames(MAX_OF_PYTHON).into();
    Trace { addresses: addresses.into(), python }
}

/// What is to be said of an allocation, line by line: where the program was, if that was asked for, and whose block it is.
pub(crate) fn lines(number: u64) -> Vec<String> {
    let (calls, block) = {
        let known = known();
        let Some(known) = known.as_ref() else { return Vec::new() };
        let calls =
            known.by_number.get(&number).map(|calls| (calls.made.clone(), calls.freed.clone()));
        (calls, known.block(number))
    };
    let mut lines = Vec::new();
    if let Some((made, freed)) = calls {
        lines.extend(said(&format!("allocation {number} was asked for at"), &made));
        lines.extend(freed.iter().flat_map(|freed| said("and freed at", freed)));
    }
    lines.extend(block);
    lines
}

/// Whether the program has asked for what has this number.
pub(crate) fn knows(number: u64) -> bool {
    known().as_ref().is_some_and(|known| known.by_number.contains_key(&number))
}

/// Whether memory with this number is a pool's, which nobody frees before the end.
pub(crate) fn is_of_pool(number: u64) -> bool {
    known().as_ref().is_some_and(|known| known.pools.contains_key(&number))
}

/// Where the program asked for what has this number, the innermost place first; nothing if that is not known.
pub(crate) fn places(number: u64) -> Vec<String> {
    let made = known().as_ref().and_then(|known| Some(known.by_number.get(&number)?.made.clone()));
    made.map_or_else(Vec::new, |made| frames(&made))
}

/// Where the program is in a call of ours, the innermost place first; nothing if nobody wants to know.
pub(crate) fn here() -> Vec<String> {
    if settings().host_backtrace { frames(&trace()) } else { Vec::new() }
}

/// The first place on the line of what is said, the callers below.
fn said(what: &str, trace: &Trace) -> Vec<String> {
    let frames = frames(trace);
    let Some((first, callers)) = frames.split_first() else {
        return vec![format!("{what} a place that is not known")];
    };
    let callers = callers.iter().map(|caller| format!("    called from {caller}"));
    std::iter::once(format!("{what} {first}")).chain(callers).collect()
}

/// The places of a trace that are outside of texunit's libraries, up to `main`.
fn frames(trace: &Trace) -> Vec<String> {
    if !trace.python.is_empty() {
        // What lies below is the interpreter.
        let shown = trace.python.iter().map(|python::Frame { file, line, function }| {
            texunit_report::visible(&format!("{}:{line} in {function}", shown_file(file)))
        });
        return shown.collect();
    }
    let outside = trace.addresses.iter().skip_while(|&&address| is_ours(address));
    let mut shown = Vec::new();
    for &address in outside {
        let is_main = show(address, &mut shown);
        if is_main || shown.len() >= MAX_SHOWN {
            break;
        }
    }
    shown.truncate(MAX_SHOWN);
    shown
}

/// Adds the functions at a return address, of which there are several where calls are inlined; whether the last is `main`.
/// Templates of CUDA's headers around its functions are left out.
fn show(address: usize, shown: &mut Vec<String>) -> bool {
    let (before, mut is_main, mut in_toolkit) = (shown.len(), false, false);
    // What follows a call may be another line, or another function.
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

/// Whether a function is a template of CUDA's headers: `cudaMalloc<int>(int**, unsigned long)`.
fn is_wrapper(function: &str) -> bool {
    let rest = function.strip_prefix("cuda").unwrap_or("");
    rest.starts_with(|c: char| c.is_ascii_uppercase()) && rest.contains('<')
}

/// Where the program is by addresses of its own, the innermost place first. Functions of the C library that it has called
/// are left out.
pub(crate) fn places_in_program(addresses: &[usize]) -> Vec<String> {
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

/// Whether code is in one of texunit's libraries: NVIDIA's have the same names, in other folders.
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

/// The file with the code that has called texunit's libraries, the innermost one outside of them.
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

/// The file that has an address, and how far it is from the file's beginning in memory.
pub(crate) fn module(address: usize) -> Option<(String, usize)> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let at: *const c_void = std::ptr::without_provenance(address);
    // SAFETY: the function only compares the address, and writes the structure.
    let found = unsafe { libc::dladdr(at, &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: a name that the dynamic linker keeps as long as the file is loaded; it is copied at once.
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

    /// Whether the test's program has tables of lines, which no release has, nor a build with `CARGO_PROFILE_DEV_DEBUG=0`.
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
            show(address, &mut shown);
        });
        let place = shown.iter().find(|line| line.contains("a_function_of_the_test"));
        assert!(place.is_some_and(|line| line.contains("asked.rs:")), "{shown:?}");
        // Everything here is one file: that of the test.
        assert!(is_ours(trace.addresses[0]));
        assert!(
            is_wrapper("cudaMalloc<int>(int**, unsigned long)") && !is_wrapper("cuda_thing<int>()")
        );
        assert!(!is_ours(1) && module(1).is_none());
        assert_eq!(said("freed at", &Trace::default()), ["freed at a place that is not known"]);
    }
}
