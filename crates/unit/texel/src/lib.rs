//! Texel formats: channel layouts, decoding and border colour conversion, as pure functions and
//! tables without other dependencies.
//!
//! A texel is bytes in memory. [`unpack`] extracts its *codes*, one per channel, as stored (the
//! code of an f16 channel is its 16 bits); [`decode_block`] extracts the codes of the 16 texels of
//! a compressed block. [`readings`] says how a texture converts the codes of a format: each
//! [`Reading`] converts a code to the 32 bits that a point-sampled fetch or a gather returns, and a
//! border colour to a code. [`store_codes`] is the inverse, for formatted surface stores. Filtering
//! is not part of this crate but of the texture unit.

mod block;
mod code;
mod dtype;
mod format;
mod half;
mod opencl;
mod reading;
#[cfg(test)]
mod rows;
mod srgb;
mod store;

pub use block::{block_codes, decode_block};
pub use code::{pack, unpack};
pub use dtype::Dtype;
pub use format::{Channel, Format, UnknownFormat};
pub use half::{f16_to_f32, f32_to_f16, f32_to_f16_toward_zero, f64_to_f16};
pub use reading::{
    Reading, WIDE, border_codes, depth_code, normalized_code, readings, sign_extend, widen_unorm,
};
pub use srgb::srgb_table;
pub use store::store_codes;
