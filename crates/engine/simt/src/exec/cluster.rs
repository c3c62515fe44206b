//! Clusters of CTAs (PTX ISA 5.4, sm_90): CTAs that run at the same time, in turns on one thread of the host, reach
//! each other's shared memory and meet at `barrier.cluster`.
//!
//! # Addresses
//!
//! A shared address below 2^24 is one of the CTA that uses it. `mapa` gives those of another CTA the rank of that CTA,
//! plus one, in bits 31:24; for the CTA itself it gives the plain address. So nothing of this costs accesses to a
//! CTA's own memory: an address with a rank is outside of it, and outside is looked at last.
//!
//! # Memory
//!
//! While a CTA runs, the memories of the others lie in its [`Cluster`] ([`take_turn`] moves them there and back).

use super::Shared;
use super::context::{Context, Launch};
use super::counters::Counts;
use super::outcome::{Flow, PendingFault, fault_at};
use super::resident::{Resident, Stage};
use super::warp::{Split, State, Warp, lanes};
use crate::fault::FaultKind;
use crate::launch::{RANK_SHIFT, split_shared_address};
use crate::observe::{Events, Synchronized};
use crate::stats::Fault;
use std::sync::PoisonError;
use std::sync::atomic::Ordering::Relaxed;
use texunit_forms::Count;
use texunit_memory::Block;

/// Ranks that addresses can have.
const MAX_RANK: u64 = 254;

/// What a CTA knows of its cluster, and the memories of the others while it runs.
#[derive(Debug, Default)]
pub(crate) struct Cluster {
    /// `%clusterid`, `%cluster_ctaid`, `%cluster_ctarank`.
    id: [u32; 3],
    place: [u32; 3],
    rank: u32,
    /// By rank. The own one is empty.
    peers: Vec<Peer>,
    pub(super) barrier: Barrier,
}

/// The part of a CTA in the barrier of its cluster.
#[derive(Clone, Debug, Default)]
pub(super) struct Barrier {
    /// Of each warp, the lanes that have arrived in the phase that is not over, and those that may pass it.
    arrived: Vec<u32>,
    passes: Vec<u32>,
    /// Whether no thread of the CTA could do anything in its last turn.
    is_idle: bool,
}

/// A CTA that may have others of its cluster beside it.
pub(super) trait Member<'a> {
    /// What it runs with.
    fn parts(&mut self) -> (&mut Context<'a>, &mut [Warp]);
    /// How far it is.
    fn stage(&self) -> Stage;
}

impl<'a> Member<'a> for Resident<'a> {
    fn parts(&mut self) -> (&mut Context<'a>, &mut [Warp]) {
        (&mut self.context, &mut self.warps)
    }

    fn stage(&self) -> Stage {
        self.stage
    }
}

#[derive(Debug, Default)]
struct Peer {
    shared: Vec<u8>,
    shadow: Option<Block>,
    has_ended: bool,
}

/// CTAs of a cluster along x, y, z; 1 where the launch has none.
pub(crate) fn shape(launch: &Launch<'_>) -> [u32; 3] {
    launch.config.cluster.unwrap_or([1; 3])
}

/// CTAs of a cluster.
pub(super) fn size(launch: &Launch<'_>) -> u64 {
    shape(launch).iter().map(|&n| u64::from(n)).product()
}

/// Whether CTAs of a launch must run in turns: they have others in their clusters, or wait for them.
pub(super) fn is_needed(launch: &Launch<'_>) -> bool {
    size(launch) > 1 || launch.code.has_cluster_barrier
}

/// Number of a CTA in the grid, by the number of its cluster and its rank: clusters follow each other as CTAs do.
pub(super) fn cta_of(launch: &Launch<'_>, number: u64) -> u64 {
    let (shape, grid) = (shape(launch).map(u64::from), launch.config.grid.map(u64::from));
    let (cluster, rank) = (number / size(launch), number % size(launch));
    let wide = [grid[0] / shape[0], grid[1] / shape[1]];
    let at = [
        cluster % wide[0] * shape[0] + rank % shape[0],
        cluster / wide[0] % wide[1] * shape[1] + rank / shape[0] % shape[1],
        cluster / wide[0] / wide[1] * shape[2] + rank / shape[0] / shape[1],
    ];
    at[0] + grid[0] * (at[1] + grid[1] * at[2])
}

impl Cluster {
    /// What CTA number `index` of the grid knows.
    pub(super) fn of(launch: &Launch<'_>, index: u64) -> Self {
        let (shape, [w, h, _]) = (shape(launch), launch.config.grid.map(u64::from));
        let cta = [index % w, index / w % h, index / w / h].map(|n| n as u32);
        let place = [0, 1, 2].map(|axis| cta[axis] % shape[axis]);
        Self {
            id: [0, 1, 2].map(|axis| cta[axis] / shape[axis]),
            place,
            rank: place[0] + shape[0] * (place[1] + shape[1] * place[2]),
            peers: (0..size(launch)).map(|_| Peer::default()).collect(),
            barrier: Barrier {
                arrived: vec![0; launch.warps as usize],
                passes: vec![0; launch.warps as usize],
                is_idle: false,
            },
        }
    }

    /// The shared memory of another CTA that has not exited.
    fn peer(&mut self, rank: u32) -> Option<&mut Peer> {
        self.peers.get_mut(rank as usize).filter(|peer| !peer.has_ended)
    }

    /// Whether all threads of a CTA that have not exited have arrived.
    fn has_arrived(&self, warps: &[Warp]) -> bool {
        warps.iter().zip(&self.barrier.arrived).all(|(warp, arrived)| warp.live & !arrived == 0)
    }
}

impl Context<'_> {
    /// Registers of clusters: `%clusterid`, `%cluster_ctaid`, `%cluster_ctarank`.
    pub(super) fn cluster_place(&self) -> ([u32; 3], [u32; 3], u32) {
        match &self.cluster {
            Some(cluster) => (cluster.id, cluster.place, cluster.rank),
            None => (self.cta.id, [0; 3], 0),
        }
    }

    /// The shared memory that an address points to, and the place in it. A rank that no CTA has leaves the address as it is,
    /// which is outside of the CTA's own memory.
    pub(super) fn shared_of(&mut self, at: u64) -> (&mut Vec<u8>, u64) {
        let (Some(rank), place) = split_shared_address(at) else {
            return (&mut self.cta.shared, at);
        };
        match self.cluster.as_mut().and_then(|cluster| cluster.peer(rank)) {
            Some(peer) => (&mut peer.shared, place),
            None => (&mut self.cta.shared, at),
        }
    }

    /// The shadow of shared memory at an address, and the place in it.
    pub(super) fn shared_shadow(&mut self, at: u64) -> Option<(&Block, u64)> {
        let (Some(rank), place) = split_shared_address(at) else {
            return Some((self.shadows.as_ref()?.shared(), at));
        };
        Some((self.cluster.as_mut()?.peer(rank)?.shadow.as_ref()?, place))
    }

    /// What an address of another CTA's memory is wrong about.
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

    /// mapa: what an address of shared memory is in that of the CTA with a rank.
    pub(super) fn map_shared(&self, address: u64, window: u64, rank: u32) -> u64 {
        let at = address.wrapping_sub(window);
        // Other memory is not mapped.
        if at >> 32 != 0 {
            return address;
        }
        let place = split_shared_address(at).1 & ((1 << RANK_SHIFT) - 1);
        let own = self.cluster_place().2;
        let rank = if rank == own { 0 } else { (u64::from(rank) + 1).min(MAX_RANK + 1) };
        window.wrapping_add(rank << RANK_SHIFT | place)
    }

    /// getctarank.
    pub(super) fn rank_of(&self, address: u64, window: u64) -> u32 {
        split_shared_address(address.wrapping_sub(window)).0.unwrap_or(self.cluster_place().2)
    }

    /// barrier.cluster.arrive, .wait
    pub(super) fn cluster_barrier(
        &mut self,
        warp: &mut Warp,
        split: &mut Split,
        waits: bool,
    ) -> Result<Flow, Box<PendingFault>> {
        let (mask, number) = (split.mask, warp.index as usize);
        let Some(cluster) = &mut self.cluster else { return Ok(Flow::Goes) };
        let Barrier { arrived, passes, .. } = &mut cluster.barrier;
        let (arrived, passes) = (&mut arrived[number], &mut passes[number]);
        let at = mask.trailing_zeros() as usize;
        if !waits {
            if let Some(lane) = lanes(mask & (*arrived | *passes)).next() {
                let what = "a second barrier.cluster.arrive without barrier.cluster.wait between";
                return fault_at(lane, FaultKind::BadOperand(what.to_owned()));
            }
            *arrived |= mask;
            self.tell_cluster(warp, (mask, split.pc), &Synchronized::ClusterArrives);
            split.pc += 1;
            return Ok(Flow::Goes);
        }
        if let Some(lane) = lanes(mask & !(*arrived | *passes)).next() {
            let what = "barrier.cluster.wait without barrier.cluster.arrive before it";
            return fault_at(lane, FaultKind::BadOperand(what.to_owned()));
        }
        // Lanes that have arrived in another phase than the first one wait on their own.
        let same = if *passes >> at & 1 == 1 { *passes } else { *arrived };
        if mask & !same != 0 {
            warp.frames.retain(split.frame);
            warp.splits.push(Split { mask: mask & !same, ..*split });
            split.mask = mask & same;
        }
        if *passes >> at & 1 == 0 {
            return Ok(Flow::Waits(State::Cluster));
        }
        *passes &= !split.mask;
        self.tell_cluster(warp, (split.mask, split.pc), &Synchronized::ClusterPasses);
        split.pc += 1;
        Ok(Flow::Goes)
    }

    fn tell_cluster(&mut self, warp: &Warp, (mask, pc): (u32, u32), what: &Synchronized<'_>) {
        if self.events.has(Events::SYNCHRONIZATION) {
            let at = self.at(warp, mask, pc);
            self.tell_synchronized(at, what);
        }
    }

    /// Whether a CTA whose threads can do nothing waits for others of its cluster, which may go on.
    pub(super) fn waits_for_cluster(&mut self, warps: &[Warp]) -> bool {
        let waits = |warp: &Warp| warp.splits.iter().any(|split| split.state == State::Cluster);
        let Some(cluster) = &mut self.cluster else { return false };
        cluster.barrier.is_idle = warps.iter().any(waits);
        cluster.barrier.is_idle
    }

    /// The barrier of the cluster is complete.
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
                    self.tell_cluster(warp, at, &Synchronized::ClusterPasses);
                }
            }
            if let Some(cluster) = &mut self.cluster {
                cluster.barrier.passes[number] |= passes;
            }
        }
    }
}

/// A turn of a CTA, which `turn` does: with the memories of the others of its cluster, which are at the places in `members`
/// (each with its number in the cluster). Then the barrier of the cluster is opened if it is complete.
pub(super) fn take_turn<'a, M: Member<'a>, T>(
    all: &mut [M],
    members: &[usize],
    own: usize,
    turn: impl FnOnce(&mut M) -> T,
) -> T {
    if all[own].parts().0.cluster.is_none() {
        return turn(&mut all[own]);
    }
    let others = || members.iter().copied().filter(|&i| i != own);
    for i in others() {
        let has_ended = all[i].stage() == Stage::Ended;
        let (context, _) = all[i].parts();
        let (rank, peer) = (context.cluster_place().2, lend(context, has_ended));
        if let Some(cluster) = &mut all[own].parts().0.cluster {
            cluster.peers[rank as usize] = peer;
        }
    }
    let result = turn(&mut all[own]);
    for i in others() {
        let rank = all[i].parts().0.cluster_place().2;
        let lent = all[own].parts().0.cluster.as_mut().map(|of| &mut of.peers[rank as usize]);
        let peer = lent.map(std::mem::take).unwrap_or_default();
        take_back(all[i].parts().0, peer);
    }
    open_barrier(all, members);
    result
}

/// Opens the barrier of a cluster if all its threads have arrived that have not exited.
fn open_barrier<'a, M: Member<'a>>(all: &mut [M], members: &[usize]) {
    let mut runs = members.iter().copied().filter(|&i| all[i].stage() == Stage::Runs).peekable();
    let is_waited_for = runs.peek().is_some();
    let running: Vec<usize> = runs.collect();
    let have_begun = members.iter().all(|&i| all[i].stage() != Stage::Idle);
    let has_arrived = |of: &mut M| {
        let (context, warps) = of.parts();
        context.cluster.as_ref().is_none_or(|cluster| cluster.has_arrived(warps))
    };
    if is_waited_for && have_begun && running.iter().all(|&i| has_arrived(&mut all[i])) {
        for i in running {
            let (context, warps) = all[i].parts();
            context.open_cluster_barrier(warps);
            if let Some(cluster) = &mut context.cluster {
                cluster.barrier.is_idle = false;
            }
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

/// The first CTA of a cluster none of whose threads can do anything, and the deadlock as a fault.
pub(super) fn deadlock<'a, M: Member<'a>>(
    all: &mut [M],
    members: &[usize],
) -> Option<(usize, Box<Fault>)> {
    let is_idle = |of: &mut M| {
        let is_over = of.stage() != Stage::Runs;
        is_over || of.parts().0.cluster.as_ref().is_some_and(|of| of.barrier.is_idle)
    };
    if !members.iter().all(|&i| is_idle(&mut all[i])) {
        return None;
    }
    let first = members.iter().copied().find(|&i| all[i].stage() == Stage::Runs)?;
    let (context, warps) = all[first].parts();
    Some((first, context.deadlock(warps)))
}

/// The same, which ends the launch.
pub(super) fn tell_deadlock(all: &mut [Resident<'_>], members: &[usize], shared: &Shared) {
    if let Some((first, fault)) = deadlock(all, members) {
        all[first].end(Err(fault), shared);
    }
}

/// The places of the cluster that a place belongs to: they follow each other.
pub(super) fn members(launch: &Launch<'_>, place: usize) -> Vec<usize> {
    let size = size(launch) as usize;
    let first = place / size * size;
    (first..first + size).collect()
}

/// Runs clusters one after the other until none is left: the CTAs of each in turns.
pub(super) fn run(launch: &Launch<'_>, shared: &Shared, worker: usize, ctas: u64) {
    let size = size(launch);
    let mut residents: Vec<Resident<'_>> =
        (0..size).map(|_| Resident::new(launch, worker)).collect();
    let members: Vec<usize> = (0..residents.len()).collect();
    let mut counts = Counts::new(launch.counters);
    loop {
        let number = shared.next.fetch_add(1, Relaxed);
        let is_over = number >= ctas / size || shared.faulted.load(Relaxed) != u64::MAX;
        if is_over || launch.is_cancelled() {
            break;
        }
        residents.iter_mut().zip(number * size..).for_each(|(resident, rank)| {
            resident.begin_counted(cta_of(launch, rank), shared, &mut counts);
        });
        while residents.iter().any(|r| r.stage == Stage::Runs) {
            if shared.faulted.load(Relaxed) != u64::MAX {
                break;
            }
            round(&mut residents, &members, shared, &mut counts);
        }
    }
    if launch.counters != 0 {
        residents[0].context.counts = counts;
        residents[0].context.tell_counts();
    }
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    residents.iter_mut().for_each(|resident| resident.collect(&mut state));
}

/// A turn of each CTA of a cluster, with the counters of their worker.
pub(super) fn round(
    all: &mut [Resident<'_>],
    members: &[usize],
    shared: &Shared,
    counts: &mut Counts,
) {
    for &own in members {
        take_turn(all, members, own, |resident| resident.turn(shared, counts));
    }
    tell_deadlock(all, members, shared);
}
