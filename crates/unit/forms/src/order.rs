//! Sorting for code that does not run often.

use std::cmp::Ordering;

/// Sorts values by a key; values with equal keys keep their order. All types share one compiled
/// sort, where each type and key of [`slice::sort_by_key`] has its own.
pub fn sort_by_key<T, K: Ord>(values: &mut [T], key: impl Fn(&T) -> K) {
    let mut order = order(values.len(), &|a, b| key(&values[a]).cmp(&key(&values[b])));
    // Each cycle of the permutation is followed once.
    for start in 0..values.len() {
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            values.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

/// The indices below `len`, sorted.
fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}
