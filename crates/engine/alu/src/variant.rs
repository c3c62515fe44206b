//! Variants: the modifiers (rounding, `.ftz`, `.sat` and so on) that distinguish the rows of one family.

use crate::mode::Mode;
use texunit_jit::Rounding;

/// The modifiers of a row of a family. Those that a family does not have are as in [`Variant::PLAIN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// `.rn` to `.rp`, or `.rni` to `.rpi`.
    pub(crate) rounding: Rounding,
    /// `.ftz`
    pub(crate) ftz: bool,
    /// `.sat`
    pub(crate) sat: bool,
    /// `.relu`
    pub(crate) relu: bool,
    /// `.NaN`
    pub(crate) nan: bool,
    /// Whether the type is one of pairs, as f16x2.
    pub(crate) pair: bool,
}

impl Variant {
    /// None of them, to the nearest.
    pub(crate) const PLAIN: Self = Self {
        rounding: Rounding::Near,
        ftz: false,
        sat: false,
        relu: false,
        nan: false,
        pair: false,
    };

    /// How an f32 instruction of this variant takes subnormals and limits its result.
    pub(crate) fn mode(self) -> Mode {
        Mode { ftz: self.ftz, sat: self.sat }
    }
}

/// All variants with these roundings and flags, each flag with and without.
pub(crate) fn variants(roundings: &[Rounding], flags: &[fn(&mut Variant)]) -> Vec<Variant> {
    let rounded = |&rounding: &Rounding| Variant { rounding, ..Variant::PLAIN };
    let mut all: Vec<Variant> = roundings.iter().map(rounded).collect();
    for set in flags {
        let with = all.clone().into_iter().map(|mut variant| {
            set(&mut variant);
            variant
        });
        all.extend(with.collect::<Vec<_>>());
    }
    all
}

/// `.ftz`
pub(crate) fn ftz(variant: &mut Variant) {
    variant.ftz = true;
}

/// `.sat`
pub(crate) fn sat(variant: &mut Variant) {
    variant.sat = true;
}

/// `.NaN`
pub(crate) fn nan(variant: &mut Variant) {
    variant.nan = true;
}

/// Pairs.
pub(crate) fn pair(variant: &mut Variant) {
    variant.pair = true;
}
