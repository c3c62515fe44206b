//! `cudaDeviceProp`, whose layout differs between the major versions, and how it is filled from the
//! driver's device attributes.

use std::ffi::{c_char, c_int, c_uint};

/// Number of reserved integers at the end of the structure.
#[cfg(feature = "cuda-12")]
const RESERVED: usize = 63;
/// Number of reserved integers at the end of the structure.
#[cfg(not(feature = "cuda-12"))]
const RESERVED: usize = 56;

/// The type of a field, and how it is filled from driver attributes.
macro_rules! member {
    (i) => {
        c_int
    };
    (u) => {
        c_uint
    };
    (z) => {
        usize
    };
    (i2) => {
        [c_int; 2]
    };
    (i3) => {
        [c_int; 3]
    };
}

macro_rules! fill {
    (i, $of:ident, [$a:literal]) => {
        $of($a)?
    };
    (u, $of:ident, [$a:literal]) => {
        $of($a)? as c_uint
    };
    (z, $of:ident, [$a:literal]) => {
        $of($a)?.max(0) as usize
    };
    (i2, $of:ident, [$a:literal, $b:literal]) => {
        [$of($a)?, $of($b)?]
    };
    (i3, $of:ident, [$a:literal, $b:literal, $c:literal]) => {
        [$of($a)?, $of($b)?, $of($c)?]
    };
}

/// Defines `cudaDeviceProp` from the rows of `data/properties.txt`: field, type, and the numbers of
/// its attributes (`CUdevice_attribute`).
macro_rules! properties {
    ($($name:ident: $type:ident = $attributes:tt;)*) => {
        /// `cudaDeviceProp`
        #[derive(Clone, Copy, Debug)]
        #[repr(C)]
        pub(crate) struct cudaDeviceProp {
            pub(crate) name: [c_char; 256],
            pub(crate) uuid: [u8; 16],
            pub(crate) luid: [c_char; 8],
            pub(crate) luidDeviceNodeMask: c_uint,
            pub(crate) totalGlobalMem: usize,
            $(pub(crate) $name: member!($type),)*
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
                of: impl Fn(c_int) -> Result<c_int, E>,
            ) -> Result<Self, E> {
            Ok(Self {
                name,
                uuid,
                luid: [0; 8],
                luidDeviceNodeMask: 0,
                totalGlobalMem: memory,
                $($name: fill!($type, of, $attributes),)*
                reserved: [0; RESERVED],
            })
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/properties.rs"));
