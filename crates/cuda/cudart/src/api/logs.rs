//! The error log (runtime API, "Error Log Management Functions"), which is the driver's.

use crate::call::{check, runtime_api};
use crate::driver;
use crate::state;
use std::ffi::{c_uint, c_void};
use texunit_cuda_abi::CUlogsCallback;
use texunit_cuda_abi::args::{InOut, Out, Raw, Text};

runtime_api! {
    /// Registers a callback for log messages.
    fn cudaLogsRegisterCallback(callbackFunc: CUlogsCallback, userData: *mut c_void, callback_out: Out<usize>) {
        state::init()?;
        // SAFETY: the callback and its argument come from the caller, which allows this call.
        check(unsafe { driver::cuLogsRegisterCallback(callbackFunc, userData, callback_out.as_ptr()) })
    }

    /// Unregisters the callback.
    fn cudaLogsUnregisterCallback(callback: usize) {
        state::init()?;
        check(driver::cuLogsUnregisterCallback(callback))
    }

    /// The position at which the next message will be logged.
    fn cudaLogsCurrent(iterator_out: Out<c_uint>, flags: c_uint) {
        state::init()?;
        check(driver::cuLogsCurrent(iterator_out, flags))
    }

    /// Writes log messages to a file.
    fn cudaLogsDumpToFile(iterator: InOut<c_uint>, pathToFile: Text, flags: c_uint) {
        state::init()?;
        // SAFETY: the caller's number and C string.
        check(unsafe { driver::cuLogsDumpToFile(iterator.as_ptr(), pathToFile.as_ptr(), flags) })
    }

    /// Writes log messages to a buffer.
    fn cudaLogsDumpToMemory(iterator: InOut<c_uint>, buffer: Raw, size: InOut<usize>, flags: c_uint) {
        state::init()?;
        let buffer = buffer.as_ptr();
        // SAFETY: the caller passes the capacity of its buffer.
        check(unsafe { driver::cuLogsDumpToMemory(iterator.as_ptr(), buffer, size.as_ptr(), flags) })
    }
}
