//! Arguments of `texunit reduce`.

use crate::args::{HowArgs, OutputFormat, integer, name_of};
use crate::examples;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use texunit_reduce::oracle::Settings;

/// Arguments of `texunit reduce`.
#[derive(Clone, Debug, Args)]
#[command(after_help = examples::of("texunit reduce"))]
pub struct ReduceArgs {
    /// What fails: a job file (.toml) or a PTX file.
    #[arg(value_name = "INPUT")]
    pub input: PathBuf,
    /// The result: a folder for a job, a file for PTX; default: NAME-reduced and NAME.reduced.ptx
    /// in the current folder, where NAME is that of the folder for a recording (DIR/job.toml).
    #[arg(long, short, value_name = "FILE/DIR")]
    pub out: Option<PathBuf>,
    /// Stop after this time and keep the best result so far.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, allow_negative_numbers = true,
          value_parser = integer::<u64>("seconds", 1..=u64::from(u32::MAX)))]
    pub time: u64,
    /// Stop after this number of attempts and keep the best result so far.
    #[arg(long, value_name = "N", default_value_t = 20_000, allow_negative_numbers = true,
          value_parser = integer::<u64>("attempts", 0..=u64::MAX))]
    pub max_tries: u64,
    /// What must stay the same; default: what a first run shows.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub keep: Option<Keep>,
    /// Keep the difference between two launches: options of `texunit launch` and environment
    /// variables (NAME=VALUE) of the second one, separated by blanks.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, conflicts_with = "command")]
    pub against: Option<String>,
    /// With --command: also keep that the program writes this text.
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub text: Option<String>,
    /// Host threads of a launch; 0: one per core.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
          value_parser = integer::<u16>("host threads", 0..=1024))]
    pub threads: u16,
    /// How jobs are launched.
    #[command(flatten)]
    pub how: HowArgs,
    /// What is printed.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// Keep the exit code of this program, and its text with --text. It is run for each attempt; {}
    /// stands for the path of the job or PTX file, which is otherwise the last argument. Takes the
    /// rest of the command line.
    #[arg(long, value_name = "PROGRAM", num_args = 1.., allow_hyphen_values = true)]
    pub command: Vec<OsString>,
}

/// What must stay the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// The fault of the launch: kind, kernel, access and object.
    Fault,
    /// The codes of the first error of the PTX.
    Code,
    /// A wrong output of the launch, or one that differs between two ways to launch.
    Output,
    /// The exit code: of --command; without, that there is any fault, or any error.
    Exit,
}

impl HowArgs {
    /// The launch settings, with this number of host threads.
    pub(super) fn with_threads(&self, threads: u16) -> Settings {
        Settings {
            of_job: self.settings(),
            schedule: self.schedule,
            fill: self.fill,
            via_txd: self.via_txd,
            threads: threads.into(),
        }
    }

    /// The given options as arguments, to repeat a failing launch.
    pub(super) fn words(&self) -> Vec<String> {
        let with = [
            self.bounds.map(|bounds| format!("--bounds={}", name_of(&bounds))),
            self.bad_fetch.map(|bad_fetch| format!("--bad-fetch={}", name_of(&bad_fetch))),
            self.fmad.map(|fmad| format!("--fmad={}", if fmad { "on" } else { "off" })),
            self.approx.map(|approx| format!("--approx={}", name_of(&approx))),
            self.arch.map(|arch| format!("--arch={arch}")),
            self.max_steps.map(|steps| format!("--max-steps={steps}")),
            self.schedule.map(|seed| format!("--schedule={seed}")),
            self.fill.map(|fill| format!("--fill={fill}")),
            self.memory_limit.map(|bytes| format!("--memory-limit={bytes}")),
        ];
        let via_txd = self.via_txd.then(|| "--via-txd".to_owned());
        via_txd.into_iter().chain(with.into_iter().flatten()).collect()
    }
}
