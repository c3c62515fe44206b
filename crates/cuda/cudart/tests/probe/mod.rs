//! Values that a C++ compiler printed for NVIDIA's headers of the same major version
//! (`tests/data`). NVIDIA's headers and library are searched for in the folder of `TEXUNIT_NVIDIA`,
//! or else in target/nvidia; comparisons with missing files are skipped with a message.

use std::path::{Path, PathBuf};
use texunit_testkit::header::Header;

/// The major version of CUDA.
pub(crate) const MAJOR: u32 = if cfg!(feature = "cuda-12") { 12 } else { 13 };

/// Path of the headers of that version in the folder of NVIDIA's packages.
const HEADERS: &str = match MAJOR {
    12 => "nvrtc12/nvidia/cuda_runtime/include",
    _ => "cu13/nvidia/cu13/include",
};

/// A file in the folder of NVIDIA's packages, if it exists.
pub(crate) fn find(path: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../target/nvidia");
    let packages = std::env::var_os("TEXUNIT_NVIDIA").map_or(here, PathBuf::from);
    Some(packages.join(path)).filter(|path| path.exists())
}

/// Compares our values of C++ expressions with the recorded ones, and those with the header.
pub(crate) fn compare(name: &str, facts: &[(String, usize)]) {
    assert!(facts.len() > 100);
    let package = match MAJOR {
        12 => "nvidia-cuda-runtime-cu12 12.9.79",
        _ => "nvidia-cuda-runtime 13.5.37",
    };
    let features = if MAJOR == 12 { " --features cuda-12" } else { "" };
    // In CUDA 12 the folder crt is part of the compiler's package.
    let more = if MAJOR == 12 { find("cu12/nvidia/cuda_nvcc/include") } else { None };
    let header = Header {
        include: find(HEADERS),
        more: more.into_iter().collect(),
        name: "cuda_runtime.h",
        compiler: &["c++", "-w"],
        ending: "cc",
        work: Path::new(env!("CARGO_TARGET_TMPDIR")),
        record: Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/data/{name}-{MAJOR}.txt")),
        origin: &format!(
            "What cuda_runtime.h says: NVIDIA's package {package} (PyPI), by c++ on x86-64 Linux.
Made anew, where target/nvidia or TEXUNIT_NVIDIA has it, by
TEXUNIT_RECORD=1 cargo test -p texunit-cudart{features} --test layout --test data_types"
        ),
    };
    let facts: Vec<_> = facts.iter().map(|(e, ours)| (e.clone(), *ours as i128)).collect();
    header.compare(&facts);
}
