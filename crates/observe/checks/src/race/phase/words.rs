//! Records which threads access which words of shared memory in a phase, and finds conflicts.

use super::{MAX_BYTES, Phase};
use crate::lanes;
use crate::race::access::Warp;
use crate::race::shape::{LINE, Octet, WORDS};
use crate::race::touched::LineAccesses;
use std::iter::once;
use texunit_simt::observe::{Arrangement, GroupedLoad};

impl Phase {
    /// Records which threads access which words, for an access and its further loads. Returns
    /// whether the access has to be listed; `None` if it conflicts with an access of another
    /// thread.
    #[inline]
    pub(super) fn touch(&mut self, warp: &Warp<'_>, more: &[GroupedLoad]) -> Option<bool> {
        let (first, writes, words) = (warp.at.warp * 32, warp.kind.writes(), warp.words());
        let mut is_new = false;
        // If `is_whole` is false, the access may cover parts of words.
        let is_whole = words.is_power_of_two();
        let (ranges, count) =
            if is_whole && !writes { shared_ranges(warp) } else { Default::default() };
        if count != 0 {
            for range in &ranges[..count] {
                is_new |= self.touch_ranges(*range, more, first)?;
            }
            return Some(is_new);
        }
        let row = RowAccess { thread: first, shift: words.trailing_zeros(), writes };
        for by in once(0).chain(more.iter().map(|further| further.offset)) {
            let is_aligned = |at: u64| at.wrapping_add(by).is_multiple_of(4);
            is_new |= match warp.arrangement() {
                _ if !is_whole => self.touch_lanes(warp, by)?,
                Arrangement::Row(at) if is_aligned(at) => {
                    self.touch_row(at.wrapping_add(by), warp.at.lanes, &row)?
                }
                _ => match &warp.octets {
                    Some(octets) if octets.iter().all(|octet| is_aligned(octet.at)) => {
                        if !are_apart(octets) {
                            return None;
                        }
                        let mut any = false;
                        for (i, octet) in (0..).zip(octets) {
                            let row = RowAccess { thread: first + 8 * i, ..row };
                            any |= self.touch_row(octet.at.wrapping_add(by), 0xff, &row)?;
                        }
                        any
                    }
                    _ => self.touch_words(warp, by)?,
                },
            };
        }
        Some(is_new)
    }

    /// The state of the line with this number, for the current access; `None` if the access has to
    /// be recorded in the shadow memory.
    #[inline]
    fn line(&mut self, number: u64) -> Option<&mut LineAccesses> {
        let i = number as usize;
        if i >= self.lines.len() {
            if number >= MAX_BYTES / LINE {
                return None;
            }
            self.lines.resize_with(i + 1, LineAccesses::default);
        }
        let line = &mut self.lines[i];
        line.begin(self.interval, &self.by).then_some(line)
    }

    /// Records that consecutive lanes access consecutive words. `at` is the address of lane 0, even
    /// if lane 0 is inactive.
    #[inline]
    fn touch_row(&mut self, at: u64, lanes: u32, row: &RowAccess) -> Option<bool> {
        let (lowest, highest) = (lanes.trailing_zeros(), 31 - lanes.leading_zeros());
        // The number of lane 0's first word, which is negative if lane 0 is inactive and would
        // access memory before address 0.
        let first = at.cast_signed() / 4;
        let begin = first + (i64::from(lowest) << row.shift);
        let end = first + (i64::from(highest + 1) << row.shift);
        let (mut word, all) = (u64::try_from(begin).ok()?, u64::try_from(end).ok()?);
        let mut is_new = false;
        while word < all {
            let (number, line_end) =
                (word / WORDS as u64, (word / WORDS as u64 + 1) * WORDS as u64);
            let mut words = between(word, all.min(line_end));
            // The number of words from lane 0's first word to the line's first word.
            let offset = (number * WORDS as u64).cast_signed() - first;
            if lanes != u32::MAX {
                words &= words_of(lanes, offset, row.shift);
            }
            let line = self.line(number)?;
            is_new |= line.row(words, (row.thread, offset, row.shift), row.writes)?;
            word = line_end;
        }
        Some(is_new)
    }

    /// Records loads of the same words by several lanes of a warp: of `len` bytes at `at`, and of
    /// as many bytes for each further load. Loads of neighbouring words are recorded together.
    #[inline]
    fn touch_ranges(
        &mut self,
        (at, len): (u64, u64),
        more: &[GroupedLoad],
        thread: u32,
    ) -> Option<bool> {
        let (mut is_new, mut begin, mut end) = (false, at, at.checked_add(len)?);
        for further in more {
            let next = at.wrapping_add(further.offset);
            if next != end {
                is_new |= self.touch_all(begin, end, thread)?;
                begin = next;
            }
            end = next.checked_add(len)?;
        }
        Some(is_new | self.touch_all(begin, end, thread)?)
    }

    /// Records that several lanes of a warp load each of the words in `begin..end` (addresses).
    #[inline]
    fn touch_all(&mut self, begin: u64, end: u64, thread: u32) -> Option<bool> {
        let (mut is_new, mut word, all) = (false, begin / 4, end.div_ceil(4));
        while word < all {
            let line_end = (word / WORDS as u64 + 1) * WORDS as u64;
            let words = between(word, all.min(line_end));
            is_new |= self.line(word / WORDS as u64)?.load_all(words, thread)?;
            word = line_end;
        }
        Some(is_new)
    }

    /// Records lanes with arbitrary addresses, each increased by `by` bytes. The lanes may access
    /// parts of words.
    fn touch_lanes(&mut self, warp: &Warp<'_>, by: u64) -> Option<bool> {
        let (first, writes) = (warp.at.warp * 32, warp.kind.writes());
        self.each_word(warp, by, |line, i, lane| line.one(i, first + lane, writes))
    }

    /// Calls `record` for each word that a lane accesses, with the state of the word's line, the
    /// word's index in the line, and the lane. `by` is added to each address. Returns `None` as
    /// soon as `record` returns false.
    #[inline]
    pub(super) fn each_word(
        &mut self,
        warp: &Warp<'_>,
        by: u64,
        record: impl Fn(&mut LineAccesses, u32, u32) -> bool,
    ) -> Option<bool> {
        for lane in lanes(warp.at.lanes) {
            let at = warp.address(lane).wrapping_add(by);
            let end = at.checked_add(warp.access.bytes().into())?.div_ceil(4);
            for word in at / 4..end {
                let line = self.line(word / WORDS as u64)?;
                if !record(line, (word % WORDS as u64) as u32, lane) {
                    return None;
                }
            }
        }
        Some(true)
    }

    /// Does [`Self::touch_lanes`] for accesses of whole words. Neighbouring lanes that access
    /// different words of one line are recorded together.
    fn touch_words(&mut self, warp: &Warp<'_>, by: u64) -> Option<bool> {
        let (words, first, writes) = (warp.words(), warp.at.warp * 32, warp.kind.writes());
        let address = |lane: u32| warp.address(lane).wrapping_add(by);
        let (mut is_new, mut rest) = (false, warp.at.lanes);
        while rest != 0 {
            let (lane, next) = (rest.trailing_zeros(), rest & (rest - 1));
            let (at, number) = (address(lane), address(lane) / LINE);
            if words == 1 && (next == 0 || address(next.trailing_zeros()) / LINE != number) {
                let i = (at % LINE / 4) as u32;
                if !self.line(number)?.one(i, first + lane, writes) {
                    return None;
                }
                (is_new, rest) = (true, next);
                continue;
            }
            let (mut mask, mut whose, mut all) = (0, [0; WORDS], rest);
            while all != 0 {
                let (lane, at) = (all.trailing_zeros(), address(all.trailing_zeros()));
                let i = (at % LINE / 4) as usize;
                let those = ((1_u64 << words) - 1) << i;
                if at / LINE != number || those >> WORDS != 0 || mask & those as u32 != 0 {
                    break;
                }
                mask |= those as u32;
                whose[i..i + words].fill((first + lane) as u16);
                all &= all - 1;
            }
            let together = rest & !all;
            if together == 0 {
                // The access is misaligned, or crosses the end of a line.
                return None;
            }
            let line = self.line(number)?;
            is_new |= line.scattered(mask, &whose, first, writes)?;
            rest = all;
        }
        Some(is_new)
    }
}

/// Whether each octet accesses consecutive memory, and no two octets are equal.
fn are_apart(octets: &[Octet; 4]) -> bool {
    (0..4).all(|i| octets[i].is_row && !octets[..i].contains(&octets[i]))
}

/// The memory that a load of whole words reads, if several lanes read the same words: up to four
/// ranges (address and length), and their number. The number is 0 for other loads.
#[inline]
fn shared_ranges(warp: &Warp<'_>) -> ([(u64, u64); 4], usize) {
    let (mut ranges, mut count) = ([(0, 0); 4], 0);
    let bytes = u64::from(warp.access.bytes());
    match (warp.arrangement(), &warp.octets) {
        (Arrangement::One(at), _) if !warp.at.lanes.is_power_of_two() => {
            (ranges[0], count) = ((at, bytes), 1);
        }
        (_, Some(octets))
            if octets.iter().all(|o| o.at.is_multiple_of(4)) && !are_apart(octets) =>
        {
            // Equal octets read the same words, and adjacent ranges are merged.
            for (i, octet) in octets.iter().enumerate() {
                if octets[..i].contains(octet) {
                    continue;
                }
                let len = if octet.is_row { 8 * bytes } else { bytes };
                match ranges[..count].last_mut() {
                    Some((at, all)) if *at + *all == octet.at => *all += len,
                    _ => {
                        ranges[count] = (octet.at, len);
                        count += 1;
                    }
                }
            }
        }
        _ => {}
    }
    (ranges, count)
}

/// Consecutive lanes that access consecutive words.
#[derive(Clone, Copy)]
struct RowAccess {
    /// Number of lane 0's thread in the CTA.
    thread: u32,
    /// The binary logarithm of the number of words that each lane accesses.
    shift: u32,
    writes: bool,
}

/// A mask of the words of a line from number `first` to `end`, which is not included. The numbers
/// count from address 0; `end` may be the first word of the next line.
#[inline]
fn between(first: u64, end: u64) -> u32 {
    let (low, count) = (first % WORDS as u64, end - first);
    (((1_u64 << count) - 1) << low) as u32
}

/// A mask of the words of a line that active lanes access. `offset` is the number of words from
/// lane 0's first word to the line's first word.
fn words_of(lanes: u32, offset: i64, shift: u32) -> u32 {
    if shift == 0 && offset.unsigned_abs() < 32 {
        return if offset < 0 { lanes << -offset } else { lanes >> offset };
    }
    let has = |i: &i64| {
        let lane = (offset + i) >> shift;
        (0..32).contains(&lane) && lanes >> lane & 1 == 1
    };
    (0..WORDS as i64).filter(has).fold(0, |words, i| words | 1 << i)
}
