//! The streams of devices, and which of them wait for each other.

/// A stream to which the host submits work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// The default stream of the first device. It waits for all blocking streams of the device, and
    /// these wait for it.
    #[default]
    Default,
    /// A stream of the first device that is not the default stream.
    Own {
        /// The handle of the stream, or another unique number.
        id: u64,
        /// Whether the stream is blocking: the default stream and this stream wait for each other.
        is_blocking: bool,
    },
    /// A stream of another device.
    On {
        /// The device's number, from 1.
        device: u32,
        /// The handle (or another unique number), and whether the stream is blocking; `None` for
        /// the default stream of the device.
        own: Option<(u64, bool)>,
    },
}

impl Queue {
    /// The stream of a device, by the device's number. `own` is the stream's handle and whether the
    /// stream is blocking; `None` stands for the default stream of the device.
    pub fn on(device: u32, own: Option<(u64, bool)>) -> Self {
        match (device, own) {
            (0, None) => Self::Default,
            (0, Some((id, is_blocking))) => Self::Own { id, is_blocking },
            (device, own) => Self::On { device, own },
        }
    }

    /// The number of the device, and the stream's handle and whether it is blocking (`None` for the
    /// default stream).
    fn place(self) -> (u32, Option<(u64, bool)>) {
        match self {
            Self::Default => (0, None),
            Self::Own { id, is_blocking } => (0, Some((id, is_blocking))),
            Self::On { device, own } => (device, own),
        }
    }

    /// The stream's handle (or another unique number), and whether it is blocking; `None` for a
    /// default stream.
    pub fn own(self) -> Option<(u64, bool)> {
        self.place().1
    }

    /// The number of the stream's device.
    pub fn device(self) -> u32 {
        self.place().0
    }

    /// Whether the stream is the default stream of its device.
    pub fn is_default(self) -> bool {
        self.place().1.is_none()
    }

    /// Whether the two streams wait for each other: one is the default stream of a device, and the
    /// other is a blocking stream of that device.
    pub fn waits_for(self, other: Self) -> bool {
        let ((here, own), (there, others)) = (self.place(), other.place());
        let is_blocking = match (own, others) {
            (None, Some((_, is_blocking))) | (Some((_, is_blocking)), None) => is_blocking,
            _ => false,
        };
        here == there && is_blocking
    }
}
