//! Where a Python program is. Its interpreter is asked through functions of Python's stable ABI, if there is one in the process
//! and the calling thread is one of its threads.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::OnceLock;

/// A function of Python that was being executed.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) file: String,
    pub(super) line: i32,
    pub(super) function: String,
}

/// An object of Python.
type Object = *mut c_void;

/// Functions of an interpreter that is in the process, by their names.
macro_rules! functions {
    ($($field:ident = $name:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Python {
            $($field: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Python {
            fn find() -> Option<Self> {
                Some(Self { $($field: {
                    // SAFETY: a name that ends with zero; nothing is loaded.
                    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, $name.as_ptr()) };
                    if found.is_null() {
                        return None;
                    }
                    // SAFETY: a function of Python's stable ABI, which has this type in every release that has it.
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
    /// A text that an object has under a name.
    ///
    /// # Safety
    /// The thread holds the interpreter's lock, and the object is one.
    unsafe fn member(&self, object: Object, name: &CStr) -> Option<String> {
        // SAFETY: as the caller promises; references are given back once each, and the text is copied before.
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

    /// File, line and function of each frame, the innermost first.
    ///
    /// # Safety
    /// The thread holds the interpreter's lock.
    unsafe fn frames(&self, most: usize) -> Vec<Frame> {
        let mut frames = Vec::new();
        // SAFETY: as the caller promises; `frame` holds a reference that is given back.
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

/// The frames of the calling thread, if it is one of a Python program, the innermost first.
pub(super) fn frames(most: usize) -> Vec<Frame> {
    static PYTHON: OnceLock<Python> = OnceLock::new();
    let python = match PYTHON.get() {
        Some(python) => python,
        // A program may load an interpreter later.
        None => match Python::find() {
            Some(python) => PYTHON.get_or_init(|| python),
            None => return Vec::new(),
        },
    };
    // SAFETY: functions that may be called at any time; the lock is taken only in a thread that Python knows, while there
    // is an interpreter, and given back. No lock of texunit's is held here.
    unsafe {
        if (python.is_initialized)() == 0 || (python.this_thread)().is_null() {
            return Vec::new();
        }
        let state = (python.ensure)();
        // Memory is freed while exceptions are on their way, too.
        let [mut kind, mut value, mut trace] = [std::ptr::null_mut(); 3];
        (python.take_error)(&raw mut kind, &raw mut value, &raw mut trace);
        let frames = python.frames(most);
        (python.give_error)(kind, value, trace);
        (python.release)(state);
        frames
    }
}
