//! Options that several commands share, and parsers of numbers. The error for a number names the
//! quantity and the allowed range; clap names the option.

use clap::builder::{PathBufValueParser, TypedValueParser, ValueParser};
use clap::{Args, ValueEnum};
use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use texunit_device::{Approximate, ComputeCapability, CtaRange, Fill, InvalidFill};
use texunit_job::Settings;

/// Declares the values of an option: those of another type, each with its help.
macro_rules! choices {
    ($(#[$about:meta])* $name:ident for $of:path {
        $($(#[$help:meta])* $value:ident,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
        pub enum $name {
            $($(#[$help])* $value,)*
        }

        impl From<$name> for $of {
            fn from(value: $name) -> Self {
                match value {
                    $($name::$value => Self::$value,)*
                }
            }
        }
    };
}
pub(crate) use choices;

choices! {
    /// Where accesses past the end of an object become faults.
    BoundsArg for texunit_device::Bounds {
        /// At its last byte.
        Exact,
        /// Where a GPU could notice: sizes of allocations are rounded up to 512 bytes, of dynamic
        /// shared memory to 1 KiB. What passes is counted.
        Hardware,
    }
}

choices! {
    /// How a fetch or surface access is executed whose texture or surface does not fit, although a
    /// card returns a value.
    BadFetchArg for texunit_device::BadFetch {
        /// A fault.
        Fault,
        /// What the card makes of it: loads give 0, stores do nothing, a surface is fetched from.
        /// It is reported.
        Zero,
    }
}

choices! {
    /// How approximate instructions compute.
    ApproxArg for Approximate {
        /// By the special function unit of a card, bit for bit.
        Card,
        /// To the nearest number of the exact result.
        Rounded,
    }
}

/// Forms of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProfileFormat {
    /// texunit's own, with everything that was counted (docs/profile.md).
    Json,
    /// That of Callgrind, for KCachegrind, QCachegrind and callgrind_annotate.
    Callgrind,
}

/// How a job is launched: options of `texunit launch` and `texunit reduce`. Without one of them it
/// is what the job says, or else the default.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct HowArgs {
    /// Maximum number of instructions that a warp may execute; after it, the kernel counts as an
    /// infinite loop. Default: what the job says, or 1000000000.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = integer::<u64>("instructions of a warp", 1..=u64::MAX))]
    pub max_steps: Option<u64>,
    /// Whether mul and add without a rounding modifier are fused where ptxas does it; default: what
    /// the job says, or on.
    #[arg(long, value_name = "on|off", num_args = 0..=1, require_equals = true, default_missing_value = "on",
          value_parser = switch, env = "TEXUNIT_FMAD")]
    pub fmad: Option<bool>,
    /// How approximate instructions (`rcp.approx`, `sin.approx`, `div.full` and so on) compute;
    /// default: what the job says, or `card`.
    #[arg(long, value_enum, env = "TEXUNIT_APPROX")]
    pub approx: Option<ApproxArg>,
    /// Where accesses past the end of an object become faults; default: what the job says, or
    /// `exact`.
    #[arg(long, value_enum)]
    pub bounds: Option<BoundsArg>,
    /// What becomes of fetches that no texture fits: of another geometry, of linear memory by
    /// floats, by a handle that was never returned or a surface's. Default: what the job says, or
    /// `zero`.
    #[arg(long, value_enum, env = "TEXUNIT_BAD_FETCH")]
    pub bad_fetch: Option<BadFetchArg>,
    /// Architecture whose limits apply to the size of textures and surfaces, such as sm_75;
    /// default: what the job says, or sm_86.
    #[arg(long, alias = "device", value_name = "SM", value_parser = architecture)]
    pub arch: Option<ComputeCapability>,
    /// Run CTAs and warps in a random fair order that follows from this seed: the effects of a race
    /// become visible, and the same seed repeats them exactly. Turns may end between any two
    /// accesses of memory. Uses one host thread, and everything is interpreted. Without it, one
    /// host thread runs CTAs one after the other, and the warps of each in turns from barrier to
    /// barrier: always in the same order.
    #[arg(long, value_name = "SEED", allow_negative_numbers = true,
          value_parser = integer::<u64>("a seed", 0..=u64::MAX))]
    pub schedule: Option<u64>,
    /// Fill uninitialised memory, and shared and local memory when a CTA begins, with a pattern
    /// instead of zeros: a byte (0xab), 32 bits (0xdeadbeef), or `random`, whose seed is printed;
    /// `random:SEED` repeats it.
    #[arg(long, value_name = "PATTERN", value_parser = fill)]
    pub fill: Option<Fill>,
    /// Execute `tex.grad` as Maxwell's TXD where it has that form, on texture headers and
    /// block-linear memory; fetches that TXD cannot do are counted by reason.
    #[arg(long, value_parser = flag(cfg!(feature = "sass")))]
    pub via_txd: bool,
    /// Device memory limit in bytes; K, M and G stand for 2^10, 2^20 and 2^30. Default: what the
    /// job says, or 8G.
    #[arg(long, value_name = "BYTES", value_parser = byte_size)]
    pub memory_limit: Option<u64>,
}

/// Whole numbers in a range. `what` is the quantity: `host threads`.
pub fn integer<T>(what: &'static str, range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Display + PartialOrd + Clone + Send + Sync + 'static,
{
    move |text: &str| read(text, what, &range)
}

fn read<T: FromStr + Display + PartialOrd>(
    text: &str,
    what: &str,
    range: &RangeInclusive<T>,
) -> Result<T, String> {
    // Rust accepts a plus sign, which a count should not have.
    let digits = !text.starts_with('+');
    text.parse().ok().filter(|number| digits && range.contains(number)).ok_or_else(|| {
        format!("expected {what}: a whole number from {} to {}", range.start(), range.end())
    })
}

/// Numbers with a fraction. `what` is the quantity: `a level`.
pub fn real(what: &'static str) -> impl TypedValueParser<Value = f32> {
    move |text: &str| {
        text.parse::<f32>().map_err(|_| format!("expected {what}: a number such as 1.5"))
    }
}

/// The fill pattern of memory. `random` draws a seed.
pub fn fill(text: &str) -> Result<Fill, InvalidFill> {
    Fill::parse(text, || RandomState::new().hash_one(0))
}

/// A range of CTAs such as `0..128`.
#[cfg(feature = "ranges")]
pub fn cta_range(text: &str) -> Result<CtaRange, &'static str> {
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<u64>().ok().filter(|_| digits)
    };
    match text.split_once("..").and_then(|(a, b)| Some((number(a)?, number(b)?))) {
        Some((begin, end)) if begin < end => Ok(CtaRange { begin, end }),
        _ => Err("expected a range of CTAs, such as 0..128: the first, and the one after the last"),
    }
}

/// Ranges of CTAs in a build without the feature `ranges`.
#[cfg(not(feature = "ranges"))]
pub fn cta_range(_: &str) -> Result<CtaRange, String> {
    Err(crate::missing::option())
}

/// `on` or `off`, with the same spellings as environment variables.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text.trim() {
        "on" | "1" | "" => Ok(true),
        "off" | "0" => Ok(false),
        other => Err(format!("`{other}` is neither on nor off")),
    }
}

/// The parser for a file that an option of a cargo feature names.
pub(crate) fn file(has_feature: bool) -> ValueParser {
    match has_feature {
        true => PathBufValueParser::new().into(),
        false => ValueParser::new(|_: &str| Err::<PathBuf, _>(crate::missing::option())),
    }
}

/// The parser for an option of a cargo feature that takes no value: `true` if it is given.
fn flag(has_feature: bool) -> ValueParser {
    ValueParser::new(move |text: &str| match text == "true" {
        true if !has_feature => Err(crate::missing::option()),
        is_given => Ok(is_given),
    })
}

impl HowArgs {
    /// The options that a job may set too.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            arch: self.arch,
            memory_limit: self.memory_limit,
            max_steps: self.max_steps,
            fmad: self.fmad,
            approximate: self.approx.map(Into::into),
            bounds: self.bounds.map(Into::into),
            bad_fetch: self.bad_fetch.map(Into::into),
            ..Settings::default()
        }
    }
}

/// Formats of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Text.
    Human,
    /// JSON.
    Json,
}

/// Formats of the report of a launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LaunchFormat {
    /// Text.
    #[default]
    Human,
    /// JSON.
    Json,
    /// The accesses of the thread of --explain as one page of pictures; what the kernel prints goes
    /// to standard error.
    Svg,
}

impl From<OutputFormat> for LaunchFormat {
    fn from(format: OutputFormat) -> Self {
        match format {
            OutputFormat::Human => Self::Human,
            OutputFormat::Json => Self::Json,
        }
    }
}

/// The name of an option's value.
#[cfg(any(feature = "cases", feature = "reduce", feature = "run"))]
pub(crate) fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

pub(crate) fn architecture(text: &str) -> Result<ComputeCapability, &'static str> {
    ComputeCapability::from_target(text).ok_or(
        "expected an architecture, such as sm_75; named devices are options of `texunit run`",
    )
}

pub(crate) fn byte_size(text: &str) -> Result<u64, &'static str> {
    texunit_spec::number::byte_size(text)
        .ok_or("expected a number of bytes from 1 to 2^64 - 1, such as 512M")
}
