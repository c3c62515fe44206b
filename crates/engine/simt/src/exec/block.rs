//! The loop of the interpreter: runs splits that stand at the same place, one of a warp or several that run in
//! lockstep. Regions, arithmetic (by the inner loop), branches that divide none of them, usual accesses and fetches are
//! done here for all of them; anything else ends it, and is [`Context::step`]'s for each.

use super::context::Context;
use super::decoded::Ended;
use super::outcome::{Ran, Stopped};
use super::team::{Team, guarded};
use super::warp::lanes;
use crate::code::{NONE, Op, Place, Slot};
use texunit_alu::Kind;

impl Context<'_> {
    /// Runs splits as far as they need not be looked at one by one, and no further than the place `other`. `left`: they
    /// have left a region for the instruction at which they stand.
    pub(super) fn advance(&mut self, team: &mut Team<'_>, other: u32, mut left: bool) -> Stopped {
        let code = self.launch.code;
        while team.pc() != other {
            if !std::mem::take(&mut left)
                && let Some(stopped) = self.in_region(team)
            {
                return stopped;
            }
            let pc = team.pc();
            if pc == other {
                break;
            }
            let stopped = match code.decoded[pc as usize].kind {
                Kind::Leave => self.effect(team),
                Kind::Branch => self.branch(team),
                Kind::Join if team.splits[team.first()].group == NONE => {
                    lanes(team.on).for_each(|i| team.splits[i].pc += 1);
                    None
                }
                Kind::Count => {
                    let Op::Count { counter, of } = code.insts[pc as usize].op else {
                        return Stopped::Stands;
                    };
                    for i in lanes(team.on) {
                        let split = &mut team.splits[i];
                        self.count_lanes(&team.warps[i], (counter, of), split.mask);
                        split.pc += 1;
                    }
                    None
                }
                _ => self.arithmetic(team),
            };
            if let Some(stopped) = stopped {
                return stopped;
            }
        }
        Stopped::Apart(0)
    }

    /// Runs the region that can be entered where they stand, if there is one: the interpreter goes on where they stand
    /// then, or the loop ends.
    #[inline]
    fn in_region(&mut self, team: &mut Team<'_>) -> Option<Stopped> {
        let Team { warps, splits, ends, on } = team;
        if let ([warp], [split], [end]) = (&mut **warps, &mut **splits, &mut **ends) {
            loop {
                match self.enter(warp, split, end) {
                    Ran::Nothing | Ran::Stands => return None,
                    Ran::Outside if warp.steps < *end => self.arrives(warp, split),
                    Ran::Outside | Ran::Over => return Some(Stopped::Over),
                }
            }
        }
        if !self.is_door(splits[on.trailing_zeros() as usize].pc) {
            return None;
        }
        let ends = ends.first_chunk()?;
        match self.enter_each(warps, splits, ends, *on) {
            Some(_) => None,
            None => Some(Stopped::Apart(team.divided())),
        }
    }

    /// A branch that divides none of them.
    fn branch(&mut self, team: &mut Team<'_>) -> Option<Stopped> {
        let pc = team.pc();
        let inst = &self.launch.code.insts[pc as usize];
        let Op::Branch { target, .. } = inst.op else { return Some(Stopped::Stands) };
        let (mut taken, mut divides) = (0_u32, 0_u32);
        for i in lanes(team.on) {
            let mask = guarded(&team.warps[i], &team.splits[i], inst);
            taken |= u32::from(mask == team.splits[i].mask) << i;
            divides |= u32::from(mask != 0 && mask != team.splits[i].mask) << i;
        }
        if divides == team.on {
            return Some(Stopped::Stands);
        }
        for (those, to, takes) in
            [(taken, target, true), (team.on & !taken & !divides, pc + 1, false)]
        {
            if those == 0 {
                continue;
            }
            self.move_to(team, those, (inst.count.into(), takes), to);
            if to <= pc {
                self.arrive(team.mode(), to, those.count_ones().into());
            }
        }
        if team.is_over() {
            return Some(Stopped::Over);
        }
        (divides != 0 || !team.is_at_one_place()).then_some(Stopped::Apart(divides))
    }

    /// What the inner loop does.
    fn arithmetic(&mut self, team: &mut Team<'_>) -> Option<Stopped> {
        let pc = team.pc();
        let (mut over, mut here) = (false, true);
        for i in lanes(team.on) {
            let (warp, split) = (&mut team.warps[i], &mut team.splits[i]);
            let ended = self.run_decoded(warp, split, team.ends[i]);
            here &= ended == Ended::Here && split.pc == pc;
            over |= ended == Ended::Over;
            if ended == Ended::Turned {
                self.arrives(warp, split);
            }
        }
        if over {
            Some(Stopped::Over)
        } else if here {
            Some(Stopped::Stands)
        } else {
            (!team.is_at_one_place()).then_some(Stopped::Apart(0))
        }
    }

    /// A usual access or fetch of all lanes of these warps.
    fn effect(&mut self, team: &mut Team<'_>) -> Option<Stopped> {
        let (on, pc) = (team.on, team.pc());
        let inst = &self.launch.code.insts[pc as usize];
        if inst.guard != Slot::TRUE || !team.is_converged() {
            return Some(Stopped::Stands);
        }
        // Those that cannot do it so.
        let mut not = 0;
        match &inst.op {
            Op::Fetch(fetch) => {
                if !self.fetch_lockstep(team.warps, on, fetch) {
                    not = on;
                }
            }
            // The inner loop has parameters, with the arithmetic behind them.
            Op::Load(access) if access.place != Place::KernelParam => {
                for i in lanes(on) {
                    let live = team.warps[i].live;
                    let done = self.load_stream(&mut team.warps[i], access, live);
                    not |= u32::from(!done) << i;
                    if done {
                        self.fill_missed(pc);
                    }
                }
            }
            Op::Store(access) => {
                for i in lanes(on) {
                    let live = team.warps[i].live;
                    let done = self.store_stream(&mut team.warps[i], access, live);
                    not |= u32::from(!done) << i;
                    if done {
                        self.fill_missed(pc);
                    }
                }
            }
            _ => not = on,
        }
        if not == on {
            return Some(Stopped::Stands);
        }
        self.move_to(team, on & !not, (inst.count.into(), true), pc + 1);
        (not != 0).then_some(Stopped::Apart(not))
    }

    /// Moves some behind an instruction, or to where it branches, and counts it: the warps', and of all their lanes if
    /// they take part.
    pub(super) fn move_to(
        &mut self,
        team: &mut Team<'_>,
        those: u32,
        (steps, all): (u64, bool),
        pc: u32,
    ) {
        for i in lanes(those) {
            let split = &mut team.splits[i];
            split.pc = pc;
            let lanes = if all { split.mask } else { 0 };
            self.counters.executed.count_lanes(&mut team.warps[i], steps, lanes);
        }
    }
}
