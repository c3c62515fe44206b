//! Coverage (`TEXUNIT_COVERAGE`) and execution counts (`TEXUNIT_PROFILE`) of device code. Modules
//! are recorded when they are loaded, so that modules without launches are in the coverage, too.

use crate::prelude::*;
use crate::saved;
use crate::settings::settings;
use texunit_coverage::{Module, Recorder, Target};
use texunit_profile as profile;

/// Recorder of this process, if coverage is requested.
static COVERAGE: LazyLock<Option<Arc<Recorder>>> = LazyLock::new(|| {
    let file = settings().coverage.as_ref()?;
    let own = || Target::File(file.clone(), settings().coverage_toolkit);
    let target = run_folder("TEXUNIT_COVERAGE", file).map_or_else(own, Target::Run);
    crate::exit::at_end(|| {
        write("coverage", settings().coverage.as_ref(), || Some(COVERAGE.as_ref()?.write()));
    });
    Some(Recorder::new(target))
});

/// The folder of `texunit run`, if the run has requested this file from its processes by a
/// variable: it merges their files into the requested one. A file that the program requests itself
/// is written directly.
pub(crate) fn run_folder(variable: &str, file: &Path) -> Option<PathBuf> {
    let folder = settings().evidence.as_ref()?;
    let kept = texunit_evidence::kept_variables(folder);
    let is_of_run = kept.get(variable).is_some_and(|asked| Path::new(asked) == file);
    is_of_run.then(|| folder.clone())
}

/// The observer of a module's launches, if coverage is requested.
pub(crate) fn of_module(loaded: &texunit_device::Module) -> Option<Arc<Module>> {
    let recorder = COVERAGE.as_ref()?;
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

/// Recorder of this process, if a profile is requested.
static PROFILE: LazyLock<Option<Arc<profile::Recorder>>> = LazyLock::new(|| {
    let file = settings().profile.as_ref()?;
    let own = || profile::Target::File(file.clone(), profile::Format::of(file));
    let target = run_folder("TEXUNIT_PROFILE", file).map_or_else(own, profile::Target::Run);
    crate::exit::at_end(|| {
        write("profile", settings().profile.as_ref(), || Some(PROFILE.as_ref()?.write()));
    });
    Some(profile::Recorder::new(target))
});

/// The profile of a module, which counts its launches; `None` if no profile is requested.
pub(crate) fn profile_of(loaded: &texunit_device::Module) -> Option<Arc<profile::Module>> {
    let source = loaded.source();
    Some(PROFILE.as_ref()?.module(source.text(), PathBuf::from(source.name())))
}

/// Writes a file when the program ends.
fn write<E: std::fmt::Display>(
    what: &str,
    file: Option<&PathBuf>,
    write: impl FnOnce() -> Option<Result<(), E>>,
) {
    let _ignored = crate::signals::PipeSignal::ignore();
    if let Some(Err(error)) = write() {
        let file = file.map_or("".as_ref(), PathBuf::as_path);
        say(format_args!("the {what} {} cannot be written: {error}", file.display()));
    }
}
