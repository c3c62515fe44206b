//! Liveness and next uses of registers, which decide which values the register cache keeps. The
//! analysis is given one block and the dense numbers of registers, and returns its [`Uses`].

use super::affine::Plan;
use crate::ir::{Block, End, Region, Step};
use crate::operand::VReg;
use texunit_flow::Set;

/// Dense numbers for all registers that a region uses.
#[derive(Clone, Debug, Default)]
pub(super) struct Numbers {
    narrow: usize,
    wide: usize,
    all: usize,
}

/// What is known of a register after a step that reads or writes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NextUse {
    pub(super) vreg: VReg,
    /// The next step of the block that reads or writes the register.
    pub(super) next: u32,
    /// Whether the register is live.
    pub(super) lives: bool,
}

/// Reads and writes of registers in a block.
#[derive(Debug)]
pub(super) struct Uses {
    /// For each step, whether it only writes dead registers, so that it can be dropped.
    pub(super) is_dead: Vec<bool>,
    /// For each step, the registers that it reads or writes.
    pub(super) after: Vec<Vec<NextUse>>,
    /// The registers that the block reads or writes, each with the first step that does, and the
    /// number of steps that do.
    pub(super) first: Vec<(VReg, u32, u32)>,
    /// Registers that are live at the beginning of the block.
    pub(super) live_in: Set,
}

/// A step number that means "never".
pub(super) const NEVER: u32 = u32::MAX;

impl Numbers {
    pub(super) fn of(region: &Region) -> Self {
        let mut most = [0; 3];
        let mut see = |vreg| {
            let (kind, i) = match vreg {
                VReg::B32(i) => (0, i),
                VReg::B64(i) => (1, i),
                VReg::Predicate(i) => (2, i),
            };
            most[kind] = most[kind].max(i as usize + 1);
        };
        for block in &region.blocks {
            block.steps.iter().for_each(|step| step.each_vreg(&mut see));
            if let End::Branch { taken, .. } = block.end {
                taken.vreg().into_iter().for_each(&mut see);
            }
        }
        Self { narrow: most[0], wide: most[1], all: most.iter().sum() }
    }

    /// The number of a register; `None` if the region does not use it.
    pub(super) fn get(&self, vreg: VReg) -> Option<usize> {
        let (i, from, end) = match vreg {
            VReg::B32(i) => (i, 0, self.narrow),
            VReg::B64(i) => (i, self.narrow, self.narrow + self.wide),
            VReg::Predicate(i) => (i, self.narrow + self.wide, self.all),
        };
        let number = from + i as usize;
        (number < end).then_some(number)
    }

    pub(super) fn len(&self) -> usize {
        self.all
    }
}

impl Uses {
    pub(super) fn of(
        block: &Block,
        numbers: &Numbers,
        plan: &Plan,
        scratch: &mut Vec<(u32, u32)>,
    ) -> Self {
        let n = block.steps.len();
        let mut live = Set::new(numbers.len());
        block.kept.iter().filter_map(|&p| numbers.get(p)).for_each(|i| live.insert(i));
        // For each register, the next step that reads or writes it, and the number of such steps.
        scratch.clear();
        scratch.resize(numbers.len(), (NEVER, 0));
        if let End::Branch { taken, .. } = block.end
            && let Some(i) = taken.vreg().and_then(|p| numbers.get(p))
        {
            live.insert(i);
            scratch[i] = (n as u32, 1);
        }
        let mut uses = Self {
            is_dead: vec![false; n],
            after: Vec::with_capacity(n),
            first: Vec::new(),
            live_in: Set::default(),
        };
        let (mut reads, mut writes, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (i, step) in block.steps.iter().enumerate().rev() {
            reads.clear();
            writes.clear();
            let number = |p: VReg| numbers.get(p).map(|i| (i, p));
            step.each_written(&mut |p| writes.extend(number(p)));
            let does_more = step.may_exit() || step.has_effects();
            uses.is_dead[i] = !does_more && writes.iter().all(|p| !live.has(p.0));
            let known = plan.get(i);
            uses.is_dead[i] |= known.is_some_and(|known| known.is_deferred);
            if !uses.is_dead[i] {
                step.each_read(&mut |p| reads.extend(number(p)));
            }
            if let Some(known) = known {
                let is_deferred = |p: VReg| known.deferred.iter().any(|l| l.vreg == p);
                reads.retain(|&(_, p)| known.base.is_none() || !is_deferred(p));
                let values = known.deferred.iter().map(|deferred| deferred.value);
                let indices = values.chain(known.base).map(|value| VReg::B32(value.index));
                reads.extend(indices.filter_map(number));
            }
            reads.extend(step.guard.vreg().and_then(number));
            if step.may_exit() {
                each_read_before(&block.steps[..i], step.at, |p| reads.extend(number(p)));
            }
            all.clear();
            all.extend(writes.iter().chain(&reads).copied());
            all.sort_unstable();
            all.dedup();
            let after = all.iter().map(|&(i, vreg)| NextUse {
                vreg,
                next: scratch[i].0,
                lives: live.has(i),
            });
            uses.after.push(after.collect());
            for &(number, _) in &all {
                scratch[number] = (i as u32, scratch[number].1 + 1);
            }
            writes.iter().for_each(|p| live.remove(p.0));
            reads.iter().for_each(|p| live.insert(p.0));
        }
        uses.after.reverse();
        let mut seen = Set::new(numbers.len());
        let mut first = |vreg: VReg| {
            let Some(i) = numbers.get(vreg) else { return };
            if !seen.has(i) {
                seen.insert(i);
                uses.first.push((vreg, scratch[i].0, scratch[i].1));
            }
        };
        block.steps.iter().for_each(|step| step.each_vreg(&mut first));
        if let End::Branch { taken, .. } = block.end {
            taken.vreg().into_iter().for_each(&mut first);
        }
        // In code for some lanes, registers that are deferred in other code have their values.
        let deferred = plan.start.iter().filter_map(|deferred| numbers.get(deferred.vreg));
        deferred.for_each(|i| live.insert(i));
        uses.live_in = live;
        uses
    }
}

/// Calls `f` with the registers that earlier steps of the same instruction have read. After an exit
/// the interpreter executes the whole instruction, and reads them again. Registers that the
/// instruction itself has written are temporaries, and are left out.
fn each_read_before(steps: &[Step], at: u32, mut f: impl FnMut(VReg)) {
    let first = steps.iter().rposition(|step| step.at != at).map_or(0, |i| i + 1);
    let mut own = Vec::new();
    for step in &steps[first..] {
        step.each_read(&mut |p| {
            if !own.contains(&p) {
                f(p)
            }
        });
        step.each_written(&mut |p| own.push(p));
    }
}
