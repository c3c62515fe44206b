//! What all launches of a process have found.

use crate::check::{Check, Checks};
use crate::finding::{Finding, Key};
use crate::init::{InitWhen, Moves};
use crate::launch::{LaunchChecks, Of};
use crate::leak::{self, Heap};
use crate::pattern::Pattern;
use crate::race;
use crate::suppress::Suppressions;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_evidence::Counts;
use texunit_report::place::function_name;
use texunit_report::{Host, Severity};
use texunit_simt::LaunchStats;
use texunit_syntax::{SourceFile, Span};

/// Findings that a log keeps, whatever is asked for, and places of theirs.
const MAX_KEPT: usize = 100_000;

/// What is checked, and what is told of it.
#[derive(Debug)]
pub struct Options {
    /// Which checks.
    pub checks: Checks,
    /// Where the check `init` tells of uses.
    pub init: InitWhen,
    /// Most findings that are told; of the others the first of each kind is told, and the rest is counted. 0: nothing
    /// is told. `None`: all of them.
    pub max_findings: Option<u64>,
    /// The least severity that makes a launch fail.
    pub fail_on: Severity,
    /// Kernels that are checked, by their names in the PTX or in the source; none: all of them.
    pub kernels: Vec<Pattern>,
    /// What is not told.
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
    /// Whether the launches of a kernel are checked.
    fn has_kernel(&self, name: &str) -> bool {
        let shown = function_name(name);
        let is = |pattern: &Pattern| pattern.matches(name) || pattern.matches(&shown);
        self.kernels.is_empty() || self.kernels.iter().any(is)
    }
}

/// A finding that is to be told.
#[derive(Clone, Debug)]
pub struct News {
    /// Its number in the process, from 1.
    pub number: u64,
    /// Whether it was not told before: else only its count has changed.
    pub is_first: bool,
    /// What it is.
    pub finding: Finding,
}

/// Findings of a process: what is of one kind and of the same lines once, with a count.
#[derive(Debug, Default)]
pub struct Log {
    options: Options,
    launches: AtomicU64,
    /// What the race check keeps from launch to launch.
    pub(crate) race: race::Memory,
    /// The origins of undefined bytes that kernels and copies have moved.
    pub(crate) moves: Moves,
    state: Mutex<State>,
    /// What kernels have allocated and not freed.
    heap: Mutex<Heap>,
}

#[derive(Debug, Default)]
struct State {
    groups: Vec<Group>,
    /// Their numbers among these.
    known: HashMap<Key, usize>,
    /// Instructions that are counted: the number of the group, the text, and where it is there.
    places: HashSet<(usize, String, Span)>,
    /// The kinds that are told.
    kinds: HashSet<&'static str>,
    /// How many are told.
    shown: u64,
    /// How often something was found that is not among them.
    more: Counts,
    /// How often something was found that is suppressed.
    suppressed: u64,
}

/// A finding, and what of it was told.
#[derive(Debug)]
struct Group {
    finding: Finding,
    /// Its number among those that are told.
    number: Option<u64>,
    /// With which count it was told.
    told: u64,
}

impl Log {
    /// With nothing found yet.
    pub fn new(options: Options) -> Self {
        Self { options, ..Self::default() }
    }

    /// Whether a check is asked for.
    pub fn has(&self, check: Check) -> bool {
        self.options.checks.has(check)
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.options.checks.is_strict()
    }

    pub(crate) fn init_when(&self) -> InitWhen {
        self.options.init
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn heap(&self) -> MutexGuard<'_, Heap> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has_heap(&self) -> bool {
        !self.heap().is_empty()
    }

    /// A context ends, or the program with it: what its kernels have allocated and not freed is a finding, unless one
    /// of them has ended with a fault (`is_told`).
    pub fn heap_ends(&self, context: u64, is_told: bool) {
        let heap: Heap = self.heap().extract_if(.., |_, block| block.is_of(context)).collect();
        if is_told {
            self.take(leak::findings(&heap), &Counts::default());
        }
    }

    /// The checks of a launch of a kernel, as its observer; `None`: nothing is checked of it.
    pub fn launch(&self, kernel: &str) -> Option<LaunchChecks<'_>> {
        self.launch_in(kernel, race::Queue::Default, 0)
    }

    /// A launch in a stream of a context, which has a number.
    pub fn launch_in(
        &self,
        kernel: &str,
        queue: race::Queue,
        context: u64,
    ) -> Option<LaunchChecks<'_>> {
        self.launch_submitted(kernel, (queue, None), context)
    }

    /// A launch that was submitted to the stream before.
    pub fn launch_submitted(
        &self,
        kernel: &str,
        (queue, submitted): (race::Queue, Option<race::Submitted>),
        context: u64,
    ) -> Option<LaunchChecks<'_>> {
        if self.options.checks.is_none() {
            return None;
        }
        let is_told = self.options.has_kernel(kernel);
        let number = self.launches.fetch_add(1, Relaxed) + 1;
        LaunchChecks::new(self, Of { number, queue, submitted, context, is_told })
    }

    /// What orders launches and the host, if that is asked for.
    pub fn race(&self) -> Option<&race::Memory> {
        self.has(Check::Race).then_some(&self.race)
    }

    /// Takes in what was found; how often something was found besides.
    pub(crate) fn take(&self, found: Vec<Finding>, more: &Counts) {
        let state = &mut *self.state();
        state.more.add_all(more);
        for finding in found {
            state.take(&self.options, finding);
        }
    }

    /// Something was found so often that is never told.
    pub fn suppress(&self, count: u64) {
        let state = &mut *self.state();
        state.suppressed = state.suppressed.saturating_add(count);
    }

    /// Takes in a finding that is of no launch.
    pub fn found(&self, finding: Finding) {
        self.take(vec![finding], &Counts::default());
    }

    /// Takes in the fetches that no texture fits of a launch of a module with this text, whatever
    /// is checked.
    pub fn bad_fetches(&self, stats: &LaunchStats, source: &SourceFile, host: Host) {
        let number = self.launches.load(Relaxed).max(1);
        let found = &stats.bad_fetches;
        let finding = |fault| Finding::of_bad_fetch(fault, source, host, number);
        let more = Counts { errors: found.more, ..Counts::default() };
        self.take(found.faults.iter().map(finding).collect(), &more);
    }

    /// What undefined bytes of an allocation were stored from, if a kernel has stored them: `copied at a.cu:74 from ...`.
    pub fn moved(&self, address: u64, allocation: u64) -> Option<String> {
        self.moves.words(address, allocation)
    }

    /// Findings that were not told before, or came up again since, with their numbers, from 1.
    pub fn news(&self) -> Vec<News> {
        let state = &mut *self.state();
        let mut news = Vec::new();
        for Group { finding, number, told } in &mut state.groups {
            if let Some(number) = number.filter(|_| *told != finding.count) {
                news.push(News { number, is_first: *told == 0, finding: finding.clone() });
                *told = finding.count;
            }
        }
        news
    }

    /// The findings that are told, in the order in which they came up.
    pub fn findings(&self) -> Vec<Finding> {
        let state = self.state();
        let told = state.groups.iter().filter(|group| group.number.is_some());
        told.map(|group| group.finding.clone()).collect()
    }

    /// All that are known, told or not.
    pub fn all(&self) -> Vec<Finding> {
        self.state().groups.iter().map(|group| group.finding.clone()).collect()
    }

    /// How many findings there are that are not told, by how bad they are.
    pub fn more(&self) -> Counts {
        let state = self.state();
        let mut more = state.more.clone();
        let untold = state.groups.iter().filter(|group| group.number.is_none());
        untold.for_each(|group| more.add(group.finding.severity, 1));
        more
    }

    /// How often something was found that is suppressed.
    pub fn suppressed(&self) -> u64 {
        self.state().suppressed
    }

    /// Whether anything was found that is not suppressed.
    pub fn has_findings(&self) -> bool {
        self.has_any(Severity::Note)
    }

    /// Whether something was found that makes a launch fail.
    pub fn fails(&self) -> bool {
        self.has_any(self.options.fail_on)
    }

    /// Whether anything was found that is so bad or worse.
    fn has_any(&self, severity: Severity) -> bool {
        let state = self.state();
        let mut groups = state.groups.iter();
        groups.any(|group| group.finding.severity >= severity) || state.more.from(severity) > 0
    }

    /// Forgets all: in a process that was forked off, it is the parent's.
    pub fn clear(&self) {
        *self.state() = State::default();
        self.heap().clear();
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
        if let Some(Group { finding: known, told, number }) = self.groups.get_mut(index) {
            let places = known.places + u64::from(is_new);
            known.join(finding, *told > 0);
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
        self.groups.push(Group { finding, number, told: 0 });
    }
}
