//! Whose line it is that calls a function of CUDA's headers, or one without lines. Optimised code has these functions
//! inlined, and their places say where; code that is not optimised calls them, so that all fetches of a program are at one
//! line of a header.

use std::collections::HashMap;
use texunit_report::place::has_users_line;
use texunit_simt::observe::{At, CallEvent, Listing};

/// The calls of a CTA.
pub(crate) struct Callers<'a> {
    listing: Listing<'a>,
    /// Whether an operation is in a line of the user's.
    is_users: HashMap<u32, bool>,
    /// By warp, the operation by which each lane has left the user's lines last.
    last: Vec<[u32; 32]>,
}

impl<'a> Callers<'a> {
    pub(crate) fn new(listing: Listing<'a>) -> Self {
        Self { listing, is_users: HashMap::new(), last: Vec::new() }
    }

    /// A CTA begins.
    pub(crate) fn clear(&mut self) {
        self.last.clear();
    }

    /// Lanes call a function.
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

    /// The event, at the line of the user's.
    pub(crate) fn place(&mut self, at: &At) -> At {
        let lane = (at.lanes.trailing_zeros() & 31) as usize;
        let calls = self.last.get(at.warp as usize).map(|warp| warp[lane]);
        match calls.filter(|&op| op != u32::MAX) {
            Some(op) if !self.is_users(at.op) => At { op, ..*at },
            _ => *at,
        }
    }

    /// Whether an operation is in a line of the user's.
    pub(crate) fn is_users(&mut self, op: u32) -> bool {
        let listing = &self.listing;
        *self
            .is_users
            .entry(op)
            .or_insert_with(|| has_users_line(listing.sources(), listing.span(op)))
    }
}
