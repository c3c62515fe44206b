//! PTX and fatbin files, loaded by each function that accepts a file, and invalid images.

use crate::common::*;
use std::ffi::{CString, OsStr, c_char};
use std::os::unix::ffi::OsStrExt;
use std::ptr::{null, null_mut};
use texunit_cuda_abi::CUresult;
use texunit_testkit::TempDir;

crate::common::functions! {
    cuLibraryLoadFromFile(
        library: *mut Ptr, name: *const c_char, jit: *const u32, values: *mut usize, n: u32,
        options: *const u32, more: *const Ptr, m: u32,
    );
    cuLinkAddFile(
        state: Ptr, kind: u32, name: *const c_char, n: u32, options: *const u32, values: *mut usize,
    );
    cuModuleLoadFatBinary(module: *mut Ptr, image: *const u8);
}

const TEXT: &str = ".version 8.0\n.target sm_75\n.address_size 64\n.entry k() { ret; }\n";
const FATBIN: &[u8] = include_bytes!("../data/zstd.fatbin");

/// A folder of files with names for C, which may contain any bytes.
struct Folder(TempDir);

impl Folder {
    fn new(name: &str) -> Self {
        Self(TempDir::new(name))
    }

    fn path(&self, name: &[u8]) -> CString {
        CString::new(self.0.join(OsStr::from_bytes(name)).as_os_str().as_bytes()).unwrap()
    }

    fn file(&self, name: &[u8], bytes: &[u8]) -> CString {
        self.0.file(OsStr::from_bytes(name), bytes);
        self.path(name)
    }
}

#[test]
fn modules_and_libraries_are_loaded() {
    context();
    let folder = Folder::new("files");
    let (none, mut handle) = (null_mut::<usize>(), null_mut());
    let at = &raw mut handle;
    let fine = [
        folder.file(b"a.ptx", TEXT.as_bytes()),
        folder.file(b"a.fatbin", FATBIN),
        // File names are bytes, not text.
        folder.file(b"\xff\xfe.ptx", TEXT.as_bytes()),
    ];
    for file in &fine {
        ok!(cuModuleLoad(at, file.as_ptr()));
        ok!(cuModuleUnload(handle));
        ok!(cuLibraryLoadFromFile(at, file.as_ptr(), null(), none, 0, null(), null(), 0));
        ok!(cuLibraryUnload(handle));
    }
    let (bad, absent) = (folder.file(b"a.bad", b"no module"), folder.path(b"absent"));
    // A driver returns INVALID_IMAGE for a file of an unknown format. SAFETY: a string and a local
    // variable.
    let code = unsafe { cuModuleLoad(at, bad.as_ptr()) };
    assert!(matches!(code, CUresult::INVALID_IMAGE | CUresult::INVALID_PTX), "{code:?}");
    for name in [absent, folder.path(b""), folder.path(b"\xff")] {
        fails!(FILE_NOT_FOUND, cuModuleLoad(at, name.as_ptr()));
        fails!(
            FILE_NOT_FOUND,
            cuLibraryLoadFromFile(at, name.as_ptr(), null(), none, 0, null(), null(), 0)
        );
    }
    fails!(INVALID_VALUE, cuModuleLoad(at, null()));
}

#[test]
fn files_are_linked() {
    context();
    let folder = Folder::new("linked-files");
    let (text, fatbin) = (folder.file(b"a.ptx", TEXT.as_bytes()), folder.file(b"a.fatbin", FATBIN));
    let absent = folder.path(b"absent");
    // PTX (1) and a fatbin (2) are linked into one module, by either version of the function.
    type Add =
        unsafe extern "C" fn(Ptr, u32, *const c_char, u32, *const u32, *mut usize) -> CUresult;
    let none = null_mut::<usize>();
    for add in [cuLinkAddFile as Add, cuLinkAddFile_v2 as Add] {
        let (mut link, mut image, mut size) = (null_mut(), null(), 0);
        ok!(cuLinkCreate_v2(0, null(), none, &raw mut link));
        ok!(add(link, 1, text.as_ptr(), 0, null(), none));
        fails!(FILE_NOT_FOUND, add(link, 1, absent.as_ptr(), 0, null(), none));
        fails!(INVALID_PTX, add(link, 1, fatbin.as_ptr(), 0, null(), none));
        fails!(INVALID_VALUE, add(link, 1, null(), 0, null(), none));
        ok!(add(link, 2, fatbin.as_ptr(), 0, null(), none));
        ok!(cuLinkComplete(link, &raw mut image, &raw mut size));
        assert!(size > 0);
        let (mut module, mut function) = (null_mut(), null_mut());
        ok!(cuModuleLoadData(&raw mut module, image));
        ok!(cuModuleGetFunction(&raw mut function, module, c"k".as_ptr()));
        ok!(cuModuleUnload(module));
        // After completion nothing can be added.
        fails!(INVALID_VALUE, add(link, 1, text.as_ptr(), 0, null(), none));
        ok!(cuLinkDestroy(link));
        fails!(INVALID_HANDLE, add(link, 1, text.as_ptr(), 0, null(), none));
    }
}

#[test]
fn only_fatbins_are_loaded_as_such() {
    context();
    let mut module = null_mut();
    let at = &raw mut module;
    ok!(cuModuleLoadFatBinary(at, FATBIN.as_ptr()));
    ok!(cuModuleUnload(module));
    // PTX text is not a fatbin, and neither is other data.
    let text = CString::new(TEXT).unwrap();
    for image in [c"nonsense", c"", text.as_c_str()] {
        fails!(INVALID_IMAGE, cuModuleLoadFatBinary(at, image.as_ptr().cast()));
    }
    // A damaged fatbin, and one of machine code.
    let mut damaged = FATBIN.to_vec();
    damaged[4] = 9;
    fails!(INVALID_IMAGE, cuModuleLoadFatBinary(at, damaged.as_ptr()));
    fails!(NO_BINARY_FOR_GPU, cuModuleLoadFatBinary(at, c"\x7fELF".as_ptr().cast()));
    fails!(INVALID_VALUE, cuModuleLoadFatBinary(at, null()));
    fails!(INVALID_VALUE, cuModuleLoadFatBinary(null_mut(), FATBIN.as_ptr()));
}
