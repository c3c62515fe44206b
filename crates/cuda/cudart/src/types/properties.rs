//! `cudaDeviceProp`, whose layout differs between the major versions, and how it is filled from the
//! driver's device attributes.

use std::ffi::{c_char, c_int, c_uint};

/// Number of reserved integers at the end of the structure.
const RESERVED: usize = if cfg!(feature = "cuda-12") { 63 } else { 56 };

/// Defines `cudaDeviceProp` from the rows of `data/properties.txt`: field, type, and its value,
/// given a function that returns attributes by number.
macro_rules! properties {
    ($of:ident; $($name:ident: $type:ty = $value:expr;)*) => {
        /// `cudaDeviceProp`
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub(crate) struct cudaDeviceProp {
            pub(crate) name: [c_char; 256],
            pub(crate) uuid: [u8; 16],
            pub(crate) luid: [c_char; 8],
            pub(crate) luidDeviceNodeMask: c_uint,
            pub(crate) totalGlobalMem: usize,
            $(pub(crate) $name: $type,)*
            pub(crate) reserved: [c_int; RESERVED],
        }

        impl cudaDeviceProp {
            /// Offset of each field in bytes, for the comparison with the header.
            #[allow(dead_code)]
            pub(crate) const OFFSETS: &[(&str, usize)] = &[
                ("totalGlobalMem", std::mem::offset_of!(cudaDeviceProp, totalGlobalMem)),
                $((stringify!($name), std::mem::offset_of!(cudaDeviceProp, $name)),)*
            ];

            /// Fills the properties of a device, given its name, UUID, memory size, and a function
            /// that returns driver attributes by number.
            pub(crate) fn of<E>(
                name: [c_char; 256],
                uuid: [u8; 16],
                memory: usize,
                $of: impl Fn(c_int) -> Result<c_int, E>,
            ) -> Result<Self, E> {
            Ok(Self {
                name,
                uuid,
                luid: [0; 8],
                luidDeviceNodeMask: 0,
                totalGlobalMem: memory,
                $($name: $value,)*
                reserved: [0; RESERVED],
            })
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/properties.rs"));
