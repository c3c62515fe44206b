//! Why a call is refused: the driver library tells the user (trace, report, standard error). What a function of a library
//! is refused for is found there, or by a function of the driver that it calls; the call that is told of is the program's own.

use std::fmt::Arguments;
use std::io::Write;
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{CUresult, Refusal};

/// A text for the driver library.
#[repr(C)]
pub(crate) struct Str {
    start: *const u8,
    size: usize,
}

impl Str {
    pub(crate) fn of(text: &str) -> Self {
        Self { start: text.as_ptr(), size: text.len() }
    }
}

/// Functions of texunit's driver. Without a driver, of which the user is told, they do nothing.
mod linked {
    use super::Str;
    use crate::driver::Found;

    type Begins = unsafe extern "C" fn(Str) -> u32;
    type Ends = unsafe extern "C" fn(u32, Str, Str, Str);
    type Say = unsafe extern "C" fn(Str);
    type Reason = unsafe extern "C" fn(*mut u8, usize) -> usize;

    // SAFETY: the types of the functions in crate `texunit-cuda`, module `refused`.
    pub(super) static BEGINS: Found<Begins> = unsafe { Found::named(c"texunit_runtime_begins") };
    // SAFETY: as above.
    pub(super) static ENDS: Found<Ends> = unsafe { Found::named(c"texunit_runtime_ends") };
    // SAFETY: as above.
    pub(super) static SAY: Found<Say> = unsafe { Found::named(c"texunit_say_refused") };
    // SAFETY: as above.
    pub(super) static REASON: Found<Reason> = unsafe { Found::named(c"texunit_reason") };
}

/// Tells how a call has ended.
fn ends(code: u32, function: &str, name: &str, reason: &str) {
    if let Some(ends) = linked::ENDS.get() {
        // SAFETY: the texts are valid while it runs.
        unsafe { ends(code, Str::of(function), Str::of(name), Str::of(reason)) };
    }
}

/// A call of a library by the program, as the driver library knows of it.
#[derive(Debug)]
pub struct Call {
    function: &'static str,
    /// Whether anybody wants to know how it ends.
    is_told: bool,
}

impl Call {
    /// It begins, by the name of the function.
    pub fn begins(function: &'static str) -> Self {
        let begins = linked::BEGINS.get();
        // SAFETY: the text is valid as long as the library is.
        let is_told = begins.is_some_and(|begins| unsafe { begins(Str::of(function)) } != 0);
        Self { function, is_told }
    }

    /// Whether anybody wants to know how it ends.
    pub fn is_told(&self) -> bool {
        self.is_told
    }

    /// It was refused: a code that is not 0, its name, and why.
    pub fn refused(mut self, code: u32, name: &str, reason: &str) {
        if self.is_told {
            ends(code, self.function, name, reason);
            self.is_told = false;
        }
    }
}

/// However a call is left, it ends: this thread is in one call less.
impl Drop for Call {
    fn drop(&mut self) {
        if self.is_told {
            ends(0, "", "", "");
        }
    }
}

/// What a function of the driver has refused, for its reason; nobody has one if nobody wants to know it.
pub fn driver(code: CUresult) -> Refusal {
    let Some(reason) = linked::REASON.get() else {
        return code.because("no driver of texunit's is found");
    };
    // SAFETY: nothing is written.
    let size = unsafe { reason(std::ptr::null_mut(), 0) };
    let mut bytes = vec![0; size];
    // SAFETY: the buffer is our own, of that size.
    unsafe { reason(bytes.as_mut_ptr(), size) };
    code.because(String::from_utf8_lossy(&bytes).into_owned())
}

/// The answer of a function of the driver.
///
/// # Errors
/// What the driver has refused.
pub fn check(code: CUresult) -> Answer {
    if code == CUresult::SUCCESS { Ok(()) } else { Err(driver(code)) }
}

/// Says what is not supported, unless the refusal that follows is told anyway.
pub fn say_refused(text: &str) {
    if let Some(say) = linked::SAY.get() {
        // SAFETY: the text is valid while it runs.
        unsafe { say(Str::of(text)) }
    }
}

/// A line on standard error: what the library has to say to the user. Where nobody reads it the program
/// goes on; `eprintln!` would panic, which ends a C program.
pub fn say(text: Arguments<'_>) {
    let text = format!("texunit: {text}\n");
    // Names come from files; a terminal obeys none of them.
    let shown = text.replace(|c: char| c.is_control() && c != '\n', "\u{fffd}");
    let _ = std::io::stderr().lock().write_all(shown.as_bytes());
}
