//! The call of the program that is in progress in a thread: how deep it is inside calls of the
//! runtime, and the allocating function by which messages name memory.

use crate::prelude::*;
use std::cell::Cell;

thread_local! {
    /// Nesting depth of runtime calls in this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The allocating function that the program has called, while it runs.
    static MAKER: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Allocating functions of the runtime and of libraries; those of the driver are recognised by
/// prefix.
static MAKERS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("../data/makers.txt").lines().collect());

/// The allocating function that the program has called, by which messages name the memory.
pub(crate) fn maker() -> Option<&'static str> {
    MAKER.get()
}

/// Begins an allocating driver call, which ends when the result is dropped; `None` if the call does
/// not allocate, or is made by another allocating function.
pub(crate) fn allocating(function: &'static str) -> Option<OnDrop<impl FnMut()>> {
    let makes = ["cuMemAlloc", "cuMemHostAlloc"].iter().any(|name| function.starts_with(name));
    (makes && MAKER.get().is_none()).then(|| {
        MAKER.set(Some(function.strip_suffix("_v2").unwrap_or(function)));
        OnDrop(|| MAKER.set(None))
    })
}

/// Runs a callback of the program: calls made there are the program's own.
pub(crate) fn in_program<T>(callback: impl FnOnce() -> T) -> T {
    let before = DEPTH.replace(0);
    let _restores = OnDrop(|| DEPTH.set(before));
    callback()
}

/// Whether the program calls the runtime API.
static HAS_RUNTIME: AtomicBool = AtomicBool::new(false);

/// Whether the program calls the runtime API, so that messages use its names.
pub(crate) fn has_runtime() -> bool {
    HAS_RUNTIME.load(Relaxed)
}

pub(crate) fn runtime_begins(function: &[u8]) {
    // The flag is stored only once, as concurrent writes would contend for its cache line.
    if !has_runtime() {
        HAS_RUNTIME.store(true, Relaxed);
    }
    let maker = MAKERS.iter().copied().find(|name| name.as_bytes() == function);
    if maker.is_some() && MAKER.get().is_none() {
        MAKER.set(maker);
    }
    DEPTH.set(DEPTH.get() + 1);
}

/// Ends a call of a runtime function, and returns whether it was inside another one.
pub(crate) fn runtime_ends() -> bool {
    let depth = DEPTH.get().saturating_sub(1);
    DEPTH.set(depth);
    if depth == 0 {
        MAKER.set(None);
    }
    depth > 0
}

/// Whether a runtime call is in progress in this thread.
pub(crate) fn is_in_runtime() -> bool {
    DEPTH.get() > 0
}
