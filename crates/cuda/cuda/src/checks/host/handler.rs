//! The handler of SIGSEGV, in front of the program's own.

use super::note;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering::SeqCst};
use texunit_device::{Rights, views};

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
        let before = views::open_page(address);
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
