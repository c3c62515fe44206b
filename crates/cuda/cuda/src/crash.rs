//! Explains segmentation faults of programs that ignore errors of CUDA calls and contain a
//! statically linked runtime that cannot be replaced: all its calls fail, so that managed variables
//! have no address and memory is not allocated. The message is printed from a signal handler; the
//! signal then ends the process as before. A handler of the program's own is not replaced.

use std::sync::OnceLock;

/// The message, prepared in advance because a signal handler must not allocate.
static SAID: OnceLock<String> = OnceLock::new();

/// Installs the handler for a file whose runtime cannot be replaced.
pub(crate) fn explain(name: &str) {
    SAID.get_or_init(|| {
        format!(
            "texunit: error: this segmentation fault probably comes from {name}, which has NVIDIA's CUDA runtime inside and no \
             symbols of it (it is stripped): all calls of that runtime fail, so that memory is not allocated and managed variables \
             have no address. Keep the symbols (no `strip`, no `-s`), or compile it with -cudart shared\n"
        )
    });
    // SAFETY: local structures for which zeros are a valid value, and a handler of the type that
    // the flags say.
    unsafe {
        let mut now = std::mem::zeroed::<libc::sigaction>();
        if libc::sigaction(libc::SIGSEGV, std::ptr::null(), &raw mut now) != 0
            || now.sa_sigaction != libc::SIG_DFL
        {
            return;
        }
        let mut ours = std::mem::zeroed::<libc::sigaction>();
        ours.sa_sigaction = on_fault as extern "C" fn(libc::c_int) as usize;
        ours.sa_flags = libc::SA_RESETHAND | libc::SA_ONSTACK;
        libc::sigaction(libc::SIGSEGV, &raw const ours, std::ptr::null_mut());
    }
}

/// On return, the instruction is executed again and the default action ends the process.
extern "C" fn on_fault(_: libc::c_int) {
    if let Some(text) = SAID.get() {
        // SAFETY: the bytes are static; `write` is async-signal-safe.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
}
