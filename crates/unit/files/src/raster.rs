//! Rasters, the output of decoders: samples as the file stores them.

/// Type of a sample or array element in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sample {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
}

impl Sample {
    /// Size in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Sample::U8 | Sample::S8 => 1,
            Sample::U16 | Sample::S16 | Sample::F16 => 2,
            Sample::U32 | Sample::S32 | Sample::F32 => 4,
            Sample::U64 | Sample::S64 | Sample::F64 => 8,
        }
    }

    /// Description for messages.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Sample::U8 => "8-bit unsigned integers",
            Sample::S8 => "8-bit signed integers",
            Sample::U16 => "16-bit unsigned integers",
            Sample::S16 => "16-bit signed integers",
            Sample::U32 => "32-bit unsigned integers",
            Sample::S32 => "32-bit signed integers",
            Sample::U64 => "64-bit unsigned integers",
            Sample::S64 => "64-bit signed integers",
            Sample::F16 => "16-bit floats",
            Sample::F32 => "32-bit floats",
            Sample::F64 => "64-bit floats",
        }
    }
}

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
    pub(crate) sample: Sample,
    pub(crate) channels: usize,
    pub(crate) meaning: Meaning,
    pub(crate) dims: u8,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u32,
    pub(crate) bytes: Vec<u8>,
}
