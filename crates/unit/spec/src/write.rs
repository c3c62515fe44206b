//! Writing of the TOML dialect: keys and values of samplers, textures, shapes and views.

use crate::keys;
use texunit_unit::{ArrayShape, CompareFunction, Layout, ReadMode, Sampler, View};
use toml::Value;

/// Keys with their values, in the order in which they are written.
pub type Entries = Vec<(&'static str, Value)>;

/// Formats entries as the contents of an inline table: `filter_mode = "linear", srgb = true`.
pub fn inline(entries: &[(&'static str, Value)]) -> String {
    let entries: Vec<_> = entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    entries.join(", ")
}

/// Writes a string in quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out += &format!("\\u{:04X}", u32::from(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Writes an f32: as a number if few decimal digits represent it exactly, else as a string of its
/// bits.
pub fn float(bits: u32) -> Value {
    let float = f32::from_bits(bits);
    // Bits are used if a decimal would be long or inexact.
    let plain = float == 0.0 || float.is_infinite() || (1e-5..1e9).contains(&float.abs());
    let shortest = float.to_string().parse::<f64>().ok();
    match shortest.filter(|&decimal| plain && (decimal as f32).to_bits() == bits) {
        Some(decimal) => Value::Float(decimal),
        None => Value::String(format!("{bits:#010x}")),
    }
}

/// Converts a border colour to an array of four floats, each as by [`float`].
pub(crate) fn border(words: [u32; 4]) -> Value {
    Value::Array(words.map(float).to_vec())
}

/// All keys of a sampler with their values, except `force_unnormalized_coords`, which only
/// independent samplers have.
pub fn sampler(sampler: &Sampler) -> Entries {
    let mut modes: Vec<Value> =
        sampler.address_mode.iter().map(|mode| Value::from(mode.name())).collect();
    while modes.len() > 1 && modes[modes.len() - 1] == modes[modes.len() - 2] {
        modes.pop();
    }
    let clamp = |level: f32| float(level.to_bits());
    vec![
        (keys::FILTER_MODE.name, sampler.filter.name().into()),
        (keys::MIPMAP_FILTER_MODE.name, sampler.mip_filter.name().into()),
        (keys::ADDRESS_MODE.name, Value::Array(modes)),
        (keys::BORDER_COLOR.name, border(sampler.border)),
        (keys::MIN_MIPMAP_LEVEL_CLAMP.name, clamp(sampler.min_level_clamp)),
        (keys::MAX_MIPMAP_LEVEL_CLAMP.name, clamp(sampler.max_level_clamp)),
        (keys::MIPMAP_LEVEL_BIAS.name, clamp(sampler.level_bias)),
        ("max_anisotropy", i64::from(sampler.max_anisotropy).into()),
        ("srgb", sampler.srgb.into()),
        (keys::SEAMLESS_CUBEMAP.name, sampler.seamless_cube.into()),
        ("compare", sampler.compare.map_or("none", CompareFunction::name).into()),
    ]
}

/// All keys of an independent sampler with their values.
pub fn independent_sampler(state: &Sampler) -> Entries {
    let mut entries = sampler(state);
    entries.push((keys::FORCE_UNNORMALIZED_COORDS.name, state.force_unnormalized_coords.into()));
    entries
}

/// The keys of an independent sampler whose values differ from those of [`Sampler::default`].
pub fn changed_sampler(state: &Sampler) -> Entries {
    let usual = independent_sampler(&Sampler::default());
    let all = independent_sampler(state).into_iter().zip(usual);
    // Compared as text, because -0.0 equals 0.0 and a NaN does not equal itself.
    let changed = |given: &Value, usual: &Value| given.to_string() != usual.to_string();
    all.filter(|(given, usual)| changed(&given.1, &usual.1)).map(|(given, _)| given).collect()
}

/// All keys that determine how a texture is read, with their values: read mode, normalized
/// coordinates, sampler state.
pub fn texture(read_mode: ReadMode, normalized_coords: bool, state: &Sampler) -> Entries {
    let mut entries = vec![
        (keys::READ_MODE.name, read_mode.name().into()),
        (keys::NORMALIZED_COORDS.name, normalized_coords.into()),
    ];
    entries.extend(sampler(state));
    entries
}

/// The keys of a shape with their values: format, geometry and sizes.
pub fn shape(shape: &ArrayShape) -> Entries {
    let ArrayShape { format, geometry, extent, layers, levels, samples } = *shape;
    let mut entries: Entries =
        vec![("format", format.name().into()), ("geometry", geometry.name().into())];
    let sizes = [("width", extent.width), ("height", extent.height), ("depth", extent.depth)];
    let number = |n: u32| Value::from(i64::from(n));
    entries.extend(sizes[..geometry.axes()].iter().map(|(key, size)| (*key, number(*size))));
    entries.extend(geometry.is_array().then(|| ("layers", number(layers))));
    entries.extend(levels.map(|levels| ("levels", number(levels))));
    entries.extend(geometry.is_multisample().then(|| ("samples", number(samples))));
    entries
}

/// The key of a memory layout; `None` for an array, which is the default.
pub fn layout(layout: Layout) -> Option<(&'static str, Value)> {
    (layout != Layout::Array).then(|| ("layout", layout.name().into()))
}

/// The keys of a view that differ from the whole resource.
pub fn view(view: &View) -> Entries {
    let range = |range: &std::ops::Range<u32>| {
        let ends = [range.start, range.end.saturating_sub(1)];
        Value::Array(ends.map(|n| i64::from(n).into()).to_vec())
    };
    let mut entries = Entries::new();
    entries.extend(view.format.map(|format| ("format", format.name().into())));
    entries.extend(view.geometry.map(|geometry| ("geometry", geometry.name().into())));
    entries.extend(view.levels.as_ref().map(|levels| ("levels", range(levels))));
    entries.extend(view.planes.as_ref().map(|planes| ("layers", range(planes))));
    entries
}

/// Converts entries to a TOML table.
pub fn table(entries: Entries) -> toml::Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
