//! Registered host memory: which memory can be registered, how kernels can access it, and what
//! happens to its users when it is unregistered or unmapped.

#![cfg(target_os = "linux")]

use crate::common::*;
use crate::world::cuTexObjectCreate;
use std::ffi::{CStr, c_int, c_void};
use std::io::Write;
use std::process::Command;
use std::ptr::null_mut;
use texunit_cuda_abi::{CU_TRSF_READ_AS_INTEGER, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUresult};

const READ_ONLY: u32 = 8;
const PAGE: usize = 4096;
const SIZE: usize = 4 * PAGE;

const PTX: &CStr = ptx!("../ptx/registered.ptx");

unsafe extern "C" {
    fn mmap(
        at: *mut c_void,
        size: usize,
        rights: c_int,
        flags: c_int,
        file: c_int,
        from: i64,
    ) -> *mut c_void;
    fn munmap(at: *mut c_void, size: usize) -> c_int;
    fn mprotect(at: *mut c_void, size: usize, rights: c_int) -> c_int;
}

const READ: c_int = 1;
const WRITE: c_int = 2;
const PRIVATE: c_int = 2;
const ANONYMOUS: c_int = 0x20;
const FIXED: c_int = 0x10;

/// New readable and writable pages, with a number in the first word of each.
fn pages() -> *mut u32 {
    // SAFETY: new pages at an address chosen by the system.
    let pages = unsafe { mmap(null_mut(), SIZE, READ | WRITE, PRIVATE | ANONYMOUS, -1, 0) };
    assert_ne!(pages as isize, -1);
    for page in 0..SIZE / PAGE {
        // SAFETY: the offset is within the allocation.
        unsafe { pages.cast::<u32>().add(page * PAGE / 4).write(100 + page as u32) };
    }
    pages.cast()
}

/// Discards the contents of pages and makes them inaccessible. They stay mapped, as other threads
/// of the tests map memory, too, and would soon fill a hole.
fn empty(pages: *mut u32, size: usize) {
    // SAFETY: no reference to them remains.
    let at = unsafe { mmap(pages.cast(), size, 0, PRIVATE | ANONYMOUS | FIXED, -1, 0) };
    assert_eq!(at.cast(), pages);
}

fn unmap(pages: *mut u32, size: usize) {
    // SAFETY: no reference to them remains.
    assert_eq!(unsafe { munmap(pages.cast(), size) }, 0);
}

fn protect(pages: *mut u32, size: usize, rights: c_int) {
    // SAFETY: no Rust reference to the pages exists, so that a change of their rights cannot
    // invalidate one.
    assert_eq!(unsafe { mprotect(pages.cast(), size, rights) }, 0);
}

/// A context with the kernels and a word for their result.
struct Here {
    module: Ptr,
    to: u64,
}

impl Here {
    fn new() -> Self {
        context();
        let (mut module, mut to) = (null_mut(), 0);
        ok!(cuModuleLoadData(&raw mut module, PTX.as_ptr().cast()));
        ok!(cuMemAlloc_v2(&raw mut to, 4));
        Self { module, to }
    }

    /// Launches one of the kernels; returns the context's result, and the word.
    fn launch(&self, name: &CStr, threads: u32, mut value: u64) -> Result<u32, CUresult> {
        let (mut f, no, mut to) = (null_mut(), null_mut(), self.to);
        ok!(cuModuleGetFunction(&raw mut f, self.module, name.as_ptr()));
        let mut params = [(&raw mut value).cast::<u8>(), (&raw mut to).cast()];
        ok!(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, no, params.as_mut_ptr(), null_mut()));
        // SAFETY: the call takes no pointers.
        match unsafe { cuCtxSynchronize() } {
            CUresult::SUCCESS => {
                let mut word = 0_u32;
                ok!(cuMemcpyDtoH_v2((&raw mut word).cast(), self.to, 4));
                Ok(word)
            }
            code => Err(code),
        }
    }
}

const ILLEGAL: Result<u32, CUresult> = Err(CUresult::ILLEGAL_ADDRESS);

fn register(pages: *mut u32, flags: u32) -> u64 {
    ok!(cuMemHostRegister_v2(pages.cast(), SIZE, flags));
    let mut address = 0;
    ok!(cuMemHostGetDevicePointer_v2(&raw mut address, pages.cast(), 0));
    address
}

fn texture(address: u64) -> Result<u64, CUresult> {
    let resource = CUDA_RESOURCE_DESC { format: 0x03, ..linear(address, 64) };
    let how = CUDA_TEXTURE_DESC { flags: CU_TRSF_READ_AS_INTEGER, ..CUDA_TEXTURE_DESC::default() };
    let mut object = 0;
    // SAFETY: all pointers are to local variables.
    match unsafe {
        cuTexObjectCreate(&raw mut object, &raw const resource, &raw const how, std::ptr::null())
    } {
        CUresult::SUCCESS => Ok(object),
        code => Err(code),
    }
}

#[test]
fn what_is_not_mapped_with_the_rights_that_are_asked_for_is_refused() {
    context();
    let pages = pages();
    let all = || pages.cast::<c_void>();
    // A hole in the middle.
    empty(pages.wrapping_add(PAGE / 4), PAGE);
    fails!(INVALID_VALUE, cuMemHostRegister_v2(all(), SIZE, 0));
    fails!(INVALID_VALUE, cuMemHostRegister_v2(all(), SIZE, READ_ONLY));
    ok!(cuMemHostRegister_v2(all(), PAGE, 0));
    ok!(cuMemHostUnregister(all()));
    // Read-only pages at the end of a writable range.
    protect(pages.wrapping_add(3 * PAGE / 4), PAGE, READ);
    let end = pages.wrapping_add(2 * PAGE / 4).cast::<c_void>();
    fails!(INVALID_VALUE, cuMemHostRegister_v2(end, 2 * PAGE, 0));
    ok!(cuMemHostRegister_v2(end, 2 * PAGE, READ_ONLY));
    ok!(cuMemHostUnregister(end));
    protect(pages.wrapping_add(3 * PAGE / 4), PAGE, 0);
    fails!(INVALID_VALUE, cuMemHostRegister_v2(end, 2 * PAGE, READ_ONLY));
    empty(pages, SIZE);
    fails!(INVALID_VALUE, cuMemHostRegister_v2(all(), SIZE, 0));
    unmap(pages, SIZE);
}

#[test]
fn a_mapping_longer_than_its_file_is_refused() {
    use std::os::fd::AsRawFd;
    context();
    let folder = texunit_testkit::TempDir::new("registered");
    let path = folder.file("short", vec![1; PAGE + 100]);
    let file = std::fs::File::open(&path).unwrap();
    // SAFETY: a new mapping, of which nothing behind the end of the file is read.
    let mapped = unsafe { mmap(null_mut(), SIZE, READ, PRIVATE, file.as_raw_fd(), 0) };
    assert_ne!(mapped as isize, -1);
    std::fs::remove_file(&path).unwrap();
    fails!(INVALID_VALUE, cuMemHostRegister_v2(mapped, SIZE, READ_ONLY));
    ok!(cuMemHostRegister_v2(mapped, 2 * PAGE, READ_ONLY));
    ok!(cuMemHostUnregister(mapped));
    unmap(mapped.cast(), SIZE);
}

#[test]
fn memory_that_is_registered_to_be_read_is_only_read() {
    let pages = pages();
    for (kernel, threads) in [(c"store", 1), (c"store", 32), (c"add", 1)] {
        let here = Here::new();
        let at = register(pages, READ_ONLY);
        assert_eq!(here.launch(c"load", 1, at), Ok(100));
        let object = texture(at).unwrap();
        assert_eq!(here.launch(c"fetch", 1, object), Ok(100));
        // It can be the source of copies, but not the destination.
        ok!(cuMemcpyDtoD_v2(here.to, at + PAGE as u64, 4));
        fails!(INVALID_VALUE, cuMemcpyDtoD_v2(at, here.to, 4));
        fails!(INVALID_VALUE, cuMemcpyHtoD_v2(at, [0_u8; 4].as_ptr(), 4));
        fails!(INVALID_VALUE, cuMemsetD8_v2(at, 1, 4));
        assert_eq!(here.launch(kernel, threads, at), ILLEGAL, "{kernel:?}");
        // SAFETY: nobody else uses the pages.
        assert_eq!(unsafe { pages.read() }, 100);
        // The context is destroyed, but the memory is the program's. It is not registered in other
        // contexts.
        let _other = context();
        ok!(cuMemHostUnregister(pages.cast()));
    }
    // On pages that the program itself cannot write, a store would end the process.
    protect(pages, SIZE, READ);
    let here = Here::new();
    let at = register(pages, READ_ONLY);
    assert_eq!(here.launch(c"load", 1, at), Ok(100));
    assert_eq!(here.launch(c"store", 32, at), ILLEGAL);
    context();
    ok!(cuMemHostUnregister(pages.cast()));
    unmap(pages, SIZE);
}

#[test]
fn unregistering_ends_textures_too() {
    let here = Here::new();
    let pages = pages();
    let at = register(pages, 0);
    let object = texture(at).unwrap();
    assert_eq!(here.launch(c"fetch", 1, object), Ok(100));
    assert!(here.launch(c"store", 1, at).is_ok());
    assert_eq!(here.launch(c"fetch", 1, object), Ok(77));
    ok!(cuMemHostUnregister(pages.cast()));
    // Another mapping is at the address now, with a secret that no kernel may read. SAFETY: the
    // pages are unused.
    let secret =
        unsafe { mmap(pages.cast(), SIZE, READ | WRITE, PRIVATE | ANONYMOUS | FIXED, -1, 0) };
    assert_eq!(secret.cast(), pages);
    // SAFETY: the pages have just been mapped as writable, and no reference to them exists.
    unsafe { pages.write(0x5e_c2e7) };
    assert_eq!(texture(at), Err(CUresult::INVALID_VALUE));
    fails!(INVALID_VALUE, cuMemsetD8_v2(at, 1, 4));
    assert_eq!(here.launch(c"fetch", 1, object), ILLEGAL);
    let other = Here::new();
    assert_eq!(other.launch(c"load", 1, at), ILLEGAL);
    // After a new registration the memory is usable; the old texture does not refer to it.
    let here = Here::new();
    let at = register(pages, 0);
    let new = texture(at).unwrap();
    assert_eq!(here.launch(c"fetch", 1, new), Ok(0x5e_c2e7));
    ok!(cuTexObjectDestroy(new));
    ok!(cuMemHostUnregister(pages.cast()));
    unmap(pages, SIZE);
}

/// In a separate process, in which no other test maps memory where this one has unmapped it.
#[test]
#[ignore = "a child process of another"]
fn unmaps() {
    // Detected by the launch that uses it; others run.
    let here = Here::new();
    let (lost, kept) = (pages(), pages());
    let (at, fine) = (register(lost, 0), register(kept, 0));
    let object = texture(at).unwrap();
    assert_eq!(here.launch(c"load", 1, at), Ok(100));
    unmap(lost.wrapping_add(PAGE / 4), PAGE);
    assert_eq!(here.launch(c"load", 1, fine), Ok(100));
    writeln!(std::io::stdout(), "lost {SIZE} bytes at {at:#x}").unwrap();
    assert_eq!(here.launch(c"load", 1, at), ILLEGAL);
    let here = Here::new();
    assert_eq!(here.launch(c"fetch", 1, object), ILLEGAL);
    context();
    ok!(cuMemHostUnregister(lost.cast()));
    unmap(lost, PAGE);

    // Detected by a copy in both directions, and by a memory set.
    let here = Here::new();
    for copy in 0..4 {
        let lost = pages();
        let at = register(lost, 0);
        unmap(lost, SIZE);
        let mut bytes = [0_u8; 4];
        match copy {
            0 => fails!(INVALID_VALUE, cuMemcpyDtoD_v2(here.to, at, 4)),
            1 => fails!(INVALID_VALUE, cuMemcpyDtoH_v2(lost.cast(), here.to, 4)),
            2 => fails!(INVALID_VALUE, cuMemcpyDtoH_v2(bytes.as_mut_ptr(), at + 100, 4)),
            _ => fails!(INVALID_VALUE, cuMemsetD8_v2(at, 1, 4)),
        }
        ok!(cuMemHostUnregister(lost.cast()));
    }

    // Detected by the creation of an object.
    let lost = pages();
    let at = register(lost, 0);
    unmap(lost, SIZE);
    assert_eq!(texture(at), Err(CUresult::INVALID_VALUE));
    ok!(cuMemHostUnregister(lost.cast()));

    // Memory that has become read-only can still be read.
    assert_eq!(here.launch(c"load", 1, fine), Ok(100));
    protect(kept, SIZE, READ);
    assert_eq!(here.launch(c"load", 1, fine), Ok(100));
    fails!(INVALID_VALUE, cuMemsetD8_v2(fine, 1, 4));
    assert_eq!(here.launch(c"store", 32, fine), ILLEGAL);
    context();
    ok!(cuMemHostUnregister(kept.cast()));
    unmap(kept, SIZE);
}

#[test]
fn what_is_unmapped_while_it_is_registered_is_noticed() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command
        .args(["registered::unmaps", "--exact", "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}\n{err}");
    // The range is named when the loss is detected, and again by the faults.
    let (_, rest) = out.split_once("lost ").unwrap();
    let range = rest.lines().next().unwrap();
    let line =
        |line: &&str| line.contains(range) && line.contains("was unmapped while it was registered");
    let told: Vec<&str> = err.lines().filter(line).collect();
    assert!(told.iter().any(|line| line.contains("copies of it are refused")), "{err}");
    assert!(told.iter().any(|line| line.contains("error[freed]: load of 4 bytes")), "{err}");
    let texture = |line: &str| line.contains("error[freed]: texture 0x");
    assert!(err.lines().any(|line| texture(line) && line.contains("was unmapped")), "{err}");
}

/// The memory map of the process is read once for all of them.
#[test]
fn many_registrations_cost_little() {
    let here = Here::new();
    let mut bytes = vec![7_u8; 1 << 20];
    let first = bytes.as_mut_ptr();
    for i in 0..4096 {
        ok!(cuMemHostRegister_v2(first.wrapping_add(i * 256).cast(), 128, 0));
    }
    let start = std::time::Instant::now();
    for i in 0..100_u64 {
        assert_eq!(here.launch(c"load", 1, first as u64 + i * 256), Ok(0x0707_0707));
    }
    let time = start.elapsed();
    assert!(time.as_secs() < 20, "{time:?}");
    for i in 0..4096 {
        ok!(cuMemHostUnregister(first.wrapping_add(i * 256).cast()));
    }
}
