//! Options of a launch: sizes, limits, arithmetic, and callbacks.

use crate::debug::Debugger;
use crate::device::Device;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;
use texunit_simt::runtime::Runtime;
use texunit_simt::{
    Approximate, BadFetch, Bounds, CtaRange, ExecutionOptions, ExternalWriters, GradientEngine,
    Observer,
};

/// Options of a launch. [`LaunchOptions::new`] sets the sizes; fields and methods change other
/// options.
///
/// ```
/// use texunit_device::LaunchOptions;
///
/// let options = LaunchOptions::new((8, 8), 256).with_dynamic_shared(4096).with_max_steps(1 << 20);
/// assert_eq!((options.grid, options.block), ([8, 8, 1], [256, 1, 1]));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct LaunchOptions<'a> {
    /// The options of the execution, which are also fields of this structure by [`Deref`].
    pub execution: ExecutionOptions<'a>,
    /// Whether the local memory of all running threads counts as device memory. The launch then
    /// uses only as many host threads as the remaining memory allows, and is refused if a single
    /// CTA does not fit.
    pub count_local: bool,
    /// Devices whose memory the kernel can access too.
    pub peers: &'a [Device],
    /// A debugger that steps through the launch.
    pub debugger: Option<&'a dyn Debugger>,
}

impl<'a> Deref for LaunchOptions<'a> {
    type Target = ExecutionOptions<'a>;

    fn deref(&self) -> &Self::Target {
        &self.execution
    }
}

impl DerefMut for LaunchOptions<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.execution
    }
}

/// Sizes along x, y and z, made from `8`, `(8, 4)`, `[8, 4]` and so on; sizes that are left out are
/// 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim(pub [u32; 3]);

/// Conversions of sizes along the first axes.
macro_rules! sizes {
    ($($from:ty: $given:pat => $all:expr;)*) => {
        $(impl From<$from> for Dim {
            fn from($given: $from) -> Self {
                Self($all)
            }
        })*
    };
}
sizes! {
    u32: x => [x, 1, 1];
    (u32, u32): (x, y) => [x, y, 1];
    (u32, u32, u32): (x, y, z) => [x, y, z];
    [u32; 2]: [x, y] => [x, y, 1];
    [u32; 3]: all => all;
}

impl<'a> LaunchOptions<'a> {
    /// Options for this grid and block; all other options are those of [`Default`].
    pub fn new(grid: impl Into<Dim>, block: impl Into<Dim>) -> Self {
        Self::default().with_grid(grid).with_block(block)
    }

    /// Options with as many CTAs as are needed for this number of threads along each axis, which is
    /// `(n + block - 1) / block` in CUDA programs. A block size of 0 is refused by the launch.
    pub fn covering(threads: impl Into<Dim>, block: impl Into<Dim>) -> Self {
        let (Dim(threads), Dim(block)) = (threads.into(), block.into());
        let grid = [0, 1, 2].map(|axis| threads[axis].div_ceil(block[axis].max(1)));
        Self::new(grid, block)
    }

    /// CTAs along x, y, z.
    #[must_use]
    pub fn with_grid(mut self, grid: impl Into<Dim>) -> Self {
        self.grid = grid.into().0;
        self
    }

    /// Threads of a CTA along x, y, z.
    #[must_use]
    pub fn with_block(mut self, block: impl Into<Dim>) -> Self {
        self.block = block.into().0;
        self
    }
}

texunit_unit::setters! {
    LaunchOptions<'a> {
        with_ctas(ctas: impl Into<Option<CtaRange>>);
        with_dynamic_shared(dynamic_shared: u32);
        with_threads(threads: usize);
        with_max_steps(max_steps: u64);
        with_stack_limit(stack_limit: u32);
        with_count_local(count_local: bool);
        with_fmad(fmad: bool);
        with_approximate(approximate: Approximate);
        with_bounds(bounds: Bounds);
        with_bad_fetch(bad_fetch: BadFetch);
        with_cooperative(cooperative: bool);
        with_runtime(runtime: impl Into<Option<Runtime<'a>>>);
        with_cluster(cluster: impl Into<Option<[u32; 3]>>);
        with_graph(graph: u64);
        with_peers(peers: &'a [Device]);
        with_printf_limit(printf_limit: usize);
        with_progress(progress: impl Into<Option<&'a AtomicU64>>);
        with_cancel(cancel: impl Into<Option<&'a AtomicBool>>);
        with_external_writers(external_writers: Option<&'a dyn ExternalWriters>);
        with_cpu_clock(cpu_clock: Option<fn() -> Duration>);
        with_observer(observer: Option<&'a dyn Observer>);
        with_debugger(debugger: Option<&'a dyn Debugger>);
        with_gradients(gradients: Option<&'a dyn GradientEngine>);
        with_schedule(schedule: impl Into<Option<u64>>);
    }
}
