//! The state of a CTA in its cluster, and the shared memories of the other CTAs while it runs.

use super::super::warp::Warp;
use crate::observe::{LaunchConfig, coordinates};
use texunit_memory::Block;

/// The state of a CTA in its cluster.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    /// Values of `%clusterid`, `%cluster_ctaid`, `%cluster_ctarank`.
    pub(super) id: [u32; 3],
    pub(super) place: [u32; 3],
    pub(super) rank: u32,
    /// The other CTAs' memories, by rank; the CTA's own entry is empty.
    pub(super) peers: Vec<Peer>,
    pub(in crate::exec) barrier: Barrier,
}

/// The state of a CTA at the barrier of its cluster.
#[derive(Clone, Debug, Default)]
pub(in crate::exec) struct Barrier {
    /// For each warp, the lanes that have arrived in the current phase, and the lanes that may pass
    /// the completed one.
    pub(super) arrived: Vec<u32>,
    pub(super) passes: Vec<u32>,
    /// Whether no thread of the CTA could continue when the CTA was last executed.
    pub(in crate::exec) is_idle: bool,
}

impl Barrier {
    /// Lanes that have arrived and lanes that may pass, of each warp.
    pub(in crate::exec) fn masks(&self) -> impl Iterator<Item = u32> {
        self.arrived.iter().chain(&self.passes).copied()
    }
}

/// The memory of another CTA of the cluster.
#[derive(Debug, Default)]
pub(super) struct Peer {
    pub(super) shared: Vec<u8>,
    pub(super) shadow: Option<Block>,
    pub(super) has_ended: bool,
}

impl Cluster {
    /// The state of CTA number `index` of the grid, in a launch whose CTAs have `warps` warps.
    pub(in crate::exec) fn of(config: &LaunchConfig<'_>, warps: u32, index: u64) -> Self {
        let (shape, cta) = (config.cluster.unwrap_or([1; 3]), coordinates(index, config.grid));
        let place = [0, 1, 2].map(|axis| cta[axis] % shape[axis]);
        let none = vec![0; warps as usize];
        Self {
            id: [0, 1, 2].map(|axis| cta[axis] / shape[axis]),
            place,
            rank: place[0] + shape[0] * (place[1] + shape[1] * place[2]),
            peers: (0..shape.iter().product::<u32>()).map(|_| Peer::default()).collect(),
            barrier: Barrier { arrived: none.clone(), passes: none, is_idle: false },
        }
    }

    /// The memory of another CTA that has not exited.
    pub(super) fn peer(&mut self, rank: u32) -> Option<&mut Peer> {
        self.peers.get_mut(rank as usize).filter(|peer| !peer.has_ended)
    }

    /// Whether all threads of a CTA that have not exited have arrived.
    pub(super) fn has_arrived(&self, warps: &[Warp]) -> bool {
        warps.iter().zip(&self.barrier.arrived).all(|(warp, arrived)| warp.live & !arrived == 0)
    }
}
