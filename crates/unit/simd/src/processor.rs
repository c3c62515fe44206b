//! Properties of processors that decide which of two code variants of the same SIMD level is
//! faster. The properties are looked up by the processor's maker and generation, and never measured
//! at run time, so that code generation is the same on each run.

use std::sync::OnceLock;

/// Duration of an AVX2 or AVX-512 gather, compared with separate loads of its elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gathers {
    /// A gather takes less time than separate loads: Intel since Sapphire Rapids and Alder Lake.
    Fast,
    /// A gather takes about as long as separate loads if the elements are cached, and longer if
    /// not, because fewer cache misses are outstanding at a time: AMD. Unknown makers count as AMD.
    AsLoads,
    /// A gather takes several times as long as separate loads: Intel from Skylake to Rocket Lake,
    /// whose microcode serializes gathers against Gather Data Sampling (CVE-2022-40982), and
    /// Haswell and Broadwell.
    Slow,
}

/// A family of processors, as far as code generation distinguishes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processor {
    /// AMD, and Hygon under AMD's licence.
    Amd,
    /// Intel since Sapphire Rapids and Alder Lake.
    Intel,
    /// Intel up to Rocket Lake and Ice Lake.
    Skylake,
    /// A processor of another maker.
    Other,
}

static CURRENT: OnceLock<Processor> = OnceLock::new();

impl Processor {
    /// The family of this processor, or the family that this process assumes instead
    /// ([`Self::assume`]).
    pub fn current() -> Self {
        *CURRENT.get_or_init(|| Self::of(&maker(), has_serialize()))
    }

    /// Makes the process generate code for this processor family instead of its own processor's, so
    /// that the generated code is the same on every computer. Returns false if the process has
    /// already used the family of its own processor.
    pub fn assume(self) -> bool {
        *CURRENT.get_or_init(|| self) == self
    }

    /// The speed of gather instructions on this processor family.
    pub fn gathers(self) -> Gathers {
        match self {
            Self::Intel => Gathers::Fast,
            Self::Skylake => Gathers::Slow,
            Self::Amd | Self::Other => Gathers::AsLoads,
        }
    }

    fn of(maker: &[u8; 12], has_serialize: bool) -> Self {
        match (maker, has_serialize) {
            (b"AuthenticAMD" | b"HygonGenuine", _) => Self::Amd,
            (b"GenuineIntel", true) => Self::Intel,
            (b"GenuineIntel", false) => Self::Skylake,
            _ => Self::Other,
        }
    }
}

/// The maker's name from CPUID; zeros on other architectures.
fn maker() -> [u8; 12] {
    #[cfg(target_arch = "x86_64")]
    {
        let vendor = std::arch::x86_64::__cpuid(0);
        let words = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes);
        std::array::from_fn(|i| words[i / 4][i % 4])
    }
    #[cfg(not(target_arch = "x86_64"))]
    [0; 12]
}

/// Whether the instruction SERIALIZE exists, which Intel introduced with the first processors whose
/// gathers need no mitigation. Model numbers cannot replace this test, because virtual machines may
/// report other ones than the host's.
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
    fn families_by_maker_and_generation() {
        let gathers = |maker, new| Processor::of(maker, new).gathers();
        assert_eq!(gathers(b"GenuineIntel", true), Gathers::Fast);
        assert_eq!(gathers(b"GenuineIntel", false), Gathers::Slow);
        assert_eq!(gathers(b"AuthenticAMD", false), Gathers::AsLoads);
        assert_eq!(Processor::of(b"HygonGenuine", false), Processor::Amd);
        assert_eq!(Processor::of(b"CentaurHauls", false), Processor::Other);
        assert!(Processor::current().assume(), "what is asked for stays");
    }
}
