//! The launch whose CTAs a worker thread executes.

use super::cluster::Clusters;
use super::memory::Memory;
use super::order::Order;
use super::queue::Queue;
use crate::end::Spot;
use crate::sink::Sink;
use std::sync::{Arc, Mutex};
use texunit_simt::observe::{LaunchInfo, linear_index};

/// The launch whose CTAs a worker executes.
pub(super) struct Launch<'a> {
    pub(super) sink: Arc<Sink>,
    /// Whether stores of one value by lanes of one instruction are reported.
    pub(super) is_strict: bool,
    pub(super) memory: &'a Memory,
    pub(super) order: Order,
    /// The clocks of the launch's clusters; `None` if it has no clusters.
    pub(super) clusters: Option<&'a Mutex<Clusters>>,
    /// The stream of the launch.
    pub(super) queue: Queue,
    pub(super) info: LaunchInfo<'a>,
}

impl Launch<'_> {
    /// Number of a CTA in the grid.
    pub(super) fn index(&self, cta: [u32; 3]) -> u64 {
        linear_index(cta, self.info.config.grid)
    }

    /// The thread of a CTA, by the CTA's serial number, at an operation.
    pub(super) fn spot(&self, serial: u32, thread: u32, op: u32) -> Spot {
        let index = u64::from(serial.wrapping_sub(self.order.first));
        let config = self.info.config;
        Spot::numbered([index, thread.into()], op, (config.grid, config.block))
    }
}
