//! The sets of all ranges of a grid as the bytes of one launch, or why they are not.

mod page;

use crate::fold::Fold;
use crate::object::Objects;
use crate::runs::{Part, Run, SECTOR};
use crate::set::{ObjectSets, Sets};
use page::Pages;
use texunit_device::{CtaRange, LaunchStats};
use texunit_syntax::Span;

/// What a range does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// It reads them.
    Reads,
    /// It writes them.
    Writes,
    /// It combines them with numbers of its own, and does not look.
    Reduces,
}

impl Does {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reads => "read",
            Self::Writes => "written",
            Self::Reduces => "reduced",
        }
    }
}

/// One side of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The range.
    pub ctas: CtaRange,
    /// What it does.
    pub does: Does,
    /// The instruction that was the first of the range to do it there.
    pub span: Span,
}

/// Bytes that ranges do not agree about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Number of the object.
    pub object: u32,
    /// The first of these bytes in it.
    pub offset: u64,
    /// The range with the lower CTAs, and the other one.
    pub ends: [End; 2],
}

/// Why sets are not merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There are none.
    #[error("there are no sets to merge")]
    Nothing,
    /// Sets of another launch: the number in the list.
    #[error(
        "it is of another launch: of another job, with other options, or with other bytes in memory to begin with"
    )]
    Other(usize),
    /// CTAs that are in no set.
    #[error("no set has the CTAs {0}")]
    Missing(CtaRange),
    /// CTAs that are in two sets: numbers in the list.
    #[error("two sets have the CTAs {0}")]
    Twice(CtaRange, usize, usize),
    /// An object that the launch does not have, or of another size: the number in the list.
    #[error("it names memory that the launch does not have")]
    Object(usize),
    /// One range reads or changes what another one changes.
    #[error("ranges of CTAs depend on each other")]
    Conflict(Conflict),
}

/// What a merge has done.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// Counters of all ranges together, and their text in the order of CTAs.
    pub stats: LaunchStats,
    /// Bytes that were put into memory.
    pub bytes: u64,
}

/// Puts what ranges have written into objects that hold what they all began with. With an error, nothing is put
/// anywhere. `printf_limit` is that of the launch.
pub fn merge(
    objects: &Objects,
    identity: &[u8; 32],
    all: &[Sets],
    printf_limit: usize,
) -> Result<Merged, MergeError> {
    let order = in_order(identity, all)?;
    let mut pages: Vec<Pages> = objects.list().iter().map(|o| Pages::new(&o.block)).collect();
    for (n, &i) in order.iter().enumerate() {
        let sets = &all[i];
        for of in &sets.objects {
            let pages = pages.get(of.number as usize).ok_or(MergeError::Object(i))?;
            if pages.size() != of.size {
                return Err(MergeError::Object(i));
            }
            if let Some((offset, does, span)) = first_conflict(pages, of) {
                let second = End { ctas: sets.range(), does, span };
                let before = order[..n].iter().map(|&i| &all[i]);
                let first = other_end(before, (of.number, offset), does);
                let first = first.unwrap_or(second);
                let ends = [first, second];
                return Err(MergeError::Conflict(Conflict { object: of.number, offset, ends }));
            }
        }
        for of in &sets.objects {
            add(&mut pages[of.number as usize], of);
        }
    }
    let bytes = pages.iter().map(Pages::commit).sum();
    Ok(Merged { stats: stats(order.iter().map(|&i| &all[i].stats), printf_limit), bytes })
}

/// The numbers of the sets in the order of their CTAs, which are those of the grid.
fn in_order(identity: &[u8; 32], all: &[Sets]) -> Result<Vec<usize>, MergeError> {
    let grid = all.first().ok_or(MergeError::Nothing)?.grid;
    if let Some(i) = all.iter().position(|s| s.identity != *identity || s.grid != grid) {
        return Err(MergeError::Other(i));
    }
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&i| all[i].ctas);
    let (mut next, mut last) = (0, 0);
    for &i in &order {
        let range = all[i].range();
        if range.begin > next {
            return Err(MergeError::Missing(CtaRange { begin: next, end: range.begin }));
        }
        if range.begin < next {
            let end = next.min(range.end);
            return Err(MergeError::Twice(CtaRange { end, ..range }, last, i));
        }
        (next, last) = (range.end, i);
    }
    let end = CtaRange::of_grid(grid).end;
    match next == end {
        true => Ok(order),
        false => Err(MergeError::Missing(CtaRange { begin: next, end })),
    }
}

/// The first byte of an object that does not agree with what ranges before have done, what is done with it, and by which
/// instruction.
fn first_conflict(pages: &Pages, of: &ObjectSets) -> Option<(u64, Does, Span)> {
    let mut first: Option<(u64, Does, Span)> = None;
    let mut take = |offset: Option<u64>, does: Does, span: Span| {
        if let Some(offset) = offset
            && first.is_none_or(|(other, ..)| offset < other)
        {
            first = Some((offset, does, span));
        }
    };
    for part in &of.reads {
        let find = |run: &Run| pages.changed(*run);
        take(part.runs.iter().find_map(find), Does::Reads, part.span);
    }
    for part in &of.writes {
        take(
            of_values(part, |run, values| pages.against_write(run, values)),
            Does::Writes,
            part.span,
        );
    }
    for part in &of.folds {
        let Some(fold) = part.fold else { continue };
        let find = |run: &Run| pages.against_fold(*run, fold);
        take(part.runs.iter().find_map(find), Does::Reduces, part.span);
    }
    first
}

/// The first answer for a run and its values.
fn of_values<T>(part: &Part, mut ask: impl FnMut(Run, &[u8]) -> Option<T>) -> Option<T> {
    let mut values = &part.values[..];
    for run in &part.runs {
        let (own, rest) = values.split_at_checked(run.bytes() as usize)?;
        values = rest;
        if let Some(answer) = ask(*run, own) {
            return Some(answer);
        }
    }
    None
}

/// What an earlier range does with a byte that does not go with what a later one does.
fn other_end<'s>(
    before: impl Iterator<Item = &'s Sets>,
    (number, offset): (u32, u64),
    does: Does,
) -> Option<End> {
    let mut found = None;
    for sets in before {
        let Some(of) = sets.objects.iter().find(|of| of.number == number) else { continue };
        let all =
            [(Does::Writes, &of.writes), (Does::Reduces, &of.folds), (Does::Reads, &of.reads)];
        for (other, parts) in all {
            if does == Does::Reads && other == Does::Reads {
                continue;
            }
            let has = |part: &&Part| part.runs.iter().any(|run| run.has(offset));
            if let Some(part) = parts.iter().find(has) {
                found = Some(End { ctas: sets.range(), does: other, span: part.span });
                break;
            }
        }
        if found.is_some() {
            break;
        }
    }
    found
}

/// Takes over what a range has done to an object.
fn add(pages: &mut Pages, of: &ObjectSets) {
    for run in of.reads.iter().flat_map(|part| &part.runs) {
        pages.read(*run);
    }
    for part in &of.writes {
        of_values(part, |run, values| {
            pages.write(run, values);
            None::<()>
        });
    }
    for part in &of.folds {
        let Some(fold) = part.fold else { continue };
        of_values(part, |run, values| {
            pages.fold(run, fold, values);
            None::<()>
        });
    }
}

/// What text begins with of which the oldest was dropped.
const CUT: &[u8] = b"[texunit: older printf output was dropped]\n";

/// Counters together, and text one behind the other, of which no more is kept than a launch keeps.
fn stats<'s>(all: impl Iterator<Item = &'s LaunchStats>, limit: usize) -> LaunchStats {
    let (mut sum, mut cut) = (LaunchStats::default(), false);
    for stats in all {
        sum.warp_instructions = sum.warp_instructions.wrapping_add(stats.warp_instructions);
        sum.thread_instructions = sum.thread_instructions.wrapping_add(stats.thread_instructions);
        sum.fetches = sum.fetches.wrapping_add(stats.fetches);
        sum.surface_accesses = sum.surface_accesses.wrapping_add(stats.surface_accesses);
        sum.divisions_by_zero = sum.divisions_by_zero.wrapping_add(stats.divisions_by_zero);
        // Of the code, which is the same.
        sum.fusion = stats.fusion;
        match stats.printf.strip_prefix(CUT) {
            // What was before it is not among the newest.
            Some(rest) => {
                cut = true;
                sum.printf = rest.to_vec();
            }
            None => sum.printf.extend_from_slice(&stats.printf),
        }
    }
    if sum.printf.len() > limit {
        cut = true;
        let newest = &sum.printf[sum.printf.len() - limit..];
        // Half a line would be misread.
        let line = newest.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1);
        sum.printf = newest[line..].to_vec();
    }
    if cut {
        sum.printf.splice(..0, CUT.iter().copied());
    }
    sum
}

/// Numbers of a sector that a fold means: where each begins.
fn numbers(mask: u32, fold: Fold) -> impl Iterator<Item = u64> {
    let step = fold.size();
    (0..SECTOR).step_by(step as usize).filter(move |i| mask >> i & 1 == 1)
}

/// The bytes of a run, by sector: its number, and where its values are.
fn sectors(run: Run) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let each = run.mask.count_ones() as usize;
    (0..run.count).map(move |n| (run.first + n, n as usize * each..(n as usize + 1) * each))
}

/// Bytes of a mask, with their numbers among those of it.
fn bytes(mask: u32) -> impl Iterator<Item = (usize, u64)> {
    (0..SECTOR).filter(move |i| mask >> i & 1 == 1).enumerate()
}

#[cfg(test)]
mod tests;
