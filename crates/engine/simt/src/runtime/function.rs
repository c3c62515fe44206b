//! The built-in functions, looked up by name: those of the device runtime, and those that CUDA C++
//! declares without a body.

/// Defines the functions. Each has one or two names, each with the size in bytes of the parameters.
/// The names of the device runtime follow the prefix `cuda`. A parameter of 12 bytes consists of
/// 4-byte words, a larger one of 8-byte words.
macro_rules! functions {
    ($($function:ident: $($name:ident $sizes:tt),+;)*) => {
        /// A built-in function that kernels can call.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(crate) enum Function {
            #[default]
            $($function,)*
        }

        const FUNCTIONS: &[(&str, Function, &[u8])] =
            &[$($((stringify!($name), Function::$function, &$sizes),)+)*];
    };
}

functions! {
    Printf: vprintf [8, 8];
    AssertFail: __assertfail [8, 8, 4, 8, 8];
    Allocate: malloc [8], __nv_aligned_device_malloc [8, 8];
    Deallocate: free [8];
    DeviceGetAttribute: DeviceGetAttribute [8, 4, 4];
    DeviceGetCacheConfig: DeviceGetCacheConfig [8];
    DeviceGetLimit: DeviceGetLimit [8, 4];
    DeviceGetSharedMemConfig: DeviceGetSharedMemConfig [8];
    DeviceSynchronize: DeviceSynchronize [], DeviceSynchronizeDeprecationAvoidance [];
    EventCreateWithFlags: EventCreateWithFlags [8, 4];
    EventDestroy: EventDestroy [8];
    EventRecord: EventRecord [8, 8], EventRecordWithFlags [8, 8, 4];
    Free: Free [8];
    FuncGetAttributes: FuncGetAttributes [8, 8];
    GetDevice: GetDevice [8];
    GetDeviceCount: GetDeviceCount [8];
    GetErrorName: GetErrorName [4];
    GetErrorString: GetErrorString [4];
    GetLastError: GetLastError [];
    GetParameterBuffer: GetParameterBuffer [8, 8];
    GetParameterBufferV2: GetParameterBufferV2 [8, 12, 12, 4];
    LaunchDevice: LaunchDevice [8, 8, 12, 12, 4, 8];
    LaunchDeviceV2: LaunchDeviceV2 [8, 8];
    Malloc: Malloc [8, 8];
    Memcpy2DAsync: Memcpy2DAsync [8, 8, 8, 8, 8, 8, 4, 8];
    Memcpy3DAsync: Memcpy3DAsync [8, 8];
    MemcpyAsync: MemcpyAsync [8, 8, 8, 4, 8];
    Memset2DAsync: Memset2DAsync [8, 8, 4, 8, 8, 8];
    Memset3DAsync: Memset3DAsync [32, 4, 24, 8];
    MemsetAsync: MemsetAsync [8, 4, 8, 8];
    Occupancy: OccupancyMaxActiveBlocksPerMultiprocessor [8, 8, 4, 8],
        OccupancyMaxActiveBlocksPerMultiprocessorWithFlags [8, 8, 4, 8, 4];
    PeekAtLastError: PeekAtLastError [];
    RuntimeGetVersion: RuntimeGetVersion [8];
    StreamCreateWithFlags: StreamCreateWithFlags [8, 4];
    StreamDestroy: StreamDestroy [8];
    StreamWaitEvent: StreamWaitEvent [8, 8, 4];
}

/// A function as declared in a module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) function: Function,
    /// Size in bytes of each parameter.
    pub(crate) sizes: &'static [u8],
    /// Whether stream 0 means the calling thread's own default stream, as in the functions with the
    /// suffix `_ptsz`.
    pub(crate) is_per_thread: bool,
}

impl Named {
    /// Looks up a function by its name, which in the device runtime is that of the first interface
    /// (`cudaX`) or the second one (`__cudaCDP2X`).
    pub(crate) fn of(name: &str) -> Option<Self> {
        let rest = name
            .strip_prefix("__cudaCDP2")
            .or_else(|| name.strip_prefix("__cudaDevice").map(|_| &name[6..]))
            .or_else(|| name.strip_prefix("cuda"));
        let own = rest.unwrap_or(name);
        let (own, is_per_thread) =
            own.strip_suffix("_ptsz").map_or((own, false), |own| (own, true));
        let is_this =
            |of: &&(&str, Function, &[u8])| of.0 == own && of.1.is_runtime() == rest.is_some();
        let &(_, function, sizes) = FUNCTIONS.iter().find(is_this)?;
        Some(Self { function, sizes, is_per_thread })
    }

    /// The name, in the device runtime that of the first interface without the prefix `cuda`.
    pub(crate) fn name(&self) -> String {
        let is_this = |of: &&(&str, Function, &[u8])| (of.1, of.2) == (self.function, self.sizes);
        let name = FUNCTIONS.iter().find(is_this).map_or("", |of| of.0);
        format!("{name}{}", if self.is_per_thread { "_ptsz" } else { "" })
    }
}

impl Function {
    /// Size in bytes of the result.
    pub(crate) fn result(self) -> u8 {
        match self {
            Self::GetErrorName | Self::GetErrorString => 8,
            Self::GetParameterBuffer | Self::GetParameterBufferV2 | Self::Allocate => 8,
            _ => 4,
        }
    }

    /// Whether the function belongs to the device runtime.
    pub(crate) fn is_runtime(self) -> bool {
        !self.is_heap() && !self.reads_text()
    }

    /// Whether the function is `malloc` or `free`.
    pub(crate) fn is_heap(self) -> bool {
        matches!(self, Self::Allocate | Self::Deallocate)
    }

    /// Whether the function reads strings that its arguments point to.
    pub(crate) fn reads_text(self) -> bool {
        matches!(self, Self::Printf | Self::AssertFail)
    }

    /// Whether the function allocates memory of the device heap or frees it.
    pub(crate) fn uses_heap(self) -> bool {
        // A function that returns a pointer has allocated the memory.
        self.result() == 8 || matches!(self, Self::Malloc | Self::Free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Function as F;

    #[test]
    fn names_of_both_interfaces() {
        let of = |name| Named::of(name).map(|named| (named.function, named.is_per_thread));
        assert_eq!(of("cudaLaunchDeviceV2"), Some((F::LaunchDeviceV2, false)));
        assert_eq!(of("__cudaCDP2LaunchDeviceV2"), Some((F::LaunchDeviceV2, false)));
        assert_eq!(of("__cudaCDP2LaunchDevice_ptsz"), Some((F::LaunchDevice, true)));
        assert_eq!(
            of("__cudaDeviceSynchronizeDeprecationAvoidance"),
            Some((F::DeviceSynchronize, false))
        );
        assert_eq!(of("cudaDeviceSynchronize"), Some((F::DeviceSynchronize, false)));
        assert_eq!(of("malloc"), Some((F::Allocate, false)));
        for name in
            ["cudaGraphLaunch", "__cudaMalloc", "cuda", "Malloc", "cudamalloc", "__cudaDevice"]
        {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
