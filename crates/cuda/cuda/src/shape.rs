//! The shape of a launch.

use crate::module::Function;
use crate::prelude::*;

/// Grid, block, cluster and shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Shape {
    /// Number of CTAs along x, y, z.
    pub(crate) grid: [u32; 3],
    /// Threads of a CTA along x, y, z.
    pub(crate) block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub(crate) shared: u32,
    /// Whether all CTAs must be resident at the same time.
    pub(crate) cooperative: bool,
    /// CTAs of a cluster along x, y, z, if the launch specifies them.
    pub(crate) cluster: Option<[u32; 3]>,
}

impl Shape {
    /// The shape of a launch that is not cooperative, and specifies no clusters.
    pub(crate) fn plain(grid: [u32; 3], block: [u32; 3], shared: u32) -> Self {
        Self { grid, block, shared, cooperative: false, cluster: None }
    }

    /// The shape of a configuration without its attributes.
    pub(crate) fn of(config: &CUlaunchConfig) -> Self {
        let grid = [config.gridDimX, config.gridDimY, config.gridDimZ];
        let block = [config.blockDimX, config.blockDimY, config.blockDimZ];
        Self::plain(grid, block, config.sharedMemBytes)
    }

    /// CTAs of a cluster along x, y, z, as specified by the launch, or else by the kernel and its
    /// attributes.
    pub(crate) fn cluster_of(&self, function: &Function) -> Option<[u32; 3]> {
        self.cluster.or_else(|| function.required_cluster())
    }
}
