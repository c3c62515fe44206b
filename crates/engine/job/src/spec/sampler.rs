//! Sampler state of a job.

use super::number;
use crate::problem::codes;
use crate::table::{Found, Table};
use texunit_device::{AddressMode, CompareFunction, Filter};

/// Sampler state that a job gives; `None`: the default of the place it is used at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SamplerSpec {
    /// `filter`
    pub filter: Option<Filter>,
    /// `mip_filter`
    pub mip_filter: Option<Filter>,
    /// `address`
    pub address: Option<[AddressMode; 3]>,
    /// `border`, f32 bits
    pub border: Option<[u32; 4]>,
    /// `min_level_clamp`
    pub min_level_clamp: Option<f32>,
    /// `max_level_clamp`
    pub max_level_clamp: Option<f32>,
    /// `level_bias`
    pub level_bias: Option<f32>,
    /// `max_anisotropy`
    pub max_anisotropy: Option<u32>,
    /// `srgb`
    pub srgb: Option<bool>,
    /// `seamless_cube`
    pub seamless_cube: Option<bool>,
    /// `compare`; `Some(None)` is the word "none".
    pub compare: Option<Option<CompareFunction>>,
    /// `force_unnormalized`
    pub force_unnormalized: Option<bool>,
    /// `handle`, of a sampler of its own
    pub handle: Option<u64>,
}

/// The compare functions, and "none".
const COMPARES: [(&str, Option<CompareFunction>); 9] = {
    let mut all = [("none", None); 9];
    let mut i = 0;
    while i < CompareFunction::NAMES.len() {
        let (name, function) = CompareFunction::NAMES[i];
        all[i + 1] = (name, Some(function));
        i += 1;
    }
    all
};

/// Reads the keys of a sampler.
pub(super) fn sampler(value: &Found<'_>) -> Option<SamplerSpec> {
    let table = value.table()?;
    let mut spec = sampler_keys(&table);
    spec.force_unnormalized = table.get("force_unnormalized").and_then(|v| v.boolean());
    spec.handle = super::object::handle(&table);
    table.finish();
    Some(spec)
}

/// The keys that textures have too.
pub(super) fn sampler_keys(table: &Table<'_>) -> SamplerSpec {
    let filter = |key| table.get(key).and_then(|v| v.word(&Filter::NAMES));
    let float = |key| table.get(key).and_then(|v| float(&v));
    let flag = |key| table.get(key).and_then(|v| v.boolean());
    SamplerSpec {
        filter: filter("filter"),
        mip_filter: filter("mip_filter"),
        address: table.get("address").and_then(|v| address(&v)),
        border: table.get("border").and_then(|v| border(&v)),
        min_level_clamp: float("min_level_clamp"),
        max_level_clamp: float("max_level_clamp"),
        level_bias: float("level_bias"),
        max_anisotropy: table.get("max_anisotropy").and_then(|v| v.small(0)),
        srgb: flag("srgb"),
        seamless_cube: flag("seamless_cube"),
        compare: table.get("compare").and_then(|v| v.word(&COMPARES)),
        force_unnormalized: None,
        handle: None,
    }
}

fn float(value: &Found<'_>) -> Option<f32> {
    let bytes = number::number(number::NumberType::F32, value)?;
    Some(f32::from_bits(u32::from_le_bytes(bytes.try_into().ok()?)))
}

/// One word for all axes, or a word for each. The axes left out are like the last one: a 1D
/// texture has a row too, whose mode shows under border (docs/numerics.md 1).
fn address(value: &Found<'_>) -> Option<[AddressMode; 3]> {
    if !value.is_array() {
        return Some([value.word(&AddressMode::NAMES)?; 3]);
    }
    let items = value.array("address modes")?;
    if !(1..=3).contains(&items.len()) {
        value
            .problem(codes::VALUE, format!("expected 1 to 3 address modes, found {}", items.len()));
        return None;
    }
    let mut modes = [AddressMode::Clamp; 3];
    for axis in 0..modes.len() {
        modes[axis] = match items.get(axis) {
            Some(item) => item.word(&AddressMode::NAMES)?,
            None => modes[axis - 1],
        };
    }
    Some(modes)
}

fn border(value: &Found<'_>) -> Option<[u32; 4]> {
    let items = value.array("a border colour [r, g, b, a]")?;
    if items.len() != 4 {
        value.problem(
            codes::VALUE,
            format!("expected 4 numbers [r, g, b, a], found {}", items.len()),
        );
        return None;
    }
    let mut bits = [0; 4];
    for (to, item) in bits.iter_mut().zip(&items) {
        *to = float(item)?.to_bits();
    }
    Some(bits)
}
