//! Attributes events inside functions of CUDA's headers to the user's line that called them.
//! Optimised code inlines these functions, so its line table names the caller; unoptimised code
//! calls them, so that without this module all fetches of a program would be reported at one line
//! of a header.
//!
//! Given the calls and returns of a CTA's lanes, it returns the event at the calling line.

use std::collections::HashMap;
use texunit_report::place::has_users_line;
use texunit_simt::observe::{At, CallEvent, Listing};

/// The call state of a CTA.
pub(crate) struct Callers<'a> {
    listing: Listing<'a>,
    /// For each operation, whether its source line is the user's, and not a line of CUDA's headers.
    is_users: HashMap<u32, bool>,
    /// For each warp, the operation by which each lane last left the user's lines.
    last: Vec<[u32; 32]>,
}

impl<'a> Callers<'a> {
    pub(crate) fn new(listing: Listing<'a>) -> Self {
        Self { listing, is_users: HashMap::new(), last: Vec::new() }
    }

    /// Resets the state when a CTA begins.
    pub(crate) fn clear(&mut self) {
        self.last.clear();
    }

    /// Records that lanes call a function.
    pub(crate) fn call(&mut self, at: &At, called: &CallEvent<'_>) {
        if !matches!(called, CallEvent::Enters { .. }) || !self.is_users(at.op) {
            return;
        }
        let warp = at.warp as usize;
        if self.last.len() <= warp {
            self.last.resize(warp + 1, [u32::MAX; 32]);
        }
        for lane in crate::lanes(at.lanes) {
            self.last[warp][lane as usize] = at.op;
        }
    }

    /// Returns the event, moved to the user's line that called the header's function.
    pub(crate) fn place(&mut self, at: &At) -> At {
        let lane = (at.lanes.trailing_zeros() & 31) as usize;
        let calls = self.last.get(at.warp as usize).map(|warp| warp[lane]);
        match calls.filter(|&op| op != u32::MAX) {
            Some(op) if !self.is_users(at.op) => At { op, ..*at },
            _ => *at,
        }
    }

    /// Whether an operation's source line is the user's, and not a line of CUDA's headers.
    pub(crate) fn is_users(&mut self, op: u32) -> bool {
        let listing = &self.listing;
        *self
            .is_users
            .entry(op)
            .or_insert_with(|| has_users_line(listing.sources(), listing.span(op)))
    }
}
