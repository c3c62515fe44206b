//! Random numbers that a seed decides: splitmix64.

/// A generator. Equal seeds give equal numbers, on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    #[cfg(test)]
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of the item with this number: items do not depend on each other.
    pub(crate) fn of_item(seed: u64, item: u64) -> Self {
        let mut random = Self(seed ^ item.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of a list that is not empty.
    pub(crate) fn pick<'t, T: ?Sized>(&mut self, list: &'t [&'t T]) -> &'t T {
        list[self.below(list.len())]
    }

    /// One of a list of values that is not empty.
    pub(crate) fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}
