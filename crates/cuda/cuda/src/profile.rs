//! Device profiles: the GPUs that texunit can simulate, one entry each. [`crate::attributes`]
//! derives the results of `cuDeviceGetAttribute` from them.

use texunit_device::{ComputeCapability, cards};
use texunit_forms::Count;

/// The properties of a GPU that texunit's device reports.
#[derive(Debug)]
pub(crate) struct Profile {
    /// Name in `TEXUNIT_DEVICE`.
    pub(crate) key: &'static str,
    /// Name as returned by `cuDeviceGetName`.
    pub(crate) name: &'static str,
    /// Compute capability.
    pub(crate) capability: ComputeCapability,
    /// Device memory in bytes.
    pub(crate) memory: u64,
    /// Number of multiprocessors.
    pub(crate) multiprocessors: i32,
    /// Clock of the multiprocessors in kHz.
    pub(crate) clock: i32,
    /// Clock of the memory in kHz.
    pub(crate) memory_clock: i32,
    /// Width of the memory bus in bits.
    pub(crate) bus: i32,
    /// Size of the L2 cache in bytes.
    pub(crate) l2: i32,
    /// Maximum resident threads per multiprocessor.
    pub(crate) threads: i32,
    /// Maximum resident CTAs per multiprocessor.
    pub(crate) ctas: i32,
    /// Shared memory of a multiprocessor in KiB.
    pub(crate) shared: i32,
    /// Maximum shared memory in KiB of a CTA that opts in to more than 48.
    pub(crate) shared_optin: i32,
    /// Ratio of f32 to f64 throughput.
    pub(crate) double_ratio: i32,
    /// Number of copy engines.
    pub(crate) copy_engines: i32,
}

const fn sm(major: u8, minor: u8) -> ComputeCapability {
    ComputeCapability { major, minor }
}

/// The default GPU, which `texunit launch` uses, too.
const DEFAULT: ComputeCapability = ComputeCapability::DEFAULT;

const GIB: u64 = 1 << 30;
const MIB: i32 = 1 << 20;
/// Memory size of an H200 in bytes, as the GPU reports it (driver 580.159.04, 2026-11-28).
const H200: u64 = 150_109_880_320;

#[rustfmt::skip]
macro_rules! cards {
    ($($key:literal $name:literal $cap:expr, $memory:expr, $sms:literal, $clock:literal, $mem:literal, $bus:literal, $l2:expr, $threads:literal, $ctas:literal, $shared:literal, $optin:literal, $ratio:literal, $copy:literal;)*) => {
        &[$(Profile {
            key: $key, name: $name, capability: $cap, memory: $memory, multiprocessors: $sms, clock: $clock,
            memory_clock: $mem, bus: $bus, l2: $l2, threads: $threads, ctas: $ctas, shared: $shared,
            shared_optin: $optin, double_ratio: $ratio, copy_engines: $copy,
        }),*]
    };
}

/// The profiles of all GPUs, the default one first.
#[rustfmt::skip]
pub(crate) static PROFILES: &[Profile] = cards! {
    // key     name                                capability    memory   SMs  clock      memory
    // bus   L2              threads CTAs shared optin f64 copy
    "sm_86"  "NVIDIA GeForce RTX 3060"             DEFAULT,     12 * GIB, 28,  1_777_000, 7_501_000,  192,  2_359_296,      1536,   16,  100,   99,   32, 2;
    "sm_50"  "NVIDIA GeForce GTX 750 Ti"           sm(5, 0),     2 * GIB, 5,  1_084_500, 2_700_000,  128,  2 * MIB,        2048,   32,   64,   48,   32, 1;
    "sm_52"  "NVIDIA GeForce GTX 980"              sm(5, 2),     4 * GIB, 16,  1_216_000, 3_505_000,  256,  2 * MIB,        2048,   32,   96,   48,   32, 2;
    "sm_60"  "Tesla P100-PCIE-16GB"                sm(6, 0),    16 * GIB, 56,  1_328_500,   715_000, 4096,  4 * MIB,        2048,   32,   64,   48,    2, 2;
    "sm_61"  "NVIDIA GeForce GTX 1080"             sm(6, 1),     8 * GIB, 20,  1_733_500, 5_005_000,  256,  2 * MIB,        2048,   32,   96,   48,   32, 2;
    "sm_70"  "Tesla V100-PCIE-16GB"                sm(7, 0),    16 * GIB, 80,  1_380_000,   877_000, 4096,  6 * MIB,        2048,   32,   96,   96,    2, 7;
    "sm_75"  "Tesla T4"                            sm(7, 5),    15 * GIB, 40,  1_590_000, 5_001_000,  256,  4 * MIB,        1024,   16,   64,   64,   32, 3;
    "sm_80"  "NVIDIA A100-PCIE-40GB"               sm(8, 0),    40 * GIB, 108, 1_410_000, 1_215_000, 5120, 40 * MIB,        2048,   32,  164,  163,    2, 3;
    "sm_87"  "Orin"                                sm(8, 7),    30 * GIB, 16,  1_300_000, 1_300_000,  128,  4 * MIB,        1536,   16,  164,  163,   32, 2;
    "sm_89"  "NVIDIA GeForce RTX 4090"             sm(8, 9),    24 * GIB, 128, 2_520_000, 10_501_000, 384, 72 * MIB,        1536,   24,  100,   99,   64, 2;
    "sm_90"  "NVIDIA H100 PCIe"                    sm(9, 0),    80 * GIB, 114, 1_755_000, 1_593_000, 5120, 50 * MIB,        2048,   32,  228,  227,    2, 3;
    "h200"   "NVIDIA H200"                         sm(9, 0),        H200, 132, 1_980_000, 3_201_000, 6016, 60 * MIB,        2048,   32,  228,  227,    2, 3;
    "sm_100" "NVIDIA B200"                         sm(10, 0),  180 * GIB, 148, 1_965_000, 3_996_000, 7680, 126 * MIB,       2048,   32,  228,  227,    2, 4;
    "sm_120" "NVIDIA GeForce RTX 5090"             sm(12, 0),   32 * GIB, 170, 2_407_000, 14_001_000, 512, 96 * MIB,        1536,   24,  100,   99,   64, 2;
};

/// The GPU that is simulated if the user chooses none.
pub(crate) fn default() -> &'static Profile {
    &PROFILES[0]
}

/// Maximum number of devices: each has a part of the address space, with room for the memory of
/// every GPU.
const MAX_DEVICES: usize = 32;

/// The GPUs of a comma-separated list of names, at least one.
pub(crate) fn find_all(names: &str) -> Result<Vec<&'static Profile>, String> {
    let find = |name: &str| {
        let card = cards::find(name).map_err(|why| format!("TEXUNIT_DEVICE: {why}"))?;
        let profile = PROFILES.iter().find(|profile| profile.key == card.key);
        profile.ok_or_else(|| format!("TEXUNIT_DEVICE: unknown device `{}`", card.key))
    };
    let keys = names.split(',').map(str::trim).filter(|key| !key.is_empty());
    let found = keys.map(find).collect::<Result<Vec<_>, _>>()?;
    match found.len() {
        0 => Err("TEXUNIT_DEVICE names no device".to_owned()),
        1..=MAX_DEVICES => Ok(found),
        n => Err(format!(
            "TEXUNIT_DEVICE names {}, but at most {MAX_DEVICES} are possible",
            Count(n, "device")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_the_architectures_but_one() {
        for profile in PROFILES.iter().filter(|profile| profile.key != "h200") {
            assert_eq!(profile.key, profile.capability.to_string());
        }
        let named: Vec<_> = PROFILES.iter().map(|profile| (profile.key, profile.name)).collect();
        assert_eq!(named, cards::CARDS.iter().map(|c| (c.key, c.name)).collect::<Vec<_>>());
        assert_eq!(find_all("rtx3060").unwrap()[0].key, "sm_86");
        assert_eq!(find_all("H200").unwrap()[0].name, "NVIDIA H200");
        assert_eq!(find_all("sm_90, sm_75").unwrap().len(), 2);
        assert!(find_all("sm_99").unwrap_err().contains("sm_86"));
        assert!(find_all(" ,").unwrap_err().contains("no device"));
        assert_eq!(find_all(&"sm_100,".repeat(MAX_DEVICES)).unwrap().len(), MAX_DEVICES);
        assert!(find_all(&"sm_100,".repeat(MAX_DEVICES + 1)).is_err());
    }
}
