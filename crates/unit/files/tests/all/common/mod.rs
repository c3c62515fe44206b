//! Code that the tests with damaged files share: a panic hook for caught panics of decoders.
#![allow(clippy::print_stderr)]

/// Sets a panic hook that prints nothing for panics of the decoder libraries, which the crate
/// catches.
pub(crate) fn report_unguarded_panics() {
    std::panic::set_hook(Box::new(|p| {
        if !texunit_files::is_guarded() {
            eprintln!("{p}");
        }
    }));
}
