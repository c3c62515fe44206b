//! Memory sets with 8, 16 and 32-bit values, contiguous or in rows.

use crate::api::*;
use crate::graph::capture::fill;

/// Sets rows. A call without a stream waits only if the program can access the memory, too.
fn set(
    address: CUdeviceptr,
    pitch: usize,
    pattern: &[u8],
    size: [usize; 2],
    order: Answer<Order>,
) -> Answer {
    let order = order?;
    if fill(address, pitch, pattern, size, &order)? && order.waits {
        checks::host_waited();
    }
    Ok(())
}

/// Defines the four functions for one value type.
macro_rules! memset {
    ($line:ident, $rows:ident, $line_async:ident, $rows_async:ident) => {
        driver_api! {
            /// Sets `N` values. The address is aligned to their size.
            fn $line(dstDevice, value, N) {
                set(dstDevice, 0, &value.to_le_bytes(), [N, 1], Order::current())
            }

            /// Sets rows of `Width` values with a pitch.
            fn $rows(dstDevice, dstPitch, value, Width, Height) {
                set(dstDevice, dstPitch, &value.to_le_bytes(), [Width, Height], Order::current())
            }

            /// Sets `N` contiguous values in stream order.
            fn $line_async(dstDevice, value, N, hStream) {
                set(dstDevice, 0, &value.to_le_bytes(), [N, 1], Order::capturable(hStream))
            }

            /// Sets rows of `Width` values with a pitch, in stream order.
            fn $rows_async(dstDevice, dstPitch, value, Width, Height, hStream) {
                let order = Order::capturable(hStream);
                set(dstDevice, dstPitch, &value.to_le_bytes(), [Width, Height], order)
            }
        }
    };
}

memset!(cuMemsetD8_v2, cuMemsetD2D8_v2, cuMemsetD8Async, cuMemsetD2D8Async);
memset!(cuMemsetD16_v2, cuMemsetD2D16_v2, cuMemsetD16Async, cuMemsetD2D16Async);
memset!(cuMemsetD32_v2, cuMemsetD2D32_v2, cuMemsetD32Async, cuMemsetD2D32Async);
