//! Arguments of `texunit reduce`.

use crate::args::{BoundsArg, OutputFormat, architecture, byte_size};
use crate::{examples, number};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use texunit_device::{ComputeCapability, GradientPath};
use texunit_reduce::oracle::Settings;

/// Arguments of `texunit reduce`.
#[derive(Clone, Debug, Args)]
#[command(after_help = examples::REDUCE)]
pub struct ReduceArgs {
    /// What fails: a job file (.toml) or a PTX file.
    #[arg(value_name = "INPUT")]
    pub input: PathBuf,
    /// Where the result goes: a folder for a job, a file for PTX; NAME-reduced and NAME.reduced.ptx
    /// in the current folder by default.
    #[arg(long, value_name = "FILE/DIR")]
    pub out: Option<PathBuf>,
    /// Stop after this time and keep the best result so far.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, allow_negative_numbers = true,
          value_parser = number::whole::<u64>("seconds", 1..=u64::from(u32::MAX)))]
    pub time: u64,
    /// Stop after this number of attempts and keep the best result so far.
    #[arg(long, value_name = "N", default_value_t = 20_000, allow_negative_numbers = true,
          value_parser = number::whole::<u64>("attempts", 0..=u64::MAX))]
    pub max_tries: u64,
    /// What must stay the same; by default found out by a first run.
    #[arg(long, value_enum, value_name = "WHAT")]
    pub keep: Option<Keep>,
    /// Keep the difference between two launches: options of `texunit launch` and environment
    /// variables (NAME=VALUE) of the second one, with blanks between them.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, conflicts_with = "command")]
    pub against: Option<String>,
    /// With --command: keep that the program writes this text, too.
    #[arg(long, value_name = "TEXT", requires = "command")]
    pub text: Option<String>,
    /// Host threads of a launch; 0: one for each core.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true,
          value_parser = number::whole::<u16>("host threads", 0..=1024))]
    pub threads: u16,
    /// Instructions that a warp may execute before the launch ends as one in an infinite loop; by default as the job
    /// says, or 1000000000.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = number::whole::<u64>("instructions of a warp", 1..=u64::MAX))]
    pub max_steps: Option<u64>,
    /// Fuse f32 mul and add, as a hardware assembler may.
    #[arg(long)]
    pub fmad: bool,
    /// Where accesses past the end of an object become faults.
    #[arg(long, value_enum)]
    pub bounds: Option<BoundsArg>,
    /// Architecture whose limits hold for the size of textures and surfaces, such as sm_75.
    #[arg(long, value_name = "SM", value_parser = architecture)]
    pub arch: Option<ComputeCapability>,
    /// Execute `tex.grad` as Maxwell's TXD where it has that form.
    #[arg(long)]
    pub via_txd: bool,
    /// Most device memory in bytes; K, M and G stand for 2^10, 2^20 and 2^30.
    #[arg(long, value_name = "BYTES", value_parser = byte_size)]
    pub memory_limit: Option<u64>,
    /// What is printed.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// Keep the exit code of this program, and its text with --text. It is run for each attempt; {} stands for
    /// the path of the job or PTX file, which is the last argument without. Takes the rest of the command line.
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

impl Keep {
    /// As written on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fault => "fault",
            Self::Code => "code",
            Self::Output => "output",
            Self::Exit => "exit",
        }
    }
}

impl ReduceArgs {
    /// How jobs are launched.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            architecture: self.arch,
            memory_limit: self.memory_limit,
            max_steps: self.max_steps,
            fmad: self.fmad,
            bounds: self.bounds.map(Into::into),
            gradients: if self.via_txd { GradientPath::Txd } else { GradientPath::Unit },
            threads: self.threads.into(),
        }
    }

    /// The options of `texunit launch` that a launch needs to fail so, as far as they were given.
    pub(super) fn launch_options(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.fmad {
            words.push("--fmad".to_owned());
        }
        if let Some(bounds) = self.bounds.and_then(|bounds| bounds.to_possible_value()) {
            words.push(format!("--bounds={}", bounds.get_name()));
        }
        if let Some(arch) = self.arch {
            words.push(format!("--arch={arch}"));
        }
        if self.via_txd {
            words.push("--via-txd".to_owned());
        }
        if let Some(steps) = self.max_steps {
            words.push(format!("--max-steps={steps}"));
        }
        if let Some(bytes) = self.memory_limit {
            words.push(format!("--memory-limit={bytes}"));
        }
        words
    }
}
