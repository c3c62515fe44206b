//! The command line of `texunit sass`.

use crate::args::OutputFormat;
use crate::examples;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use texunit_sass::print::Style;
use texunit_sass::{Arch, Control};

/// Arguments of `texunit sass`.
#[derive(Clone, Debug, Args)]
pub struct SassArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: SassCommand,
}

/// Subcommands.
#[derive(Clone, Debug, Subcommand)]
pub enum SassCommand {
    /// Disassemble words: TXD and the other texture and surface instructions.
    ///
    /// Exit codes: 0 every word is an instruction; 1 a word was refused, or a file is not code;
    /// 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit sass dis"))]
    Dis(DisArgs),
    /// Assemble TXD instructions.
    ///
    /// Exit codes: 0 assembled; 1 a mistake in an instruction; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit sass asm"))]
    Asm(AsmArgs),
    /// Show what machine code each tex.grad of a PTX file becomes.
    ///
    /// Exit codes: 0 shown; 1 a mistake in the file, a missing file, or an instruction without an
    /// encoding; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit sass lower"))]
    Lower(LowerArgs),
    /// Execute a TXD instruction on a warp, headers and memory that a file describes.
    ///
    /// Exit codes: 0 executed; 1 a mistake in the file or the text, or the instruction cannot be
    /// executed; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit sass exec"))]
    Exec(ExecArgs),
    /// Explain every field of a texture header.
    ///
    /// Exit codes: 0 explained; 1 not a header; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit sass header"))]
    Header(DescriptorArgs),
    /// Explain every field of a sampler header.
    ///
    /// Exit codes: 0 explained; 1 not a header; 2 wrong usage, or an internal error.
    #[command(after_help = examples::of("texunit sass sampler"))]
    Sampler(DescriptorArgs),
}

/// Arguments of `texunit sass dis`.
#[derive(Clone, Debug, Args)]
pub struct DisArgs {
    /// Machine words of 64 bits, in hex.
    #[arg(value_name = "WORD", required_unless_present = "file", value_parser = word)]
    pub words: Vec<u64>,
    /// A file of code: groups of a control word and three instructions.
    #[arg(long, value_name = "CODE.bin", conflicts_with_all = ["words", "control"])]
    pub file: Option<PathBuf>,
    /// Architecture: sm_50, sm_52, sm_53, sm_60, sm_61 or sm_62.
    #[arg(long, value_name = "SM", default_value_t = Arch::Sm52)]
    pub arch: Arch,
    /// The 21 bits of the control word that belong to the instructions, in hex.
    #[arg(long, value_name = "HEX", default_value = "0x7e0", value_parser = control)]
    pub control: Control,
    /// How TXD is written.
    #[arg(long, value_enum, default_value_t = TextStyle::Nvidia)]
    pub style: TextStyle,
    /// Output format: text, or one JSON object per line.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

/// Arguments of `texunit sass asm`.
#[derive(Clone, Debug, Args)]
pub struct AsmArgs {
    /// Instructions, such as 'TXD.B.AOFFI P0, R0, R4, R8, 0x0, ARRAY_2D, 0xf'.
    #[arg(value_name = "TEXT", required = true)]
    pub texts: Vec<String>,
    /// Architecture: sm_50, sm_52, sm_53, sm_60, sm_61 or sm_62.
    #[arg(long, value_name = "SM", default_value_t = Arch::Sm52)]
    pub arch: Arch,
    /// Assemble what the instruction's page forbids, with a warning.
    #[arg(long)]
    pub force: bool,
    /// Output format: text, or one JSON object per line.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

/// Arguments of `texunit sass lower`.
#[derive(Clone, Debug, Args)]
pub struct LowerArgs {
    /// A PTX file; `-` is standard input.
    #[arg(value_name = "FILE.ptx")]
    pub file: PathBuf,
    /// Architecture to assemble for: sm_50, sm_52, sm_53, sm_60, sm_61 or sm_62; default: the
    /// target of the file, or sm_52 if that is older than sm_50. A file for a later target needs
    /// it.
    #[arg(long, value_name = "SM")]
    pub arch: Option<Arch>,
    /// Also accept what NVIDIA's assembler accepts and translates wrongly.
    #[arg(long)]
    pub ptxas_compat: bool,
    /// Output format: text, or one JSON object per line.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

/// Arguments of `texunit sass exec`.
#[derive(Clone, Debug, Args)]
pub struct ExecArgs {
    /// The state: registers, predicates, constants, textures, samplers, memory.
    #[arg(value_name = "STATE.toml")]
    pub state: PathBuf,
    /// The instruction, such as 'TXD R0, R4, R8, 0x5, 2D, 0xf'.
    #[arg(value_name = "TEXT", required = true)]
    pub text: Vec<String>,
    /// Output format: text, or one JSON object.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

/// Arguments of `texunit sass header` and `texunit sass sampler`.
#[derive(Clone, Debug, Args)]
pub struct DescriptorArgs {
    /// Eight words in hex, lowest first; or 64 digits, the bytes in memory order.
    #[arg(value_name = "HEX", required = true)]
    pub hex: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

crate::args::choices! {
    /// How TXD is written.
    TextStyle for Style {
        /// As NVIDIA's disassembler prints it.
        Nvidia,
        /// As the instruction's page has it, with what the control word says.
        Isa,
    }
}

fn hex(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    let is_hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex.then(|| u64::from_str_radix(digits, 16).ok()).flatten()
}

fn word(text: &str) -> Result<u64, &'static str> {
    hex(text).ok_or("expected a word of 64 bits in hex, such as 0xde381057a0470200")
}

fn control(text: &str) -> Result<Control, &'static str> {
    hex(text)
        .and_then(|bits| u32::try_from(bits).ok())
        .and_then(Control::new)
        .ok_or("expected 21 bits in hex, such as 0x7e0")
}
