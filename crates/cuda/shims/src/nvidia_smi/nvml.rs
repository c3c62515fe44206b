//! What NVML reports about the driver and its devices.

use texunit_cuda::facts;

/// The driver's version, the CUDA version, and the devices.
#[derive(Debug, Default)]
pub(super) struct DriverState {
    /// Driver version.
    pub(super) driver: String,
    /// CUDA version as a number, as `cuDriverGetVersion` returns it.
    pub(super) version: i32,
    /// All devices.
    pub(super) cards: Vec<Card>,
}

impl DriverState {
    /// CUDA version for display: 13.5.
    pub(super) fn cuda(&self) -> String {
        format!("{}.{}", self.version / 1000, self.version % 1000 / 10)
    }
}

/// A device.
#[derive(Debug, Default)]
pub(super) struct Card {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) uuid: String,
    pub(super) bus_id: String,
    /// PCI domain, bus and device.
    pub(super) place: [i32; 3],
    pub(super) total: u64,
    pub(super) free: u64,
    pub(super) used: u64,
    pub(super) capability: (i32, i32),
}

impl Card {
    /// Whether a value of `--id` names this device.
    pub(super) fn is_called(&self, id: &str) -> bool {
        let id = id.trim();
        let bus = self.bus_id.to_ascii_lowercase();
        // In a PCI bus ID such as `00000000:01:00.0` the domain may have four or eight digits.
        self.index.to_string() == id
            || self.uuid == id
            || bus.ends_with(&id.to_ascii_lowercase()) && id.len() >= 7
    }
}

/// Everything that `nvidia-smi` prints.
pub(super) fn ask() -> Result<DriverState, String> {
    let card = |(index, device): (u32, facts::Device)| {
        let (total, used, (bus, number)) =
            (device.card.memory, device.used().unwrap_or(0), device.place());
        Card {
            index,
            name: device.card.name.to_owned(),
            uuid: device.uuid(),
            bus_id: format!("00000000:{bus:02X}:{number:02X}.0"),
            place: [0, bus, number],
            total,
            free: total.saturating_sub(used),
            used,
            capability: device.capability(),
        }
    };
    let cards = (0..).zip(facts::devices()?).map(card).collect();
    Ok(DriverState { driver: texunit_nvml::DRIVER.to_owned(), version: facts::CUDA_VERSION, cards })
}
