//! Merges the sets of all ranges of a grid into memory, or finds the conflict that prevents it.

mod page;

use crate::object::Objects;
use crate::set::{AccessedBytes, ObjectSets, Run, Sets};
use page::{Access, Pages};
use texunit_device::{CtaRange, LaunchStats};
use texunit_syntax::Span;

/// How a range of CTAs accesses bytes of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// A range of CTAs reads the bytes.
    Reads,
    /// A range of CTAs writes the bytes.
    Writes,
    /// A range of CTAs combines the bytes with other numbers, without using the result.
    Reduces,
}

impl Does {
    /// The access as a verb for messages: `reads`.
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
pub struct ConflictSide {
    /// The range of CTAs.
    pub ctas: CtaRange,
    /// How the range of CTAs accesses the bytes.
    pub does: Does,
    /// The first instruction of the range of CTAs that accesses the bytes so.
    pub span: Span,
}

/// Bytes that two ranges access in conflicting ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Number of the object.
    pub object: u32,
    /// Offset of the first conflicting byte.
    pub offset: u64,
    /// The two ranges and their accesses; first the range with the lower CTA numbers.
    pub ends: [ConflictSide; 2],
}

/// Why sets cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// The list of sets to merge is empty.
    #[error("there are no sets to merge")]
    Nothing,
    /// The set with this index in the list is not of the launch that the sets are merged for.
    #[error(
        "it is of another launch: of another job, with other options, or with other bytes in memory to begin with"
    )]
    Other(usize),
    /// CTAs that no set covers.
    #[error("no set has the CTAs {0}")]
    Missing(CtaRange),
    /// CTAs that two sets cover, and the indices of the two sets in the list.
    #[error("two sets have the CTAs {0}")]
    Twice(CtaRange, usize, usize),
    /// The set with this index has an object that the launch lacks, or one of another size.
    #[error("it names memory that the launch does not have")]
    Object(usize),
    /// One range of CTAs reads or changes bytes that another range changes.
    #[error("ranges of CTAs depend on each other")]
    Conflict(Conflict),
}

/// The result of a merge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// The ranges' counters added up, and their `printf` output in the order of CTAs.
    pub stats: LaunchStats,
    /// Number of bytes written to memory.
    pub bytes: u64,
}

/// Writes the results of all ranges into `objects`, which must hold the initial memory. On an error
/// nothing is written. `printf_limit` is the launch's limit for output.
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
                let second = ConflictSide { ctas: sets.range(), does, span };
                let before = order[..n].iter().map(|&i| &all[i]);
                let first = other_end(before, (of.number, offset), does);
                let ends = [first.unwrap_or(second), second];
                return Err(MergeError::Conflict(Conflict { object: of.number, offset, ends }));
            }
        }
        for of in &sets.objects {
            let pages = &mut pages[of.number as usize];
            accesses(of).for_each(|(run, access, _)| pages.add(run, &access));
        }
    }
    let bytes = pages.iter().map(Pages::commit).sum();
    Ok(Merged { stats: stats(order.iter().map(|&i| &all[i].stats), printf_limit), bytes })
}

/// Indices of the sets in the order of their CTAs, after checking that they cover the grid exactly.
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

/// The first byte of an object at which a range conflicts with earlier ranges, with the range's
/// access and instruction.
fn first_conflict(pages: &Pages, of: &ObjectSets) -> Option<(u64, Does, Span)> {
    let found = accesses(of)
        .filter_map(|(run, access, span)| Some((pages.conflict(run, &access)?, access.does, span)));
    // If several accesses conflict at this byte, the first access is named.
    found.min_by_key(|found| found.0)
}

/// The accesses to an object, one for each run of sectors: reads, then writes, then reductions.
fn accesses(of: &ObjectSets) -> impl Iterator<Item = (Run, Access<'_>, Span)> {
    let all = [(Does::Reads, &of.reads), (Does::Writes, &of.writes), (Does::Reduces, &of.folds)];
    let parts = all.into_iter().flat_map(|(does, parts)| parts.iter().map(move |p| (does, p)));
    parts.flat_map(|(does, part)| {
        let mut rest = &part.values[..];
        part.runs.iter().map_while(move |run| {
            let len = if does == Does::Reads { 0 } else { run.bytes() as usize };
            let (values, behind) = rest.split_at_checked(len)?;
            rest = behind;
            Some((*run, Access { does, fold: part.fold, values }, part.span))
        })
    })
}

/// The access of an earlier range with which a later access conflicts.
fn other_end<'s>(
    mut before: impl Iterator<Item = &'s Sets>,
    (number, offset): (u32, u64),
    does: Does,
) -> Option<ConflictSide> {
    before.find_map(|sets| {
        let of = sets.objects.iter().find(|of| of.number == number)?;
        let reads = if does == Does::Reads { &[][..] } else { &of.reads };
        let all =
            [(Does::Writes, &of.writes[..]), (Does::Reduces, &of.folds), (Does::Reads, reads)];
        all.into_iter().find_map(|(does, parts)| {
            let has = |part: &&AccessedBytes| part.runs.iter().any(|run| run.has(offset));
            let part = parts.iter().find(has)?;
            Some(ConflictSide { ctas: sets.range(), does, span: part.span })
        })
    })
}

/// The line that replaces the beginning of `printf` output, if the beginning was dropped.
const CUT: &[u8] = b"[texunit: older printf output was dropped]\n";

/// Adds up counters, and concatenates output, of which only the newest `limit` bytes are kept as in
/// a single launch.
fn stats<'s>(all: impl Iterator<Item = &'s LaunchStats>, limit: usize) -> LaunchStats {
    let (mut sum, mut cut) = (LaunchStats::default(), false);
    for stats in all {
        sum.warp_instructions = sum.warp_instructions.wrapping_add(stats.warp_instructions);
        sum.thread_instructions = sum.thread_instructions.wrapping_add(stats.thread_instructions);
        sum.fetches = sum.fetches.wrapping_add(stats.fetches);
        sum.surface_accesses = sum.surface_accesses.wrapping_add(stats.surface_accesses);
        sum.divisions_by_zero = sum.divisions_by_zero.wrapping_add(stats.divisions_by_zero);
        // Fusion depends on the code alone, so it is the same for all ranges of CTAs.
        sum.fusion = stats.fusion;
        match stats.printf.strip_prefix(CUT) {
            // This range has dropped output, and all output of earlier ranges is older.
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
        // The output must not begin inside a line.
        let line = newest.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1);
        sum.printf = newest[line..].to_vec();
    }
    if cut {
        sum.printf.splice(..0, CUT.iter().copied());
    }
    sum
}

#[cfg(test)]
mod tests;
