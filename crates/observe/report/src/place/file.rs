//! Names of source files, and which of them are files of CUDA and of compilers. Functions of CUDA's
//! headers are inlined into every kernel that fetches or uses an intrinsic, and the line that the
//! user can change is in an outer frame.

use std::path::{Component, Path, PathBuf};

/// The full path of a file if it exists, without `..` (nvcc's headers are in `bin/../include`).
pub fn source_file(name: &str) -> String {
    let whole = std::path::absolute(name).ok().filter(|path| path.is_file());
    printable(&whole.map_or_else(
        || name.into(),
        |path| straight(&path).unwrap_or(path).to_string_lossy().into_owned(),
    ))
}

/// A path without `..`, if it still refers to the same file, which a symbolic link can prevent.
fn straight(path: &Path) -> Option<PathBuf> {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(straight.pop()),
            part => straight.push(part),
        }
    }
    let is_same = straight.canonicalize().ok()? == path.canonicalize().ok()?;
    is_same.then_some(straight)
}

/// A name without control characters, such as line ends.
pub fn printable(name: &str) -> String {
    name.replace(|c: char| c.is_control(), "?")
}

/// Headers that nvrtc contains and names without a folder.
const BUILT_IN: [&str; 10] = [
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "texture_indirect_functions.h",
    "texture_fetch_functions.h",
    "surface_indirect_functions.h",
    "surface_functions.h",
    "cuda_fp16.hpp",
    "cuda_bf16.hpp",
    "device_atomic_functions.hpp",
    "cooperative_groups.h",
];

/// Whether a file belongs to CUDA or a compiler.
pub fn is_toolkit(file: &str) -> bool {
    // nvcc names its own folder in this way.
    let without_bin = file.replace("/bin/../", "/");
    let file = without_bin.as_str();
    let name = file.rsplit('/').next().unwrap_or(file);
    if name.starts_with("__clang_cuda_") || BUILT_IN.contains(&name) {
        return true;
    }
    let Some((folders, below)) = file.split_once("/include/") else { return false };
    let has_compiler = folders.split('/').any(|part| {
        ["cuda", "cu1", "nvidia", "clang", "llvm", "gcc"].iter().any(|word| part.starts_with(word))
    });
    let of_system = folders.is_empty() || folders == "/usr" || folders == "/usr/local";
    of_system
        || has_compiler && (folders.starts_with("/usr") || folders.starts_with("/opt"))
        || is_package(folders)
        || ["crt/", "cub/", "thrust/", "cuda/std/", "cooperative_groups/"]
            .iter()
            .any(|part| below.starts_with(part))
}

/// Whether folders are those of CUDA in Python packages or conda: `nvidia/cu13/include`,
/// `nvidia/cuda_runtime/include`, `targets/x86_64-linux/include`.
fn is_package(folders: &str) -> bool {
    let mut parts = folders.rsplit('/');
    let before = parts.nth(1).unwrap_or_default();
    before == "nvidia" || before == "targets"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn paths_are_straight_where_that_is_the_same() {
        let folder = texunit_testkit::TempDir::new("paths");
        let at = |name: &str| folder.join(name).to_str().unwrap().to_owned();
        std::fs::create_dir_all(at("kit/bin")).unwrap();
        std::fs::create_dir_all(at("far/away")).unwrap();
        for file in ["kit/a.h", "far/a.h"] {
            std::fs::write(at(file), "").unwrap();
        }
        assert_eq!(source_file(&at("kit/bin/../a.h")), at("kit/a.h"));
        std::os::unix::fs::symlink(at("far/away"), at("kit/link")).unwrap();
        assert_eq!(source_file(&at("kit/link/../a.h")), at("kit/link/../a.h"));
        assert_eq!(source_file("gone/../a.h"), "gone/../a.h");
    }

    #[test]
    fn headers_of_cuda_are_no_users() {
        for file in [
            "/usr/local/cuda/include/texture_indirect_functions.h",
            "/usr/local/cuda-12.9/targets/x86_64-linux/include/crt/sm_32_intrinsics.hpp",
            "/home/u/venv/lib/python3.12/site-packages/nvidia/cu13/include/cuda_fp16.hpp",
            "/home/u/nvidia/cuda_runtime/include/device_types.h",
            "/home/u/nvidia/cu13/bin/../include/vector_types.h",
            "/opt/cuda/include/vector_functions.hpp",
            "/usr/lib/llvm-19/lib/clang/19/include/__clang_cuda_builtin_vars.h",
            "/usr/include/c++/13/cmath",
            "texture_indirect_functions.h",
        ] {
            assert!(is_toolkit(file), "{file}");
        }
        for file in [
            "places.cu",
            "/home/u/project/include/kernels.cuh",
            "/home/cuda/project/include/kernels.cuh",
            "/home/u/project/cuda/include/kernels.cuh",
            "/home/u/cuda_project/include/blend.h",
            "/home/u/cuda/src/a.cu",
            "include/a.cuh",
            "",
        ] {
            assert!(!is_toolkit(file), "{file}");
        }
    }
}
