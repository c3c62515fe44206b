//! Happens-before in clusters: `barrier.cluster`, and mbarriers that threads of several CTAs arrive
//! at.
//!
//! Each CTA of a cluster has its own worker state here, although one host thread runs them.
//! Accesses to another CTA's shared memory are not checked.

use super::clock::Clock;
use super::happens_before::Cta;
use super::mbarrier::{Acts, Mbarriers};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_simt::observe::At;
use texunit_simt::{LaunchConfig, split_shared_address};

/// An mbarrier's key is its shared-memory address, with the CTA number above this many bits.
const PLACE_BITS: u32 = 32;

/// The happens-before state of a launch's clusters.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// By the number of the cluster's first CTA: the joined clocks of all threads that have arrived
    /// at its barrier. Clocks of earlier phases stay, because threads that pass a barrier know them
    /// anyway.
    arrived: HashMap<u64, Clock>,
    mbarriers: Mbarriers,
}

/// Number of a CTA in the grid.
fn index_of(config: &LaunchConfig<'_>, [x, y, z]: [u32; 3]) -> u64 {
    let [w, h, _] = config.grid.map(u64::from);
    u64::from(x) + w * (u64::from(y) + h * u64::from(z))
}

impl Clusters {
    /// Threads arrive at their cluster's barrier.
    pub(super) fn arrives(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = index_of(config, config.in_cluster(at.cta, 0));
        let known = cta.arrive(at.warp, at.lanes, false);
        self.arrived.entry(first).or_default().join(&known);
    }

    /// Threads pass their cluster's barrier.
    pub(super) fn passes(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = index_of(config, config.in_cluster(at.cta, 0));
        if let Some(known) = self.arrived.get(&first) {
            cta.join_clock(at.warp, at.lanes, &Arc::new(known.clone()));
        }
    }

    /// Applies an mbarrier instruction on mbarriers of any CTA of the cluster.
    pub(super) fn mbarrier(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, acts: &Acts<'_>) {
        let of = |&address: &u64| {
            let (rank, place) = split_shared_address(address);
            let owner = rank.map_or(acts.at.cta, |rank| config.in_cluster(acts.at.cta, rank));
            index_of(config, owner) << PLACE_BITS | place
        };
        let addresses = acts.addresses.each_ref().map(of);
        self.mbarriers.act(cta, &Acts { addresses: &addresses, ..*acts });
    }

    /// Removes the mbarriers of an earlier CTA with the same number when a CTA begins.
    pub(super) fn begins(&mut self, index: u64) {
        self.mbarriers.retain(|address| address >> PLACE_BITS != index);
    }
}
