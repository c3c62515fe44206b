//! Profiler control (driver API, "Profiler Control"), which has no effect, as there is no profiler.

use crate::api::*;
use crate::context;

driver_api! {
    /// Refused, as there is no profiler that could write such a file.
    fn cuProfilerInitialize(_config, _output, _format) {
        Err(CUresult::PROFILER_DISABLED.because("there is no profiler that could write such a file"))
    }

    /// Starts profiling, which has no effect.
    fn cuProfilerStart() {
        context::current().map(|_| ())
    }

    /// Stops profiling, which has no effect.
    fn cuProfilerStop() {
        context::current().map(|_| ())
    }
}
