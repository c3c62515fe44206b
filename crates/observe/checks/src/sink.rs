//! Collects the findings of one launch from all worker threads that execute its CTAs.

use crate::end::{End, Spot};
use crate::lock;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use texunit_evidence::Counts;
use texunit_report::{CheckRule, Severity};
use texunit_simt::Described;
use texunit_syntax::Span;

/// Maximum number of different findings of a launch (by rule and operations). Beyond it, only the
/// number of occurrences is counted.
const MAX: usize = 10_000;

/// The second thread of a finding, for example that of the racing access.
#[derive(Clone, Debug)]
pub struct Other {
    /// What the second thread did, as a predicate: `stores it here`.
    pub what: String,
    /// The second thread and its operation.
    pub at: OtherAt,
}

/// The second thread and its operation.
#[derive(Clone, Debug)]
pub enum OtherAt {
    /// A thread of the same launch.
    Here(Spot),
    /// A thread of an earlier launch.
    Known(Box<End>),
}

/// A finding of a check in a launch. Its operations are not mapped to source lines yet.
#[derive(Clone, Debug)]
pub struct LaunchFinding {
    /// The kind of finding.
    pub rule: &'static CheckRule,
    /// The severity of the finding.
    pub severity: Severity,
    /// A sentence that says what is wrong, without the full stop.
    pub message: String,
    /// The thread that caused the finding, and its operation.
    pub at: Spot,
    /// The second thread of the finding, if there is one.
    pub other: Option<Other>,
    /// The description of the variable or allocation that the finding is about.
    pub object: Option<Described>,
    /// Further remarks, one per line.
    pub notes: Vec<String>,
    /// How often the finding occurred.
    pub count: u64,
}

impl LaunchFinding {
    /// A finding that occurred once and has no second thread.
    pub fn new(rule: &'static CheckRule, at: Spot, message: String) -> Self {
        let (severity, notes) = (rule.severity, Vec::new());
        Self { rule, severity, message, at, other: None, object: None, notes, count: 1 }
    }

    /// Adds the occurrences of a finding with the same rule and operations. The finding of the
    /// lower CTA is kept.
    pub(crate) fn add(&mut self, other: Self) {
        let count = self.count.saturating_add(other.count);
        let severity = self.severity.max(other.severity);
        if other.at.order() < self.at.order() {
            *self = other;
        }
        (self.count, self.severity) = (count, severity);
    }

    fn key(&self) -> Key {
        let other = self.other.as_ref().map(|other| match &other.at {
            OtherAt::Here(spot) => OtherEnd::Here(spot.op),
            OtherAt::Known(end) => OtherEnd::Known(end.place.ptx.file.clone(), end.span),
        });
        Key { op: self.at.op, code: self.rule.code, other }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key {
    op: u32,
    code: &'static str,
    other: Option<OtherEnd>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum OtherEnd {
    Here(u32),
    Known(String, Span),
}

/// Collects the findings of a launch from all worker threads, grouped by rule and operations with
/// counts.
#[derive(Debug, Default)]
pub struct Sink {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    found: HashMap<Key, LaunchFinding>,
    /// The codes of the rules among the collected findings.
    kinds: HashSet<&'static str>,
    /// Counts of the occurrences beyond the maximum number of different findings.
    more: Counts,
}

impl Sink {
    /// Adds a finding. Findings with the same rule and operations are counted, and the finding of
    /// the lowest CTA is kept. At least one finding of each rule is kept, even if the maximum
    /// number is reached.
    pub fn found(&self, found: LaunchFinding) {
        let state = &mut *lock(&self.state);
        let is_new = state.kinds.insert(found.rule.code);
        let is_full = state.found.len() >= MAX && !is_new;
        match state.found.entry(found.key()) {
            Entry::Occupied(mut kept) => kept.get_mut().add(found),
            Entry::Vacant(_) if is_full => state.more.add(found.severity, found.count),
            Entry::Vacant(place) => drop(place.insert(found)),
        }
    }

    /// Counts another occurrence of a finding with this rule and these operations. Returns false if
    /// the finding is new, or was found only in a later CTA. The caller then has to describe the
    /// finding, which is slow.
    pub fn count_repeat(
        &self,
        rule: &CheckRule,
        at: &Spot,
        other: Option<u32>,
        count: u64,
    ) -> bool {
        let (code, other) = (rule.code, other.map(OtherEnd::Here));
        let state = &mut *lock(&self.state);
        match state.found.get_mut(&Key { op: at.op, code, other }) {
            Some(kept) if kept.at.order() <= at.order() => {
                kept.count = kept.count.saturating_add(count);
                true
            }
            _ => false,
        }
    }

    /// Returns the findings, ordered by CTA and operations, the same in every run, and the counts
    /// of the findings that were not kept.
    pub(crate) fn take(&self) -> (Vec<LaunchFinding>, Counts) {
        let state = std::mem::take(&mut *lock(&self.state));
        let mut found: Vec<(Key, LaunchFinding)> = state.found.into_iter().collect();
        found.sort_by(|(a, first), (b, second)| {
            first.at.order().cmp(&second.at.order()).then_with(|| a.cmp(b))
        });
        (found.into_iter().map(|(_, finding)| finding).collect(), state.more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_at_one_operation_are_ordered_by_the_other() {
        let spot = |op| Spot { cta: [0; 3], thread: [0; 3], op };
        let sink = Sink::default();
        for op in [7, 3, 9, 1, 8, 2] {
            let other = Other { what: "is stored here".to_owned(), at: OtherAt::Here(spot(op)) };
            let rule = texunit_report::rules::RACE_WRITE_AFTER_WRITE;
            let finding = LaunchFinding::new(rule, spot(5), "race".to_owned());
            sink.found(LaunchFinding { other: Some(other), ..finding });
        }
        let (found, _) = sink.take();
        let others = found.iter().map(|finding| finding.key().other);
        let expected = [1, 2, 3, 7, 8, 9].map(|op| Some(OtherEnd::Here(op)));
        assert_eq!(others.collect::<Vec<_>>(), expected);
    }
}
