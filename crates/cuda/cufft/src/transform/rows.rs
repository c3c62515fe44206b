//! Distributes rows over host threads in chunks of a fixed size.

use texunit_client::work::threads;

/// Minimum elements of a chunk, so that the work outweighs the cost of a thread.
const PART: usize = 1 << 14;
/// Chunks are multiples of this number of rows, as some FFTs process several rows at once.
const TOGETHER: usize = 8;

/// Rows of a chunk whose rows have `size` elements.
fn rows_of_part(size: usize) -> usize {
    PART.div_ceil(size.max(1)).next_multiple_of(TOGETHER)
}

/// Calls a function for each chunk of rows in two buffers with rows of equal length.
pub(super) fn each_rows<A: Send, B: Send>(
    size: usize,
    from: &mut [A],
    to: &mut [B],
    work: impl Fn(&mut [A], &mut [B]) + Sync,
) {
    let part = rows_of_part(size) * size;
    let parts = from.chunks_mut(part).zip(to.chunks_mut(part));
    divided(parts.collect(), |(from, to)| work(from, to));
}

/// Calls a function for each chunk of rows in two buffers with rows of different lengths.
pub(super) fn each_row<A: Send, B: Send>(
    [size, size_to]: [usize; 2],
    from: &mut [A],
    to: &mut [B],
    work: impl Fn(std::iter::Zip<std::slice::ChunksExactMut<'_, A>, std::slice::ChunksExactMut<'_, B>>)
    + Sync,
) {
    let rows = rows_of_part(size.max(size_to));
    let parts = from.chunks_mut(rows * size).zip(to.chunks_mut(rows * size_to));
    divided(parts.collect(), |(from, to)| {
        work(from.chunks_exact_mut(size).zip(to.chunks_exact_mut(size_to)));
    });
}

/// Processes items in parallel on host threads.
pub(super) fn divided<T: Send>(items: Vec<T>, work: impl Fn(T) + Sync) {
    let share = items.len().div_ceil(threads()).max(1);
    let mut items = items.into_iter();
    let shares = std::iter::from_fn(|| {
        let share: Vec<T> = items.by_ref().take(share).collect();
        (!share.is_empty()).then_some(share)
    });
    let shares: Vec<Vec<T>> = shares.collect();
    texunit_threads::each(shares, |share| share.into_iter().for_each(&work));
}
