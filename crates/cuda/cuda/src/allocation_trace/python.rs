//! Stack frames of a Python program, read through functions of Python's stable ABI, if the process
//! contains an interpreter and the calling thread is known to it.

use crate::prelude::*;
use std::ffi::{CStr, c_char};

/// A Python frame: file, line and function.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) file: String,
    pub(super) line: i32,
    pub(super) function: String,
}

/// A pointer to a Python object (`PyObject *`).
type Object = *mut c_void;

/// Defines the functions of an interpreter in the process, by their names.
macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Python {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Python {
            fn find() -> Option<Self> {
                Some(Self { $($field: {
                    // SAFETY: the name is zero-terminated; `dlsym` loads nothing.
                    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, $name.as_ptr()) };
                    if found.is_null() {
                        return None;
                    }
                    // SAFETY: the function is part of Python's stable ABI and has this type in
                    // every release that exports it.
                    unsafe {
                        std::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn($($argument),*) $(-> $result)?,
                        >(found)
                    }
                },)* })
            }
        }
    };
}

functions! {
    is_initialized = c"Py_IsInitialized": fn() -> c_int;
    this_thread = c"PyGILState_GetThisThreadState": fn() -> *mut c_void;
    ensure = c"PyGILState_Ensure": fn() -> c_int;
    release = c"PyGILState_Release": fn(c_int);
    frame = c"PyEval_GetFrame": fn() -> Object;
    line = c"PyFrame_GetLineNumber": fn(Object) -> c_int;
    code = c"PyFrame_GetCode": fn(Object) -> Object;
    back = c"PyFrame_GetBack": fn(Object) -> Object;
    attribute = c"PyObject_GetAttrString": fn(Object, *const c_char) -> Object;
    text = c"PyUnicode_AsUTF8AndSize": fn(Object, *mut isize) -> *const c_char;
    clear_error = c"PyErr_Clear": fn();
    take_error = c"PyErr_Fetch": fn(*mut Object, *mut Object, *mut Object);
    give_error = c"PyErr_Restore": fn(Object, Object, Object);
    take = c"Py_IncRef": fn(Object);
    give = c"Py_DecRef": fn(Object);
}

impl Python {
    /// A text attribute of an object.
    ///
    /// # Safety
    /// The thread holds the interpreter's lock, and the object is valid.
    unsafe fn member(&self, object: Object, name: &CStr) -> Option<String> {
        // SAFETY: the caller upholds this function's safety contract; each reference is released
        // once, after the text has been copied.
        unsafe {
            let value = (self.attribute)(object, name.as_ptr());
            if value.is_null() {
                (self.clear_error)();
                return None;
            }
            let mut size = 0;
            let start = (self.text)(value, &raw mut size);
            let text = (!start.is_null()).then(|| {
                let bytes = std::slice::from_raw_parts(start.cast(), size.unsigned_abs());
                String::from_utf8_lossy(bytes).into_owned()
            });
            if text.is_none() {
                (self.clear_error)();
            }
            (self.give)(value);
            text
        }
    }

    /// File, line and function of each frame, innermost first.
    ///
    /// # Safety
    /// The thread holds the interpreter's lock.
    unsafe fn frames(&self, most: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        // SAFETY: the caller upholds this function's safety contract; `frame` holds a reference,
        // which is released.
        unsafe {
            let mut frame = (self.frame)();
            if frame.is_null() {
                return frames;
            }
            (self.take)(frame);
            while !frame.is_null() && frames.len() < most {
                let code = (self.code)(frame);
                if !code.is_null() {
                    let file = self.member(code, c"co_filename").unwrap_or_else(|| "?".to_owned());
                    let name = self.member(code, c"co_name").unwrap_or_else(|| "?".to_owned());
                    frames.push(Frame { file, line: (self.line)(frame), function: name });
                    (self.give)(code);
                }
                let outer = (self.back)(frame);
                (self.give)(frame);
                frame = outer;
            }
            if !frame.is_null() {
                (self.give)(frame);
            }
        }
        frames
    }
}

/// The Python frames of the calling thread, innermost first; empty in other threads and programs.
pub(super) fn frames(most: usize) -> Vec<Frame> {
    static PYTHON: OnceLock<Python> = OnceLock::new();
    let python = match PYTHON.get() {
        Some(python) => python,
        // The program may load an interpreter later.
        None => match Python::find() {
            Some(python) => PYTHON.get_or_init(|| python),
            None => return Vec::new(),
        },
    };
    // SAFETY: these functions may be called at any time. The interpreter's lock is taken only in a
    // thread that Python knows, while the interpreter is initialised, and is released. No lock of
    // texunit's is held here.
    unsafe {
        if (python.is_initialized)() == 0 || (python.this_thread)().is_null() {
            return Vec::new();
        }
        let state = (python.ensure)();
        // Memory may be freed while an exception is pending, which is saved and restored.
        let [mut kind, mut value, mut trace] = [std::ptr::null_mut(); 3];
        (python.take_error)(&raw mut kind, &raw mut value, &raw mut trace);
        let frames = python.frames(most);
        (python.give_error)(kind, value, trace);
        (python.release)(state);
        frames
    }
}
