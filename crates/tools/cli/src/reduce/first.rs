//! The first run of a reduction, which determines the failure to preserve.

use super::args::{Keep, ReduceArgs};
use super::input::Input;
use crate::failure::Stopped;
use crate::launch_args::LaunchArgs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use texunit_device::BadFetch;
use texunit_job::Content;
use texunit_reduce::oracle::{
    CheckJudge, CommandJudge, Configuration, DifferJudge, LaunchJudge, Launcher, Outcome, Settings,
    Workspace, contents, look,
};
use texunit_reduce::{Case, Judge};
use texunit_unit::SimdLevel;

/// The result of the first run.
pub(super) struct First<'a> {
    pub(super) judge: AnyJudge<'a>,
    /// The contents of the job's objects.
    pub(super) contents: Vec<Content>,
}

/// A judge for one of the kinds of failure.
pub(super) enum AnyJudge<'a> {
    Check(CheckJudge),
    Launch(LaunchJudge<'a>),
    Differ(DifferJudge<'a>),
    Command(CommandJudge<'a>),
}

impl<'a> AnyJudge<'a> {
    pub(super) fn as_judge(&mut self) -> &mut (dyn Judge + 'a) {
        match self {
            Self::Check(judge) => judge,
            Self::Launch(judge) => judge,
            Self::Differ(judge) => judge,
            Self::Command(judge) => judge,
        }
    }

    /// The preserved property: the value of `--keep`, and a description.
    pub(super) fn keeps(&self) -> (&'static str, String) {
        match self {
            Self::Check(judge) => ("code", judge.codes()),
            Self::Launch(judge) if judge.keeps_output() => ("output", judge.what()),
            Self::Launch(judge) => ("fault", judge.what()),
            Self::Differ(judge) => ("output", judge.what()),
            Self::Command(judge) => ("exit", judge.what()),
        }
    }

    /// Whether a case fails with the full step limit; if not, the limit for later attempts is
    /// raised.
    pub(super) fn is_final(&mut self, case: &Case) -> bool {
        match self {
            Self::Launch(judge) => judge.confirms(case) || !judge.allow_more(),
            _ => true,
        }
    }
}

/// Runs the input and determines how it fails.
pub(super) fn run<'a>(
    args: &ReduceArgs,
    input: &Input,
    stop: &'a AtomicBool,
) -> Result<First<'a>, Stopped> {
    let case = &input.case;
    let mut workspace = Workspace::new()
        .map_err(|e| Stopped::failed(&format!("cannot make a temporary folder: {e}"), None))?;
    let cannot_write =
        |e: std::io::Error| Stopped::failed(&format!("cannot write a temporary file: {e}"), None);
    workspace.place_files(case).map_err(cannot_write)?;
    let settings = args.how.with_threads(args.threads);
    if !args.command.is_empty() {
        let (command, text) = (args.command.clone(), args.text.clone());
        let name = args.input.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let contents = contents(case, workspace.folder(), &settings);
        let judge = CommandJudge::of(case, command, text, name, workspace, stop);
        let judge = judge.map_err(|why| Stopped::failed(&why, None))?;
        return Ok(First { judge: AnyJudge::Command(judge), contents });
    }
    if matches!(args.keep, None | Some(Keep::Code | Keep::Exit))
        && args.against.is_none()
        && let Some(judge) =
            CheckJudge::of(&case.ptx, Default::default(), args.keep == Some(Keep::Exit))
    {
        return Ok(First { judge: AnyJudge::Check(judge), contents: Vec::new() });
    }
    if case.job.is_none() {
        return Err(no_failure(args, "has no errors"));
    }
    let contents = contents(case, workspace.folder(), &settings);
    Ok(First { judge: of_job(args, input, workspace, settings, stop)?, contents })
}

/// The failure of a launch.
fn of_job<'a>(
    args: &ReduceArgs,
    input: &Input,
    workspace: Workspace,
    mut settings: Settings,
    stop: &'a AtomicBool,
) -> Result<AnyJudge<'a>, Stopped> {
    let case = &input.case;
    if let Some(words) = &args.against {
        let is_variable = |word: &&str| word.contains('=') && !word.starts_with('-');
        let options: Vec<&str> = words.split_whitespace().filter(|w| !is_variable(w)).collect();
        if let Err(error) = LaunchArgs::parse(Path::new("job.toml"), Path::new("out"), &options) {
            let first = error.to_string().lines().next().unwrap_or_default().to_owned();
            return Err(Stopped::Usage(format!(
                "--against: {}",
                first.trim_start_matches("error: ")
            )));
        }
        return of_ways(args, case, workspace, vec![Configuration::of(words)], stop);
    }
    let is_fine =
        |seen: &Outcome| matches!(seen, Outcome::Finished(results) if results.wrong.is_empty());
    let mut seen = look(case, workspace.folder(), &settings, stop);
    if is_fine(&seen) && settings.threads == 1 && args.keep != Some(Keep::Output) {
        // Some faults need several concurrent CTAs.
        settings.threads = 0;
        seen = look(case, workspace.folder(), &settings, stop);
        if is_fine(&seen) {
            settings.threads = 1;
        }
    }
    if let Outcome::Finished(results) = &seen
        && results.bad_fetches
        && settings.of_job.bad_fetch.is_none()
        && matches!(args.keep, None | Some(Keep::Fault | Keep::Exit))
    {
        // If a launch has no other failure, fetches without a matching texture are treated as
        // faults.
        settings.of_job.bad_fetch = Some(BadFetch::Fault);
        seen = look(case, workspace.folder(), &settings, stop);
    }
    if let Outcome::Problems(problems) = &seen {
        return Err(Stopped::problems(&input.source, problems));
    }
    let any = args.keep == Some(Keep::Exit);
    let fits = match args.keep {
        None | Some(Keep::Exit) => true,
        Some(Keep::Fault) => matches!(seen, Outcome::Fault(..)),
        Some(Keep::Code) => matches!(seen, Outcome::Errors(..)),
        Some(Keep::Output) => matches!(seen, Outcome::Finished(_)),
    };
    if !fits {
        return Err(no_failure(args, other_failure(&seen)));
    }
    if let Outcome::Finished(results) = &seen
        && results.wrong.is_empty()
    {
        if results.outputs.is_empty() && results.printed.is_empty() {
            return Err(no_failure(
                args,
                "runs without a fault, and has no output that could be wrong",
            ));
        }
        if matches!(args.keep, None | Some(Keep::Output)) {
            return of_ways(args, case, workspace, engines(), stop);
        }
        return Err(no_failure(args, "runs without a fault"));
    }
    LaunchJudge::of(case, &seen, any, workspace, settings, stop)
        .map(AnyJudge::Launch)
        .ok_or_else(|| no_failure(args, "was interrupted"))
}

fn other_failure(seen: &Outcome) -> &'static str {
    match seen {
        Outcome::Errors(..) => "has errors in its PTX; --keep code keeps those",
        Outcome::Fault(..) => "ends with a fault; --keep fault keeps that",
        Outcome::Bug(_) => "runs into an internal error of texunit; leave --keep out",
        Outcome::Finished(results) if !results.wrong.is_empty() => {
            "runs without a fault, but an output is not as expected; --keep output keeps that"
        }
        Outcome::Problems(_) | Outcome::Finished(_) => "runs without a fault",
    }
}

/// Configurations that must give equal results.
fn engines() -> Vec<Configuration> {
    let lower = SimdLevel::ALL.iter().copied().filter(|&level| level < SimdLevel::detected());
    let levels = lower.map(|level| format!("TEXUNIT_SIMD={}", level.name()));
    let jit = ["TEXUNIT_JIT=off", "TEXUNIT_JIT=always", "--threads=1"].map(str::to_owned);
    jit.into_iter().chain(levels).map(|word| Configuration(vec![word])).collect()
}

/// The settings of a configuration that consists of settings only.
fn settings_of(way: &Configuration) -> Option<Settings> {
    let words: Vec<&str> = way.0.iter().map(String::as_str).collect();
    let parsed = LaunchArgs::parse(Path::new("job.toml"), Path::new("out"), &words).ok()?;
    Some(parsed.how.with_threads(parsed.threads))
}

/// The first configuration whose result differs from the default's.
fn of_ways<'a>(
    args: &ReduceArgs,
    case: &Case,
    mut workspace: Workspace,
    configurations: Vec<Configuration>,
    stop: &'a AtomicBool,
) -> Result<AnyJudge<'a>, Stopped> {
    let program = std::env::current_exe()
        .map_err(|e| Stopped::failed(&format!("cannot find texunit itself: {e}"), None))?;
    let usual = Configuration(args.how.words());
    for way in configurations {
        let other = Configuration(usual.0.iter().chain(&way.0).cloned().collect());
        let launcher = match (settings_of(&usual), settings_of(&other)) {
            (Some(one), Some(other)) => Launcher::Here(Box::new([one, other])),
            _ => Launcher::Program(program.clone()),
        };
        match DifferJudge::of(case, launcher, [usual.clone(), other], workspace, stop) {
            Ok(judge) => return Ok(AnyJudge::Differ(judge)),
            Err(back) => workspace = back,
        }
    }
    let what = match args.against {
        Some(_) => "gives the same results both ways",
        None => "runs without a fault, and gives the same results on every engine",
    };
    Err(no_failure(args, what))
}

fn no_failure(args: &ReduceArgs, what: &str) -> Stopped {
    let message = format!("`{}` {what}: there is nothing to reduce", args.input.display());
    let help = "--command keeps the exit code of any program, --against the difference between two launches";
    Stopped::failed(&message, Some(help))
}
