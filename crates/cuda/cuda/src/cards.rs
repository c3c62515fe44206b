//! The GPUs that the user chooses, and their UUIDs.

use crate::prelude::*;
use std::fmt::Write;
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
    }

    #[test]
    fn lists_of_devices() {
        fn keys(names: Option<&str>) -> Result<Vec<&'static str>, String> {
            Ok(chosen(names)?.iter().map(|card| card.key).collect())
        }
        assert_eq!(keys(None).unwrap(), ["sm_86"]);
        assert_eq!(keys(Some("rtx3060")).unwrap(), ["sm_86"]);
        assert_eq!(keys(Some("H200")).unwrap(), ["h200"]);
        assert_eq!(keys(Some("sm_90, sm_75")).unwrap(), ["sm_90", "sm_75"]);
        assert!(keys(Some("sm_99")).unwrap_err().contains("sm_86"));
        assert!(keys(Some(" ,")).unwrap_err().contains("no device"));
        assert_eq!(keys(Some(&"sm_100,".repeat(MAX_DEVICES))).unwrap().len(), MAX_DEVICES);
        assert!(keys(Some(&"sm_100,".repeat(MAX_DEVICES + 1))).is_err());
    }
}
