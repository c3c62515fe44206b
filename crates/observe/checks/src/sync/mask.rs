//! Check of the membermasks of `.sync` instructions such as `shfl.sync`.

use super::{Reporter, lanes_in_words, set};
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt};
use texunit_simt::observe::At;

/// For each warp and lane, the membermask of the `.sync` instruction at which the lane waits.
#[derive(Default)]
pub(super) struct Masks(Vec<[u32; 32]>);

impl Masks {
    pub(super) fn begin(&mut self, warps: u32) {
        self.0.clear();
        self.0.resize(warps as usize, [0; 32]);
    }

    /// Records the membermask of lanes that arrive at a `.sync` instruction.
    pub(super) fn join(&mut self, at: &At, members: u32) {
        if let Some(masks) = self.0.get_mut(at.warp as usize) {
            set(masks, at.lanes, members);
        }
    }

    /// Checks the lanes that continue together behind a `.sync` instruction: if the membermask
    /// names lanes that have exited, these are reported.
    pub(super) fn joined(&mut self, reporter: &Reporter<'_>, at: &At) {
        let warp = at.warp as usize;
        let (Some(masks), Some(lanes)) = (self.0.get(warp), reporter.threads.lanes.get(warp))
        else {
            return;
        };
        let first = at.lanes.trailing_zeros() & 31;
        let members = masks[first as usize];
        // A membermask may name lanes that an incomplete last warp never had; these are not
        // reported.
        let gone = members & lanes.all & !at.lanes & !lanes.live;
        if gone == 0 {
            return;
        }
        let spot = reporter.spot(at, first);
        let lane = gone.trailing_zeros();
        let exit = lanes.exits[lane as usize];
        if reporter.sink.count_repeat(rules::SYNC_MASK_EXITED, &spot, Some(exit), 1) {
            return;
        }
        let have = if gone.is_power_of_two() { "has" } else { "have" };
        let lanes = lanes_in_words(gone);
        let message = format!(
            "the membermask {members:#010x} names {lanes} of warp {warp}, which {have} exited"
        );
        let left = reporter.spot(&At { op: exit, ..*at }, lane);
        let other = Other { what: "exits here".to_owned(), at: OtherAt::Here(left) };
        let found = LaunchFinding::new(rules::SYNC_MASK_EXITED, spot, message);
        reporter.sink.found(LaunchFinding { other: Some(other), ..found });
    }
}
