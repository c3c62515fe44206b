//! Base groups: accesses of a block with the same base register and different offsets, which share
//! one bounds check. The analysis is given a region and returns for each access its group
//! ([`Member`]).
//!
//! The first access of a group, its leader, checks the bounds of the lowest and the highest offset.
//! The address shape that the leader finds (contiguous, one address, or scattered) is cached in the
//! frame ([`crate::frame::Frame::cached_shapes`]) for the other accesses. An entry between them
//! clears the shape.

use crate::frame::BASE_GROUPS;
use crate::ir::{Access, Action, Block, Region, Space};
use crate::operand::{Predicate, Source, VReg};
use std::collections::HashMap;

/// The maximum distance between two offsets of a base group.
const SPAN: i64 = 1 << 20;

/// The role of an access in its base group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// The slot of the base group's shape in [`crate::frame::Frame::cached_shapes`].
    pub(super) slot: usize,
    /// Whether the access is the leader, which checks the bounds of the group.
    pub(super) leads: bool,
    /// The lowest offset of the group, the distance from it to the highest offset, and the distance
    /// to this access's offset.
    pub(super) lowest: u64,
    pub(super) span: u64,
    pub(super) delta: u64,
}

/// The base groups of a region.
#[derive(Debug, Default)]
pub(super) struct BaseGroups {
    /// The role of each access, by block and step.
    members: HashMap<(usize, usize), Member>,
    /// For each block, the slot and the first and last step of each base group.
    open: Vec<Vec<(usize, usize, usize)>>,
}

/// A base group during the analysis of a block.
struct Group {
    access: Access,
    base: VReg,
    stores: bool,
    total: i64,
    /// The accesses of the group: the step of each, and the distance of its offset from the first
    /// step's.
    steps: Vec<(usize, i64)>,
    is_open: bool,
}

/// The base register of an access that can belong to a group, and the bytes that a lane accesses.
pub(super) fn base(access: &Access) -> Option<(VReg, i64)> {
    let total = u64::from(access.size) * u64::from(access.count);
    let vreg = match (access.space, access.base?) {
        (Space::Global, Source::B64(i)) => VReg::B64(i),
        (Space::Shared, Source::B32(i)) => VReg::B32(i),
        _ => return None,
    };
    let known = matches!(access.size, 1 | 2 | 4 | 8) && total.is_power_of_two() && total <= 16;
    known.then_some((vreg, total as i64))
}

/// The distance between the offsets of two accesses.
fn distance(to: &Access, from: &Access) -> i64 {
    let distance = to.offset.wrapping_sub(from.offset);
    match to.space {
        Space::Shared => i64::from(distance as i32),
        _ => distance as i64,
    }
}

impl Group {
    /// Adds an access to the group if its base and offset allow it, and returns whether they do.
    fn takes(&mut self, step: usize, access: &Access, of: (VReg, i64), stores: bool) -> bool {
        // A site has the bounds of its allocation either for loads or for stores.
        let alike = self.is_open
            && (self.base, self.total) == of
            && (self.access.space, self.access.map) == (access.space, access.map)
            && (self.stores == stores || access.space == Space::Shared);
        let distance = distance(access, &self.access);
        let near = |&(_, other): &(usize, i64)| (distance.saturating_sub(other)).abs() < SPAN;
        let takes = alike && distance % self.total == 0 && self.steps.iter().all(near);
        if takes {
            self.steps.push((step, distance));
        }
        takes
    }
}

fn groups(block: &Block) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (i, step) in block.steps.iter().enumerate() {
        let (access, stores) = match &step.action {
            Action::Load(load) => (Some(&load.access), false),
            Action::Store(store) => (Some(&store.access), true),
            _ => (None, false),
        };
        let always = step.guard == Predicate::Always;
        if let Some((access, of)) = access.and_then(|a| Some((a, base(a)?)))
            && always
            && !groups.iter_mut().any(|group| group.takes(i, access, of, stores))
        {
            let (base, total) = of;
            let steps = vec![(i, 0)];
            groups.push(Group { access: *access, base, stores, total, steps, is_open: true });
        }
        step.each_written(&mut |written| {
            groups.iter_mut().filter(|g| g.base == written).for_each(|g| g.is_open = false);
        });
    }
    groups.retain(|group| group.steps.len() > 1);
    groups
}

impl BaseGroups {
    pub(super) fn of(region: &Region) -> Self {
        let mut all = Self::default();
        for (b, block) in region.blocks.iter().enumerate() {
            let mut open: Vec<(usize, usize, usize)> = Vec::new();
            for group in groups(block) {
                let [first, last] =
                    [&group.steps[0], &group.steps[group.steps.len() - 1]].map(|s| s.0);
                // Groups come in the order of their first steps, so that a slot is free again after
                // the last step of its group.
                let is_free = |slot: &usize| open.iter().all(|o| o.0 != *slot || o.2 < first);
                if let Some(slot) = (0..BASE_GROUPS).find(is_free) {
                    open.push((slot, first, last));
                    all.add(b, slot, &group);
                }
            }
            all.open.push(open);
        }
        all
    }

    fn add(&mut self, block: usize, slot: usize, group: &Group) {
        let offsets = || group.steps.iter().map(|s| s.1);
        let (low, high) = (offsets().min().unwrap_or(0), offsets().max().unwrap_or(0));
        let (lowest, span) = (group.access.offset.wrapping_add(low as u64), (high - low) as u64);
        for (n, &(step, offset)) in group.steps.iter().enumerate() {
            let delta = (offset - low) as u64;
            let member = Member { slot, leads: n == 0, lowest, span, delta };
            self.members.insert((block, step), member);
        }
    }

    /// The role of a step in its base group; `None` if it belongs to none.
    pub(super) fn member(&self, block: usize, step: usize) -> Option<Member> {
        self.members.get(&(block, step)).copied()
    }

    /// The slots of base groups whose shapes steps after `step` read, as bits.
    pub(super) fn open(&self, block: usize, step: usize) -> u8 {
        let all = self.open.get(block).into_iter().flatten();
        let open = all.filter(|&&(_, first, last)| first <= step && step < last);
        open.fold(0, |bits, &(slot, ..)| bits | 1 << slot)
    }
}
