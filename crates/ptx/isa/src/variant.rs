//! Instructions that only some architecture variants support: `sm_90a` but not `sm_90`, or the
//! whole family `sm_100f`. Measured with ptxas 12.9 and 13.5.

use crate::Opcode;

/// A feature of some architecture variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Name of the feature for messages.
    pub feature: &'static str,
    /// The architectures, without `sm_`, separated by spaces.
    pub targets: &'static str,
    /// Names of opcodes.
    opcodes: &'static str,
    /// Modifiers, any of them; empty: any.
    words: &'static str,
    /// Modifiers of which one must also be present; empty: no condition.
    with: &'static str,
}

impl Variant {
    /// Whether an architecture, such as `sm_90a`, supports it.
    pub fn has(&self, architecture: &str) -> bool {
        let name = architecture.strip_prefix("sm_").unwrap_or(architecture);
        self.targets.split(' ').any(|target| target == name)
    }
}

const fn variant(
    opcodes: &'static str,
    words: &'static str,
    targets: &'static str,
    feature: &'static str,
) -> Variant {
    Variant { feature, targets, opcodes, words, with: "" }
}

impl Variant {
    /// Restricts the feature to instructions that also have one of these modifiers.
    const fn with(self, with: &'static str) -> Self {
        Self { with, ..self }
    }
}

/// The Hopper variant with tensor core extensions, `sm_90a`.
const HOPPER: &str = "90a";
/// All variants in which warp groups can exchange registers.
const ANY: &str = "90a 100a 100f 101a 101f 103a 103f 107a 107f 110a 110f 120a 120f 121a 121f";
/// Variants with the features introduced by Blackwell.
const BLACKWELL: &str = "100a 100f 101a 101f 103a 103f 107a 107f 110a 110f 120a 120f 121a 121f";
/// Variants with tensor memory.
const TENSOR: &str = "100a 100f 101a 101f 103a 103f 107a 107f 110a 110f";
/// Variants with tensor memory, without families.
const EXACT: &str = "100a 101a 103a 107a 110a";
/// The family of `sm_100f`.
const DATA_CENTRE: &str = "100a 100f 103a 103f 107a 107f";
/// Variants with arithmetic on four bytes.
const BYTES: &str = "107a 107f 120a 120f 121a 121f";
/// Variants with random rounding.
const RANDOM: &str = "100a 103a 107a";

/// Float types of less than 8 bits, and scale types.
const NARROW: &str = "e2m1x2 e2m3x2 e3m2x2 ue8m0x2";
/// Types with four elements per register.
const FOURS: &str = "e2m1x4 e2m3x4 e3m2x4 e4m3x4 e5m2x4";

#[rustfmt::skip]
const VARIANTS: &[Variant] = &[
    variant("wgmma", "", HOPPER, "wgmma"),
    variant("setmaxnreg", "", ANY, "setmaxnreg"),
    variant("tensormap", "replace", ANY, "tensormap.replace"),
    variant("tcgen05", "shift", EXACT, "tcgen05.shift"),
    variant("tcgen05", "", TENSOR, "tcgen05"),
    variant("ldmatrix", "m16n16 m8n16", BLACKWELL, "matrices of 8 bits"),
    variant("stmatrix", "m16n8", BLACKWELL, "matrices of 8 bits"),
    variant("mma", "kind::f8f6f4 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4", BLACKWELL, "mma with narrow floats"),
    variant("clusterlaunchcontrol", "multicast::cluster::all", BLACKWELL, "try_cancel for a cluster"),
    variant("cp", "cta_group::1 cta_group::2", TENSOR, "copies for a group of CTAs"),
    variant("redux", "f32", DATA_CENTRE, "redux of .f32"),
    variant("add sub min max neg", "u8x4 s8x4", BYTES, "arithmetic of four bytes"),
    variant("add", "u16x2 s16x2", BYTES, "saturating sums of halves").with("sat"),
    variant("cvt", "rs", RANDOM, "random rounding"),
    variant("cvt", NARROW, BLACKWELL, "narrow floats"),
    variant("cvt", "e4m3x2 e5m2x2", BLACKWELL, "8-bit floats and bf16").with("bf16x2"),
    variant("cvt", FOURS, RANDOM, "four narrow floats"),
];

/// The variant features that an instruction's modifiers require.
pub fn variants<'w>(
    opcode: Opcode,
    words: &'w [&'w str],
) -> impl Iterator<Item = &'static Variant> + 'w {
    let any = |list: &str| list.is_empty() || list.split(' ').any(|w| words.contains(&w));
    let named = move |v: &&Variant| v.opcodes.split(' ').any(|o| o == opcode.name());
    VARIANTS.iter().filter(named).filter(move |v| any(v.words) && any(v.with))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures_of_variants() {
        let first = |opcode, words: &[&str]| variants(opcode, words).next().copied();
        let redux = first(Opcode::Redux, &["sync", "min", "f32"]);
        let has = |name| redux.is_some_and(|v| v.has(name));
        assert!(has("sm_100f") && has("sm_103a"));
        assert!(!has("sm_100") && !has("sm_120a"));
        assert_eq!(first(Opcode::Redux, &["sync", "min", "u32"]), None);
    }

    #[test]
    fn opcodes_exist() {
        for v in VARIANTS {
            assert!(v.opcodes.split(' ').all(|o| Opcode::from_name(o).is_some()));
        }
    }
}
