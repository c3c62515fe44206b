//! Types of the elements of arrays, with NumPy's names.

use crate::format::Channel;
use texunit_forms::words;

words! {
    /// Type of the elements of an array, by NumPy's name. The types of [`Channel`]s come first, in
    /// their order.
    Dtype {
        U8 = "uint8", S8 = "int8", U16 = "uint16", S16 = "int16", U32 = "uint32", S32 = "int32",
        F16 = "float16", F32 = "float32", U64 = "uint64", S64 = "int64", F64 = "float64",
    }
}

impl Dtype {
    /// The type for NumPy's kind letter and element size, such as `('f', 4)`. Bool counts as uint8.
    pub fn of(kind: char, size: usize) -> Option<Self> {
        let kind = if (kind, size) == ('b', 1) { 'u' } else { kind };
        Self::ALL.iter().copied().find(|dtype| (dtype.kind(), dtype.size()) == (kind, size))
    }

    /// NumPy's kind letter: `u`, `i` or `f`.
    pub fn kind(self) -> char {
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => 'u',
            Self::S8 | Self::S16 | Self::S32 | Self::S64 => 'i',
            Self::F16 | Self::F32 | Self::F64 => 'f',
        }
    }

    /// Size of an element in bytes.
    pub fn size(self) -> usize {
        self.channel().map_or(8, |channel| channel.size() as usize)
    }

    /// Whether elements of this type are floats.
    pub fn is_float(self) -> bool {
        self.kind() == 'f'
    }

    /// The channel of texels with this element type; `None` if textures have none.
    pub fn channel(self) -> Option<Channel> {
        Channel::ALL.get(self as usize).copied()
    }

    /// The element type of arrays that hold channels of this type as they are stored in texels.
    pub fn of_channel(channel: Channel) -> Self {
        Self::ALL[channel as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_come_first() {
        for &dtype in Dtype::ALL {
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
