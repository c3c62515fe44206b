//! Tasks of texunit's developers.
//!
//! `cargo run -p xtask -- oracle N SEED` compares our verdicts with those of NVIDIA's assembler.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod generate;
mod oracle;
mod ptxas;
mod random;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo run -p xtask -- oracle N SEED [OPTIONS]

Asks ptxas 11.8, 12.4, 12.9 and 13.5 about N random modules and compares their verdicts with ours.
Equal N, SEED and tools give equal modules. Exit code: 0 they agree (or no ptxas can be had), 1 they
differ, 2 usage.

  --tools DIR     folder with the tools (default: $TEXUNIT_NVIDIA; else they are installed with pip
                  into target/nvidia)
  --family NAME   only modules of this family
  --ptxas X.Y     only this release
  --exceptions    list what is not compared, with the reasons, and do nothing else
  --save FILE     write all modules and verdicts to FILE, a gzipped file of JSON lines

       cargo run -p xtask -- ask FILE [--tools DIR] [--ptxas X.Y] [--head \"8.8 75\"]

Asks about each line of FILE as an instruction of a kernel that has registers and variables of all
kinds, and prints both verdicts. --head is version, target and its options.
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
        Some((help, _)) if help == "--help" || help == "-h" => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        Some((task, _)) => usage(&format!("there is no task {task}")),
        None => usage("no task given"),
    }
}

fn usage(message: &str) -> ExitCode {
    eprint!("error: {message}\n\n{USAGE}");
    ExitCode::from(2)
}
