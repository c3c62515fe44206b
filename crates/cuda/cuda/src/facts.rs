//! Properties of the devices without `cuInit`, for `libnvidia-ml.so.1`, which answers before the
//! program initialises CUDA and must agree with the driver.

use crate::prelude::*;
use crate::settings::settings;
use crate::{cards, state};

pub use texunit_cuda_abi::CUDA_VERSION;

/// A device.
#[derive(Debug)]
pub struct Device {
    ordinal: i32,
    /// The GPU that it appears as.
    pub card: &'static Card,
}

/// The devices that `TEXUNIT_DEVICE` names, or the default device.
///
/// # Errors
/// A sentence about names that are unknown.
pub fn devices() -> Result<Vec<Device>, String> {
    Ok((0..)
        .zip(cards::chosen(settings().devices.as_deref())?)
        .map(|(ordinal, card)| Device { ordinal, card })
        .collect())
}

impl Device {
    /// Memory in bytes that this process has allocated on the device; `None` if it has no context
    /// there.
    pub fn used(&self) -> Option<u64> {
        let gpu = state::with_index(self.ordinal).ok()?;
        // Each context holds a reference to its device.
        (Arc::strong_count(gpu) > 1).then(|| gpu.device.memory().used())
    }

    /// UUID of the device (`cuDeviceGetUuid`): `GPU-` and 16 bytes in the usual grouping.
    pub fn uuid(&self) -> String {
        cards::uuid_text(self.ordinal)
    }

    /// PCI bus and device number.
    pub fn place(&self) -> (i32, i32) {
        place(self.card, self.ordinal)
    }

    /// An attribute (`cuDeviceGetAttribute`), except for the PCI location.
    pub fn attribute(&self, attribute: i32) -> Option<i32> {
        cards::attribute(self.card, attribute)
    }

    /// Compute capability.
    pub fn capability(&self) -> (i32, i32) {
        (self.card.capability.major.into(), self.card.capability.minor.into())
    }
}

/// PCI bus and device number; for the GPU that was measured, its own.
pub(crate) fn place(card: &Card, ordinal: i32) -> (i32, i32) {
    if card.key == "h200" { (0, 6 + ordinal) } else { (ordinal + 1, 0) }
}
