//! Reports of calls to the driver library, which passes them on to the user (trace, report,
//! standard error). A library's function is refused for a reason found there or in a driver
//! function that it calls; the report names the call that the program made.

use crate::driver::DriverFunction;
use texunit_cuda_abi::work::Str;

// Functions of texunit's driver that take reports. Without a driver they do nothing, and the user
// has been told that there is none.
type Begins = unsafe extern "C" fn(Str) -> u32;
type Ends = unsafe extern "C" fn(u32, Str, Str, Str);
type Say = unsafe extern "C" fn(Str);

// SAFETY: module `refused` of crate `texunit-cuda` has this function, with this type.
static BEGINS: DriverFunction<Begins> = unsafe { DriverFunction::named(c"texunit_runtime_begins") };
// SAFETY: module `refused` of crate `texunit-cuda` has this function, with this type.
static ENDS: DriverFunction<Ends> = unsafe { DriverFunction::named(c"texunit_runtime_ends") };
// SAFETY: module `refused` of crate `texunit-cuda` has this function, with this type.
static SAY: DriverFunction<Say> = unsafe { DriverFunction::named(c"texunit_say_refused") };

/// Reports how a call has ended.
fn ends(code: u32, function: &str, name: &str, reason: &str) {
    if let Some(ends) = ENDS.get() {
        // SAFETY: the texts are valid during the call.
        unsafe { ends(code, Str::of(function), Str::of(name), Str::of(reason)) };
    }
}

/// A call of a library's function by the program, from its start to its end, as the driver library
/// records it.
#[derive(Debug)]
pub struct Call {
    function: &'static str,
    /// Whether the trace or a report records how the call ends.
    is_reported: bool,
}

impl Call {
    /// Reports the start of a call of the function of this name.
    pub fn begins(function: &'static str) -> Self {
        let begins = BEGINS.get();
        // SAFETY: the text is static in this library, which is never unloaded.
        let is_reported = begins.is_some_and(|begins| unsafe { begins(Str::of(function)) } != 0);
        Self { function, is_reported }
    }

    /// Whether the trace or a report records how the call ends.
    pub fn is_reported(&self) -> bool {
        self.is_reported
    }

    /// Reports that the call was refused: a code other than 0, its name, and the reason.
    pub fn refused(mut self, code: u32, name: &str, reason: &str) {
        if self.is_reported {
            ends(code, self.function, name, reason);
            self.is_reported = false;
        }
    }
}

/// A call that is dropped without a result, by a panic too, has ended: the thread's call depth
/// falls by one.
impl Drop for Call {
    fn drop(&mut self) {
        if self.is_reported {
            ends(0, "", "", "");
        }
    }
}

/// Prints what is not supported, unless the refusal of the call is reported anyway.
pub fn say_refused(text: &str) {
    if let Some(say) = SAY.get() {
        // SAFETY: the text is valid during the call.
        unsafe { say(Str::of(text)) }
    }
}
