//! `cvt.pack`: packs two saturated integers, and the low part of a third source.

use super::L64;
use texunit_isa::Modifiers;

/// A packing of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack {
    /// The width of the integers after saturation, and whether they are signed.
    bits: u8,
    signed: bool,
    /// Whether there is a third source.
    third: bool,
}

impl Pack {
    /// The packing that a `cvt.pack` does; `None` for other conversions.
    pub(super) fn of(mods: &Modifiers) -> Option<Self> {
        let (bits, signed) = mods.pack?;
        Some(Self { bits, signed, third: mods.types.len() == 2 })
    }

    /// Packs all lanes. The operands are those of [`Alu::Pack`](super::Alu::Pack).
    pub fn run(&self, d: &mut L64, a: &L64, b: &L64, c: &L64) {
        for i in 0..32 {
            let packed = self.saturated(a[i]) << self.bits | self.saturated(b[i]);
            let above = if self.third { c[i] << (2 * self.bits) } else { 0 };
            d[i] = (packed | above) & 0xffff_ffff;
        }
    }

    /// Saturates a signed 32-bit integer.
    fn saturated(&self, x: u64) -> u64 {
        let x = i64::from(x as u32 as i32);
        let all = (1i64 << self.bits) - 1;
        let (low, high) = if self.signed { (-(all >> 1) - 1, all >> 1) } else { (0, all) };
        (x.clamp(low, high) & all) as u64
    }
}
