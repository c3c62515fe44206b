//! Isolation of third-party decoders: their panics become errors.

use crate::{Kind, Problem};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a guarded decoder, whose panics become a [`Problem`]. A panic hook
/// that asks for bug reports should then stay silent.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

/// Runs a decoder of untrusted bytes; if it panics, the file counts as damaged.
pub(crate) fn guarded<T>(
    kind: Kind,
    decode: impl FnOnce() -> Result<T, Problem>,
) -> Result<T, Problem> {
    let outer = GUARDED.replace(true);
    // The decoders own everything that they change, so no partly changed state is visible after a
    // panic.
    let result = catch_unwind(AssertUnwindSafe(decode));
    GUARDED.set(outer);
    result.unwrap_or_else(|_| {
        Err(Problem::Damaged { kind, message: "the decoder cannot make sense of it".into() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_damage() {
        assert!(!is_guarded());
        let result: Result<(), _> = guarded(Kind::Exr, || {
            assert!(is_guarded());
            std::panic::resume_unwind(Box::new(()))
        });
        assert!(matches!(result, Err(Problem::Damaged { kind: Kind::Exr, .. })));
        assert!(!is_guarded());
    }
}
