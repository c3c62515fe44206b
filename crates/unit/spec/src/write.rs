//! The keys, for those who write files.

use crate::keys;
use crate::words::{LAYOUTS, READ_MODES};
use texunit_unit::{ArrayShape, CompareFunction, Layout, ReadMode, Sampler, View};
use toml::Value;

/// Keys with their values, in the order in which they are to stand.
pub type Entries = Vec<(&'static str, Value)>;

/// They as they stand in an inline table: `filter_mode = "linear", srgb = true`.
pub fn inline(entries: &[(&'static str, Value)]) -> String {
    let entries: Vec<_> = entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    entries.join(", ")
}

/// The bits of an f32: a number where a few decimal digits are the same, else a string of its bits.
pub fn float(bits: u32) -> Value {
    let float = f32::from_bits(bits);
    // Bits where decimal digits are many or could lose something.
    let plain = float == 0.0 || float.is_infinite() || (1e-5..1e9).contains(&float.abs());
    let shortest = float.to_string().parse::<f64>().ok();
    match shortest.filter(|&decimal| plain && (decimal as f32).to_bits() == bits) {
        Some(decimal) => Value::Float(decimal),
        None => Value::String(format!("{bits:#010x}")),
    }
}

/// A border colour.
pub(crate) fn border(words: [u32; 4]) -> Value {
    Value::Array(words.map(float).to_vec())
}

/// The keys of a sampler but for `force_unnormalized_coords`, all of them.
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

/// The keys of a sampler of its own, all of them.
pub fn independent_sampler(state: &Sampler) -> Entries {
    let mut entries = sampler(state);
    let forced = state.force_unnormalized_coords;
    entries.push((keys::FORCE_UNNORMALIZED_COORDS.name, forced.into()));
    entries
}

/// The keys of a sampler of its own in which it is not as in [`Sampler::default`].
pub fn changed_sampler(state: &Sampler) -> Entries {
    let usual = independent_sampler(&Sampler::default());
    let all = independent_sampler(state).into_iter().zip(usual);
    // By their text: -0.0 is equal to 0.0, and a NaN not to itself.
    let changed = |given: &Value, usual: &Value| given.to_string() != usual.to_string();
    all.filter(|(given, usual)| changed(&given.1, &usual.1)).map(|(given, _)| given).collect()
}

/// The keys that say how a texture is read, all of them.
pub fn texture(read_mode: ReadMode, normalized_coords: bool, state: &Sampler) -> Entries {
    let read = READ_MODES.iter().find(|row| row.1 == read_mode).map_or("element", |row| row.0);
    let mut entries = vec![
        (keys::READ_MODE.name, read.into()),
        (keys::NORMALIZED_COORDS.name, normalized_coords.into()),
    ];
    entries.extend(sampler(state));
    entries
}

/// The keys of a shape: format, geometry and sizes.
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

/// The key of a layout, where it is not an array's.
pub fn layout(layout: Layout) -> Option<(&'static str, Value)> {
    let row = LAYOUTS.iter().find(|row| row.1 == layout && layout != Layout::Array)?;
    Some(("layout", row.0.into()))
}

/// The keys of a view.
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

/// As a table, for a writer of whole files.
pub fn table(entries: Entries) -> toml::Table {
    entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
