//! What newly allocated memory holds (`--fill`). On a GPU it holds the values of its previous use.

use crate::block::Block;
use std::fmt;

/// The value that newly allocated memory is filled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    /// A byte that is repeated.
    Byte(u8),
    /// A repeated 32-bit word.
    Word(u32),
    /// Random bytes, determined by a seed and by the number of the allocation.
    Random(u64),
}

/// Settings for newly allocated memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InitialContents {
    /// The fill value; `None`: zeros.
    pub fill: Option<Fill>,
    /// Whether bytes that have not been written are tracked ([`Block::shadow`]).
    pub is_tracked: bool,
}

/// A text that is not a valid [`Fill`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a byte (0 to 255, or 0x and two digits), 32 bits (0x and eight digits), `random` or `random:SEED`"
)]
pub struct InvalidFill;

/// Element `number` of the random sequence of a seed (SplitMix64).
fn random(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Number of bytes that are generated in one step. Miri takes a thousand times as long for each
/// byte.
const PIECE: usize = if cfg!(miri) { 256 } else { 64 << 10 };

impl Fill {
    /// Parses the value of `--fill`: `0xab`, `171`, `0xdeadbeef`, `random:7`, or `random`, whose
    /// seed comes from `seed`.
    ///
    /// # Errors
    /// The text is not a valid value.
    pub fn parse(text: &str, seed: impl FnOnce() -> u64) -> Result<Self, InvalidFill> {
        let text = text.trim();
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let fill = match (text.strip_prefix("random"), hex) {
            (Some(""), _) => Some(Self::Random(seed())),
            (Some(rest), _) => {
                rest.strip_prefix(':').and_then(|seed| seed.parse().ok()).map(Self::Random)
            }
            (_, Some(hex)) if !hex.bytes().all(|c| c.is_ascii_hexdigit()) => None,
            (_, Some(hex)) if hex.len() == 8 => u32::from_str_radix(hex, 16).ok().map(Self::Word),
            (_, Some(hex)) if hex.len() > 2 => None,
            (_, Some(hex)) => u8::from_str_radix(hex, 16).ok().map(Self::Byte),
            _ => text.parse().ok().map(Self::Byte),
        };
        fill.ok_or(InvalidFill)
    }

    /// Fills `out` with the initial bytes of allocation number `memory`, beginning at byte
    /// `offset`.
    pub fn bytes(self, memory: u64, offset: u64, out: &mut [u8]) {
        for (at, byte) in (offset..).zip(out) {
            *byte = match self {
                Self::Byte(byte) => byte,
                Self::Word(word) => word.to_le_bytes()[at as usize % 4],
                Self::Random(seed) => {
                    random(random(seed, memory), at / 8).to_le_bytes()[at as usize % 8]
                }
            };
        }
    }

    /// The 32-bit word at `offset`, a multiple of 4, in allocation number `memory`.
    pub fn word(self, memory: u64, offset: u64) -> u32 {
        let mut bytes = [0; 4];
        self.bytes(memory, offset, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// Fills a block with the initial bytes of its allocation number.
    pub fn fill(self, block: &Block) {
        let size = block.size() as u64;
        let mut piece = vec![0; PIECE.min(block.size())];
        for at in (0..size).step_by(PIECE) {
            let part = &mut piece[..(size - at).min(PIECE as u64) as usize];
            if at == 0 || matches!(self, Self::Random(_)) {
                self.bytes(block.number(), at, part);
            }
            // The write is inside the block and fails only if the block is read-only.
            let _ = block.write(at, part);
        }
    }
}

/// Prints the form that [`Fill::parse`] reads.
impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(byte) => write!(f, "{byte:#04x}"),
            Self::Word(word) => write!(f, "{word:#010x}"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        for (text, fill, shown) in [
            ("0xab", Fill::Byte(0xab), "0xab"),
            ("7", Fill::Byte(7), "0x07"),
            ("0xdeadBEEF", Fill::Word(0xdead_beef), "0xdeadbeef"),
            ("random", Fill::Random(5), "random:5"),
            ("random:18446744073709551615", Fill::Random(u64::MAX), "random:18446744073709551615"),
        ] {
            assert_eq!(Fill::parse(text, || 5), Ok(fill));
            assert_eq!(fill.to_string(), shown);
            assert_eq!(Fill::parse(shown, || 6), Ok(fill));
        }
        for text in
            ["", "256", "-1", "0x", "0xabc", "0x+1", "ab", "randomly", "random:", "random:x"]
        {
            assert_eq!(Fill::parse(text, || 5), Err(InvalidFill), "{text}");
        }
    }

    #[test]
    fn blocks_hold_it_to_their_last_byte() {
        let size = PIECE + 7;
        for fill in [Fill::Byte(9), Fill::Word(0x0403_0201), Fill::Random(3)] {
            let (a, b) = (Block::new(size, "a").unwrap(), Block::new(size, "b").unwrap());
            fill.fill(&a);
            fill.fill(&b);
            let mut expected = vec![0; size];
            fill.bytes(a.number(), 0, &mut expected);
            assert!(a.to_vec() == expected);
            let last = PIECE as u64;
            assert_eq!(fill.word(a.number(), last), a.load_u32(last).unwrap());
            assert_eq!(a.to_vec() == b.to_vec(), !matches!(fill, Fill::Random(_)));
        }
        assert_eq!(Fill::Word(0x0403_0201).word(0, 4), 0x0403_0201);
    }
}
