//! The GPUs that the user chooses.

use crate::prelude::*;
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

#[cfg(test)]
mod tests {
    use super::*;

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
