//! Coverage of device code (`TEXUNIT_COVERAGE`): modules are observed from the time on when they are loaded, so that
//! those that are never launched are shown, too.

use crate::call::say;
use crate::saved;
use crate::settings::settings;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use texunit_coverage::{Module, Recorder, Target};

/// What this process covers, if that is asked for.
fn recorder() -> Option<&'static Arc<Recorder>> {
    static RECORDER: OnceLock<Option<Arc<Recorder>>> = OnceLock::new();
    let make = || {
        let file = settings().coverage.as_ref()?;
        let target = match &settings().evidence {
            // `texunit run` makes of it what was asked for. A file that the program asks for itself is its own.
            Some(folder) if is_of_run(file, folder) => Target::Run(folder.clone()),
            _ => Target::File(file.clone(), settings().coverage_toolkit),
        };
        crate::call::at_end(end);
        Some(Recorder::new(target))
    };
    RECORDER.get_or_init(make).as_ref()
}

/// Whether a run asks its processes for this file.
fn is_of_run(file: &Path, folder: &Path) -> bool {
    let kept = texunit_evidence::kept_variables(folder);
    kept.get("TEXUNIT_COVERAGE").is_some_and(|asked| Path::new(asked) == file)
}

/// The observer of a module's launches, if coverage is asked for.
pub(crate) fn of_module(loaded: &texunit_device::Module) -> Option<Arc<Module>> {
    let recorder = recorder()?;
    // Of all functions, which are lowered for it.
    let listing = loaded.listing(settings().arithmetic());
    let full = || {
        say(format_args!(
            "warning: the program has loaded so many modules that those from here on are not in the coverage"
        ));
    };
    recorder.module(listing, || saved::put(&folder()?, loaded.source().text()).ok(), full)
}

/// The folder for PTX that has no lines of another source: beside the file, or `coverage.ptx` where there is none.
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
    let _ignored = crate::report::PipeSignal::ignore();
    if let Err(error) = recorder.write() {
        let file = settings().coverage.as_deref().unwrap_or("".as_ref());
        say(format_args!("the coverage {} cannot be written: {error}", file.display()));
    }
}
