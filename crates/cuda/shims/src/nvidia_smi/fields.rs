//! The fields of `nvidia-smi --query-gpu`: their names, units and values.

use super::nvml::{Card, DriverState};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

/// A field that can be queried.
pub(super) struct Field {
    /// Names of the field; the first one is the column's heading.
    names: &'static [&'static str],
    /// Unit of the values.
    unit: Option<&'static str>,
    /// Value for a device; `None` for properties that a simulated device lacks.
    value: fn(&DriverState, &Card) -> Option<String>,
}

const MIB: Option<&str> = Some("MiB");

const fn known(
    names: &'static [&'static str],
    unit: Option<&'static str>,
    value: fn(&DriverState, &Card) -> Option<String>,
) -> Field {
    Field { names, unit, value }
}

const fn none(names: &'static [&'static str], unit: Option<&'static str>) -> Field {
    Field { names, unit, value: |_, _| None }
}

/// Names and headings as listed by NVIDIA's `nvidia-smi --help-query-gpu`.
#[rustfmt::skip]
static FIELDS: &[Field] = &[
    known(&["timestamp"], None, |_, _| Some(now())),
    known(&["driver_version"], None, |seen, _| Some(seen.driver.clone())),
    known(&["count"], None, |seen, _| Some(seen.cards.len().to_string())),
    known(&["name", "gpu_name"], None, |_, card| Some(card.name.clone())),
    known(&["index"], None, |_, card| Some(card.index.to_string())),
    known(&["uuid", "gpu_uuid"], None, |_, card| Some(card.uuid.clone())),
    known(&["compute_cap"], None, |_, card| Some(format!("{}.{}", card.capability.0, card.capability.1))),
    known(&["compute_mode"], None, |_, _| Some("Default".to_owned())),
    known(&["pci.bus_id", "gpu_bus_id"], None, |_, card| Some(card.bus_id.clone())),
    known(&["pci.domain"], None, |_, card| Some(format!("0x{:04X}", card.place[0]))),
    known(&["pci.bus"], None, |_, card| Some(format!("0x{:02X}", card.place[1]))),
    known(&["pci.device"], None, |_, card| Some(format!("0x{:02X}", card.place[2]))),
    known(&["memory.total"], MIB, |_, card| Some((card.total >> 20).to_string())),
    known(&["memory.reserved"], MIB, |_, _| Some("0".to_owned())),
    known(&["memory.used"], MIB, |_, card| Some((card.used >> 20).to_string())),
    known(&["memory.free"], MIB, |_, card| Some((card.free >> 20).to_string())),
    none(&["pci.device_id"], None), none(&["pci.sub_device_id"], None),
    none(&["serial", "gpu_serial"], None), none(&["vbios_version"], None),
    none(&["display_mode"], None), none(&["display_active"], None), none(&["persistence_mode"], None),
    none(&["pstate"], None), none(&["mig.mode.current"], None), none(&["mig.mode.pending"], None),
    none(&["ecc.mode.current"], None), none(&["ecc.mode.pending"], None), none(&["accounting.mode"], None),
    none(&["pcie.link.gen.current"], None), none(&["pcie.link.gen.max"], None),
    none(&["pcie.link.width.current"], None), none(&["pcie.link.width.max"], None),
    none(&["temperature.gpu"], None), none(&["temperature.memory"], None),
    none(&["fan.speed"], Some("%")), none(&["utilization.gpu"], Some("%")), none(&["utilization.memory"], Some("%")),
    none(&["power.draw"], Some("W")), none(&["power.limit", "enforced.power.limit"], Some("W")),
    none(&["clocks.current.graphics", "clocks.gr"], Some("MHz")), none(&["clocks.current.sm", "clocks.sm"], Some("MHz")),
    none(&["clocks.current.memory", "clocks.mem"], Some("MHz")), none(&["clocks.max.graphics", "clocks.max.gr"], Some("MHz")),
    none(&["clocks.max.sm"], Some("MHz")), none(&["clocks.max.memory", "clocks.max.mem"], Some("MHz")),
];

impl Field {
    /// Heading of the field's column.
    pub(super) fn heading(&self) -> String {
        let name = self.names[0];
        self.unit.map_or_else(|| name.to_owned(), |unit| format!("{name} [{unit}]"))
    }

    /// Value for a device as printed.
    pub(super) fn shown(&self, seen: &DriverState, card: &Card, units: bool) -> String {
        match ((self.value)(seen, card), self.unit.filter(|_| units)) {
            (None, _) => "[N/A]".to_owned(),
            (Some(value), None) => value,
            (Some(value), Some(unit)) => format!("{value} {unit}"),
        }
    }
}

/// The fields in a comma-separated list of names.
pub(super) fn find_all(names: &str) -> Result<Vec<&'static Field>, String> {
    let find = |name: &str| {
        FIELDS.iter().find(|field| field.names.contains(&name)).ok_or_else(|| {
            format!("field \"{name}\" is not a valid field to query; --help-query-gpu lists them")
        })
    };
    names.split(',').map(|name| find(name.trim())).collect()
}

/// The list of all fields for the help text.
pub(super) fn help() -> String {
    FIELDS.iter().fold(String::new(), |mut text, field| {
        let _ = writeln!(text, "{}", field.names.join(" or "));
        text
    })
}

/// Formats bytes as the table does, in MiB.
pub(super) fn mebibytes(bytes: u64) -> String {
    format!("{}MiB", bytes >> 20)
}

/// Current date and time in UTC: 2026/11/28 18:00:00.000.
fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(since.as_secs(), since.subsec_millis())
}

/// Formats a time of the Gregorian calendar. Years are counted from the first of March, so that a
/// leap day is the last day of a year; 400 years have 146,097 days.
fn date(seconds: u64, milliseconds: u32) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (cycle, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (400 * cycle + year + month / 10, (month + 2) % 12 + 1);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}/{month:02}/{day:02} {hour:02}:{minute:02}:{second:02}.{milliseconds:03}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        for (seconds, wanted) in [
            (0, "1970/01/01 00:00:00.007"),
            (951_827_696, "2000/02/29 12:34:56.007"),
            (1_709_251_199, "2024/02/29 23:59:59.007"),
            (4_107_542_400, "2100/03/01 00:00:00.007"),
        ] {
            assert_eq!(date(seconds, 7), wanted);
        }
    }

    #[test]
    fn no_name_means_two_fields() {
        let mut names: Vec<&str> = FIELDS.iter().flat_map(|field| field.names).copied().collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
