//! What all launches of a process have found.

use crate::check::{Check, Checks};
use crate::finding::{Finding, Key};
use crate::init::InitWhen;
use crate::launch::{LaunchChecks, Of};
use crate::leak::{self, Heap};
use crate::pattern::Pattern;
use crate::race;
use crate::suppress::Suppressions;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_report::Host;
use texunit_report::place::function_name;
use texunit_simt::LaunchStats;
use texunit_syntax::SourceFile;

/// Places of findings that a log keeps, whatever is asked for.
const MAX_KEPT: usize = 100_000;

/// What is checked, and what is told of it.
#[derive(Debug, Default)]
pub struct Options {
    /// Which checks.
    pub checks: Checks,
    /// Where the check `init` tells of uses.
    pub init: InitWhen,
    /// Most findings that are told; the others are counted. `None`: all of them.
    pub max_findings: Option<u64>,
    /// Kernels that are checked, by their names in the PTX or in the source; none: all of them.
    pub kernels: Vec<Pattern>,
    /// What is not told.
    pub suppressions: Suppressions,
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

/// Findings of a process: each place once, with a count.
#[derive(Debug, Default)]
pub struct Log {
    options: Options,
    launches: AtomicU64,
    /// What the race check keeps from launch to launch.
    pub(crate) race: race::Memory,
    state: Mutex<State>,
    /// What kernels have allocated and not freed.
    heap: Mutex<Heap>,
}

#[derive(Debug, Default)]
struct State {
    findings: Vec<Finding>,
    /// Their numbers among these.
    known: HashMap<Key, usize>,
    /// With which count each was told.
    told: Vec<u64>,
    /// How often something was found that is not among them.
    more: u64,
    /// How often something was found that is suppressed.
    suppressed: u64,
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
            self.take(leak::findings(&heap), 0);
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
    pub(crate) fn take(&self, found: Vec<Finding>, more: u64) {
        let state = &mut *self.state();
        state.more = state.more.saturating_add(more);
        for finding in found {
            state.take(&self.options, finding);
        }
    }

    /// Takes in a finding that is of no launch.
    pub fn found(&self, finding: Finding) {
        self.take(vec![finding], 0);
    }

    /// Takes in the fetches that no texture fits of a launch of a module with this text, whatever
    /// is checked.
    pub fn bad_fetches(&self, stats: &LaunchStats, source: &SourceFile, host: Host) {
        let number = self.launches.load(Relaxed).max(1);
        let found = &stats.bad_fetches;
        let finding = |fault| Finding::of_bad_fetch(fault, source, host, number);
        self.take(found.faults.iter().map(finding).collect(), found.more);
    }

    /// Findings that were not told before, or came up again since, with their numbers, from 1.
    pub fn news(&self) -> Vec<News> {
        let state = &mut *self.state();
        state.told.resize(state.findings.len(), 0);
        let mut news = Vec::new();
        for ((number, finding), told) in (1..).zip(&state.findings).zip(&mut state.told) {
            if *told != finding.count {
                news.push(News { number, is_first: *told == 0, finding: finding.clone() });
                *told = finding.count;
            }
        }
        news
    }

    /// All findings, in the order in which they came up.
    pub fn findings(&self) -> Vec<Finding> {
        self.state().findings.clone()
    }

    /// How often something was found that is not told one by one.
    pub fn more(&self) -> u64 {
        self.state().more
    }

    /// How often something was found that is suppressed.
    pub fn suppressed(&self) -> u64 {
        self.state().suppressed
    }

    /// Whether anything was found that is not suppressed.
    pub fn has_findings(&self) -> bool {
        let state = self.state();
        !state.findings.is_empty() || state.more > 0
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
        if let Some(known) = self.known.get(&key).and_then(|&i| self.findings.get_mut(i)) {
            known.count = known.count.saturating_add(finding.count);
            return;
        }
        let most = options.max_findings.map_or(MAX_KEPT, |most| most.min(MAX_KEPT as u64) as usize);
        if self.findings.len() < most {
            self.known.insert(key, self.findings.len());
            self.findings.push(finding);
        } else {
            self.more = self.more.saturating_add(finding.count);
        }
    }
}
