//! Result codes (`CUresult`). The runtime API's `cudaError_t` has the same numbers, with names of
//! its own.

use crate::lock;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::Mutex;

/// Status that every function of the driver API returns. It is a plain number, because callers may
/// pass any number to `cuGetErrorName`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct CUresult(pub u32);

/// A code: its names in both APIs, and its description.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Number of the code, the same in both APIs.
    pub value: CUresult,
    /// Name in the driver API.
    pub name: &'static str,
    /// Name in the runtime API.
    pub runtime_name: &'static str,
    /// Description, as returned by `cuGetErrorString` and `cudaGetErrorString`.
    pub text: &'static str,
}

impl CUresult {
    /// The names and the description of this code, if the driver API defines it.
    pub fn code(self) -> Option<&'static Code> {
        CODES.iter().find(|code| code.value == self)
    }

    /// Name of the code in the driver API, or the code's number if it has no name.
    pub fn name(self) -> String {
        self.code().map_or_else(|| self.0.to_string(), |code| code.name.to_owned())
    }
}

/// The name or description of a code as a C string that lives to the end of the program. At most
/// one C string is made for each text.
pub fn kept_text(text: &'static str) -> &'static CStr {
    static TEXTS: Mutex<BTreeMap<&str, &CStr>> = Mutex::new(BTreeMap::new());
    // Names and descriptions contain no zero byte.
    let new = || CString::new(text).unwrap_or_default().into_boxed_c_str();
    lock(&TEXTS).entry(text).or_insert_with(|| Box::leak(new()))
}

impl std::fmt::Debug for CUresult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name())
    }
}

macro_rules! codes {
    ($($constant:ident = $value:literal, $name:literal, $runtime:literal, $text:literal;)*) => {
        impl CUresult {
            $(
                #[doc = $text]
                pub const $constant: Self = Self($value);
            )*
        }

        /// All codes of the driver API, by number.
        pub const CODES: &[Code] = &[$(Code {
            value: CUresult::$constant,
            name: $name,
            runtime_name: $runtime,
            text: $text,
        }),*];
    };
}

// A call of `codes!` with the rows of `data/codes.txt`.
include!(concat!(env!("OUT_DIR"), "/codes.rs"));
