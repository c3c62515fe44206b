//! The fields of `nvidia-smi --query-gpu`: their names, units and values.

use super::nvml::{Card, DriverState};
use chrono::Utc;

/// A field that can be queried.
pub(super) struct Field {
    /// Names of the field, between spaces; the first one is the column's heading.
    names: &'static str,
    /// Unit of the field's values, such as `MiB`.
    unit: Option<&'static str>,
}

/// The fields that `fields.txt` lists.
fn fields() -> impl Iterator<Item = Field> {
    let rows = include_str!("fields.txt").lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| match row.strip_suffix(']').and_then(|row| row.split_once(" [")) {
        Some((names, unit)) => Field { names, unit: Some(unit) },
        None => Field { names: row, unit: None },
    })
}

impl Field {
    fn name(&self) -> &'static str {
        self.names.split(' ').next().unwrap_or_default()
    }

    /// Heading of the field's column.
    pub(super) fn heading(&self) -> String {
        let name = self.name();
        self.unit.map_or_else(|| name.to_owned(), |unit| format!("{name} [{unit}]"))
    }

    /// The field's value for a device; `None` for properties that a simulated device lacks.
    fn value(&self, seen: &DriverState, card: &Card) -> Option<String> {
        let [domain, bus, device] = card.place;
        Some(match self.name() {
            "timestamp" => Utc::now().format("%Y/%m/%d %H:%M:%S%.3f").to_string(),
            "driver_version" => seen.driver.clone(),
            "count" => seen.cards.len().to_string(),
            "name" => card.name.clone(),
            "index" => card.index.to_string(),
            "uuid" => card.uuid.clone(),
            "compute_cap" => format!("{}.{}", card.capability.0, card.capability.1),
            "compute_mode" => "Default".to_owned(),
            "pci.bus_id" => card.bus_id.clone(),
            "pci.domain" => format!("0x{domain:04X}"),
            "pci.bus" => format!("0x{bus:02X}"),
            "pci.device" => format!("0x{device:02X}"),
            "memory.total" => (card.total >> 20).to_string(),
            "memory.reserved" => "0".to_owned(),
            "memory.used" => (card.used >> 20).to_string(),
            "memory.free" => (card.free >> 20).to_string(),
            _ => return None,
        })
    }

    /// The field's value for a device as `nvidia-smi` prints it: with the unit if `units`, and
    /// `[N/A]` if the device lacks it.
    pub(super) fn shown(&self, seen: &DriverState, card: &Card, units: bool) -> String {
        match (self.value(seen, card), self.unit.filter(|_| units)) {
            (None, _) => "[N/A]".to_owned(),
            (Some(value), None) => value,
            (Some(value), Some(unit)) => format!("{value} {unit}"),
        }
    }
}

/// The fields in a comma-separated list of names.
pub(super) fn find_all(names: &str) -> Result<Vec<Field>, String> {
    let find = |name: &str| {
        fields().find(|field| field.names.split(' ').any(|known| known == name)).ok_or_else(|| {
            format!("field \"{name}\" is not a valid field to query; --help-query-gpu lists them")
        })
    };
    names.split(',').map(|name| find(name.trim())).collect()
}

/// The list of all fields for the help text.
pub(super) fn help() -> String {
    fields().map(|field| field.names.replace(' ', " or ") + "\n").collect()
}

/// Formats a number of bytes in MiB, as the table that `nvidia-smi` prints has it.
pub(super) fn mebibytes(bytes: u64) -> String {
    format!("{}MiB", bytes >> 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_means_two_fields() {
        let mut names: Vec<&str> = fields().flat_map(|field| field.names.split(' ')).collect();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn times_have_the_form_of_nvidia_smi() {
        let field = &find_all("timestamp").unwrap()[0];
        let now = field.shown(&DriverState::default(), &Card::default(), true);
        let shape = now.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(shape, "0000/00/00 00:00:00.000", "{now}");
    }
}
