//! The formats of arrays, buffers and surfaces.

/// Type of one channel as stored (CUDA's `CUarray_format`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Channel {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    F16,
    F32,
}

#[rustfmt::skip]
const CHANNELS: [(Channel, &str, u32); 8] = [
    (Channel::U8,  "u8",  1),
    (Channel::S8,  "s8",  1),
    (Channel::U16, "u16", 2),
    (Channel::S16, "s16", 2),
    (Channel::U32, "u32", 4),
    (Channel::S32, "s32", 4),
    (Channel::F16, "f16", 2),
    (Channel::F32, "f32", 4),
];

impl Channel {
    /// Name: `u8`, `f16`, ...
    pub fn name(self) -> &'static str {
        CHANNELS[self as usize].1
    }

    /// Size in bytes.
    pub fn size(self) -> u32 {
        CHANNELS[self as usize].2
    }

    /// Whether it is an integer.
    pub fn is_integer(self) -> bool {
        !matches!(self, Channel::F16 | Channel::F32)
    }
}

/// Type and number of channels of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    channel: Channel,
    channels: u8,
}

impl Format {
    /// A format of 1, 2 or 4 channels; `None` for other numbers (CUDA has no others).
    pub fn new(channel: Channel, channels: u8) -> Option<Self> {
        matches!(channels, 1 | 2 | 4).then_some(Self { channel, channels })
    }

    /// The format called `u8`, `u8x2`, `f32x4` and so on.
    pub fn from_name(name: &str) -> Option<Self> {
        let (channel, channels) = match name.split_once('x') {
            Some((c, n @ ("1" | "2" | "4"))) => (c, n.as_bytes()[0] - b'0'),
            Some(_) => return None,
            None => (name, 1),
        };
        let row = CHANNELS.iter().find(|r| r.1 == channel)?;
        Self::new(row.0, channels)
    }

    /// The names that [`Self::from_name`] knows, for messages.
    pub fn names() -> impl Iterator<Item = String> {
        CHANNELS.iter().flat_map(|r| ["", "x2", "x4"].map(|n| format!("{}{n}", r.1)))
    }

    /// Type of each channel.
    pub fn channel(self) -> Channel {
        self.channel
    }

    /// Number of channels: 1, 2 or 4.
    pub fn channels(self) -> u8 {
        self.channels
    }

    /// Bytes of a texel.
    pub fn texel_size(self) -> u32 {
        self.channel.size() * u32::from(self.channels)
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.channels {
            1 => f.write_str(self.channel.name()),
            n => write!(f, "{}x{n}", self.channel.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes() {
        for name in Format::names() {
            let format = Format::from_name(&name).expect("listed");
            assert_eq!(format.to_string(), name);
        }
        assert_eq!(Format::from_name("f16x4").map(Format::texel_size), Some(8));
        assert_eq!(Format::from_name("u8x3"), None);
        assert_eq!(Format::from_name("u8x"), None);
        for (i, row) in CHANNELS.iter().enumerate() {
            assert_eq!(row.0 as usize, i, "the table is indexed by the enum");
        }
    }
}
