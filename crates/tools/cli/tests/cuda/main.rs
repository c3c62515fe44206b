//! Runs programs on the drop-in libraries: those of tests/cuda, built by nvcc with the runtimes of
//! CUDA 12 and 13, shared and static; Python and Rust programs with the driver API; and the
//! commands `texunit run` and `texunit install-libs`. tests/cuda/README.md describes the cases.
//!
//! `xtask tools` installs external tools (nvcc, Python packages). Without a tool, the tests that
//! need it are skipped with a message.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod api;
mod checked;
mod clients;
mod commands;
mod coverage;
mod covered;
mod debugged;
mod dlopen;
mod environment;
mod evidence;
#[path = "../explained/mod.rs"]
mod explained;
#[path = "../genhtml/mod.rs"]
mod genhtml;
#[path = "../help_examples/mod.rs"]
mod help_examples;
mod libraries;
mod lost_evidence;
mod named;
mod parent;
mod places;
mod pools;
mod process;
mod profiled;
mod program;
mod readme;
mod record;
mod redirected;
mod refused;
mod runs;
mod scope;
mod severities;
mod swept;
mod tools;
mod variables;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = Arguments::from_args();
    if !cfg!(target_os = "linux") {
        eprintln!("!! the drop-in libraries are for Linux: none of their tests runs");
        return ExitCode::SUCCESS;
    }
    // Tests that wait (for an alarm, a time limit, the end of a process) leave their processor to
    // others.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    args.test_threads.get_or_insert(processors + 2);
    let setup = tools::Setup::get(args.list);
    let mut trials = program::trials(&setup);
    // Among them is the longest test, so they do not come last.
    trials.extend(swept::trials(&setup));
    for (group, tests) in [
        ("run", commands::TESTS),
        ("places", places::TESTS),
        ("pools", pools::TESTS),
        ("evidence", evidence::TESTS),
        ("evidence", parent::TESTS),
        ("lost", lost_evidence::TESTS),
        ("coverage", covered::TESTS),
        ("profile", profiled::TESTS),
        ("check", checked::TESTS),
        ("debug", debugged::TESTS),
        ("check", severities::TESTS),
        ("check", named::TESTS),
        ("readme", readme::TESTS),
        ("run", redirected::TESTS),
        ("refused", refused::TESTS),
        ("run", dlopen::TESTS),
        ("run", scope::TESTS),
        ("run", environment::TESTS),
    ] {
        trials.extend(commands::trials(&setup, group, tests));
    }
    trials.extend(clients::trials(&setup));
    trials.extend(runs::trials(&setup));
    trials.extend(record::trials(&setup));
    trials.extend(api::trials(&setup));
    trials.extend(variables::trials(&setup));
    trials.extend(libraries::trials(&setup));
    for (name, is_slow, run) in help_examples::tests(Some(&setup.libraries)) {
        trials.push(Trial::test(name, run).with_ignored_flag(is_slow));
    }
    let conclusion = libtest_mimic::run(&args, trials);
    if std::env::var_os("UPDATE").is_some() {
        coverage::write();
    }
    conclusion.exit_code()
}
