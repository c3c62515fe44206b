//! The reason of a refused call, as the runtime library asks for it.

use super::common::{cuInit, ok};
use std::sync::Once;
use texunit_cuda_abi::CUresult;

/// A text of the runtime library.
#[repr(C)]
#[derive(Clone, Copy)]
struct Str(*const u8, usize);

unsafe extern "C" {
    safe fn texunit_runtime_begins() -> u32;
    fn texunit_runtime_ends(code: u32, function: Str, name: Str, reason: Str);
    fn texunit_reason(to: *mut u8, size: usize) -> usize;
}

/// Has reasons told; to be called before anything else.
pub(crate) fn ready() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: every test of the program begins with this, so that none reads the environment yet.
        unsafe { std::env::set_var("TEXUNIT_REPORT_API_ERRORS", "1") };
        ok!(cuInit(0));
    });
}

/// What a call answers, and why, if it is refused.
pub(crate) fn why(call: impl FnOnce() -> CUresult) -> (CUresult, String) {
    assert_eq!(texunit_runtime_begins(), 1, "reasons are wanted");
    let code = call();
    let mut bytes = vec![0; 4096];
    // SAFETY: the buffer is as long as that.
    let size = unsafe { texunit_reason(bytes.as_mut_ptr(), bytes.len()) };
    let none = Str(std::ptr::null(), 0);
    // SAFETY: empty texts.
    unsafe { texunit_runtime_ends(0, none, none, none) };
    bytes.truncate(size);
    (code, String::from_utf8(bytes).expect("UTF-8"))
}

#[allow(dead_code, reason = "not every test asks")]
/// Addresses and handles, which differ from run to run, as `0x..`.
pub(crate) fn without_addresses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("0x") {
        let digits: usize =
            rest[at + 2..].chars().take_while(char::is_ascii_hexdigit).map(char::len_utf8).sum();
        out += &rest[..at];
        out += if digits > 6 { "0x.." } else { &rest[at..at + 2 + digits] };
        rest = &rest[at + 2 + digits..];
    }
    out + rest
}
