//! A judge for launches whose results differ between two configurations.

use super::workspace::{ProcessResult, patience, run};
use super::{Outcome, Settings, Workspace, look};
use crate::Judge;
use crate::case::Case;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A configuration of a launch: options of `texunit launch`, and environment variables as
/// `NAME=VALUE`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configuration(pub Vec<String>);

impl Configuration {
    /// Parses options that are separated by spaces.
    pub fn of(text: &str) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }
}

/// The first step limit that is tried, and an upper bound beyond which no step limit is set.
const FIRST_STEPS: u64 = 4096;
const MAX_STEPS: u64 = 1_000_000_000;

/// How cases are launched.
#[derive(Clone, Debug)]
pub enum Launcher {
    /// Cases are launched by the `texunit` program at this path, once for each configuration.
    Program(PathBuf),
    /// Cases are launched in this process, for configurations that differ only in settings.
    Here(Box<[Settings; 2]>),
}

/// The exit code and outputs of one launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Results {
    code: i32,
    printed: Vec<u8>,
    outputs: BTreeMap<PathBuf, Vec<u8>>,
}

/// A judge that requires the exit codes of the original case and, if both are equal, a difference
/// in one of the outputs that differed originally.
#[derive(Debug)]
pub struct DifferJudge<'a> {
    launcher: Launcher,
    configurations: [Configuration; 2],
    codes: [i32; 2],
    /// Paths of the outputs that differed originally; an empty path stands for the `printf` output.
    differing: BTreeSet<PathBuf>,
    limit: Duration,
    /// Maximum number of steps of a warp; `None` leaves the configurations' own limits.
    max_steps: Option<u64>,
    workspace: Workspace,
    stop: &'a AtomicBool,
}

impl<'a> DifferJudge<'a> {
    /// Launches a case in both configurations, and makes a judge that requires the difference; an
    /// error if the results are equal or the case cannot be launched.
    pub fn of(
        case: &Case,
        launcher: Launcher,
        configurations: [Configuration; 2],
        workspace: Workspace,
        stop: &'a AtomicBool,
    ) -> Result<Self, Workspace> {
        let limit = Duration::from_secs(24 * 60 * 60);
        let (codes, differing, max_steps) = ([0; 2], BTreeSet::new(), None);
        let mut judge =
            Self { launcher, configurations, codes, differing, limit, max_steps, workspace, stop };
        let start = Instant::now();
        let Some([one, other]) = judge.run_both(case) else { return Err(judge.workspace) };
        judge.limit = patience(start.elapsed());
        judge.codes = [one.code, other.code];
        judge.differing = differing_outputs(&one, &other);
        if one.code == other.code && judge.differing.is_empty() {
            return Err(judge.workspace);
        }
        judge.limit_steps(case);
        Ok(judge)
    }

    /// Limits the steps of launches to a multiple of the number after which the results differ,
    /// because reduced cases may loop forever.
    fn limit_steps(&mut self, case: &Case) {
        let limits = std::iter::successors(Some(FIRST_STEPS), |steps| steps.checked_mul(16));
        for steps in limits.take_while(|&steps| steps < MAX_STEPS) {
            self.max_steps = Some(steps);
            if self.fails(case) {
                self.max_steps = Some(steps * 4);
                return;
            }
        }
        self.max_steps = None;
    }

    /// Describes the required difference.
    pub fn what(&self) -> String {
        let [one, other] = &self.configurations;
        let way = |way: &Configuration| match way.0.is_empty() {
            true => "as usual".to_owned(),
            false => format!("with {}", way.0.join(" ")),
        };
        let configurations = format!("launched {} and {}", way(one), way(other));
        if self.codes[0] != self.codes[1] {
            let [one, other] = self.codes;
            return format!("exit codes {one} and {other}, {configurations}");
        }
        let names = self.differing.iter().map(|path| match path.as_os_str().is_empty() {
            true => "what it prints".to_owned(),
            false => format!("`{}`", path.display()),
        });
        format!("{} differs, {configurations}", names.collect::<Vec<_>>().join(" and "))
    }

    /// The two configurations whose results differ.
    pub fn configurations(&self) -> &[Configuration; 2] {
        &self.configurations
    }

    fn run_both(&mut self, case: &Case) -> Option<[Results; 2]> {
        match &self.launcher {
            Launcher::Here(settings) => {
                self.workspace.place_files(case).ok()?;
                let [one, other] = **settings;
                Some([self.look(case, one)?, self.look(case, other)?])
            }
            Launcher::Program(program) => {
                let program = program.clone();
                let job = self.workspace.place(case, "").ok()?;
                let one = self.launch(&program, &job, &self.configurations[0])?;
                Some([one, self.launch(&program, &job, &self.configurations[1])?])
            }
        }
    }

    /// Launches a case in this process, and returns its results.
    fn look(&self, case: &Case, settings: Settings) -> Option<Results> {
        let settings = settings.with_max_steps(settings.of_job.max_steps.or(self.max_steps));
        match look(case, self.workspace.folder(), &settings, self.stop) {
            Outcome::Finished(results) => Some(Results {
                code: i32::from(!results.wrong.is_empty() || results.bad_fetches),
                printed: results.printed,
                outputs: results.outputs.into_iter().collect(),
            }),
            Outcome::Fault(..) => Some(Results { code: 1, ..Results::default() }),
            Outcome::Problems(_) | Outcome::Errors(..) | Outcome::Bug(_) => None,
        }
    }

    fn launch(&self, program: &Path, job: &Path, way: &Configuration) -> Option<Results> {
        let out = self.workspace.folder().join("out");
        let mut command = Command::new(program);
        command.arg("launch").arg(job).arg("--quiet").arg("--out").arg(&out);
        let own = way.0.iter().any(|word| word.starts_with("--max-steps"));
        if let Some(steps) = self.max_steps.filter(|_| !own) {
            command.arg(format!("--max-steps={steps}"));
        }
        for word in &way.0 {
            match word.split_once('=').filter(|_| !word.starts_with('-')) {
                Some((name, value)) => command.env(name, value),
                None => command.arg(word),
            };
        }
        let ran = run(command, self.workspace.folder(), self.limit, self.stop);
        let ProcessResult { code, output: printed } = ran.ok()?;
        let mut results = Results { code: code?, printed, outputs: BTreeMap::new() };
        if out.is_dir() {
            collect(&out, &out, &mut results.outputs).ok()?;
            std::fs::remove_dir_all(&out).ok()?;
        }
        Some(results)
    }
}

fn collect(
    root: &Path,
    folder: &Path,
    found: &mut BTreeMap<PathBuf, Vec<u8>>,
) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, found)?;
        } else {
            let name = path.strip_prefix(root).unwrap_or(&path).to_owned();
            found.insert(name, std::fs::read(&path)?);
        }
    }
    Ok(())
}

fn differing_outputs(one: &Results, other: &Results) -> BTreeSet<PathBuf> {
    // The printed text includes fault messages, so that it is compared only for launches without a
    // fault.
    let printed = one.code == 0 && one.printed != other.printed;
    let names = one.outputs.keys().chain(other.outputs.keys());
    let differing = names.filter(|name| one.outputs.get(*name) != other.outputs.get(*name));
    differing.cloned().chain(printed.then(PathBuf::new)).collect()
}

impl Judge for DifferJudge<'_> {
    fn fails(&mut self, case: &Case) -> bool {
        let Some([one, other]) = self.run_both(case) else { return false };
        if [one.code, other.code] != self.codes {
            return false;
        }
        one.code != other.code || !differing_outputs(&one, &other).is_disjoint(&self.differing)
    }
}
