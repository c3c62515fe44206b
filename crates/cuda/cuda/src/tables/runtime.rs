//! Tables that the CUDA runtime uses at its start, and tables for profilers, which only have to
//! exist.

use super::{Table, entries, functions};
use crate::context::{self, Context};
use crate::prelude::*;
use crate::state;

/// For each function of the runtime API, whether a tool observes its calls. The runtime indexes the
/// array by its function numbers, of which later versions have more: 487 in 12.9, 567 in 13.5.
static FUNCTION_FLAGS: [AtomicU32; 4096] = [const { AtomicU32::new(0) }; 4096];
/// For each kind of event, whether a tool observes it; the runtime reads at least 14.
static EVENT_FLAGS: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];

functions! {
    /// `CUDART_INTERFACE`, entry 2: the handle of a device's primary context, which is not created.
    /// The runtime identifies devices by it.
    fn primary_context(context: Out<Handle<Context>>, device: CUdevice) {
        context.set(context::primary(state::gpu(device)?).handle())
    }

    /// `CUDART_INTERFACE`, entry 12: called by the shared library of 13.5 to ask whether it may
    /// continue after the modules' loading mode is known; always allowed.
    fn may_start() {
        Ok(())
    }

    /// `TOOLS_RUNTIME_CALLBACK_HOOKS`, entry 2: the array of observed functions, all unset as there
    /// are no tools. The caller ignores the status.
    fn function_flags(flags: Out<*const AtomicU32>, count: Out<usize>) {
        flags.set(FUNCTION_FLAGS.as_ptr())?;
        count.set(FUNCTION_FLAGS.len())
    }

    /// `TOOLS_RUNTIME_CALLBACK_HOOKS`, entry 6: the array of observed events, all unset.
    fn event_flags(flags: Out<*const AtomicU32>, count: Out<usize>) {
        flags.set(EVENT_FLAGS.as_ptr())?;
        count.set(EVENT_FLAGS.len())
    }

    /// Context checks, entry 2: whether a context stands for another one, as green contexts do (1),
    /// and for which. Green contexts do not exist here. The context need not be active.
    fn stands_for(_context: Handle<Context>, does: Out<u32>, other: Out<Handle<Context>>) {
        does.set(0)?;
        other.set_if(Handle::NULL);
        Ok(())
    }
}

/// Context checks, entry 3: a mode of the driver, not a status. The usual value is 0; 1 has a
/// meaning to the runtime.
unsafe extern "C" fn mode() -> i32 {
    0
}

/// Functions that the runtime itself needs.
pub(super) static INTERFACE: Table<15> = Table::new(entries!(
    "CUDART_INTERFACE", 1, 2 => primary_context, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 => may_start, 13, 14, 15
));
/// Tools that observe the runtime's calls.
pub(super) static HOOKS: Table<7> = Table::new(
    entries!("TOOLS_RUNTIME_CALLBACK_HOOKS", 1, 2 => function_flags, 3, 4, 5, 6 => event_flags, 7),
);
/// Thread-local storage for tools, used once a flag is set.
pub(super) static TLS: Table<4> = Table::new(entries!("TOOLS_TLS", 1, 2, 3, 4));
/// A table requested by 13.5 and used once a flag is set.
#[rustfmt::skip]
pub(super) static TOOLS: Table<55> = Table::new(entries!(
    "tools 21318c60", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55
));
/// Queries about contexts.
pub(super) static CHECKS: Table<3> =
    Table::new(entries!("context checks 263e8860", 1, 2 => stands_for, 3 => mode));
