//! The hash that some cases have beside their expected results.

/// The hash of the published vectors: FNV-1a with its own basis, over the little-endian bytes of
/// the words.
pub fn hash(words: &[u32]) -> String {
    let mut h = 1_469_598_103_934_665_603_u64;
    for byte in words.iter().flat_map(|w| w.to_le_bytes()) {
        h = (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    format!("{h:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_hash_of_nothing_is_its_basis() {
        assert_eq!(hash(&[]), "14650fb0739d0383");
    }
}
