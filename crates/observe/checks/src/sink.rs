//! What the checks of a launch have found.

use crate::finding::End;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_evidence::Counts;
use texunit_report::{CheckRule, Severity};
use texunit_simt::Described;
use texunit_simt::observe::At;
use texunit_syntax::Span;

/// Places of one launch at which something is found; what is found at others is counted.
const MAX: usize = 10_000;

/// A thread at an operation of the launch's code (`texunit_simt::observe::Listing`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// %ctaid
    pub cta: [u32; 3],
    /// %tid
    pub thread: [u32; 3],
    /// Number of the operation.
    pub op: u32,
}

impl Spot {
    /// A lane of an event, in a CTA of this shape.
    pub fn new(at: &At, lane: u32, block: [u32; 3]) -> Self {
        Self { cta: at.cta, thread: at.thread(lane, block), op: at.op }
    }
}

/// A lane of an event, which is a thread once somebody asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane<'a> {
    /// The event.
    pub(crate) at: &'a At,
    /// Its number in the warp.
    pub(crate) lane: u32,
    /// The shape of the CTA.
    pub(crate) block: [u32; 3],
}

impl Lane<'_> {
    /// The thread.
    pub(crate) fn spot(&self) -> Spot {
        Spot::new(self.at, self.lane, self.block)
    }
}

/// The other end of what is found.
#[derive(Clone, Debug)]
pub struct Other {
    /// What is there, in words that follow a place: `stores it here`.
    pub what: String,
    /// Where.
    pub at: OtherAt,
}

/// Where the other end is.
#[derive(Clone, Debug)]
pub enum OtherAt {
    /// In this launch.
    Here(Spot),
    /// In a launch before, or kept from one.
    Known(Box<End>),
}

/// Something that a check has found.
#[derive(Clone, Debug)]
pub struct Found {
    /// What kind.
    pub rule: &'static CheckRule,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a final stop.
    pub message: String,
    /// Who, and where.
    pub at: Spot,
    /// The other end, if there is one.
    pub other: Option<Other>,
    /// The variable or allocation, in words.
    pub object: Option<Described>,
    /// What else is known, a line each.
    pub notes: Vec<String>,
    /// How often.
    pub count: u64,
}

impl Found {
    /// Once, without another end.
    pub fn new(rule: &'static CheckRule, at: Spot, message: String) -> Self {
        let (severity, notes) = (rule.severity, Vec::new());
        Self { rule, severity, message, at, other: None, object: None, notes, count: 1 }
    }

    fn key(&self) -> Key {
        let other = self.other.as_ref().map(|other| match &other.at {
            OtherAt::Here(spot) => OtherEnd::Here(spot.op),
            OtherAt::Known(end) => OtherEnd::Known(end.place.ptx.file.clone(), end.span),
        });
        Key { code: self.rule.code.code, op: self.at.op, other }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    code: &'static str,
    op: u32,
    other: Option<OtherEnd>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum OtherEnd {
    Here(u32),
    Known(String, Span),
}

/// Takes what the checks of a launch find, from all of its workers: once for each place and other end, with a count.
#[derive(Debug, Default)]
pub struct Sink {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    found: HashMap<Key, Found>,
    /// The kinds among these.
    kinds: HashSet<&'static str>,
    /// How often something was found at places beyond the limit.
    more: Counts,
}

impl Sink {
    /// Nothing, yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what is found. Of what is found at one place more than once, the first of the lowest CTA is kept, and all
    /// are counted. Of each kind something is kept, however much there is of others.
    pub fn found(&self, found: Found) {
        let state = &mut *self.state();
        let is_new = state.kinds.insert(found.rule.code.code);
        let is_full = state.found.len() >= MAX && !is_new;
        match state.found.entry(found.key()) {
            Entry::Occupied(mut kept) => {
                let kept = kept.get_mut();
                let count = kept.count.saturating_add(found.count);
                let severity = kept.severity.max(found.severity);
                if order(&found) < order(kept) {
                    *kept = found;
                }
                (kept.count, kept.severity) = (count, severity);
            }
            Entry::Vacant(_) if is_full => state.more.add(found.severity, found.count),
            Entry::Vacant(place) => drop(place.insert(found)),
        }
    }

    /// Counts what is found once more at a place of this launch, if it is known there with this other end and of a CTA
    /// that is not behind this one: then nobody has to put it into words again.
    pub fn again(&self, rule: &CheckRule, at: &Spot, other: Option<u32>, count: u64) -> bool {
        let (code, other) = (rule.code.code, other.map(OtherEnd::Here));
        let state = &mut *self.state();
        match state.found.get_mut(&Key { code, op: at.op, other }) {
            Some(kept) if cta(&kept.at) <= cta(at) => {
                kept.count = kept.count.saturating_add(count);
                true
            }
            _ => false,
        }
    }

    /// The findings, ordered by CTA and by place in the CTA, and the counts of findings that were not kept.
    pub(crate) fn take(&self) -> (Vec<Found>, Counts) {
        let state = std::mem::take(&mut *self.state());
        let mut found: Vec<Found> = state.found.into_values().collect();
        found.sort_by_key(|found| (order(found), found.at.op, found.rule.code.code));
        (found, state.more)
    }
}

/// By the grid's order of CTAs.
fn cta(at: &Spot) -> [u32; 3] {
    let [x, y, z] = at.cta;
    [z, y, x]
}

/// Who comes first where several tell the same.
fn order(found: &Found) -> [u32; 3] {
    cta(&found.at)
}
