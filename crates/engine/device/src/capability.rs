//! Compute capabilities, which select the limits of a device.

/// Compute capability of the architecture that a device follows in its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComputeCapability {
    /// The major version, such as 7 in 7.5.
    pub major: u8,
    /// The minor version, such as 5 in 7.5.
    pub minor: u8,
}

impl ComputeCapability {
    /// The default architecture of a device: that of the GPU on which fetches were measured.
    pub const DEFAULT: Self = Self { major: 8, minor: 6 };

    /// One architecture for each set of limits, in the order in which error messages propose them.
    pub(crate) const GENERATIONS: [Self; 5] = [
        Self::DEFAULT,
        Self { major: 5, minor: 3 },
        Self { major: 3, minor: 7 },
        Self { major: 2, minor: 1 },
        Self { major: 1, minor: 3 },
    ];

    /// The architecture of a target such as `sm_75`, `sm_90a` or `sm_120`.
    pub fn from_target(name: &str) -> Option<Self> {
        let digits = name.strip_prefix("sm_")?.trim_end_matches(['a', 'f']);
        let plain = (2..=3).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let number: u8 = digits.parse().ok().filter(|n| plain && *n >= 10)?;
        Some(Self { major: number / 10, minor: number % 10 })
    }

    /// The number in the target's name: 75 of `sm_75`.
    pub fn number(self) -> u32 {
        10 * u32::from(self.major) + u32::from(self.minor)
    }
}

impl Default for ComputeCapability {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl std::fmt::Display for ComputeCapability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sm_{}{}", self.major, self.minor)
    }
}
