//! A round of turns of the warps of a CTA that can be left in the middle: what `exec::turns` does without compiled code.

use super::super::context::Context;
use super::super::counters::Executed;
use super::super::step::Resume;
use super::super::turns::is_ready;
use super::super::warp::Warp;
use crate::stats::Fault;

/// How far a round has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    has_begun: bool,
    /// The next warp.
    next: usize,
    /// How the turn of that one goes on.
    pub(super) resume: Option<Resume>,
    /// Whether something has been done that counts as progress.
    opened: bool,
    before: (Executed, u32),
}

/// What came of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CameOf {
    /// Stopped in the middle.
    Stopped,
    /// All warps have had their turns.
    Round,
    /// All threads have exited.
    Cta,
}

impl Context<'_> {
    /// The turn that was stopped just now.
    pub(super) fn take_stopped(&mut self) -> Option<Resume> {
        self.debug.as_mut()?.resume.take()
    }

    /// Goes on with a round.
    pub(super) fn round(
        &mut self,
        warps: &mut [Warp],
        round: &mut Round,
        budget: u64,
    ) -> Result<CameOf, Box<Fault>> {
        if !round.has_begun {
            let before = (self.counters.executed, self.cta.live);
            *round = Round { has_begun: true, before, ..Round::default() };
            self.ask_unit(warps)?;
        }
        while round.next < warps.len() {
            let i = round.next;
            let resume = round.resume.take();
            if resume.is_none() {
                warps[i].begin_turn(budget);
            }
            if resume.is_some() || is_ready(&warps[i]) {
                round.opened |= self.go(warps, i, resume, budget)?;
                if let Some(resume) = self.take_stopped() {
                    round.resume = Some(resume);
                    return Ok(CameOf::Stopped);
                }
            }
            round.next += 1;
        }
        round.has_begun = false;
        if self.cta.live == 0 {
            return Ok(CameOf::Cta);
        }
        let now = (self.counters.executed, self.cta.live);
        let progress = round.opened || self.cta.at_unit || round.before != now;
        if !progress && !self.open_barriers(warps) && !self.waits_for_cluster(warps) {
            if let Some(warp) = warps.iter_mut().find(|warp| !warp.splits.is_empty()) {
                let split = warp.splits.remove(0);
                self.keep_stopped(warp, split);
            }
            return Err(self.deadlock(warps));
        }
        Ok(CameOf::Round)
    }
}
