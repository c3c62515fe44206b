//! Clusters: what `barrier.cluster` hands on, and mbarriers that threads of several CTAs arrive at.
//!
//! The CTAs of a cluster have workers of their own here, though one thread of the host runs them. Accesses to shared memory
//! of another CTA are not looked at.

use super::clock::Clock;
use super::known::Cta;
use super::mbarrier::{Acts, Mbarriers};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_simt::observe::At;
use texunit_simt::{LaunchConfig, split_shared_address};

/// Bits of a place in shared memory, above which the number of its CTA stands.
const PLACE_BITS: u32 = 32;

/// What the CTAs of clusters know of each other, in one launch.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// What all know that have arrived at the barrier of a cluster, by the number of its first CTA. That of phases
    /// before is never taken back: whoever passes a barrier knows it.
    arrived: HashMap<u64, Clock>,
    mbarriers: Mbarriers,
}

/// Number of a CTA in the grid.
fn index_of(config: &LaunchConfig<'_>, [x, y, z]: [u32; 3]) -> u64 {
    let [w, h, _] = config.grid.map(u64::from);
    u64::from(x) + w * (u64::from(y) + h * u64::from(z))
}

impl Clusters {
    /// Threads arrive at the barrier of their cluster.
    pub(super) fn arrives(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = index_of(config, config.in_cluster(at.cta, 0));
        let known = cta.arrive(at.warp, at.lanes, false);
        self.arrived.entry(first).or_default().join(&known);
    }

    /// They pass it.
    pub(super) fn passes(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = index_of(config, config.in_cluster(at.cta, 0));
        if let Some(known) = self.arrived.get(&first) {
            cta.learn(at.warp, at.lanes, &Arc::new(known.clone()));
        }
    }

    /// An mbarrier instruction, on mbarriers of any CTA of the cluster.
    pub(super) fn mbarrier(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, acts: &Acts<'_>) {
        let of = |&address: &u64| {
            let (rank, place) = split_shared_address(address);
            let owner = rank.map_or(acts.at.cta, |rank| config.in_cluster(acts.at.cta, rank));
            index_of(config, owner) << PLACE_BITS | place
        };
        let addresses = acts.addresses.each_ref().map(of);
        self.mbarriers.act(cta, &Acts { addresses: &addresses, ..*acts });
    }

    /// A CTA begins, which has none of the mbarriers that another one had before.
    pub(super) fn begins(&mut self, index: u64) {
        self.mbarriers.retain(|address| address >> PLACE_BITS != index);
    }
}
