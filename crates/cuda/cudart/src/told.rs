//! Why a call is refused: the driver library tells the user (trace, report, standard error). What a function of the
//! runtime is refused for is found here, or by a function of the driver that it calls; the call that is told of is the
//! program's own.

use crate::{MAJOR, codes};
use std::borrow::Cow;
use texunit_cuda_abi::{Argument, CUresult, Refusal};

/// A text for the driver library.
#[repr(C)]
struct Str {
    start: *const u8,
    size: usize,
}

impl Str {
    fn of(text: &str) -> Self {
        Self { start: text.as_ptr(), size: text.len() }
    }
}

/// Functions of texunit's driver. Without a driver, of which the user is told, they do nothing.
mod linked {
    use super::Str;
    use crate::driver::Found;

    pub(super) type Begins = unsafe extern "C" fn(Str) -> u32;
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

/// A call of the runtime, as the driver library knows of it.
pub(crate) struct RuntimeCall {
    function: &'static str,
    /// Whether anybody wants to know how it ends.
    is_told: bool,
}

impl RuntimeCall {
    pub(crate) fn begins(function: &'static str) -> Self {
        // A launch as the compiler writes it (`<<<...>>>`).
        let function = match function {
            "__cudaLaunchKernel" => "cudaLaunchKernel",
            other => other,
        };
        // SAFETY: the text is valid as long as the library is.
        let begins = |begins: linked::Begins| unsafe { begins(Str::of(function)) };
        Self { function, is_told: linked::BEGINS.get().is_some_and(|it| begins(it) != 0) }
    }

    /// It has ended; if it was refused, with these arguments.
    pub(crate) fn ends(mut self, refusal: Option<&Refusal>, arguments: &[Argument<'_>]) {
        // A call that was not refused ends when this is dropped.
        let Some(refusal) = refusal.filter(|_| self.is_told) else { return };
        let reason = in_words_of_runtime(refusal.reason(arguments), arguments);
        let code = refusal.code.0;
        let number = code.to_string();
        let name = codes::find(code, MAJOR).map_or(number.as_str(), |(name, _)| name);
        ends(code, self.function, name, &reason);
        self.is_told = false;
    }
}

/// However a call is left, it ends: this thread is in one call less.
impl Drop for RuntimeCall {
    fn drop(&mut self) {
        if self.is_told {
            ends(0, "", "", "");
        }
    }
}

/// What a function of the driver has refused, for its reason; nobody has one if nobody wants to know it.
pub(crate) fn driver(code: CUresult) -> Refusal {
    let Some(reason) = linked::REASON.get() else {
        return code.because("the runtime finds no driver of texunit's");
    };
    // SAFETY: nothing is written.
    let size = unsafe { reason(std::ptr::null_mut(), 0) };
    let mut bytes = vec![0; size];
    // SAFETY: the buffer is our own, of that size.
    unsafe { reason(bytes.as_mut_ptr(), size) };
    code.because(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a parameter is called by the driver and by the runtime.
#[rustfmt::skip]
const NAMES: &[(&str, &str)] = &[
    ("bytesize", "size"), ("ByteCount", "count"), ("dptr", "devPtr"), ("hStream", "stream"), ("hEvent", "event"),
    ("hStart", "start"), ("hEnd", "end"), ("hfunc", "func"), ("f", "func"), ("hArray", "array"),
    ("hMipmappedArray", "mipmappedArray"), ("hTexRef", "texref"), ("dev", "device"), ("Flags", "flags"),
    ("attrib", "attr"), ("pool", "memPool"), ("p", "ptr"), ("p", "pHost"), ("ptr", "ptr"), ("dptr", "ptr"), ("srcDevice", "src"), ("srcHost", "src"),
    ("dstDevice", "dst"), ("dstHost", "dst"), ("srcArray", "src"), ("dstArray", "dst"), ("WidthInBytes", "width"),
    ("Height", "height"), ("Pitch", "pitch"), ("srcPitch", "spitch"), ("dstPitch", "dpitch"),
    ("sharedMemBytes", "sharedMem"), ("hPeerContext", "peerDevice"), ("peerContext", "peerDevice"),
    ("kernelParams", "args"), ("pp", "ptr"), ("pp", "pHost"), ("dstDevice", "devPtr"), ("dstPitch", "pitch"),
    ("hArray", "dst"), ("hArray", "src"), ("config", "cacheConfig"), ("numBytes", "size"),
    ("dstXInBytes", "wOffset"), ("srcXInBytes", "wOffset"), ("dstXInBytes", "wOffsetDst"), ("srcXInBytes", "wOffsetSrc"),
    ("dstY", "hOffset"), ("srcY", "hOffset"), ("dstY", "hOffsetDst"), ("srcY", "hOffsetSrc"),
];

/// The same in the structure of a copy in three dimensions, `p`.
#[rustfmt::skip]
const MEMBERS: &[(&str, &str)] = &[
    ("dstXInBytes", "dstPos.x"), ("srcXInBytes", "srcPos.x"), ("dstY", "dstPos.y"), ("srcY", "srcPos.y"),
    ("dstZ", "dstPos.z"), ("srcZ", "srcPos.z"), ("WidthInBytes", "extent.width"), ("Height", "extent.height"),
    ("Depth", "extent.depth"), ("srcPitch", "srcPtr.pitch"), ("dstPitch", "dstPtr.pitch"), ("srcHeight", "srcPtr.ysize"),
    ("dstHeight", "dstPtr.ysize"), ("srcDevice", "srcPtr"), ("dstDevice", "dstPtr"), ("srcHost", "srcPtr"), ("dstHost", "dstPtr"),
];

/// A reason of the driver begins with the name of its parameter: the runtime's own name goes in its place, where the
/// function has such a parameter. So it does elsewhere with names that are no words of a language.
fn in_words_of_runtime(reason: Cow<'static, str>, arguments: &[Argument<'_>]) -> Cow<'static, str> {
    let has = |name: &str| arguments.iter().any(|argument| argument.name == name);
    let own = |word: &str| {
        let found = NAMES.iter().find(|(driver, runtime)| *driver == word && has(runtime));
        let member = || MEMBERS.iter().find(|(driver, _)| *driver == word && has("p"));
        found.or_else(member).filter(|_| !has(word)).map(|(_, runtime)| *runtime)
    };
    let is_name =
        |word: &str| word.len() > 3 && word.chars().skip(1).any(|c: char| c.is_ascii_uppercase());
    let changed = |(i, word): (usize, &str)| own(word).filter(|_| i == 0 || is_name(word));
    let words = || reason.split(' ').enumerate();
    if words().all(|one| changed(one).is_none()) {
        return reason;
    }
    let all: Vec<&str> = words().map(|(i, word)| changed((i, word)).unwrap_or(word)).collect();
    all.join(" ").into()
}

/// Says what is not supported, unless the refusal that follows is told anyway.
pub(crate) fn say_refused(text: &str) {
    if let Some(say) = linked::SAY.get() {
        // SAFETY: the text is valid while it runs.
        unsafe { say(Str::of(text)) }
    }
}
