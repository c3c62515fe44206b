//! Settings that the user makes through environment variables, which `texunit run` sets.

mod checks;
mod record;

use crate::message;
pub(crate) use checks::CheckSettings;
pub(crate) use record::{RecordSettings, is_meant, plain_name};

use crate::prelude::*;
use std::borrow::Cow;
use std::hash::{BuildHasher, RandomState};
use std::io::IsTerminal;
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
    /// `CUDA_VISIBLE_DEVICES`: the devices of those that the program sees; empty: none.
    pub(crate) visible: Option<String>,
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
        let mut settings = read(&variable);
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

/// A refusal whose reason is printed as by [`say_refused`].
pub(crate) fn printed_refusal(code: CUresult, reason: impl Into<Cow<'static, str>>) -> Refusal {
    let reason = reason.into();
    say_refused(&reason);
    code.because(reason)
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

/// Reads variables; what is wrong with a value becomes a complaint.
struct Reader<'v> {
    variable: &'v dyn Fn(&str) -> Option<String>,
    complaints: Vec<String>,
}

impl Reader<'_> {
    /// The value of a variable, unless it is blank.
    fn set(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.trim().is_empty())
    }

    /// Whether a variable is set to something other than 0.
    fn is_on(&self, name: &str) -> bool {
        self.set(name).is_some_and(|value| value.trim() != "0")
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        (self.variable)(name).filter(|path| !path.is_empty()).map(PathBuf::from)
    }

    /// A file as an absolute path, as the program may change its working directory.
    fn file(&self, name: &str) -> Option<PathBuf> {
        let path = self.path(name)?;
        let path = if path.as_os_str() == "-" { PathBuf::from("/dev/stdout") } else { path };
        std::path::absolute(path).ok()
    }

    /// Parses the value of a variable. If `parse` refuses it, adds a complaint that ends with
    /// `why`.
    fn parsed<T>(
        &mut self,
        name: &str,
        why: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.set(name)?;
        let parsed = parse(text.trim());
        if parsed.is_none() {
            self.complaints.push(format!("{name} is `{}`{why}", text.trim()));
        }
        parsed
    }

    /// Looks up the value of a variable among `words`; another value adds the complaint that the
    /// variable takes `takes`.
    fn word<T: Copy>(&mut self, name: &str, takes: &str, words: &[(&str, T)]) -> Option<T> {
        let find = |word: &str| words.iter().find(|(known, _)| *known == word).map(|known| known.1);
        self.parsed(name, &format!("; it takes {takes}"), find)
    }

    fn trace(&mut self) -> Trace {
        let mut trace = Trace::default();
        for word in self.set("TEXUNIT_TRACE").iter().flat_map(|all| all.split(',')) {
            match word.trim() {
                "api" => trace.api = true,
                "launch" => trace.launch = true,
                "fetch" => trace.fetch = true,
                "" => {}
                other => self.complaints.push(format!(
                    "TEXUNIT_TRACE has no `{other}`; it takes api, launch, fetch, separated by commas"
                )),
            }
        }
        trace
    }

    fn fill(&mut self) -> Option<Fill> {
        let text = self.set("TEXUNIT_FILL")?;
        let fill = Fill::parse(&text, || RandomState::new().hash_one(0));
        let complaint = match &fill {
            Err(error) => {
                format!("TEXUNIT_FILL is `{text}`, which is {error}; fresh memory is zero")
            }
            Ok(fill) if text.trim() == "random" => {
                format!("TEXUNIT_FILL: fresh memory is filled by {fill}")
            }
            Ok(_) => return fill.ok(),
        };
        self.complaints.push(complaint);
        fill.ok()
    }

    /// Whether messages are coloured, by the rules of `texunit check`.
    fn color(&mut self) -> bool {
        let words = [("never", Some(false)), ("always", Some(true)), ("auto", None)];
        let wanted = self.word("TEXUNIT_COLOR", "auto, always and never", &words).flatten();
        let is_dumb = self.set("TERM").is_some_and(|term| term == "dumb");
        let has_no_color = (self.variable)("NO_COLOR").is_some_and(|value| !value.is_empty());
        wanted.unwrap_or_else(|| std::io::stderr().is_terminal() && !has_no_color && !is_dumb)
    }
}

fn read(variable: &dyn Fn(&str) -> Option<String>) -> Settings {
    let mut reader = Reader { variable, complaints: Vec::new() };
    let trace = reader.trace();
    let fail_on = "; it takes note, warning, which holds now, and error";
    let fail_on = reader.parsed("TEXUNIT_FAIL_ON", fail_on, Severity::from_name);
    let checks = checks::wanted(&mut reader);
    // Findings about leaks and uninitialised memory show where the memory was allocated.
    let leaks =
        checks.as_ref().is_some_and(|wanted| wanted.has(Check::Leak) || wanted.has(Check::Init));
    let [formats, not_steps, not_threads] = [
        "; it takes json, sarif, junit and github",
        ", which is not a number of instructions; the limit stays as it is",
        ", which is not a number; launches use every core",
    ];
    let not_seed = format!(", which is not a seed (0 to {}); the order stays as it is", u64::MAX);
    Settings {
        trace,
        devices: reader.set("TEXUNIT_DEVICE"),
        visible: variable("CUDA_VISIBLE_DEVICES"),
        strict: reader.is_on("TEXUNIT_STRICT"),
        save_ptx: reader.path("TEXUNIT_SAVE_PTX"),
        fail_on: fail_on.unwrap_or(Severity::Warning),
        checks,
        host_backtrace: reader.is_on("TEXUNIT_HOST_BACKTRACE") || leaks,
        report_api_errors: reader.is_on("TEXUNIT_REPORT_API_ERRORS"),
        report: reader.path("TEXUNIT_REPORT"),
        coverage_toolkit: reader.is_on("TEXUNIT_COVERAGE_TOOLKIT"),
        coverage: reader.file("TEXUNIT_COVERAGE"),
        profile: reader.file("TEXUNIT_PROFILE"),
        record: record::wanted(&mut reader),
        counters: reader.is_on("TEXUNIT_COUNTERS"),
        continue_after_fault: reader.is_on("TEXUNIT_CONTINUE_AFTER_FAULT"),
        color: reader.color(),
        report_format: reader.parsed("TEXUNIT_REPORT_FORMAT", formats, Format::from_name),
        max_steps: reader.parsed("TEXUNIT_MAX_STEPS", not_steps, |steps| {
            steps.parse().ok().filter(|&steps| steps > 0)
        }),
        schedule: reader.parsed("TEXUNIT_SCHEDULE", &not_seed, |seed| seed.parse().ok()),
        fill: reader.fill(),
        threads: reader
            .parsed("TEXUNIT_THREADS", not_threads, |number| number.parse().ok())
            .unwrap_or_default(),
        bounds: reader
            .word("TEXUNIT_BOUNDS", "exact, which holds now, and hardware", &Bounds::NAMES)
            .unwrap_or_default(),
        fmad: reader
            .word(
                "TEXUNIT_FMAD",
                "1, which holds now, and 0",
                &[("1", true), ("on", true), ("0", false), ("off", false)],
            )
            .unwrap_or(true),
        approximate: reader
            .word("TEXUNIT_APPROX", "card, which holds now, and rounded", &Approximate::NAMES)
            .unwrap_or_default(),
        bad_fetch: reader
            .word("TEXUNIT_BAD_FETCH", "zero, which holds now, and fault", &BadFetch::NAMES)
            .unwrap_or_default(),
        evidence: None,
        complaints: reader.complaints,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_others_named() {
        let of = |variables: &[(&str, &str)]| {
            let variable = |name: &str| variables.iter().find(|variable| variable.0 == name);
            read(&|name: &str| variable(name).map(|variable| variable.1.to_owned()))
        };
        let settings = of(&[
            ("TEXUNIT_TRACE", "api, fetch,shader"),
            ("TEXUNIT_STRICT", "1"),
            ("TEXUNIT_FMAD", " 1"),
            ("TEXUNIT_REPORT_API_ERRORS", "1"),
            ("TEXUNIT_THREADS", "two"),
            ("TEXUNIT_BOUNDS", "loose"),
        ]);
        assert_eq!(settings.trace, Trace { api: true, launch: false, fetch: true });
        assert!(settings.report_api_errors);
        assert!(settings.strict && settings.fmad && settings.devices.is_none());
        let evidence = of(&[
            ("TEXUNIT_REPORT_FORMAT", "sarif "),
            ("TEXUNIT_MAX_STEPS", " 1000"),
            ("TEXUNIT_CONTINUE_AFTER_FAULT", "1"),
            ("TEXUNIT_COUNTERS", "1"),
            ("TEXUNIT_COLOR", "always"),
        ]);
        assert_eq!(evidence.report_format, Some(Format::Sarif));
        assert_eq!((evidence.max_steps, evidence.complaints.len()), (Some(1000), 0));
        assert!(evidence.continue_after_fault && evidence.counters && evidence.color);
        let wrong = read(&|name: &str| name.starts_with("TEXUNIT_").then(|| "0".to_owned()));
        let has = |word: &str| wrong.complaints.iter().any(|complaint| complaint.contains(word));
        assert!(has("TEXUNIT_MAX_STEPS is `0`") && has("TEXUNIT_COLOR is `0`"));
        assert!(has("TEXUNIT_REPORT_FORMAT is `0`") && !wrong.continue_after_fault);
        let off = of(&[("TEXUNIT_FMAD", "0")]);
        assert!(!off.fmad && !off.strict && off.complaints.is_empty());
        assert_eq!(settings.complaints.len(), 3);
        assert!(settings.complaints[0].contains("`shader`"), "{:?}", settings.complaints);
        assert!(settings.complaints[2].contains("`loose`") && settings.bounds == Bounds::Exact);
        let hardware = of(&[("TEXUNIT_BOUNDS", " hardware")]);
        assert!(hardware.bounds == Bounds::Hardware && hardware.complaints.is_empty());
    }
}
