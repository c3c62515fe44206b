//! Memory sets: 8, 16 and 32 bits, in a line or in rows.

use crate::args::Answer;
use crate::call::driver_api;
use crate::checks;
use crate::handle::Handle;
use crate::late::Order;
use crate::memory::fill::fill;
use crate::stream::Stream;
use std::ffi::{c_uchar, c_uint, c_ushort};
use texunit_cuda_abi::CUdeviceptr;

/// A call that is not of a stream has waited if the program can use the memory, too.
fn at_once(set: Answer<bool>) -> Answer {
    if set? {
        checks::host_waited();
    }
    Ok(())
}

/// The four functions of one size of number.
macro_rules! memset {
    ($ty:ty: $line:ident, $rows:ident, $line_async:ident, $rows_async:ident) => {
        driver_api! {
            /// Sets `N` numbers. The address is a multiple of their size.
            fn $line(dstDevice: CUdeviceptr, value: $ty, N: usize) {
                let order = Order::current()?;
                at_once(fill(dstDevice, 0, &value.to_le_bytes(), [N, 1], &order))
            }

            /// Sets rows of `Width` numbers that are a pitch apart.
            fn $rows(
                dstDevice: CUdeviceptr,
                dstPitch: usize,
                value: $ty,
                Width: usize,
                Height: usize,
            ) {
                let order = Order::current()?;
                at_once(fill(dstDevice, dstPitch, &value.to_le_bytes(), [Width, Height], &order))
            }

            /// Sets `N` numbers that follow each other, in the order of a stream.
            fn $line_async(
                dstDevice: CUdeviceptr,
                value: $ty,
                N: usize,
                hStream: Handle<Stream>,
            ) {
                let order = Order::capturable(hStream)?;
                fill(dstDevice, 0, &value.to_le_bytes(), [N, 1], &order).map(|_| ())
            }

            /// Sets rows of `Width` numbers that are a pitch apart, in the order of a stream.
            fn $rows_async(
                dstDevice: CUdeviceptr,
                dstPitch: usize,
                value: $ty,
                Width: usize,
                Height: usize,
                hStream: Handle<Stream>,
            ) {
                let order = Order::capturable(hStream)?;
                fill(dstDevice, dstPitch, &value.to_le_bytes(), [Width, Height], &order).map(|_| ())
            }
        }
    };
}

memset!(c_uchar: cuMemsetD8_v2, cuMemsetD2D8_v2, cuMemsetD8Async, cuMemsetD2D8Async);
memset!(c_ushort: cuMemsetD16_v2, cuMemsetD2D16_v2, cuMemsetD16Async, cuMemsetD2D16Async);
memset!(c_uint: cuMemsetD32_v2, cuMemsetD2D32_v2, cuMemsetD32Async, cuMemsetD2D32Async);
