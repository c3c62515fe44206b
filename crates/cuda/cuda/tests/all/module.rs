//! Modules, libraries and linking through the exported functions.

use crate::common::*;
use std::ffi::{CStr, CString, c_char};
use std::ptr::{null, null_mut};
use texunit_testkit::Random;

const PLAIN: &[u8] = include_bytes!("../data/plain.fatbin");
const LZ4: &[u8] = include_bytes!("../data/lz4.fatbin");
const ZSTD: &[u8] = include_bytes!("../data/zstd.fatbin");
const NEWER: &[u8] = include_bytes!("../data/newer.fatbin");
const MACHINE: &[u8] = include_bytes!("../data/machine.fatbin");

const PTX: &CStr = ptx!("../ptx/module.ptx");

fn load(image: &[u8]) -> Ptr {
    let mut module = null_mut();
    ok!(cuModuleLoadData(&raw mut module, image.as_ptr()));
    module
}

fn function(module: Ptr, name: &CStr) -> Ptr {
    let mut function = null_mut();
    ok!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()));
    function
}

fn text(pointer: *const c_char) -> String {
    // SAFETY: the library returned a string that lives as long as its module.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap().to_owned()
}

/// Launches one thread with a pointer to an integer; returns the integer afterwards.
fn run_on_int(function: Ptr) -> i32 {
    run_on_int_with(function, 0)
}

/// The same with an integer after the pointer, for kernels that take one.
fn run_on_int_with(function: Ptr, mut value: i32) -> i32 {
    let (mut out, mut result) = (0_u64, [0_u8; 4]);
    ok!(cuMemAlloc_v2(&raw mut out, 4));
    let mut params = [(&raw mut out).cast::<u8>(), (&raw mut value).cast()];
    let none = null_mut();
    ok!(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, none, params.as_mut_ptr(), null_mut()));
    ok!(cuMemcpyDtoH_v2(result.as_mut_ptr(), out, 4));
    ok!(cuMemFree_v2(out));
    i32::from_le_bytes(result)
}

#[test]
fn a_text_is_loaded_and_asked() {
    context();
    let module = load(PTX.to_bytes_with_nul());
    let mut count = 0;
    ok!(cuModuleGetFunctionCount(&raw mut count, module));
    assert_eq!(count, 2);
    let mut all = [null_mut(); 2];
    ok!(cuModuleEnumerateFunctions(all.as_mut_ptr(), 2, module));
    let (second, first) = (function(module, c"second"), function(module, c"first"));
    assert_eq!(all, [second, first]);
    let (mut name, mut back) = (null(), null_mut());
    ok!(cuFuncGetName(&raw mut name, second));
    assert_eq!(text(name), "second");
    ok!(cuFuncGetModule(&raw mut back, second));
    assert_eq!(back, module);
    let (mut address, mut size) = (0, 0);
    ok!(cuModuleGetGlobal_v2(&raw mut address, &raw mut size, module, c"word".as_ptr()));
    let mut word = [0; 4];
    ok!(cuMemcpyDtoH_v2(word.as_mut_ptr(), address, 4));
    assert_eq!((size, word), (4, [7, 0, 0, 0]));
    ok!(cuModuleGetGlobal_v2(null_mut(), &raw mut size, module, c"word".as_ptr()));

    let (mut offset, mut size, mut params) = (0, 0, 0);
    ok!(cuFuncGetParamCount(second, &raw mut params));
    assert_eq!(params, 3);
    for (i, wanted) in [(0, 8), (8, 12), (20, 1)].into_iter().enumerate() {
        ok!(cuFuncGetParamInfo(second, i, &raw mut offset, &raw mut size));
        assert_eq!((offset, size), wanted);
    }
    fails!(INVALID_VALUE, cuFuncGetParamInfo(second, 3, &raw mut offset, &raw mut size));
    let attribute = |number| {
        let mut value = -7;
        ok!(cuFuncGetAttribute(&raw mut value, number, second));
        value
    };
    // Threads, static shared memory, constant memory, PTX version, binary version, dynamic shared
    // memory, carveout.
    assert_eq!([0, 1, 2, 5, 6, 8, 9].map(attribute), [128, 256, 0, 75, 86, 48896, -1]);
    assert!((16..=255).contains(&attribute(4)));
    let mut value = 0;
    fails!(INVALID_VALUE, cuFuncGetAttribute(&raw mut value, 99, second));
    ok!(cuFuncSetAttribute(second, 8, 64 * 1024));
    assert_eq!(attribute(8), 64 * 1024);
    fails!(INVALID_VALUE, cuFuncSetAttribute(second, 8, 99 * 1024));
    fails!(INVALID_VALUE, cuFuncSetAttribute(second, 0, 1));
    ok!(cuModuleUnload(module));
}

#[test]
fn handles_end_with_their_module() {
    context();
    let module = load(PTX.to_bytes_with_nul());
    let first = function(module, c"first");
    let (mut out, mut count) = (null_mut(), 0);
    fails!(NOT_FOUND, cuModuleGetFunction(&raw mut out, module, c"third".as_ptr()));
    fails!(INVALID_HANDLE, cuModuleGetFunction(&raw mut out, first, c"first".as_ptr()));
    fails!(INVALID_VALUE, cuModuleGetFunction(null_mut(), module, c"first".as_ptr()));
    let mut size = 0;
    fails!(NOT_FOUND, cuModuleGetGlobal_v2(null_mut(), &raw mut size, module, c"third".as_ptr()));
    // The driver's codes for a null name, and for null out-pointers.
    fails!(
        INVALID_VALUE,
        cuModuleGetGlobal_v2(null_mut(), &raw mut size, module, c"first".as_ptr())
    );
    fails!(INVALID_VALUE, cuModuleGetGlobal_v2(null_mut(), null_mut(), module, c"word".as_ptr()));
    ok!(cuModuleUnload(module));
    fails!(INVALID_HANDLE, cuModuleUnload(module));
    fails!(INVALID_HANDLE, cuModuleGetFunction(&raw mut out, module, c"first".as_ptr()));
    fails!(INVALID_HANDLE, cuModuleGetFunctionCount(&raw mut count, module));
    let (none, params) = (null_mut(), null_mut());
    fails!(INVALID_HANDLE, cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, none, params, null_mut()));
    // Kernels of another context do not belong to this one.
    let module = load(PTX.to_bytes_with_nul());
    let first = function(module, c"first");
    context();
    fails!(INVALID_HANDLE, cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, none, params, null_mut()));
}

#[test]
fn a_context_takes_its_modules_along() {
    let context = context();
    let module = load(PTX.to_bytes_with_nul());
    ok!(crate::common::cuCtxDestroy_v2(context));
    self::context();
    fails!(INVALID_HANDLE, cuModuleUnload(module));
}

#[test]
fn fatbins_of_every_kind_are_read() {
    context();
    for image in [PLAIN, LZ4, ZSTD] {
        let module = load(image);
        // The highest entry that sm_86 accepts; sm_90a is not accepted.
        assert_eq!(run_on_int(function(module, c"architecture")), 800);
        assert_eq!(run_on_int_with(function(module, c"fill"), 41), 42);
        ok!(cuModuleUnload(module));
    }
    // PTX for later GPUs only: the entry for the lowest of them.
    let module = load(NEWER);
    assert_eq!(run_on_int(function(module, c"architecture")), 900);
    // Through the wrapper structure that nvcc generates.
    let wrapper = Wrapper { magic: 0x4662_43b1, version: 1, data: LZ4.as_ptr(), more: null() };
    let mut module = null_mut();
    ok!(cuModuleLoadData(&raw mut module, (&raw const wrapper).cast()));
    assert_eq!(run_on_int(function(module, c"architecture")), 800);
}

#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    more: *const u8,
}

#[test]
fn what_is_no_module_is_refused() {
    context();
    let mut module = null_mut();
    let mut refused = |image: &[u8]| {
        // SAFETY: an image with correct sizes in its headers, or terminated by zero.
        unsafe { cuModuleLoadData(&raw mut module, image.as_ptr()) }.name()
    };
    assert_eq!(refused(MACHINE), "CUDA_ERROR_NO_BINARY_FOR_GPU");
    assert_eq!(refused(b"\x7fELF\x02\x01\x01\0"), "CUDA_ERROR_NO_BINARY_FOR_GPU");
    assert_eq!(refused(b"\0"), "CUDA_ERROR_INVALID_PTX");
    assert_eq!(refused(b"int main() {}\0"), "CUDA_ERROR_INVALID_PTX");
    assert_eq!(
        refused(b".version 8.0\n.target sm_75\n.visible .entry\0"),
        "CUDA_ERROR_INVALID_PTX"
    );
    let mut damaged = PLAIN.to_vec();
    damaged[4] = 9;
    assert_eq!(refused(&damaged), "CUDA_ERROR_INVALID_IMAGE");
    // SAFETY: null pointers and missing files are refused.
    unsafe {
        assert_eq!(cuModuleLoadData(&raw mut module, null()).name(), "CUDA_ERROR_INVALID_VALUE");
        let missing = c"/no/such/file".as_ptr();
        assert_eq!(cuModuleLoad(&raw mut module, missing).name(), "CUDA_ERROR_FILE_NOT_FOUND");
    }
}

/// An NVIDIA H200 (sm_90) with driver 580.159.04, CUDA 13.0, returned these on 2026-11-28.
#[test]
fn queries_and_references_that_a_driver_does_not_load() {
    context();
    let load = |globals: &str, params: &str, body: &str| {
        let mode = if globals.contains(".samplerref") { ", texmode_independent" } else { "" };
        let text = format!(
            ".version 8.0\n.target sm_75{mode}\n.address_size 64\n{globals}\n.visible .entry k({params})\n{{\n.reg .b32 %r;\n\
             .reg .b64 %h;\nmov.u64 %h, 0;\n{body}\nret;\n}}\0"
        );
        let mut module = null_mut();
        // SAFETY: a text terminated by zero.
        unsafe { cuModuleLoadData(&raw mut module, text.as_ptr()) }.name()
    };
    let query = |what: &str| load("", "", &format!("{what}.b32 %r, [%h];"));
    for size in ["width", "height", "depth"] {
        assert_eq!(query(&format!("txq.{size}")), "CUDA_SUCCESS");
        assert_eq!(query(&format!("suq.{size}")), "CUDA_SUCCESS");
    }
    assert_eq!(load("", "", "txq.level.width.b32 %r, [%h], 1;"), "CUDA_SUCCESS");
    for attribute in ["channel_data_type", "channel_order", "array_size"] {
        assert_eq!(query(&format!("txq.{attribute}")), "CUDA_ERROR_NOT_FOUND");
        assert_eq!(query(&format!("suq.{attribute}")), "CUDA_ERROR_NOT_SUPPORTED");
    }
    for attribute in
        ["normalized_coords", "num_mipmap_levels", "num_samples", "filter_mode", "addr_mode_2"]
    {
        assert_eq!(query(&format!("txq.{attribute}")), "CUDA_ERROR_NOT_FOUND");
    }
    assert_eq!(query("suq.memory_layout"), "CUDA_ERROR_NOT_SUPPORTED");
    let sampler = ".global .samplerref s = { addr_mode_0 = wrap };";
    assert_eq!(load(sampler, "", ""), "CUDA_ERROR_NOT_FOUND");
    assert_eq!(load(sampler, ".param .texref t", ""), "CUDA_ERROR_INVALID_IMAGE");
    assert_eq!(
        load("", ".param .surfref s", "suq.array_size.b32 %r, [s];"),
        "CUDA_ERROR_NOT_SUPPORTED"
    );
    assert_eq!(load(".global .texref t;\n.global .surfref s;", "", ""), "CUDA_SUCCESS");
}

#[test]
fn damaged_fatbins_never_end_the_process() {
    context();
    let mut random = Random::for_test(0x1234_5678);
    let mut loaded = 0;
    for round in 0..600 {
        let whole = [PLAIN, LZ4, ZSTD][round % 3];
        let mut bytes = whole.to_vec();
        for _ in 0..1 + random.below(4) {
            // Mutates headers more often than texts, and never the total size, which limits what is
            // read.
            let at = 16 + random.below(if round % 2 == 0 { 160 } else { whole.len() as u64 - 16 });
            bytes[at as usize] = random.u32() as u8;
        }
        let mut module = null_mut();
        // SAFETY: the size in the fatbin's header is unchanged.
        let result = unsafe { cuModuleLoadData(&raw mut module, bytes.as_ptr()) };
        let name = result.name();
        assert!(
            [
                "CUDA_SUCCESS",
                "CUDA_ERROR_INVALID_IMAGE",
                "CUDA_ERROR_INVALID_PTX",
                "CUDA_ERROR_NO_BINARY_FOR_GPU",
                "CUDA_ERROR_OUT_OF_MEMORY"
            ]
            .contains(&name.as_str()),
            "{name}"
        );
        if result.0 == 0 {
            loaded += 1;
            ok!(cuModuleUnload(module));
        }
    }
    assert!(loaded > 0 && loaded < 600, "{loaded}");
}

#[test]
fn mistakes_go_to_the_log() {
    context();
    let mut log = [1_u8; 512];
    let wrong = c".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { mov.u32 %r1, 1; ret; }";
    // Error log, its size, info log size without a buffer, wall time, optimisation level.
    let options = [5, 6, 4, 2, 7];
    let mut values = [log.as_mut_ptr() as usize, log.len(), 0, 99, 4];
    let mut module = null_mut();
    fails!(
        INVALID_PTX,
        cuModuleLoadDataEx(
            &raw mut module,
            wrong.as_ptr().cast(),
            5,
            options.as_ptr(),
            values.as_mut_ptr()
        )
    );
    let said = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert!(said.contains("%r1") && said.contains("error["), "{said}");
    assert_eq!(values[1], said.len());
    assert!(f32::from_bits(values[3] as u32) < 10_000.0);
    // A small buffer is filled, and terminated by zero.
    let mut small = [1_u8; 8];
    let mut values = [small.as_mut_ptr() as usize, small.len()];
    fails!(
        INVALID_PTX,
        cuModuleLoadDataEx(
            &raw mut module,
            wrong.as_ptr().cast(),
            2,
            options.as_ptr(),
            values.as_mut_ptr()
        )
    );
    assert_eq!((small[7], values[1]), (0, 7));
    fails!(
        INVALID_VALUE,
        cuModuleLoadDataEx(
            &raw mut module,
            wrong.as_ptr().cast(),
            1,
            [77].as_ptr(),
            values.as_mut_ptr()
        )
    );
}

#[test]
fn libraries_are_loaded_where_they_are_used() {
    context();
    let (mut library, mut kernel, mut back) = (null_mut(), null_mut(), null_mut());
    let image = PTX.as_ptr().cast();
    ok!(cuLibraryLoadData(&raw mut library, image, null(), null_mut(), 0, null(), null(), 0));
    let mut count = 0;
    ok!(cuLibraryGetKernelCount(&raw mut count, library));
    assert_eq!(count, 2);
    ok!(cuLibraryGetKernel(&raw mut kernel, library, c"second".as_ptr()));
    fails!(NOT_FOUND, cuLibraryGetKernel(&raw mut kernel, library, c"third".as_ptr()));
    let mut name = null();
    ok!(cuKernelGetName(&raw mut name, kernel));
    assert_eq!(text(name), "second");
    ok!(cuKernelGetLibrary(&raw mut back, kernel));
    assert_eq!(back, library);
    ok!(cuKernelSetAttribute(8, 1000, kernel, 0));
    // A managed variable exists without a context.
    ok!(crate::common::cuCtxSetCurrent(null_mut()));
    let (mut address, mut size) = (0, 0);
    ok!(cuLibraryGetManaged(&raw mut address, &raw mut size, library, c"shared_word".as_ptr()));
    assert!(address != 0 && size == 4);
    context();
    let functions: Vec<Ptr> = (0..2)
        .map(|i| {
            if i == 1 {
                context();
            }
            let (mut function, mut value) = (null_mut(), 0);
            ok!(cuKernelGetFunction(&raw mut function, kernel));
            ok!(cuFuncGetAttribute(&raw mut value, 8, function));
            assert_eq!(value, 1000);
            ok!(cuKernelGetAttribute(&raw mut value, 0, kernel, 0));
            assert_eq!(value, 128);
            function
        })
        .collect();
    assert_ne!(functions[0], functions[1]);
    // A kernel is launched in the current context. (Parameters: 21 bytes.)
    let (mut first, none) = (null_mut(), null_mut());
    ok!(cuLibraryGetKernel(&raw mut first, library, c"first".as_ptr()));
    ok!(cuLaunchKernel(first, 1, 1, 1, 1, 1, 1, 0, none, null_mut(), null_mut()));
    let (mut address, mut size) = (0, 0);
    ok!(cuLibraryGetGlobal(&raw mut address, &raw mut size, library, c"word".as_ptr()));
    assert_eq!(size, 4);
    fails!(
        NOT_FOUND,
        cuLibraryGetManaged(&raw mut address, &raw mut size, library, c"word".as_ptr())
    );
    ok!(cuLibraryGetManaged(&raw mut address, &raw mut size, library, c"shared_word".as_ptr()));
    let mut module = null_mut();
    ok!(cuLibraryGetModule(&raw mut module, library));
    ok!(cuLibraryUnload(library));
    fails!(INVALID_HANDLE, cuLibraryUnload(library));
    fails!(INVALID_HANDLE, cuModuleUnload(module));
    fails!(INVALID_HANDLE, cuKernelGetFunction(&raw mut back, kernel));
    let mut value = 0;
    fails!(INVALID_HANDLE, cuFuncGetAttribute(&raw mut value, 0, functions[0]));
}

const USES: &CStr = ptx!("../ptx/module_uses.ptx");

const DEFINES: &CStr = ptx!("../ptx/module_defines.ptx");

#[test]
fn texts_are_linked() {
    context();
    for inputs in [[USES, DEFINES], [DEFINES, USES]] {
        let (mut state, mut image, mut size) = (null_mut(), null(), 0);
        ok!(cuLinkCreate_v2(0, null(), null_mut(), &raw mut state));
        for input in inputs {
            let (data, length) = (input.as_ptr().cast(), input.to_bytes_with_nul().len());
            ok!(cuLinkAddData_v2(state, 1, data, length, c"part".as_ptr(), 0, null(), null_mut()));
        }
        ok!(cuLinkComplete(state, &raw mut image, &raw mut size));
        let mut module = null_mut();
        ok!(cuModuleLoadData(&raw mut module, image));
        assert!(size > 100);
        ok!(cuLinkDestroy(state));
        fails!(INVALID_HANDLE, cuLinkDestroy(state));
        // 2 * 20 + 100 from the first text, 3 from the second.
        assert_eq!(run_on_int(function(module, c"run")), 143);
    }
}

#[test]
fn what_cannot_be_linked_is_said() {
    context();
    let mut log = [0_u8; 256];
    let mut values = [log.as_mut_ptr() as usize, log.len()];
    let (mut state, mut image, mut size) = (null_mut(), null(), 0);
    ok!(cuLinkCreate_v2(2, [5, 6].as_ptr(), values.as_mut_ptr(), &raw mut state));
    let add = |kind: u32, bytes: &[u8]| {
        let name = CString::new("a.ptx").unwrap();
        // SAFETY: the buffer has the returned number of bytes.
        unsafe {
            cuLinkAddData_v2(
                state,
                kind,
                bytes.as_ptr(),
                bytes.len(),
                name.as_ptr(),
                0,
                null(),
                null_mut(),
            )
        }
        .name()
    };
    assert_eq!(add(1, b".version 8.0 .target sm_75 .visible .entry"), "CUDA_ERROR_INVALID_PTX");
    assert_eq!(add(0, b"\x7fELF rest"), "CUDA_ERROR_NO_BINARY_FOR_GPU");
    assert_eq!(add(5, b"BC\xc0\xde"), "CUDA_ERROR_NOT_SUPPORTED");
    assert_eq!(add(1, b""), "CUDA_ERROR_INVALID_VALUE");
    assert_eq!(add(1, DEFINES.to_bytes()), "CUDA_SUCCESS");
    assert_eq!(add(1, DEFINES.to_bytes()), "CUDA_SUCCESS");
    fails!(INVALID_PTX, cuLinkComplete(state, &raw mut image, &raw mut size));
    let said = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
    assert!(said.contains("`base` is defined in"), "{said}");
    ok!(cuLinkDestroy(state));
}
