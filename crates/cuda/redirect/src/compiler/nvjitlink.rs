//! nvJitLink, NVIDIA's linker as a library.
//!
//! It works on the CPU, but machine code is what it makes (`nvJitLinkGetLinkedCubin`), which texunit does not run.
//! Calls of some of its functions therefore go through functions of ours, which call nvJitLink's own: inputs, options,
//! mistakes and logs are its own affair, and so are all results but one. Of what it has linked, our functions keep the
//! texts, and when all inputs were PTX, the program gets those as one text where it asks for machine code. A driver
//! takes PTX where it takes machine code, and so does texunit's. NVIDIA's runtime of the device (`libcudadevrt.a`)
//! is an input like these, as it is for `cuLinkAddFile`.
//!
//! Other inputs have no PTX that could be taken: code that is to be optimised while it is linked (LTO), machine code,
//! fatbins, objects, libraries. They are named, and the program gets nvJitLink's own result.
//!
//! Programs call `nvJitLinkCreate`, or `__nvJitLinkCreate_12_9`, which the header makes of it: all are one function.

use super::{Table, has_name, read};
use crate::say;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::Once;
use texunit_link::{Ptx, is_device_runtime, link};

/// `nvJitLinkResult`: 0 is success.
type Answer = c_int;
/// `nvJitLinkHandle`
type Handle = *mut c_void;

type Create = unsafe extern "C" fn(*mut Handle, c_uint, *const *const c_char) -> Answer;
type Destroy = unsafe extern "C" fn(*mut Handle) -> Answer;
type AddData = unsafe extern "C" fn(Handle, c_uint, *const c_void, usize, *const c_char) -> Answer;
type AddFile = unsafe extern "C" fn(Handle, c_uint, *const c_char) -> Answer;
type Complete = unsafe extern "C" fn(Handle) -> Answer;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Answer;
type Get = unsafe extern "C" fn(Handle, *mut c_void) -> Answer;

/// `NVJITLINK_ERROR_INTERNAL`: a mistake of ours, which has been printed.
const INTERNAL: Answer = 6;
/// `NVJITLINK_INPUT_PTX`
const INPUT_PTX: c_uint = 2;
/// `NVJITLINK_INPUT_LIBRARY`
const INPUT_LIBRARY: c_uint = 6;
/// `NVJITLINK_INPUT_ANY`: whatever the bytes are.
const INPUT_ANY: c_uint = 10;

/// nvJitLink's own functions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Functions {
    create: Create,
    destroy: Destroy,
    add_data: AddData,
    add_file: AddFile,
    complete: Complete,
    cubin_size: Size,
    cubin: Get,
}

/// What is linked.
#[derive(Debug, Default)]
pub(super) struct Job {
    inputs: Vec<Ptx>,
    /// Whether the runtime of the device is an input.
    runtime: bool,
    /// The first input that is no PTX: what it is, and its name.
    other: Option<String>,
    /// Whether the result is PTX anyway, by the options `-lto -ptx`.
    makes_ptx: bool,
    /// The linked text, with a zero byte at its end.
    linked: Option<Vec<u8>>,
}

/// Each with what its handles link.
pub(super) static LOADED: Table<Functions, BTreeMap<usize, Job>> = Table::new();

/// Whether a library is nvJitLink.
pub(super) fn is_nvjitlink(path: &Path) -> bool {
    has_name(path, "libnvJitLink")
}

/// The name of a function without its version: `nvJitLinkCreate` of `__nvJitLinkCreate_12_9`.
fn plain(name: &str) -> &str {
    let Some(versioned) = name.strip_prefix("__") else { return name };
    versioned.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_')
}

/// What a call of a function is bound to, if not to the function itself.
pub(super) fn bind(number: usize, name: &CStr) -> Option<usize> {
    let ours = OURS.get(number)?;
    let target = match plain(name.to_str().ok()?) {
        "nvJitLinkCreate" => ours.create as usize,
        "nvJitLinkDestroy" => ours.destroy as usize,
        "nvJitLinkAddData" => ours.add_data as usize,
        "nvJitLinkAddFile" => ours.add_file as usize,
        "nvJitLinkComplete" => ours.complete as usize,
        "nvJitLinkGetLinkedCubinSize" => ours.cubin_size as usize,
        "nvJitLinkGetLinkedCubin" => ours.cubin as usize,
        _ => return None,
    };
    LOADED.has(number, functions).then_some(target)
}

/// Where nvJitLink's own functions are: of several versions the newest one.
fn functions(exported: &BTreeMap<String, usize>) -> Option<Functions> {
    let at = |name: &str| {
        let version = |full: &str| {
            let rest = full.strip_prefix("__")?.strip_prefix(name)?;
            let numbers = rest.strip_prefix('_')?.split('_').map(|part| part.parse().ok());
            numbers.collect::<Option<Vec<u32>>>()
        };
        let versions = exported.iter().filter_map(|(full, &at)| Some((version(full)?, at)));
        let found = exported.get(name).copied().or_else(|| Some(versions.max()?.1))?;
        Some(std::ptr::with_exposed_provenance::<c_void>(found))
    };
    // SAFETY: the library is nvJitLink and exports these names; nvJitLink.h declares them with these types.
    unsafe {
        Some(Functions {
            create: std::mem::transmute::<*const c_void, Create>(at("nvJitLinkCreate")?),
            destroy: std::mem::transmute::<*const c_void, Destroy>(at("nvJitLinkDestroy")?),
            add_data: std::mem::transmute::<*const c_void, AddData>(at("nvJitLinkAddData")?),
            add_file: std::mem::transmute::<*const c_void, AddFile>(at("nvJitLinkAddFile")?),
            complete: std::mem::transmute::<*const c_void, Complete>(at("nvJitLinkComplete")?),
            cubin_size: std::mem::transmute::<*const c_void, Size>(at(
                "nvJitLinkGetLinkedCubinSize",
            )?),
            cubin: std::mem::transmute::<*const c_void, Get>(at("nvJitLinkGetLinkedCubin")?),
        })
    }
}

impl Functions {
    /// Our functions in the place of those of one nvJitLink.
    const fn ours<const N: usize>() -> Self {
        Self {
            create: create::<N>,
            destroy: destroy::<N>,
            add_data: add_data::<N>,
            add_file: add_file::<N>,
            complete: complete::<N>,
            cubin_size: cubin_size::<N>,
            cubin: cubin::<N>,
        }
    }
}

static OURS: [Functions; super::MAX_LOADED] = [
    Functions::ours::<0>(),
    Functions::ours::<1>(),
    Functions::ours::<2>(),
    Functions::ours::<3>(),
    Functions::ours::<4>(),
    Functions::ours::<5>(),
    Functions::ours::<6>(),
    Functions::ours::<7>(),
];

/// Work with the nvJitLink of a number.
fn answer(number: usize, work: impl FnOnce(&Functions) -> Answer) -> Answer {
    LOADED.answer(number, INTERNAL, work)
}

/// Asks for, or changes, what is known of a handle.
fn job<T>(number: usize, handle: Handle, work: impl FnOnce(&mut Job) -> T) -> Option<T> {
    LOADED.state(number, |jobs| jobs.get_mut(&handle.addr()).map(work)).flatten()
}

impl Job {
    /// Takes an input that nvJitLink has taken.
    fn add(&mut self, kind: c_uint, bytes: &[u8], name: &str) {
        let text = || {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            String::from_utf8_lossy(&bytes[..end]).into_owned()
        };
        match kind {
            INPUT_LIBRARY | INPUT_ANY if is_device_runtime(bytes) => self.runtime = true,
            INPUT_PTX => self.inputs.push(Ptx { name: name.to_owned(), text: text() }),
            INPUT_ANY if is_text(bytes) => {
                self.inputs.push(Ptx { name: name.to_owned(), text: text() });
            }
            _ => {
                self.other.get_or_insert_with(|| format!("{} ({name})", what(kind)));
            }
        }
    }

    /// Links the texts, after nvJitLink has linked its inputs.
    fn link(self) -> Self {
        if self.makes_ptx {
            return self;
        }
        if let Some(other) = &self.other {
            tell_not(other);
            return self;
        }
        match link(self.inputs.clone(), self.runtime) {
            Ok(ptx) => {
                tell();
                let mut bytes = ptx.text.into_bytes();
                bytes.push(0);
                Self { linked: Some(bytes), ..self }
            }
            Err(why) => {
                say(format_args!("texunit cannot link what nvJitLink links: {why}"));
                self
            }
        }
    }
}

/// Whether bytes are PTX, which begins with a directive or a comment: objects, fatbins, archives and LTO code begin
/// with numbers of their own.
fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    start.starts_with(b".version") || start.starts_with(b"//") || start.starts_with(b"/*")
}

/// What an input is, by its `nvJitLinkInputType`.
fn what(kind: c_uint) -> &'static str {
    match kind {
        1 => "machine code",
        3 => "LTO code",
        4 => "a fatbin",
        5 => "an object",
        6 => "a library",
        7 => "an index",
        _ => "an input that is no PTX",
    }
}

/// Says once in a process what is done.
fn tell() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        say(format_args!(
            "the program links PTX to machine code with nvJitLink; it gets the linked PTX, which is what texunit runs, as \
             nvJitLinkGetLinkedCubin's result"
        ));
    });
}

/// Says once in a process what cannot be done.
fn tell_not(other: &str) {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        say(format_args!(
            "the program links {other} to machine code with nvJitLink, which texunit does not run: it takes the place of \
             that code where all inputs are PTX (nvcc -ptx, nvrtc without -dlto, numba-cuda with lto=False)"
        ));
    });
}

/// A name, if there is one.
///
/// # Safety
/// It is null or a C string.
unsafe fn named(name: *const c_char) -> String {
    if name.is_null() {
        return "input.ptx".to_owned();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// `nvJitLinkCreate`
unsafe extern "C" fn create<const N: usize>(
    handle: *mut Handle,
    count: c_uint,
    options: *const *const c_char,
) -> Answer {
    answer(N, |own| {
        // SAFETY: the caller's own arguments.
        let result = unsafe { (own.create)(handle, count, options) };
        if result == 0 && !handle.is_null() {
            // SAFETY: nvJitLink has taken this list, which is so long, and has written the handle.
            let (options, handle) = unsafe { (read(count as usize, options), *handle) };
            let options = options.unwrap_or_default();
            let has = |name: &[u8]| options.iter().any(|o| o.to_bytes().trim_ascii() == name);
            let job = Job { makes_ptx: has(b"-lto") && has(b"-ptx"), ..Job::default() };
            LOADED.state(N, |jobs| jobs.insert(handle.addr(), job));
        }
        result
    })
}

/// `nvJitLinkDestroy`
unsafe extern "C" fn destroy<const N: usize>(handle: *mut Handle) -> Answer {
    answer(N, |own| {
        if !handle.is_null() {
            // SAFETY: a pointer to a handle, which is not null.
            let handle = unsafe { *handle };
            // Before it is gone: its address may be the next one's.
            LOADED.state(N, |jobs| jobs.remove(&handle.addr()));
        }
        // SAFETY: the caller's own argument.
        unsafe { (own.destroy)(handle) }
    })
}

/// `nvJitLinkAddData`
unsafe extern "C" fn add_data<const N: usize>(
    handle: Handle,
    kind: c_uint,
    data: *const c_void,
    size: usize,
    name: *const c_char,
) -> Answer {
    answer(N, |own| {
        // SAFETY: the caller's own arguments.
        let result = unsafe { (own.add_data)(handle, kind, data, size, name) };
        if result == 0 && !data.is_null() {
            // SAFETY: nvJitLink has taken these bytes and this name.
            let (bytes, name) =
                unsafe { (std::slice::from_raw_parts(data.cast::<u8>(), size), named(name)) };
            job(N, handle, |job| job.add(kind, bytes, &name));
        }
        result
    })
}

/// `nvJitLinkAddFile`
unsafe extern "C" fn add_file<const N: usize>(
    handle: Handle,
    kind: c_uint,
    file: *const c_char,
) -> Answer {
    answer(N, |own| {
        // SAFETY: the caller's own arguments.
        let result = unsafe { (own.add_file)(handle, kind, file) };
        if result == 0 {
            // SAFETY: nvJitLink has taken this name.
            let name = unsafe { named(file) };
            // A file that is gone since is no PTX.
            let bytes = std::fs::read(&name).unwrap_or_default();
            let kind = if bytes.is_empty() { 0 } else { kind };
            job(N, handle, |job| job.add(kind, &bytes, &name));
        }
        result
    })
}

/// `nvJitLinkComplete`
unsafe extern "C" fn complete<const N: usize>(handle: Handle) -> Answer {
    answer(N, |own| {
        // SAFETY: the caller's own argument.
        let result = unsafe { (own.complete)(handle) };
        // nvJitLink's mistakes are its own matter. Others may link meanwhile.
        if result == 0
            && let Some(taken) = job(N, handle, std::mem::take)
        {
            let linked = taken.link();
            job(N, handle, |job| *job = linked);
        }
        result
    })
}

/// `nvJitLinkGetLinkedCubinSize`
unsafe extern "C" fn cubin_size<const N: usize>(handle: Handle, size: *mut usize) -> Answer {
    answer(N, |own| {
        let linked = job(N, handle, |job| job.linked.as_ref().map(Vec::len)).flatten();
        if let Some(linked) = linked.filter(|_| !size.is_null()) {
            // SAFETY: the caller's own place.
            unsafe { size.write(linked) };
            return 0;
        }
        // SAFETY: the caller's own arguments.
        unsafe { (own.cubin_size)(handle, size) }
    })
}

/// `nvJitLinkGetLinkedCubin`
unsafe extern "C" fn cubin<const N: usize>(handle: Handle, to: *mut c_void) -> Answer {
    answer(N, |own| {
        let give = |bytes: &Vec<u8>| {
            // SAFETY: the caller has asked for the size, and has so much room.
            unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        };
        let given = || job(N, handle, |job| job.linked.as_ref().map(give)).flatten();
        if !to.is_null() && given().is_some() {
            return 0;
        }
        // SAFETY: the caller's own arguments.
        unsafe { (own.cubin)(handle, to) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_versions() {
        let is = |name: &str| is_nvjitlink(&Path::new("/a b/lib").join(name));
        assert!(is("libnvJitLink.so.12") && is("libnvJitLink-0af1.so.13") && is("libnvJitLink.so"));
        assert!(!is("libnvJitLink_static.a") && !is("libnvrtc.so.12"));
        assert_eq!(plain("__nvJitLinkAddData_12_0"), "nvJitLinkAddData");
        assert_eq!(plain("nvJitLinkAddData"), "nvJitLinkAddData");
        let some = |names: &[(&str, usize)]| {
            let all = names.iter().map(|&(name, at)| (name.to_owned(), at));
            functions(&all.collect()).map(|found| found.create as usize)
        };
        let mut names = vec![
            ("nvJitLinkDestroy", 1),
            ("nvJitLinkAddData", 2),
            ("nvJitLinkAddFile", 3),
            ("nvJitLinkComplete", 4),
            ("nvJitLinkGetLinkedCubinSize", 5),
            ("nvJitLinkGetLinkedCubin", 6),
        ];
        assert_eq!(some(&names), None);
        names.extend([("__nvJitLinkCreate_12_9", 7), ("__nvJitLinkCreate_12_10", 8)]);
        assert_eq!(some(&names), Some(8));
        names.push(("nvJitLinkCreate", 9));
        assert_eq!(some(&names), Some(9));
    }

    #[test]
    fn inputs_are_known_by_kind_or_content() {
        let ptx = b".version 8.0\n.target sm_80\0rest";
        let taken = |kind: c_uint, bytes: &[u8]| {
            let mut job = Job::default();
            job.add(kind, bytes, "x");
            (job.inputs.len(), job.other)
        };
        assert_eq!(taken(INPUT_PTX, ptx), (1, None));
        assert_eq!(taken(INPUT_ANY, ptx), (1, None));
        assert_eq!(taken(INPUT_ANY, b"\n// Generated\n.version 8.0"), (1, None));
        for (kind, bytes, named) in [
            (3, &b"\x7fNCED"[..], "LTO code (x)"),
            (INPUT_ANY, b"\x7fELF.version.target", "an input that is no PTX (x)"),
            (INPUT_ANY, b"\x50\xed\x55\xba.version", "an input that is no PTX (x)"),
            (INPUT_LIBRARY, b"!<arch>\n", "a library (x)"),
        ] {
            assert_eq!(taken(kind, bytes), (0, Some(named.to_owned())), "{kind}");
        }
    }
}
