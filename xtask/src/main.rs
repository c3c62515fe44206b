//! Tasks of texunit's developers.
//!
//! `cargo run -p xtask -- oracle N SEED` compares our verdicts with those of NVIDIA's assembler;
//! `sass MODULES WORDS SEED` does so with machine words; `libs` builds the drop-in libraries,
//! `header` the header of the one for C, `dist` an archive and a wheel of them and the program; `tools` installs what their tests need; `clients` runs the tests of
//! packages over CUDA; `mutants` judges the tests by what they miss; `matrix` lists functions; `man` writes the man pages; `site` builds
//! the playground and the guide, and serves them.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod clients;
mod cuda_tools;
mod dist;
mod generate;
mod header;
mod libs;
mod man;
#[cfg(test)]
mod manifests;
mod matrix;
#[cfg(test)]
mod messages;
#[cfg(test)]
mod modules;
mod mutants;
mod oracle;
mod ptxas;
#[cfg(test)]
mod public_docs;
mod sass;
mod site;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo run -p xtask -- oracle N SEED [OPTIONS]

Asks ptxas 11.8, 12.4, 12.9 and 13.5 about N random modules and compares their verdicts with those of
texunit. The same N, SEED and tools give the same modules. Exit code: 0 if they agree (or no ptxas is
available), 1 if they differ, 2 for wrong usage.

  --tools DIR     folder with the tools (default: $TEXUNIT_NVIDIA; else they are installed with pip
                  into target/nvidia)
  --family NAME   only modules of this family
  --ptxas X.Y     only this release
  --exceptions    list what is not compared, with the reasons, and do nothing else
  --save FILE     write all modules and verdicts to FILE, a gzipped file of JSON lines

       cargo run -p xtask -- ask FILE [--tools DIR] [--ptxas X.Y] [--head \"8.8 75\"]

Asks about each line of FILE as an instruction of a kernel that has registers and variables of all
kinds, and prints both verdicts. --head is version, target and its options.

       cargo run -p xtask -- sass MODULES WORDS SEED [--tools DIR] [--ptxas X.Y]

Compares the code of texunit sass lower for random modules with tex.grad with the code of ptxas 11.8 to
12.9, and the output of texunit sass dis for random texture and surface words with that of nvdisasm.
Exit code: as above.

       cargo run --release -p xtask -- libs [--debug] [--to DIR] [--no-program] [--only SONAME]

Builds the program, the drop-in libraries libcuda.so.1, libcudart.so.12, libcudart.so.13 and libnvidia-ml.so.1, and
the library for C, libtexunit.so.1 and libtexunit.a, beside it (or in DIR), with libtexunit_core.so.VERSION, which
they need, and programs that stand for some of NVIDIA's (nvidia-smi) in the folder shims below.
Exit code: 0 for success, 1 for failure.

       cargo run -p xtask -- header

Writes crates/faces/capi/include/texunit.h again: the output of cbindgen for crates/faces/capi.

       cargo run --release -p xtask -- dist [--light]

Builds all of these for glibc 2.28 and makes an archive and a wheel below target/dist with everything that
users need: texunit-VERSION-ARCH-linux.tar.gz and texunit-VERSION-cp311-abi3-manylinux_2_28_ARCH.whl. Tests both
in an empty environment, with the tests of python/tests. The tools are installed from PyPI into
target/dist/tools. --light makes both below target/dist/light, with the tests' profile and this machine's linker, and
runs some of the tests: it is for CI. Exit code: 0 for success, 1 for failure.

       cargo run -p xtask -- tools KIT...

Installs what the tests of the drop-in libraries need (nvcc, cuda12, python, numba) into target/nvidia, unless it
is there or in $TEXUNIT_NVIDIA, and prints where it is. Exit code: 0 for success, 1 for failure.

       cargo run -p xtask -- clients NAME...|all [--program FILE] [--to DIR] [--record now] [OPTIONS]

Installs packages that use CUDA (cupy, numba, drjit, taichi, pycuda, core) and runs their tests under
texunit run; tests/clients/README.md describes all options. Exit code: 0 if at least as many pass as
tests/clients/counts.txt says, 1 if not.

       cargo run -p xtask -- mutants [PART...] [--count N] [--seed N] [--again N] [--only TEXT] [--list]

Plants small mistakes, one at a time, in a copy of the tree, drawn from those that cargo-mutants knows in
the parts texel, reference and check (100 of each, seed 20), and runs the tests of the crate. A stopped run is
continued; --again tries the first N of the draw once more. Exit code: 0 if docs/mutants.md has a reason for
each mistake that no test notices, 1 if not.

       cargo run -p xtask -- guide [DIR]

Builds the guide, the pages that docs/SUMMARY.md lists, as a site in the folder guide of target/site, or of DIR, and
checks all its links. Its figures are live if the folder has the playground. mdBook is installed into target/mdbook.
Exit code: 0 for success, 1 for failure.

       cargo run -p xtask -- site [--only web|guide] [--serve [PORT]] [--to DIR]

Builds the static site into target/site (or DIR): the playground (web, see web/README.md) and the guide. Prints the
sizes of the playground's WebAssembly, and refuses a build of more than 3 MB after gzip. It needs Node.js 20 and
rustup's target wasm32-unknown-unknown, which it adds. --serve shows the site at http://localhost:8000/.
Exit code: 0 for success, 1 for failure.

       cargo run -p xtask -- matrix

Writes the lists of functions in docs/cuda-api.md again.

       cargo run -p xtask -- man [DIR]

Writes the man pages of the program (target/man, or DIR), and checks them with `man` if it is installed.
Exit code: 0 for success, 1 for failure.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((task, rest)) if task == "oracle" && rest.iter().any(|a| a == "--exceptions") => {
            oracle::print_exceptions();
            ExitCode::SUCCESS
        }
        Some((task, rest)) if task == "oracle" => match oracle::Request::read(rest) {
            Ok(request) => oracle::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "ask" => match oracle::Request::read(rest) {
            Ok(request) => oracle::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "sass" => match sass::Request::read(rest) {
            Ok(request) => sass::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "libs" => match libs::Request::read(rest) {
            Ok(request) => libs::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "dist" => match dist::Request::read(rest) {
            Ok(request) => dist::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "tools" => cuda_tools::run(rest),
        Some((task, rest)) if task == "clients" => match clients::Request::read(rest) {
            Ok(request) => clients::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "mutants" => match mutants::Request::read(rest) {
            Ok(request) => mutants::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "guide" => {
            let out = rest.first().map_or_else(|| workspace().join("target/site"), Into::into);
            exit_code(site::guide::build(&out).map(|()| true))
        }
        Some((task, _)) if task == "header" => exit_code(header::write()),
        Some((task, _)) if task == "matrix" => matrix::write(),
        Some((task, rest)) if task == "site" => match site::Request::read(rest) {
            Ok(request) => site::run(&request),
            Err(message) => usage(&message),
        },
        Some((task, rest)) if task == "man" => exit_code(man::write(rest.first())),
        Some((help, _)) if help == "--help" || help == "-h" => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some((task, _)) => usage(&format!("unknown task {task}")),
        None => usage("no task given"),
    }
}

fn usage(message: &str) -> ExitCode {
    eprint!("error: {message}\n\n{USAGE}");
    ExitCode::from(2)
}

/// The root of the repository.
fn workspace() -> std::path::PathBuf {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(std::path::Path::new(".")).to_owned()
}

/// The exit code of a task: 0 what was asked is so, 1 it is not, or it could not be found out.
fn exit_code(outcome: Result<bool, String>) -> ExitCode {
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
