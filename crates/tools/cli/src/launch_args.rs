//! The arguments of `texunit launch`.

use crate::args::{HowArgs, LaunchFormat, ProfileFormat, cta_range, file, integer};
use crate::checks::CheckOptions;
use clap::{Args, FromArgMatches};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use texunit_device::CtaRange;

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
          value_parser = integer::<u16>("host threads", 0..=1024))]
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
    #[arg(long, value_name = "FILE", value_parser = file(cfg!(feature = "coverage")))]
    pub coverage: Option<PathBuf>,
    /// Write the coverage of headers that come with CUDA or the compiler, too, which is left out
    /// otherwise.
    #[arg(long, requires = "coverage")]
    pub coverage_toolkit: bool,
    /// Write how often each instruction and line of the kernel was executed, and what its accesses
    /// cost, to this file (docs/profile.md).
    #[arg(long, value_name = "FILE", value_parser = file(cfg!(feature = "profile")))]
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
    #[arg(long, value_name = "A..B", requires = "writes", value_parser = cta_range)]
    pub ctas: Option<CtaRange>,
    /// Write what these CTAs have read and written to this file.
    #[arg(long, value_name = "FILE", requires = "ctas")]
    pub writes: Option<PathBuf>,
    /// Files of sets to be merged in place of a launch: `texunit merge`.
    #[arg(skip)]
    pub merge: Vec<PathBuf>,
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
