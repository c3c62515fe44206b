//! Properties of processors that decide which of two codes of one SIMD level is faster. They are looked up by maker and
//! generation, never timed: the same program is compiled in the same way on each run.

use std::sync::OnceLock;

/// How long an AVX2 or AVX-512 gather takes, compared with single loads of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathers {
    /// Less: Intel since Sapphire Rapids and Alder Lake.
    Fast,
    /// About as long where elements are in a cache, and longer where they are not, because fewer cache misses are
    /// outstanding at a time: AMD. Unknown makers count as AMD.
    AsLoads,
    /// Several times as long: Intel from Skylake to Rocket Lake, whose microcode serializes gathers against Gather Data
    /// Sampling (CVE-2022-40982), and Haswell and Broadwell before them.
    Slow,
}

impl Gathers {
    /// Those of this processor.
    pub fn of_processor() -> Self {
        static GATHERS: OnceLock<Gathers> = OnceLock::new();
        *GATHERS.get_or_init(|| Self::of(&maker(), has_serialize()))
    }

    fn of(maker: &[u8; 12], has_serialize: bool) -> Self {
        match (maker, has_serialize) {
            (b"GenuineIntel", true) => Self::Fast,
            (b"GenuineIntel", false) => Self::Slow,
            _ => Self::AsLoads,
        }
    }
}

/// Whether AMD made the processor, or Hygon under AMD's licence.
pub fn is_amd() -> bool {
    static IS_AMD: OnceLock<bool> = OnceLock::new();
    *IS_AMD.get_or_init(|| [b"AuthenticAMD", b"HygonGenuine"].contains(&&maker()))
}

/// The maker's name as CPUID gives it; zeros on other architectures.
fn maker() -> [u8; 12] {
    #[cfg(target_arch = "x86_64")]
    {
        let vendor = std::arch::x86_64::__cpuid(0);
        let mut name = [0; 12];
        let words = [vendor.ebx, vendor.edx, vendor.ecx];
        name.chunks_exact_mut(4)
            .zip(words)
            .for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        name
    }
    #[cfg(not(target_arch = "x86_64"))]
    [0; 12]
}

/// Whether there is the instruction SERIALIZE, which Intel's processors have had since the first ones whose gathers need no
/// mitigation. Model numbers are no substitute: virtual machines report others than the host's.
fn has_serialize() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        __cpuid(0).eax >= 7 && __cpuid_count(7, 0).edx >> 14 & 1 != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gathers_by_maker_and_generation() {
        assert_eq!(Gathers::of(b"GenuineIntel", true), Gathers::Fast);
        assert_eq!(Gathers::of(b"GenuineIntel", false), Gathers::Slow);
        assert_eq!(Gathers::of(b"AuthenticAMD", false), Gathers::AsLoads);
        assert_eq!(Gathers::of(b"CentaurHauls", false), Gathers::AsLoads);
        assert_eq!(Gathers::of_processor(), Gathers::of_processor());
    }
}
