//! The SIGSEGV handler that detects accesses to closed pages. It is installed in front of the
//! program's own handler, which gets all other signals.

use super::*;
use std::cell::Cell;
use std::ptr::{null, null_mut};
use std::sync::atomic::AtomicPtr;

/// The handlers that were installed before ours: at the last installation, and at the first.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());
static FIRST: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());
/// `SEGV_ACCERR`: the page is mapped, but its access rights forbid the access.
const ACCERR: c_int = 2;
/// Minimum size in bytes of a signal stack on which frames are unwound.
const ROOM: usize = 32 << 10;

thread_local! {
    /// Context of the last signal passed on to the program's handler, and our stack frame then.
    /// That handler may never have returned (`siglongjmp`).
    static CALLED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

type Action = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);

/// Installs our handler in front, also of a handler that the program has set since. Returns whether
/// it is installed.
pub(super) fn install() -> bool {
    // SAFETY: a plain C structure for which zeros are a valid value.
    let mut now: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: the out-pointer is to a local variable.
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
    // Without a handler of the program, the signal may arrive on a stack that is full.
    let plain = matches!(now.sa_sigaction, libc::SIG_DFL | libc::SIG_IGN);
    let mut new = now;
    new.sa_sigaction = ours;
    let flags = now.sa_flags & (libc::SA_ONSTACK | libc::SA_NODEFER);
    new.sa_flags = libc::SA_SIGINFO | if plain { libc::SA_ONSTACK } else { flags };
    // SAFETY: the handler is async-signal-safe, and the library is never unloaded.
    unsafe { libc::sigaction(libc::SIGSEGV, &raw const new, null_mut()) == 0 }
}

pub(super) fn is_on_small_stack() -> bool {
    // SAFETY: a plain C structure for which zeros are a valid value.
    let mut stack: libc::stack_t = unsafe { std::mem::zeroed() };
    // SAFETY: the out-pointer is to a local variable.
    let asked = unsafe { libc::sigaltstack(null(), &raw mut stack) } == 0;
    asked && stack.ss_flags & libc::SS_ONSTACK != 0 && stack.ss_size < ROOM
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: with SA_SIGINFO the system passes information about the signal, for SIGSEGV with the
    // address.
    let (code, address) = unsafe { ((*info).si_code, (*info).si_addr().addr() as u64) };
    if code == ACCERR {
        // SAFETY: the function has no preconditions; it returns the address of the thread's own
        // `errno`.
        let errno = unsafe { libc::__errno_location() };
        // SAFETY: `errno` points to the thread's own variable, which no other thread accesses.
        let saved = unsafe { *errno };
        let before = views::open_page(address);
        if let Some(before) = before
            && before != Rights::ReadWrite
        {
            let (at, writes) = access_of(context);
            record_access(address, before == Rights::Read || writes, at);
        }
        // SAFETY: `errno` points to the thread's own variable, which no other thread accesses.
        unsafe { *errno = saved };
        if before.is_some() {
            return;
        }
    }
    let frame = (&raw const address).addr();
    pass_on((signal, info, context), frame);
}

/// The program's instruction pointer, and whether the access writes. On processors that do not
/// report it, accesses count as reads.
#[cfg(target_arch = "x86_64")]
fn access_of(context: *mut c_void) -> (usize, bool) {
    let context: *const libc::ucontext_t = context.cast();
    // SAFETY: the system passes this structure to the handler.
    let registers = unsafe { &(*context).uc_mcontext.gregs };
    let at = registers[libc::REG_RIP as usize] as usize;
    (at, registers[libc::REG_ERR as usize] & 2 != 0)
}

#[cfg(target_arch = "aarch64")]
fn access_of(context: *mut c_void) -> (usize, bool) {
    let context: *const libc::ucontext_t = context.cast();
    // SAFETY: with SA_SIGINFO the system passes a valid `ucontext_t` to the handler.
    (unsafe { (*context).uc_mcontext.pc } as usize, false)
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn access_of(_: *mut c_void) -> (usize, bool) {
    (0, false)
}

/// Handles a signal that is not caused by a closed page as if our handler did not exist.
#[inline(never)]
fn pass_on((signal, info, context): (c_int, *mut libc::siginfo_t, *mut c_void), frame: usize) {
    // A handler that the program installed later may call ours, which it found installed: the same
    // signal, deeper on the stack.
    let called = CALLED.try_with(|called| called.replace((context.addr(), frame)));
    let (last, above) = called.unwrap_or_default();
    let is_inside = last == context.addr() && frame < above;
    let before = if is_inside { &FIRST } else { &BEFORE }.load(SeqCst);
    // SAFETY: entries stored by `install` are never freed; null if it was not called.
    if let Some(before) = unsafe { before.as_ref() } {
        // SAFETY: the system passes this structure to the handler.
        let is_sent = unsafe { (*info).si_code } <= 0;
        match before.sa_sigaction {
            libc::SIG_IGN if is_sent => {}
            libc::SIG_DFL | libc::SIG_IGN => {
                // SAFETY: a plain C structure; zeros are the default handler.
                let default: libc::sigaction = unsafe { std::mem::zeroed() };
                // SAFETY: the structure is a local variable. A signal that was sent is sent again;
                // an access is repeated on return.
                unsafe {
                    libc::sigaction(signal, &raw const default, null_mut());
                    if is_sent {
                        libc::raise(signal);
                    }
                }
            }
            // SAFETY: the program's own handler is called with the system's arguments.
            handler => unsafe { call(handler, before, (signal, info, context)) },
        }
    }
}

/// # Safety
/// `handler` was installed with the flags of `action`.
unsafe fn call(
    handler: libc::sighandler_t,
    action: &libc::sigaction,
    (signal, info, context): (c_int, *mut libc::siginfo_t, *mut c_void),
) {
    // SAFETY: a plain C structure for which zeros are a valid value.
    let mut mask: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: both masks are valid.
    unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const action.sa_mask, &raw mut mask) };
    if action.sa_flags & libc::SA_SIGINFO != 0 {
        // SAFETY: the flag says that the handler has this type.
        let handler = unsafe { std::mem::transmute::<libc::sighandler_t, Action>(handler) };
        handler(signal, info, context);
    } else {
        type Plain = extern "C" fn(c_int);
        // SAFETY: without the flag, the handler has this type.
        let handler = unsafe { std::mem::transmute::<libc::sighandler_t, Plain>(handler) };
        handler(signal);
    }
    // SAFETY: `mask` is the valid mask that the call above has returned, and the third argument may
    // be null.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const mask, null_mut()) };
}
