//! The GPUs that the user chooses, their UUIDs, and their attributes (`CUdevice_attribute`).

use crate::prelude::*;
use std::fmt::Write;
use std::ops::RangeInclusive;
use texunit_device::cards::{self, CARDS};

/// Maximum number of devices: each has a part of the address space, with room for the memory of
/// every GPU.
const MAX_DEVICES: usize = 32;

/// The GPUs of `TEXUNIT_DEVICE`, a comma-separated list of names, at least one; the first of all
/// without it.
pub(crate) fn chosen(names: Option<&str>) -> Result<Vec<&'static Card>, String> {
    let Some(names) = names else { return Ok(vec![&CARDS[0]]) };
    let found = cards::find_all(names).map_err(|why| format!("TEXUNIT_DEVICE: {why}"))?;
    match found.len() {
        0 => Err("TEXUNIT_DEVICE names no device".to_owned()),
        1..=MAX_DEVICES => Ok(found),
        n => Err(format!(
            "TEXUNIT_DEVICE names {}, but at most {MAX_DEVICES} are possible",
            Count(n, "device")
        )),
    }
}

/// The devices, by their numbers below `count`, that the list in `CUDA_VISIBLE_DEVICES` makes
/// visible, in the list's order. Entries are numbers or prefixes of UUIDs. As in a driver, an entry
/// that names no device, or a device for the second time, ends the list.
pub(crate) fn visible(list: Option<&str>, count: usize) -> Vec<usize> {
    let Some(list) = list else { return (0..count).collect() };
    let mut visible = Vec::new();
    for entry in list.split(',').map(str::trim) {
        let named = |&i: &usize| match entry.starts_with("GPU-") {
            true => uuid_text(i as i32).starts_with(entry),
            false => entry.parse() == Ok(i),
        };
        match (0..count).find(named).filter(|number| !visible.contains(number)) {
            Some(number) => visible.push(number),
            None => break,
        }
    }
    visible
}

/// UUID of a device by its number.
pub(crate) fn uuid(ordinal: i32) -> [u8; 16] {
    let mut bytes = *b"texunit device 0";
    bytes[15] = b'0'.wrapping_add(ordinal as u8);
    bytes
}

/// The UUID as text: `GPU-` and 16 bytes in the usual grouping.
pub(crate) fn uuid_text(ordinal: i32) -> String {
    let mut text = String::from("GPU");
    for (at, byte) in uuid(ordinal).iter().enumerate() {
        let dash = if matches!(at, 0 | 4 | 6 | 8 | 10) { "-" } else { "" };
        let _ = write!(text, "{dash}{byte:02x}");
    }
    text
}

const KIB: i32 = 1024;

/// A row of `data/attributes.txt`: number, name after `CU_DEVICE_ATTRIBUTE_`, and the value of a
/// GPU.
type Attribute = (i32, &'static str, fn(&Card) -> i32);

const ATTRIBUTES: &[Attribute] = include!(concat!(env!("OUT_DIR"), "/attributes.rs"));

/// Values that an NVIDIA H200 returned (driver 580.159.04, CUDA 13.0, 2026-11-28) and that do not
/// follow from its facts; its driver knows no attribute above 147. Features that texunit lacks
/// are not listed (docs/cuda-api.md, "Devices").
const H200: &[(RangeInclusive<i32>, Option<i32>)] = &[
    (32..=32, Some(1)),
    (108..=108, Some(39_321_600)),
    (109..=109, Some(134_217_728)),
    (139..=139, Some(0x2335_10de)),
    (140..=140, Some(0x18bf_10de)),
    (148..=161, None),
];

/// The value of an attribute for a GPU, as `cuDeviceGetAttribute` returns it; `None` for an unknown
/// number.
pub(crate) fn attribute(card: &Card, number: i32) -> Option<i32> {
    let own = if card.key == "h200" { H200 } else { &[] };
    if let Some((_, value)) = own.iter().find(|(numbers, _)| numbers.contains(&number)) {
        return *value;
    }
    let (_, _, value) = ATTRIBUTES.iter().find(|row| row.0 == number)?;
    Some(value(card))
}

/// The value of `CU_DEVICE_ATTRIBUTE_MAXIMUM_` with this name, a limit of textures or surfaces.
fn limit(card: &Card, name: &str) -> i32 {
    card.capability.limit(name).map_or(0, |most| i32::try_from(most).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_that_are_visible() {
        let uuid = format!("{},0", uuid_text(1));
        for (list, wanted) in [
            (None, &[0, 1, 2][..]),
            (Some("2,0"), &[2, 0]),
            (Some(" 1 "), &[1]),
            (Some("1,3,0"), &[1]),
            (Some("0,-1,1"), &[0]),
            (Some("2,2,1"), &[2]),
            (Some(&uuid), &[1, 0]),
            (Some("GPU-74657875-6e69"), &[0]),
            (Some("GPU-ff"), &[]),
            (Some(""), &[]),
            (Some("NoDevFiles"), &[]),
        ] {
            assert_eq!(visible(list, 3), wanted, "{list:?}");
        }
        assert_eq!(chosen(Some(&"sm_100,".repeat(MAX_DEVICES))).unwrap().len(), MAX_DEVICES);
    }

    #[test]
    fn rows_are_in_order_and_name_limits_that_are_there() {
        assert!(ATTRIBUTES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let card = &CARDS[0];
        for (number, name, value) in ATTRIBUTES {
            assert!(!name.starts_with("MAXIMUM_") || value(card) > 0, "{number} {name}");
        }
        assert_eq!(attribute(card, 75), Some(8));
        assert_eq!(attribute(card, 22), Some(131_072));
        assert_eq!(attribute(card, 0), None);
    }

    /// Compares with the GPU's values, "-" where its call fails; attributes of features that
    /// texunit lacks are 0.
    #[test]
    fn an_h200_answers_as_the_card() {
        const CARD: &str = include_str!("attributes/h200.txt");
        let card = cards::find("h200").unwrap();
        let mut count = 0;
        for line in CARD.lines().filter(|line| !line.starts_with('#')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = words[0].parse().unwrap();
            let wanted = match words[2..] {
                [value] | [_, value] => value.parse().ok(),
                _ => panic!("{line}"),
            };
            // The PCI location is taken from the device (api::device).
            if !matches!(number, 33 | 34) {
                assert_eq!(attribute(card, number), wanted, "{line}");
            }
            count += 1;
        }
        assert_eq!(count, 149);
    }
}
