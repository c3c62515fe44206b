//! nvJitLink, NVIDIA's linker as a library.
//!
//! It works on the CPU, but its result is machine code (`nvJitLinkGetLinkedCubin`), which texunit
//! does not run. Some of its functions are therefore replaced by functions that call the originals.
//! nvJitLink still checks inputs and writes logs, and all its results but one reach the program
//! unchanged. A program that asks for machine code gets PTX linked to one text, as
//! `cuModuleLoadData` accepts PTX wherever it accepts machine code.
//!
//! * PTX inputs are kept and linked once nvJitLink has accepted them, also PTX that the program has
//!   from nvrtc or nvJitLink as machine code. NVIDIA's device runtime
//!   (`libcudadevrt.a`) is allowed as an input, as in `cuLinkAddFile`.
//! * LTO code (option `-lto`) is turned into PTX by nvJitLink itself, on a second handle with the
//!   option `-ptx` and no other kind of input.
//!
//! PTX in fatbins, objects and libraries is not looked for. A message names an input without PTX,
//! and the program gets nvJitLink's own result unless `-lto` is given.
//!
//! Programs call `nvJitLinkCreate` or the versioned name that the header substitutes,
//! `__nvJitLinkCreate_12_9`; both name the same function.

mod job;

use super::*;
use job::{INPUT_LTO, Job, Lto};
use std::ffi::c_uint;
use texunit_link::Ptx;

type Create = unsafe extern "C" fn(*mut Handle, c_uint, *const *const c_char) -> Status;
type AddData = unsafe extern "C" fn(Handle, c_uint, *const c_void, usize, *const c_char) -> Status;
type AddFile = unsafe extern "C" fn(Handle, c_uint, *const c_char) -> Status;
type Complete = unsafe extern "C" fn(Handle) -> Status;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type Get = unsafe extern "C" fn(Handle, *mut c_void) -> Status;

functions! {
    create: Create = "nvJitLinkCreate" => create;
    destroy: Destroy = "nvJitLinkDestroy" => destroy;
    add_data: AddData = "nvJitLinkAddData" => add_data;
    add_file: AddFile = "nvJitLinkAddFile" => add_file;
    complete: Complete = "nvJitLinkComplete" => complete;
    cubin_size: Size = "nvJitLinkGetLinkedCubinSize" => cubin_size;
    cubin: Get = "nvJitLinkGetLinkedCubin" => cubin;
    ptx_size: Size = "nvJitLinkGetLinkedPtxSize";
    ptx: Get = "nvJitLinkGetLinkedPtx";
}

/// The loaded copies of nvJitLink, each with the jobs of its handles; 6 is
/// `NVJITLINK_ERROR_INTERNAL`.
pub(super) static LOADED: Table<Functions, Job> = Table::new(6);

/// Whether a library is nvJitLink.
pub(super) fn is_nvjitlink(path: &Path) -> bool {
    has_name(path, "libnvJitLink")
}

/// Reads or changes the job of a handle.
fn job<T>(number: usize, handle: Handle, work: impl FnOnce(&mut Job) -> T) -> Option<T> {
    LOADED.handles(number, |jobs| jobs.get_mut(&handle.addr()).map(work)).flatten()
}

/// The PTX that nvJitLink makes of LTO code, or its error.
fn optimised(own: &Functions, lto: &Lto) -> Result<Ptx, Status> {
    let checked = |error: Status| if error == 0 { Ok(()) } else { Err(error) };
    let options: Vec<_> = lto.options.iter().map(|option| option.as_ptr()).collect();
    let (mut handle, mut size): (Handle, usize) = (std::ptr::null_mut(), 0);
    // SAFETY: a list of C strings, and a local variable for the handle.
    checked(unsafe { (own.create)(&mut handle, options.len() as c_uint, options.as_ptr()) })?;
    let mut link = || -> Result<Vec<u8>, Status> {
        for (name, bytes) in &lto.inputs {
            let data = bytes.as_ptr().cast();
            // SAFETY: the handle is our own; the data has this length, and the name is a C string.
            checked(unsafe {
                (own.add_data)(handle, INPUT_LTO, data, bytes.len(), name.as_ptr())
            })?;
        }
        // SAFETY: the handle is our own.
        checked(unsafe { (own.complete)(handle) })?;
        // SAFETY: the handle is our own, and the size is written to a local variable.
        checked(unsafe { (own.ptx_size)(handle, &mut size) })?;
        let mut text = vec![0; size];
        // SAFETY: the handle is our own, and the buffer has the size that nvJitLink returned.
        checked(unsafe { (own.ptx)(handle, text.as_mut_ptr().cast()) })?;
        Ok(text)
    };
    let text = link();
    // SAFETY: the handle is our own.
    unsafe { (own.destroy)(&mut handle) };
    let text = job::text(&text?);
    Ok(Ptx { name: "lto.ptx".to_owned(), text })
}

/// The name, or an empty text if the pointer is null.
///
/// # Safety
/// The pointer is null or to a C string.
unsafe fn named(name: *const c_char) -> String {
    if name.is_null() {
        return "input.ptx".to_owned();
    }
    // SAFETY: the caller upholds this function's safety contract.
    unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned()
}

/// `nvJitLinkCreate`
unsafe extern "C" fn create<const N: usize>(
    handle: *mut Handle,
    count: c_uint,
    options: *const *const c_char,
) -> Status {
    LOADED.answer(N, |own| {
        // SAFETY: the caller's arguments are passed on unchanged.
        let result = unsafe { (own.create)(handle, count, options) };
        if result == 0 && !handle.is_null() {
            // SAFETY: nvJitLink has accepted this list of this length, and has written the handle.
            let (options, handle) = unsafe { (read(count as usize, options), *handle) };
            let job = Job::of(&options.unwrap_or_default());
            LOADED.handles(N, |jobs| jobs.insert(handle.addr(), job));
        }
        result
    })
}

/// `nvJitLinkDestroy`
unsafe extern "C" fn destroy<const N: usize>(handle: *mut Handle) -> Status {
    // SAFETY: the caller's argument is passed on unchanged.
    LOADED.answer(N, |own| unsafe { LOADED.destroy(N, handle, own.destroy) })
}

/// `nvJitLinkAddData`
unsafe extern "C" fn add_data<const N: usize>(
    handle: Handle,
    kind: c_uint,
    data: *const c_void,
    size: usize,
    name: *const c_char,
) -> Status {
    LOADED.answer(N, |own| {
        let bytes = match data.is_null() {
            true => &[][..],
            // SAFETY: the caller's data has this length.
            false => unsafe { std::slice::from_raw_parts(data.cast::<u8>(), size) },
        };
        let kind = job::kind_of(kind, bytes);
        // SAFETY: the caller's arguments, of which only the kind may be another.
        let result = unsafe { (own.add_data)(handle, kind, data, size, name) };
        if result == 0 && !data.is_null() {
            // SAFETY: nvJitLink has accepted this name.
            let name = unsafe { named(name) };
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
) -> Status {
    LOADED.answer(N, |own| {
        // SAFETY: the caller's name is null or a C string.
        let name = unsafe { named(file) };
        // nvJitLink reports a file that cannot be read.
        let bytes = std::fs::read(&name).unwrap_or_default();
        let kind = job::kind_of(kind, &bytes);
        // SAFETY: the caller's arguments, of which only the kind may be another.
        let result = unsafe { (own.add_file)(handle, kind, file) };
        if result == 0 {
            job(N, handle, |job| job.add(kind, &bytes, &name));
        }
        result
    })
}

/// `nvJitLinkComplete`
unsafe extern "C" fn complete<const N: usize>(handle: Handle) -> Status {
    LOADED.answer(N, |own| {
        // SAFETY: the caller's argument is passed on unchanged.
        let result = unsafe { (own.complete)(handle) };
        // nvJitLink reports its own errors. The job is taken out, so that other threads can link
        // meanwhile.
        if result == 0
            && let Some(taken) = job(N, handle, std::mem::take)
        {
            let linked = taken.link(|lto| optimised(own, lto));
            job(N, handle, |job| *job = linked);
        }
        result
    })
}

/// `nvJitLinkGetLinkedCubinSize`
unsafe extern "C" fn cubin_size<const N: usize>(handle: Handle, size: *mut usize) -> Status {
    LOADED.answer(N, |own| {
        let linked = job(N, handle, |job| job.linked.as_ref().map(Vec::len)).flatten();
        if let Some(linked) = linked.filter(|_| !size.is_null()) {
            // SAFETY: the caller's out-pointer.
            unsafe { size.write(linked) };
            return 0;
        }
        // SAFETY: the caller's arguments are passed on unchanged.
        unsafe { (own.cubin_size)(handle, size) }
    })
}

/// `nvJitLinkGetLinkedCubin`
unsafe extern "C" fn cubin<const N: usize>(handle: Handle, to: *mut c_void) -> Status {
    LOADED.answer(N, |own| {
        let give = |bytes: &Vec<u8>| {
            // SAFETY: the caller has queried the size, and its buffer holds this many bytes.
            unsafe { to.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        };
        let given = || job(N, handle, |job| job.linked.as_ref().map(give)).flatten();
        if !to.is_null() && given().is_some() {
            return 0;
        }
        // SAFETY: the caller's arguments are passed on unchanged.
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
            Functions::find(&all.collect()).map(|found| found.create as usize)
        };
        let mut names = vec![
            ("nvJitLinkDestroy", 1),
            ("nvJitLinkAddData", 2),
            ("nvJitLinkAddFile", 3),
            ("nvJitLinkComplete", 4),
            ("nvJitLinkGetLinkedCubinSize", 5),
            ("nvJitLinkGetLinkedCubin", 6),
            ("nvJitLinkGetLinkedPtxSize", 10),
            ("nvJitLinkGetLinkedPtx", 11),
        ];
        assert_eq!(some(&names), None);
        names.extend([("__nvJitLinkCreate_12_9", 7), ("__nvJitLinkCreate_12_10", 8)]);
        assert_eq!(some(&names), Some(8));
        names.push(("nvJitLinkCreate", 9));
        assert_eq!(some(&names), Some(9));
    }
}
