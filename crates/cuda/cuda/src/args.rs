//! Pointer argument types, which are shared with the other libraries.

pub(crate) use texunit_cuda_abi::args::{
    Answer, Elements, In, InBytes, InOut, Out, OutBytes, Raw, Text,
};

/// A string of the runtime library.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Str {
    start: *const u8,
    size: usize,
}

impl Str {
    /// # Safety
    /// The pointer is to this many bytes, or the size is 0.
    pub(crate) unsafe fn text(self) -> String {
        // SAFETY: the caller upholds this function's safety contract.
        String::from_utf8_lossy(unsafe { self.bytes() }).into_owned()
    }

    /// # Safety
    /// As for [`Str::text`]; the bytes live as long as the caller's text.
    pub(crate) unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the caller upholds this function's safety contract.
        unsafe { std::slice::from_raw_parts(self.start, self.size) }
    }
}
