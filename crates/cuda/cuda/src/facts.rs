//! What is known of the devices without `cuInit`: for `libnvidia-ml.so.1`, which answers before a program has called it, and as
//! the driver does afterwards.

use crate::profile::{self, Profile};
use crate::settings::settings;
use crate::{attributes, state};
use std::sync::Arc;

pub use texunit_cuda_abi::CUDA_VERSION;

/// A device.
#[derive(Debug)]
pub struct Device {
    ordinal: i32,
    profile: &'static Profile,
}

/// The devices that `TEXUNIT_DEVICE` names, or the one that is there without it.
///
/// # Errors
/// A sentence for names that mean none.
pub fn devices() -> Result<Vec<Device>, String> {
    let profiles = match &settings().devices {
        None => vec![profile::default()],
        Some(names) => profile::find_all(names)?,
    };
    Ok((0..).zip(profiles).map(|(ordinal, profile)| Device { ordinal, profile }).collect())
}

impl Device {
    /// `cuDeviceGetName`.
    pub fn name(&self) -> &'static str {
        self.profile.name
    }

    /// `cuDeviceTotalMem`.
    pub fn memory(&self) -> u64 {
        self.profile.memory
    }

    /// Bytes that this process has allocated on it; `None` as long as the process has no context on it.
    pub fn used(&self) -> Option<u64> {
        let gpu = state::gpu(self.ordinal).ok()?;
        // Each context holds its device.
        (Arc::strong_count(gpu) > 1).then(|| gpu.device.memory_used())
    }

    /// `cuDeviceGetUuid`.
    pub fn uuid(&self) -> [u8; 16] {
        unique(self.ordinal)
    }

    /// Number of the PCI bus, and of the device on it.
    pub fn place(&self) -> (i32, i32) {
        place(self.profile, self.ordinal)
    }

    /// `cuDeviceGetAttribute`, but for the place on the bus.
    pub fn attribute(&self, attribute: i32) -> Option<i32> {
        attributes::value(self.profile, attribute)
    }

    /// Major and minor number of the compute capability.
    pub fn capability(&self) -> (i32, i32) {
        (self.profile.capability.major.into(), self.profile.capability.minor.into())
    }
}

/// 16 bytes that tell devices apart.
pub(crate) fn unique(ordinal: i32) -> [u8; 16] {
    let mut bytes = *b"texunit device 0";
    bytes[15] = b'0'.wrapping_add(ordinal as u8);
    bytes
}

/// Number of the bus, and of the device on it: of the card that was measured, its own.
pub(crate) fn place(profile: &Profile, ordinal: i32) -> (i32, i32) {
    if profile.key == "h200" { (0, 6 + ordinal) } else { (ordinal + 1, 0) }
}
