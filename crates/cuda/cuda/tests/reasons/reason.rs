//! Reasons of refused calls, read as the runtime library reads them.

use crate::common::{cuInit, ok};
use std::sync::Once;
use texunit_cuda_abi::CUresult;

/// A string passed to or by the runtime library.
#[repr(C)]
#[derive(Clone, Copy)]
struct Str(*const u8, usize);

unsafe extern "C" {
    fn texunit_runtime_begins(function: Str) -> u32;
    fn texunit_runtime_ends(code: u32, function: Str, name: Str, reason: Str);
    fn texunit_reason(to: *mut u8, size: usize) -> usize;
}

/// Turns on the recording of reasons; to be called before anything else.
pub(crate) fn ready() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: every test of the program begins with this, so that none reads the environment
        // yet.
        unsafe { std::env::set_var("TEXUNIT_REPORT_API_ERRORS", "1") };
        ok!(cuInit(0));
    });
}

/// Result of a call, and the reason if it is refused.
pub(crate) fn why(call: impl FnOnce() -> CUresult) -> (CUresult, String) {
    let none = Str(std::ptr::null(), 0);
    // SAFETY: the text is empty.
    assert_eq!(unsafe { texunit_runtime_begins(none) }, 1, "reasons are wanted");
    let code = call();
    let mut bytes = vec![0; 4096];
    // SAFETY: the buffer has this length.
    let size = unsafe { texunit_reason(bytes.as_mut_ptr(), bytes.len()) };
    // SAFETY: the texts are empty.
    unsafe { texunit_runtime_ends(0, none, none, none) };
    bytes.truncate(size);
    (code, String::from_utf8(bytes).expect("UTF-8"))
}

/// Replaces the parts that differ from run to run: addresses and handles by `0x..`, allocation
/// numbers and large sizes by `..`.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        out += before;
        let (hex, number) = match number.strip_prefix("0x") {
            Some(digits) => (true, digits),
            None => (false, number),
        };
        let end = number.find(|c: char| !(c.is_ascii_digit() || hex && c.is_ascii_hexdigit()));
        let (digits, after) = number.split_at(end.unwrap_or(number.len()));
        let varies = match hex {
            true => digits.len() > 6,
            false => digits.len() > 9 || out.ends_with("(number "),
        };
        out += if hex { "0x" } else { "" };
        out += if varies { ".." } else { digits };
        rest = after;
    }
    out + rest
}
