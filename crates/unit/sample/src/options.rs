//! Sampler state as options, under the names of `cuda.core` and under short names: rules S1 to S3
//! of docs/python-conventions.md.

use crate::error::{Result, SampleError};
use texunit_unit::{AddressMode, CompareFunction, Filter, ReadMode, Sampler, per_axis};

/// The state of a texture. [`Default`] holds CUDA's defaults.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TextureOptions {
    /// Sampler state: filters, address modes, border colour, levels.
    pub sampler: Sampler,
    /// How texels are read. Defaults to elements, or to normalized floats if the format has no
    /// other mode.
    pub read_mode: Option<ReadMode>,
    /// Whether coordinates run from 0 to 1.
    pub normalized_coords: bool,
}

texunit_unit::setters! {
    TextureOptions {
        with_sampler(sampler: Sampler);
        with_read_mode(read_mode: impl Into<Option<ReadMode>>);
        with_normalized_coords(normalized_coords: bool);
    }
}

/// The value of an option.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Setting {
    /// One or more words, such as the names of address modes.
    Words(Vec<String>),
    /// A boolean option, such as `normalized_coords`.
    Flag(bool),
    /// One or more numbers, such as a border colour.
    Numbers(Vec<f64>),
}

/// Each option: its name in `cuda.core`, its short name, and its possible values.
#[rustfmt::skip]
pub const OPTIONS: [(&str, &str, &str); 13] = [
    ("address_mode",           "address",           "wrap, clamp, mirror, border or clamp_ogl; one, or one for each axis"),
    ("filter_mode",            "filter",            "point or linear"),
    ("read_mode",              "read",              "element or normalized"),
    ("normalized_coords",      "normalized_coords", "yes or no"),
    ("srgb",                   "srgb",              "yes or no"),
    ("border_color",           "border",            "four numbers"),
    ("max_anisotropy",         "anisotropy",        "a number from 0 on"),
    ("mipmap_filter_mode",     "mip_filter",        "point or linear"),
    ("mipmap_level_bias",      "bias",              "a number"),
    ("min_mipmap_level_clamp", "min_level",         "a number"),
    ("max_mipmap_level_clamp", "max_level",         "a number"),
    ("seamless_cubemap",       "seamless",          "yes or no"),
    ("compare_function",       "compare",           "never, less, equal, less_equal, greater, not_equal, greater_equal or always"),
];

impl TextureOptions {
    /// Builds the state from settings, each under either of its names.
    pub fn of<'a>(settings: impl IntoIterator<Item = (&'a str, Setting)>) -> Result<Self> {
        let (mut options, mut given) = (Self::default(), [""; OPTIONS.len()]);
        for (word, setting) in settings {
            let place = OPTIONS.iter().position(|row| row.0 == word || row.1 == word);
            let place = place.ok_or_else(|| {
                let short: Vec<&str> = OPTIONS.iter().map(|row| row.1).collect();
                SampleError::Option(format!(
                    "unknown option `{word}`; available: {}",
                    short.join(", ")
                ))
            })?;
            if !given[place].is_empty() {
                let first = given[place];
                return Err(SampleError::Option(format!("{word} is {first}, which is given too")));
            }
            given[place] = OPTIONS[place].0;
            options.set(place, setting)?;
        }
        Ok(options)
    }

    fn set(&mut self, place: usize, setting: Setting) -> Result<()> {
        let (name, short, expected) = OPTIONS[place];
        let wrong = || SampleError::Option(format!("{name}: expected {expected}"));
        let sampler = &mut self.sampler;
        match (short, &setting) {
            ("address", Setting::Words(words)) => {
                let modes = words.iter().map(|text| word(name, text, AddressMode::NAMES));
                let modes: Vec<_> = modes.collect::<Result<_, _>>()?;
                sampler.address_mode = per_axis(&modes).ok_or_else(wrong)?;
            }
            (_, Setting::Words(words)) => {
                let [one] = &words[..] else { return Err(wrong()) };
                match short {
                    "filter" => sampler.filter = word(name, one, Filter::NAMES)?,
                    "mip_filter" => sampler.mip_filter = word(name, one, Filter::NAMES)?,
                    "read" => self.read_mode = Some(word(name, one, &READ_MODES)?),
                    "compare" => sampler.compare = Some(word(name, one, CompareFunction::NAMES)?),
                    _ => return Err(wrong()),
                }
            }
            ("normalized_coords", &Setting::Flag(flag)) => self.normalized_coords = flag,
            ("srgb", &Setting::Flag(flag)) => sampler.srgb = flag,
            ("seamless", &Setting::Flag(flag)) => sampler.seamless_cube = flag,
            ("border", Setting::Numbers(numbers)) => {
                let four = <[f64; 4]>::try_from(&numbers[..]).map_err(|_| wrong())?;
                sampler.border = four.map(|n| (n as f32).to_bits());
            }
            (_, Setting::Numbers(numbers)) => {
                let &[number] = &numbers[..] else { return Err(wrong()) };
                let to = match short {
                    "bias" => &mut sampler.level_bias,
                    "min_level" => &mut sampler.min_level_clamp,
                    "max_level" => &mut sampler.max_level_clamp,
                    "anisotropy" if number >= 0.0 && number.fract() == 0.0 => {
                        sampler.max_anisotropy = number as u32;
                        return Ok(());
                    }
                    _ => return Err(wrong()),
                };
                *to = number as f32;
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }
}

/// The names of read modes: the short ones and those of `cuda.core`.
const READ_MODES: [(&str, ReadMode); 4] = [
    ("element", ReadMode::Element),
    ("normalized", ReadMode::NormalizedFloat),
    ("element_type", ReadMode::Element),
    ("normalized_float", ReadMode::NormalizedFloat),
];

/// Looks a name up, ignoring case: members of `cuda.core`'s enums are upper case.
fn word<T: Copy>(option: &'static str, found: &str, names: &[(&str, T)]) -> Result<T> {
    let row = names.iter().find(|row| row.0.eq_ignore_ascii_case(found));
    row.map(|row| row.1).ok_or_else(|| {
        let expected: Vec<&str> = names.iter().map(|row| row.0).collect();
        SampleError::Word { option, found: found.to_owned(), expected: expected.join(", ") }
    })
}
