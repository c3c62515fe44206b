//! Linking with NVIDIA's device runtime, and register limits.

use crate::common::*;
use std::ffi::{CStr, CString};
use std::fmt::Write;
use std::ptr::{null, null_mut};

functions! {
    cuLibraryLoadData(
        library: *mut Ptr, code: *const u8, options: *const u32, values: *mut usize, n: u32,
        library_options: *const u32, library_values: *const usize, library_n: u32,
    );
}

const PTX: u32 = 1;
const LIBRARY: u32 = 4;
static MAX_REGISTERS: u32 = 0;
const NUM_REGS: u32 = 4;

/// The start of an archive with an object of this name; the contents of the object do not matter.
fn archive(object: &str) -> Vec<u8> {
    let member = |name: &str, bytes: &[u8]| {
        let header = format!("{name:<16}{:<32}{:<10}`\n", "0", bytes.len());
        [header.as_bytes(), bytes, &b"\n"[..bytes.len() % 2]].concat()
    };
    let names = member("//", format!("{object}/\n").as_bytes());
    [b"!<arch>\n".to_vec(), names, member("/0", b"object")].concat()
}

/// Functions of cooperative groups, as declared and called by nvcc and Numba: every thread adds 1,
/// synchronises with all others, and writes the sum that it then reads; the thread of rank 0 also
/// writes the size, and each thread its rank.
const COOPERATIVE: &str = include_str!("../ptx/link_cooperative.ptx");

/// Links inputs and loads the resulting module.
fn linked(inputs: &[(u32, &[u8])], options: &[(u32, usize)]) -> Ptr {
    let (numbers, mut values): (Vec<u32>, Vec<usize>) = options.iter().copied().unzip();
    let (mut state, mut image, mut size) = (null_mut(), null(), 0);
    ok!(cuLinkCreate_v2(
        numbers.len() as u32,
        numbers.as_ptr(),
        values.as_mut_ptr(),
        &raw mut state
    ));
    for (kind, bytes) in inputs {
        let (data, size) = (bytes.as_ptr(), bytes.len());
        ok!(cuLinkAddData_v2(state, *kind, data, size, c"input".as_ptr(), 0, null(), null_mut()));
    }
    ok!(cuLinkComplete(state, &raw mut image, &raw mut size));
    let mut module = null_mut();
    ok!(cuModuleLoadData(&raw mut module, image));
    ok!(cuLinkDestroy(state));
    module
}

fn function(module: Ptr) -> Ptr {
    let mut function = null_mut();
    ok!(cuModuleGetFunction(&raw mut function, module, c"k".as_ptr()));
    function
}

#[test]
fn cooperative_groups_need_the_runtime_of_the_device_and_get_ours() {
    context();
    let runtime = archive("cuda_device_runtime.o");
    let module = linked(&[(LIBRARY, &runtime), (PTX, COOPERATIVE.as_bytes())], &[]);
    let (k, mut words, threads) = (function(module), 0_u64, 6 * 64);
    ok!(cuMemAlloc_v2(&raw mut words, 4 * (threads + 1)));
    ok!(cuMemsetD32_v2(words, 0, threads + 1));
    let mut params = [(&raw mut words).cast::<u8>()];
    ok!(cuLaunchCooperativeKernel(k, 3, 2, 1, 16, 2, 2, 0, null_mut(), params.as_mut_ptr()));
    let mut got = vec![0_u32; threads + 1];
    ok!(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), words, 4 * (threads + 1)));
    // All ranks are present, and each has read 384 threads: 1 grid of 384, number 0, no errors.
    assert_eq!(got[0], 384);
    assert!(got[1..].iter().all(|&word| word == 1_384_384), "{got:?}");
    // A non-cooperative launch has no grid handle: every call returns cudaErrorInvalidValue. The
    // rank keeps its value in local memory, 0.
    ok!(cuMemsetD32_v2(words, 0, threads + 1));
    let none = null_mut();
    ok!(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, none, params.as_mut_ptr(), null_mut()));
    ok!(cuMemcpyDtoH_v2(got.as_mut_ptr().cast(), words, 4 * (threads + 1)));
    assert_eq!(got[..2], [1, 300_000_001]);
}

#[test]
fn the_runtime_of_the_device_is_taken_as_a_library_only() {
    context();
    let (mut state, mut image, mut size) = (null_mut(), null(), 0);
    ok!(cuLinkCreate_v2(0, null(), null_mut(), &raw mut state));
    let runtime = archive("cuda_device_runtime.o");
    let (others, name) = (archive("mine.o"), c"libcudadevrt.a".as_ptr());
    let add = |kind, bytes: &[u8]| {
        // SAFETY: the buffer has the returned number of bytes.
        unsafe {
            let (data, size) = (bytes.as_ptr(), bytes.len());
            cuLinkAddData_v2(state, kind, data, size, name, 0, null(), null_mut()).name()
        }
    };
    assert_eq!(add(LIBRARY, &runtime), "CUDA_SUCCESS");
    assert_eq!(add(LIBRARY, &others), "CUDA_ERROR_NOT_SUPPORTED");
    assert_eq!(add(3, &runtime), "CUDA_ERROR_NOT_SUPPORTED");
    assert_eq!(add(2, &runtime), "CUDA_ERROR_INVALID_IMAGE");
    assert_eq!(add(PTX, &runtime), "CUDA_ERROR_INVALID_PTX");
    assert_eq!(add(0, &runtime), "CUDA_ERROR_NO_BINARY_FOR_GPU");
    // The runtime alone cannot be linked.
    fails!(INVALID_PTX, cuLinkComplete(state, &raw mut image, &raw mut size));
    ok!(cuLinkDestroy(state));
    // The device runtime may also be linked from a file.
    let folder = texunit_testkit::TempDir::new("devrt");
    let file = folder.file("devrt.a", &runtime);
    let path = CString::new(file.to_str().unwrap()).unwrap();
    ok!(cuLinkCreate_v2(0, null(), null_mut(), &raw mut state));
    ok!(cuLinkAddFile_v2(state, LIBRARY, path.as_ptr(), 0, null(), null_mut()));
    std::fs::remove_file(&file).unwrap();
    let bytes = COOPERATIVE.as_bytes();
    let (data, length) = (bytes.as_ptr(), bytes.len());
    ok!(cuLinkAddData_v2(state, PTX, data, length, name, 0, null(), null_mut()));
    ok!(cuLinkComplete(state, &raw mut image, &raw mut size));
    // After completion nothing can be added.
    let (data, length) = (runtime.as_ptr(), runtime.len());
    fails!(
        INVALID_VALUE,
        cuLinkAddData_v2(state, LIBRARY, data, length, name, 0, null(), null_mut())
    );
    ok!(cuLinkDestroy(state));
}

/// The calls that nvcc generates for `<<<...>>>` in a kernel.
const LAUNCHES: &str = include_str!("../ptx/link_launches.ptx");

#[test]
fn launches_from_the_device_are_linked_with_texunits_own_runtime() {
    context();
    let runtime = archive("cuda_device_runtime.o");
    let module = linked(&[(PTX, LAUNCHES.as_bytes()), (LIBRARY, &runtime)], &[]);
    let (mut fine, none, params) = (null_mut(), null_mut(), null_mut());
    ok!(cuModuleGetFunction(&raw mut fine, module, c"fine".as_ptr()));
    ok!(cuLaunchKernel(fine, 1, 1, 1, 1, 1, 1, 0, none, params, null_mut()));
    let k = function(module);
    // A null parameter buffer is refused on the device, and the kernel continues.
    ok!(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, none, params, null_mut()));
    ok!(cuLaunchKernel(fine, 1, 1, 1, 1, 1, 1, 0, none, params, null_mut()));
}

/// PTX with debug information: files 1 and 2, line numbers in a block of a function, a section.
fn debugged(symbols: &str) -> String {
    format!(
        ".version 8.0\n.target sm_75, debug\n.address_size 64\n.extern .func (.param .b32 r) twice(.param .b32 a);\n\
         {symbols}\n.file 1 \"one.py\"\n.file 2 \"two.py\"\n.section .debug_str\n{{\n$L__name:\n.b8 97\n.b8 0\n}}\n"
    )
}

#[test]
fn texts_with_debug_information_are_linked() {
    context();
    let kernel = debugged(
        ".visible .entry k(.param .u64 p) {\n.loc 1 5 0\n.reg .u64 %rd<2>; .reg .b32 %r<2>; .param .b32 a; .param .b32 r;\n\
         .loc 1 6 3\nld.param.u64 %rd1, [p];\n{\n.loc 2 9 1, function_name $L__name, inlined_at 1 6 3\n\
         st.param.b32 [a], 21; call (r), twice, (a); ld.param.b32 %r1, [r]; }\nst.global.u32 [%rd1], %r1;\nret;\n}",
    );
    let twice = debugged(
        ".visible .func (.param .b32 r) twice(.param .b32 a) {\n.loc 2 3 0\n.reg .b32 %r<2>;\n\
         ld.param.b32 %r1, [a]; add.u32 %r1, %r1, %r1; st.param.b32 [r], %r1;\nret;\n}",
    );
    let (first, second) = (CString::new(kernel).unwrap(), CString::new(twice).unwrap());
    let mut word = 0_u64;
    ok!(cuMemAlloc_v2(&raw mut word, 4));
    for inputs in [[&first, &second], [&second, &first]] {
        let k = function(linked(&inputs.map(|text| (PTX, text.to_bytes())), &[]));
        ok!(cuMemsetD32_v2(word, 0, 1));
        let mut params = [(&raw mut word).cast::<u8>()];
        ok!(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, null_mut(), params.as_mut_ptr(), null_mut()));
        let mut got = 0_u32;
        ok!(cuMemcpyDtoH_v2((&raw mut got).cast(), word, 4));
        assert_eq!(got, 42);
    }
}

/// A kernel with 60 live values.
fn wide(directive: &str) -> CString {
    let mut text = format!(
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p) {directive}\n{{\n\
         .reg .u64 %rd<2>; .reg .f32 %f<60>;\nld.param.u64 %rd1, [p];\n"
    );
    for i in 0..60 {
        writeln!(text, "ld.volatile.global.f32 %f{i}, [%rd1+{}];", 4 * i).unwrap();
    }
    for i in 0..60 {
        writeln!(text, "st.volatile.global.f32 [%rd1+{}], %f{};", 4 * i, 59 - i).unwrap();
    }
    CString::new(text + "ret;\n}\n").unwrap()
}

fn registers(function: Ptr) -> i32 {
    let mut value = 0;
    ok!(cuFuncGetAttribute(&raw mut value, NUM_REGS, function));
    value
}

#[test]
fn a_limit_of_registers_shows() {
    context();
    let text = wide("");
    let load = |text: &CString, limit: usize| {
        let (mut module, mut value) = (null_mut(), limit);
        let image = text.as_ptr().cast();
        ok!(cuModuleLoadDataEx(
            &raw mut module,
            image,
            1,
            &raw const MAX_REGISTERS,
            &raw mut value
        ));
        registers(function(module))
    };
    let own = load(&text, 0);
    assert!(own >= 60, "{own}");
    // As ptxas 13.5 for sm_86: exactly the limit, at least 24 and at most 255.
    for (limit, wanted) in [(57, 57), (38, 38), (24, 24), (8, 24), (255, own), (256, own)] {
        assert_eq!(load(&text, limit), wanted, "{limit}");
    }
    // The kernel's directive has precedence over the option.
    assert_eq!(load(&wide(".maxnreg 40"), 32), 40);
    assert_eq!(load(&wide(".maxntid 128"), 32), own);
    assert_eq!(load(&wide(".reqntid 128"), 32), own);
    // A linked module keeps the limit.
    let bytes = text.to_bytes();
    assert_eq!(registers(function(linked(&[(PTX, bytes)], &[(MAX_REGISTERS, 38)]))), 38);
    assert_eq!(registers(function(linked(&[(PTX, bytes)], &[]))), own);
    // A library keeps it, in every context.
    let (mut library, mut kernel, mut value, mut found) = (null_mut(), null_mut(), 44_usize, 0);
    let (options, values) = (&raw const MAX_REGISTERS, &raw mut value);
    let code = text.as_ptr().cast();
    ok!(cuLibraryLoadData(&raw mut library, code, options, values, 1, null(), null(), 0));
    ok!(cuLibraryGetKernel(&raw mut kernel, library, c"k".as_ptr()));
    ok!(cuKernelGetAttribute(&raw mut found, NUM_REGS, kernel, 0));
    assert_eq!(found, 44);
    context();
    ok!(cuKernelGetAttribute(&raw mut found, NUM_REGS, kernel, 0));
    assert_eq!(found, 44);
}

/// The names are used outside kernels and in initial values, too. Names that are only declared have
/// no effect, and names built into the executor are defined.
#[test]
fn what_nothing_defines_keeps_a_module_from_being_loaded() {
    context();
    let head = ".version 8.0\n.target sm_75\n.address_size 64\n";
    let used = ".extern .func twice();\n.visible .entry k() { ret; call twice; ret; }";
    let unreached =
        ".extern .func twice();\n.func f() { call twice; ret; }\n.visible .entry k() { ret; }";
    let address =
        ".extern .func twice();\n.visible .entry k() { .reg .b64 %a; mov.u64 %a, twice; ret; }";
    for text in [used, unreached, address] {
        let text = CString::new(format!("{head}{text}")).unwrap();
        let mut log = [0_u8; 512];
        let mut values = [log.as_mut_ptr() as usize, log.len()];
        let mut module = null_mut();
        fails!(
            INVALID_PTX,
            cuModuleLoadDataEx(
                &raw mut module,
                text.as_ptr().cast(),
                2,
                [5, 6].as_ptr(),
                values.as_mut_ptr()
            )
        );
        let said = CStr::from_bytes_until_nul(&log).unwrap().to_str().unwrap();
        assert!(said.contains("the module does not define the function `twice`"), "{said}");
        let twice = format!("{head}.visible .func twice() {{ ret; }}");
        let k = function(linked(&[(PTX, text.to_bytes()), (PTX, twice.as_bytes())], &[]));
        ok!(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()));
    }
    let fine = ".extern .func unused();\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n\
                .visible .entry k() { .param .b64 n; .param .b64 r; st.param.b64 [n], 8; call (r), malloc, (n); ret; }";
    let k = function(linked(&[(PTX, format!("{head}{fine}").as_bytes())], &[]));
    ok!(cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, null_mut(), null_mut(), null_mut()));
}
