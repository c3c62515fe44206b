//! Device attributes (`CUdevice_attribute`): given a GPU and the number of an attribute,
//! the value that `cuDeviceGetAttribute` returns.

use std::ops::RangeInclusive;
use texunit_device::cards::Card;

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

/// The value of an attribute for a GPU; `None` for an unknown number.
pub(crate) fn value(card: &Card, attribute: i32) -> Option<i32> {
    let own = if card.key == "h200" { H200 } else { &[] };
    if let Some((_, value)) = own.iter().find(|(numbers, _)| numbers.contains(&attribute)) {
        return *value;
    }
    let (_, _, value) = ATTRIBUTES.iter().find(|(number, _, _)| *number == attribute)?;
    Some(value(card))
}

/// A limit of textures or surfaces, by its name after `CU_DEVICE_ATTRIBUTE_MAXIMUM_`.
fn limit(card: &Card, name: &str) -> i32 {
    card.capability.limit(name).map_or(0, |most| i32::try_from(most).unwrap_or(i32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_order_and_name_limits_that_are_there() {
        assert!(ATTRIBUTES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let card = &texunit_device::cards::CARDS[0];
        for (number, name, value) in ATTRIBUTES {
            assert!(!name.starts_with("MAXIMUM_") || value(card) > 0, "{number} {name}");
        }
        assert_eq!(value(card, 75), Some(8));
        assert_eq!(value(card, 22), Some(131_072));
        assert_eq!(value(card, 0), None);
    }

    /// Compares with the GPU's values, "-" where its call fails; attributes of features that
    /// texunit lacks are 0.
    #[test]
    fn an_h200_answers_as_the_card() {
        const CARD: &str = include_str!("attributes/h200.txt");
        let card = texunit_device::cards::find("h200").unwrap();
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
                assert_eq!(value(card, number), wanted, "{line}");
            }
            count += 1;
        }
        assert_eq!(count, 149);
    }
}
