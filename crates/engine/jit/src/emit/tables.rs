//! Constants for byte shuffles and variable shifts that both back ends use.

/// For each number of four bits, its bits in reverse order: in the low half of a byte, and in the
/// high half.
pub(super) const REVERSED: [[u64; 2]; 2] = [
    [0x0e06_0a02_0c04_0800, 0x0f07_0b03_0d05_0901],
    [0xe060_a020_c040_8000, 0xf070_b030_d050_9010],
];
/// Shuffle that reverses the four bytes of each 32-bit element.
pub(super) const SWAPPED: [u64; 2] = [0x0405_0607_0001_0203, 0x0c0d_0e0f_0809_0a0b];
/// For each byte, the number of the first byte of its 32-bit element.
pub(super) const BEGINS: [u64; 2] = [0x0404_0404_0000_0000, 0x0c0c_0c0c_0808_0808];
