//! A model of divergence and reconvergence in plain Rust: which lanes run, and which wait for
//! others.

use super::model::{Fixed, Next, World};
use texunit_jit::Predicate;
use texunit_jit::region::{
    DivergedLanes, DivergenceLimits, End, Exit, FIRST_TURN, Region, Side, Target,
};

/// A split of the model: lanes that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub(crate) at: Next,
    pub(crate) mask: u32,
    pub(crate) group: Option<usize>,
}

/// Lanes that are to reconverge. If lanes outside the model belong to the group, `expected`
/// includes the bit [`ANOTHER`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Group {
    reconverge_at: u32,
    expected: u64,
    arrived: u32,
    parent: Option<usize>,
}

/// The turns of the lanes of a warp during a run of compiled code, as step counts of the world.
#[derive(Clone, Debug)]
struct Turns {
    limit: u64,
    end: u64,
    turn: u64,
    shared: u64,
    /// The mask of a converged warp, and the group of its lanes.
    full: u32,
    group: Option<usize>,
}

/// The state of the lanes of a warp.
#[derive(Clone, Debug)]
pub(crate) struct Warp {
    pub(crate) running: Split,
    /// The turns of a run, and whether the last step was a backward jump.
    turns: Option<Turns>,
    has_jumped_back: bool,
    /// Lanes that are ready to run; the first of them have the next turn.
    pub(crate) ready: Vec<Split>,
    groups: Vec<Group>,
}

/// A lane outside the model, which never arrives.
const ANOTHER: u64 = 1 << 40;

/// A target, and the number of its instruction.
fn target(region: &Region, target: Target) -> (Next, u32) {
    match target {
        Target::Block(i) => (Next::At(i as usize, 0), region.blocks[i as usize].at),
        Target::Leave(at) => (Next::Out(at), at),
    }
}

impl Warp {
    pub(crate) fn new(at: Next, mask: u32) -> Self {
        let running = Split { at, mask, group: None };
        Self { running, turns: None, has_jumped_back: false, ready: Vec::new(), groups: Vec::new() }
    }

    /// Begins a run from a step count. `full` is the mask of a converged warp; 0 if others run.
    /// Without patience, each turn ends the run.
    pub(crate) fn begin(&mut self, from: u64, limit: u64, limits: &DivergenceLimits, full: u32) {
        let (limit, end) = (from + limit, from + limits.end);
        let (turn, shared) = (limits.turn, limits.shared_turn);
        let group = self.running.group;
        let turns = Turns { limit, end, turn, shared, full, group };
        self.turns = (limits.patience != 0).then_some(turns);
        self.has_jumped_back = false;
    }

    /// Whether the running lanes are at the beginning of this block or of an earlier one.
    fn is_before(&self, block: usize) -> bool {
        matches!(self.running.at, Next::At(to, 0) if to <= block)
    }

    /// After a backward jump: if the turn of the running lanes is over, the next side has its turn.
    /// Returns false if it is not over, or there is no side.
    fn turn_ends(&mut self, steps: u64) -> bool {
        let Some(turns) = self.turns.as_mut().filter(|turns| steps >= turns.limit) else {
            return false;
        };
        if self.ready.is_empty() {
            return false;
        }
        turns.shared = (2 * turns.shared).min(turns.turn);
        self.ready.push(self.running);
        self.next_side(steps);
        true
    }

    /// The first side that is ready runs, with all others at the same instruction.
    fn next_side(&mut self, steps: u64) {
        self.running = self.ready.remove(0);
        let Some(turns) = &mut self.turns else { return };
        let running = &mut self.running;
        for other in self.ready.extract_if(.., |other| other.at == running.at) {
            assert_eq!(other.group, running.group);
            running.mask |= other.mask;
            turns.shared = FIRST_TURN;
        }
        let turn = if self.ready.is_empty() { turns.turn } else { turns.shared };
        turns.limit = turns.end.min(steps + turn);
        if running.mask == turns.full {
            (turns.limit, running.group) = (turns.end, turns.group);
        }
    }

    /// The instruction at which the running lanes reconverge with others.
    pub(crate) fn reconverge_at(&self) -> u32 {
        self.running.group.map_or(u32::MAX, |g| self.groups[g].reconverge_at)
    }

    /// Puts the running lanes in a group with lanes that never arrive.
    pub(crate) fn meet_others(&mut self, reconverge_at: u32) {
        let expected = u64::from(self.running.mask) | ANOTHER;
        self.enter(Group { reconverge_at, expected, arrived: 0, parent: self.running.group });
    }

    fn enter(&mut self, group: Group) {
        self.groups.push(group);
        self.running.group = Some(self.groups.len() - 1);
    }

    /// The running lanes arrive at their reconvergence point. Returns false if no lanes can run any
    /// more.
    fn arrive(&mut self, steps: u64) -> bool {
        let Some(g) = self.running.group else { return false };
        let group = &mut self.groups[g];
        group.arrived |= self.running.mask;
        if u64::from(group.arrived) == group.expected {
            (self.running.mask, self.running.group) = (group.arrived, group.parent);
            if let Some(turns) = self.turns.as_mut().filter(|of| of.full == self.running.mask) {
                turns.limit = turns.end;
            }
            return true;
        }
        if self.ready.is_empty() {
            return false;
        }
        self.next_side(steps);
        true
    }

    /// The running lanes diverge: some go to the first target, the others to the second.
    fn part(
        &mut self,
        region: &Region,
        taken: u32,
        (to, next): (Target, Target),
        reconverge_at: u32,
        steps: u64,
    ) {
        let ((to, to_number), (next, next_number)) = (target(region, to), target(region, next));
        let rest = self.running.mask & !taken;
        if let Some(turns) = self.turns.as_mut().filter(|of| of.full == self.running.mask) {
            turns.shared = FIRST_TURN;
        }
        if self.reconverge_at() != reconverge_at {
            let (expected, parent) = (self.running.mask.into(), self.running.group);
            self.enter(Group { reconverge_at, expected, arrived: 0, parent });
        }
        let arrived = |all: &mut Self, lanes| {
            if let Some(g) = all.running.group {
                all.groups[g].arrived |= lanes;
            }
        };
        if to_number == reconverge_at {
            arrived(self, taken);
            (self.running.at, self.running.mask) = (next, rest);
        } else if next_number == reconverge_at {
            arrived(self, rest);
            (self.running.at, self.running.mask) = (to, taken);
        } else {
            self.ready.push(Split { at: to, mask: taken, ..self.running });
            (self.running.at, self.running.mask) = (next, rest);
        }
        if let Some(turns) = &mut self.turns {
            let turn = if self.ready.is_empty() { turns.turn } else { turns.shared };
            turns.limit = turns.limit.min(steps + turn);
        }
    }

    /// The running lanes execute a step, or other lanes get their turn. Returns false if no lanes
    /// can run.
    pub(crate) fn go(&mut self, world: &mut World, region: &Region, fixed: &Fixed) -> bool {
        if std::mem::take(&mut self.has_jumped_back) && self.turn_ends(world.steps) {
            return true;
        }
        let Next::At(b, i) = self.running.at else { return false };
        let block = &region.blocks[b];
        if i == 0 && block.joins && self.reconverge_at() == block.at {
            return self.arrive(world.steps);
        }
        let mask = self.running.mask;
        let next = world.go(region, fixed, (b, i), mask);
        if next != Next::Divides {
            self.running.at = next;
            self.has_jumped_back = i == block.steps.len() && self.is_before(b);
            return true;
        }
        let End::Branch { taken, to, next, counted, reconverge_at, .. } = block.end else {
            return false;
        };
        if reconverge_at == u32::MAX {
            return false;
        }
        let taken = match taken {
            Predicate::If(p) => world.predicates[p as usize],
            Predicate::Unless(p) => !world.predicates[p as usize],
            _ => return false,
        } & mask;
        world.steps += u64::from(counted);
        world.threads += u64::from(counted) * u64::from(taken.count_ones());
        self.part(region, taken, (to, next), reconverge_at, world.steps);
        self.has_jumped_back = self.is_before(b);
        true
    }

    /// Takes over the state in which compiled code has exited.
    pub(crate) fn leave(
        &mut self,
        region: &Region,
        left: Exit,
        at: Next,
        diverged: &DivergedLanes,
    ) {
        let (outer, own) = diverged.groups.split_first().expect("the one of this warp");
        if let Some(g) = self.running.group {
            self.groups[g].arrived |= outer.arrived;
        } else {
            assert_eq!(outer.arrived, 0);
        }
        let mut numbers = vec![self.running.group];
        for group in own {
            assert!(group.arrived == 0 || group.since <= left.steps, "{group:?}");
            let (reconverge_at, expected, arrived) =
                (group.reconverge_at, group.expected.into(), group.arrived);
            let parent = numbers[group.parent as usize];
            self.enter(Group { reconverge_at, expected, arrived, parent });
            numbers.push(self.running.group);
        }
        self.running.group = numbers[diverged.innermost];
        for &Side { at: number, mask, group, .. } in &diverged.pending {
            let block = region.blocks.iter().position(|block| block.at == number);
            let at = Next::At(block.expect("a block"), 0);
            self.ready.push(Split { at, mask, group: numbers[group as usize] });
        }
        (self.running.at, self.running.mask) = (at, left.mask);
    }

    /// The groups that enclose lanes, starting with the innermost.
    fn chain(&self, mut group: Option<usize>) -> Vec<(u32, u64, u32)> {
        let mut chain = Vec::new();
        while let Some(g) = group {
            let Group { reconverge_at, expected, arrived, parent } = self.groups[g];
            chain.push((reconverge_at, expected, arrived));
            group = parent;
        }
        chain
    }

    /// The instruction before which a lane runs or waits; `None` if the lane does not belong to the
    /// warp.
    pub(crate) fn place(&self, lane: usize) -> Option<Next> {
        let has = |mask: u32| mask >> lane & 1 != 0;
        let splits = [&self.running].into_iter().chain(&self.ready);
        splits.clone().find(|split| has(split.mask)).map(|split| split.at).or_else(|| {
            let waits = splits.flat_map(|split| self.chain(split.group));
            waits.filter(|group| has(group.2)).map(|group| Next::Out(group.0)).next()
        })
    }

    /// The state of all lanes as text.
    pub(crate) fn standing(&self) -> String {
        let ready = self.ready.iter().map(|s| (s.at, s.mask, self.chain(s.group)));
        let ready: Vec<_> = ready.collect();
        format!("{:#x} in {:?}, {ready:?}", self.running.mask, self.chain(self.running.group))
    }
}
