//! Runs nvcc and g++ on a generated source.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The forms in which nvcc compiles a source, with their options.
pub(crate) const FORMS: [(&str, &[&str]); 4] = [
    ("nvcc-O0", &["-O0", "-Xcicc", "-O0"]),
    ("nvcc-O1", &["-O1", "-Xcicc", "-O1"]),
    ("nvcc-O3", &["-O3"]),
    ("nvcc-G", &["-G"]),
];

/// Undefined behaviour of C++ ends the program.
const SANITIZERS: &str = "-fsanitize=signed-integer-overflow,shift-exponent,integer-divide-by-zero,\
    float-cast-overflow,bounds,alignment,null,return";

pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

fn run(command: &mut Command) -> Vec<u8> {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{told}", output.status);
    output.stdout
}

/// Writes the output of `batch.cu` compiled by g++ to `expected.bin`.
pub(crate) fn compile_for_host(folder: &Path) {
    let program = folder.join("batch.host");
    let mut host = Command::new("g++");
    host.args(["-x", "c++", "-std=c++17", "-O1", "-w", "-fwrapv", "-fno-strict-aliasing"]);
    host.args(["-ffp-contract=off", "-fno-sanitize-recover=all", SANITIZERS]);
    run(host.arg(folder.join("batch.cu")).arg("-o").arg(&program).arg("-lm"));
    std::fs::write(folder.join("expected.bin"), run(&mut Command::new(&program))).unwrap();
    std::fs::remove_file(&program).unwrap();
}

/// Compiles the source of a folder for the host, and with nvcc in all forms of `FORMS`.
pub(crate) fn compile(folder: &Path) {
    let tools = std::env::var_os("TEXUNIT_NVIDIA")
        .map_or_else(|| workspace().join("target/nvidia"), PathBuf::from);
    let nvcc = tools.join("cu13/nvidia/cu13/bin/nvcc");
    assert!(nvcc.exists(), "no nvcc: cargo run -p xtask -- tools nvcc");
    compile_for_host(folder);
    let source = folder.join("batch.cu");
    std::thread::scope(|scope| {
        for (form, flags) in FORMS {
            let (nvcc, source) = (&nvcc, &source);
            scope.spawn(move || {
                let mut device = Command::new(nvcc);
                device.args(["-arch=compute_80", "-ptx", "-std=c++17", "-fmad=false", "-w"]);
                device
                    .args(flags)
                    .arg(source)
                    .arg("-o")
                    .arg(folder.join(form).with_extension("ptx"));
                run(&mut device);
            });
        }
    });
}
