//! Rasters, the output of decoders: samples as the file stores them.

use texunit_texel::Dtype;

/// The interpretation of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// PNG, JPEG: channels are colours, and samples are fractions of the largest value.
    Picture,
    /// NPY: samples are numbers.
    Numbers,
    /// EXR: samples are numbers, in channels selected by name.
    #[cfg_attr(not(feature = "all"), expect(dead_code, reason = "only EXR files have radiance"))]
    Radiance,
}

/// Samples of a file: channels interleaved, x fastest, little endian.
#[derive(Clone, Debug)]
pub(crate) struct Raster {
    pub(crate) sample: Dtype,
    pub(crate) channels: usize,
    pub(crate) meaning: Meaning,
    pub(crate) dims: u8,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    pub(crate) bytes: Vec<u8>,
}
