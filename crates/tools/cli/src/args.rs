//! The command line.

pub use crate::bench::BenchArgs;
pub use crate::cases::CasesArgs;
pub use crate::check::CheckArgs;
pub use crate::checks::CheckOptions;
use crate::color::ColorChoice;
pub use crate::compare::CompareArgs;
pub use crate::completions::CompletionsArgs;
pub use crate::dap::DapArgs;
pub use crate::debug::DebugArgs;
pub use crate::dump::DumpArgs;
pub use crate::explain::args::ExplainArgs;
pub use crate::explain_code::ExplainCodeArgs;
pub use crate::guide::ExamplesArgs;
pub use crate::init::InitArgs;
pub use crate::isa::IsaArgs;
pub use crate::lsp::LspArgs;
pub use crate::mcp::McpArgs;
pub use crate::program::{InstallLibsArgs, RunArgs};
pub use crate::ranges::MergeArgs;
pub use crate::reduce::ReduceArgs;
pub use crate::report::ReportArgs;
pub use crate::sample::SampleArgs;
pub use crate::sass::SassArgs;
use crate::{examples, number};
use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use texunit_device::{
    Approximate, Arithmetic, BadFetch, ComputeCapability, CtaRange, Fill, GradientPath,
};
use texunit_job::Settings;

/// Runs PTX kernels and CUDA programs on a CPU; texture fetches are bit-exact with the GPU.
#[derive(Debug, Parser)]
#[command(name = "texunit", version, arg_required_else_help = true, after_help = examples::of("texunit"))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When messages are coloured: on a terminal, unless NO_COLOR is set; always; never.
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = ColorChoice::Auto, global = true, hide_possible_values = true)]
    pub color: ColorChoice,
}

/// Subcommands.
// One is made in the life of the program, and which of them is large depends on features.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the kernel that a job file describes, and write its outputs.
    ///
    /// Exit codes: 0 the kernel ran and the outputs are written; 1 wrong or unreadable input, or a
    /// fault of the kernel; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit launch"))]
    Launch(LaunchArgs),
    /// Stop inside of kernels, look, and go back.
    ///
    /// Of a job (a file that ends with `.toml`) or of a CUDA program, which runs with texunit's
    /// libraries as by `texunit run`. Commands are those of cuda-gdb, and `reverse-step`,
    /// `reverse-continue`, `last-write`, `goto` besides (docs/debugger.md). Exit codes: 0 the
    /// session has ended; 1 the job is wrong, or its launch has failed; 2 wrong usage, or an
    /// internal error; 125 the program could not be started.
    Debug(DebugArgs),
    /// Debug kernels in an editor, over the Debug Adapter Protocol (docs/debugger.md).
    ///
    /// Exit codes: 0 after the request `disconnect`; 1 if the editor went away without it; 2 wrong
    /// usage, or an internal error.
    Dap(DapArgs),
    /// Merge what ranges of CTAs have written, and write the outputs of the whole grid.
    ///
    /// The result is that of one launch, or there is none: ranges that depend on each other are
    /// refused with both instructions. Exit codes: 0 the outputs are written; 1 wrong or unreadable
    /// input, or ranges that cannot be merged; 2 wrong usage, or an internal error.
    /// docs/distributed.md says what is merged.
    Merge(MergeArgs),
    /// Write a job file for a kernel, with every parameter filled in as far as the PTX says what it
    /// is.
    ///
    /// Textures, surfaces and buffers are recognised by what the kernel does with its parameters;
    /// sizes and values are guesses, marked as such. Exit codes: 0 written; 1 wrong or unreadable
    /// PTX, or a file that already exists; 2 wrong usage, or an internal error.
    Init(InitArgs),
    /// Show what a fetch or a surface access does: coordinates, level, texels, weights, sums.
    ///
    /// Exit codes: 0 shown; 1 wrong or unreadable input, or a result that a case does not expect; 2
    /// wrong usage, or an internal error. docs/explain.md has examples.
    #[command(after_help = examples::of("texunit explain"))]
    Explain(Box<ExplainArgs>),
    /// Sample a texture at all coordinates of an array: NPY files in, an NPY file out.
    ///
    /// Exit codes: 0 the results are written; 1 wrong or unreadable input; 2 wrong usage, or an
    /// internal error. docs/sample.md has the options, docs/python-conventions.md what an array
    /// means.
    #[command(after_help = examples::of("texunit sample"))]
    Sample(Box<SampleArgs>),
    /// The cases that prove the texture unit, for other implementations of one.
    #[command(after_help = examples::of("texunit cases export"))]
    Cases(CasesArgs),
    /// Run fetch cases and jobs on a real NVIDIA GPU and compare every bit.
    ///
    /// The driver library is opened at run time. Cases that the driver API cannot express are
    /// listed as skipped. Exit codes: 0 everything that was run on the card agrees; 1 something
    /// differs or cannot be read; 2 there is no GPU, or no driver except texunit's own, or wrong
    /// usage, or an internal error.
    #[command(after_help = examples::of("texunit compare"))]
    Compare(CompareArgs),
    /// Check PTX files: everything that NVIDIA's assembler would refuse, and more.
    ///
    /// Exit codes: 0 no errors (warnings included, unless denied); 1 errors, or unreadable input;
    /// 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit check"))]
    Check(CheckArgs),
    /// Explain an error, a warning, a fault or a rule of the texture unit, with an example.
    ///
    /// Exit codes: 0 explained; 1 unknown code; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit explain-code"))]
    ExplainCode(ExplainCodeArgs),
    /// Shrink a failing job or PTX file to a small one that fails in the same way.
    ///
    /// Exit codes: 0 reduced, even if time, attempts or Ctrl-C ended it; 1 the input does not fail,
    /// or cannot be read; 2 wrong usage, or an internal error. docs/reduce.md has examples.
    Reduce(Box<ReduceArgs>),
    /// Write one page about runs: launches, findings, counts and coverage beside the sources,
    /// textures, fidelity.
    ///
    /// The page is one file that needs no network and no scripts. Exit codes: 0 written; 1 a file
    /// that is something else, is not whole, or cannot be read or written; 2 wrong usage, or an
    /// internal error. docs/report.md describes the page.
    #[command(after_help = examples::of("texunit report"))]
    Report(ReportArgs),
    /// Print what the engine makes of a kernel: typed PTX, warp code, regions, machine code.
    ///
    /// Exit codes: 0 printed; 1 errors in the PTX, or unreadable input; 2 wrong usage, or an
    /// internal error. Made for those who work on the engine: the form may change with it.
    #[command(after_help = examples::of("texunit dump"))]
    Dump(DumpArgs),
    /// Print the forms and operands of instructions, and the PTX version and target that they need.
    ///
    /// Exit codes: 0 printed; 1 unknown instruction; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit isa"))]
    Isa(IsaArgs),
    /// Serve an editor: a language server over standard input and output.
    Lsp(LspArgs),
    /// Serve an assistant that writes kernels: the Model Context Protocol over standard input and
    /// output.
    ///
    /// docs/assistants.md has the configuration of clients. Exit codes: 0 standard input has ended;
    /// 1 it is not of the protocol; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit mcp"))]
    Mcp(McpArgs),
    /// Maxwell machine words of the texture unit: disassemble, assemble, explain descriptors.
    #[command(after_help = examples::of("texunit sass"))]
    Sass(SassArgs),
    /// Run a CUDA program with texunit's libraries in place of NVIDIA's.
    ///
    /// Exit codes: the program's; 125 if it could not be started, or with --error-exitcode if none
    /// of its kernels could be executed; 124 after --timeout; 1 if a report could not be written
    /// and the program's was 0; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit run"))]
    Run(RunArgs),
    /// Copy the drop-in libraries (libcuda.so.1, libcudart.so.12, libcudart.so.13) into a folder.
    ///
    /// Exit codes: 0 they are there; 1 they are not; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit install-libs"))]
    InstallLibs(InstallLibsArgs),
    /// Measure how fast fetches are on this machine, in less than a minute.
    ///
    /// The results are compared with the reference sampler before they are timed. Exit codes: 0
    /// measured; 1 not enough memory; 2 wrong usage, or an internal error. docs/benchmarks.md
    /// describes the cases.
    #[command(after_help = examples::of("texunit bench"))]
    Bench(BenchArgs),
    /// Write the examples of the guide, and the other files that its commands read, into a folder.
    ///
    /// Paths are those of the guide: `examples/rotate/job.toml` is DIR/examples/rotate/job.toml,
    /// and `action/setup`, which sets texunit up in CI, DIR/action/setup. Exit codes: 0 written; 1
    /// a file exists, or cannot be written; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit examples"))]
    Examples(ExamplesArgs),
    /// Print what a shell needs to complete commands, options and their values.
    ///
    /// Exit codes: 0 printed; 2 wrong usage, or an internal error.
    Completions(CompletionsArgs),
}

/// Declares the values of an option: those of another type, each with its help.
macro_rules! choices {
    ($(#[$about:meta])* $name:ident for $of:path {
        $($(#[$help:meta])* $value:ident,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
        pub enum $name {
            $($(#[$help])* $value,)*
        }

        impl From<$name> for $of {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$value => Self::$value,)*
                }
            }
        }
    };
}
pub(crate) use choices;

choices! {
    /// Where accesses past the end of an object become faults.
    BoundsArg for texunit_device::Bounds {
        /// At its last byte.
        Exact,
        /// Where a GPU could notice: sizes of allocations are rounded up to 512 bytes, of dynamic
        /// shared memory to 1 KiB. What passes is counted.
        Hardware,
    }
}

choices! {
    /// What becomes of a fetch or access that no texture or surface fits and that a card answers all
    /// the same.
    BadFetchArg for texunit_device::BadFetch {
        /// A fault.
        Fault,
        /// What the card makes of it: loads give 0, stores do nothing, a surface is fetched from. It is
        /// reported.
        Zero,
    }
}

choices! {
    /// How approximate instructions compute.
    ApproxArg for Approximate {
        /// By the special function unit of a card, bit for bit.
        Card,
        /// To the nearest number of the exact result.
        Rounded,
    }
}

/// Arguments of `texunit launch`.
#[derive(Clone, Debug, Default, Args)]
pub struct LaunchArgs {
    /// The job file (docs/jobs.md describes it).
    #[arg(value_name = "JOB.toml")]
    pub job: PathBuf,
    /// Folder for the outputs; created if it does not exist.
    #[arg(long, short, value_name = "DIR", default_value = "texunit-out")]
    pub out: PathBuf,
    /// Host threads; 0 means one per core.
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true,
          value_parser = number::whole::<u16>("host threads", 0..=1024))]
    pub threads: u16,
    /// Output format.
    #[arg(long, value_enum, default_value_t = LaunchFormat::Human, requires_if("svg", "explain"))]
    pub format: LaunchFormat,
    /// Print nothing but errors and what the kernel prints.
    #[arg(long, short)]
    pub quiet: bool,
    /// How the kernel is executed.
    #[command(flatten)]
    pub how: HowArgs,
    /// What is checked while it runs.
    #[command(flatten)]
    pub checks: CheckOptions,
    /// Check only kernels of this name, with `*` for any characters; may be given more than once.
    #[arg(long, value_name = "NAME", requires = "check")]
    pub kernel: Vec<String>,
    /// Write the coverage of the kernel, and of all others in its PTX, to this file, as lcov:
    /// lines, functions and branches with counts of threads.
    #[arg(long, value_name = "FILE", value_parser = crate::coverage::file())]
    pub coverage: Option<PathBuf>,
    /// Write the coverage of headers that come with CUDA or the compiler, too, which is left out
    /// otherwise.
    #[arg(long, requires = "coverage")]
    pub coverage_toolkit: bool,
    /// Write how often each instruction and line of the kernel was executed, and what its accesses
    /// cost, to this file (docs/profile.md).
    #[arg(long, value_name = "FILE", value_parser = crate::profile::file())]
    pub profile: Option<PathBuf>,
    /// The form of the profile; without it, a name that begins with `callgrind.out` asks for
    /// Callgrind's.
    #[arg(long, value_name = "FORM", value_enum, requires = "profile")]
    pub profile_format: Option<ProfileFormat>,
    /// Print the sampler state that takes effect for each fetch of the kernel.
    #[arg(long)]
    pub effective: bool,
    /// Explain the fetches and surface accesses of one thread, by its number in the grid:
    /// %ctaid * %ntid + %tid of each axis.
    #[arg(long, value_name = "X,Y,Z", value_parser = thread)]
    pub explain: Option<[u32; 3]>,
    /// Write the explanation to this file instead: a page of pictures (.svg), JSON (.json), or
    /// text.
    #[arg(long, value_name = "FILE", requires = "explain")]
    pub explain_out: Option<PathBuf>,
    /// Print which instructions were interpreted in the middle of machine code, and how often: they
    /// are what keeps the kernel from running faster.
    #[arg(long)]
    pub interpreted: bool,
    /// Launch only these CTAs, by their numbers in the grid (x + width * (y + height * z)): the
    /// first, and the one after the last. No outputs are written: `texunit merge` does that when
    /// all ranges have run.
    #[arg(long, value_name = "A..B", requires = "writes", value_parser = crate::ranges::range)]
    pub ctas: Option<CtaRange>,
    /// Write what these CTAs have read and written to this file.
    #[arg(long, value_name = "FILE", requires = "ctas")]
    pub writes: Option<PathBuf>,
    /// Files of sets to be merged in place of a launch: `texunit merge`.
    #[arg(skip)]
    pub merge: Vec<PathBuf>,
}

/// Forms of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProfileFormat {
    /// texunit's own, with everything that was counted (docs/profile.md).
    Json,
    /// That of Callgrind, for KCachegrind, QCachegrind and callgrind_annotate.
    Callgrind,
}

/// How a job is launched: options of `texunit launch` and `texunit reduce`. Without one of them it
/// is what the job says, or else the default.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct HowArgs {
    /// Maximum number of instructions that a warp may execute; after it, the kernel counts as an
    /// infinite loop. Default: what the job says, or 1000000000.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = number::whole::<u64>("instructions of a warp", 1..=u64::MAX))]
    pub max_steps: Option<u64>,
    /// Whether mul and add without a rounding modifier are fused where ptxas does it; default: what
    /// the job says, or on.
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = switch, env = "TEXUNIT_FMAD")]
    pub fmad: Option<bool>,
    /// How approximate instructions (`rcp.approx`, `sin.approx`, `div.full` and so on) compute;
    /// default: what the job says, or `card`.
    #[arg(long, value_enum, env = "TEXUNIT_APPROX")]
    pub approx: Option<ApproxArg>,
    /// Where accesses past the end of an object become faults; default: what the job says, or
    /// `exact`.
    #[arg(long, value_enum)]
    pub bounds: Option<BoundsArg>,
    /// What becomes of fetches that no texture fits: of another geometry, of linear memory by
    /// floats, by a handle that was never returned or a surface's. Default: what the job says, or
    /// `zero`.
    #[arg(long, value_enum, env = "TEXUNIT_BAD_FETCH")]
    pub bad_fetch: Option<BadFetchArg>,
    /// Architecture whose limits apply to the size of textures and surfaces, such as sm_75;
    /// default: what the job says, or sm_86.
    #[arg(long, alias = "device", value_name = "SM", value_parser = architecture)]
    pub arch: Option<ComputeCapability>,
    /// Run CTAs and warps in a random fair order that follows from this seed: the effects of a race
    /// become visible, and the same seed repeats them exactly. Turns may end between any two
    /// accesses of memory. Uses one host thread, and everything is interpreted. Without it, one
    /// host thread runs CTAs one after the other, and the warps of each in turns from barrier to
    /// barrier: always in the same order.
    #[arg(long, value_name = "SEED", allow_negative_numbers = true,
          value_parser = number::whole::<u64>("a seed", 0..=u64::MAX))]
    pub schedule: Option<u64>,
    /// Fill uninitialised memory, and shared and local memory when a CTA begins, with a pattern
    /// instead of zeros: a byte (0xab), 32 bits (0xdeadbeef), or `random`, whose seed is printed;
    /// `random:SEED` repeats it.
    #[arg(long, value_name = "PATTERN", value_parser = crate::number::fill)]
    pub fill: Option<Fill>,
    /// Execute `tex.grad` as Maxwell's TXD where it has that form, on texture headers and
    /// block-linear memory; fetches that TXD cannot do are counted by reason.
    #[arg(long)]
    pub via_txd: bool,
    /// Device memory limit in bytes; K, M and G stand for 2^10, 2^20 and 2^30. Default: what the
    /// job says, or 8G.
    #[arg(long, value_name = "BYTES", value_parser = byte_size)]
    pub memory_limit: Option<u64>,
}

/// `on` or `off`, with the same spellings as environment variables.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text.trim() {
        "on" | "1" | "" => Ok(true),
        "off" | "0" => Ok(false),
        other => Err(format!("`{other}` is neither on nor off")),
    }
}

impl HowArgs {
    /// The arithmetic of a launch: these options, else the job's settings, else the defaults.
    pub(crate) fn arithmetic(&self, job: &Settings) -> Arithmetic {
        Arithmetic {
            fmad: self.fmad.or(job.fmad).unwrap_or(true),
            approximate: self.approx.map(Into::into).or(job.approximate).unwrap_or_default(),
        }
    }

    /// How fetches without a matching texture are treated, given the job's setting.
    pub(crate) fn bad_fetch(&self, job: Option<BadFetch>) -> BadFetch {
        self.bad_fetch.map(Into::into).or(job).unwrap_or_default()
    }

    /// How `tex.grad` is executed.
    pub(crate) fn gradients(&self) -> GradientPath {
        if self.via_txd { GradientPath::Txd } else { GradientPath::Unit }
    }
}

impl LaunchArgs {
    /// Parses `texunit launch JOB --out OUT OPTIONS`.
    pub fn parse(job: &Path, out: &Path, options: &[&str]) -> Result<Self, clap::Error> {
        let words = [OsStr::new("launch"), job.as_os_str(), OsStr::new("--out"), out.as_os_str()];
        let command = Self::augment_args(clap::Command::new("launch"));
        let all = words.into_iter().chain(options.iter().map(OsStr::new));
        Self::from_arg_matches(&command.try_get_matches_from(all)?)
    }
}

/// Formats of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Text.
    Human,
    /// JSON.
    Json,
}

/// Formats of the report of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LaunchFormat {
    /// Text.
    #[default]
    Human,
    /// JSON.
    Json,
    /// The accesses of the thread of --explain as one page of pictures; what the kernel prints goes
    /// to standard error.
    Svg,
}

impl From<OutputFormat> for LaunchFormat {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Human => Self::Human,
            OutputFormat::Json => Self::Json,
        }
    }
}

/// `3`, `3,5` or `3,5,0`; axes left out are 0.
pub(crate) fn thread(text: &str) -> Result<[u32; 3], &'static str> {
    const WANTED: &str = "expected the number of a thread, such as 3,5,0";
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let mut thread = [0; 3];
    if parts.len() > thread.len() {
        return Err(WANTED);
    }
    for (to, part) in thread.iter_mut().zip(parts) {
        *to = part.parse().map_err(|_| WANTED)?;
    }
    Ok(thread)
}

pub(crate) fn architecture(text: &str) -> Result<ComputeCapability, &'static str> {
    ComputeCapability::from_target(text).ok_or(
        "expected an architecture, such as sm_75; named devices are options of `texunit run`",
    )
}

/// `4096`, `64K`, `512M`, `8G`
pub(crate) fn byte_size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.to_ascii_uppercase().strip_suffix(['K', 'M', 'G']) {
        Some(digits) => {
            let shift = match text.as_bytes()[text.len() - 1].to_ascii_uppercase() {
                b'K' => 10,
                b'M' => 20,
                _ => 30,
            };
            (digits.to_owned(), shift)
        }
        None => (text.to_owned(), 0),
    };
    let number: u64 = digits.parse().map_err(|_| "expected a number of bytes, such as 512M")?;
    number.checked_mul(1 << shift).filter(|&n| n > 0).ok_or_else(|| "out of range".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn threads() {
        assert_eq!(thread("3"), Ok([3, 0, 0]));
        assert_eq!(thread("3, 5,7"), Ok([3, 5, 7]));
        for wrong in ["", "a", "1,2,3,4", "-1", "1,,2"] {
            assert!(thread(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn byte_sizes() {
        assert_eq!(byte_size("4096"), Ok(4096));
        assert_eq!(byte_size("64k"), Ok(65536));
        assert_eq!(byte_size("8G"), Ok(8 << 30));
        for wrong in ["", "0", "-1", "1T", "G", "99999999999G", "é"] {
            assert!(byte_size(wrong).is_err(), "{wrong}");
        }
    }
}
