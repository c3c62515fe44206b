//! Races between work on a device and plain loads and stores of the program to managed and pinned
//! memory (`race`).
//!
//! Such memory is mapped twice (`texunit_memory::views`). In the program's mapping, pages written
//! by unfinished work are inaccessible, and pages read by it are read-only. An access raises a
//! signal, whose handler records the access and opens the page; the program then continues. The
//! next API call reports recorded accesses before it waits for anything.
//!
//! Registered memory is the program's own and has one mapping only: its pages are closed between
//! API calls and open during each.

use crate::check_log::race;
use crate::prelude::*;
use crate::settings::settings;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use texunit_checks::Check;
use texunit_checks::race::{Memory, PendingAccess};
use texunit_device::{Rights, views};

/// Requests that memory is mapped twice from now on, so that the program's accesses can be
/// observed.
pub(crate) fn watch() {
    views::enable();
}

/// Whether the program has ever registered memory.
static HAS_LENT: AtomicBool = AtomicBool::new(false);

/// Starts observing registered memory.
pub(crate) fn registered(base: u64, size: u64) {
    if counts_calls() {
        HAS_LENT.store(true, SeqCst);
        views::watch(&(base..base.saturating_add(size)));
    }
}

/// Number of API calls in progress.
static CALLS: Mutex<usize> = Mutex::new(0);

fn counts_calls() -> bool {
    settings().checks.as_ref().is_some_and(|wanted| wanted.has(Check::Race))
}

/// Records the start of an API call, which ends when the result is dropped. Registered memory has
/// the same address for the program and for texunit, so that its pages stay open while there is
/// one.
pub(crate) fn called() -> Option<OnDrop<impl FnMut()>> {
    if !counts_calls() {
        return None;
    }
    let mut calls = lock(&CALLS);
    *calls += 1;
    if HAS_LENT.load(SeqCst) {
        views::open_watched();
    }
    drop(calls);
    Some(OnDrop(|| {
        let mut calls = lock(&CALLS);
        *calls = calls.saturating_sub(1);
        let is_last = *calls == 0 && HAS_LENT.load(SeqCst);
        // After the last call in progress, pages are closed again if there is unfinished work.
        if is_last && race().is_some_and(|race| !race.pending().is_empty()) {
            close(views::watched);
        }
    }))
}

/// Tells the race detector that the host does not wait for the launch that begins, if the program's
/// accesses are observed.
pub(crate) fn launches(race: &Memory) {
    if HAS_LENT.load(SeqCst) || !views::all().is_empty() {
        race.watch_host();
    }
}

/// Opens and closes pages after the set of unfinished work has changed.
pub(crate) fn update() {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = lock(&ONE);
    close(views::all);
}

/// Sets the access rights of the program to blocks by the unfinished work.
fn close(blocks: impl FnOnce() -> Vec<Range<u64>>) {
    let Some(race) = race() else { return };
    let blocks = blocks();
    if blocks.is_empty() {
        return;
    }
    let pending = race.pending();
    let page = views::page();
    for block in blocks {
        let rights = |touched: PendingAccess| match touched {
            PendingAccess::No => Rights::ReadWrite,
            PendingAccess::Read => Rights::Read,
            PendingAccess::Written => Rights::None,
        };
        let pages = pending.pages((block.start, block.end - block.start), page);
        let wanted: Vec<Rights> = pages.into_iter().map(rights).collect();
        if wanted.iter().any(|&rights| rights != Rights::ReadWrite) && !handler::install() {
            return;
        }
        views::set(block.start, &wanted);
    }
}

/// Maximum number of frames stored for an access.
const MAX_FRAMES: usize = 24;
/// Maximum number of accesses stored until the next API call.
const MAX_NOTES: usize = 256;

/// States of a note: free; being written by a thread; complete.
const FREE: u8 = 0;
const BEGUN: u8 = 1;
const WHOLE: u8 = 2;

/// A recorded access to a closed page.
struct Note {
    state: AtomicU8,
    /// Position of this access in the order of all recorded accesses.
    number: AtomicU64,
    address: AtomicU64,
    writes: AtomicBool,
    /// Address of the instruction.
    at: AtomicUsize,
    /// Return addresses, terminated by 0.
    frames: [AtomicUsize; MAX_FRAMES],
}

static NOTES: [Note; MAX_NOTES] = [const {
    Note {
        state: AtomicU8::new(FREE),
        number: AtomicU64::new(0),
        address: AtomicU64::new(0),
        writes: AtomicBool::new(false),
        at: AtomicUsize::new(0),
        frames: [const { AtomicUsize::new(0) }; MAX_FRAMES],
    }
}; MAX_NOTES];
/// Number of complete notes that have not been reported.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Number of the next access.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// A recorded access: its address, whether it writes, and the return addresses, beginning with the
/// instruction's.
pub(crate) struct HostAccess {
    pub(crate) address: u64,
    pub(crate) writes: bool,
    /// Address of the instruction.
    pub(crate) at: usize,
    pub(crate) frames: Vec<usize>,
}

/// Whether accesses have been recorded that were not taken.
pub(crate) fn has_accesses() -> bool {
    COUNT.load(Relaxed) != 0
}

/// Takes the recorded accesses, the oldest first. Incomplete notes are left for the next call.
pub(crate) fn take_accesses() -> Vec<HostAccess> {
    let whole = NOTES.iter().filter(|note| note.state.load(SeqCst) == WHOLE);
    let mut whole: Vec<&Note> = whole.collect();
    whole.sort_by_key(|note| note.number.load(SeqCst));
    let take = |note: &Note| {
        let (address, at) = (note.address.load(SeqCst), note.at.load(SeqCst));
        let frames = note.frames.iter().map(|frame| frame.load(SeqCst));
        let frames = frames.take_while(|&frame| frame != 0).collect();
        let writes = note.writes.load(SeqCst);
        COUNT.fetch_sub(1, SeqCst);
        note.state.store(FREE, SeqCst);
        HostAccess { address, writes, at, frames }
    };
    whole.into_iter().map(take).collect()
}

/// Records an access. It runs in a signal handler and therefore takes no locks and allocates no
/// memory.
fn record_access(address: u64, writes: bool, at: usize) {
    let takes = |note: &&Note| note.state.compare_exchange(FREE, BEGUN, SeqCst, SeqCst).is_ok();
    let Some(note) = NOTES.iter().find(takes) else { return };
    note.number.store(NUMBER.fetch_add(1, SeqCst), SeqCst);
    note.address.store(address, SeqCst);
    note.writes.store(writes, SeqCst);
    note.at.store(at, SeqCst);
    let mut count = 0;
    // Alternate signal stacks may be too small for unwinding.
    if !handler::is_on_small_stack() {
        // SAFETY: the signal is raised by a data access of the program, so that this thread is
        // neither in the unwinder nor in `backtrace`, whose state threads share; only addresses are
        // requested, which does not use that state.
        unsafe {
            backtrace::trace_unsynchronized(|frame| {
                note.frames[count].store(frame.ip().addr(), SeqCst);
                count += 1;
                count < MAX_FRAMES
            });
        }
    }
    note.frames[count..].iter().for_each(|frame| frame.store(0, SeqCst));
    // The counter is incremented first, so that a thread that sees the note complete can decrement
    // it.
    COUNT.fetch_add(1, SeqCst);
    note.state.store(WHOLE, SeqCst);
}

mod handler;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_threads_make_at_a_time_are_apart() {
        let (threads, each) = (4, 32);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let note = move |i| record_access(1 + 1000 * thread + i, i % 2 == 1, i as usize);
                scope.spawn(move || (0..each).for_each(note));
            }
        });
        let is_whole = |note: &&Note| note.state.load(SeqCst) == WHOLE;
        let whole: Vec<&Note> = NOTES.iter().filter(is_whole).collect();
        let mut addresses: Vec<u64> = whole.iter().map(|note| note.address.load(SeqCst)).collect();
        addresses.sort_unstable();
        let all = (0..threads).flat_map(|thread| (0..each).map(move |i| 1 + 1000 * thread + i));
        assert_eq!(addresses, all.collect::<Vec<_>>());
        assert_eq!(COUNT.load(SeqCst), whole.len());
        for note in &whole {
            let i = (note.address.load(SeqCst) - 1) % 1000;
            assert_eq!(note.writes.load(SeqCst), i % 2 == 1);
            assert_eq!(note.at.load(SeqCst), i as usize);
        }
        let mut numbers: Vec<u64> = whole.iter().map(|note| note.number.load(SeqCst)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), whole.len());
        // A note that a thread is writing is not taken by another thread.
        let begun = whole[3];
        begun.state.store(BEGUN, SeqCst);
        for note in whole.iter().filter(|note| !std::ptr::eq(**note, begun)) {
            note.state.store(FREE, SeqCst);
        }
        COUNT.store(0, SeqCst);
        let before = begun.address.load(SeqCst);
        (0..MAX_NOTES as u64 + 5).for_each(|i| record_access(5000 + i, false, 0));
        assert_eq!((begun.address.load(SeqCst), COUNT.load(SeqCst)), (before, MAX_NOTES - 1));
        NOTES.iter().for_each(|note| note.state.store(FREE, SeqCst));
        COUNT.store(0, SeqCst);
    }
}
