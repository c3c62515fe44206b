//! Parses the keys of sampler state in textures, sampler headers and independent samplers.

use crate::keys;
use crate::number::{float, word};
use crate::problem::codes;
use crate::table::{Table, TomlValue};
use texunit_unit::{AddressMode, CompareFunction, Filter, ReadMode, Sampler, per_axis};

/// Sampler state from a file; `None`: the default of the context in which it is used.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SamplerSpec {
    /// The key `filter_mode`.
    pub filter: Option<Filter>,
    /// The key `mipmap_filter_mode`.
    pub mip_filter: Option<Filter>,
    /// The key `address_mode`.
    pub address_mode: Option<[AddressMode; 3]>,
    /// The key `border_color`, f32 bits.
    pub border: Option<[u32; 4]>,
    /// The key `min_mipmap_level_clamp`.
    pub min_level_clamp: Option<f32>,
    /// The key `max_mipmap_level_clamp`.
    pub max_level_clamp: Option<f32>,
    /// The key `mipmap_level_bias`.
    pub level_bias: Option<f32>,
    /// The key `max_anisotropy`.
    pub max_anisotropy: Option<u32>,
    /// The key `srgb`.
    pub srgb: Option<bool>,
    /// The key `seamless_cubemap`.
    pub seamless_cube: Option<bool>,
    /// The key `compare`; `Some(None)` is the value "none".
    pub compare: Option<Option<CompareFunction>>,
    /// The key `force_unnormalized_coords`, for independent samplers.
    pub force_unnormalized_coords: Option<bool>,
}

impl SamplerSpec {
    /// Reads the keys that textures share with samplers.
    pub fn of_texture(table: &Table<'_>) -> Self {
        Self::with_mip_filter(table, |v| v.word(Filter::NAMES))
    }

    /// Reads the keys of a sampler header, and returns whether it filters between levels: the mip
    /// filter may be "none".
    pub fn of_header(table: &Table<'_>) -> (Self, bool) {
        let words = Filter::NAMES.iter().map(|&(name, filter)| (name, Some(filter)));
        let words: Vec<_> = words.chain([("none", None)]).collect();
        let mut has_filter = true;
        let read = |v: TomlValue<'_>| {
            let word = v.word(&words)?;
            has_filter = word.is_some();
            word
        };
        let forced = table.get(keys::FORCE_UNNORMALIZED_COORDS).and_then(|v| v.boolean());
        let spec = Self::with_mip_filter(table, read);
        (Self { force_unnormalized_coords: forced, ..spec }, has_filter)
    }

    fn with_mip_filter(
        table: &Table<'_>,
        mip_filter: impl FnOnce(TomlValue<'_>) -> Option<Filter>,
    ) -> Self {
        let filter = |key: keys::Key| table.get(key).and_then(|v| v.word(Filter::NAMES));
        let float = |key: keys::Key| table.get(key).and_then(|v| float(&v)).map(f32::from_bits);
        let flag = |v: TomlValue<'_>| v.boolean();
        Self {
            filter: filter(keys::FILTER_MODE),
            mip_filter: table.get(keys::MIPMAP_FILTER_MODE).and_then(mip_filter),
            address_mode: table.get(keys::ADDRESS_MODE).and_then(|v| address_mode(&v)),
            border: table.get(keys::BORDER_COLOR).and_then(|v| border(&v)),
            min_level_clamp: float(keys::MIN_MIPMAP_LEVEL_CLAMP),
            max_level_clamp: float(keys::MAX_MIPMAP_LEVEL_CLAMP),
            level_bias: float(keys::MIPMAP_LEVEL_BIAS),
            max_anisotropy: table.get("max_anisotropy").and_then(|v| v.small(0)),
            srgb: table.get("srgb").and_then(flag),
            seamless_cube: table.get(keys::SEAMLESS_CUBEMAP).and_then(flag),
            compare: table.get("compare").and_then(|v| v.word(&compares())),
            force_unnormalized_coords: None,
        }
    }

    /// Reads the keys of an independent sampler.
    pub fn read(table: &Table<'_>) -> Self {
        let forced = table.get(keys::FORCE_UNNORMALIZED_COORDS).and_then(|v| v.boolean());
        Self { force_unnormalized_coords: forced, ..Self::of_texture(table) }
    }

    /// Makes the sampler; missing settings are those of [`Sampler::default`].
    pub fn build(&self) -> Sampler {
        self.over(&Sampler::default())
    }

    /// Makes the sampler; missing settings are taken from `initial`.
    pub fn over(&self, initial: &Sampler) -> Sampler {
        Sampler::default()
            .with_filter(self.filter.unwrap_or(initial.filter))
            .with_mip_filter(self.mip_filter.unwrap_or(initial.mip_filter))
            .with_address_modes(self.address_mode.unwrap_or(initial.address_mode))
            .with_border_bits(self.border.unwrap_or(initial.border))
            .with_min_level_clamp(self.min_level_clamp.unwrap_or(initial.min_level_clamp))
            .with_max_level_clamp(self.max_level_clamp.unwrap_or(initial.max_level_clamp))
            .with_level_bias(self.level_bias.unwrap_or(initial.level_bias))
            .with_max_anisotropy(self.max_anisotropy.unwrap_or(initial.max_anisotropy))
            .with_force_unnormalized_coords(
                self.force_unnormalized_coords.unwrap_or(initial.force_unnormalized_coords),
            )
            .with_srgb(self.srgb.unwrap_or(initial.srgb))
            .with_seamless_cube(self.seamless_cube.unwrap_or(initial.seamless_cube))
            .with_compare(self.compare.unwrap_or(initial.compare))
    }
}

/// The names of the compare functions; "none" stands for no comparison.
fn compares() -> Vec<(&'static str, Option<CompareFunction>)> {
    let functions = CompareFunction::NAMES.iter().map(|&(name, function)| (name, Some(function)));
    [("none", None)].into_iter().chain(functions).collect()
}

/// Reads the key `read_mode`.
pub fn read_mode(table: &Table<'_>) -> Option<ReadMode> {
    table.get(keys::READ_MODE).and_then(|v| v.word(ReadMode::NAMES))
}

/// Parses one address mode for all axes, or an array of one to three.
fn address_mode(value: &TomlValue<'_>) -> Option<[AddressMode; 3]> {
    if !value.is_array() {
        return Some([value.word(AddressMode::NAMES)?; 3]);
    }
    let items = value.array("address modes")?;
    if !(1..=3).contains(&items.len()) {
        let message = format!("expected 1 to 3 address modes, found {}", items.len());
        return value.refuse(codes::VALUE, message);
    }
    let modes: Option<Vec<_>> = items.iter().map(|item| item.word(AddressMode::NAMES)).collect();
    per_axis(&modes?)
}

/// Parses four numbers. Test files may have them as a string of hexadecimal digits, or as integers
/// that are bits.
fn border(value: &TomlValue<'_>) -> Option<[u32; 4]> {
    const WANTED: &str = "a border colour [r, g, b, a]";
    if value.is_string() && value.has_bare_bits() {
        let digits = value.shared_string(WANTED)?;
        let words: Option<Vec<u32>> = digits
            .as_bytes()
            .chunks(8)
            .map(|word| u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok())
            .collect();
        let words = words.and_then(|words| words.try_into().ok()).filter(|_| digits.len() == 32);
        match words {
            None => value.problem(codes::VALUE, "a border colour has four words of 8 digits"),
            Some(words) => {
                let new = crate::write::border(words).to_string();
                value.note("a border colour is a list of four numbers", Some(&new));
            }
        }
        return words;
    }
    let items = value.array(WANTED)?;
    let Ok(items) = <[TomlValue<'_>; 4]>::try_from(items).map_err(|items| {
        let message = format!("expected 4 numbers [r, g, b, a], found {}", items.len());
        value.problem(codes::VALUE, message);
    }) else {
        return None;
    };
    let are_bits = value.has_bare_bits()
        && !value.key.ends_with(keys::BORDER_COLOR.name)
        && items.iter().any(TomlValue::is_integer);
    let mut bits = [0; 4];
    for (to, item) in bits.iter_mut().zip(&items) {
        *to = if are_bits { word(item)? } else { float(item)? };
    }
    if are_bits {
        let new = crate::write::border(bits).to_string();
        value.note("whole numbers of a `border` are bits", Some(&new));
    }
    Some(bits)
}
