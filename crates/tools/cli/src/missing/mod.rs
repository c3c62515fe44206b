//! Replacements for commands and options whose cargo feature is disabled.

#[cfg(not(feature = "checks"))]
pub mod checks;

use clap::Args;
use std::ffi::OsString;

/// How to get a complete build.
const HOW: &str = "`cargo install --path crates/tools/cli --features all` builds all of texunit, and so does \
    `cargo run --release -p xtask -- libs`, into target/release";

/// The arguments of a missing command.
#[derive(Clone, Debug, Args)]
pub struct Missing {
    /// Anything.
    #[arg(
        value_name = "ARGUMENTS",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        hide = true
    )]
    pub arguments: Vec<OsString>,
}

/// Reports that this build lacks a command, and how to get it; returns the exit code.
pub fn command(name: &str) -> u8 {
    crate::usage_error(name, &format!("this build of texunit has no `{name}`: {HOW}"))
}

/// Declares what takes the place of modules: the arguments and functions of their commands.
macro_rules! commands {
    ($($build:meta: $module:ident { $($args:ident $function:ident $name:literal)* })*) => {$(
        #[cfg(not($build))]
        #[doc = concat!("Commands that this build lacks: `", stringify!($module), "`.")]
        pub mod $module {
            $(
                pub use super::Missing as $args;

                /// Reports that this build lacks the command.
                pub fn $function(_: &$args) -> u8 {
                    super::command($name)
                }
            )*
        }
    )*};
}

commands! {
    feature = "bench": bench { BenchArgs run "bench" }
    feature = "cases": cases { CasesArgs run "cases" }
    feature = "compare": compare { CompareArgs command "compare" }
    feature = "debug": dap { DapArgs run "dap" }
    feature = "debug": debug { DebugArgs run "debug" }
    target_arch = "x86_64": dump { DumpArgs run "dump" }
    feature = "lsp": lsp { LspArgs run "lsp" }
    feature = "mcp": mcp { McpArgs run "mcp" }
    feature = "run": program { RunArgs run "run" InstallLibsArgs install "install-libs" }
    feature = "reduce": reduce { ReduceArgs run "reduce" }
    feature = "report": report { ReportArgs run "report" }
    feature = "sass": sass { SassArgs run "sass" }
}

/// The replacement of the module `completions`, whose function is given the command line.
#[cfg(not(feature = "completions"))]
pub mod completions {
    pub use super::Missing as CompletionsArgs;

    /// Reports that this build lacks the command.
    pub fn run(_: &CompletionsArgs, _: clap::Command) -> u8 {
        super::command("completions")
    }
}

/// The error for a case file.
#[cfg(not(feature = "cases"))]
pub(crate) fn case_files() -> String {
    format!("this build of texunit reads no case files: {HOW}")
}

/// The help for an unknown error code that a build with the feature `sass` may know.
#[cfg(not(feature = "sass"))]
pub(crate) fn machine_codes() -> String {
    format!("this build of texunit has no codes of machine instructions: {HOW}")
}

/// The error for an option that this build lacks.
pub(crate) fn option() -> String {
    format!("this build of texunit lacks the option: {HOW}")
}
