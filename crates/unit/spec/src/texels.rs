//! Texels that stand in a file, or that a rule makes.

use crate::hex;
use crate::number::{self, Typed};
use crate::problem::codes;
use crate::rng::Random;
use crate::table::{At, Found, Table};
use texunit_forms::Count;
use texunit_texel::{Channel, Format, f32_to_f16};
use texunit_unit::{ArrayShape, Extent};
use toml::Value;

/// The texels of a resource, in packed order: level by level, layer by layer, sample by sample, slice by slice, row by row.
#[derive(Clone, Debug, PartialEq)]
pub enum Texels {
    /// All bytes.
    Bytes(Vec<u8>),
    /// The bytes of one texel (or block), repeated.
    Fill(Vec<u8>),
    /// Channel `k`, counted through the packed order, is `first + k * step`: modulo the size of
    /// integers, converted to float channels, and halves are rounded.
    Ramp {
        /// Value of the first channel.
        first: i64,
        /// From a channel to the next.
        step: i64,
    },
    /// A ramp of other channels than those of the format, which state files of earlier versions could have.
    RampAs {
        /// What the bytes are taken for.
        channel: Channel,
        /// Value of the first channel.
        first: i64,
        /// From a channel to the next.
        step: i64,
    },
    /// Every channel of level `l` is `first + l * step`, converted as for a ramp.
    ByLevel {
        /// Value in the base level.
        first: i64,
        /// From a level to the next.
        step: i64,
    },
    /// Words of [`Random`].
    Random(u32),
    /// The generator of the published hardware vectors: `state = state * 1664525 + 1013904223`,
    /// starting at this; the texel of level l is `f32(state >> 8 & 0xffff) / 64 + l * 1000`.
    Published(u32),
}

/// What stands in `texels`, beside the types of numbers.
const KEYS: [&str; 7] = ["bytes", "codes", "fill", "ramp", "by_level", "random", "published"];

/// Hexadecimal digits of an element of `codes` and `fill`: a channel, a packed texel, a byte of a block.
fn digits(format: Format) -> usize {
    match format.plain_channel() {
        Some(channel) => 2 * channel.size() as usize,
        None if format.is_block() => 2,
        None => 2 * format.texel_size() as usize,
    }
}

impl Texels {
    /// Bytes of each level of a shape in packed order. A number of levels past the last one would only take time.
    pub fn level_sizes(shape: &ArrayShape) -> Vec<u64> {
        let block = shape.format.block_extent();
        let size = |level| {
            let Extent { width, height, depth } = shape.level_extent(level);
            let (columns, rows) = (width.div_ceil(block), height.div_ceil(block));
            let counts =
                [columns, rows, depth, shape.planes(), shape.samples, shape.format.texel_size()];
            // Shapes that are too large are refused by those who make them.
            counts.into_iter().fold(1_u64, |product, n| product.saturating_mul(n.into()))
        };
        (0..shape.level_count().min(32)).map(size).collect()
    }

    /// All bytes of levels of these sizes, which are not too many for memory.
    pub fn packed(&self, format: Format, levels: &[u64]) -> Result<Vec<u8>, String> {
        let size = total(levels) as usize;
        match self {
            Self::Bytes(bytes) if bytes.len() == size => Ok(bytes.clone()),
            Self::Bytes(bytes) => {
                let own = Count(bytes.len(), "byte");
                Err(format!("there {} {own} of texels, not {size}", own.are()))
            }
            Self::Fill(texel) if texel.len() == format.texel_size() as usize => {
                Ok(texel.iter().copied().cycle().take(size).collect())
            }
            Self::Fill(texel) => Err(format!(
                "`fill` has {}, but a texel of {format} has {}",
                Count(texel.len(), "byte"),
                format.texel_size()
            )),
            Self::Ramp { first, step } => Ok(ramp(channel(format)?, *first, *step, size)),
            Self::RampAs { channel, first, step } => Ok(ramp(*channel, *first, *step, size)),
            Self::ByLevel { first, step } => by_level(channel(format)?, *first, *step, levels),
            Self::Random(seed) => Ok(random_bytes((*seed).into(), size)),
            Self::Published(_) if format.name() != "f32" => {
                Err("`published` texels are f32".to_owned())
            }
            Self::Published(state) => Ok(published(*state, levels)),
        }
    }

    /// Reads the value of `texels`: a table with one key.
    pub fn read(value: &Found<'_>, format: Option<Format>) -> Option<At<Self>> {
        if value.is_array() && value.has_bare_bits() {
            value.note("`texels` is a table, and strings of digits are its `codes`", None);
            return Some(value.at(codes(value, format)?));
        }
        let table = value.table()?;
        let (typed, mut given) = (number::typed(&table), Vec::new());
        given.extend(KEYS.into_iter().filter_map(|key| Some((key, table.get(key)?))));
        let before = table.problem_count();
        table.finish();
        let texels = match (typed, given.as_slice()) {
            (Typed::One(ty, v), []) => Self::Bytes(number::numbers_of(ty, &v)?),
            (Typed::None, [(key, v)]) => Self::of_key(key, v, format)?,
            (Typed::None, []) if table.problem_count() > before => return None,
            _ => {
                let keys = KEYS.map(|key| format!("`{key}`")).join(", ");
                let message = format!("expected one key: a type such as `u8` or `f32`, or {keys}");
                value.problem(codes::CONFLICT, message);
                return None;
            }
        };
        Some(value.at(texels))
    }

    /// Reads the keys that stood beside `texels` before, each of which excludes it; for files of tests.
    pub fn read_beside(table: &Table<'_>, format: Option<Format>) -> Vec<At<Self>> {
        let of_key = |key: &'static str| {
            let message = format!("`{key}` is a key of `texels`");
            let value = table.get_replaced(key, &message)?;
            Some(value.at(Self::of_key(key, &value, format)?))
        };
        KEYS.into_iter().filter(|key| *key != "codes").filter_map(of_key).collect()
    }

    fn of_key(key: &str, value: &Found<'_>, format: Option<Format>) -> Option<Self> {
        let small = || value.small(0);
        Some(match key {
            "bytes" => Self::Bytes(number::raw_bytes(value)?),
            "codes" => codes(value, format)?,
            "fill" => Self::Fill(text(value, format)?),
            "ramp" if value.is_table() => old_ramp(value, format)?,
            "ramp" => {
                let [first, step] = pair(value)?;
                Self::Ramp { first, step }
            }
            "by_level" => {
                let [first, step] = pair(value)?;
                Self::ByLevel { first, step }
            }
            "random" => Self::Random(small()?),
            _ => Self::Published(small()?),
        })
    }

    /// The key of `texels` and its value, for levels of these sizes.
    pub fn entry(&self, format: Format, levels: &[u64]) -> (&'static str, Value) {
        let numbers = |a: i64, b: i64| Value::Array(vec![a.into(), b.into()]);
        match self {
            Self::Fill(texel) => ("fill", hex::from_bytes(texel, digits(format)).into()),
            Self::Ramp { first, step } => ("ramp", numbers(*first, *step)),
            Self::RampAs { channel, first, step } => {
                let mut ramp = toml::Table::new();
                ramp.insert("as".into(), channel_name(*channel).into());
                ramp.insert("first".into(), (*first).into());
                ramp.insert("step".into(), (*step).into());
                ("ramp", ramp.into())
            }
            Self::ByLevel { first, step } => ("by_level", numbers(*first, *step)),
            Self::Random(seed) => ("random", i64::from(*seed).into()),
            Self::Published(state) => ("published", i64::from(*state).into()),
            // What is too long or too short for the shape stays so.
            Self::Bytes(bytes) if bytes.len() as u64 != total(levels) => {
                ("bytes", hex::from_bytes(bytes, 2).into())
            }
            Self::Bytes(bytes) => {
                let mut rest = &bytes[..];
                let levels = levels.iter().map(|size| {
                    let (level, after) = rest.split_at(*size as usize);
                    rest = after;
                    Value::from(hex::from_bytes(level, digits(format)))
                });
                ("codes", Value::Array(levels.collect()))
            }
        }
    }
}

/// Bytes of all levels.
fn total(levels: &[u64]) -> u64 {
    levels.iter().fold(0, |sum, size| sum.saturating_add(*size))
}

fn channel(format: Format) -> Result<Channel, String> {
    let none = || {
        format!(
            "`ramp` and `by_level` are for formats whose channels are whole numbers of bytes, not for {format}: give its texels by `codes` or `fill`"
        )
    };
    format.plain_channel().ok_or_else(none)
}

fn push_channel(out: &mut Vec<u8>, channel: Channel, value: i64) {
    let code = match channel {
        Channel::F32 => u64::from((value as f32).to_bits()),
        Channel::F16 => u64::from(f32_to_f16((value as f32).to_bits())),
        _ => value as u64,
    };
    out.extend_from_slice(&code.to_le_bytes()[..channel.size() as usize]);
}

fn ramp(channel: Channel, first: i64, step: i64, size: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(size + 4);
    let mut value = first;
    while out.len() < size {
        push_channel(&mut out, channel, value);
        value = value.wrapping_add(step);
    }
    out.truncate(size);
    out
}

fn by_level(channel: Channel, first: i64, step: i64, levels: &[u64]) -> Result<Vec<u8>, String> {
    let (mut out, mut value, mut end) = (Vec::new(), first, 0);
    for size in levels {
        end += *size as usize;
        while out.len() < end {
            push_channel(&mut out, channel, value);
        }
        value = value.wrapping_add(step);
    }
    Ok(out)
}

fn random_bytes(seed: u64, size: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut out = Vec::with_capacity(size + 8);
    while out.len() < size {
        out.extend_from_slice(&random.next().to_le_bytes());
    }
    out.truncate(size);
    out
}

fn published(mut state: u32, levels: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    for (level, size) in levels.iter().enumerate() {
        for _ in 0..size / 4 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let texel = (state >> 8 & 0xffff) as f32 / 64.0 + level as f32 * 1000.0;
            out.extend_from_slice(&texel.to_le_bytes());
        }
    }
    out
}

/// A string of codes of the format.
fn text(value: &Found<'_>, format: Option<Format>) -> Option<Vec<u8>> {
    let text = value.shared_string("a string of hexadecimal digits")?;
    let Some(format) = format else {
        value.problem(codes::MISSING_KEY, "digits of codes need a `format`");
        return None;
    };
    match hex::bytes(&text, digits(format)) {
        Ok(bytes) => Some(bytes),
        Err(message) => {
            value.problem(codes::VALUE, message);
            None
        }
    }
}

/// A string of codes for each level.
fn codes(value: &Found<'_>, format: Option<Format>) -> Option<Texels> {
    let levels = value.array("an array of strings of hexadecimal digits, one a level")?;
    let bytes: Option<Vec<_>> = levels.iter().map(|level| text(level, format)).collect();
    Some(Texels::Bytes(bytes?.concat()))
}

/// Two whole numbers.
fn pair(value: &Found<'_>) -> Option<[i64; 2]> {
    let items = value.array("two numbers [first, step]")?;
    let number = |item: &Found<'_>| integer(item);
    let [first, step] = items.as_slice() else {
        let message = format!("expected two numbers [first, step], found {}", items.len());
        value.problem(codes::VALUE, message);
        return None;
    };
    Some([number(first)?, number(step)?])
}

fn integer(value: &Found<'_>) -> Option<i64> {
    let wide = value.integer("a whole number")?;
    let number = i64::try_from(wide).ok();
    if number.is_none() {
        value.problem(codes::VALUE, format!("{wide} has more than 64 bits"));
    }
    number
}

/// Names of the channels that ramps could be of.
const CHANNELS: [(&str, Channel); 4] =
    [("u8", Channel::U8), ("u16", Channel::U16), ("u32", Channel::U32), ("f32", Channel::F32)];

fn channel_name(channel: Channel) -> &'static str {
    CHANNELS.iter().find(|row| row.1 == channel).map_or("u8", |row| row.0)
}

/// `{ as = "f32", first = 0, step = 1 }`
fn old_ramp(value: &Found<'_>, format: Option<Format>) -> Option<Texels> {
    let table = value.table()?;
    let channel = table.need("as", "the type of the channels").and_then(|v| v.word(&CHANNELS));
    let number = |key, what| table.need(key, what).and_then(|v| integer(&v));
    let first = number("first", "the first channel");
    let step = number("step", "from a channel to the next");
    table.finish();
    let (channel, first, step) = (channel?, first?, step?);
    if format.and_then(Format::plain_channel) != Some(channel) {
        return Some(Texels::RampAs { channel, first, step });
    }
    let message = "a ramp is of the format's channels: `ramp = [first, step]`";
    value.note(message, Some(&format!("[{first}, {step}]")));
    Some(Texels::Ramp { first, step })
}
