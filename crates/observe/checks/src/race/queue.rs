//! The streams of devices, and which of them wait for each other.

/// A stream to which the host submits work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Queue {
    /// The number of the stream's device.
    pub device: u32,
    /// The stream's handle (or another unique number), and whether the stream is blocking: it and
    /// the default stream wait for each other. `None` for the default stream of the device.
    pub own: Option<(u64, bool)>,
}

impl Queue {
    /// The default stream of the first device.
    pub const DEFAULT: Self = Self { device: 0, own: None };

    /// A stream of the first device that is not the default stream, by its handle or another unique
    /// number.
    pub const fn new(id: u64, is_blocking: bool) -> Self {
        Self { device: 0, own: Some((id, is_blocking)) }
    }

    /// Whether the stream is the default stream of its device.
    pub fn is_default(self) -> bool {
        self.own.is_none()
    }

    /// Whether the two streams wait for each other: one is the default stream of a device, and the
    /// other is a blocking stream of that device.
    pub fn waits_for(self, other: Self) -> bool {
        let is_blocking = match (self.own, other.own) {
            (None, Some((_, is_blocking))) | (Some((_, is_blocking)), None) => is_blocking,
            _ => false,
        };
        self.device == other.device && is_blocking
    }
}
