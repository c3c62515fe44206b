//! Checks of CTA barriers (`bar.sync`, `barrier.sync`): warps that arrive divergently or at
//! different barrier instructions, too many arrivals, and threads that exited before.

use super::{Reporter, lanes_in_words};
use crate::rules;
use crate::sink::{LaunchFinding, Other, OtherAt};
use texunit_forms::Count;
use texunit_simt::observe::At;

/// Number of barrier resources of a CTA.
const BARRIERS: usize = 16;

/// For each barrier of a CTA, the arrivals since the barrier last completed.
#[derive(Default)]
pub(super) struct Barriers([Vec<Arrival>; BARRIERS]);

/// The arrival of a warp's lanes at a barrier.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) at: At,
    pub(super) threads: Option<u32>,
    pub(super) waits: bool,
    /// Whether the executor let these lanes run ahead of the warp's other lanes
    /// ([`texunit_simt::observe::Synchronization::Arrives`]).
    pub(super) ahead: bool,
    /// Number of threads of the CTA that had exited before the arrival.
    pub(super) exited: u32,
}

impl Barriers {
    pub(super) fn clear(&mut self) {
        self.0.iter_mut().for_each(Vec::clear);
    }

    pub(super) fn arrive(&mut self, reporter: &Reporter<'_>, arrived: Arrival, barrier: u32) {
        let Some(all) = self.0.get_mut(barrier as usize) else { return };
        let threads = arrived.threads;
        all.push(arrived);
        // The simulator reports no completion of a barrier at which no thread waits (`bar.arrive`
        // only).
        let is_open = threads.is_some_and(|wanted| counted(all) >= wanted);
        if is_open && !all.iter().any(|arrival| arrival.waits) {
            self.pass(reporter, barrier);
        }
    }

    /// Checks the arrivals at a barrier that completes.
    pub(super) fn pass(&mut self, reporter: &Reporter<'_>, barrier: u32) {
        let Some(all) = self.0.get_mut(barrier as usize) else { return };
        let Some(first) = all.first() else { return };
        let met = || match first.threads {
            Some(threads) => too_many(reporter, all, barrier, threads),
            None => apart(reporter, all, barrier),
        };
        let found = diverged(reporter, all, barrier).or_else(met);
        let found = found.or_else(|| missed(reporter, all, barrier));
        found.into_iter().for_each(|found| reporter.sink.found(found));
        all.clear();
    }

    /// At the end of a CTA, reports the barriers with a thread count that too few threads have
    /// reached.
    pub(super) fn end(&mut self, reporter: &Reporter<'_>) {
        for (barrier, all) in self.0.iter_mut().enumerate() {
            let first =
                all.first().and_then(|first| Some((reporter.first(&first.at), first.threads?)));
            let Some((spot, threads)) = first else { continue };
            let (arrived, threads) = (counted(all), Count(threads, "thread"));
            let message = format!(
                "barrier {barrier} is for {threads}, and only {arrived} have come to it when the CTA ended"
            );
            reporter.sink.found(LaunchFinding::new(rules::SYNC_BARRIER_COUNT, spot, message));
            all.clear();
        }
    }
}

/// The number of arrived threads, as a barrier with a thread count counts them: in whole warps.
fn counted(all: &[Arrival]) -> u32 {
    let mut warps: Vec<u32> = all.iter().map(|arrival| arrival.at.warp).collect();
    warps.sort_unstable();
    warps.dedup();
    warps.len() as u32 * 32
}

/// Whether the barrier instruction is `.aligned`: all threads of a warp must execute it together.
fn is_aligned(reporter: &Reporter<'_>, op: u32) -> bool {
    let mut words = reporter.listing.words(op);
    words.next() == Some("bar") || words.any(|word| word == "aligned")
}

/// Reports an aligned barrier instruction that only some lanes of a warp execute together.
fn diverged(reporter: &Reporter<'_>, all: &[Arrival], barrier: u32) -> Option<LaunchFinding> {
    let found = |at: &At, words| {
        LaunchFinding::new(rules::SYNC_BARRIER_DIVERGENT, reporter.first(at), words)
    };
    for (i, arrival) in all.iter().enumerate() {
        let at = &arrival.at;
        let who = |at: &At| format!("{} of warp {}", lanes_in_words(at.lanes), at.warp);
        // Only the executor lets lanes run ahead to the same instruction; on a GPU they would
        // arrive together.
        let is_apart = |other: &&Arrival| {
            other.at.warp == at.warp && !(other.at.op == at.op && (arrival.ahead || other.ahead))
        };
        let other = all[i + 1..].iter().find(is_apart);
        let elsewhere = reporter.threads.live(at.warp) & !at.lanes;
        let is_divided = other.is_some() || elsewhere != 0 && arrival.threads.is_some();
        if !is_divided || !is_aligned(reporter, at.op) {
            continue;
        }
        if let Some(other) = other {
            // The order in which the executor runs diverged lanes must not influence the report.
            let (at, other) = if at.lanes.trailing_zeros() <= other.at.lanes.trailing_zeros() {
                (at, &other.at)
            } else {
                (&other.at, at)
            };
            let how = if at.op == other.op { "apart from" } else { "at another place than" };
            let (who, whom) = (who(at), lanes_in_words(other.lanes));
            let message = format!("{who} come to barrier {barrier} {how} {whom} of the same warp");
            let other = meets(reporter, at, other);
            return Some(LaunchFinding { other, ..found(at, message) });
        }
        let (who, rest) = (who(at), lanes_in_words(elsewhere));
        return Some(found(at, format!("{who} come to barrier {barrier}, and {rest} do not")));
    }
    None
}

/// The thread of another arrival, if it arrived at a different instruction.
fn meets(reporter: &Reporter<'_>, at: &At, other: &At) -> Option<Other> {
    let here = OtherAt::Here(reporter.first(other));
    (at.op != other.op).then(|| Other { what: "comes to it here".to_owned(), at: here })
}

/// Reports warps that arrive at different `.aligned` instructions of a barrier for all threads.
/// Instructions that are not aligned may differ.
fn apart(reporter: &Reporter<'_>, all: &[Arrival], barrier: u32) -> Option<LaunchFinding> {
    let op = all.first()?.at.op;
    // Most barriers are reached at one instruction only.
    if all.iter().all(|arrival| arrival.at.op == op) {
        return None;
    }
    let aligned = || all.iter().filter(|arrival| is_aligned(reporter, arrival.at.op));
    let first = aligned().min_by_key(|arrival| arrival.at.warp)?.at;
    let other = aligned().filter(|other| other.at.op != first.op && other.at.warp != first.warp);
    let other = other.min_by_key(|arrival| arrival.at.warp)?.at;
    let message = format!(
        "warps {} and {} meet at barrier {barrier} for all threads of the CTA, at different places",
        first.warp, other.warp
    );
    let found = LaunchFinding::new(rules::SYNC_BARRIER_PLACES, reporter.first(&first), message);
    Some(LaunchFinding { other: meets(reporter, &first, &other), ..found })
}

/// Reports that more threads have arrived than the barrier's thread count.
fn too_many(
    reporter: &Reporter<'_>,
    all: &[Arrival],
    barrier: u32,
    threads: u32,
) -> Option<LaunchFinding> {
    let arrived = counted(all);
    let last = all.last().filter(|_| arrived > threads)?;
    let threads = Count(threads, "thread");
    let message = format!("barrier {barrier} is for {threads}, and {arrived} have come to it");
    Some(LaunchFinding::new(rules::SYNC_BARRIER_COUNT, reporter.first(&last.at), message))
}

/// Reports a barrier for all threads that some threads cannot reach, because they had exited
/// before.
fn missed(reporter: &Reporter<'_>, all: &[Arrival], barrier: u32) -> Option<LaunchFinding> {
    let threads = &reporter.threads;
    let exited = all.iter().map(|arrival| arrival.exited).fold(threads.exited, u32::max);
    let left = threads.left.filter(|_| exited > 0 && all[0].threads.is_none())?;
    let first = all.iter().min_by_key(|arrival| arrival.at.warp)?;
    let (threads, have) = if exited == 1 { ("1 thread", "has") } else { ("threads", "have") };
    let number = if exited == 1 { String::new() } else { format!("{exited} ") };
    let message = format!(
        "{number}{threads} of the CTA {have} exited without coming to barrier {barrier}, which is for all threads"
    );
    let other = Other { what: "exits here".to_owned(), at: OtherAt::Here(reporter.first(&left)) };
    let found = LaunchFinding::new(rules::SYNC_BARRIER_MISSED, reporter.first(&first.at), message);
    Some(LaunchFinding { other: Some(other), ..found })
}
