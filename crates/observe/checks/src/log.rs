//! The findings of all launches of a process. The log receives each launch's findings, groups,
//! counts, suppresses and limits them, and returns the findings that are to be printed.

use crate::check::{Check, Checks};
use crate::finding::{Finding, Key};
use crate::init::{InitWhen, StoredOrigins};
use crate::leak::{self, Heap};
use crate::lock;
use crate::pattern::Pattern;
use crate::race;
use crate::suppress::Suppressions;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use texunit_evidence::Counts;
use texunit_report::place::function_name;
use texunit_report::{Host, Severity};
use texunit_simt::LaunchStats;
use texunit_syntax::{SourceFile, Span};

/// Maximum number of groups of findings in a log, and of PTX instructions counted for the groups.
const MAX_KEPT: usize = 100_000;

/// Settings of a log, which are options of the command line.
#[derive(Debug)]
pub struct Options {
    /// The enabled checks.
    pub checks: Checks,
    /// Whether the check `init` reports each load of undefined data, or only uses that matter.
    pub init: InitWhen,
    /// Maximum number of reported findings. The first finding of each rule is always reported;
    /// further findings are only counted. `Some(0)` reports nothing, `None` everything.
    pub max_findings: Option<u64>,
    /// Minimum severity that makes a launch fail.
    pub fail_on: Severity,
    /// Names of the checked kernels, in the PTX or in the source; empty if all kernels are checked.
    pub kernels: Vec<Pattern>,
    /// The suppressions, which select findings that are not reported.
    pub suppressions: Suppressions,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            checks: Checks::NONE,
            init: InitWhen::default(),
            max_findings: None,
            fail_on: Severity::Warning,
            kernels: Vec::new(),
            suppressions: Suppressions::default(),
        }
    }
}

impl Options {
    /// Whether launches of a kernel are checked.
    pub(crate) fn has_kernel(&self, name: &str) -> bool {
        let is = |pattern: &Pattern| pattern.matches(name) || pattern.matches(&function_name(name));
        self.kernels.is_empty() || self.kernels.iter().any(is)
    }
}

/// A finding that has to be reported.
#[derive(Clone, Debug)]
pub struct NewFinding {
    /// The finding's number in the process, from 1.
    pub number: u64,
    /// Whether the finding is reported for the first time. Otherwise it was reported before, and
    /// its count has grown since.
    pub is_first: bool,
    /// The finding, with its count so far.
    pub finding: Finding,
}

/// The findings of a process, grouped by kind and lines, with counts.
#[derive(Debug, Default)]
pub struct Log {
    pub(crate) options: Options,
    launches: AtomicU64,
    /// The race check's state that outlives launches.
    pub(crate) race: race::Memory,
    /// For undefined bytes that kernels and copies stored in global memory, the origin of the
    /// bytes.
    pub(crate) moves: StoredOrigins,
    state: Mutex<State>,
    /// Device heap allocations that kernels made and did not free.
    pub(crate) heap: Mutex<Heap>,
}

#[derive(Debug, Default)]
struct State {
    groups: Vec<Group>,
    /// The index in `groups` by key.
    known: HashMap<Key, usize>,
    /// The PTX instructions that are counted for groups: group index, PTX file, and span in the
    /// PTX.
    places: HashSet<(usize, String, Span)>,
    /// The codes of the rules that were reported.
    kinds: HashSet<&'static str>,
    /// Number of reported groups.
    shown: u64,
    /// Counts of the occurrences that belong to no group, because the maximum number of groups was
    /// reached.
    more: Counts,
    /// Number of suppressed occurrences.
    suppressed: u64,
}

/// Findings with the same key.
#[derive(Debug)]
struct Group {
    finding: Finding,
    /// The group's number among the reported groups, from 1; `None` if the group is not reported.
    number: Option<u64>,
    /// The count with which the group was last reported; 0 if it was not reported yet.
    reported: u64,
}

impl Log {
    /// A log without findings.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Whether a check is enabled.
    pub fn has(&self, check: Check) -> bool {
        self.options.checks.has(check)
    }

    /// Reports the leaks of a CUDA context's device heap, when the context or the program ends.
    /// `is_told` is false if a kernel of the context ended with a fault: its allocations are no
    /// leaks.
    pub fn heap_ends(&self, context: u64, is_told: bool) {
        let heap: Heap = lock(&self.heap).extract_if(.., |_, block| block.is_of(context)).collect();
        if is_told {
            self.take(leak::findings(&heap), &Counts::default());
        }
    }

    /// Assigns the next number to a launch that begins.
    pub(crate) fn next_launch(&self) -> u64 {
        self.launches.fetch_add(1, Relaxed) + 1
    }

    /// The race check's vector clocks of launches and host, if the check is enabled.
    pub fn race(&self) -> Option<&race::Memory> {
        self.has(Check::Race).then_some(&self.race)
    }

    /// Adds the findings of a launch, and the counts of the findings that its sink has dropped.
    pub(crate) fn take(&self, found: Vec<Finding>, more: &Counts) {
        let state = &mut *lock(&self.state);
        state.more.add_all(more);
        for finding in found {
            state.take(&self.options, finding);
        }
    }

    /// Counts occurrences that suppressions have hidden.
    pub fn suppress(&self, count: u64) {
        let state = &mut *lock(&self.state);
        state.suppressed = state.suppressed.saturating_add(count);
    }

    /// Adds a finding that belongs to no launch.
    pub fn found(&self, finding: Finding) {
        self.take(vec![finding], &Counts::default());
    }

    /// Adds a finding for each fetch of a launch whose handle refers to no matching texture, even
    /// if no check is enabled.
    pub fn bad_fetches(&self, stats: &LaunchStats, source: &SourceFile, host: Host) {
        let number = self.launches.load(Relaxed).max(1);
        let found = &stats.bad_fetches;
        let finding = |fault| Finding::of_bad_fetch(fault, source, host, number);
        let more = Counts { errors: found.more, ..Counts::default() };
        self.take(found.faults.iter().map(finding).collect(), &more);
    }

    /// Describes the origin of undefined bytes of an allocation, if a kernel stored them there:
    /// `copied at a.cu:74 from ...`.
    pub fn moved(&self, address: u64, allocation: u64) -> Option<String> {
        self.moves.words(address, allocation)
    }

    /// Returns the reported findings that are new or occurred again since the last call of this
    /// function.
    pub fn news(&self) -> Vec<NewFinding> {
        let state = &mut *lock(&self.state);
        let mut news = Vec::new();
        for Group { finding, number, reported } in &mut state.groups {
            if let Some(number) = number.filter(|_| *reported != finding.count) {
                news.push(NewFinding {
                    number,
                    is_first: *reported == 0,
                    finding: finding.clone(),
                });
                *reported = finding.count;
            }
        }
        news
    }

    /// The reported findings, in the order of their first occurrence.
    pub fn findings(&self) -> Vec<Finding> {
        let state = lock(&self.state);
        let reported = state.groups.iter().filter(|group| group.number.is_some());
        reported.map(|group| group.finding.clone()).collect()
    }

    /// The findings of all groups, reported or not.
    pub fn all(&self) -> Vec<Finding> {
        lock(&self.state).groups.iter().map(|group| group.finding.clone()).collect()
    }

    /// Counts by severity of the findings that are not reported individually, because the maximum
    /// number was reached.
    pub fn more(&self) -> Counts {
        let state = lock(&self.state);
        let mut more = state.more.clone();
        let untold = state.groups.iter().filter(|group| group.number.is_none());
        untold.for_each(|group| more.add(group.finding.severity, 1));
        more
    }

    /// Number of suppressed occurrences.
    pub fn suppressed(&self) -> u64 {
        lock(&self.state).suppressed
    }

    /// Whether there is any finding that is not suppressed.
    pub fn has_findings(&self) -> bool {
        self.has_any(Severity::Note)
    }

    /// Whether a finding is severe enough for the option `--fail-on`, which makes a launch fail.
    pub fn fails(&self) -> bool {
        self.has_any(self.options.fail_on)
    }

    /// Whether there is a finding of at least this severity.
    fn has_any(&self, severity: Severity) -> bool {
        let state = lock(&self.state);
        let mut groups = state.groups.iter();
        groups.any(|group| group.finding.severity >= severity) || state.more.from(severity) > 0
    }

    /// Clears the log in a process after `fork`, because the parent process reports the findings so
    /// far.
    pub fn clear(&self) {
        *lock(&self.state) = State::default();
        lock(&self.heap).clear();
    }
}

impl State {
    fn take(&mut self, options: &Options, finding: Finding) {
        if options.suppressions.has(&finding) {
            self.suppressed = self.suppressed.saturating_add(finding.count);
            return;
        }
        let key = finding.key();
        let place = finding.at.as_ref().map(|at| (at.place.ptx.file.clone(), at.span));
        let index = self.known.get(&key).copied().unwrap_or(self.groups.len());
        let has_room = self.places.len() < MAX_KEPT;
        let is_new =
            place.is_some_and(|(file, span)| has_room && self.places.insert((index, file, span)));
        if let Some(Group { finding: known, reported, number }) = self.groups.get_mut(index) {
            let places = known.places + u64::from(is_new);
            known.join(finding, *reported > 0);
            known.places = places;
            if number.is_some() {
                self.kinds.extend(known.kinds().map(Finding::code));
            }
            return;
        }
        if self.groups.len() >= MAX_KEPT {
            return self.more.add(finding.severity, 1);
        }
        let most = options.max_findings.unwrap_or(u64::MAX);
        let is_shown = self.shown < most || most > 0 && !self.kinds.contains(finding.code());
        let number = is_shown.then_some(self.shown + 1);
        if is_shown {
            self.shown += 1;
            self.kinds.insert(finding.code());
        }
        self.known.insert(key, index);
        self.groups.push(Group { finding, number, reported: 0 });
    }
}
