//! The developers' tasks, which `cargo run -p xtask -- --help` lists.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod clients;
mod cuda_tools;
mod dist;
mod files;
mod generate;
mod header;
mod libs;
mod man;
mod matrix;
mod metadata;
mod oracle;
mod ptxas;
mod release;
mod sass;
mod site;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Tasks of texunit's developers
#[derive(Parser)]
#[command(bin_name = "cargo run -p xtask --")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compares texunit's verdicts on random modules with those of ptxas
    ///
    /// Asks ptxas 11.8, 12.4, 12.9 and 13.5 about N random modules. The same N, SEED and tools give
    /// the same modules. Exit code: 0 if all verdicts agree (or no ptxas is available), 1 if they
    /// differ, 2 for wrong usage.
    Oracle(oracle::Request),
    /// Compares the verdicts on instructions, one per line of a file
    ///
    /// Each instruction is in a kernel that has registers and variables of all kinds. Both verdicts
    /// are printed.
    Ask(oracle::Ask),
    /// Compares the code and the disassembly of `texunit sass` with those of ptxas and nvdisasm
    ///
    /// Random modules with tex.grad are lowered by texunit and by ptxas 11.8 to 12.9; random
    /// texture and surface words are disassembled by texunit and by nvdisasm. Exit code: as of
    /// `oracle`.
    Sass(sass::Request),
    /// Builds the program and the drop-in libraries beside it
    ///
    /// libcuda.so.1, libcudart.so.12, libcudart.so.13, libnvidia-ml.so.1 and
    /// libtexunit_core.so.VERSION, which they need; the library for C as libtexunit.so.1 and
    /// libtexunit.a; and, in the folder shims, programs that replace some of NVIDIA's (nvidia-smi).
    /// Exit code: 0 for success, 1 for failure.
    Libs(libs::Request),
    /// Writes crates/faces/capi/include/texunit.h: the output of cbindgen for crates/faces/capi
    Header,
    /// Makes the archive and the wheel below target/dist, and tests both in an empty environment
    ///
    /// Both have everything that users need, and run with glibc 2.28 and later. The tools come from
    /// PyPI into target/dist/tools. Exit code: 0 for success, 1 for failure.
    Dist(dist::Request),
    /// Checks versions and changelog, and makes the files of a release: archive, wheel, SHA256SUMS,
    /// bill of materials
    ///
    /// The files are those of `dist`, in its folder; the bill of materials is CycloneDX. Nothing is
    /// published. docs/releasing.md describes the steps. Exit code: 0 for success, 1 for failure, 2
    /// for wrong usage.
    Release(release::Request),
    /// Installs what the tests of the drop-in libraries need into target/nvidia, and prints where
    /// it is
    ///
    /// Nothing is installed if $TEXUNIT_NVIDIA names the folder of the tools. Exit code: 0 for
    /// success, 1 for failure.
    Tools {
        #[arg(value_name = "KIT", value_parser = PossibleValuesParser::new(cuda_tools::names()))]
        kits: Vec<String>,
    },
    /// Installs packages that use CUDA and runs their tests under `texunit run`
    ///
    /// tests/clients/README.md describes all options. Exit code: 0 if at least as many tests pass
    /// as tests/clients/counts.txt says, 1 if not.
    Clients(clients::Request),
    /// Builds the guide, the pages that docs/SUMMARY.md lists, and checks its links
    ///
    /// The guide is the folder `guide` of the site. Its figures are live if the site has the
    /// playground. mdBook is installed into target/mdbook. Exit code: 0 for success, 1 for failure.
    Guide {
        /// Folder of the site
        #[arg(default_value_os_t = site::folder())]
        dir: PathBuf,
    },
    /// Builds the static site: the playground (web), the guide, and the reference of the public
    /// crates (api)
    ///
    /// The playground needs Node.js 20 and rustup's target wasm32-unknown-unknown, which is added;
    /// web/README.md describes it. A build of more than 3 MB after gzip is refused. Exit code: 0
    /// for success, 1 for failure.
    Site(site::Request),
    /// Writes the lists of functions in docs/cuda-api.md
    Matrix,
    /// Writes the man pages of the program, and checks them with `man` if it is installed
    Man {
        #[arg(default_value_os_t = workspace().join("target/man"))]
        dir: PathBuf,
    },
}

fn main() -> ExitCode {
    match Cli::parse().task {
        Task::Oracle(request) => oracle::run(&request),
        Task::Ask(ask) => oracle::run(&ask.into()),
        Task::Sass(request) => sass::run(&request),
        Task::Libs(request) => libs::run(&request),
        Task::Header => exit_code(header::write()),
        Task::Dist(request) => dist::run(&request),
        Task::Release(request) => release::run(&request),
        Task::Tools { kits } => cuda_tools::list(&kits),
        Task::Clients(request) => clients::run(&request),
        Task::Guide { dir } => exit_code(site::guide::build(&dir).map(|()| true)),
        Task::Site(request) => site::run(&request),
        Task::Matrix => matrix::write(),
        Task::Man { dir } => exit_code(man::write(&dir)),
    }
}

/// Parses the arguments of a task.
#[cfg(test)]
fn parsed<A: clap::Args>(arguments: &str) -> Result<A, clap::Error> {
    let command = A::augment_args(clap::Command::new("task").no_binary_name(true));
    A::from_arg_matches(&command.try_get_matches_from(arguments.split_whitespace())?)
}

#[test]
fn the_command_line_is_consistent() {
    use clap::CommandFactory;
    Cli::command().debug_assert();
    let is_right = |line: &str| {
        Cli::try_parse_from(std::iter::once("xtask").chain(line.split_whitespace())).is_ok()
    };
    let right = "oracle 100 7 --tools /x --ptxas 12.9 --family mutation, ask lines.txt, \
        clients all, ask lines.txt --head 8.8, release --dry-run --light --format json, site, \
        site --serve, site --only web --serve 8080";
    for right in right.split(", ") {
        assert!(is_right(right), "{right}");
    }
    let wrong = "oracle, oracle 1, oracle 1 2 3, oracle x 2, oracle 1 2 --family what, \
        oracle 1 2 --tools, oracle 1 2 --x, clients nobody, clients cupy --record later, \
        clients cupy --jobs, clients cupy --record now --select x, release --light, site --only, \
        site --only nothing, site --serve x, site --what";
    for wrong in wrong.split(", ") {
        assert!(!is_right(wrong), "{wrong}");
    }
}

/// The root of the repository.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// The program of a crate, which is installed into the release's folder below `folder` if it is
/// missing: as a debug build, which takes half the time.
fn installed(
    name: &str,
    release: &str,
    folder: &Path,
    options: &[&str],
) -> Result<PathBuf, String> {
    let root = folder.join(release);
    let (program, built) = (root.join("bin").join(name), root.join("build"));
    if program.exists() {
        return Ok(program);
    }
    let mut install = files::cargo();
    install.args(["install", name, "--version", release, "--locked", "--debug", "--root"]);
    install.arg(&root).args(options).env("CARGO_TARGET_DIR", &built);
    let done = files::finish(&mut install);
    files::remove(&built)?;
    done.map(|()| program).map_err(|e| format!("{name} {release} cannot be installed: {e}"))
}

/// The exit code of a comparison or check: 0 if it succeeds, 1 if it does not or cannot be made.
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
