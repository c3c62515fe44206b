//! Sizes and offsets of the runtime's structures, compared with what a C++ compiler says of NVIDIA's
//! header of the same major version, and the codes of errors, with what NVIDIA's library says.
//!
//! Both are looked for in the folder that `TEXUNIT_NVIDIA` names, else in target/nvidia; what is not there
//! is skipped, and the test says so.

#![allow(unsafe_code, clippy::unwrap_used, clippy::print_stderr)]

#[allow(dead_code)]
#[path = "../src/abi/mod.rs"]
mod abi;
#[allow(dead_code)]
#[path = "../src/codes.rs"]
mod codes;

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt::Write;
use std::mem::offset_of;
use std::path::{Path, PathBuf};
use std::process::Command;

#[cfg(feature = "cuda-12")]
const RELEASE: (u32, &str, &str) =
    (12, "nvrtc12/nvidia/cuda_runtime/include", "nvrtc12/nvidia/cuda_runtime/lib/libcudart.so.12");
#[cfg(not(feature = "cuda-12"))]
const RELEASE: (u32, &str, &str) =
    (13, "cu13/nvidia/cu13/include", "cu13/nvidia/cu13/lib/libcudart.so.13");

/// A file below the folder of NVIDIA's packages, if it is there.
fn file(path: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/nvidia");
    let all = std::env::var_os("TEXUNIT_NVIDIA").map_or(here, PathBuf::from).join(path);
    if all.exists() {
        return Some(all);
    }
    eprintln!("SKIPPED: {} is not there; set TEXUNIT_NVIDIA", all.display());
    None
}

/// Expressions of C++ and their values here.
macro_rules! facts {
    ($($ty:ident = $name:literal { $($member:ident),* $(,)? })*) => {
        vec![$(
            (format!("sizeof({})", $name), size_of::<abi::$ty>()),
            $((
                format!("offsetof({}, {})", $name, stringify!($member)),
                offset_of!(abi::$ty, $member),
            ),)*
        )*]
    };
}

fn facts() -> Vec<(String, usize)> {
    let mut all = facts! {
        Dim3 = "dim3" { x, y, z }
        cudaLaunchConfig_t = "cudaLaunchConfig_t" {
            gridDim, blockDim, dynamicSmemBytes, stream, attrs, numAttrs,
        }
        cudaFuncAttributes = "cudaFuncAttributes" {
            sharedSizeBytes, constSizeBytes, localSizeBytes, maxThreadsPerBlock, numRegs, ptxVersion,
            binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout,
            clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth,
            clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed,
        }
    };
    for (member, offset) in abi::cudaDeviceProp::OFFSETS {
        all.push((format!("offsetof(cudaDeviceProp, {member})"), *offset));
    }
    all.push(("sizeof(cudaDeviceProp)".to_owned(), size_of::<abi::cudaDeviceProp>()));
    #[cfg(feature = "cuda-12")]
    all.extend(facts! {
        cudaLaunchParams = "cudaLaunchParams" { func, gridDim, blockDim, args, sharedMem, stream }
    });
    all
}

/// What a program says that prints all the expressions.
fn answers(include: &Path, facts: &[(String, usize)]) -> BTreeMap<String, usize> {
    let mut program =
        "#include <cuda_runtime.h>\n#include <cstddef>\n#include <cstdio>\n".to_owned();
    program += "int main() {\n";
    for (expression, _) in facts {
        writeln!(program, "  printf(\"%zu {expression}\\n\", (size_t)({expression}));").unwrap();
    }
    program += "}\n";
    let at = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("runtime-layout-{}", RELEASE.0);
    let (source, binary) = (at.join(format!("{name}.cc")), at.join(name));
    std::fs::write(&source, program).unwrap();
    let mut compiler = Command::new("c++");
    compiler.arg("-w").arg("-I").arg(include).arg(&source).arg("-o").arg(&binary);
    // The folder crt of CUDA 12 is part of the compiler's package.
    if let Some(more) = file("cu12/nvidia/cuda_nvcc/include").filter(|_| RELEASE.0 == 12) {
        compiler.arg("-I").arg(more);
    }
    let output = compiler.output().expect("the C++ compiler `c++` runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |line: &str| {
        let (number, expression) = line.split_once(' ').unwrap();
        (expression.to_owned(), number.parse().unwrap())
    };
    text.lines().map(line).collect()
}

#[test]
fn layouts_are_those_of_the_header() {
    let Some(include) = file(RELEASE.1) else { return };
    let facts = facts();
    let answers = answers(&include, &facts);
    assert!(facts.len() > 100);
    for (expression, ours) in &facts {
        assert_eq!(answers.get(expression), Some(ours), "{expression}, CUDA {}", RELEASE.0);
    }
}

type ErrorText = unsafe extern "C" fn(c_int) -> *const c_char;

unsafe extern "C" {
    fn dlopen(file: *const c_char, mode: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

fn function(library: *mut c_void, name: &CStr) -> ErrorText {
    // SAFETY: the library is open, and both functions that are asked for have this type.
    unsafe {
        let address = dlsym(library, name.as_ptr());
        assert!(!address.is_null(), "{name:?}");
        std::mem::transmute::<*mut c_void, ErrorText>(address)
    }
}

fn text(function: ErrorText, code: u32) -> String {
    // SAFETY: both functions take any number, and give a text that stays.
    unsafe { CStr::from_ptr(function(code as c_int)) }.to_str().unwrap().to_owned()
}

#[test]
fn errors_are_those_of_the_library() {
    let Some(path) = file(RELEASE.2) else { return };
    let path = CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: NVIDIA's library has no effect when it is loaded.
    let library = unsafe { dlopen(path.as_ptr(), 2) };
    assert!(!library.is_null(), "{path:?} cannot be loaded");
    let name = function(library, c"cudaGetErrorName");
    let string = function(library, c"cudaGetErrorString");
    let mut known = 0;
    for code in (0..2000).chain(9990..10010) {
        let unknown = ("unrecognized error code", "unrecognized error code");
        let ours = codes::find(code, RELEASE.0).unwrap_or(unknown);
        assert_eq!((ours.0, ours.1), (&*text(name, code), &*text(string, code)), "{code}");
        known += usize::from(ours != unknown);
    }
    assert!(known > 100, "{known}");
}
