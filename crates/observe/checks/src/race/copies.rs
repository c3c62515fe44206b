//! `cp.async`: a copy happens at some time until its thread waits for it, or an mbarrier says that it is done.

use std::collections::HashMap;

/// Ends and groups that are kept of a thread.
const MAX: usize = 64;

/// Copies up to a time have ended at a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    of: u32,
    at: u32,
}

/// Of a thread.
#[derive(Clone, Debug, Default)]
struct Of {
    /// Times of its groups, in order, behind the last wait for all.
    groups: Vec<u32>,
    /// What it has waited for.
    waited: Vec<End>,
    /// What an mbarrier tells those who wait for it: the thread itself has to wait for it, too.
    told: Vec<End>,
}

/// Copies of a CTA's threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Copies(HashMap<u32, Of>);

fn push(list: &mut Vec<End>, end: End) {
    // What has ended stays so.
    if list.last().is_some_and(|last| last.of >= end.of) {
        return;
    }
    if list.len() == MAX {
        // Of two that old, both have ended with the first: it says too much rather than too little.
        list[1].at = list[0].at;
        list.remove(0);
    }
    list.push(end);
}

/// When copies up to a time have ended.
fn end(list: &[End], of: u32) -> Option<u32> {
    list.iter().find(|end| end.of >= of).map(|end| end.at)
}

impl Copies {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// `cp.async.commit_group` of a thread: what it has copied so far is a group.
    pub(super) fn commit(&mut self, thread: u32, now: u32) {
        let of = self.0.entry(thread).or_default();
        if of.groups.len() == 4 * MAX {
            of.groups.remove(0);
        }
        of.groups.push(now);
    }

    /// It waits for all groups but the last so many; `None`: for all copies.
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
            push(&mut of.waited, End { of: through, at: now });
        }
    }

    /// It arrives at an mbarrier with all its copies.
    pub(super) fn tell(&mut self, thread: u32, now: u32) {
        push(&mut self.0.entry(thread).or_default().told, End { of: now, at: now });
    }

    /// When a copy of a time has ended: by a wait of its thread, for all who know the thread up to then, and for those
    /// whom an mbarrier has told of its copies up to then.
    pub(super) fn ends(&self, thread: u32, time: u32) -> [Option<u32>; 2] {
        let Some(of) = self.0.get(&thread) else { return [None; 2] };
        [end(&of.waited, time), end(&of.told, time)]
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
            // Nothing new.
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
        copies.tell(9, 9);
        copies.wait(9, None, 10);
        assert_eq!(copies.ends(9, 8), [Some(10), Some(9)]);
        assert_eq!(copies.ends(8, 1), [None; 2]);
    }
}
