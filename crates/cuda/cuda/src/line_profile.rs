//! Execution counts of device code (`TEXUNIT_PROFILE`), for launches of all modules loaded while
//! the profile is enabled.

use crate::message::say;
use crate::prelude::*;
use crate::settings::settings;
use texunit_profile::{Format, Module, Recorder, Target};

/// Recorder of this process, if a profile is requested.
fn recorder() -> Option<&'static Arc<Recorder>> {
    static RECORDER: OnceLock<Option<Arc<Recorder>>> = OnceLock::new();
    let make = || {
        let file = settings().profile.as_ref()?;
        let target = match crate::coverage::run_folder("TEXUNIT_PROFILE", file) {
            Some(folder) => Target::Run(folder),
            None => Target::File(file.clone(), Format::of(file)),
        };
        crate::exit::at_end(end);
        Some(Recorder::new(target))
    };
    RECORDER.get_or_init(make).as_ref()
}

/// The counter of a module's launches, if a profile is requested.
pub(crate) fn of_module(loaded: &texunit_device::Module) -> Option<Arc<Module>> {
    let source = loaded.source();
    Some(recorder()?.module(source.text(), PathBuf::from(source.name())))
}

fn end() {
    let Some(recorder) = recorder() else { return };
    let _ignored = crate::signals::PipeSignal::ignore();
    if let Err(error) = recorder.write() {
        let file = settings().profile.as_deref().unwrap_or("".as_ref());
        say(format_args!("the profile {} cannot be written: {error}", file.display()));
    }
}
