//! What the tests with damaged files share.
#![allow(clippy::print_stderr)]

/// Panics of other people's decoders that are caught print nothing.
pub(crate) fn report_unguarded_panics() {
    std::panic::set_hook(Box::new(|p| {
        if !texunit_files::is_guarded() {
            eprintln!("{p}");
        }
    }));
}
