//! Inspection of a stopped launch: positions of threads, and memory.

use super::super::resident::Resident;
use super::super::target::{load_bytes, load_local, store_local};
use super::super::warp::{State, Warp};
use super::{Machine, StopPoint};
use texunit_forms::sort_by_key;
use texunit_memory::SpaceKind;

/// Lanes of a warp with the same next instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LanePosition {
    /// Mask of the lanes.
    pub lanes: u32,
    /// Source offset of the next instruction.
    pub at: u32,
    /// Why the lanes wait.
    pub waits: Waits,
}

/// Reason why lanes wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// The lanes can run, and wait for their turn.
    Turn,
    /// The lanes wait for other lanes at a `.sync` instruction.
    Lanes,
    /// The lanes wait at a barrier of the CTA.
    Barrier(u8),
    /// The lanes wait at the barrier of the cluster.
    Cluster,
    /// The lanes wait at a reconvergence point for the lanes that took the other side of a branch.
    Reconvergence,
}

impl<'a> Machine<'a> {
    /// The CTA, warp, lanes and instruction at which the launch has last stopped.
    pub fn stop_point(&self) -> StopPoint {
        self.stepper.stop_point
    }

    /// Numbers of the CTAs that have begun and not ended, sorted.
    pub fn ctas(&self) -> Vec<u64> {
        let mut all: Vec<u64> =
            self.residents.all.iter().filter(|r| r.runs()).map(|r| r.index).collect();
        sort_by_key(&mut all, |&index| index);
        all
    }

    /// Number of warps of a CTA.
    pub fn warps(&self) -> u32 {
        self.launch.warps
    }

    fn resident(&self, cta: u64) -> Option<&Resident<'a>> {
        self.residents.all.iter().find(|resident| resident.runs() && resident.index == cta)
    }

    pub(super) fn warp(&self, cta: u64, warp: u32) -> Option<&Warp> {
        self.resident(cta)?.warps.get(warp as usize)
    }

    pub(super) fn warp_mut(&mut self, cta: u64, warp: u32) -> Option<&mut Warp> {
        let resident = self.residents.running().find(|r| r.index == cta)?;
        resident.warps.get_mut(warp as usize)
    }

    /// Source offset of an instruction.
    pub(super) fn place(&self, pc: u32) -> u32 {
        self.launch.code.insts.get(pc as usize).map_or(0, |inst| inst.span.start)
    }

    /// Mask of the lanes of a warp that have not exited.
    pub fn live(&self, cta: u64, warp: u32) -> u32 {
        self.warp(cta, warp).map_or(0, |warp| warp.live)
    }

    /// Positions of the lanes of a warp, in scheduling order.
    pub fn lane_positions(&self, cta: u64, warp: u32) -> Vec<LanePosition> {
        let Some(warp) = self.warp(cta, warp) else { return Vec::new() };
        let splits = warp.splits.iter().map(|split| LanePosition {
            lanes: split.mask,
            at: self.place(split.pc),
            waits: match split.state {
                State::Ready => Waits::Turn,
                State::Sync => Waits::Lanes,
                State::Barrier(id) => Waits::Barrier(id),
                State::Cluster => Waits::Cluster,
            },
        });
        let groups = warp.groups.iter().filter(|group| group.arrived != 0);
        let groups = groups.map(|group| LanePosition {
            lanes: group.arrived,
            at: self.place(group.resume),
            waits: Waits::Reconvergence,
        });
        splits.chain(groups).collect()
    }

    /// Reads memory as seen by a thread (CTA, warp, lane): global and constant memory at generic
    /// addresses, other spaces at offsets. Returns false if any byte is inaccessible.
    pub fn read(
        &self,
        space: SpaceKind,
        (cta, warp, lane): (u64, u32, u32),
        address: u64,
        out: &mut [u8],
    ) -> bool {
        let each = |out: &mut [u8], load: &dyn Fn(u64) -> Option<u64>| {
            (address..)
                .zip(out)
                .all(|(at, byte)| load(at).map(|value| *byte = value as u8).is_some())
        };
        let lane = lane as usize & 31;
        match space {
            SpaceKind::Global | SpaceKind::Const => {
                let map = self.launch.config.memory;
                let found = map.find(address, out.len() as u64, 0);
                found.is_ok_and(|(block, offset)| map.block(block).read(offset, out).is_ok())
            }
            SpaceKind::Shared => self.resident(cta).is_some_and(|resident| {
                each(out, &|at| load_bytes(&resident.context.cta.shared, at, 1))
            }),
            SpaceKind::Param => each(out, &|at| load_bytes(self.launch.config.params, at, 1)),
            SpaceKind::Local => self
                .warp(cta, warp)
                .is_some_and(|warp| each(out, &|at| load_local(&warp.local, lane, at, 1))),
        }
    }

    /// Writes memory, with addresses as for [`Self::read`]. Returns false if nothing was written.
    pub fn write(
        &mut self,
        space: SpaceKind,
        (cta, warp, lane): (u64, u32, u32),
        address: u64,
        bytes: &[u8],
    ) -> bool {
        match space {
            SpaceKind::Global | SpaceKind::Const => {
                let map = self.launch.config.memory;
                let found = map.find(address, bytes.len() as u64, 0);
                found.is_ok_and(|(block, offset)| map.block(block).write(offset, bytes).is_ok())
            }
            SpaceKind::Shared => {
                let resident = self.residents.running().find(|r| r.index == cta);
                let Some(resident) = resident else { return false };
                let (from, shared) = (address as usize, &mut resident.context.cta.shared);
                let end = from.checked_add(bytes.len());
                let place = end.and_then(|end| shared.get_mut(from..end));
                place.map(|place| place.copy_from_slice(bytes)).is_some()
            }
            SpaceKind::Param => false,
            SpaceKind::Local => {
                let Some(warp) = self.warp_mut(cta, warp) else { return false };
                let end = address.saturating_add(bytes.len() as u64);
                if end > warp.local.len() as u64 * 4 || lane > 31 {
                    return false;
                }
                let (local, lane) = (&mut warp.local, lane as usize);
                let mut bytes = (address..).zip(bytes);
                bytes.all(|(at, &byte)| store_local(local, lane, at, 1, byte.into()).is_some())
            }
        }
    }
}
