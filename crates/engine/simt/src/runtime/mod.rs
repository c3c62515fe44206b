//! The device runtime (cudadevrt): kernel launches, copies and fills requested by kernels.
//!
//! Kernels call its functions by name (`cudaLaunchDeviceV2`, `__cudaCDP2MemcpyAsync`), which need
//! no body in the module, like `malloc`. `exec::runtime` executes the calls. Queries are answered
//! immediately by the [`RuntimeHost`]. Work is stored in the launch's [`Grid`] until the grid has
//! ended: CUDA guarantees no earlier start, and this makes the order independent of the number of
//! host threads. The launcher of the grid then takes the work ([`Grid::take`]), in an order that
//! respects streams and events, and executes it item by item, each with its own descendants. A
//! `cudaDeviceSynchronize` in a kernel executes the work of its CTA immediately
//! ([`RuntimeHost::run_now`]).

mod function;
mod grid;

use crate::fault::FaultKind;
use crate::launch::KernelId;
pub use crate::stats::Caller;
use std::fmt::Debug;
use texunit_memory::AddressError;

pub(crate) use function::{Function, Named};
pub use grid::Grid;
pub(crate) use grid::{Prepared, Target};

/// The device runtime of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Runtime<'a> {
    /// The grid that is launched, which stores submitted work.
    pub grid: &'a Grid,
    /// Answers queries and executes work.
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

/// A work item that a kernel has submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Work {
    /// Number of the item in its grid.
    pub id: u64,
    /// Numbers of the items of this grid that it depends on.
    pub after: Vec<u64>,
    /// Whether the item is a tail launch, which begins after the grid and all its other work have
    /// ended.
    pub is_tail: bool,
    /// The thread that submitted it.
    pub caller: Caller,
    /// The launch, copy or fill to execute.
    pub task: Task,
}

/// The operation of a work item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A launch of a kernel of the same module.
    Launch {
        /// The kernel to launch.
        kernel: KernelId,
        /// Numbers of CTAs and threads.
        shape: Shape,
        /// Contents of the kernel's parameter buffer.
        params: Vec<u8>,
    },
    /// A copy in global memory.
    Copy {
        /// Destination of the copy.
        to: Pitched,
        /// Source of the copy.
        from: Pitched,
        /// Bytes of a row, number of rows, number of slices.
        extent: [u64; 3],
    },
    /// A fill of global memory.
    Fill {
        /// Destination of the fill.
        to: Pitched,
        /// The byte that is written.
        value: u8,
        /// Bytes of a row, number of rows, number of slices.
        extent: [u64; 3],
    },
}

/// Rows of bytes in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitched {
    /// Address of the first byte.
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
    /// The fields from `maxThreadsPerBlock` to `preferredShmemCarveout`.
    pub numbers: [i32; 7],
}

/// Declares the errors that device runtime calls return: a constant, code, name and text of each.
macro_rules! errors {
    ($($constant:ident $code:literal $name:literal $text:literal)*) => {
        /// The codes of `cudaError_t` that device runtime calls return.
        pub mod code {
            $(#[doc = concat!("Error code `", $name, "`.")] pub const $constant: u32 = $code;)*
        }

        const ERRORS: &[(u32, &str, &str)] =
            &[(0, "cudaSuccess", "no error"), $(($code, $name, $text)),*];
    };
}

errors! {
    INVALID_VALUE 1 "cudaErrorInvalidValue" "invalid argument"
    MEMORY_ALLOCATION 2 "cudaErrorMemoryAllocation" "out of memory"
    INVALID_CONFIGURATION 9 "cudaErrorInvalidConfiguration" "invalid configuration argument"
    INVALID_MEMCPY_DIRECTION 21 "cudaErrorInvalidMemcpyDirection"
        "invalid copy direction for memcpy"
    LAUNCH_MAX_DEPTH_EXCEEDED 65 "cudaErrorLaunchMaxDepthExceeded"
        "launch would exceed maximum depth of nested launches"
    SYNC_DEPTH_EXCEEDED 68 "cudaErrorSyncDepthExceeded"
        "cudaDeviceSynchronize failed because caller's grid depth exceeds \
         cudaLimitDevRuntimeSyncDepth"
    LAUNCH_PENDING_COUNT_EXCEEDED 69 "cudaErrorLaunchPendingCountExceeded"
        "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"
    INVALID_DEVICE_FUNCTION 98 "cudaErrorInvalidDeviceFunction" "invalid device function"
    INVALID_DEVICE 101 "cudaErrorInvalidDevice" "invalid device ordinal"
    UNSUPPORTED_LIMIT 215 "cudaErrorUnsupportedLimit" "limit is not supported on this architecture"
    INVALID_RESOURCE_HANDLE 400 "cudaErrorInvalidResourceHandle" "invalid resource handle"
    LAUNCH_OUT_OF_RESOURCES 701 "cudaErrorLaunchOutOfResources"
        "too many resources requested for launch"
    NOT_SUPPORTED 801 "cudaErrorNotSupported" "operation not supported"
}

/// Name and text of an error code of the device runtime.
pub fn error_text(code: u32) -> (&'static str, &'static str) {
    let found = ERRORS.iter().find(|(of, ..)| *of == code);
    found.map_or(("unrecognized error code", "unrecognized error code"), |(_, name, text)| {
        (name, text)
    })
}

/// The host side of the device runtime: answers queries of kernels and executes work. Nonzero error
/// codes are values of `cudaError_t`.
pub trait RuntimeHost: Sync + Debug {
    /// Number of the current device, and the number of devices.
    fn device(&self) -> (i32, i32);

    /// An attribute of a device (`cudaDeviceAttr`).
    ///
    /// # Errors
    /// The code of a query that is not supported.
    fn attribute(&self, device: i32, attribute: i32) -> Result<i32, u32>;

    /// A limit (`cudaLimit`).
    ///
    /// # Errors
    /// The code of a query that is not supported.
    fn limit(&self, limit: u32) -> Result<u64, u32>;

    /// The first nesting depth whose grids may not synchronise with their children; host launches
    /// have depth 0.
    fn sync_depth(&self) -> u32;

    /// Version of the runtime: 1000 * major + 10 * minor.
    fn version(&self) -> i32;

    /// Name and text of an error code.
    fn error(&self, code: u32) -> (String, String);

    /// Attributes of a kernel.
    fn kernel(&self, kernel: KernelId) -> KernelAttributes;

    /// Number of CTAs of a kernel that fit on a multiprocessor.
    fn occupancy(&self, kernel: KernelId, threads: u32, dynamic_shared: u64) -> i32;

    /// Checks whether a launch of this shape is possible.
    ///
    /// # Errors
    /// The code of the limit that the launch exceeds.
    fn accepts(&self, kernel: KernelId, shape: &Shape) -> Result<(), u32>;

    /// Executes work immediately for a kernel that synchronises with it, and returns the text that
    /// was printed.
    ///
    /// # Errors
    /// The fault that ended the work, which also ends the kernel.
    fn run_now(&self, work: Vec<Work>) -> Result<Vec<u8>, FaultKind>;
}

/// The fault of a copy or fill whose memory is not accessible.
pub fn outside(access: &'static str, len: u64, error: &AddressError) -> FaultKind {
    let len = u32::try_from(len).unwrap_or(u32::MAX);
    crate::nearest::outside(access, (error.address, len), (error, error.gone.as_deref()), || false)
}

/// Maximum nesting depth of grids; host launches have depth 0.
pub const MAX_DEPTH: u32 = 24;

/// Default maximum number of pending launches.
pub const PENDING_LAUNCHES: usize = 2048;

/// Default of the first nesting depth whose grids may not synchronise with their children.
pub const SYNC_DEPTH: u32 = 2;
