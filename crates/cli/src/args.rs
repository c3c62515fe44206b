//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Runs PTX kernels that use textures and surfaces on a CPU, with the GPU's bits.
#[derive(Debug, Parser)]
#[command(name = "texunit", version, arg_required_else_help = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a kernel as a job file says, and write its outputs.
    ///
    /// Exit codes: 0 the kernel ran and the outputs are written; 1 wrong or unreadable input, or a
    /// fault of the kernel; 2 wrong usage, or a bug of texunit.
    Launch(LaunchArgs),
}

/// Arguments of `texunit launch`.
#[derive(Clone, Debug, Args)]
pub struct LaunchArgs {
    /// The job file (docs/jobs.md describes it).
    #[arg(value_name = "JOB.toml")]
    pub job: PathBuf,
    /// Folder that outputs are written to; made if it is not there.
    #[arg(long, value_name = "DIR", default_value = "texunit-out")]
    pub out: PathBuf,
    /// Host threads; 0: one for each core.
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u16).range(..=1024))]
    pub threads: u16,
    /// What is printed.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
    /// Print nothing but errors and what the kernel prints.
    #[arg(long, short)]
    pub quiet: bool,
    /// Instructions that a warp may execute before the kernel is taken for endless.
    #[arg(long, value_name = "N", default_value_t = 1_000_000_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: u64,
    /// Fuse f32 mul and add, as a hardware assembler may.
    #[arg(long)]
    pub fmad: bool,
    /// Most device memory in bytes; K, M and G stand for 2^10, 2^20 and 2^30.
    #[arg(long, value_name = "BYTES", default_value = "8G", value_parser = byte_size)]
    pub memory_limit: u64,
}

/// Formats of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Text.
    Human,
    /// One JSON object on standard output.
    Json,
}

/// `4096`, `64K`, `512M`, `8G`
fn byte_size(text: &str) -> Result<u64, String> {
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
    fn byte_sizes() {
        assert_eq!(byte_size("4096"), Ok(4096));
        assert_eq!(byte_size("64k"), Ok(65536));
        assert_eq!(byte_size("8G"), Ok(8 << 30));
        for wrong in ["", "0", "-1", "1T", "G", "99999999999G", "é"] {
            assert!(byte_size(wrong).is_err(), "{wrong}");
        }
    }
}
