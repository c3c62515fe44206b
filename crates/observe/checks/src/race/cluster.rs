//! Happens-before in thread block clusters: `barrier.cluster`, and mbarriers at which threads of
//! several CTAs arrive.
//!
//! Each CTA of a cluster has its own worker state, although one host thread executes the whole
//! cluster. Accesses to the shared memory of another CTA are not checked.

use super::clock::Clock;
use super::happens_before::Cta;
use super::mbarrier::{MbarrierInstruction, Mbarriers};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_simt::observe::{At, linear_index};
use texunit_simt::{LaunchConfig, split_shared_address};

/// The key of an mbarrier is its shared-memory address in the low bits, and the number of its CTA
/// above this many bits.
const PLACE_BITS: u32 = 32;

/// The vector clocks at the barriers and mbarriers of a launch's clusters.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// For each cluster, by the number of its first CTA: the joined clocks of all threads that have
    /// arrived at its barrier. The clocks of earlier phases stay joined, because each thread that
    /// passes a later phase has passed these, too.
    arrived: HashMap<u64, Clock>,
    mbarriers: Mbarriers,
}

impl Clusters {
    /// Threads arrive at their cluster's barrier: their clocks are joined to the barrier's clock.
    pub(super) fn arrives(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = linear_index(config.in_cluster(at.cta, 0), config.grid);
        let known = cta.arrive(at.warp, at.lanes, false);
        self.arrived.entry(first).or_default().join(&known);
    }

    /// Threads pass their cluster's barrier: the barrier's clock is joined to theirs.
    pub(super) fn passes(&mut self, config: &LaunchConfig<'_>, cta: &mut Cta, at: &At) {
        let first = linear_index(config.in_cluster(at.cta, 0), config.grid);
        if let Some(known) = self.arrived.get(&first) {
            cta.join_clock(at.warp, at.lanes, &Arc::new(known.clone()));
        }
    }

    /// Applies an mbarrier instruction, whose mbarriers may be in the shared memory of any CTA of
    /// the cluster.
    pub(super) fn mbarrier(
        &mut self,
        config: &LaunchConfig<'_>,
        cta: &mut Cta,
        acts: &MbarrierInstruction<'_>,
    ) {
        let of = |&address: &u64| {
            let (rank, place) = split_shared_address(address);
            let owner = rank.map_or(acts.at.cta, |rank| config.in_cluster(acts.at.cta, rank));
            linear_index(owner, config.grid) << PLACE_BITS | place
        };
        let addresses = acts.addresses.each_ref().map(of);
        self.mbarriers.act(cta, &MbarrierInstruction { addresses: &addresses, ..*acts });
    }

    /// Removes the mbarriers of a CTA that begins, since its shared memory is new.
    pub(super) fn begins(&mut self, index: u64) {
        self.mbarriers.retain(|address| address >> PLACE_BITS != index);
    }
}
