//! The search: attempts, their limits, and the algorithms that select subsets and numbers to try.

use crate::case::Case;
use crate::{Judge, Reduced};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The limits of a search.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// The time at which the search ends.
    pub deadline: Option<Instant>,
    /// Maximum number of attempts.
    pub tries: u64,
    /// Another thread sets this flag to end the search.
    pub stop: &'a AtomicBool,
}

/// Why a search has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// No reduction succeeds any more.
    Smallest,
    /// The time limit was reached.
    Time,
    /// The limit of attempts was reached.
    Tries,
    /// The flag [`Limits::stop`] was set.
    Stopped,
}

impl End {
    /// A stable name for reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Smallest => "smallest",
            Self::Time => "time",
            Self::Tries => "tries",
            Self::Stopped => "interrupted",
        }
    }
}

/// The progress of a search.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// Number of attempts so far.
    pub tries: u64,
    /// The smallest failing case so far.
    pub best: &'a Case,
    /// The name of the current pass.
    pub step: &'static str,
}

pub(crate) struct Search<'a> {
    best: Case,
    judge: &'a mut dyn Judge,
    limits: &'a Limits<'a>,
    tell: &'a mut dyn FnMut(&Progress<'_>),
    tries: u64,
    /// Hashes of the cases that were tried, so that a case is not judged twice.
    seen: HashSet<u64>,
    end: Option<End>,
    step: &'static str,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        case: Case,
        judge: &'a mut dyn Judge,
        limits: &'a Limits<'a>,
        tell: &'a mut dyn FnMut(&Progress<'_>),
    ) -> Self {
        let seen = HashSet::from([fingerprint(&case)]);
        Self { best: case, judge, limits, tell, tries: 0, seen, end: None, step: "" }
    }

    pub(crate) fn best(&self) -> &Case {
        &self.best
    }

    /// Starts a pass, whose name [`Progress`] shows.
    pub(crate) fn step(&mut self, name: &'static str) {
        self.step = name;
    }

    /// Whether a limit is reached, so that the search must end.
    pub(crate) fn is_over(&mut self) -> bool {
        if self.end.is_none() {
            let limits = self.limits;
            self.end = if limits.deadline.is_some_and(|d| Instant::now() >= d) {
                Some(End::Time)
            } else if limits.stop.load(Ordering::Relaxed) {
                Some(End::Stopped)
            } else if self.tries >= limits.tries {
                Some(End::Tries)
            } else {
                None
            };
        }
        self.end.is_some()
    }

    /// Judges a case, and keeps it as the smallest if it fails; returns whether it fails.
    pub(crate) fn attempt(&mut self, case: Case) -> bool {
        if self.is_over() || !self.seen.insert(fingerprint(&case)) {
            return false;
        }
        (self.tell)(&Progress { tries: self.tries, best: &self.best, step: self.step });
        self.tries += 1;
        let fails = self.judge.fails(&case);
        if fails {
            self.best = case;
        }
        fails
    }

    /// Finds which of `count` edits can be made together: tries all, then windows of half the size
    /// down to single edits, from the last to the first because uses follow definitions. `make`
    /// makes the case with the chosen edits. Returns whether any could be made.
    pub(crate) fn subsets(&mut self, count: usize, make: impl Fn(&[bool]) -> Case) -> bool {
        let mut chosen = vec![false; count];
        let mut changed = false;
        let mut window = count;
        while window > 0 && !self.is_over() {
            let mut end = count;
            while end > 0 {
                let start = end.saturating_sub(window);
                if chosen[start..end].contains(&false) {
                    let before = chosen[start..end].to_vec();
                    chosen[start..end].fill(true);
                    if self.attempt(make(&chosen)) {
                        changed = true;
                    } else {
                        chosen[start..end].copy_from_slice(&before);
                    }
                }
                end = start;
            }
            window = if window == 1 { 0 } else { window.div_ceil(2) };
        }
        changed
    }

    /// Minimises a number: tries `least` and `least + 1`, then bisects. `make` makes the case with
    /// a number.
    pub(crate) fn lower(
        &mut self,
        least: i64,
        from: i64,
        make: impl Fn(i64) -> Option<Case>,
    ) -> bool {
        let mut try_it = |n: i64| n < from && make(n).is_some_and(|case| self.attempt(case));
        if try_it(least) || try_it(least.saturating_add(1)) {
            return true;
        }
        // The bisection finds the minimum if all numbers above a threshold fail. Otherwise it still
        // finds a number that fails.
        let (mut low, mut high) = (least.saturating_add(1), from);
        while high.saturating_sub(low) > 1 {
            let middle = low + (high - low) / 2;
            if try_it(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high < from
    }

    pub(crate) fn finish(mut self) -> Reduced {
        self.is_over();
        Reduced { case: self.best, tries: self.tries, end: self.end.unwrap_or(End::Smallest) }
    }
}

fn fingerprint(case: &Case) -> u64 {
    let mut hasher = DefaultHasher::new();
    case.ptx.hash(&mut hasher);
    // File contents need no hash of their own, because the job's text has the file names, which are
    // hashes of contents.
    case.job_text().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A judge for which a text fails if it contains all given letters.
    struct Needs(&'static str, u64);

    impl Judge for Needs {
        fn fails(&mut self, case: &Case) -> bool {
            self.1 += 1;
            self.0.chars().all(|c| case.ptx.contains(c))
        }
    }

    fn without(text: &str, needs: &'static str, tries: u64) -> (String, u64, End) {
        let stop = AtomicBool::new(false);
        let limits = Limits { deadline: None, tries, stop: &stop };
        let (mut judge, mut told) = (Needs(needs, 0), 0);
        let mut tell = |_: &Progress<'_>| told += 1;
        let mut search = Search::new(Case::of_ptx(text), &mut judge, &limits, &mut tell);
        let letters: Vec<char> = text.chars().collect();
        search.subsets(letters.len(), |gone| {
            let left = letters.iter().zip(gone).filter(|(_, gone)| !**gone);
            Case::of_ptx(&left.map(|(c, _)| *c).collect::<String>())
        });
        let reduced = search.finish();
        assert_eq!((judge.1, told), (reduced.tries, reduced.tries));
        (reduced.case.ptx.to_string(), reduced.tries, reduced.end)
    }

    #[test]
    fn what_is_needed_stays() {
        let text: String = ('a'..='z').chain('A'..='Z').collect();
        let (left, tries, end) = without(&text, "mXz", u64::MAX);
        assert_eq!((left.as_str(), end), ("mzX", End::Smallest));
        assert!(tries < 60, "{tries}");
        assert_eq!(without(&text, "", u64::MAX).1, 1);
        let (left, tries, end) = without(&text, "mXz", 10);
        assert!(left.len() > 3 && tries == 10 && end == End::Tries);
    }

    #[test]
    fn the_least_number() {
        let stop = AtomicBool::new(false);
        let limits = Limits { deadline: None, tries: u64::MAX, stop: &stop };
        struct AtLeast(i64);
        impl Judge for AtLeast {
            fn fails(&mut self, case: &Case) -> bool {
                case.ptx.parse::<i64>().is_ok_and(|n| n >= self.0)
            }
        }
        for (needed, from, tries) in [(0, 1000, 1), (1, 1000, 2), (777, 1000, 14), (1000, 1000, 12)]
        {
            let mut judge = AtLeast(needed);
            let mut tell = |_: &Progress<'_>| {};
            let case = Case::of_ptx(&from.to_string());
            let mut search = Search::new(case, &mut judge, &limits, &mut tell);
            let changed = search.lower(0, from, |n| Some(Case::of_ptx(&n.to_string())));
            let reduced = search.finish();
            assert_eq!(reduced.case.ptx.parse(), Ok(needed));
            assert_eq!(changed, needed < from);
            assert!(reduced.tries <= tries, "{needed}: {}", reduced.tries);
        }
    }
}
