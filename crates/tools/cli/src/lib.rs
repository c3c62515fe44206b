//! The `texunit` program as a library, so that tests can call its parts: jobs are run by [`run`],
//! and reported by [`human`] and [`json`].

pub mod args;
#[cfg(feature = "bench")]
pub mod bench;
#[cfg(feature = "cases")]
pub mod cases;
pub mod check;
#[cfg(feature = "checks")]
pub mod checks;
pub mod codes;
pub mod color;
pub mod command_line;
#[cfg(feature = "compare")]
pub mod compare;
#[cfg(feature = "completions")]
pub mod completions;
#[cfg(feature = "coverage")]
mod coverage;
#[cfg(feature = "debug")]
pub mod debug;
#[cfg(target_arch = "x86_64")]
pub mod dump;
pub mod effective;
pub mod examples;
pub mod explain;
pub mod explain_code;
mod failure;
mod files;
#[cfg(any(feature = "debug", feature = "lsp"))]
mod framing;
pub mod guide;
pub mod human;
pub mod init;
pub mod interpreted;
pub mod isa;
pub mod json;
pub mod launch_args;
pub mod launch_report;
#[cfg(feature = "lsp")]
pub mod lsp;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod missing;
mod observation;
mod out;
#[cfg(feature = "profile")]
mod profile;
#[cfg(feature = "run")]
pub mod program;
mod progress;
#[cfg_attr(not(feature = "ranges"), path = "no_ranges.rs")]
pub mod ranges;
#[cfg(feature = "reduce")]
pub mod reduce;
#[cfg(feature = "report")]
pub mod report;
pub mod rules;
pub mod run;
pub mod sample;
#[cfg(feature = "sass")]
pub mod sass;

#[cfg(feature = "debug")]
use debug::dap;
#[allow(unused_imports, reason = "a build may have everything")]
pub use missing::*;

use args::{LaunchFormat, OutputFormat};
use clap::{CommandFactory, FromArgMatches};
use color::Stream;
use command_line::{Cli, Command, ExplainArgs, SampleArgs};
use explain::args::ExplainFormat;
use launch_args::LaunchArgs;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use texunit_simt::JitMode;
use texunit_unit::SimdLevel;

/// Exit code for wrong input, findings and faults.
const FAILED: u8 = 1;
/// Exit code for wrong usage, and for an internal error.
const USAGE: u8 = 2;

/// The whole program.
pub fn main() -> ExitCode {
    ExitCode::from(code())
}

/// Runs the whole program; returns its exit code.
pub fn code() -> u8 {
    std::panic::set_hook(Box::new(report_bug));
    if let Some(columns) = color::columns() {
        texunit_report::fit(columns);
    }
    let code = exit_code(run_command);
    texunit_files::end_by_signal();
    code
}

/// The exit code of a function; a panic is an internal error.
fn exit_code(work: impl FnOnce() -> u8 + std::panic::UnwindSafe) -> u8 {
    std::panic::catch_unwind(work).unwrap_or(USAGE)
}

/// The name of a command whose speed depends on the SIMD level and on compiled code.
fn runs_kernels(command: &Command) -> Option<&'static str> {
    match command {
        Command::Launch(_) => Some("launch"),
        Command::Sample(_) => Some("sample"),
        Command::Bench(_) => Some("bench"),
        Command::Reduce(_) => Some("reduce"),
        _ => None,
    }
}

fn run_command() -> u8 {
    // The layout is that of a terminal of any width (0); `print_help` breaks its lines.
    let parsed = Cli::command()
        .term_width(0)
        .try_get_matches_from(arguments())
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(mut error) => {
            hint_at_run(&mut error);
            let printed = print_help(&error);
            return if error.use_stderr() { USAGE } else { exit(printed, true) };
        }
    };
    color::choose(cli.color);
    if let Some(name) = runs_kernels(&cli.command) {
        if let Err(error) = SimdLevel::from_environment() {
            return usage_error(name, &format!("TEXUNIT_SIMD: {error}"));
        }
        if let Err(error) = JitMode::from_environment() {
            return usage_error(name, &format!("TEXUNIT_JIT: {error}"));
        }
    }
    match cli.command {
        Command::Launch(args) => launch(&args),
        Command::Debug(args) => debug::run(&args),
        Command::Dap(args) => dap::run(&args),
        Command::Merge(args) => ranges::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Explain(args) => explain(&args),
        Command::Sample(args) => sample(&args),
        Command::Cases(args) => cases::run(&args),
        Command::Compare(args) => compare::command(&args),
        Command::Check(args) => check::run(&args),
        Command::ExplainCode(args) => explain_code::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Isa(args) => isa::run(&args),
        Command::Lsp(args) => lsp::run(&args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Sass(args) => sass::run(&args),
        Command::Run(args) => program::run(&args),
        Command::InstallLibs(args) => program::install(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Examples(args) => guide::run(&args),
        Command::Completions(args) => completions::run(&args, Cli::command()),
        Command::Report(args) => report::run(&args),
        Command::Reduce(args) => reduce::run(&args),
    }
}

/// Prints wrong usage; or help, whose lines are broken to fit into the terminal.
fn print_help(help: &clap::Error) -> std::io::Result<()> {
    use clap::error::ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand};
    let is_help = matches!(help.kind(), DisplayHelp | DisplayHelpOnMissingArgumentOrSubcommand);
    let Some(columns) = color::columns().filter(|_| is_help) else { return help.print() };
    let stream = if help.use_stderr() { Stream::Stderr } else { Stream::Stdout };
    let text = help.render();
    let text = if color::wanted(stream) { text.ansi().to_string() } else { text.to_string() };
    stream.open().write_all(color::fitted(&text, columns, 0).as_bytes())
}

/// The arguments of the process.
fn arguments() -> Vec<std::ffi::OsString> {
    #[cfg(feature = "debug")]
    return debug::arguments(std::env::args_os());
    #[cfg(not(feature = "debug"))]
    return std::env::args_os().collect();
}

fn launch(args: &LaunchArgs) -> u8 {
    let report = run::launch(args);
    let printed = match args.format {
        LaunchFormat::Human => human::print(&report, args.quiet),
        LaunchFormat::Json => json::print(&json::render(&report)),
        LaunchFormat::Svg => human::print_page(&report, args.quiet),
    };
    let code = exit(printed, report.succeeded());
    if report.is_misused { USAGE } else { code }
}

fn explain(args: &ExplainArgs) -> u8 {
    match explain::run(args) {
        Ok(output) => {
            let is_text = args.format.is_none_or(|format| format == ExplainFormat::Text);
            let text = match color::columns().filter(|_| is_text && out::is_terminal()) {
                Some(columns) => color::fitted(&output.text, columns, 4),
                None => output.text,
            };
            exit(out::print(&text), output.agrees)
        }
        Err(failure) => failed(&failure, args.format == Some(ExplainFormat::Json), |error| {
            out::print_json(&format!("{error:#}\n"))
        }),
    }
}

/// Reports why `explain` or `sample` has no result; returns the exit code.
fn failed(
    failure: &explain::Failure,
    in_json: bool,
    print: impl Fn(&serde_json::Value) -> std::io::Result<()>,
) -> u8 {
    let code = if failure.is_usage { USAGE } else { FAILED };
    if !in_json {
        return out::error(&failure.message, code);
    }
    exit(print(&serde_json::json!({ "error": failure.message })), false).max(code)
}

fn sample(args: &SampleArgs) -> u8 {
    match sample::run(args) {
        Ok(report) => {
            let printed = match args.format {
                OutputFormat::Human => out::print(&report.text()),
                OutputFormat::Json => json::print(&report.json()),
            };
            exit(printed, true)
        }
        Err(failure) => failed(&failure, args.format == OutputFormat::Json, json::print),
    }
}

/// Reports deprecated keys of a case file on standard error.
#[cfg(feature = "cases")]
fn warn_deprecated(file: &str, notes: &[texunit_spec::Problem]) {
    for note in notes {
        out::stderr_line(&format!("warning[{}]: {file}: {}", note.code, note.message));
    }
}

/// Adds to the error about `--device` which command has that option.
fn hint_at_run(error: &mut clap::Error) {
    use clap::error::{ContextKind, ContextValue};
    let is_device = |value: &ContextValue| value.to_string().starts_with("--device");
    if error.get(ContextKind::InvalidArg).is_some_and(is_device)
        && error.kind() == clap::error::ErrorKind::UnknownArgument
    {
        let tip = "'--device' is an option of 'texunit run', which shows a program a card; '--arch sm_75' says for which \
                   architecture PTX is checked or launched";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// The exit code of a command that has printed its report.
fn exit(printed: std::io::Result<()>, succeeded: bool) -> u8 {
    // A closed pipe is not a failure; a full disk is.
    if let Err(error) = printed
        && error.kind() != ErrorKind::BrokenPipe
    {
        return out::error(format_args!("cannot print the report: {error}"), FAILED);
    }
    if succeeded { 0 } else { FAILED }
}

/// Reports wrong usage of a command; returns the exit code.
fn usage_error(command: &str, message: &str) -> u8 {
    let mut cli = Cli::command();
    // Completes subcommands with inherited properties such as the program's name.
    cli.build();
    let found = cli.find_subcommand(command).cloned().unwrap_or(cli);
    let message = texunit_report::visible(message);
    let _ = found.clone().error(clap::error::ErrorKind::ValueValidation, message).print();
    USAGE
}

/// Whether a panic is expected and will be caught.
fn is_expected() -> bool {
    #[cfg(feature = "reduce")]
    if texunit_reduce::oracle::is_trying() {
        return true;
    }
    texunit_files::is_guarded()
}

/// Reports a panic as an internal error, with instructions for a bug report.
fn report_bug(panic: &std::panic::PanicHookInfo<'_>) {
    if is_expected() {
        return;
    }
    let message = panic.payload_as_str().unwrap_or("no message");
    let place = panic.location().map_or_else(String::new, |l| format!(" at {l}"));
    let version = env!("CARGO_PKG_VERSION");
    let repository = env!("CARGO_PKG_REPOSITORY");
    out::stderr_line(&format!("internal error in texunit {version}: {message}{place}"));
    out::stderr_line(&format!(
        "Please report it at {repository}/issues with this message, the command line and the files that it names."
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_our_bug_even_in_a_worker() {
        assert_eq!(exit_code(|| 1), FAILED);
        let worker = || {
            std::thread::scope(|s| {
                s.spawn(|| panic!("a test"))
                    .join()
                    .map_or_else(|p| std::panic::resume_unwind(p), |()| 0)
            })
        };
        assert_eq!(exit_code(worker), USAGE);
    }
}
