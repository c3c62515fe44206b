//! Which build of a function runs: a value of [`Build`] is the proof that this machine can.

/// A build of the kernels that the machine can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Build {
    #[cfg(target_arch = "x86_64")]
    avx2: bool,
}

impl Build {
    /// Needs nothing: for tests, on any machine.
    #[cfg(test)]
    pub(super) const PORTABLE: Self = Self {
        #[cfg(target_arch = "x86_64")]
        avx2: false,
    };

    /// The build for this machine.
    pub(super) fn fastest() -> Self {
        Self {
            #[cfg(target_arch = "x86_64")]
            avx2: std::arch::is_x86_feature_detected!("avx2"),
        }
    }

    /// Whether it uses AVX2, which has then been detected.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn is_avx2(self) -> bool {
        self.avx2
    }
}
