//! The profiler (driver API, "Profiler Control"): there is none to be started or stopped.

use crate::args::Text;
use crate::call::driver_api;
use crate::context;
use std::ffi::c_uint;
use texunit_cuda_abi::CUresult;

driver_api! {
    /// There is no profiler that could write such a file.
    fn cuProfilerInitialize(_config: Text, _output: Text, _format: c_uint) {
        Err(CUresult::PROFILER_DISABLED.because("there is no profiler that could write such a file"))
    }

    /// Tells a profiler, of which there is none, to begin.
    fn cuProfilerStart() {
        context::current().map(|_| ())
    }

    /// Tells a profiler, of which there is none, to end.
    fn cuProfilerStop() {
        context::current().map(|_| ())
    }
}
