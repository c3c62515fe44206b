//! Options and input types for loading and linking modules.

/// Numbers of `CUjit_option`.
#[allow(missing_docs)]
pub mod jit_option {
    pub const MAX_REGISTERS: u32 = 0;
    pub const THREADS_PER_BLOCK: u32 = 1;
    pub const WALL_TIME: u32 = 2;
    pub const INFO_LOG_BUFFER: u32 = 3;
    pub const INFO_LOG_BUFFER_SIZE_BYTES: u32 = 4;
    pub const ERROR_LOG_BUFFER: u32 = 5;
    pub const ERROR_LOG_BUFFER_SIZE_BYTES: u32 = 6;
    pub const LOG_VERBOSE: u32 = 12;
    pub const GLOBAL_SYMBOL_NAMES: u32 = 17;
    pub const GLOBAL_SYMBOL_ADDRESSES: u32 = 18;
    pub const GLOBAL_SYMBOL_COUNT: u32 = 19;
    /// Number of options that `CUjit_option` defines.
    pub const NUM_OPTIONS: u32 = 36;
}

/// Numbers of `CUjitInputType`.
#[allow(missing_docs)]
pub mod jit_input {
    pub const CUBIN: u32 = 0;
    pub const PTX: u32 = 1;
    pub const FATBINARY: u32 = 2;
    pub const OBJECT: u32 = 3;
    pub const LIBRARY: u32 = 4;
    pub const NVVM: u32 = 5;
}
