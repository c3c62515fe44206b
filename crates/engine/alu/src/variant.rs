//! Variants: the modifiers (rounding, `.ftz`, `.sat` and so on) in which the operations of one
//! family differ.

use crate::mode::Mode;
use texunit_jit::Rounding;

/// The modifiers that distinguish an operation from others of its family. Modifiers that a family
/// does not have are as in [`Variant::PLAIN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The rounding of the result: `.rn` to `.rp`, or `.rni` to `.rpi`.
    pub(crate) rounding: Rounding,
    /// Whether `.ftz` is set.
    pub(crate) ftz: bool,
    /// Whether `.sat` is set.
    pub(crate) sat: bool,
    /// Whether `.relu` is set.
    pub(crate) relu: bool,
    /// Whether `.NaN` is set.
    pub(crate) nan: bool,
    /// Whether the type is a packed pair, such as f16x2.
    pub(crate) pair: bool,
}

impl Variant {
    /// The variant without modifiers, which rounds to nearest.
    pub(crate) const PLAIN: Self = Self {
        rounding: Rounding::Near,
        ftz: false,
        sat: false,
        relu: false,
        nan: false,
        pair: false,
    };

    /// The mode of an f32 instruction with these modifiers.
    pub(crate) fn mode(self) -> Mode {
        Mode { ftz: self.ftz, sat: self.sat }
    }
}

/// All variants with these roundings, each with and without each of these flags.
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

/// Adds `.ftz`.
pub(crate) fn ftz(variant: &mut Variant) {
    variant.ftz = true;
}

/// Adds `.sat`.
pub(crate) fn sat(variant: &mut Variant) {
    variant.sat = true;
}

/// Adds `.NaN`.
pub(crate) fn nan(variant: &mut Variant) {
    variant.nan = true;
}

/// Makes the type a packed pair.
pub(crate) fn pair(variant: &mut Variant) {
    variant.pair = true;
}
