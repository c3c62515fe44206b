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

/// Declares the settings with their values, which a [`Reader`] reads in this order.
macro_rules! settings {
    ($reader:ident: $($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        /// All settings of the driver, from the environment variables `TEXUNIT_*`.
        #[derive(Clone, Debug, Default)]
        pub(crate) struct Settings {
            $($(#[$doc])* pub(crate) $name: $type,)*
            /// Messages about invalid values, to be printed once.
            pub(crate) complaints: Vec<String>,
        }

        fn read(variable: &dyn Fn(&str) -> Option<String>) -> Settings {
            let mut $reader = Reader { variable, complaints: Vec::new() };
            $(let $name: $type = $value;)*
            Settings { $($name,)* complaints: $reader.complaints }
        }
    };
}

settings! { reader:
    /// What is traced (`TEXUNIT_TRACE`).
    trace: Trace = reader.trace();
    /// `TEXUNIT_FAIL_ON`: minimum severity of findings that count as failures in the report of the
    /// process.
    fail_on: Severity = {
        let takes = "; it takes note, warning, which holds now, and error";
        let severity = reader.parsed("TEXUNIT_FAIL_ON", takes, Severity::from_name);
        severity.unwrap_or(Severity::Warning)
    };
    /// `TEXUNIT_CHECK` and related variables: checks of kernels.
    checks: Option<CheckSettings> = checks::wanted(&mut reader);
    /// `TEXUNIT_DEVICE`: names of device profiles, one for each device.
    devices: Option<String> = reader.set("TEXUNIT_DEVICE");
    /// `CUDA_VISIBLE_DEVICES`: the devices of those that the program sees; empty: none.
    visible: Option<String> = (reader.variable)("CUDA_VISIBLE_DEVICES");
    /// `TEXUNIT_STRICT=1`: refuses PTX that is newer than the device, as a driver does.
    strict: bool = reader.is_on("TEXUNIT_STRICT");
    /// `TEXUNIT_SAVE_PTX`: folder for the PTX of modules.
    save_ptx: Option<PathBuf> = reader.path("TEXUNIT_SAVE_PTX");
    /// `TEXUNIT_HOST_BACKTRACE=1`: reports show where the program allocated and freed memory, as
    /// findings about leaks and uninitialised memory do.
    host_backtrace: bool = reader.is_on("TEXUNIT_HOST_BACKTRACE")
        || checks.as_ref().is_some_and(|all| all.has(Check::Leak) || all.has(Check::Init));
    /// `TEXUNIT_REPORT_API_ERRORS=1`: prints each refused call with its reason on standard error.
    report_api_errors: bool = reader.is_on("TEXUNIT_REPORT_API_ERRORS");
    /// `TEXUNIT_REPORT`: file of the report, written when the program ends; `%p` in it is the
    /// process number.
    report: Option<PathBuf> = reader.path("TEXUNIT_REPORT");
    /// `TEXUNIT_COVERAGE_TOOLKIT=1`: includes CUDA's headers in the coverage.
    coverage_toolkit: bool = reader.is_on("TEXUNIT_COVERAGE_TOOLKIT");
    /// `TEXUNIT_COVERAGE`: file of the coverage of device code; `%p` in it is the process number.
    coverage: Option<PathBuf> = reader.file("TEXUNIT_COVERAGE");
    /// `TEXUNIT_PROFILE`: file of the execution counts of device code; `%p` in it is the process
    /// number.
    profile: Option<PathBuf> = reader.file("TEXUNIT_PROFILE");
    /// `TEXUNIT_RECORD` and related variables: launches that are recorded as jobs.
    record: Option<RecordSettings> = record::wanted(&mut reader);
    /// `TEXUNIT_COUNTERS=1`: reports fetches by geometry and format, and processor times, to the
    /// run.
    counters: bool = reader.is_on("TEXUNIT_COUNTERS");
    /// `TEXUNIT_CONTINUE_AFTER_FAULT=1`: a fault ends the launch but not the context.
    continue_after_fault: bool = reader.is_on("TEXUNIT_CONTINUE_AFTER_FAULT");
    /// `TEXUNIT_COLOR`: whether messages are coloured: `always`, `never`, or `auto` (on a
    /// terminal).
    color: bool = reader.color();
    /// `TEXUNIT_REPORT_FORMAT`: format of the report, if the file name does not imply it.
    report_format: Option<Format> = {
        let takes = "; it takes json, sarif, junit and github";
        reader.parsed("TEXUNIT_REPORT_FORMAT", takes, Format::from_name)
    };
    /// `TEXUNIT_MAX_STEPS`: maximum number of instructions of a warp, after which the launch is
    /// ended as infinite.
    max_steps: Option<u64> = {
        let why = ", which is not a number of instructions; the limit stays as it is";
        let parse = |steps: &str| steps.parse().ok().filter(|&steps| steps > 0);
        reader.parsed("TEXUNIT_MAX_STEPS", why, parse)
    };
    /// `TEXUNIT_SCHEDULE`: seed of a random order of CTAs and warps.
    schedule: Option<u64> = {
        let why = format!(", which is not a seed (0 to {}); the order stays as it is", u64::MAX);
        reader.parsed("TEXUNIT_SCHEDULE", &why, |seed| seed.parse().ok())
    };
    /// `TEXUNIT_FILL`: fill pattern of new memory.
    fill: Option<Fill> = reader.fill();
    /// `TEXUNIT_THREADS`: number of host threads of a launch; 0 for one per core.
    threads: usize = {
        let why = ", which is not a number; launches use every core";
        reader.parsed("TEXUNIT_THREADS", why, |number| number.parse().ok()).unwrap_or_default()
    };
    /// `TEXUNIT_BOUNDS`: granularity at which accesses beyond an object become faults.
    bounds: Bounds = {
        let takes = "exact, which holds now, and hardware";
        reader.word("TEXUNIT_BOUNDS", takes, &Bounds::NAMES).unwrap_or_default()
    };
    /// `TEXUNIT_FMAD`: whether mul and add without a rounding modifier are fused as by ptxas; `0`
    /// keeps them separate.
    fmad: bool = {
        let words = [("1", true), ("on", true), ("0", false), ("off", false)];
        reader.word("TEXUNIT_FMAD", "1, which holds now, and 0", &words).unwrap_or(true)
    };
    /// `TEXUNIT_APPROX`: implementation of approximate instructions.
    approximate: Approximate = {
        let takes = "card, which holds now, and rounded";
        reader.word("TEXUNIT_APPROX", takes, &Approximate::NAMES).unwrap_or_default()
    };
    /// `TEXUNIT_BAD_FETCH`: handling of fetches whose texture does not fit the instruction.
    bad_fetch: BadFetch = {
        let takes = "zero, which holds now, and fault";
        reader.word("TEXUNIT_BAD_FETCH", takes, &BadFetch::NAMES).unwrap_or_default()
    };
    /// `TEXUNIT_EVIDENCE`: the folder of the run that the process is part of (crate `evidence`).
    evidence: Option<PathBuf> = texunit_evidence::folder();
}

static SETTINGS: OnceLock<Settings> = OnceLock::new();

/// The settings, which are read from the environment at the first call.
pub(crate) fn settings() -> &'static Settings {
    SETTINGS.get_or_init(|| {
        let has_run = texunit_evidence::folder().is_some();
        let above = if has_run { None } else { texunit_evidence::run_above() };
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

/// Prints once that a function is not supported, as [`say_refused`] does.
pub(crate) fn say_unsupported(function: &str) {
    if !settings().report_api_errors {
        say_once(format!("{function} is not supported"));
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
