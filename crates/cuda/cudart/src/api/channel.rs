//! Channel descriptors (runtime API, "Texture Object Management").

use crate::api::*;

// The pointer passed to the driver comes from the C caller, which guarantees that it is valid.
/// Makes a channel descriptor of the given bits and kind.
#[unsafe(no_mangle)]
extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    f: c_int,
) -> cudaChannelFormatDesc {
    cudaChannelFormatDesc { bits: [x, y, z, w], kind: f }
}

runtime_api! {
    /// Maximum number of elements of a linear texture.
    fn cudaDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, fmtDesc, device) {
        context()?;
        let Format { format, channels } = fmtDesc.get()?.format()?;
        check(driver::cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements, format, channels, device))
    }
}
