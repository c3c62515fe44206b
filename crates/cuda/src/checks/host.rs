//! What the program does by plain loads and stores to managed and pinned memory while work that it has not waited for
//! uses it (`race`).
//!
//! Such memory has two views (`texunit_memory::views`). Of that of the program, pages that unfinished work has written
//! are closed, and those that it has read can only be read. An access to one is a signal: its handler notes who it
//! was, opens the page, and the program goes on. The next call of ours tells what was noted, before anything is
//! waited for.

use super::{log, news, race};
use crate::asked;
use crate::memory;
use crate::state;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Mutex, PoisonError};
use texunit_checks::race::{HostRace, Memory, Touched};
use texunit_checks::{Finding, rules};
use texunit_device::{Rights, views};

/// Has memory made from now on so that the program can be watched.
pub(crate) fn watch() {
    views::want();
}

/// A launch begins: what is said of it if the host does not wait.
pub(super) fn launches(race: &Memory) {
    if !views::all().is_empty() {
        race.watch_host();
    }
}

/// What the host has not waited for has changed: opens and closes pages.
pub(crate) fn update() {
    static ONE: Mutex<()> = Mutex::new(());
    let blocks = views::all();
    let Some(race) = race().filter(|_| !blocks.is_empty()) else { return };
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let pending = race.pending();
    let page = views::page();
    for block in blocks {
        let rights = |at: u64| match pending.of(at, page) {
            Touched::No => Rights::ReadWrite,
            Touched::Read => Rights::Read,
            Touched::Written => Rights::None,
        };
        let pages = (block.start..block.end).step_by(page as usize);
        let wanted: Vec<Rights> = match pending.is_empty() {
            true => pages.map(|_| Rights::ReadWrite).collect(),
            false => pages.map(rights).collect(),
        };
        if wanted.iter().any(|&rights| rights != Rights::ReadWrite) && !handler::install() {
            return;
        }
        views::set(block.start, &wanted);
    }
}

/// Frames of the program that are kept of an access.
const MOST_FRAMES: usize = 24;
/// Accesses that are kept until the next call.
const MOST_NOTES: usize = 256;

/// An access to a closed page.
struct Note {
    address: AtomicU64,
    writes: AtomicBool,
    /// The instruction.
    at: AtomicUsize,
    /// Return addresses, up to a 0.
    frames: [AtomicUsize; MOST_FRAMES],
    /// Whether all of it is there.
    is_whole: AtomicBool,
}

static NOTES: [Note; MOST_NOTES] = [const {
    Note {
        address: AtomicU64::new(0),
        writes: AtomicBool::new(false),
        at: AtomicUsize::new(0),
        frames: [const { AtomicUsize::new(0) }; MOST_FRAMES],
        is_whole: AtomicBool::new(false),
    }
}; MOST_NOTES];
/// Notes that were begun since the last time they were told.
static COUNT: AtomicUsize = AtomicUsize::new(0);

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
    let count = COUNT.load(SeqCst).min(MOST_NOTES);
    let Some(race) = race() else { return };
    for note in &NOTES[..count] {
        if note.is_whole.swap(false, SeqCst) {
            tell_one(race, note);
        }
    }
    COUNT.store(0, SeqCst);
    news(None, 0);
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
    let places = asked::places_in_program(&trace).into_iter();
    let notes = places.enumerate().map(|(i, place)| match i {
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
    finding.object = object(address);
    if let HostRace::Kernel(Some(end), stores) = found {
        let what = if stores { "is stored here" } else { "is loaded here" };
        finding.other = Some((what.to_owned(), *end));
    }
    if let Some(log) = log() {
        log.found(finding);
    }
}

fn object(address: u64) -> Option<String> {
    let linear = state::gpus().ok()?.iter().find_map(|gpu| memory::linear(gpu, address, 1))?;
    let (range, number) = (linear.allocation(), linear.number());
    let (size, name) = (range.end - range.start, linear.name());
    Some(format!("allocation {number} ({size} bytes of `{name}`)"))
}

/// Notes an access. Called in a handler of signals: no locks, no memory.
fn note(address: u64, writes: bool, at: usize) {
    let i = COUNT.fetch_add(1, SeqCst);
    let Some(note) = NOTES.get(i) else {
        COUNT.fetch_sub(1, SeqCst);
        return;
    };
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
                count < MOST_FRAMES
            });
        }
    }
    note.frames[count..].iter().for_each(|frame| frame.store(0, SeqCst));
    note.is_whole.store(true, SeqCst);
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

/// The handler of SIGSEGV, in front of the program's own.
#[cfg(target_os = "linux")]
mod handler {
    use super::*;
    use std::cell::Cell;
    use std::ptr::{null, null_mut};

    /// Whose handler ours stands before: the one that was there last, and the one that was there first.
    static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());
    static FIRST: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());
    /// `SEGV_ACCERR`: the page is there, and its rights forbid it.
    const ACCERR: c_int = 2;
    /// Bytes of a stack that frames can be looked for on.
    const ROOM: usize = 32 << 10;

    thread_local! {
        /// What the handler of the program was last called for by ours, and where our frame was then. It may never
        /// have come back (`siglongjmp`).
        static CALLED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    }

    type Action = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

    /// Puts ours in front, also of one that the program has set since. Whether it is there.
    pub(super) fn install() -> bool {
        // SAFETY: a plain structure of C, for which zeros are a value.
        let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is ours.
        if unsafe { libc::sigaction(libc::SIGSEGV, null(), &raw mut now) } != 0 {
            return false;
        }
        let ours = on_signal as Action as usize;
        if now.sa_sigaction == ours {
            return true;
        }
        let kept = Box::into_raw(Box::new(now));
        BEFORE.store(kept, SeqCst);
        let _ = FIRST.compare_exchange(null_mut(), kept, SeqCst, SeqCst);
        // A signal that nobody handles may come of a stack that has no room.
        let plain = matches!(now.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
        let mut new = now;
        new.sa_sigaction = ours;
        new.sa_flags = libc::SA_SIGINFO
            | if plain {
                libc::SA_ONSTACK
            } else {
                now.sa_flags & (libc::SA_ONSTACK | libc::SA_NODEFER)
            };
        // SAFETY: the handler does what handlers may do, and is there as long as the library, which stays.
        unsafe { libc::sigaction(libc::SIGSEGV, &raw const new, null_mut()) == 0 }
    }

    pub(super) fn is_on_small_stack() -> bool {
        // SAFETY: a plain structure of C.
        let mut stack: libc::stack_t = unsafe { std::mem::zeroed() };
        // SAFETY: the structure is ours.
        let asked = unsafe { libc::sigaltstack(null(), &raw mut stack) } == 0;
        asked && stack.ss_flags & libc::SS_ONSTACK != 0 && stack.ss_size < ROOM
    }

    extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        // SAFETY: the system gives handlers with SA_SIGINFO what the signal is of; of SIGSEGV, the address.
        let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr() as u64) };
        if code == ACCERR {
            // SAFETY: each thread has one.
            let errno = unsafe { libc::__errno_location() };
            // SAFETY: as above.
            let saved = unsafe { *errno };
            let before = views::opens(address);
            if let Some(before) = before
                && before != Rights::ReadWrite
            {
                let (at, writes) = who(context);
                note(address, before == Rights::Read || writes, at);
            }
            // SAFETY: as above.
            unsafe { *errno = saved };
            if before.is_some() {
                return;
            }
        }
        let frame = (&raw const address).addr();
        others((signal, info, context), frame);
    }

    /// Where the program was, and whether it wrote. Where the processor does not say it to us, closed pages count as
    /// read.
    #[cfg(target_arch = "x86_64")]
    fn who(context: *mut c_void) -> (usize, bool) {
        let context: *const libc::ucontext_t = context.cast();
        // SAFETY: what the system gives to the handler.
        let registers = unsafe { &(*context).uc_mcontext.gregs };
        let at = registers[libc::REG_RIP as usize] as usize;
        (at, registers[libc::REG_ERR as usize] & 2 != 0)
    }

    #[cfg(target_arch = "aarch64")]
    fn who(context: *mut c_void) -> (usize, bool) {
        let context: *const libc::ucontext_t = context.cast();
        // SAFETY: as above.
        (unsafe { (*context).uc_mcontext.pc } as usize, false)
    }

    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    fn who(_: *mut c_void) -> (usize, bool) {
        (0, false)
    }

    /// A signal that is not ours: what would have happened without us.
    #[inline(never)]
    fn others((signal, info, context): (c_int, *mut libc::siginfo_t, *mut c_void), frame: usize) {
        // One that the program has set later may call ours, which it found then: of the same signal, further down.
        let called = CALLED.try_with(|called| called.replace((context.addr(), frame)));
        let (last, above) = called.unwrap_or_default();
        let is_inside = last == context.addr() && frame < above;
        let before = if is_inside { &FIRST } else { &BEFORE }.load(SeqCst);
        // SAFETY: kept by `install` for ever; null only where it was not called.
        if let Some(before) = unsafe { before.as_ref() } {
            // SAFETY: what the system has given to us.
            let is_sent = unsafe { (*info).si_code } <= 0;
            match before.sa_sigaction {
                libc::SIG_IGN if is_sent => {}
                libc::SIG_DFL | libc::SIG_IGN => {
                    // SAFETY: a plain structure of C; zeros are the default.
                    let default: libc::sigaction = unsafe { std::mem::zeroed() };
                    // SAFETY: the structure is ours. What was sent is sent once more, an access is made once more.
                    unsafe {
                        libc::sigaction(signal, &raw const default, null_mut());
                        if is_sent {
                            libc::raise(signal);
                        }
                    }
                }
                // SAFETY: the program's own handler, called as the system would.
                handler => unsafe { call(handler, before, (signal, info, context)) },
            }
        }
    }

    /// # Safety
    /// The handler is one that was set with these flags.
    unsafe fn call(
        handler: libc::sighandler_t,
        action: &libc::sigaction,
        (signal, info, context): (c_int, *mut libc::siginfo_t, *mut c_void),
    ) {
        // SAFETY: a plain structure of C.
        let mut mask: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: both masks are there.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const action.sa_mask, &raw mut mask) };
        if action.sa_flags & libc::SA_SIGINFO != 0 {
            // SAFETY: what the flag says of it.
            let handler = unsafe { std::mem::transmute::<libc::sighandler_t, Action>(handler) };
            handler(signal, info, context);
        } else {
            type Plain = extern "C" fn(c_int);
            // SAFETY: as above.
            let handler = unsafe { std::mem::transmute::<libc::sighandler_t, Plain>(handler) };
            handler(signal);
        }
        // SAFETY: as above.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, null_mut()) };
    }
}
