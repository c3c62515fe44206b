//! Signals, which are the program's: threads of texunit block them, and writers ignore SIGPIPE.

use std::mem::MaybeUninit;

/// Starts a thread of texunit's with all signals blocked, as they are the program's.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    // SAFETY: both sets are local variables; the first is filled before it is read.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
    }
    let thread = std::thread::Builder::new().name("texunit".to_owned()).spawn(work);
    // SAFETY: the system has written the second set above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), std::ptr::null_mut()) };
    thread.map(|_| ())
}

/// Ignores SIGPIPE until dropped, so that writing to a closed pipe is an error of the write.
pub(crate) struct PipeSignal {
    /// The program's action for SIGPIPE, which is restored when the value is dropped; `None` if it
    /// was not replaced.
    before: Option<libc::sigaction>,
}

impl PipeSignal {
    /// Starts to ignore SIGPIPE until the value is dropped.
    pub(crate) fn ignore() -> Self {
        // SAFETY: zeros are a valid value, with no flags and an empty mask.
        let mut ignored: libc::sigaction = unsafe { std::mem::zeroed() };
        ignored.sa_sigaction = libc::SIG_IGN;
        let mut before = ignored;
        // SAFETY: both structures are local variables; the previous handler is restored on drop.
        let failed = unsafe { libc::sigaction(libc::SIGPIPE, &raw const ignored, &raw mut before) };
        Self { before: (failed == 0).then_some(before) }
    }
}

impl Drop for PipeSignal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // SAFETY: the structure was returned by the first call.
            unsafe { libc::sigaction(libc::SIGPIPE, before, std::ptr::null_mut()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn handler(_: libc::c_int, _: *mut libc::siginfo_t, _: *mut libc::c_void) {}

    /// The program's handler and its flags are restored; with other flags, a handler that takes
    /// `siginfo_t` would read an invalid pointer.
    #[test]
    fn the_handler_is_put_back_as_it_was() {
        let now = || {
            // SAFETY: zeros are a valid value; the structure is only written to.
            unsafe {
                let mut now: libc::sigaction = std::mem::zeroed();
                libc::sigaction(libc::SIGPIPE, std::ptr::null(), &raw mut now);
                now
            }
        };
        let first = now();
        let mut own = now();
        own.sa_sigaction = handler as *const () as usize;
        own.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER;
        // SAFETY: the handler matches its flags; the first handler is restored below.
        unsafe { libc::sigaction(libc::SIGPIPE, &raw const own, std::ptr::null_mut()) };
        let own = now();
        let ignored = PipeSignal::ignore();
        assert_eq!(now().sa_sigaction, libc::SIG_IGN);
        drop(ignored);
        let after = now();
        assert_eq!((after.sa_sigaction, after.sa_flags), (own.sa_sigaction, own.sa_flags));
        assert_ne!(after.sa_flags & libc::SA_SIGINFO, 0);
        // SAFETY: `first` is the valid action that was set before.
        unsafe { libc::sigaction(libc::SIGPIPE, &raw const first, std::ptr::null_mut()) };
    }
}
