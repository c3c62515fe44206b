//! Texel formats: channel layouts, decoding, border conversion. Pure functions and tables;
//! depends on nothing of ours.
//!
//! A texel is bytes in memory. [`unpack`] takes them apart into *codes*, one a channel, as stored
//! (an f16 channel's code is its 16 bits); [`decode_block`] does so for the 16 texels of a
//! compressed block. [`readings`] tells what a texture makes of the codes of a format: each
//! [`Reading`] turns a code into the 32 bits that a point-sampled fetch or a gather returns, and
//! a border colour into a code. [`store_codes`] is the way back, for formatted surface stores.
//! Filtering arithmetic is not here: it belongs to the texture unit.

mod block;
mod code;
mod format;
mod half;
mod opencl;
mod reading;
mod srgb;
mod store;

pub use block::{block_codes, decode_block};
pub use code::{pack, unpack};
pub use format::{Channel, Format, UnknownFormat};
pub use half::{f16_to_f32, f32_to_f16, f32_to_f16_toward_zero, f64_to_f16};
pub use reading::{
    Reading, WIDE, border_codes, depth_code, normalized_code, readings, sign_extend, widen_unorm,
};
pub use srgb::srgb_table;
pub use store::store_codes;
