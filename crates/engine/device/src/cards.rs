//! The GPUs as which texunit's drop-in libraries can appear, and how users name them: one for each
//! architecture, and a second one for architectures of which another GPU was measured.

use crate::capability::ComputeCapability;
use std::fmt::Write;

/// A GPU that the libraries can appear as, and what they report about it.
#[derive(Debug)]
pub struct Card {
    /// The name of the option's value: the architecture, such as `sm_86`, or the product if it is
    /// the second GPU of its architecture, such as `h200`.
    pub key: &'static str,
    /// The product name that the GPU reports: `NVIDIA GeForce RTX 3060`.
    pub name: &'static str,
    /// Compute capability.
    pub capability: ComputeCapability,
    /// Device memory in bytes.
    pub memory: u64,
    /// Number of multiprocessors.
    pub multiprocessors: i32,
    /// Clock of the multiprocessors in kHz.
    pub clock: i32,
    /// Clock of the memory in kHz.
    pub memory_clock: i32,
    /// Width of the memory bus in bits.
    pub bus: i32,
    /// Size of the L2 cache in bytes.
    pub l2: i32,
    /// Maximum resident threads per multiprocessor.
    pub threads: i32,
    /// Maximum resident CTAs per multiprocessor.
    pub ctas: i32,
    /// Shared memory of a multiprocessor in KiB.
    pub shared: i32,
    /// Maximum shared memory in KiB of a CTA that opts in to more than 48.
    pub shared_optin: i32,
    /// Ratio of f32 to f64 throughput.
    pub double_ratio: i32,
    /// Number of copy engines.
    pub copy_engines: i32,
    /// Other products of the architecture, by short names. They are only used for suggestions,
    /// because their sizes and clocks differ.
    relatives: &'static str,
}

const fn sm(major: u8, minor: u8) -> ComputeCapability {
    ComputeCapability { major, minor }
}

const GIB: u64 = 1 << 30;
const MIB: i32 = 1 << 20;
/// Memory size of an H200 in bytes, as the GPU reports it (driver 580.159.04, 2026-11-28).
const H200: u64 = 150_109_880_320;

/// Makes an array of [`Card`]s from a table with one line per GPU.
macro_rules! cards {
    ($($key:literal, $name:literal, $capability:expr, $memory:expr, $multiprocessors:literal,
       $clock:literal, $memory_clock:literal, $bus:literal, $l2:expr, $threads:literal, $ctas:literal,
       $shared:literal, $shared_optin:literal, $double_ratio:literal, $copy_engines:literal,
       $relatives:literal;)*) => {
        &[$(Card {
            key: $key, name: $name, capability: $capability, memory: $memory,
            multiprocessors: $multiprocessors, clock: $clock, memory_clock: $memory_clock, bus: $bus,
            l2: $l2, threads: $threads, ctas: $ctas, shared: $shared, shared_optin: $shared_optin,
            double_ratio: $double_ratio, copy_engines: $copy_engines, relatives: $relatives,
        }),*]
    };
}

/// All GPUs; the first is the default.
#[rustfmt::skip]
pub static CARDS: &[Card] = cards! {
    // key      name                               capability         memory   SMs  clock     
    // memory bus   L2              threads CTAs shared optin f64 copy relatives
    "sm_86",  "NVIDIA GeForce RTX 3060",             sm(8, 6),    12 * GIB, 28,  1_777_000, 7_501_000,  192,  2_359_296,      1536,   16,  100,   99,   32, 2, "rtx3050 rtx3060ti rtx3070 rtx3070ti rtx3080 rtx3080ti rtx3090 rtx3090ti rtxa2000 rtxa4000 rtxa5000 rtxa6000 a2 a10 a10g a16 a40 a6000 ampere";
    "sm_50",  "NVIDIA GeForce GTX 750 Ti",           sm(5, 0),     2 * GIB, 5,  1_084_500, 2_700_000,  128,  2 * MIB,        2048,   32,   64,   48,   32, 1, "gtx750 gtx745 maxwell";
    "sm_52",  "NVIDIA GeForce GTX 980",              sm(5, 2),     4 * GIB, 16,  1_216_000, 3_505_000,  256,  2 * MIB,        2048,   32,   96,   48,   32, 2, "gtx950 gtx960 gtx970 gtx980ti titanx m40 m60";
    "sm_60",  "Tesla P100-PCIE-16GB",                sm(6, 0),    16 * GIB, 56,  1_328_500,   715_000, 4096,  4 * MIB,        2048,   32,   64,   48,    2, 2, "gp100 p100sxm2";
    "sm_61",  "NVIDIA GeForce GTX 1080",             sm(6, 1),     8 * GIB, 20,  1_733_500, 5_005_000,  256,  2 * MIB,        2048,   32,   96,   48,   32, 2, "gtx1050 gtx1050ti gtx1060 gtx1070 gtx1070ti gtx1080ti titanxp p4 p40 pascal";
    "sm_70",  "Tesla V100-PCIE-16GB",                sm(7, 0),    16 * GIB, 80,  1_380_000,   877_000, 4096,  6 * MIB,        2048,   32,   96,   96,    2, 7, "titanv gv100 v100sxm2 volta";
    "sm_75",  "Tesla T4",                            sm(7, 5),    15 * GIB, 40,  1_590_000, 5_001_000,  256,  4 * MIB,        1024,   16,   64,   64,   32, 3, "rtx2060 rtx2070 rtx2080 rtx2080ti gtx1650 gtx1660 gtx1660ti titanrtx rtx5000 rtx6000 rtx8000 turing";
    "sm_80",  "NVIDIA A100-PCIE-40GB",               sm(8, 0),    40 * GIB, 108, 1_410_000, 1_215_000, 5120, 40 * MIB,        2048,   32,  164,  163,    2, 3, "a30 a100sxm480gb a100sxm440gb a10080gb";
    "sm_87",  "Orin",                                sm(8, 7),    30 * GIB, 16,  1_300_000, 1_300_000,  128,  4 * MIB,        1536,   16,  164,  163,   32, 2, "jetsonorin agxorin orinnano orinnx";
    "sm_89",  "NVIDIA GeForce RTX 4090",             sm(8, 9),    24 * GIB, 128, 2_520_000, 10_501_000, 384, 72 * MIB,        1536,   24,  100,   99,   64, 2, "rtx4050 rtx4060 rtx4060ti rtx4070 rtx4070ti rtx4080 l4 l40 l40s rtx6000ada ada";
    "sm_90",  "NVIDIA H100 PCIe",                    sm(9, 0),    80 * GIB, 114, 1_755_000, 1_593_000, 5120, 50 * MIB,        2048,   32,  228,  227,    2, 3, "h100sxm h100nvl gh200 h800 hopper";
    "h200",   "NVIDIA H200",                         sm(9, 0),        H200, 132, 1_980_000, 3_201_000, 6016, 60 * MIB,        2048,   32,  228,  227,    2, 3, "";
    "sm_100", "NVIDIA B200",                         sm(10, 0),  180 * GIB, 148, 1_965_000, 3_996_000, 7680, 126 * MIB,       2048,   32,  228,  227,    2, 4, "b100 gb200 blackwell";
    "sm_120", "NVIDIA GeForce RTX 5090",             sm(12, 0),   32 * GIB, 170, 2_407_000, 14_001_000, 512, 96 * MIB,        1536,   24,  100,   99,   64, 2, "rtx5050 rtx5060 rtx5060ti rtx5070 rtx5070ti rtx5080 rtxpro6000";
};

/// A name in lower case, reduced to letters and digits, without words that most product names
/// share.
fn plain(name: &str) -> String {
    let all: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let all = all.strip_prefix("nvidia").unwrap_or(&all);
    let all =
        ["geforce", "tesla", "quadro"].iter().find_map(|w| all.strip_prefix(w)).unwrap_or(all);
    all.to_owned()
}

impl Card {
    /// The product name without `NVIDIA` and details: `GeForce RTX 3060`.
    pub fn short(&self) -> &'static str {
        let name = self.name.strip_prefix("NVIDIA ").unwrap_or(self.name);
        name.trim_end_matches("-40GB")
            .trim_end_matches("-16GB")
            .trim_end_matches("-PCIE")
            .trim_end_matches(" PCIe")
    }

    /// The GPU in lists of GPUs in messages: `sm_86 (GeForce RTX 3060)`.
    fn label(&self) -> String {
        let short = self.short();
        if self.key.eq_ignore_ascii_case(short) {
            return self.key.to_owned();
        }
        format!("{} ({short})", self.key)
    }

    fn relatives(&self) -> impl Iterator<Item = &str> {
        self.relatives.split(' ').filter(|name| !name.is_empty())
    }

    fn is_called(&self, name: &str) -> bool {
        let number = self.key.trim_start_matches("sm_");
        // The last word of the name, if it is a number: `3060` of `GeForce RTX 3060`.
        let last =
            self.short().rsplit(' ').next().filter(|w| w.contains(|c: char| c.is_ascii_digit()));
        let digits = name.trim_start_matches("compute").trim_start_matches("sm");
        digits == number
            || [self.name, self.short()].iter().any(|own| plain(own) == name)
            || last.is_some_and(|last| plain(last) == name)
    }
}

/// Finds a GPU by its architecture (`sm_86`) or its product name (`rtx3060`, `GeForce RTX 3060`,
/// `t4`).
///
/// # Errors
/// If the name is unknown, a message with the closest known name and all known names.
pub fn find(name: &str) -> Result<&'static Card, String> {
    let wanted = plain(name);
    if let Some(card) = CARDS.iter().find(|card| card.is_called(&wanted)) {
        return Ok(card);
    }
    let mut message = format!("unknown device `{}`", name.chars().take(60).collect::<String>());
    if let Some(card) = CARDS.iter().find(|card| card.relatives().any(|other| other == wanted)) {
        let label = card.label();
        let _ = write!(message, "; did you mean {label}, of the same architecture? Available");
    } else if let Some(card) = near(&wanted) {
        let _ = write!(message, "; did you mean {}? Available", card.label());
    } else {
        message.push_str("; available");
    }
    let known: Vec<String> = CARDS.iter().map(Card::label).collect();
    let _ = write!(message, ": {}", known.join(", "));
    Err(message)
}

/// The GPU whose architecture number is closest to that of the given architecture name.
fn near(name: &str) -> Option<&'static Card> {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let sm = name.starts_with("sm") || name.starts_with("compute") || digits == name;
    let wanted: u32 = digits.parse().ok().filter(|_| sm && digits.len() <= 3)?;
    let distance = |card: &&Card| {
        card.key.trim_start_matches("sm_").parse::<u32>().map_or(u32::MAX, |n| n.abs_diff(wanted))
    };
    CARDS.iter().min_by_key(distance).filter(|card| distance(card) <= 5)
}

/// The GPUs of a list of names separated by commas.
///
/// # Errors
/// The message of [`find`] for the first unknown name.
pub fn find_all(names: &str) -> Result<Vec<&'static Card>, String> {
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_by_their_usual_names() {
        let names_86 = ["sm_86", "SM86", "86", "rtx3060", "RTX 3060", "GeForce RTX 3060", "3060"];
        for (key, names) in [
            ("sm_86", &names_86[..]),
            ("sm_86", &["NVIDIA GeForce RTX 3060"]),
            ("sm_90", &["compute_90", "h100"]),
            ("sm_75", &["t4", "Tesla T4"]),
            ("sm_70", &["v100"]),
            ("sm_80", &["A100"]),
            ("h200", &["H200", "NVIDIA H200"]),
            ("sm_100", &["b200"]),
            ("sm_87", &["orin"]),
            ("sm_61", &["gtx1080"]),
            ("sm_50", &["gtx 750 ti"]),
        ] {
            names.iter().for_each(|name| assert_eq!(find(name).unwrap().key, key, "{name}"));
        }
        assert_eq!(CARDS[0].capability, ComputeCapability::DEFAULT);
        for card in CARDS {
            if card.key != "h200" {
                assert_eq!(card.key, card.capability.to_string());
            }
            assert_eq!(find(card.key).unwrap().key, card.key);
            assert_eq!(find(card.name).unwrap().key, card.key);
            for relative in card.relatives() {
                let message = find(relative).unwrap_err();
                let wanted = format!("did you mean {}", card.label());
                assert!(message.contains(&wanted), "{message}");
            }
        }
    }

    #[test]
    fn unknown_cards() {
        let message = find("rtx3080").unwrap_err();
        let start = "unknown device `rtx3080`; did you mean sm_86 (GeForce RTX 3060), of the same architecture";
        assert!(message.starts_with(start), "{message}");
        assert!(
            message.contains("? Available: sm_86 (GeForce RTX 3060), sm_50 (GeForce GTX 750 Ti)")
        );
        assert!(find("sm_88").unwrap_err().contains("did you mean sm_87 (Orin)?"));
        for name in
            ["", "ti", "pcie", "nvidia", "radeon", "sm_", "sm_1200", "é", "x".repeat(1000).as_str()]
        {
            assert!(find(name).unwrap_err().to_lowercase().contains("available: sm_86"), "{name}");
        }
        let keys: Vec<&str> = find_all("sm_75, rtx3060,").unwrap().iter().map(|c| c.key).collect();
        assert_eq!(keys, ["sm_75", "sm_86"]);
    }
}
