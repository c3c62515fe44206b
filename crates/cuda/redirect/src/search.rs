//! Chooses the file that the dynamic linker takes for a library of which texunit has a version: the
//! one beside this library, whatever folder, rpath or `LD_LIBRARY_PATH` the program names. With
//! `texunit run --libraries nvidia`, libraries other than the driver and the runtime are NVIDIA's.

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;

/// texunit's libraries. All versions of the driver and of NVML are interchangeable (`libcuda.so`,
/// `libcuda.so.535.104`), those of the others within a major version.
#[rustfmt::skip]
const LIBRARIES: [&str; 13] = [
    "libcuda.so.1", "libcudart.so.12", "libcudart.so.13", "libnvidia-ml.so.1",
    "libcufft.so.11", "libcufft.so.12", "libcufftw.so.11", "libcufftw.so.12",
    "libcublas.so.12", "libcublas.so.13", "libcublasLt.so.12", "libcublasLt.so.13",
    "libcurand.so.10",
];
/// Index of the first library that `--libraries nvidia` takes from NVIDIA.
const NAMED: usize = 4;

/// Whether the user chose NVIDIA's libraries (`TEXUNIT_LIBRARIES=nvidia`).
fn wants_nvidia() -> bool {
    static WANTS: OnceLock<bool> = OnceLock::new();
    *WANTS.get_or_init(|| std::env::var_os("TEXUNIT_LIBRARIES").is_some_and(|v| v == "nvidia"))
}

/// Whether the dynamic linker has found a texunit library where NVIDIA's is wanted; the search then
/// continues.
pub(crate) fn is_unwanted(path: &CStr) -> bool {
    let named = || meant(path.to_bytes()).is_some_and(|number| number >= NAMED);
    let is_ours = || {
        let path = Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()));
        let own = path.file_name().and_then(|name| super::beside_this(name.to_str()?));
        own.is_some_and(|own| {
            path.canonicalize().is_ok_and(|path| own.canonicalize().is_ok_and(|own| path == own))
        })
    };
    wants_nvidia() && named() && is_ours()
}

/// Index of the library that a name or path refers to.
fn meant(name: &[u8]) -> Option<usize> {
    let file = name.rsplit(|&byte| byte == b'/').next()?;
    LIBRARIES.iter().position(|library| {
        let start = library.strip_suffix(".1").unwrap_or(library);
        file.strip_prefix(start.as_bytes()).is_some_and(|rest| rest.is_empty() || rest[0] == b'.')
    })
}

/// The path of texunit's library for a name or path, if there is one.
pub(crate) fn texunit_path(name: &CStr) -> Option<&'static CStr> {
    static PATHS: [OnceLock<Option<CString>>; LIBRARIES.len()] =
        [const { OnceLock::new() }; LIBRARIES.len()];
    let number = meant(name.to_bytes())?;
    if number >= NAMED && wants_nvidia() {
        return None;
    }
    let find = || {
        let file = super::beside_this(LIBRARIES[number])?;
        file.is_file().then(|| as_c(&file))?
    };
    PATHS[number].get_or_init(find).as_deref()
}

/// A path as a C string.
pub(crate) fn as_c(path: &Path) -> Option<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_library_are_one_or_not() {
        // Several names are separated by `|`.
        for (names, wanted) in [
            (
                "libcuda.so.1|/usr/lib/libcuda.so.1|libcuda.so|/x y/libcuda.so.535.104.05",
                "libcuda.so.1",
            ),
            ("libcudart.so.12|/opt/cuda/lib64/libcudart.so.12.4.127", "libcudart.so.12"),
            ("libcudart.so.13", "libcudart.so.13"),
            ("/x/nvidia/cufft/lib/libcufft.so.11", "libcufft.so.11"),
            ("libcufftw.so.11.4", "libcufftw.so.11"),
            ("libcufft.so|libcufftw.so.10|libcudart.so|libcudart.so.11.0|libcudart.so.123", ""),
            ("libcudart-9335f6a2.so.12|libcudart.so.12/x|libcudadebugger.so.1|libcuda.sock||/", ""),
        ] {
            for name in names.split('|') {
                let found = meant(name.as_bytes()).map_or("", |number| LIBRARIES[number]);
                assert_eq!(found, wanted, "{name}");
            }
        }
    }
}
