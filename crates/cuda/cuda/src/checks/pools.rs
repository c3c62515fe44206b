//! Memory of pools in the order of streams (check `race`).

use super::{Stand, log, news};
use texunit_checks::{Finding, rules};
use texunit_forms::Count;

/// Memory of a pool, a range and its number, is allocated in a stream.
pub(crate) fn allocated(stand: &Stand, range: (u64, u64), number: u64) {
    if let Some(race) = super::race() {
        race.pool_allocated(stand.queue, stand.submitted.as_ref(), range, number);
    }
}

/// It is freed there: tells which kernel uses it that does not come before the free.
pub(crate) fn freed(stand: &Stand, range: (u64, u64), number: u64) {
    let Some(log) = log() else { return };
    let Some(race) = log.race() else { return };
    let found = match &stand.submitted {
        Some(work) => race.accessed_by(work, range, true),
        None => race.accessed(Some(stand.queue), range, true),
    };
    let Some((end, stores)) = found else { return };
    let does = if stores { "stores to" } else { "loads from" };
    let message = format!(
        "memory of a pool ({}, allocation {number}) is freed in a stream, a kernel of another stream {does} it, and nothing \
         orders the two",
        Count(range.1, "byte")
    );
    let here = if stores { "is stored here" } else { "is loaded here" };
    let mut finding = Finding::of_process(rules::RACE_POOL_FREE, message, asked(number));
    finding.other = Some((here.to_owned(), end));
    log.found(finding);
    news(None, (0, None));
}

/// It is freed, in a stream or by the host.
pub(crate) fn forgotten(number: u64) {
    if let Some(race) = super::race() {
        race.pool_freed(number);
    }
}

/// A copy or fill uses memory: tells if it is a pool's whose allocation it does not wait for.
pub(super) fn copied(stand: &Stand, range: (u64, u64), done: &str) {
    let Some(log) = log() else { return };
    let used =
        log.race().and_then(|race| race.pool_used(stand.queue, stand.submitted.as_ref(), range));
    let Some(number) = used else { return };
    let message = format!(
        "{} of a pool (allocation {number}) are {done} by a copy or fill in a stream that does not wait for the allocation",
        Count(range.1, "byte")
    );
    log.found(Finding::of_process(rules::RACE_POOL_ALLOCATION, message, asked(number)));
    news(None, (0, None));
}

/// Tells which kernels have used memory whose allocation they do not wait for.
pub(super) fn used() {
    let Some(log) = log() else { return };
    let uses = log.race().map(|race| race.take_pool_uses()).unwrap_or_default();
    for used in uses {
        let number = used.number;
        let message = format!(
            "a kernel {} memory of a pool (allocation {number}) in a stream that does not wait for the allocation",
            if used.stores { "stores to" } else { "loads from" }
        );
        let mut finding = Finding::of_process(rules::RACE_POOL_ALLOCATION, message, asked(number));
        let here = if used.stores { "is stored here" } else { "is loaded here" };
        finding.other = used.end.map(|end| (here.to_owned(), end));
        log.found(finding);
    }
}

/// Where the program asked for the memory.
fn asked(number: u64) -> Vec<String> {
    crate::asked::lines(number)
}
