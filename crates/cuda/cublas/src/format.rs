//! Element types in memory (`cudaDataType`), and the types in which products are computed
//! (`cublasComputeType_t`).

use crate::code::*;
use half::{bf16, f16};
use num_complex::Complex64;

/// An element type in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Half,
    Bfloat,
    Single,
    Double,
    ComplexSingle,
    ComplexDouble,
    Byte,
    Integer,
}

impl Format {
    pub(crate) fn of_c(name: &str, number: u32) -> Answer<Self> {
        Ok(match number {
            0 => Self::Single,
            1 => Self::Double,
            2 => Self::Half,
            3 => Self::Byte,
            4 => Self::ComplexSingle,
            5 => Self::ComplexDouble,
            10 => Self::Integer,
            14 => Self::Bfloat,
            _ => bail!(
                BlasCode::NotSupported,
                "{name} {number} is not a type of numbers that products are made of"
            ),
        })
    }

    /// Size of an element in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Half | Self::Bfloat => 2,
            Self::Single | Self::Integer => 4,
            Self::Double | Self::ComplexSingle => 8,
            Self::ComplexDouble => 16,
        }
    }

    /// Reads an element.
    pub(crate) fn read(self, bytes: &[u8]) -> Complex64 {
        fn first<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            std::array::from_fn(|i| bytes.get(at + i).copied().unwrap_or_default())
        }
        let single = |at| f64::from(f32::from_le_bytes(first(bytes, at)));
        let double = |at| f64::from_le_bytes(first(bytes, at));
        match self {
            Self::Half => f16::from_le_bytes(first(bytes, 0)).to_f64().into(),
            Self::Bfloat => bf16::from_le_bytes(first(bytes, 0)).to_f64().into(),
            Self::Single => single(0).into(),
            Self::Double => double(0).into(),
            Self::ComplexSingle => Complex64::new(single(0), single(4)),
            Self::ComplexDouble => Complex64::new(double(0), double(8)),
            Self::Byte => f64::from(i8::from_le_bytes(first(bytes, 0))).into(),
            Self::Integer => f64::from(i32::from_le_bytes(first(bytes, 0))).into(),
        }
    }

    /// Writes an element, rounded to nearest; integers wrap around.
    pub(crate) fn write(self, number: Complex64, bytes: &mut [u8]) {
        let single = |x: f64| (x as f32).to_le_bytes();
        let Complex64 { re, im } = number;
        match self {
            Self::Half => bytes.copy_from_slice(&f16::from_f64(re).to_le_bytes()),
            Self::Bfloat => bytes.copy_from_slice(&bf16::from_f64(re).to_le_bytes()),
            Self::Single => bytes.copy_from_slice(&single(re)),
            Self::Double => bytes.copy_from_slice(&re.to_le_bytes()),
            Self::ComplexSingle => bytes.copy_from_slice(&[single(re), single(im)].concat()),
            Self::ComplexDouble => {
                bytes.copy_from_slice(&[re.to_le_bytes(), im.to_le_bytes()].concat());
            }
            Self::Byte => bytes.copy_from_slice(&(re as i64 as i8).to_le_bytes()),
            Self::Integer => bytes.copy_from_slice(&(re as i64 as i32).to_le_bytes()),
        }
    }

    /// The type of scalars for a `cublasComputeType_t`, if it allows these types of A, B and C.
    pub(crate) fn of_scalars(number: u32, [a, b, c]: [Self; 3]) -> Answer<Self> {
        use Format::{Bfloat, Byte, ComplexDouble, ComplexSingle, Double, Half, Integer, Single};
        let scalar = match (number, a == b, a, c) {
            (64 | 65, true, Half, Half) => Some(Half),
            // Byte products are summed in double precision, which is exact.
            (72 | 73, true, Byte, Integer) => Some(Integer),
            (68 | 69 | 74 | 75 | 77 | 78, true, Half, Half | Single)
            | (68 | 69 | 74 | 75 | 77 | 78, true, Bfloat, Bfloat | Single)
            | (68 | 69 | 74 | 75 | 77 | 78, true, Byte | Single, Single) => Some(Single),
            (68 | 69 | 74 | 75 | 77 | 78, true, ComplexSingle, ComplexSingle) => {
                Some(ComplexSingle)
            }
            (70 | 71 | 79, true, Double, Double) => Some(Double),
            (70 | 71 | 79, true, ComplexDouble, ComplexDouble) => Some(ComplexDouble),
            _ => None,
        };
        scalar.ok_or_else(|| {
            let why =
                format!("computeType {number} is not one of products of {a:?} and {b:?} to {c:?}");
            BlasCode::NotSupported.because(why)
        })
    }
}
