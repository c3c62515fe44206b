//! Number formats of transforms, in memory and in computation.

use half::{bf16, f16};

/// Format of real numbers and of the parts of complex numbers in memory. Half and bfloat are
/// computed in single precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Precision {
    Half,
    Bfloat,
    Single,
    Double,
}

impl Precision {
    /// Size of a real number in bytes.
    pub(crate) fn size(self) -> u64 {
        match self {
            Self::Half | Self::Bfloat => 2,
            Self::Single => 4,
            Self::Double => 8,
        }
    }

    /// Whether the format has 16 bits, so that it is computed in single precision and rounded
    /// afterwards.
    pub(crate) fn is_short(self) -> bool {
        self.size() == 2
    }

    /// Reads numbers of a 16-bit format.
    pub(crate) fn widen(self, bytes: &[u8]) -> Vec<f32> {
        let pairs = bytes.chunks_exact(2).map(|pair| [pair[0], pair[1]]);
        match self {
            Self::Bfloat => pairs.map(|pair| bf16::from_le_bytes(pair).to_f32()).collect(),
            _ => pairs.map(|pair| f16::from_le_bytes(pair).to_f32()).collect(),
        }
    }

    /// Writes numbers in a 16-bit format, rounded to nearest.
    pub(crate) fn narrow(self, numbers: &[f32], bytes: &mut [u8]) {
        for (&number, pair) in numbers.iter().zip(bytes.chunks_exact_mut(2)) {
            pair.copy_from_slice(&match self {
                Self::Bfloat => bf16::from_f32(number).to_le_bytes(),
                _ => f16::from_f32(number).to_le_bytes(),
            });
        }
    }
}
