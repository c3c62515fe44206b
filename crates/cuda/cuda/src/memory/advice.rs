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
    fn ranges_are_split_and_joined() {
        let mut map = AdviceMap::new(1000);
        map.change(1200..1400, |advice| advice.read_mostly = true);
        let read_mostly = |map: &AdviceMap, range| map.common(range, |advice| advice.read_mostly);
        assert_eq!(read_mostly(&map, 1200..1400), Some(true));
        assert_eq!(read_mostly(&map, 1199..1400), None);
        assert_eq!(read_mostly(&map, 1300..1401), None);
        assert_eq!(read_mostly(&map, 1400..1500), Some(false));
        map.change(1000..1300, |advice| advice.read_mostly = true);
        assert_eq!(read_mostly(&map, 1000..1400), Some(true));
        map.change(1000..2000, |advice| advice.read_mostly = false);
        assert_eq!(map.0.len(), 1);
    }
}
