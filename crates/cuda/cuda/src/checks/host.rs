//! What the program does by plain loads and stores to managed and pinned memory while work that it has not waited for
//! uses it (`race`).
//!
//! Such memory has two views (`texunit_memory::views`). Of that of the program, pages that unfinished work has written
//! are closed, and those that it has read can only be read. An access to one is a signal: its handler notes who it
//! was, opens the page, and the program goes on. The next call of ours tells what was noted, before anything is
//! waited for.
//!
//! Registered memory is the program's own, and has one view: whole pages of it are closed between calls, and open
//! during each.

use super::{log, news, race};
use crate::asked;
use crate::memory;
use crate::settings::settings;
use crate::state;
use std::ops::Range;
use std::sync::atomic::{
    AtomicBool, AtomicU8, AtomicU64, AtomicUsize,
    Ordering::{Relaxed, SeqCst},
};
use std::sync::{Mutex, PoisonError};
use texunit_checks::race::{HostRace, Memory, Touched};
use texunit_checks::{Check, Finding, rules};
use texunit_device::{Described, Rights, views};
use texunit_forms::Count;

/// Has memory made from now on so that the program can be watched.
pub(crate) fn watch() {
    views::enable();
}

/// Whether memory of the program has ever been registered.
static HAS_LENT: AtomicBool = AtomicBool::new(false);

/// Memory of the program is registered: it is watched, too.
pub(crate) fn registered(base: u64, size: u64) {
    if counts_calls() {
        HAS_LENT.store(true, SeqCst);
        views::watch(&(base..base.saturating_add(size)));
    }
}

/// It is not any more.
pub(crate) fn unregistered(base: u64, size: u64) {
    views::unwatch(&(base..base.saturating_add(size)));
}

/// Calls of the program that are under way.
static CALLS: Mutex<usize> = Mutex::new(0);

fn counts_calls() -> bool {
    settings().checks.as_ref().is_some_and(|wanted| wanted.has(Check::Race))
}

/// A call of the program. Registered memory has one address for the program and for us, so that it is open as long
/// as there is one.
pub(crate) struct ApiCall(());

/// A call begins.
pub(crate) fn called() -> Option<ApiCall> {
    if !counts_calls() {
        return None;
    }
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    *calls += 1;
    if HAS_LENT.load(SeqCst) {
        views::open_watched();
    }
    Some(ApiCall(()))
}

impl Drop for ApiCall {
    fn drop(&mut self) {
        let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        *calls = calls.saturating_sub(1);
        let is_last = *calls == 0 && HAS_LENT.load(SeqCst);
        // It is open now, and stays so if the host has waited for everything.
        if is_last && race().is_some_and(|race| !race.pending().is_empty()) {
            close(views::watched);
        }
    }
}

/// A launch begins: what is said of it if the host does not wait.
pub(super) fn launches(race: &Memory) {
    if HAS_LENT.load(SeqCst) || !views::all().is_empty() {
        race.watch_host();
    }
}

/// What the host has not waited for has changed: opens and closes pages.
pub(crate) fn update() {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    close(views::all);
}

/// Says what the program may do with some blocks.
fn close(blocks: impl FnOnce() -> Vec<Range<u64>>) {
    let Some(race) = race() else { return };
    let blocks = blocks();
    if blocks.is_empty() {
        return;
    }
    let pending = race.pending();
    let page = views::page();
    for block in blocks {
        let rights = |touched: Touched| match touched {
            Touched::No => Rights::ReadWrite,
            Touched::Read => Rights::Read,
            Touched::Written => Rights::None,
        };
        let pages = pending.pages((block.start, block.end - block.start), page);
        let wanted: Vec<Rights> = pages.into_iter().map(rights).collect();
        if wanted.iter().any(|&rights| rights != Rights::ReadWrite) && !handler::install() {
            return;
        }
        views::set(block.start, &wanted);
    }
}

/// Frames of the program that are kept of an access.
const MAX_FRAMES: usize = 24;
/// Accesses that are kept until the next call.
const MAX_NOTES: usize = 256;

/// States of a note: nobody has it; a thread is writing it; all of it is there.
const FREE: u8 = 0;
const BEGUN: u8 = 1;
const WHOLE: u8 = 2;

/// An access to a closed page.
struct Note {
    state: AtomicU8,
    /// Its place in the order of accesses.
    number: AtomicU64,
    address: AtomicU64,
    writes: AtomicBool,
    /// The instruction.
    at: AtomicUsize,
    /// Return addresses, up to a 0.
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
/// Notes that are whole and have not been told.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// The number of the next access.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Tells what was noted. To be called before the host waits for anything.
pub(crate) fn tell() {
    if COUNT.load(Relaxed) != 0 {
        tell_all();
    }
}

#[cold]
fn tell_all() {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(race) = race() else { return };
    // What another thread is writing is for the next time.
    let whole = NOTES.iter().filter(|note| note.state.load(SeqCst) == WHOLE);
    let mut whole: Vec<&Note> = whole.collect();
    whole.sort_by_key(|note| note.number.load(SeqCst));
    for note in whole {
        tell_one(race, note);
        COUNT.fetch_sub(1, SeqCst);
        note.state.store(FREE, SeqCst);
    }
    news(None, (0, None));
}

fn tell_one(race: &Memory, note: &Note) {
    let (address, at) = (note.address.load(SeqCst), note.at.load(SeqCst));
    // What texunit does for the program in a call is none of its own accesses.
    if asked::is_ours(at) {
        return;
    }
    let writes = note.writes.load(SeqCst);
    let Some(found) = race.host_accessed(address, writes) else { return };
    let frames = note.frames.iter().map(|frame| frame.load(SeqCst));
    let frames: Vec<usize> = frames.take_while(|&frame| frame != 0).collect();
    // The instruction itself, and what has called its function.
    let callers = frames.iter().position(|&frame| frame == at).map_or(frames.len(), |i| i + 1);
    let mut trace = vec![at + 1];
    trace.extend(&frames[callers..]);
    let places = asked::places_in_program(&trace);
    let host = places.first().cloned();
    let notes = places.into_iter().enumerate().map(|(i, place)| match i {
        0 => format!("the host is at {place}"),
        _ => format!("called from {place}"),
    });
    let (rule, does) = match writes {
        false => (rules::RACE_HOST_READ, "reads"),
        true => (rules::RACE_HOST_WRITE, "writes"),
    };
    let uses = |stores: bool| if stores { "writes" } else { "reads" };
    let message = match &found {
        HostRace::Kernel(_, stores) => format!(
            "the host {does} memory that a kernel {}, and has not waited for the kernel",
            if *stores { "stores to" } else { "loads from" }
        ),
        HostRace::Copy(what, stores) => {
            format!(
                "the host {does} memory that {what} {}, and has not waited for it",
                uses(*stores)
            )
        }
    };
    let mut finding = Finding::of_process(rule, message, notes.collect());
    (finding.object, finding.host) = (object(address), host);
    if let HostRace::Kernel(Some(end), stores) = found {
        let what = if stores { "is stored here" } else { "is loaded here" };
        finding.other = Some((what.to_owned(), *end));
    }
    if let Some(log) = log() {
        log.found(finding);
    }
}

fn object(address: u64) -> Option<Described> {
    let linear = state::gpus().ok()?.iter().find_map(|gpu| memory::linear(gpu, address, 1))?;
    let (range, number) = (linear.allocation(), linear.number());
    let (size, name) = (range.end - range.start, linear.name());
    let text = format!("allocation {number} ({} of `{name}`)", Count(size, "byte"));
    Some(Described { text, allocation: Some(number) })
}

/// Notes an access. Called in a handler of signals: no locks, no memory.
fn note(address: u64, writes: bool, at: usize) {
    let takes = |note: &&Note| note.state.compare_exchange(FREE, BEGUN, SeqCst, SeqCst).is_ok();
    let Some(note) = NOTES.iter().find(takes) else { return };
    note.number.store(NUMBER.fetch_add(1, SeqCst), SeqCst);
    note.address.store(address, SeqCst);
    note.writes.store(writes, SeqCst);
    note.at.store(at, SeqCst);
    let mut count = 0;
    // Other stacks that handlers run on are small.
    if !handler::is_on_small_stack() {
        // SAFETY: the signal is of an access of the program to its data, so that this thread is not in the middle of
        // the unwinder or of `backtrace`, whose state another thread may share: addresses alone are asked for, which
        // needs none.
        unsafe {
            backtrace::trace_unsynchronized(|frame| {
                note.frames[count].store(frame.ip().addr(), SeqCst);
                count += 1;
                count < MAX_FRAMES
            });
        }
    }
    note.frames[count..].iter().for_each(|frame| frame.store(0, SeqCst));
    // Counted first, so that whoever sees it whole can take it off.
    COUNT.fetch_add(1, SeqCst);
    note.state.store(WHOLE, SeqCst);
}

#[cfg(not(target_os = "linux"))]
mod handler {
    pub(super) fn install() -> bool {
        false
    }

    pub(super) fn is_on_small_stack() -> bool {
        true
    }
}

#[cfg(target_os = "linux")]
mod handler;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_threads_make_at_a_time_are_apart() {
        let (threads, each) = (4, 32);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                scope.spawn(move || {
                    (0..each).for_each(|i| note(1 + 1000 * thread + i, i % 2 == 1, i as usize));
                });
            }
        });
        let is_whole = |note: &&Note| note.state.load(SeqCst) == WHOLE;
        let whole: Vec<&Note> = NOTES.iter().filter(is_whole).collect();
        let addresses = whole.iter().map(|note| note.address.load(SeqCst));
        let mut addresses: Vec<u64> = addresses.collect();
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
        // One that a thread is writing is not taken by another one.
        let begun = whole[3];
        begun.state.store(BEGUN, SeqCst);
        for note in whole.iter().filter(|note| !std::ptr::eq(**note, begun)) {
            note.state.store(FREE, SeqCst);
        }
        COUNT.store(0, SeqCst);
        let before = begun.address.load(SeqCst);
        (0..MAX_NOTES as u64 + 5).for_each(|i| note(5000 + i, false, 0));
        assert_eq!((begun.address.load(SeqCst), COUNT.load(SeqCst)), (before, MAX_NOTES - 1));
        NOTES.iter().for_each(|note| note.state.store(FREE, SeqCst));
        COUNT.store(0, SeqCst);
    }
}
