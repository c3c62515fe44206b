//! Coverage of device code (`TEXUNIT_COVERAGE`). Modules are recorded when they are loaded, so that
//! modules without launches are reported, too.

use crate::message::say;
use crate::prelude::*;
use crate::saved;
use crate::settings::settings;
use texunit_coverage::{Module, Recorder, Target};

/// Recorder of this process, if coverage is requested.
fn recorder() -> Option<&'static Arc<Recorder>> {
    static RECORDER: OnceLock<Option<Arc<Recorder>>> = OnceLock::new();
    let make = || {
        let file = settings().coverage.as_ref()?;
        let target = match run_folder("TEXUNIT_COVERAGE", file) {
            Some(folder) => Target::Run(folder),
            None => Target::File(file.clone(), settings().coverage_toolkit),
        };
        crate::exit::at_end(end);
        Some(Recorder::new(target))
    };
    RECORDER.get_or_init(make).as_ref()
}

/// The folder of `texunit run`, if the run has requested this file from its processes by a variable:
/// it merges their files into the requested one. A file that the program requests itself is written
/// directly.
pub(crate) fn run_folder(variable: &str, file: &Path) -> Option<PathBuf> {
    let folder = settings().evidence.as_ref()?;
    let kept = texunit_evidence::kept_variables(folder);
    let is_of_run = kept.get(variable).is_some_and(|asked| Path::new(asked) == file);
    is_of_run.then(|| folder.clone())
}

/// The observer of a module's launches, if coverage is requested.
pub(crate) fn of_module(loaded: &texunit_device::Module) -> Option<Arc<Module>> {
    let recorder = recorder()?;
    // All functions of the module are lowered for coverage.
    let listing = loaded.listing(settings().arithmetic());
    let full = || {
        say(format_args!(
            "warning: the program has loaded so many modules that those from here on are not in the coverage"
        ));
    };
    recorder.module(listing, || saved::put(&folder()?, loaded.source().text()).ok(), full)
}

/// The folder for PTX without source lines: beside the file, or `coverage.ptx` without one.
fn folder() -> Option<PathBuf> {
    let file = settings().coverage.as_ref()?;
    let file = texunit_evidence::name_of_process(file, std::process::id());
    let is_file = !texunit_evidence::is_written_in_place(&file);
    let mut name = if is_file { file.into_os_string() } else { "coverage".into() };
    name.push(".ptx");
    std::path::absolute(name).ok()
}

fn end() {
    let Some(recorder) = recorder() else { return };
    let _ignored = crate::signals::PipeSignal::ignore();
    if let Err(error) = recorder.write() {
        let file = settings().coverage.as_deref().unwrap_or("".as_ref());
        say(format_args!("the coverage {} cannot be written: {error}", file.display()));
    }
}
