//! The table of all functions of the driver API, made by `build.rs` from `data/driver-api.txt`.

use texunit_cuda_abi::CUresult;

/// The address of a function, whatever its arguments.
pub type Address = unsafe extern "C" fn() -> CUresult;

/// One function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// As exported: `cuMemAlloc_v2`.
    pub symbol: &'static str,
    /// Name without version, which `cuGetProcAddress` is asked for: `cuMemAlloc`.
    pub base: &'static str,
    /// Version of CUDA from which the name means this symbol.
    pub version: i32,
    /// `ptds` or `ptsz` if it is exported once more with that ending, for programs in which each
    /// thread has a default stream of its own; `-` otherwise.
    pub thread: &'static str,
    /// Whether it does what it should; if not, it answers `CUDA_ERROR_NOT_SUPPORTED`.
    pub provided: bool,
    /// Where it is.
    pub address: Address,
}

/// Defines the functions that are not provided. A C caller may pass arguments to a function that
/// takes none.
macro_rules! refused {
    ($(fn $name:ident() = $group:literal;)*) => {$(
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $name() -> CUresult {
            static SAID: std::sync::Once = std::sync::Once::new();
            crate::call::not_supported(stringify!($name), $group, &SAID)
        }
    )*};
}

include!(concat!(env!("OUT_DIR"), "/functions.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_stands_once_and_versions_rise() {
        for (i, function) in FUNCTIONS.iter().enumerate() {
            for other in &FUNCTIONS[i + 1..] {
                assert_ne!(function.symbol, other.symbol);
                let same = function.base == other.base && function.version == other.version;
                assert!(!same, "{function:?} {other:?}");
            }
        }
    }
}
