//! Races of stream-ordered allocations and frees of memory pools (check `race`).

use super::*;
use super::{QueuePosition, log};
use crate::allocation_trace::lines;

/// Records a stream-ordered allocation from a pool, given its range and number.
pub(crate) fn allocated(position: &QueuePosition, range: (u64, u64), number: u64) {
    crate::check_log::with_race(|race| race.pool_allocated(position.work(), range, number));
}

/// Records a stream-ordered free, and reports kernels that use the memory concurrently.
pub(crate) fn freed(position: &QueuePosition, range: (u64, u64), number: u64) {
    let Some(log) = log() else { return };
    let Some(race) = log.race() else { return };
    let Some((end, stores)) = race.accessed(Some(position.work()), range, true) else { return };
    let (does, here) = super::by_kernel(stores);
    let message = format!(
        "memory of a pool ({}, allocation {number}) is freed in a stream, a kernel of another stream {does} it, and nothing \
         orders the two",
        Count(range.1, "byte")
    );
    let mut finding = Finding::of_process(rules::RACE_POOL_FREE, message, lines(number));
    finding.other = Some((here.to_owned(), end));
    log.found(finding);
    report_new(None, (0, None));
}

/// Reports a copy or memory set that uses pool memory without waiting for its allocation.
pub(super) fn copied(position: &QueuePosition, range: (u64, u64), done: &str) {
    let Some(log) = log() else { return };
    let used = log.race().and_then(|race| race.pool_used(position.work(), range));
    let Some(number) = used else { return };
    let message = format!(
        "{} of a pool (allocation {number}) are {done} by a copy or fill in a stream that does not wait for the allocation",
        Count(range.1, "byte")
    );
    log.found(Finding::of_process(rules::RACE_POOL_ALLOCATION, message, lines(number)));
    report_new(None, (0, None));
}

/// Reports kernels that have used pool memory without waiting for its allocation.
pub(super) fn used() {
    let Some(log) = log() else { return };
    let uses = log.race().map(|race| race.take_pool_uses()).unwrap_or_default();
    for used in uses {
        let number = used.number;
        let (does, here) = super::by_kernel(used.stores);
        let message = format!(
            "a kernel {does} memory of a pool (allocation {number}) in a stream that does not wait for the allocation"
        );
        let mut finding = Finding::of_process(rules::RACE_POOL_ALLOCATION, message, lines(number));
        finding.other = used.end.map(|end| (here.to_owned(), end));
        log.found(finding);
    }
}
