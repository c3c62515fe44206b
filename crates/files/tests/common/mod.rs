//! What the tests with damaged files share.
#![allow(clippy::print_stderr)]

/// A linear congruential generator: the same files every time.
pub(crate) fn numbers() -> impl FnMut() -> usize {
    let mut state = 1_u64;
    move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    }
}

/// Panics of other people's decoders that are caught print nothing.
pub(crate) fn report_unguarded_panics() {
    std::panic::set_hook(Box::new(|p| {
        if !texunit_files::is_guarded() {
            eprintln!("{p}");
        }
    }));
}
