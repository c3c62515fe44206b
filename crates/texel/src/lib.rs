//! Texel formats: channel layouts, decoding, encoding, border conversion. Pure functions and
//! tables; depends on nothing of ours.
//!
//! A texel is bytes in memory. [`unpack`] takes them apart into *codes*, one a channel, as stored
//! (an f16 channel's code is its 16 bits). [`element`] and [`normalized`] turn a code into the 32
//! bits that a point-sampled fetch returns; the `encode` functions go the other way, for files.
//! Filtering arithmetic is not here: it belongs to the texture unit.

mod border;
mod code;
mod encode;
mod format;
mod half;

pub use border::{border_code, border_codes};
pub use code::{
    element, element_texel, is_normalizable, magnitude_bits, normalized, normalized_texel, pack,
    sign_extend, unpack,
};
pub use encode::{encode_element, encode_f32, encode_normalized};
pub use format::{Channel, Format};
pub use half::{f16_to_f32, f32_to_f16, f32_to_f16_toward_zero};
