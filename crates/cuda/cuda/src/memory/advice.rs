//! Advice and prefetches of managed memory (`cuMemAdvise`, `cuMemPrefetchAsync`), recorded by
//! address range. They only affect the results of `cuMemRangeGetAttribute`.

use crate::prelude::*;

/// The advice about a range of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Advice {
    /// Whether the range is mostly read (`CU_MEM_ADVISE_SET_READ_MOSTLY`).
    pub(crate) read_mostly: bool,
    /// `CU_MEM_ADVISE_SET_PREFERRED_LOCATION`.
    pub(crate) preferred: Option<CUmemLocation>,
    /// Locations that access the range (`CU_MEM_ADVISE_SET_ACCESSED_BY`).
    pub(crate) accessed_by: Vec<CUmemLocation>,
    /// Location of the last prefetch.
    pub(crate) prefetched: Option<CUmemLocation>,
}

/// The advice about an allocation; each key is the address from which its value applies.
#[derive(Debug)]
pub(crate) struct AdviceMap(BTreeMap<u64, Advice>);

impl AdviceMap {
    /// Makes an empty map of advice for an allocation at `base`.
    pub(crate) fn new(base: u64) -> Self {
        Self(BTreeMap::from([(base, Advice::default())]))
    }

    /// Changes the advice about a range inside the allocation.
    pub(crate) fn change(&mut self, range: Range<u64>, mut change: impl FnMut(&mut Advice)) {
        for at in [range.start, range.end] {
            let before = self.0.range(..=at).next_back().map(|(_, advice)| advice.clone());
            self.0.entry(at).or_insert(before.unwrap_or_default());
        }
        for (_, advice) in self.0.range_mut(range.clone()) {
            change(advice);
        }
        // Entries equal to their predecessor are merged with it.
        let mut last = None;
        self.0.retain(|_, advice| {
            let keep = last.as_ref() != Some(advice);
            if keep {
                last = Some(advice.clone());
            }
            keep
        });
    }

    /// All advice about parts of a range.
    pub(crate) fn of(&self, range: Range<u64>) -> impl Iterator<Item = &Advice> {
        let start = self.0.range(..=range.start).next_back().map_or(range.start, |(&at, _)| at);
        self.0.range(start..range.end).map(|(_, advice)| advice)
    }

    /// The value of a property of the advice, if it is equal for the whole range.
    pub(crate) fn common<T: PartialEq>(
        &self,
        range: Range<u64>,
        question: impl Fn(&Advice) -> T,
    ) -> Option<T> {
        let mut answers = self.of(range).map(question);
        let first = answers.next()?;
        answers.all(|other| other == first).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_neighbours_are_joined() {
        let mut map = AdviceMap::new(1000);
        for (range, read_mostly) in [(1200..1400, true), (1000..1300, true), (1000..2000, false)] {
            map.change(range, |advice| advice.read_mostly = read_mostly);
        }
        assert_eq!(map.0.len(), 1);
    }
}
