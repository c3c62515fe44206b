//! Finds and opens the driver of this machine's GPU.

use crate::driver::{Gpu, GpuError};
use crate::ffi::{self, Api};

/// Names of the driver library.
#[cfg(windows)]
const LIBRARIES: [&str; 1] = ["nvcuda.dll"];
#[cfg(not(windows))]
const LIBRARIES: [&str; 2] = ["libcuda.so.1", "libcuda.so"];

/// Environment variable that names another driver library.
pub const LIBRARY_VARIABLE: &str = "TEXUNIT_LIBCUDA";

impl Gpu {
    /// Opens the first GPU of this machine with `libcuda.so.1` (`nvcuda.dll` on Windows), or the
    /// library in [`LIBRARY_VARIABLE`].
    ///
    /// # Errors
    /// There is no driver or no GPU, or the driver is texunit's own.
    pub fn open() -> Result<Self, GpuError> {
        let other = std::env::var(LIBRARY_VARIABLE).ok().filter(|path| !path.is_empty());
        #[cfg(any(test, feature = "test-card"))]
        if other.as_deref() == Some(crate::fake::NAME) {
            return crate::fake::gpu();
        }
        let names: Vec<String> = match other {
            Some(path) => vec![path],
            None => LIBRARIES.map(str::to_owned).to_vec(),
        };
        let mut reason = String::new();
        for name in names {
            // The source of the error has the system's message with the file name.
            let why = |e: &libloading::Error| std::error::Error::source(e).map(ToString::to_string);
            // SAFETY: a CUDA driver's initialisers have no effect on this process. If the variable
            // names the library, the user guarantees that it is a CUDA driver.
            match unsafe { libloading::Library::new(&name) } {
                Ok(library) if ffi::is_ours(&library) => return Err(GpuError::Ours(name)),
                // SAFETY: the library is a CUDA driver, whose functions have the types that the API
                // table states.
                Ok(library) => match unsafe { Api::new(library) } {
                    Ok(api) => return Self::start(api),
                    Err(e) => {
                        reason = format!("{name} lacks a function");
                        reason.extend(why(&e).map(|why| format!(": {why}")));
                    }
                },
                Err(e) if reason.is_empty() => {
                    reason = why(&e).unwrap_or_else(|| format!("{name} cannot be opened"))
                }
                Err(_) => {}
            }
        }
        Err(GpuError::NoDriver(reason))
    }
}
