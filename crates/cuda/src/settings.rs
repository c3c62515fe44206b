//! What the user chooses through the environment. `texunit run` sets these variables.

use std::path::PathBuf;
use std::sync::OnceLock;
use texunit_device::Bounds;

/// What is printed on standard error as it happens (`TEXUNIT_TRACE=api,launch,fetch`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Trace {
    /// Every call of the driver API, with its arguments and its result.
    pub(crate) api: bool,
    /// Every launch: kernel, grid, block, what it did.
    pub(crate) launch: bool,
    /// Every texture fetch and surface access.
    pub(crate) fetch: bool,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    /// `TEXUNIT_TRACE`.
    pub(crate) trace: Trace,
    /// `TEXUNIT_DEVICE`: names of device profiles, one for each device.
    pub(crate) devices: Option<String>,
    /// `TEXUNIT_STRICT=1`: PTX that is newer than the device is refused, as a driver does.
    pub(crate) strict: bool,
    /// `TEXUNIT_FMAD=1`: `mul.f32` and `add.f32` without a rounding modifier are fused, as an assembler may.
    pub(crate) fmad: bool,
    /// `TEXUNIT_REPORT`: file for the report, written when the program ends.
    pub(crate) report: Option<PathBuf>,
    /// `TEXUNIT_SAVE_PTX`: folder for the PTX of modules.
    pub(crate) save_ptx: Option<PathBuf>,
    /// `TEXUNIT_HOST_BACKTRACE=1`: faults say where the program has asked for memory, and freed it.
    pub(crate) host_backtrace: bool,
    /// `TEXUNIT_REPORT_API_ERRORS=1`: each refused call is told on standard error, with its reason.
    pub(crate) report_api_errors: bool,
    /// `TEXUNIT_THREADS`: host threads of a launch; 0: one for each core.
    pub(crate) threads: usize,
    /// `TEXUNIT_BOUNDS`: where accesses past the end of an object become faults.
    pub(crate) bounds: Bounds,
    /// Words that are none of the above, to be told to the user once.
    pub(crate) complaints: Vec<String>,
}

/// The settings, read once.
pub(crate) fn settings() -> &'static Settings {
    static SETTINGS: OnceLock<Settings> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let settings = read(|name| std::env::var_os(name)?.into_string().ok());
        for complaint in &settings.complaints {
            crate::call::say(format_args!("{complaint}"));
        }
        settings
    })
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
                "TEXUNIT_TRACE has no `{other}`; it takes api, launch, fetch, with commas between them"
            )),
        }
    }
    settings.devices = variable("TEXUNIT_DEVICE").filter(|names| !names.trim().is_empty());
    let is_on = |name| variable(name).is_some_and(|v| !matches!(v.trim(), "" | "0"));
    settings.strict = is_on("TEXUNIT_STRICT");
    settings.fmad = is_on("TEXUNIT_FMAD");
    settings.save_ptx = variable("TEXUNIT_SAVE_PTX").filter(|f| !f.is_empty()).map(PathBuf::from);
    settings.host_backtrace = is_on("TEXUNIT_HOST_BACKTRACE");
    settings.report_api_errors = is_on("TEXUNIT_REPORT_API_ERRORS");
    settings.report = variable("TEXUNIT_REPORT").filter(|f| !f.is_empty()).map(PathBuf::from);
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
    settings
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
            "TEXUNIT_THREADS" => Some("two".to_owned()),
            "TEXUNIT_BOUNDS" => Some("loose".to_owned()),
            _ => None,
        };
        let settings = read(values);
        assert_eq!(settings.trace, Trace { api: true, launch: false, fetch: true });
        assert!(settings.strict && settings.fmad && settings.devices.is_none());
        let off = read(|name| (name == "TEXUNIT_FMAD").then(|| "0".to_owned()));
        assert!(!off.fmad && !off.strict && off.complaints.is_empty());
        assert_eq!(settings.complaints.len(), 3);
        assert!(settings.complaints[0].contains("`shader`"), "{:?}", settings.complaints);
        assert!(settings.complaints[2].contains("`loose`") && settings.bounds == Bounds::Exact);
        let hardware = read(|name| (name == "TEXUNIT_BOUNDS").then(|| " hardware".to_owned()));
        assert!(hardware.bounds == Bounds::Hardware && hardware.complaints.is_empty());
    }
}
