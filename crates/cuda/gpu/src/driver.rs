//! Safe handles of objects on the GPU: memory, arrays, textures, surfaces, kernels. An object is
//! freed when its handle is dropped. All objects belong to one [`Gpu`] and to one thread.

use crate::ffi::{self, Api, Handle, call};
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::rc::Rc;
use texunit_cuda_abi::{CUdevice, CUdeviceptr, CUresult};

/// Reason why the GPU cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GpuError {
    /// No driver library was found.
    #[error("no NVIDIA driver: {0}")]
    NoDriver(String),
    /// The driver finds no GPU.
    #[error("the NVIDIA driver finds no GPU{0}")]
    NoGpu(String),
    /// The driver is texunit's own, which simulates its device.
    #[error(
        "{0} is texunit's own driver, which is not a GPU and would be compared with itself; take its folder out of \
         LD_LIBRARY_PATH (and start without `texunit run`), or name NVIDIA's driver with TEXUNIT_LIBCUDA"
    )]
    Ours(String),
    /// A driver function failed.
    #[error("{function} failed with {reason}")]
    Call {
        /// Name of the function, `cuTexObjectCreate`.
        function: &'static str,
        /// Error text, `CUDA_ERROR_INVALID_VALUE: invalid argument`.
        reason: String,
        /// Error code.
        code: i32,
    },
    /// The driver's compiler rejected PTX that this crate generated.
    #[error("the driver refuses the PTX: {0}")]
    Ptx(String),
    /// The driver API cannot express the named property of a texture, surface or instruction.
    #[error("{0}")]
    NotExpressible(String),
}

/// `CUresult` codes after which every call of the process fails, because the device is lost or
/// broken, or a kernel has faulted.
#[rustfmt::skip]
const LOST: [u32; 15] = [
    // CUDA_ERROR_ DEINITIALIZED, DEVICE_UNAVAILABLE, ECC_UNCORRECTABLE, NVLINK_UNCORRECTABLE,
    // CONTAINED
    4, 46, 214, 220, 226,
    // ILLEGAL_ADDRESS, LAUNCH_TIMEOUT, CONTEXT_IS_DESTROYED, ASSERT
    700, 702, 709, 710,
    // HARDWARE_STACK_ERROR, ILLEGAL_INSTRUCTION, MISALIGNED_ADDRESS, INVALID_ADDRESS_SPACE,
    // INVALID_PC, LAUNCH_FAILED
    714, 715, 716, 717, 718, 719,
];

/// Maximum size in bytes of a kernel's parameters, and therefore also their maximum number.
const MAX_PARAMETERS: usize = 32_764;

struct Context {
    api: Api,
    device: CUdevice,
    /// The error after which the context is unusable.
    lost: RefCell<Option<GpuError>>,
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: `Gpu::open` has retained the context, and every handle has been freed, because
        // each holds an `Rc` of this context.
        unsafe { (self.api.cuDevicePrimaryCtxRelease_v2)(self.device) };
    }
}

/// An NVIDIA GPU.
#[derive(Clone)]
pub struct Gpu {
    context: Rc<Context>,
    name: String,
    capability: (u32, u32),
    driver_version: u32,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Gpu {
    /// The first GPU of a driver.
    pub(crate) fn start(api: Api) -> Result<Self, GpuError> {
        // SAFETY: in all calls here, out-pointers are to local variables of the types in `cuda.h`.
        let code = unsafe { (api.cuInit)(0) };
        if code != CUresult::SUCCESS {
            return Err(GpuError::NoGpu(format!(" ({})", api.error_text(code))));
        }
        let (mut count, mut device, mut version) = (0, 0, 0);
        // SAFETY: all out-pointers are to local variables of the types in `cuda.h`.
        unsafe {
            check(&api, "cuDeviceGetCount", (api.cuDeviceGetCount)(&raw mut count))?;
            if count == 0 {
                return Err(GpuError::NoGpu(String::new()));
            }
            check(&api, "cuDeviceGet", (api.cuDeviceGet)(&raw mut device, 0))?;
            check(&api, "cuDriverGetVersion", (api.cuDriverGetVersion)(&raw mut version))?;
        }
        let mut name = [0_u8; 256];
        let pointer = name.as_mut_ptr().cast::<c_char>();
        // SAFETY: the call is given the length of the buffer.
        let code = unsafe { (api.cuDeviceGetName)(pointer, 255, device) };
        check(&api, "cuDeviceGetName", code)?;
        let name = CStr::from_bytes_until_nul(&name)
            .map_or_else(|_| "unknown GPU".to_owned(), |name| name.to_string_lossy().into_owned());
        let attribute = |which| {
            let mut value = 0;
            // SAFETY: all out-pointers are to local variables of the types in `cuda.h`.
            let code = unsafe { (api.cuDeviceGetAttribute)(&raw mut value, which, device) };
            check(&api, "cuDeviceGetAttribute", code).map(|()| value as u32)
        };
        let capability =
            (attribute(ffi::COMPUTE_CAPABILITY_MAJOR)?, attribute(ffi::COMPUTE_CAPABILITY_MINOR)?);
        let mut handle = 0;
        // SAFETY: all out-pointers are to local variables of the types in `cuda.h`.
        let code = unsafe { (api.cuDevicePrimaryCtxRetain)(&raw mut handle, device) };
        check(&api, "cuDevicePrimaryCtxRetain", code)?;
        // From here on, dropping `context` releases the driver's context.
        let context = Rc::new(Context { api, device, lost: RefCell::default() });
        let gpu = Self { context, name, capability, driver_version: version as u32 };
        // SAFETY: the context has been retained.
        gpu.check("cuCtxSetCurrent", unsafe { (gpu.api().cuCtxSetCurrent)(handle) })?;
        Ok(gpu)
    }

    /// `NVIDIA GeForce RTX 3060`
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Compute capability: (8, 6) for sm_86.
    pub fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// Version of CUDA that the driver supports: 12040 for 12.4.
    pub fn driver_version(&self) -> u32 {
        self.driver_version
    }

    pub(crate) fn api(&self) -> &Api {
        &self.context.api
    }

    pub(crate) fn check(&self, function: &'static str, code: CUresult) -> Result<(), GpuError> {
        let done = check(self.api(), function, code);
        if let Err(error) = &done
            && LOST.contains(&code.0)
        {
            self.context.lost.borrow_mut().get_or_insert_with(|| error.clone());
        }
        done
    }

    /// The error that has made the GPU unusable in this process, if any; usually a fault of a
    /// kernel.
    pub fn lost(&self) -> Option<GpuError> {
        self.context.lost.borrow().clone()
    }

    /// Waits for all launches and reports a kernel's fault.
    ///
    /// # Errors
    /// The fault of a kernel.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        // SAFETY: no arguments.
        self.check("cuCtxSynchronize", unsafe { (self.api().cuCtxSynchronize)() })
    }

    /// Compiles PTX for the GPU.
    ///
    /// # Errors
    /// The PTX is not valid, or needs a newer driver.
    pub fn module(&self, ptx: &str) -> Result<Module, GpuError> {
        const LOG: usize = 8192;
        let source =
            CString::new(ptx).map_err(|_| GpuError::Ptx("it holds a NUL character".to_owned()))?;
        let mut log = vec![0_u8; LOG];
        let options = [ffi::JIT_ERROR_LOG_BUFFER, ffi::JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().expose_provenance(), LOG];
        let (mut module, text) = (0, source.as_ptr().cast_mut().cast());
        let (load, options, values) =
            (self.api().cuModuleLoadDataEx, options.as_ptr(), values.as_mut_ptr());
        // SAFETY: the text ends in NUL; the two options have values of the types that `cuda.h`
        // requires, and the log has the given size.
        let code = unsafe { load(&raw mut module, text, 2, options, values) };
        if LOST.contains(&code.0) {
            self.check("cuModuleLoadDataEx", code)?;
        }
        if code != CUresult::SUCCESS {
            let text = String::from_utf8_lossy(&log);
            let text = text.trim_end_matches('\0').trim();
            let reason = self.api().error_text(code);
            return Err(GpuError::Ptx(format!("{reason}\n{text}")));
        }
        Ok(Module { gpu: self.clone(), module })
    }

    /// Allocates memory on the GPU that contains these bytes.
    ///
    /// # Errors
    /// The GPU is out of memory.
    pub fn buffer(&self, bytes: &[u8]) -> Result<Buffer, GpuError> {
        let mut address = 0;
        // SAFETY: the out-pointer is to a local variable. An allocation of size 0 would be refused.
        unsafe { call!(self, cuMemAlloc_v2(&raw mut address, bytes.len().max(1))) }?;
        let buffer = Buffer { gpu: self.clone(), address, size: bytes.len() };
        buffer.write(bytes)?;
        Ok(buffer)
    }
}

fn check(api: &Api, function: &'static str, code: CUresult) -> Result<(), GpuError> {
    if code == CUresult::SUCCESS {
        return Ok(());
    }
    let function = function.strip_suffix("_v2").unwrap_or(function);
    Err(GpuError::Call { function, reason: api.error_text(code), code: code.0.cast_signed() })
}

/// A loaded module.
#[derive(Debug)]
pub struct Module {
    gpu: Gpu,
    module: Handle,
}

/// Grid, block and dynamic shared memory in bytes of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct LaunchShape {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
}

impl Module {
    /// Runs a kernel and waits for its end. `arguments` are the bytes of each parameter; missing
    /// bytes are zero or those of the next parameters.
    ///
    /// # Errors
    /// The module has no such kernel, or the driver refuses the launch.
    pub fn launch(
        &self,
        kernel: &str,
        shape: LaunchShape,
        arguments: &[Vec<u8>],
    ) -> Result<(), GpuError> {
        let mut function = 0;
        let name = CString::new(kernel)
            .map_err(|_| GpuError::Ptx("the kernel's name holds a NUL character".to_owned()))?;
        // SAFETY: the module is loaded; the name ends in NUL.
        unsafe {
            call!(self.gpu, cuModuleGetFunction(&raw mut function, self.module, name.as_ptr()))
        }?;
        let arguments = Arguments::new(arguments);
        let (pointers, extra) = (arguments.pointers.as_ptr(), std::ptr::null());
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        // SAFETY: the driver reads a pointer for each parameter that the kernel declares, and the
        // parameter's size in bytes behind it; `Arguments` has more of both than any kernel can
        // declare.
        unsafe {
            call!(
                self.gpu,
                cuLaunchKernel(function, gx, gy, gz, bx, by, bz, shape.shared, 0, pointers, extra)
            )
        }?;
        self.gpu.synchronize()
    }
}

/// Arguments for `cuLaunchKernel`. The driver reads as many parameters as the kernel declares,
/// whatever the caller passed, so that the buffers here are large enough for every kernel.
struct Arguments {
    pointers: Vec<*mut c_void>,
    /// The parameter bytes, which `pointers` points into; kept alive as long as the pointers.
    _bytes: Vec<u8>,
}

impl Arguments {
    fn new(arguments: &[Vec<u8>]) -> Self {
        let mut starts = Vec::with_capacity(arguments.len());
        let mut bytes = Vec::new();
        for argument in arguments {
            bytes.resize(bytes.len().next_multiple_of(16), 0);
            starts.push(bytes.len());
            bytes.extend_from_slice(argument);
        }
        let end = bytes.len();
        bytes.resize(end + MAX_PARAMETERS, 0);
        let start = bytes.as_mut_ptr();
        let mut pointers: Vec<*mut c_void> =
            starts.into_iter().map(|at| start.wrapping_add(at).cast()).collect();
        pointers.resize(pointers.len().max(MAX_PARAMETERS), start.wrapping_add(end).cast());
        Self { pointers, _bytes: bytes }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // SAFETY: loaded by `Gpu::module`, unloaded once.
        unsafe { (self.gpu.api().cuModuleUnload)(self.module) };
    }
}

/// Allocated memory on the GPU.
#[derive(Debug)]
pub struct Buffer {
    gpu: Gpu,
    address: CUdeviceptr,
    size: usize,
}

impl Buffer {
    /// Device address of the memory.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Writes bytes to the start of the memory; bytes beyond its size are ignored.
    ///
    /// # Errors
    /// The driver's error.
    pub fn write(&self, bytes: &[u8]) -> Result<(), GpuError> {
        let count = bytes.len().min(self.size);
        // SAFETY: both buffers hold this many bytes.
        unsafe {
            call!(self.gpu, cuMemcpyHtoD_v2(self.address, bytes.as_ptr().cast_mut().cast(), count))
        }
    }

    /// Reads all bytes.
    ///
    /// # Errors
    /// The driver's error, or the fault of an earlier kernel.
    pub fn read(&self) -> Result<Vec<u8>, GpuError> {
        let mut bytes = vec![0_u8; self.size];
        // SAFETY: both buffers hold this many bytes.
        unsafe {
            call!(self.gpu, cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), self.address, self.size))
        }?;
        Ok(bytes)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated by `Gpu::buffer`, freed once.
        unsafe { (self.gpu.api().cuMemFree_v2)(self.address) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A driver reads as many parameters as the kernel declares, whatever was passed: even with the
    /// largest possible declaration it reads no memory outside of `Arguments`.
    #[test]
    fn arguments_are_enough_for_every_kernel() {
        let arguments = Arguments::new(&[vec![1, 2], Vec::new(), vec![3]]);
        assert_eq!(arguments.pointers.len(), MAX_PARAMETERS);
        let all = arguments._bytes.as_ptr_range();
        for &pointer in &arguments.pointers {
            let pointer = pointer.cast::<u8>().cast_const();
            assert!(pointer >= all.start && pointer.wrapping_add(MAX_PARAMETERS) <= all.end);
        }
        let at = |i: usize| arguments.pointers[i] as usize - all.start as usize;
        assert_eq!([at(0), at(1), at(2), at(3)], [0, 16, 16, 17]);
        assert_eq!(arguments._bytes[..17], [1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3]);
    }
}
