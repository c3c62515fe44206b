//! Records which threads have accessed the words of a 128-byte line of shared memory since the last
//! barrier of the CTA.

use super::shape::WORDS;
use texunit_unit::Build;

/// The warp of an access and its clock: the current time, and the time until which the accesses of
/// the warp's lanes are ordered before the next access of every lane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Accessor {
    pub(super) warp: u32,
    pub(super) now: u32,
    pub(super) of_warp: u32,
}

/// Which threads have accessed the 32 words of a line, and how.
#[derive(Clone, Debug, Default)]
pub(super) struct LineAccesses {
    /// Number of the synchronisation interval of the masks. The masks of an earlier interval count
    /// as empty.
    interval: u64,
    /// A mask of the words that a thread has stored.
    stored: u32,
    /// A mask of the words that a thread has loaded.
    loaded: u32,
    /// A mask of the words that several threads have loaded.
    many: u32,
    /// A mask of the words that two warps have loaded, of which further loads need not be listed.
    full: u32,
    /// A mask of the words that threads have changed by atomics.
    strong: u32,
    /// The last warp that has accessed the line, and the time of its last access.
    last: (u32, u32),
    is_of_several: bool,
    /// Whether the masks were emptied at a `.sync` instruction, because only one warp had accessed
    /// the line.
    is_emptied: bool,
    /// For each word, the number of the thread that has accessed it (the first, if there are
    /// several).
    by: [u16; WORDS],
}

impl LineAccesses {
    /// Starts an access to the line. In a new synchronisation interval the masks are emptied. They
    /// are also emptied if only this warp has accessed the line, and the warp has synchronised
    /// since (at the time `of_warp`), because the accesses so far cannot race with later ones of
    /// the warp. Returns false if the masks were emptied in that way and now another warp accesses
    /// the line.
    #[inline]
    pub(super) fn begin(&mut self, interval: u64, by: &Accessor) -> bool {
        let (warp, time) = self.last;
        let is_new = self.interval != interval;
        let is_emptied = !is_new && !self.is_of_several && warp == by.warp && time <= by.of_warp;
        if is_new || is_emptied {
            (self.interval, self.stored, self.loaded, self.many) = (interval, 0, 0, 0);
            (self.full, self.strong) = (0, 0);
            (self.is_of_several, self.is_emptied) = (false, is_emptied);
        } else if warp != by.warp {
            if self.is_emptied {
                return false;
            }
            self.is_of_several = true;
        }
        self.last = (by.warp, by.now);
        true
    }

    /// Records that consecutive threads access the words in a mask, `1 << shift` words each.
    /// `offset` is the number of words from the first word of `thread` to the line's first word.
    /// Returns whether the access has to be listed; `None` if it conflicts with an access of
    /// another thread.
    #[inline]
    pub(super) fn row(
        &mut self,
        words: u32,
        (thread, offset, shift): (u32, i64, u32),
        writes: bool,
    ) -> Option<bool> {
        // The offset is less than the number of words that a warp accesses, so that 16 bits are
        // enough.
        let whose =
            |i: usize| (thread as i16).wrapping_add((offset as i16 + i as i16) >> shift) as u16;
        self.those_of(words, whose, thread, writes)
    }

    /// Records that threads of one warp access the words in a mask. `whose` has the thread of each
    /// word, and `thread` is any thread of the warp. Returns whether the access has to be listed;
    /// `None` if it conflicts with an access of another thread.
    #[inline]
    pub(super) fn scattered(
        &mut self,
        words: u32,
        whose: &[u16; WORDS],
        thread: u32,
        writes: bool,
    ) -> Option<bool> {
        self.those_of(words, |i| whose[i], thread, writes)
    }

    #[inline(always)]
    fn those_of(
        &mut self,
        words: u32,
        whose: impl Fn(usize) -> u16,
        thread: u32,
        writes: bool,
    ) -> Option<bool> {
        if words & self.strong != 0 {
            return None;
        }
        if !writes && words & (self.stored | !self.full) == 0 {
            return Some(false);
        }
        let is_fine = Build::current().run_narrow(
            #[inline(always)]
            || self.new_row(words, whose, thread, writes),
        );
        is_fine.then_some(true)
    }

    /// Records an access that has to be listed. Returns false if it conflicts with an access of
    /// another thread.
    #[inline(always)]
    fn new_row(
        &mut self,
        words: u32,
        whose: impl Fn(usize) -> u16,
        thread: u32,
        writes: bool,
    ) -> bool {
        let touched = self.stored | self.loaded;
        if words & touched != 0 {
            let others = words & self.those(|i, by| by != whose(i));
            let clash = words & if writes { touched } else { self.stored };
            if clash & (self.many | others) != 0 {
                return false;
            }
            if !writes {
                self.many |= others & self.loaded & !self.stored;
                self.fill(words & self.loaded, thread);
            }
        }
        self.set(words & !touched, whose);
        match writes {
            true => self.stored |= words,
            false => self.loaded |= words,
        }
        true
    }

    /// A mask of the words for which a condition on the word's number and recorded thread holds.
    /// The loop has no branches, so that the compiler vectorises it.
    #[inline(always)]
    fn those(&self, is: impl Fn(usize, u16) -> bool) -> u32 {
        let mut those = 0;
        for (i, &by) in self.by.iter().enumerate() {
            those |= u32::from(is(i, by)) << i;
        }
        those
    }

    /// Records a thread for each of the words in a mask.
    #[inline(always)]
    fn set(&mut self, words: u32, whose: impl Fn(usize) -> u16) {
        for (i, by) in self.by.iter_mut().enumerate() {
            *by = if words >> i & 1 == 1 { whose(i) } else { *by };
        }
    }

    /// Adds to `full` those words of a mask whose recorded thread is not in the warp of `thread`.
    /// The words have been loaded, and `thread` loads them.
    #[inline(always)]
    fn fill(&mut self, words: u32, thread: u32) {
        let warp = (thread / 32) as u16;
        self.full |= words & self.those(|_, by| by / 32 != warp);
    }

    /// Records that several lanes of the warp of `thread` load the words in a mask. Returns whether
    /// the access has to be listed; `None` if a thread has stored any of the words.
    #[inline]
    pub(super) fn load_all(&mut self, words: u32, thread: u32) -> Option<bool> {
        if words & (self.stored | self.strong) != 0 {
            return None;
        }
        let rest = words & !self.full;
        if rest == 0 {
            return Some(false);
        }
        Build::current().run_narrow(
            #[inline(always)]
            || {
                self.fill(rest & self.loaded, thread);
                self.set(rest & !self.loaded, |_| thread as u16);
            },
        );
        self.loaded |= words;
        self.many |= words;
        Some(true)
    }

    /// Records an access of one thread to a word or a part of it. Returns false if it conflicts
    /// with an access of another thread.
    #[inline]
    pub(super) fn one(&mut self, i: u32, thread: u32, writes: bool) -> bool {
        let bit = 1 << i;
        if self.strong & bit != 0 {
            return false;
        }
        let by = &mut self.by[i as usize];
        let is_own = self.many & bit == 0 && u32::from(*by) == thread;
        // The shadow memory keeps records of bytes apart from those of words, so that loads of
        // whole words do not stand for this one.
        self.full &= !bit;
        if (self.stored | self.loaded) & bit == 0 {
            *by = thread as u16;
        } else if !is_own {
            if writes || self.stored & bit != 0 {
                return false;
            }
            self.many |= bit;
        }
        match writes {
            true => self.stored |= bit,
            false => self.loaded |= bit,
        }
        true
    }

    /// Records atomics of any threads to the words in a mask. Returns false if a thread has loaded
    /// or stored any of the words.
    #[inline]
    pub(super) fn strong(&mut self, words: u32) -> bool {
        self.strong |= words;
        words & (self.stored | self.loaded) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WARP: Accessor = Accessor { warp: 0, now: 5, of_warp: 4 };

    fn new() -> LineAccesses {
        let mut line = LineAccesses::default();
        assert!(line.begin(7, &WARP));
        line
    }

    #[test]
    fn accesses_of_one_warp_are_ordered_by_its_synchronisation() {
        let mut line = new();
        assert!(line.one(3, 3, true) && !line.one(3, 4, false));
        assert!(line.begin(7, &Accessor { now: 6, ..WARP }) && !line.one(3, 4, false));
        let later = Accessor { now: 7, of_warp: 6, ..WARP };
        assert!(line.begin(7, &later) && line.one(3, 4, false));
        // The masks were emptied, so that a race with the warp's earlier accesses would be missed.
        assert!(!line.begin(7, &Accessor { warp: 1, ..later }));
        // After an access of another warp the masks are not emptied.
        let mut line = new();
        assert!(line.one(3, 3, true) && line.begin(7, &Accessor { warp: 1, ..WARP }));
        assert!(line.begin(7, &later) && !line.one(3, 4, false));
    }

    #[test]
    fn a_word_is_stored_by_one_thread_that_alone_loads_it() {
        let mut line = new();
        assert_eq!(line.row(u32::MAX, (32, 0, 0), true), Some(true));
        assert_eq!(line.row(0xff, (32, 0, 0), false), Some(true));
        assert!(line.one(9, 41, false) && !line.one(9, 42, false));
        assert_eq!(line.row(1, (31, 0, 0), false), None);
        assert_eq!(line.load_all(1 << 20, 32), None);
        assert!(line.begin(8, &WARP));
        assert_eq!(line.load_all(1 << 20, 32), Some(true));
        assert!(!line.one(20, 32, true) && line.one(21, 99, true));
    }

    #[test]
    fn words_that_many_have_loaded_are_nobodys() {
        let mut line = new();
        assert_eq!(line.row(0xf0, (0, -4, 0), false), Some(true));
        // The same threads load again; then other threads load.
        assert_eq!(line.row(0xf0, (0, -4, 0), false), Some(true));
        assert_eq!(line.row(0x10, (0, -4, 0), true), Some(true));
        let mut line = new();
        assert_eq!(line.row(0xf0, (0, -4, 0), false), Some(true));
        assert_eq!(line.row(0xf0, (64, -4, 0), false), Some(true));
        assert_eq!(line.row(0xf0, (96, -4, 0), false), Some(false));
        assert_eq!(line.row(0x10, (0, -4, 0), true), None);
        // Each thread accesses two words.
        let mut line = new();
        assert_eq!(line.row(0xff, (5, 0, 1), true), Some(true));
        assert!(line.one(3, 6, true) && !line.one(4, 6, true));
    }

    #[test]
    fn words_of_atomics_are_for_atomics_only() {
        let mut line = new();
        assert!(line.strong(0xf0) && line.strong(0x10));
        assert_eq!(line.row(0x80, (0, 0, 0), false), None);
        assert_eq!(line.load_all(0x10, 0), None);
        assert!(!line.one(5, 5, true) && line.one(8, 8, false));
        assert!(!line.strong(1 << 8) && line.strong(1));
        assert!(line.begin(8, &WARP));
        assert_eq!(line.row(0xff, (0, 0, 0), true), Some(true));
    }

    #[test]
    fn scattered_words_are_those_of_their_threads() {
        let (mut line, mut whose) = (new(), [0; WORDS]);
        (whose[3], whose[9]) = (40, 33);
        assert_eq!(line.scattered(0x208, &whose, 32, true), Some(true));
        assert!(line.one(3, 40, false) && line.one(9, 33, true) && !line.one(9, 40, false));
        whose[9] = 40;
        assert_eq!(line.scattered(0x200, &whose, 32, false), None);
    }

    #[test]
    fn loads_of_a_third_warp_are_not_listed() {
        let mut line = new();
        assert_eq!(line.load_all(3, 0), Some(true));
        assert_eq!(line.load_all(3, 0), Some(true));
        assert_eq!(line.load_all(1, 32), Some(true));
        assert_eq!(line.load_all(1, 64), Some(false));
        assert_eq!(line.load_all(3, 64), Some(true));
        assert_eq!(line.load_all(3, 96), Some(false));
    }
}
