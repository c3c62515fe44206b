//! Settings that the user makes through environment variables, which `texunit run` sets.

mod checks;
mod record;

pub(crate) use checks::CheckSettings;
pub(crate) use record::{RecordSettings, is_meant, plain_name};

use crate::message::{self, say};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::OnceLock;
use texunit_checks::Check;
use texunit_device::{Approximate, Arithmetic, BadFetch, Bounds, Fill};
use texunit_evidence::{Format, OuterRun};
use texunit_report::Severity;

/// Traces printed on standard error (`TEXUNIT_TRACE=api,launch,fetch`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// Driver API calls with arguments and results; refused calls of both APIs with their reasons.
    pub(crate) api: bool,
    /// Launches: kernel, grid, block, statistics.
    pub(crate) launch: bool,
    /// Texture fetches and surface accesses.
    pub(crate) fetch: bool,
}

/// All settings of the driver, from the environment variables `TEXUNIT_*`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// What is traced (`TEXUNIT_TRACE`).
    pub(crate) trace: Trace,
    /// `TEXUNIT_DEVICE`: names of device profiles, one for each device.
    pub(crate) devices: Option<String>,
    /// `TEXUNIT_STRICT=1`: refuses PTX that is newer than the device, as a driver does.
    pub(crate) strict: bool,
    /// `TEXUNIT_FMAD`: whether mul and add without a rounding modifier are fused as by ptxas; `0`
    /// keeps them separate.
    pub(crate) fmad: bool,
    /// `TEXUNIT_APPROX`: implementation of approximate instructions.
    pub(crate) approximate: Approximate,
    /// `TEXUNIT_REPORT`: file of the report, written when the program ends; `%p` in it is the
    /// process number.
    pub(crate) report: Option<PathBuf>,
    /// `TEXUNIT_COVERAGE`: file of the coverage of device code; `%p` in it is the process number.
    pub(crate) coverage: Option<PathBuf>,
    /// `TEXUNIT_PROFILE`: file of the execution counts of device code; `%p` in it is the process
    /// number.
    pub(crate) profile: Option<PathBuf>,
    /// `TEXUNIT_COVERAGE_TOOLKIT=1`: includes CUDA's headers in the coverage.
    pub(crate) coverage_toolkit: bool,
    /// `TEXUNIT_REPORT_FORMAT`: format of the report, if the file name does not imply it.
    pub(crate) report_format: Option<Format>,
    /// `TEXUNIT_EVIDENCE`: the folder of the run that the process is part of (crate `evidence`).
    pub(crate) evidence: Option<PathBuf>,
    /// `TEXUNIT_COUNTERS=1`: reports fetches by geometry and format, and processor times, to the
    /// run.
    pub(crate) counters: bool,
    /// `TEXUNIT_MAX_STEPS`: maximum number of instructions of a warp, after which the launch is
    /// ended as infinite.
    pub(crate) max_steps: Option<u64>,
    /// `TEXUNIT_SCHEDULE`: seed of a random order of CTAs and warps.
    pub(crate) schedule: Option<u64>,
    /// `TEXUNIT_FILL`: fill pattern of new memory.
    pub(crate) fill: Option<Fill>,
    /// `TEXUNIT_CONTINUE_AFTER_FAULT=1`: a fault ends the launch but not the context.
    pub(crate) continue_after_fault: bool,
    /// `TEXUNIT_COLOR`: whether messages are coloured: `always`, `never`, or `auto` (on a
    /// terminal).
    pub(crate) color: bool,
    /// `TEXUNIT_SAVE_PTX`: folder for the PTX of modules.
    pub(crate) save_ptx: Option<PathBuf>,
    /// `TEXUNIT_HOST_BACKTRACE=1`: reports show where the program allocated and freed memory.
    pub(crate) host_backtrace: bool,
    /// `TEXUNIT_REPORT_API_ERRORS=1`: prints each refused call with its reason on standard error.
    pub(crate) report_api_errors: bool,
    /// `TEXUNIT_RECORD` and related variables: launches that are recorded as jobs.
    pub(crate) record: Option<RecordSettings>,
    /// `TEXUNIT_THREADS`: number of host threads of a launch; 0 for one per core.
    pub(crate) threads: usize,
    /// `TEXUNIT_BOUNDS`: granularity at which accesses beyond an object become faults.
    pub(crate) bounds: Bounds,
    /// `TEXUNIT_BAD_FETCH`: handling of fetches whose texture does not fit the instruction.
    pub(crate) bad_fetch: BadFetch,
    /// `TEXUNIT_CHECK` and related variables: checks of kernels.
    pub(crate) checks: Option<CheckSettings>,
    /// `TEXUNIT_FAIL_ON`: minimum severity of findings that count as failures in the report of the
    /// process.
    pub(crate) fail_on: Severity,
    /// Messages about invalid values, to be printed once.
    pub(crate) complaints: Vec<String>,
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// The settings, which are read from the environment at the first call.
pub(crate) fn settings() -> &'static Settings {
    SETTINGS.get_or_init(|| {
        let named = texunit_evidence::folder();
        let above = if named.is_none() { texunit_evidence::run_above() } else { None };
        // The environment of the process takes precedence over the run's variables.
        let kept = match &above {
            Some(OuterRun::Folder(folder)) => texunit_evidence::kept_variables(folder),
            _ => BTreeMap::new(),
        };
        let variable = |name: &str| match std::env::var_os(name) {
            Some(value) => value.into_string().ok(),
            None => kept.get(name).cloned(),
        };
        let mut settings = read(variable);
        settings.evidence = named;
        if let Some(above) = above {
            settings.of_parents(above);
        }
        for complaint in &settings.complaints {
            say(format_args!("{complaint}"));
        }
        message::set_colored(settings.color);
        settings
    })
}

/// Prints what is not supported, unless the refusal of the call is reported anyway.
pub(crate) fn say_refused(text: &str) {
    if !settings().report_api_errors {
        say(format_args!("{text}"));
    }
}

impl Settings {
    /// The arithmetic of launches.
    pub(crate) fn arithmetic(&self) -> Arithmetic {
        Arithmetic { fmad: self.fmad, approximate: self.approximate }
    }

    /// Takes the run of a parent process, if the environment names none.
    fn of_parents(&mut self, above: OuterRun) {
        match above {
            OuterRun::Folder(folder) => self.evidence = Some(folder),
            OuterRun::Hidden(run) => self.complaints.push(format!(
                "the environment of this process was cleared (TEXUNIT_EVIDENCE is not set), and it may not see what \
                 process {run}, `texunit run`, has open, as it has other rights (sudo, setuid): options of `texunit run` \
                 do not reach it, nothing of it is in the report, and its faults do not count for --error-exitcode"
            )),
        }
    }
}

fn read(variable: impl Fn(&str) -> Option<String>) -> Settings {
    let mut settings = Settings::default();
    for word in variable("TEXUNIT_TRACE").iter().flat_map(|all| all.split(',')) {
        match word.trim() {
            "api" => settings.trace.api = true,
            "launch" => settings.trace.launch = true,
            "fetch" => settings.trace.fetch = true,
            "" => {}
            other => settings.complaints.push(format!(
                "TEXUNIT_TRACE has no `{other}`; it takes api, launch, fetch, separated by commas"
            )),
        }
    }
    settings.devices = variable("TEXUNIT_DEVICE").filter(|names| !names.trim().is_empty());
    let is_on = |name| variable(name).is_some_and(|v| !matches!(v.trim(), "" | "0"));
    settings.strict = is_on("TEXUNIT_STRICT");
    settings.save_ptx = variable("TEXUNIT_SAVE_PTX").filter(|f| !f.is_empty()).map(PathBuf::from);
    settings.fail_on = match variable("TEXUNIT_FAIL_ON").as_deref().map(str::trim) {
        None | Some("") => Severity::Warning,
        Some(word) => Severity::named(word).unwrap_or_else(|| {
            settings.complaints.push(format!(
                "TEXUNIT_FAIL_ON is `{word}`; it takes note, warning, which holds now, and error"
            ));
            Severity::Warning
        }),
    };
    settings.checks = checks::wanted(&variable, &mut settings.complaints);
    // Findings about leaks and uninitialised memory show where the memory was allocated.
    let leaks = settings
        .checks
        .as_ref()
        .is_some_and(|wanted| wanted.has(Check::Leak) || wanted.has(Check::Init));
    settings.host_backtrace = is_on("TEXUNIT_HOST_BACKTRACE") || leaks;
    settings.report_api_errors = is_on("TEXUNIT_REPORT_API_ERRORS");
    settings.report = variable("TEXUNIT_REPORT").filter(|f| !f.is_empty()).map(PathBuf::from);
    settings.coverage_toolkit = is_on("TEXUNIT_COVERAGE_TOOLKIT");
    // Paths are made absolute, as the program may change its working directory.
    let file = |name| {
        variable(name)
            .filter(|f| !f.is_empty())
            .map(|file| if file == "-" { "/dev/stdout".to_owned() } else { file })
            .and_then(|file| std::path::absolute(file).ok())
    };
    settings.coverage = file("TEXUNIT_COVERAGE");
    settings.profile = file("TEXUNIT_PROFILE");
    settings.record = record::wanted(&variable, &mut settings.complaints);
    settings.counters = is_on("TEXUNIT_COUNTERS");
    settings.continue_after_fault = is_on("TEXUNIT_CONTINUE_AFTER_FAULT");
    settings.color = color(&mut settings.complaints, &variable);
    if let Some(name) = variable("TEXUNIT_REPORT_FORMAT").filter(|f| !f.trim().is_empty()) {
        settings.report_format = Format::named(name.trim());
        if settings.report_format.is_none() {
            settings.complaints.push(format!(
                "TEXUNIT_REPORT_FORMAT is `{name}`; it takes json, sarif, junit and github"
            ));
        }
    }
    if let Some(steps) = variable("TEXUNIT_MAX_STEPS").filter(|s| !s.trim().is_empty()) {
        settings.max_steps = steps.trim().parse().ok().filter(|&steps| steps > 0);
        if settings.max_steps.is_none() {
            settings.complaints.push(format!(
                "TEXUNIT_MAX_STEPS is `{steps}`, which is not a number of instructions; the limit stays as it is"
            ));
        }
    }
    if let Some(seed) = variable("TEXUNIT_SCHEDULE").filter(|s| !s.trim().is_empty()) {
        settings.schedule = seed.trim().parse().ok();
        if settings.schedule.is_none() {
            settings.complaints.push(format!(
                "TEXUNIT_SCHEDULE is `{seed}`, which is not a seed (0 to {}); the order stays as it is",
                u64::MAX
            ));
        }
    }
    if let Some(text) = variable("TEXUNIT_FILL").filter(|text| !text.trim().is_empty()) {
        let seed = || RandomState::new().hash_one(0);
        match Fill::parse(&text, seed) {
            Ok(fill) => settings.fill = Some(fill),
            Err(error) => settings
                .complaints
                .push(format!("TEXUNIT_FILL is `{text}`, which is {error}; fresh memory is zero")),
        }
        if let (Some(fill), "random") = (settings.fill, text.trim()) {
            settings.complaints.push(format!("TEXUNIT_FILL: fresh memory is filled by {fill}"));
        }
    }
    if let Some(threads) = variable("TEXUNIT_THREADS").filter(|t| !t.trim().is_empty()) {
        match threads.trim().parse() {
            Ok(number) => settings.threads = number,
            Err(_) => settings.complaints.push(format!(
                "TEXUNIT_THREADS is `{threads}`, which is not a number; launches use every core"
            )),
        }
    }
    match variable("TEXUNIT_BOUNDS").as_deref().map(str::trim) {
        None | Some("" | "exact") => {}
        Some("hardware") => settings.bounds = Bounds::Hardware,
        Some(other) => settings.complaints.push(format!(
            "TEXUNIT_BOUNDS is `{other}`; it takes exact, which holds now, and hardware"
        )),
    }
    settings.fmad =
        !matches!(variable("TEXUNIT_FMAD").as_deref().map(str::trim), Some("0" | "off"));
    if let Some(other) = variable("TEXUNIT_FMAD")
        && !matches!(other.trim(), "" | "0" | "1" | "on" | "off")
    {
        let message = format!("TEXUNIT_FMAD is `{other}`; it takes 1, which holds now, and 0");
        settings.complaints.push(message);
    }
    match variable("TEXUNIT_APPROX").as_deref().map(str::trim) {
        None | Some("" | "card") => {}
        Some("rounded") => settings.approximate = Approximate::Rounded,
        Some(other) => settings.complaints.push(format!(
            "TEXUNIT_APPROX is `{other}`; it takes card, which holds now, and rounded"
        )),
    }
    match variable("TEXUNIT_BAD_FETCH").as_deref().map(str::trim) {
        None | Some("" | "zero") => {}
        Some("fault") => settings.bad_fetch = BadFetch::Fault,
        Some(other) => settings.complaints.push(format!(
            "TEXUNIT_BAD_FETCH is `{other}`; it takes zero, which holds now, and fault"
        )),
    }
    settings
}

/// Whether messages are coloured, by the rules of `texunit check`.
fn color(complaints: &mut Vec<String>, variable: &impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    match set("TEXUNIT_COLOR").as_deref().map(str::trim) {
        Some("always") => return true,
        Some("never") => return false,
        None | Some("" | "auto") => {}
        Some(other) => {
            complaints.push(format!("TEXUNIT_COLOR is `{other}`; it takes auto, always and never"))
        }
    }
    let is_dumb = set("TERM").is_some_and(|term| term == "dumb");
    std::io::stderr().is_terminal() && set("NO_COLOR").is_none() && !is_dumb
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_others_named() {
        let values = |name: &str| match name {
            "TEXUNIT_TRACE" => Some("api, fetch,shader".to_owned()),
            "TEXUNIT_STRICT" => Some("1".to_owned()),
            "TEXUNIT_FMAD" => Some(" 1".to_owned()),
            "TEXUNIT_REPORT_API_ERRORS" => Some("1".to_owned()),
            "TEXUNIT_THREADS" => Some("two".to_owned()),
            "TEXUNIT_BOUNDS" => Some("loose".to_owned()),
            _ => None,
        };
        let settings = read(values);
        assert_eq!(settings.trace, Trace { api: true, launch: false, fetch: true });
        assert!(settings.report_api_errors);
        assert!(settings.strict && settings.fmad && settings.devices.is_none());
        let evidence = read(|name| match name {
            "TEXUNIT_REPORT_FORMAT" => Some("sarif ".to_owned()),
            "TEXUNIT_MAX_STEPS" => Some(" 1000".to_owned()),
            "TEXUNIT_CONTINUE_AFTER_FAULT" | "TEXUNIT_COUNTERS" => Some("1".to_owned()),
            "TEXUNIT_COLOR" => Some("always".to_owned()),
            _ => None,
        });
        assert_eq!(evidence.report_format, Some(Format::Sarif));
        assert_eq!((evidence.max_steps, evidence.complaints.len()), (Some(1000), 0));
        assert!(evidence.continue_after_fault && evidence.counters && evidence.color);
        let wrong = read(|name| name.starts_with("TEXUNIT_").then(|| "0".to_owned()));
        let has = |word: &str| wrong.complaints.iter().any(|complaint| complaint.contains(word));
        assert!(has("TEXUNIT_MAX_STEPS is `0`") && has("TEXUNIT_COLOR is `0`"));
        assert!(has("TEXUNIT_REPORT_FORMAT is `0`") && !wrong.continue_after_fault);
        let off = read(|name| (name == "TEXUNIT_FMAD").then(|| "0".to_owned()));
        assert!(!off.fmad && !off.strict && off.complaints.is_empty());
        assert_eq!(settings.complaints.len(), 3);
        assert!(settings.complaints[0].contains("`shader`"), "{:?}", settings.complaints);
        assert!(settings.complaints[2].contains("`loose`") && settings.bounds == Bounds::Exact);
        let hardware = read(|name| (name == "TEXUNIT_BOUNDS").then(|| " hardware".to_owned()));
        assert!(hardware.bounds == Bounds::Hardware && hardware.complaints.is_empty());
    }
}
