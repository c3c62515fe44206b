//! Programs that do not ask whether calls of CUDA succeed, and have a runtime inside whose calls all fail: they come to a
//! segmentation fault, at a managed variable that has no address, or where memory was not allocated. The user is told what it
//! comes from. The signal stays the program's end, and a handler of the program's is left alone.

use std::sync::OnceLock;

/// What is said, made ready before: in a handler nothing is allocated.
static SAID: OnceLock<String> = OnceLock::new();

/// Has the fault explained, for a file whose runtime cannot be replaced.
pub(crate) fn explain(name: &str) {
    SAID.get_or_init(|| {
        format!(
            "texunit: error: this segmentation fault probably comes from {name}, which has NVIDIA's CUDA runtime inside and no \
             symbols of it (it is stripped): all calls of that runtime fail, so that memory is not allocated and managed variables \
             have no address. Keep the symbols (no `strip`, no `-s`), or compile it with -cudart shared\n"
        )
    });
    // SAFETY: structures of ours, of which zeros are a value, and a handler of the type that the flags say.
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

/// The instruction is executed once more, and ends the process then.
extern "C" fn on_fault(_: libc::c_int) {
    if let Some(text) = SAID.get() {
        // SAFETY: bytes of ours; the call is allowed in a handler.
        unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
    }
}
