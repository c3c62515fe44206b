//! The command line: its subcommands, each with its arguments.

pub use crate::bench::BenchArgs;
pub use crate::cases::CasesArgs;
pub use crate::check::CheckArgs;
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
pub use crate::launch_args::LaunchArgs;
pub use crate::lsp::LspArgs;
pub use crate::mcp::McpArgs;
pub use crate::program::{InstallLibsArgs, RunArgs};
pub use crate::ranges::MergeArgs;
pub use crate::reduce::ReduceArgs;
pub use crate::report::ReportArgs;
pub use crate::sample::SampleArgs;
pub use crate::sass::SassArgs;

use crate::color::ColorChoice;
use crate::examples;
use clap::{Parser, Subcommand};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
