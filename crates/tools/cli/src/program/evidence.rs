//! The options of `texunit run` for tests, and the processing of the run's evidence after the
//! program has ended.

use super::inspect::{Obstacle, Warning};
use super::reports::{Outputs, is_output};
use super::{NOT_STARTED, RunArgs, say};
use crate::args::{ProfileFormat, fill, integer, name_of};
use crate::color::{self, ColorChoice};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use texunit_device::Fill;
use texunit_evidence::{Format, Record, Run};
use texunit_forms::Count;
use texunit_report::Severity;

/// The exit code after `--timeout`, as that of the command `timeout`.
const TIMED_OUT: u8 = 124;

/// Options of `texunit run` for tests.
#[derive(Clone, Debug, Args)]
pub struct EvidenceArgs {
    /// Exit code if a kernel of any process of the run has a fault, or a check has found something
    /// that counts (--fail-on), and the program ends with 0; 125 if none of its kernels could be
    /// executed, or a part of what its processes did is not known.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = integer::<u8>("an exit code", 0..=255))]
    pub error_exitcode: Option<u8>,
    /// Stop the program, and everything that it has started, after this many seconds, with exit
    /// code 124; for a running kernel, the place where it was is reported.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = seconds)]
    pub timeout: Option<Duration>,
    /// Maximum number of instructions that a warp may execute; after it, the kernel counts as an
    /// infinite loop.
    #[arg(long, value_name = "N", env = "TEXUNIT_MAX_STEPS", allow_negative_numbers = true,
          value_parser = integer::<u64>("instructions of a warp", 1..=u64::MAX))]
    pub max_steps: Option<u64>,
    /// Run the CTAs and warps of each launch in a random fair order that follows from this seed:
    /// the effects of a race become visible, and the same seed repeats them exactly. Turns may end
    /// between any two accesses of memory. Uses one host thread, and everything is interpreted.
    /// Without it, one host thread (TEXUNIT_THREADS=1) runs CTAs one after the other, and the warps
    /// of each in turns from barrier to barrier: always in the same order. Asynchronous work of
    /// streams is done late, in an order that follows from the seed, too.
    #[arg(long, value_name = "SEED", env = "TEXUNIT_SCHEDULE", allow_negative_numbers = true,
          value_parser = integer::<u64>("a seed", 0..=u64::MAX))]
    pub schedule: Option<u64>,
    /// Fill fresh memory of devices, and shared and local memory when a CTA begins, with a pattern
    /// instead of zeros: a byte (0xab), 32 bits (0xdeadbeef), or `random`, whose seed is printed;
    /// `random:SEED` repeats it.
    #[arg(long, value_name = "PATTERN", env = "TEXUNIT_FILL", value_parser = fill)]
    pub fill: Option<Fill>,
    /// A fault ends only the launch: the context stays usable, and further faults are counted.
    #[arg(long)]
    pub continue_after_fault: bool,
    /// Write a report to this file when the program has ended: kernels, launches, time,
    /// instructions, fetches, faults of all processes together. The file extension selects the
    /// form: .json, .sarif, .xml (JUnit). `%p` in the name stands for the process ID: each process
    /// then has its own report. `-` is standard output. May be given more than once.
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
    /// The form of a report: one for each --report in the same order, or one for those whose
    /// extensions do not select it. Without --report, on standard output.
    #[arg(long, value_name = "FORM", value_enum)]
    pub report_format: Vec<ReportFormat>,
    /// Say at the end how well it is known what the instructions of the launched kernels compute:
    /// specified, measured on a card, assumed, or not the card's, and whether such values may reach
    /// addresses, branches, barriers or outputs.
    #[arg(long)]
    pub fidelity: bool,
    /// Write the coverage of device code to this file, as lcov: lines, functions and branches of
    /// all kernels that are loaded by any process, with counts of threads. `%p` in the name stands
    /// for the process ID: each process then has its own file. `-` is standard output.
    #[arg(long, value_name = "FILE", env = "TEXUNIT_COVERAGE")]
    pub coverage: Option<PathBuf>,
    /// Write the coverage of headers that come with CUDA or the compiler, too, which is left out
    /// otherwise.
    #[arg(long, requires = "coverage")]
    pub coverage_toolkit: bool,
    /// Write how often each instruction and line of all kernels was executed, by all processes
    /// together, and what their accesses cost, to this file (docs/profile.md). `%p` in the name
    /// stands for the process ID: each process then has its own file. `-` is standard output.
    #[arg(long, value_name = "FILE", env = "TEXUNIT_PROFILE")]
    pub profile: Option<PathBuf>,
    /// The form of the profile; without it, a name that begins with `callgrind.out` asks for
    /// Callgrind's.
    #[arg(long, value_name = "FORM", value_enum, requires = "profile")]
    pub profile_format: Option<ProfileFormat>,
}

crate::args::choices! {
    /// Forms of a report.
    ReportFormat for Format {
        /// texunit's own, with everything that is known (docs/cuda-api.md).
        Json,
        /// SARIF 2.1.0, for viewers and code scanning.
        Sarif,
        /// JUnit XML: a test suite for each process, a test case for each kernel.
        Junit,
        /// Annotations of GitHub Actions.
        Github,
    }
}

/// Maximum time limit: a year.
const LONGEST: f64 = 366.0 * 86400.0;

fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s <= LONGEST);
    seconds.map(Duration::from_secs_f64).ok_or("expected a number of seconds, such as 90 or 0.5")
}

impl EvidenceArgs {
    /// Whether `texunit run` has to stay alive until the program has ended.
    pub(super) fn need_a_parent(&self) -> bool {
        self.error_exitcode.is_some()
            || self.timeout.is_some()
            || self.wants_reports()
            || self.coverage.is_some()
            || self.profile.is_some()
            || self.fidelity
    }

    fn wants_reports(&self) -> bool {
        !self.report.is_empty() || !self.report_format.is_empty()
    }

    /// Passes options to the libraries by environment variables.
    pub(super) fn set(&self, command: &mut Command) {
        if let Some(fill @ Fill::Random(_)) = self.fill {
            say(format_args!("texunit: fresh memory is filled by --fill {fill}"));
        }
        let set = |is_set: bool| is_set.then(|| "1".to_owned());
        let color = Some(color::choice()).filter(|choice| *choice != ColorChoice::Auto);
        let options = [
            ("TEXUNIT_MAX_STEPS", self.max_steps.map(|steps| steps.to_string())),
            ("TEXUNIT_SCHEDULE", self.schedule.map(|seed| seed.to_string())),
            ("TEXUNIT_FILL", self.fill.map(|fill| fill.to_string())),
            ("TEXUNIT_CONTINUE_AFTER_FAULT", set(self.continue_after_fault)),
            ("TEXUNIT_COLOR", color.as_ref().map(name_of)),
            ("TEXUNIT_COVERAGE_TOOLKIT", set(self.coverage_toolkit)),
        ];
        command.envs(options.into_iter().filter_map(|(name, value)| Some((name, value?))));
        for (name, file) in
            [("TEXUNIT_COVERAGE", &self.coverage), ("TEXUNIT_PROFILE", &self.profile)]
        {
            let Some(file) = file else { continue };
            // The program may change its current folder.
            let file = if is_output(file) { Path::new("/dev/stdout") } else { file };
            let _ = std::path::absolute(file).map(|file| command.env(name, file));
        }
        if self.wants_reports() || self.fidelity {
            command.env("TEXUNIT_COUNTERS", "1").env_remove("TEXUNIT_REPORT");
        }
    }
}

/// Runs the program and processes the evidence of its processes; returns the exit code of the run.
#[cfg(not(target_os = "linux"))]
pub(super) fn run(_: Command, _: &Path, args: &RunArgs, _: &[Warning]) -> Result<u8, String> {
    Outputs::of(args)?;
    Err("the drop-in libraries are for Linux".to_owned())
}

/// Runs the program and processes the evidence of its processes; returns the exit code of the run.
#[cfg(target_os = "linux")]
pub(super) fn run(
    command: Command,
    path: &Path,
    args: &RunArgs,
    warnings: &[Warning],
) -> Result<u8, String> {
    use super::parent;
    use nix::sys::memfd::{MFdFlags, memfd_create};
    use std::fs::File;
    use texunit_evidence::{Lost, Tally};
    use texunit_files::Identity;
    let outputs = Outputs::of(args)?;
    let folder = parent::folder()?;
    let run = Run {
        texunit: env!("CARGO_PKG_VERSION").to_owned(),
        command: args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        schedule: args.evidence.schedule,
        fail_on: args.checks.fail_on(),
        ..Run::default()
    };
    let mut meanwhile = |wall: Duration| {
        let records = texunit_evidence::read(folder.path());
        let milliseconds = Some(wall.as_secs_f64() * 1e3);
        outputs.write_so_far(&Run { records, milliseconds, ..run.clone() }, folder.path());
    };
    let timeout = args.evidence.timeout;
    // Without memory files, lost events cannot be counted.
    let witness = memfd_create(texunit_evidence::WITNESS, MFdFlags::MFD_CLOEXEC);
    let witness = witness.ok().map(File::from);
    let own = Identity::of(folder.path());
    let outcome = parent::run(command, path, timeout, folder.path(), &mut meanwhile)?;
    // The count is read before the event files, so that a process which is still running does not
    // seem to have lost events.
    let told = witness.as_ref().map(Tally::of).unwrap_or_default();
    let mut read = texunit_evidence::read_all(folder.path());
    let is_there = Identity::of(folder.path()) == own;
    let modules = outputs.modules(folder.path());
    let lost = Lost::of(&told, is_there, &read, modules, run.fail_on);
    // Lost events matter only if the options use them.
    let lost = lost.filter(|_| args.evidence.need_a_parent());
    let mut run = Run {
        records: std::mem::take(&mut read.records),
        lost,
        milliseconds: Some(outcome.wall.as_secs_f64() * 1e3),
        cpu_milliseconds: Some(outcome.cpu.as_secs_f64() * 1e3),
        signal: outcome.signal,
        timed_out: outcome.timed_out.map(|time| time.as_secs_f64()),
        ..run
    };
    run.not_executed = not_executed(&run, warnings);
    let code = exit_code(&run, outcome.code, args.evidence.error_exitcode);
    run.exit_code = Some(code);
    if args.evidence.need_a_parent() {
        summarize(&run, code != outcome.code, args.evidence.error_exitcode.is_some());
    }
    if args.evidence.fidelity {
        let totals = texunit_report::fidelity_totals(run.instructions());
        say(format_args!("texunit: instruction forms of the kernels: {totals}"));
    }
    let covered = outputs.write_coverage(folder.path()) & outputs.write_profile(folder.path());
    // A signal may end the remaining work, so that the folder is removed first.
    drop(folder);
    let written = outputs.write_reports(&run) && covered;
    Ok(if written || code != 0 { code } else { crate::FAILED })
}

/// Errors of calls that load or launch kernels, in programs whose kernels texunit cannot execute.
const NO_KERNELS: [&str; 12] = [
    "CUDA_ERROR_NO_BINARY_FOR_GPU",
    "CUDA_ERROR_INVALID_IMAGE",
    "CUDA_ERROR_INVALID_PTX",
    "CUDA_ERROR_INVALID_SOURCE",
    "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
    "CUDA_ERROR_NOT_SUPPORTED",
    "cudaErrorNoKernelImageForDevice",
    "cudaErrorInvalidDeviceFunction",
    "cudaErrorInvalidKernelImage",
    "cudaErrorInvalidPtx",
    "cudaErrorUnsupportedPtxVersion",
    "cudaErrorNotSupported",
];

/// Why no kernel was executed, in a program with kernels that could not be.
fn not_executed(run: &Run, warnings: &[Warning]) -> Option<String> {
    let has_launched = run.records.iter().any(|record| {
        !record.running.is_empty() || record.kernels.values().any(|kernel| kernel.launches > 0)
    });
    if has_launched {
        return None;
    }
    let of = |obstacle| warnings.iter().find(|warning| warning.obstacle == obstacle);
    let mut calls = run.records.iter().flat_map(|record| record.api.values());
    let refused =
        calls.find(|call| NO_KERNELS.contains(&&*call.code) || call.function == "cuGetExportTable");
    match (of(Obstacle::Everything), refused) {
        (Some(warning), _) => Some(warning.text.clone()),
        (None, None) => None,
        (None, Some(call)) => Some(of(Obstacle::Calls).map_or_else(
            || format!("{}: {}: {}", call.function, call.code, call.reason),
            |warning| warning.text.clone(),
        )),
    }
}

/// The exit code of a run, given that of its program.
fn exit_code(run: &Run, program: u8, for_errors: Option<u8>) -> u8 {
    let has_failed = run.failures() > 0 || run.lost.as_ref().is_some_and(|lost| lost.failures);
    match (run.timed_out, for_errors) {
        (Some(_), _) => TIMED_OUT,
        _ if program != 0 => program,
        (None, Some(code)) if has_failed => code,
        (None, Some(_)) if run.lost.is_some() || run.not_executed.is_some() => NOT_STARTED,
        (None, None) if run.lost.is_some() => crate::FAILED,
        _ => program,
    }
}

/// Summarises the failures of all processes; each process has reported its own faults.
fn summarize(run: &Run, is_changed: bool, for_errors: bool) {
    for record in &run.records {
        for running in record.running.values() {
            let kernel = texunit_report::place::function_name(&running.kernel);
            let place = running.place.as_ref().map_or(String::new(), |place| format!(" ({place})"));
            say(format_args!(
                "texunit: process {} was ended while kernel {kernel} was running{place}",
                record.process.pid
            ));
        }
    }
    let is_changed = is_changed && run.timed_out.is_none();
    let code = match (run.exit_code, is_changed) {
        (Some(code), true) if for_errors => format!("; exit code {code} (--error-exitcode)"),
        (Some(code), true) => format!("; exit code {code}"),
        _ => String::new(),
    };
    let has_any = |record: &&Record| record.faults() + record.checked(Severity::Note) > 0;
    let of = run.records.iter().filter(has_any).count();
    let faults = run.records.iter().map(Record::faults).fold(0, u64::saturating_add);
    let found = run.findings();
    if of > 0 {
        let findings = found.total();
        let findings = format!("{} ({})", Count(findings, "finding"), found.words());
        let what = match (Count(faults, "fault"), faults, found.total()) {
            (faults, _, 0) => faults.to_string(),
            (_, 0, _) => findings,
            (faults, ..) => format!("{faults} and {findings}"),
        };
        say(format_args!("texunit: {what} in {}{code}", Count(of, "process")));
    }
    let code = if of > 0 { "" } else { &*code };
    if let Some(lost) = &run.lost {
        say(format_args!("texunit: {lost}{code}"));
    } else if let Some(why) = run.not_executed.as_ref().filter(|_| !code.is_empty()) {
        say(format_args!("texunit: no kernel of the program was executed{code}: {why}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes() {
        use texunit_evidence::{Finding, Lost, Record};
        let mut faulty = Record::default();
        faulty.findings.insert(1, Finding::default());
        let failing = Run { records: vec![Record::default(), faulty], ..Run::default() };
        let losing = |failures| Run {
            lost: Some(Lost { events: 1, failures, ..Lost::default() }),
            ..Run::default()
        };
        let both = Run { records: failing.records.clone(), ..losing(false) };
        let idle = Run { not_executed: Some("no PTX".to_owned()), ..Run::default() };
        // With --error-exitcode 9, and without; another code of the program stays.
        for (run, codes) in [
            (Run { records: vec![Record::default()], ..Run::default() }, [0, 0]),
            (failing, [9, 0]),
            (idle, [NOT_STARTED, 0]),
            (losing(false), [NOT_STARTED, crate::FAILED]),
            (losing(true), [9, crate::FAILED]),
            (both, [9, crate::FAILED]),
        ] {
            let of = |program| [Some(9), None].map(|code| exit_code(&run, program, code));
            assert_eq!([of(0), of(7)], [codes, [7, 7]], "{run:?}");
        }
        let late = Run { timed_out: Some(1.0), ..Run::default() };
        assert_eq!(exit_code(&late, 0, Some(9)), TIMED_OUT);
    }

    #[test]
    fn kernels_that_could_not_be_executed() {
        use texunit_evidence::{Api, Kernel, Record};
        let record = |code: &str, launches| {
            let mut record = Record::default();
            record.api.insert(Default::default(), Api { code: code.to_owned(), ..Api::default() });
            record.kernels.insert("k".to_owned(), Kernel { launches, ..Kernel::default() });
            Run { records: vec![record], ..Run::default() }
        };
        let (idle, refused) = (Run::default(), record("CUDA_ERROR_INVALID_PTX", 0));
        for (run, obstacle, said) in [
            (&idle, Obstacle::Everything, Some("no PTX".to_owned())),
            // For example `--gtest_list_tests`.
            (&idle, Obstacle::Calls, None),
            (&refused, Obstacle::Calls, Some("no PTX".to_owned())),
            (&record("CUDA_ERROR_INVALID_PTX", 1), Obstacle::Everything, None),
        ] {
            let warning = Warning { text: "no PTX".to_owned(), obstacle };
            assert_eq!(not_executed(run, &[warning]), said, "{run:?}");
        }
        let own = not_executed(&refused, &[]).unwrap_or_default();
        assert!(own.contains("CUDA_ERROR_INVALID_PTX"), "{own}");
        assert_eq!(not_executed(&record("CUDA_ERROR_INVALID_VALUE", 0), &[]), None);
    }
}
