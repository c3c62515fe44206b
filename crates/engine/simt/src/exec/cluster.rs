//! Clusters of CTAs (PTX ISA 5.4, sm_90). The CTAs of a cluster run concurrently, in turns on one
//! host thread, access each other's shared memory and synchronise with `barrier.cluster`.
//!
//! # Addresses
//!
//! A shared address below 2^24 refers to the executing CTA. `mapa` encodes the rank of another CTA,
//! plus one, in bits 31:24; for the CTA itself it returns the plain address. Accesses to a CTA's
//! own memory therefore have no overhead: an address with a rank is out of its bounds, and only
//! then examined.
//!
//! # Memory
//!
//! While a CTA runs, the shared memories of the other CTAs are in its [`state::Cluster`];
//! [`take_turn`] moves them there and back.

pub(super) mod state;

use super::context::Context;
use super::outcome::{Flow, Next, bad_operand};
use super::resident::{Resident, Stage};
use super::warp::{Split, State, Warp, lanes};
use crate::launch::{RANK_SHIFT, split_shared_address};
use crate::observe::Synchronization;
use crate::stats::Fault;
use state::{Barrier, Peer};
use std::ops::Range;
use texunit_forms::Count;
use texunit_memory::{Block, SHARED_WINDOW};

/// Maximum rank in an address.
const MAX_RANK: u64 = 254;

impl Context<'_> {
    /// Values of `%clusterid`, `%cluster_ctaid`, `%cluster_ctarank`.
    pub(super) fn cluster_place(&self) -> ([u32; 3], [u32; 3], u32) {
        let place = self.cluster.as_ref().map(|of| (of.id, of.place, of.rank));
        place.unwrap_or((self.cta.id, [0; 3], 0))
    }

    /// The shared memory that an address refers to, and the offset in it. An address with an
    /// invalid rank is returned unchanged, which is out of bounds of the CTA's own memory.
    pub(super) fn shared_of(&mut self, at: u64) -> (&mut Vec<u8>, u64) {
        let (Some(rank), place) = split_shared_address(at) else {
            return (&mut self.cta.shared, at);
        };
        match self.cluster.as_mut().and_then(|cluster| cluster.peer(rank)) {
            Some(peer) => (&mut peer.shared, place),
            None => (&mut self.cta.shared, at),
        }
    }

    /// Records a load from shared memory that other CTAs of the cluster can change, to detect that
    /// the CTA waits.
    pub(super) fn trace_shared_load(&mut self, at: u64, size: u32) {
        if let (Some(trace), Some(_)) = (&mut self.wait_trace, &self.cluster) {
            trace.look(SHARED_WINDOW.wrapping_add(at), size);
        }
    }

    /// The shadow of shared memory at an address, and the offset in it.
    pub(super) fn shared_shadow(&mut self, at: u64) -> Option<(&Block, u64)> {
        let (Some(rank), place) = split_shared_address(at) else {
            return Some((self.shadows.as_ref()?.shared(), at));
        };
        Some((self.cluster.as_mut()?.peer(rank)?.shadow.as_ref()?, place))
    }

    /// Reason why an address in another CTA's shared memory is invalid.
    pub(super) fn describe_peer(&self, at: u64) -> Option<String> {
        let (rank, place) = split_shared_address(at);
        let rank = rank?;
        let peers = self.cluster.as_ref().map_or(&[][..], |cluster| &cluster.peers);
        Some(match peers.get(rank as usize) {
            None => {
                let all = Count(peers.len().max(1), "CTA");
                format!("it is of CTA {rank} of the cluster, which has {all}")
            }
            Some(peer) if peer.has_ended => {
                format!("it is of CTA {rank} of the cluster, which has exited")
            }
            Some(_) => {
                let size = self.launch.shared_size;
                format!(
                    "it is at {place:#x} of CTA {rank} of the cluster, which has {size:#x} bytes"
                )
            }
        })
    }

    /// `mapa`: the address of the same offset in the shared memory of the CTA with a rank.
    pub(super) fn map_shared(&self, address: u64, window: u64, rank: u32) -> u64 {
        let at = address.wrapping_sub(window);
        // Addresses of other memory are returned unchanged.
        if at >> 32 != 0 {
            return address;
        }
        let place = split_shared_address(at).1 & ((1 << RANK_SHIFT) - 1);
        let own = self.cluster_place().2;
        let rank = if rank == own { 0 } else { (u64::from(rank) + 1).min(MAX_RANK + 1) };
        window.wrapping_add(rank << RANK_SHIFT | place)
    }

    /// `getctarank`: the rank encoded in an address.
    pub(super) fn rank_of(&self, address: u64, window: u64) -> u32 {
        split_shared_address(address.wrapping_sub(window)).0.unwrap_or(self.cluster_place().2)
    }

    /// Executes `barrier.cluster.arrive` and `.wait`.
    pub(super) fn cluster_barrier(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        waits: bool,
    ) -> Next {
        let (mask, number) = (split.mask, warp.index as usize);
        let Some(cluster) = &mut self.cluster else { return Ok(Flow::Continues) };
        let Barrier { arrived, passes, .. } = &mut cluster.barrier;
        let (arrived, passes) = (&mut arrived[number], &mut passes[number]);
        let at = mask.trailing_zeros() as usize;
        if !waits {
            if let Some(lane) = lanes(mask & (*arrived | *passes)).next() {
                let what = "a second barrier.cluster.arrive without barrier.cluster.wait between";
                return bad_operand(lane, what);
            }
            *arrived |= mask;
            self.notify_synchronized(warp, (mask, split.pc), &Synchronization::ClusterArrives);
            split.pc += 1;
            return Ok(Flow::Continues);
        }
        if let Some(lane) = lanes(mask & !(*arrived | *passes)).next() {
            let what = "barrier.cluster.wait without barrier.cluster.arrive before it";
            return bad_operand(lane, what);
        }
        // Lanes that have arrived in another phase than the first lane become a split of their own,
        // and wait separately.
        let same = if *passes >> at & 1 == 1 { *passes } else { *arrived };
        warp.part(split, mask & same);
        if *passes >> at & 1 == 0 {
            return Ok(Flow::Waits(State::Cluster));
        }
        *passes &= !split.mask;
        self.notify_synchronized(warp, (split.mask, split.pc), &Synchronization::ClusterPasses);
        split.pc += 1;
        Ok(Flow::Continues)
    }

    /// Whether a blocked CTA waits at the barrier of its cluster.
    pub(super) fn waits_for_cluster(&mut self, warps: &[Warp]) -> bool {
        let waits = |warp: &Warp| warp.splits.iter().any(|split| split.state == State::Cluster);
        let Some(cluster) = &mut self.cluster else { return false };
        cluster.barrier.is_idle = warps.iter().any(waits);
        cluster.barrier.is_idle
    }

    /// Releases the lanes that wait at the cluster's barrier, which is complete.
    fn open_cluster_barrier(&mut self, warps: &mut [Warp]) {
        for warp in warps {
            let Some(cluster) = &mut self.cluster else { return };
            let number = warp.index as usize;
            let mut passes = std::mem::take(&mut cluster.barrier.arrived[number]) & warp.live;
            for i in 0..warp.splits.len() {
                let split = warp.splits[i];
                if split.state == State::Cluster {
                    passes &= !split.mask;
                    warp.splits[i].state = State::Ready;
                    warp.splits[i].pc += 1;
                    let at = (split.mask, split.pc);
                    self.notify_synchronized(warp, at, &Synchronization::ClusterPasses);
                }
            }
            if let Some(cluster) = &mut self.cluster {
                cluster.barrier.passes[number] |= passes;
            }
        }
    }
}

/// Executes a turn of a CTA with access to the memories of the other CTAs of its cluster, which are
/// the residents in `members`. Afterwards the barrier of the cluster is opened if it is complete.
pub(super) fn take_turn<'a, T>(
    all: &mut [Resident<'a>],
    members: Range<usize>,
    own: usize,
    turn: impl FnOnce(&mut Resident<'a>) -> T,
) -> T {
    if all[own].context.cluster.is_none() {
        return turn(&mut all[own]);
    }
    for i in members.clone().filter(|&i| i != own) {
        let has_ended = all[i].stage == Stage::Ended;
        let (rank, peer) = (all[i].rank(), lend(&mut all[i].context, has_ended));
        if let Some(cluster) = &mut all[own].context.cluster {
            cluster.peers[rank] = peer;
        }
    }
    let result = turn(&mut all[own]);
    for i in members.clone().filter(|&i| i != own) {
        let rank = all[i].rank();
        let lent = all[own].context.cluster.as_mut().map(|of| &mut of.peers[rank]);
        let peer = lent.map(std::mem::take).unwrap_or_default();
        take_back(&mut all[i].context, peer);
    }
    open_barrier(&mut all[members]);
    result
}

impl Resident<'_> {
    fn rank(&self) -> usize {
        self.context.cluster_place().2 as usize
    }
}

/// Opens the barrier of a cluster if all threads that have not exited have arrived.
fn open_barrier(members: &mut [Resident<'_>]) {
    let has_arrived = |of: &Resident<'_>| match of.stage {
        Stage::Idle => false,
        Stage::Runs => of.context.cluster.as_ref().is_none_or(|own| own.has_arrived(&of.warps)),
        Stage::Ended => true,
    };
    if !members.iter().all(has_arrived) {
        return;
    }
    for Resident { context, warps, .. } in members.iter_mut().filter(|of| of.runs()) {
        context.open_cluster_barrier(warps);
        if let Some(cluster) = &mut context.cluster {
            cluster.barrier.is_idle = false;
        }
    }
}

fn lend(of: &mut Context<'_>, has_ended: bool) -> Peer {
    Peer {
        shared: std::mem::take(&mut of.cta.shared),
        shadow: of.shadows.as_mut().and_then(|shadows| shadows.lend()),
        has_ended,
    }
}

fn take_back(of: &mut Context<'_>, peer: Peer) {
    of.cta.shared = peer.shared;
    if let (Some(shadows), Some(shadow)) = (&mut of.shadows, peer.shadow) {
        shadows.take_back(shadow);
    }
}

/// If no thread of a cluster can continue, the rank of its first running CTA and the fault of the
/// deadlock.
pub(super) fn deadlock(members: &[Resident<'_>]) -> Option<(usize, Box<Fault>)> {
    if members.iter().any(|of| of.runs() && !of.waits_for_cluster()) {
        return None;
    }
    let first = members.iter().position(Resident::runs)?;
    Some((first, members[first].context.deadlock(&members[first].warps)))
}
