//! One instruction with one texture and sampler (a site): adds its fetches to the statistics.

use super::measure::{Frame, measure};
use super::measured::FootprintPosition;
use super::sums::Sums;
use super::{Reporter, each, inexact};
use crate::end::{Lane, Spot};
use crate::rules;
use std::sync::Arc;
use texunit_simt::observe::{At, ExecutedFetch};
use texunit_unit::{FetchOperands, FetchPlan};

/// A site: an instruction with a texture and a sampler, as one worker thread executes it.
pub(super) struct Site {
    /// The plan keeps the texture alive, because the texture's address is a part of the site's key.
    pub(super) plan: Arc<FetchPlan>,
    frame: Frame,
    table: Option<inexact::Table>,
    /// By warp and lane: the number of footprints in each position, for threads of the current CTA.
    /// They count when the CTA ends, because a thread whose surface stores are all dropped does not
    /// use its fetches.
    waiting: Option<Vec<[[u64; 3]; 32]>>,
    /// How often the worker thread has executed the instruction.
    executed: u64,
    pub(super) sums: Sums,
}

impl Site {
    /// Makes the site of a fetch instruction `op`, whose findings are reported at the operation of
    /// `at`. If `waits`, threads may store to surfaces, and fetches count only at the end of the
    /// CTA.
    pub(super) fn new(
        reporter: &Reporter<'_>,
        (at, op): (&At, u32),
        fetch: &ExecutedFetch<'_>,
        waits: bool,
    ) -> Self {
        let plan = fetch.plan;
        let form = plan.form();
        let spot = Spot::new(at, at.lanes.trailing_zeros() & 31, reporter.block);
        let mut sums = Sums::new(plan, spot);
        sums.types(form, plan.texture(), spot);
        sums.channels(reporter, op, form, plan.texture(), spot);
        let table = inexact::Table::of(plan);
        let waiting = waits.then(Vec::new);
        let frame = Frame::of(plan);
        Self { plan: Arc::new(plan.clone()), frame, table, waiting, executed: 0, sums }
    }

    /// Adds a warp's fetches to the statistics.
    pub(super) fn fetched(&mut self, reporter: &Reporter<'_>, at: &At, fetch: &ExecutedFetch<'_>) {
        debug_assert!(Arc::ptr_eq(self.plan.texture(), fetch.plan.texture()));
        self.sums.executed(at.lanes.count_ones().into());
        let mut waiting = self.waiting.as_mut().map(|all| {
            let warp = at.warp as usize;
            all.resize(all.len().max(warp + 1), [[0; 3]; 32]);
            &mut all[warp]
        });
        self.executed = self.executed.saturating_add(1);
        let resource = &self.plan.texture().resource;
        let layers = resource.layers_found();
        let coords = &fetch.request.coords;
        let layer = |lane: u32| coords.layer[lane as usize];
        let is_plain = self.frame.is_plain()
            && (!resource.geometry().is_array() || each(at.lanes).all(|l| layer(l) < layers));
        let axes = self.plan.form().geometry.axes();
        let compared = inexact::compared(self.executed, at.lanes);
        let usual = match is_plain {
            true => self.frame.usual(&mut self.sums.measured, &coords.point, at.lanes),
            false => 0,
        };
        match &mut waiting {
            Some(lanes) => each(usual).for_each(|l| lanes[l as usize][0] += 1),
            None => self.sums.measured.judged += u64::from(usual.count_ones()),
        }
        for lane in each(at.lanes & !usual) {
            let who = Lane { at, lane, block: reporter.block };
            let operands = || fetch.request.lane(lane as usize);
            let raw = coords.point.map(|row| f32::from_bits(row[lane as usize]));
            let of = (&*self.plan, &operands as &dyn Fn() -> FetchOperands);
            let lies = match is_plain && !raw[..axes].iter().any(|c| c.is_nan()) {
                true => Some(self.frame.place(&mut self.sums, (raw, [0; 3]), of, who)),
                false => measure(&mut self.sums, &self.frame, (&self.plan, &operands()), who),
            };
            match (lies, &mut waiting) {
                (Some(lies), Some(lanes)) => lanes[lane as usize][lies as usize] += 1,
                (Some(lies), None) => self.sums.measured.lies(lies, 1, who),
                (None, _) => {}
            }
        }
        if let Some(table) = &mut self.table {
            for lane in each(compared) {
                let who = Lane { at, lane, block: reporter.block };
                let lane = lane as usize;
                table.compare(&fetch.request.lane(lane), (fetch.answer, lane), who);
            }
            if let Some((spot, message, count)) = table.take() {
                self.sums.hit(rules::TEXTURE_INEXACT, spot, message, count);
            }
        }
    }

    /// At the end of a CTA, counts the fetches of its threads. `dropped` has, for each warp, the
    /// lanes whose surface stores were all dropped; their fetches do not count.
    pub(super) fn cta_ends(&mut self, cta: [u32; 3], block: [u32; 3], dropped: &[u32]) {
        use FootprintPosition::{InBorder, Inside, Outside};
        let mut waiting = self.waiting.take();
        for (warp, lanes) in (0..).zip(waiting.iter().flatten()) {
            let gone = dropped.get(warp as usize).copied().unwrap_or(0);
            let at = At { cta, warp, lanes: !gone, op: self.sums.first.op };
            for lane in each(at.lanes) {
                let who = Lane { at: &at, lane, block };
                for (lies, count) in
                    [Inside, InBorder, Outside].into_iter().zip(lanes[lane as usize])
                {
                    self.sums.measured.lies(lies, count, who);
                }
            }
        }
        waiting.iter_mut().for_each(Vec::clear);
        self.waiting = waiting;
    }
}
