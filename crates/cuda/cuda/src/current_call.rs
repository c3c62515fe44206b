//! The call of the program that is in progress in a thread: how deep it is inside calls of the
//! runtime, and the allocating function by which messages name memory.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

thread_local! {
    /// Nesting depth of runtime calls in this thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The allocating function that the program has called, while it runs.
    static MAKER: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Allocating functions of the runtime and of libraries; those of the driver are recognised by
/// prefix.
const MAKERS: [&str; 18] = [
    "cudaMalloc",
    "cudaMallocPitch",
    "cudaMalloc3D",
    "cudaMallocManaged",
    "cudaMallocHost",
    "cudaHostAlloc",
    "cudaMallocAsync",
    "cudaMallocFromPoolAsync",
    "cufftPlan1d",
    "cufftPlan2d",
    "cufftPlan3d",
    "cufftPlanMany",
    "cufftMakePlan1d",
    "cufftMakePlan2d",
    "cufftMakePlan3d",
    "cufftMakePlanMany",
    "cufftMakePlanMany64",
    "curandCreatePoissonDistribution",
];

/// The allocating function that the program has called, by which messages name the memory.
pub(crate) fn maker() -> Option<&'static str> {
    MAKER.get()
}

/// An allocating driver call in progress.
pub(crate) struct AllocatingCall(());

impl AllocatingCall {
    /// Begins a driver call; `None` if it does not allocate, or is made by another allocating
    /// function.
    pub(crate) fn by(function: &'static str) -> Option<Self> {
        let makes = ["cuMemAlloc", "cuMemHostAlloc"].iter().any(|name| function.starts_with(name));
        (makes && MAKER.get().is_none()).then(|| {
            MAKER.set(Some(function.strip_suffix("_v2").unwrap_or(function)));
            Self(())
        })
    }
}

impl Drop for AllocatingCall {
    fn drop(&mut self) {
        MAKER.set(None);
    }
}

/// Marks that the calling thread runs a callback of the program, until dropped: calls made there
/// are the program's own.
pub(crate) struct InProgram(u32);

impl InProgram {
    pub(crate) fn enter() -> Self {
        Self(DEPTH.replace(0))
    }
}

impl Drop for InProgram {
    fn drop(&mut self) {
        DEPTH.set(self.0);
    }
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
    let maker = MAKERS.into_iter().find(|name| name.as_bytes() == function);
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
