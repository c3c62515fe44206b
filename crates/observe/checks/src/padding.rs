//! Decides whether unwritten bytes are the padding of an array of structures. The module is given
//! the runs of unwritten bytes in a range, and returns the size and padding of a structure that
//! explains all runs.

use std::ops::Range;

/// Maximum number of runs of padding in one structure.
const MOST_RUNS: usize = 16;
/// The largest alignment of a type.
const LARGEST: u64 = 16;

/// An array of structures that have padding at the same offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// Size of a structure in bytes.
    pub stride: u64,
    /// Number of structures with the padding.
    pub elements: u64,
    /// Number of padding bytes in each structure.
    pub bytes: u64,
}

impl Padding {
    /// Explains sorted, disjoint runs of unwritten bytes in a range of `len` bytes as padding. The
    /// runs must be at the same offsets in each structure, and each run must end where a member
    /// with a suitable alignment can follow. `None` if no size of a structure fulfils this.
    pub fn of(runs: &[Range<u64>], len: u64) -> Option<Self> {
        let most = MOST_RUNS.min(runs.len() / 2);
        (1..=most).find_map(|count| Self::with(runs, count, len))
    }

    /// Tries structures with `count` runs of padding each.
    fn with(runs: &[Range<u64>], count: usize, len: u64) -> Option<Self> {
        let stride = runs[count].start - runs[0].start;
        let next = runs.iter().zip(&runs[count..]);
        let repeats =
            next.clone().all(|(a, b)| a.start + stride == b.start && a.end + stride == b.end);
        let elements = len.div_ceil(stride);
        let own = &runs[..count];
        // The last structure may extend beyond the range.
        let is_all = runs[0].start < stride && runs[runs.len() - 1].end + stride > len;
        let is_padding = || own.iter().all(|run| is_padding(run, own, stride));
        let bytes = own.iter().map(|run| run.end - run.start).sum();
        (repeats && is_all && is_padding()).then_some(Self { stride, elements, bytes })
    }
}

/// Whether a run can be padding: it starts behind a member, is shorter than the alignment of the
/// member that follows, and the structure has room for a written member of that alignment.
fn is_padding(run: &Range<u64>, all: &[Range<u64>], stride: u64) -> bool {
    let align = (run.end - run.start + 1).next_power_of_two();
    let is_written = |at: u64| all.iter().all(|run| run.end <= at || run.start >= at + align);
    let fits = align <= LARGEST && run.end.is_multiple_of(align) && stride.is_multiple_of(align);
    fits && run.start > 0
        && run.end <= stride
        && (0..stride / align).any(|slot| is_written(slot * align))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The runs of an array of `elements` structures of `stride` bytes. Each structure has the runs
    /// `offsets` (start, end).
    fn runs(offsets: &[(u64, u64)], stride: u64, elements: u64) -> Vec<Range<u64>> {
        let element =
            |n: u64| offsets.iter().map(move |(start, end)| start + n * stride..end + n * stride);
        (0..elements).flat_map(element).collect()
    }

    #[test]
    fn members_and_what_is_between() {
        let of = |offsets: &[(u64, u64)], stride: u64| {
            Padding::of(&runs(offsets, stride, 4), 4 * stride).map(|found| found.bytes)
        };
        // { char; double }, { double; int }, { char; short; int; char }, { short; int }
        assert_eq!(of(&[(1, 8)], 16), Some(7));
        assert_eq!(of(&[(12, 16)], 16), Some(4));
        assert_eq!(of(&[(1, 2), (9, 12)], 12), Some(4));
        assert_eq!(of(&[(2, 4)], 8), Some(2));
        // Not padding: every other float or float2, a missing first member, bytes beside members
        // without alignment.
        assert_eq!(of(&[(4, 8)], 8), None);
        assert_eq!(of(&[(8, 16)], 16), None);
        assert_eq!(of(&[(0, 4)], 16), None);
        assert_eq!(of(&[(5, 7)], 8), None);
    }

    #[test]
    fn every_element_has_it() {
        let mut all = runs(&[(1, 8)], 16, 8);
        assert_eq!(Padding::of(&all, 128), Some(Padding { stride: 16, elements: 8, bytes: 7 }));
        // At the end more bytes are unwritten than a structure's padding.
        assert_eq!(Padding::of(&all, 256), None);
        // One structure is wholly unwritten.
        all[3] = 49..64;
        assert_eq!(Padding::of(&all, 128), None);
        // The runs of a single structure do not repeat, and prove nothing.
        assert_eq!(Padding::of(&runs(&[(1, 8)], 16, 1), 16), None);
        assert_eq!(Padding::of(&[], 16), None);
    }
}
