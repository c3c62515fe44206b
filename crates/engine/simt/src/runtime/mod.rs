//! The device runtime (cudadevrt): what kernels ask for that launch kernels, copy memory and fill it.
//!
//! A kernel calls functions of it by name (`cudaLaunchDeviceV2`, `__cudaCDP2MemcpyAsync`); no body of them is needed, as none is
//! for `malloc`. `exec::runtime` executes them. What they only ask is answered at once, by the [`RuntimeHost`]; work is kept in
//! the [`Grid`] of the launch until the grid has come to its end: CUDA promises no earlier time, and so the order does not
//! depend on how many threads the host has. Who launched the grid then takes the work out ([`Grid::take`]), in an order that
//! streams and events allow, and does one item after the other, each with all that it launches itself. A
//! `cudaDeviceSynchronize` in a kernel does the work of its CTA at once ([`RuntimeHost::run_now`]).

mod function;
mod grid;

use crate::fault::FaultKind;
use crate::kernel::KernelId;
pub use crate::stats::Caller;
use std::fmt::Debug;
use texunit_memory::AddressError;

pub(crate) use function::{Function, Named};
pub use grid::Grid;
pub(crate) use grid::{Prepared, Target};

/// Where a launch takes its answers from, and where its work is kept.
#[derive(Clone, Copy, Debug)]
pub struct Runtime<'a> {
    /// The grid that is launched.
    pub grid: &'a Grid,
    /// Who answers.
    pub host: &'a dyn RuntimeHost,
}

/// CTAs, threads and dynamic shared memory of a launch from the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// CTAs along x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

/// What a kernel has asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Its number in the grid.
    pub id: u64,
    /// Numbers of the work of this grid that its stream has it come behind.
    pub after: Vec<u64>,
    /// It begins when the grid and all its other work have ended.
    pub is_tail: bool,
    /// Who asked for it.
    pub caller: Caller,
    /// What is to be done.
    pub task: Task,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A launch of a kernel of the same module.
    Launch {
        /// The kernel.
        kernel: KernelId,
        /// CTAs and threads.
        shape: Shape,
        /// Its parameter buffer.
        params: Vec<u8>,
    },
    /// A copy in global memory.
    Copy {
        /// Where to.
        to: Pitched,
        /// Where from.
        from: Pitched,
        /// Bytes of a row, rows, slices.
        extent: [u64; 3],
    },
    /// A fill of global memory.
    Fill {
        /// What is filled.
        to: Pitched,
        /// With which byte.
        value: u8,
        /// Bytes of a row, rows, slices.
        extent: [u64; 3],
    },
}

/// Rows in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitched {
    /// Address of the first.
    pub address: u64,
    /// Bytes from one row to the next.
    pub row: u64,
    /// Bytes from one slice to the next.
    pub slice: u64,
}

/// Attributes of a kernel, in the order of `cudaFuncAttributes`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KernelAttributes {
    /// `sharedSizeBytes`, `constSizeBytes`, `localSizeBytes`.
    pub sizes: [u64; 3],
    /// From `maxThreadsPerBlock` to `preferredShmemCarveout`.
    pub numbers: [i32; 7],
}

/// Codes of `cudaError_t` that calls of kernels return.
pub mod code {
    /// `cudaErrorInvalidValue`
    pub const INVALID_VALUE: u32 = 1;
    /// `cudaErrorMemoryAllocation`
    pub const MEMORY_ALLOCATION: u32 = 2;
    /// `cudaErrorInvalidConfiguration`
    pub const INVALID_CONFIGURATION: u32 = 9;
    /// `cudaErrorInvalidMemcpyDirection`
    pub const INVALID_MEMCPY_DIRECTION: u32 = 21;
    /// `cudaErrorLaunchMaxDepthExceeded`
    pub const LAUNCH_MAX_DEPTH_EXCEEDED: u32 = 65;
    /// `cudaErrorSyncDepthExceeded`
    pub const SYNC_DEPTH_EXCEEDED: u32 = 68;
    /// `cudaErrorLaunchPendingCountExceeded`
    pub const LAUNCH_PENDING_COUNT_EXCEEDED: u32 = 69;
    /// `cudaErrorInvalidDeviceFunction`
    pub const INVALID_DEVICE_FUNCTION: u32 = 98;
    /// `cudaErrorInvalidDevice`
    pub const INVALID_DEVICE: u32 = 101;
    /// `cudaErrorUnsupportedLimit`
    pub const UNSUPPORTED_LIMIT: u32 = 215;
    /// `cudaErrorInvalidResourceHandle`
    pub const INVALID_RESOURCE_HANDLE: u32 = 400;
    /// `cudaErrorLaunchOutOfResources`
    pub const LAUNCH_OUT_OF_RESOURCES: u32 = 701;
    /// `cudaErrorNotSupported`
    pub const NOT_SUPPORTED: u32 = 801;
}

/// Codes, names and texts of what calls of kernels return.
#[rustfmt::skip]
const ERRORS: &[(u32, &str, &str)] = &[
    (0, "cudaSuccess", "no error"),
    (1, "cudaErrorInvalidValue", "invalid argument"),
    (2, "cudaErrorMemoryAllocation", "out of memory"),
    (9, "cudaErrorInvalidConfiguration", "invalid configuration argument"),
    (21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (65, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"),
    (68, "cudaErrorSyncDepthExceeded", "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth"),
    (69, "cudaErrorLaunchPendingCountExceeded", "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"),
    (98, "cudaErrorInvalidDeviceFunction", "invalid device function"),
    (101, "cudaErrorInvalidDevice", "invalid device ordinal"),
    (215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"),
    (400, "cudaErrorInvalidResourceHandle", "invalid resource handle"),
    (701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"),
    (801, "cudaErrorNotSupported", "operation not supported"),
];

/// Name and text of a code, for hosts that know no more codes than those of the device runtime.
pub fn error_text(code: u32) -> (&'static str, &'static str) {
    let found = ERRORS.iter().find(|(of, ..)| *of == code);
    found.map_or(("unrecognized error code", "unrecognized error code"), |(_, name, text)| {
        (name, text)
    })
}

/// What answers the questions of kernels. A code that is not 0 is one of `cudaError_t`.
pub trait RuntimeHost: Sync + Debug {
    /// Number of the device, and how many there are.
    fn device(&self) -> (i32, i32);

    /// An attribute of a device (`cudaDeviceAttr`).
    ///
    /// # Errors
    /// The code.
    fn attribute(&self, device: i32, attribute: i32) -> Result<i32, u32>;

    /// A limit (`cudaLimit`).
    ///
    /// # Errors
    /// The code.
    fn limit(&self, limit: u32) -> Result<u64, u32>;

    /// Deepest nesting, from 0 of a grid that the host launched, of one that may wait for those that it launches, and one more.
    fn sync_depth(&self) -> u32;

    /// Version of the runtime: 1000 * major + 10 * minor.
    fn version(&self) -> i32;

    /// Name and text of a code.
    fn error(&self, code: u32) -> (String, String);

    /// Attributes of a kernel.
    fn kernel(&self, kernel: KernelId) -> KernelAttributes;

    /// CTAs of a kernel that a multiprocessor holds.
    fn occupancy(&self, kernel: KernelId, threads: u32, dynamic_shared: u64) -> i32;

    /// Whether a launch of such a shape is possible.
    ///
    /// # Errors
    /// The code.
    fn accepts(&self, kernel: KernelId, shape: &Shape) -> Result<(), u32>;

    /// Does work at once, for a kernel that waits for it; what kernels have printed.
    ///
    /// # Errors
    /// The fault that it ended in: the kernel that waits ends, too.
    fn run_now(&self, work: Vec<Work>) -> Result<Vec<u8>, FaultKind>;
}

/// The fault of a copy or a fill that does not find its memory.
pub fn outside(access: &'static str, len: u64, error: &AddressError) -> FaultKind {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    crate::nearest::outside(access, (error.address, len), (error, error.gone.as_deref()), || false)
}

/// Deepest nesting of grids: the host's are at 0.
pub const MAX_DEPTH: u32 = 24;

/// Grids that may be waiting at a time, unless the program asks for more.
pub const PENDING_LAUNCHES: usize = 2048;

/// Nesting at which grids may not wait for those that they launch, unless the program asks for more.
pub const SYNC_DEPTH: u32 = 2;
