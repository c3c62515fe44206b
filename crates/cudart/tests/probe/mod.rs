//! What a C++ compiler says of NVIDIA's headers of the same major version. They are looked for in the folder that
//! `TEXUNIT_NVIDIA` names, else in target/nvidia; what is not there is skipped, and the test says so.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The major version of CUDA.
pub(crate) const MAJOR: u32 = if cfg!(feature = "cuda-12") { 12 } else { 13 };

/// The headers of that version, below the folder of NVIDIA's packages.
const HEADERS: &str = match MAJOR {
    12 => "nvrtc12/nvidia/cuda_runtime/include",
    _ => "cu13/nvidia/cu13/include",
};

/// A file below the folder of NVIDIA's packages, if it is there.
pub(crate) fn file(path: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/nvidia");
    let all = std::env::var_os("TEXUNIT_NVIDIA").map_or(here, PathBuf::from).join(path);
    if all.exists() {
        return Some(all);
    }
    eprintln!("SKIPPED: {} is not there; set TEXUNIT_NVIDIA", all.display());
    None
}

/// Compares expressions of C++ with their values here. `name` is that of the program that prints them.
pub(crate) fn compare(name: &str, facts: &[(String, usize)]) {
    assert!(facts.len() > 100);
    let Some(include) = file(HEADERS) else { return };
    let answers = answers(name, &include, facts);
    assert_eq!(answers.len(), facts.len());
    for ((expression, ours), theirs) in facts.iter().zip(answers) {
        assert_eq!(*ours, theirs, "{expression}, CUDA {MAJOR}");
    }
}

/// The numbers that a program prints for the expressions.
fn answers(name: &str, include: &Path, facts: &[(String, usize)]) -> Vec<usize> {
    let mut program =
        "#include <cuda_runtime.h>\n#include <cstddef>\n#include <cstdio>\n".to_owned();
    program += "int main() {\n";
    for (expression, _) in facts {
        writeln!(program, "  printf(\"%zu\\n\", (size_t)({expression}));").unwrap();
    }
    program += "}\n";
    let at = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let name = format!("runtime-{name}-{MAJOR}");
    let (source, binary) = (at.join(format!("{name}.cc")), at.join(name));
    std::fs::write(&source, program).unwrap();
    let mut compiler = Command::new("c++");
    compiler.arg("-w").arg("-I").arg(include).arg(&source).arg("-o").arg(&binary);
    // The folder crt of CUDA 12 is part of the compiler's package.
    if let Some(more) = file("cu12/nvidia/cuda_nvcc/include").filter(|_| MAJOR == 12) {
        compiler.arg("-I").arg(more);
    }
    let output = compiler.output().expect("the C++ compiler `c++` runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line.parse().unwrap()).collect()
}
