//! What the CUDA runtime asks of the driver at start-up, and tables for profilers, of which it only wants
//! that they exist.

use super::{Table, entries, functions};
use crate::args::Out;
use crate::context::{self, Context};
use crate::handle::Handle;
use crate::state;
use std::ffi::c_void;
use std::sync::atomic::AtomicU32;
use texunit_cuda_abi::CUdevice;

/// Numbers of the tables of this file in [`super::TABLES`].
pub(super) const INTERFACE: usize = 0;
pub(super) const HOOKS: usize = 1;
pub(super) const TLS: usize = 2;
pub(super) const TOOLS: usize = 3;
pub(super) const CHECKS: usize = 4;

/// A flag for each function of the runtime API: whether a tool wants to be told of its calls. The runtime
/// reads them at its numbers for functions, which grow with its version: 487 in 12.9, 567 in 13.5.
static FUNCTION_FLAGS: [AtomicU32; 4096] = [const { AtomicU32::new(0) }; 4096];
/// A flag for each kind of event that a tool may want to be told of; at least 14 are wanted.
static EVENT_FLAGS: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];

functions! {
    /// `CUDART_INTERFACE`, 2: the handle that a device's primary context has, or will have, without
    /// making it. The runtime tells devices by it.
    fn primary_context(context: Out<Handle<Context>>, device: CUdevice) {
        context.set(context::primary(state::gpu(device)?).handle)
    }

    /// `CUDART_INTERFACE`, 12: asked by the shared library of 13.5 whether it may go on after the loading
    /// mode of modules is known. There is nothing of ours to forbid it.
    fn may_start() {
        Ok(())
    }

    /// `TOOLS_RUNTIME_CALLBACK_HOOKS`, 2: which functions tools want to be told of: none, as there are no
    /// tools. The caller ignores the answer.
    fn function_flags(flags: Out<*const AtomicU32>, count: Out<usize>) {
        flags.set(FUNCTION_FLAGS.as_ptr())?;
        count.set(FUNCTION_FLAGS.len())
    }

    /// `TOOLS_RUNTIME_CALLBACK_HOOKS`, 6: which events tools want to be told of: none.
    fn event_flags(flags: Out<*const AtomicU32>, count: Out<usize>) {
        flags.set(EVENT_FLAGS.as_ptr())?;
        count.set(EVENT_FLAGS.len())
    }

    /// Context checks, 2: whether a context stands for another one, as green contexts do (1), and for
    /// which. Green contexts are not provided, so that none does. The context need not be alive.
    fn stands_for(_context: Handle<Context>, does: Out<u32>, other: Out<Handle<Context>>) {
        does.set(0)?;
        other.set_if(Handle::NULL);
        Ok(())
    }
}

/// Context checks, 3: a mode of the driver, no error code. 1 has a meaning to the runtime, 0 is the usual.
unsafe extern "C" fn mode() -> i32 {
    0
}

static INTERFACE_TABLE: Table<15> = Table::new(entries!(
    INTERFACE, 1, 2 => primary_context, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 => may_start, 13, 14, 15
));
static HOOKS_TABLE: Table<7> =
    Table::new(entries!(HOOKS, 1, 2 => function_flags, 3, 4, 5, 6 => event_flags, 7));
static TLS_TABLE: Table<4> = Table::new(entries!(TLS, 1, 2, 3, 4));
#[rustfmt::skip]
static TOOLS_TABLE: Table<55> = Table::new(entries!(
    TOOLS, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
    28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55
));
static CHECKS_TABLE: Table<3> = Table::new(entries!(CHECKS, 1, 2 => stands_for, 3 => mode));

/// What the runtime needs of the driver for itself.
pub(super) fn interface() -> *const c_void {
    INTERFACE_TABLE.address()
}

/// Whether, and how, the runtime tells tools of its calls.
pub(super) fn hooks() -> *const c_void {
    HOOKS_TABLE.address()
}

/// Storage of tools for a thread; used once a flag is set.
pub(super) fn tools_tls() -> *const c_void {
    TLS_TABLE.address()
}

/// Asked for by 13.5; used once a flag is set.
pub(super) fn tools() -> *const c_void {
    TOOLS_TABLE.address()
}

/// Questions about contexts.
pub(super) fn checks() -> *const c_void {
    CHECKS_TABLE.address()
}
