//! Completion of `cp.async` copies. A copy happens at an unknown time before its thread's wait
//! returns, or before an mbarrier signals its completion.

use std::collections::HashMap;

/// Maximum number of recorded completions of a thread; four times as many groups are recorded.
const MAX: usize = 64;

/// The copies that a thread has started until time `of` had completed at time `at`. Times are those
/// of the CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Completion {
    of: u32,
    at: u32,
}

/// The `cp.async` copies of one thread.
#[derive(Clone, Debug, Default)]
struct ThreadCopies {
    /// The times, ascending, at which the thread has committed groups of copies since it last
    /// waited for all copies.
    groups: Vec<u32>,
    /// Completions by waits of the thread (`cp.async.wait_group`, `wait_all`).
    waited: Vec<Completion>,
    /// Completions that an mbarrier signals. The copying thread itself has to wait for the
    /// mbarrier, too.
    reported: Vec<Completion>,
}

/// The `cp.async` copies of a CTA's threads, by thread number.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies(HashMap<u32, ThreadCopies>);

fn push(list: &mut Vec<Completion>, end: Completion) {
    // An earlier completion of the same copies stays valid.
    if list.last().is_some_and(|last| last.of >= end.of) {
        return;
    }
    if list.len() == MAX {
        // The two oldest completions are merged at the earlier time, which can hide races but
        // causes no false reports.
        list[1].at = list[0].at;
        list.remove(0);
    }
    list.push(end);
}

/// The time at which the copies that were started until time `of` had completed; `None` if they
/// have not.
fn end(list: &[Completion], of: u32) -> Option<u32> {
    list.iter().find(|end| end.of >= of).map(|end| end.at)
}

impl Copies {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// `cp.async.commit_group`: the copies that the thread has started since its last group form a
    /// group.
    pub(super) fn commit(&mut self, thread: u32, now: u32) {
        let of = self.0.entry(thread).or_default();
        if of.groups.len() == 4 * MAX {
            of.groups.remove(0);
        }
        of.groups.push(now);
    }

    /// The thread waits for all but its latest `but` groups; `None` waits for all copies.
    pub(super) fn wait(&mut self, thread: u32, but: Option<u32>, now: u32) {
        let of = self.0.entry(thread).or_default();
        let through = match but {
            None => Some(now),
            Some(but) => {
                let done = of.groups.len().saturating_sub(but as usize);
                done.checked_sub(1).map(|last| of.groups[last])
            }
        };
        if let Some(through) = through {
            of.groups.retain(|&group| group > through);
            push(&mut of.waited, Completion { of: through, at: now });
        }
    }

    /// `cp.async.mbarrier.arrive`: an mbarrier signals the completion of the thread's copies until
    /// now.
    pub(super) fn track(&mut self, thread: u32, now: u32) {
        push(&mut self.0.entry(thread).or_default().reported, Completion { of: now, at: now });
    }

    /// The times at which a copy that was started at `time` had completed: by a wait of its thread,
    /// which is ordered before the accesses of threads that synchronise with it later; and by an
    /// mbarrier, which is ordered before the accesses of threads that wait for the mbarrier.
    pub(super) fn ends(&self, thread: u32, time: u32) -> [Option<u32>; 2] {
        let Some(of) = self.0.get(&thread) else { return [None; 2] };
        [end(&of.waited, time), end(&of.reported, time)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_long_ago_has_not_ended_later() {
        let mut copies = Copies::default();
        for turn in 0..1000 {
            copies.commit(3, 10 * turn + 1);
            copies.wait(3, Some(0), 10 * turn + 5);
            // The second wait finds no new copies.
            copies.wait(3, Some(0), 10 * turn + 7);
        }
        assert_eq!(copies.ends(3, 1), [Some(5), None]);
        assert!(copies.ends(3, 2000)[0] <= Some(2005));
        assert_eq!(copies.ends(3, 9981), [Some(9985), None]);
        assert_eq!(copies.ends(3, 9992), [None; 2]);
    }

    #[test]
    fn groups_end_one_after_the_other() {
        let mut copies = Copies::default();
        for time in [1, 3, 5] {
            copies.commit(9, time);
        }
        assert_eq!(copies.ends(9, 1), [None; 2]);
        copies.wait(9, Some(2), 6);
        assert_eq!(copies.ends(9, 1), [Some(6), None]);
        assert_eq!(copies.ends(9, 2), [None; 2]);
        copies.wait(9, Some(1), 7);
        assert_eq!(copies.ends(9, 3), [Some(7), None]);
        copies.wait(9, Some(5), 8);
        assert_eq!(copies.ends(9, 4), [None; 2]);
        copies.track(9, 9);
        copies.wait(9, None, 10);
        assert_eq!(copies.ends(9, 8), [Some(10), Some(9)]);
        assert_eq!(copies.ends(8, 1), [None; 2]);
    }
}
