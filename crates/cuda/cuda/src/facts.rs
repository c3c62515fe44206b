//! Properties of the devices without `cuInit`, for `libnvidia-ml.so.1`, which answers before the
//! program initialises CUDA and must agree with the driver.

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

/// The devices that `TEXUNIT_DEVICE` names, or the default device.
///
/// # Errors
/// A sentence about names that are unknown.
pub fn devices() -> Result<Vec<Device>, String> {
    let profiles = match &settings().devices {
        None => vec![profile::default()],
        Some(names) => profile::find_all(names)?,
    };
    Ok((0..).zip(profiles).map(|(ordinal, profile)| Device { ordinal, profile }).collect())
}

impl Device {
    /// Name of the device (`cuDeviceGetName`).
    pub fn name(&self) -> &'static str {
        self.profile.name
    }

    /// Memory size in bytes (`cuDeviceTotalMem`).
    pub fn memory(&self) -> u64 {
        self.profile.memory
    }

    /// Memory in bytes that this process has allocated on the device; `None` if it has no context
    /// there.
    pub fn used(&self) -> Option<u64> {
        let gpu = state::gpu(self.ordinal).ok()?;
        // Each context holds a reference to its device.
        (Arc::strong_count(gpu) > 1).then(|| gpu.device.memory().used())
    }

    /// UUID of the device (`cuDeviceGetUuid`).
    pub fn uuid(&self) -> [u8; 16] {
        unique(self.ordinal)
    }

    /// PCI bus and device number.
    pub fn place(&self) -> (i32, i32) {
        place(self.profile, self.ordinal)
    }

    /// An attribute (`cuDeviceGetAttribute`), except for the PCI location.
    pub fn attribute(&self, attribute: i32) -> Option<i32> {
        attributes::value(self.profile, attribute)
    }

    /// Compute capability.
    pub fn capability(&self) -> (i32, i32) {
        (self.profile.capability.major.into(), self.profile.capability.minor.into())
    }
}

/// UUID of a device by its number.
pub(crate) fn unique(ordinal: i32) -> [u8; 16] {
    let mut bytes = *b"texunit device 0";
    bytes[15] = b'0'.wrapping_add(ordinal as u8);
    bytes
}

/// PCI bus and device number; for the GPU that was measured, its own.
pub(crate) fn place(profile: &Profile, ordinal: i32) -> (i32, i32) {
    if profile.key == "h200" { (0, 6 + ordinal) } else { (ordinal + 1, 0) }
}
