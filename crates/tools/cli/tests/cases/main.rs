//! Tests whose cases are files, or are otherwise counted when they start: a test for each case,
//! named `MODULE::CASE`. One program, because each is linked with everything. `cuda` is another,
//! because it first builds and installs what CUDA programs need.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod check;
mod cli;
mod dap;
mod debug;
mod dump;
mod explain;
#[path = "../explained/mod.rs"]
mod explained;
mod findings;
mod first;
mod golden;
mod guide;
#[path = "../help_examples/mod.rs"]
mod help_examples;
mod jobs;
mod programs;
mod reduce;
mod sample;
mod sass;

use libtest_mimic::{Arguments, Failed, Trial};

/// The tests of all modules.
#[derive(Default)]
pub(crate) struct Trials {
    /// The module that adds tests, which their names begin with.
    module: &'static str,
    all: Vec<Trial>,
}

impl Trials {
    /// Adds a test.
    pub(crate) fn add(
        &mut self,
        name: impl std::fmt::Display,
        run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) {
        self.add_ignored_if(false, name, run);
    }

    /// Adds a test that runs only with `--ignored` if a condition holds.
    pub(crate) fn add_ignored_if(
        &mut self,
        is_ignored: bool,
        name: impl std::fmt::Display,
        run: impl FnOnce() -> Result<(), Failed> + Send + 'static,
    ) {
        let name = format!("{}::{name}", self.module);
        self.all.push(Trial::test(name, run).with_ignored_flag(is_ignored));
    }
}

/// Adds the tests of a module.
type Add = fn(&mut Trials);

fn main() {
    let args = Arguments::from_args();
    let mut trials = Trials::default();
    let modules: [(&str, Add); _] = [
        ("check", check::add),
        ("cli", cli::add),
        #[cfg(target_os = "linux")]
        ("dap", dap::add),
        #[cfg(target_os = "linux")]
        ("debug", debug::add),
        #[cfg(target_arch = "x86_64")]
        ("dump", dump::add),
        ("explain", explain::add),
        ("findings", findings::add),
        ("first", first::add),
        ("guide", guide::add),
        ("jobs", jobs::add),
        ("programs", programs::add),
        ("reduce", reduce::add),
        ("sample", sample::add),
        ("sass", sass::add),
    ];
    for (module, add) in modules {
        trials.module = module;
        add(&mut trials);
    }
    libtest_mimic::run(&args, trials.all).exit();
}
