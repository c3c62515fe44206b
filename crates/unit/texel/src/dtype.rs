//! Types of the elements of arrays, with NumPy's names.

use crate::format::{CHANNELS, Channel};
use std::fmt;

/// Type of the elements of an array. The types of [`Channel`]s come first, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Dtype {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    F16,
    F32,
    U64,
    S64,
    F64,
}

#[rustfmt::skip]
const DTYPES: [(Dtype, &str, char, usize); 11] = [
    (Dtype::U8,  "uint8",   'u', 1),
    (Dtype::S8,  "int8",    'i', 1),
    (Dtype::U16, "uint16",  'u', 2),
    (Dtype::S16, "int16",   'i', 2),
    (Dtype::U32, "uint32",  'u', 4),
    (Dtype::S32, "int32",   'i', 4),
    (Dtype::F16, "float16", 'f', 2),
    (Dtype::F32, "float32", 'f', 4),
    (Dtype::U64, "uint64",  'u', 8),
    (Dtype::S64, "int64",   'i', 8),
    (Dtype::F64, "float64", 'f', 8),
];

impl Dtype {
    /// All element types, in the order of their declaration.
    pub const ALL: [Self; 11] = {
        let mut all = [Self::U8; 11];
        let mut i = 0;
        while i < all.len() {
            all[i] = DTYPES[i].0;
            i += 1;
        }
        all
    };

    /// The type for NumPy's kind letter and element size, such as `('f', 4)`. Bool counts as uint8.
    pub fn of(kind: char, size: usize) -> Option<Self> {
        let kind = if (kind, size) == ('b', 1) { 'u' } else { kind };
        DTYPES.iter().find(|row| (row.2, row.3) == (kind, size)).map(|row| row.0)
    }

    /// NumPy's name, such as `float32`.
    pub fn name(self) -> &'static str {
        DTYPES[self as usize].1
    }

    /// NumPy's kind letter: `u`, `i` or `f`.
    pub fn kind(self) -> char {
        DTYPES[self as usize].2
    }

    /// Size of an element in bytes.
    pub fn size(self) -> usize {
        DTYPES[self as usize].3
    }

    /// Whether elements of this type are floats.
    pub fn is_float(self) -> bool {
        self.kind() == 'f'
    }

    /// The channel of texels with this element type; `None` if textures have none.
    pub fn channel(self) -> Option<Channel> {
        CHANNELS.get(self as usize).map(|row| row.0)
    }

    /// The element type of arrays that hold channels of this type as they are stored in texels.
    pub fn of_channel(channel: Channel) -> Self {
        DTYPES[channel as usize].0
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_come_first() {
        for dtype in Dtype::ALL {
            assert_eq!(Dtype::of(dtype.kind(), dtype.size()), Some(dtype));
            match dtype.channel() {
                Some(channel) => {
                    assert_eq!(Dtype::of_channel(channel), dtype);
                    assert_eq!(format!("{channel:?}"), format!("{dtype:?}"));
                }
                None => assert_eq!(dtype.size(), 8),
            }
        }
        assert_eq!((Dtype::of('b', 1), Dtype::of('b', 2)), (Some(Dtype::U8), None));
    }
}
