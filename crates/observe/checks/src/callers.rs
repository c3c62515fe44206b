//! Attributes events inside functions of CUDA's headers to the user's line that called the
//! function. The line table of optimised code names the caller, because the functions are inlined.
//! Unoptimised code calls the functions, so that without this module all fetches of a program would
//! be reported at one line of a header.
//!
//! The module is given the call events of a CTA's lanes. For an event inside a header's function it
//! returns the event at the calling line.

use std::collections::HashMap;
use texunit_report::place::has_users_line;
use texunit_simt::observe::{At, CallEvent, Listing};

/// For each lane of a CTA, the line of the user's code from which the lane called a function.
pub(crate) struct Callers<'a> {
    listing: Listing<'a>,
    /// For each operation, whether its source line belongs to the user's files, and not to CUDA's
    /// headers.
    is_users: HashMap<u32, bool>,
    /// For each warp, the call operation by which each lane last left the user's files; `u32::MAX`
    /// if the lane has not called yet.
    last: Vec<[u32; 32]>,
}

impl<'a> Callers<'a> {
    pub(crate) fn new(listing: Listing<'a>) -> Self {
        Self { listing, is_users: HashMap::new(), last: Vec::new() }
    }

    /// Forgets all calls when a CTA begins.
    pub(crate) fn clear(&mut self) {
        self.last.clear();
    }

    /// Records the lanes of a call as callers, if the call is on a line of the user's files.
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

    /// Returns the event. An event inside a header's function gets the operation of the user's line
    /// that called the function.
    pub(crate) fn place(&mut self, at: &At) -> At {
        let lane = (at.lanes.trailing_zeros() & 31) as usize;
        let calls = self.last.get(at.warp as usize).map(|warp| warp[lane]);
        match calls.filter(|&op| op != u32::MAX) {
            Some(op) if !self.is_users(at.op) => At { op, ..*at },
            _ => *at,
        }
    }

    /// Whether an operation's source line belongs to the user's files, and not to CUDA's headers.
    pub(crate) fn is_users(&mut self, op: u32) -> bool {
        let listing = &self.listing;
        *self
            .is_users
            .entry(op)
            .or_insert_with(|| has_users_line(listing.sources(), listing.span(op)))
    }
}
