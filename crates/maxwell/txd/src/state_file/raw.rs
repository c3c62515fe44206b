//! The keys of a state file, as they stand there.

use super::{MAX_BYTES, StateError, uniform};
use serde::Deserialize;
use std::collections::BTreeMap;
use texunit_sass::memory::Memory;
use texunit_unit::Lanes;
use toml::Spanned;

/// 32 bits: an integer, a float that becomes an f32, or a string of hex digits.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "expected an integer, a number with a point, or a string of 8 hex digits"
)]
pub(super) enum Word {
    Integer(i64),
    Float(f64),
    Hex(String),
}

impl Word {
    pub(super) fn bits(&self) -> Result<u32, StateError> {
        let bits = match self {
            Self::Integer(n) => u32::try_from(*n).ok().or(i32::try_from(*n).ok().map(|n| n as u32)),
            Self::Float(x) => Some((*x as f32).to_bits()),
            Self::Hex(text) => {
                let digits = text.strip_prefix("0x").unwrap_or(text);
                let hex = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
                hex.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
            }
        };
        bits.ok_or_else(|| StateError::new(format!("{self} does not fit into 32 bits")))
    }
}

impl std::fmt::Display for Word {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x}"),
            Self::Hex(text) => write!(f, "`{text}`"),
        }
    }
}

/// A register: the same in all lanes, or a list of them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a value, or a list of up to 32 of them")]
pub(super) enum RawLanes {
    Uniform(Word),
    List(Vec<Word>),
}

pub(super) fn lanes(raw: &RawLanes) -> Result<Lanes, StateError> {
    let list = match raw {
        RawLanes::Uniform(word) => return Ok(uniform(word.bits()?)),
        RawLanes::List(list) => list,
    };
    let mut lanes = uniform(0);
    if list.len() > lanes.len() {
        return Err(StateError::new(format!("{} values for 32 lanes", list.len())));
    }
    for (lane, word) in lanes.iter_mut().zip(list) {
        *lane = word.bits()?;
    }
    Ok(lanes)
}

/// Some lanes.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected true, false, a mask, or a list of lanes")]
pub(super) enum RawMask {
    All(bool),
    Bits(i64),
    Lanes(Vec<u32>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawState {
    pub(super) arch: Option<Spanned<String>>,
    pub(super) active: Option<Spanned<RawMask>>,
    pub(super) killed: Option<Spanned<RawMask>>,
    pub(super) sampler_binding: Option<Spanned<String>>,
    pub(super) registers: BTreeMap<Spanned<String>, Spanned<RawLanes>>,
    pub(super) predicates: BTreeMap<Spanned<String>, Spanned<RawMask>>,
    pub(super) constants: BTreeMap<Spanned<String>, Spanned<RawConstant>>,
    pub(super) header_pool: Option<Spanned<RawPool>>,
    pub(super) sampler_pool: Option<Spanned<RawPool>>,
    pub(super) texture: Vec<Spanned<RawTexture>>,
    pub(super) sampler: Vec<Spanned<RawSampler>>,
    pub(super) memory: Vec<Spanned<RawMemory>>,
}

/// A word of the constant bank: a handle by its parts, or 32 bits.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected 32 bits, or { header = 0, sampler = 0 }")]
pub(super) enum RawConstant {
    Handle(RawHandle),
    Word(Word),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawHandle {
    header: u32,
    #[serde(default)]
    sampler: u32,
}

impl RawConstant {
    pub(super) fn bits(&self) -> Result<u32, StateError> {
        match self {
            Self::Word(word) => word.bits(),
            Self::Handle(RawHandle { header, sampler }) => {
                if *header > 0xf_ffff || *sampler > 0xfff {
                    let message = "a handle has 20 bits of `header` and 12 of `sampler`";
                    return Err(StateError::new(message));
                }
                Ok(sampler << 20 | header)
            }
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawPool {
    pub(super) address: Option<u64>,
    pub(super) max_index: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTexture {
    pub(super) index: Option<u32>,
    pub(super) words: Option<Vec<Word>>,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) format: Option<String>,
    pub(super) read: Option<String>,
    pub(super) layout: Option<String>,
    pub(super) size: Option<Vec<u32>>,
    pub(super) levels: Option<u32>,
    pub(super) view: Option<[u32; 2]>,
    pub(super) address: Option<u64>,
    pub(super) pitch: Option<u64>,
    pub(super) block_height: Option<u32>,
    pub(super) block_depth: Option<u32>,
    pub(super) sparse: bool,
    pub(super) srgb: bool,
    pub(super) normalized_coords: Option<bool>,
    pub(super) min_lod: Option<f32>,
    pub(super) sources: Option<Vec<String>>,
    pub(super) texels: Option<RawTexels>,
    pub(super) fields: BTreeMap<String, u32>,
}

impl RawTexture {
    /// Whether nothing but `words` and `fields` describes it.
    pub(super) fn has_only_words(&self) -> bool {
        let numbers = [self.levels, self.block_height, self.block_depth];
        [&self.kind, &self.format, &self.read, &self.layout].iter().all(|key| key.is_none())
            && numbers.iter().all(Option::is_none)
            && self.size.is_none()
            && self.view.is_none()
            && self.address.is_none()
            && self.pitch.is_none()
            && !self.sparse
            && !self.srgb
            && self.normalized_coords.is_none()
            && self.min_lod.is_none()
            && self.sources.is_none()
            && self.texels.is_none()
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawSampler {
    pub(super) index: Option<u32>,
    pub(super) words: Option<Vec<Word>>,
    pub(super) filter: Option<String>,
    pub(super) mip_filter: Option<String>,
    pub(super) address: Option<Vec<String>>,
    pub(super) border: Option<[Word; 4]>,
    pub(super) min_lod: Option<f32>,
    pub(super) max_lod: Option<f32>,
    pub(super) lod_bias: Option<f32>,
    pub(super) max_anisotropy: Option<u32>,
    pub(super) force_unnormalized_coords: bool,
    pub(super) srgb: bool,
    pub(super) fields: BTreeMap<String, u32>,
}

impl RawSampler {
    /// Whether nothing but `words` and `fields` describes it.
    pub(super) fn has_only_words(&self) -> bool {
        self.filter.is_none()
            && self.mip_filter.is_none()
            && self.address.is_none()
            && self.border.is_none()
            && [self.min_lod, self.max_lod, self.lod_bias].iter().all(Option::is_none)
            && self.max_anisotropy.is_none()
            && !self.force_unnormalized_coords
            && !self.srgb
    }
}

/// Bytes: exactly one key.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RawTexels {
    pub(super) bytes: Option<String>,
    pub(super) f32: Option<Vec<f32>>,
    pub(super) u32: Option<Vec<Word>>,
    /// First and step of integers, as f32 or u32 or u8.
    pub(super) ramp: Option<RawRamp>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRamp {
    #[serde(rename = "as")]
    channel: String,
    first: i64,
    step: i64,
}

impl RawTexels {
    /// The bytes; a ramp is as long as is asked for.
    pub(super) fn content(&self, length: Option<u64>) -> Result<Vec<u8>, StateError> {
        let one =
            [self.bytes.is_some(), self.f32.is_some(), self.u32.is_some(), self.ramp.is_some()];
        if one.iter().filter(|there| **there).count() != 1 {
            return Err(StateError::new("exactly one of `bytes`, `f32`, `u32`, `ramp` is needed"));
        }
        if let Some(list) = &self.f32 {
            return Ok(list.iter().flat_map(|x| x.to_le_bytes()).collect());
        }
        if let Some(list) = &self.u32 {
            let words: Vec<u32> = list.iter().map(Word::bits).collect::<Result<_, _>>()?;
            return Ok(words.iter().flat_map(|x| x.to_le_bytes()).collect());
        }
        if let Some(ramp) = &self.ramp {
            let length = length.ok_or_else(|| {
                StateError::new("`ramp` is for textures, which say how many texels there are")
            })?;
            return ramp.content(length);
        }
        hex(self.bytes.as_deref().unwrap_or_default())
    }
}

impl RawRamp {
    fn content(&self, length: u64) -> Result<Vec<u8>, StateError> {
        if length > MAX_BYTES {
            return Err(StateError::new(format!("{length} bytes are more than {MAX_BYTES}")));
        }
        let length = length as usize;
        match self.channel.as_str() {
            "u8" => Ok(self.steps(length, |n| (n as u8).to_le_bytes())),
            "u16" => Ok(self.steps(length, |n| (n as u16).to_le_bytes())),
            "u32" => Ok(self.steps(length, |n| (n as u32).to_le_bytes())),
            "f32" => Ok(self.steps(length, |n| (n as f32).to_le_bytes())),
            other => Err(StateError::new(format!("no ramp is of `{other}`: u8, u16, u32, f32"))),
        }
    }

    fn steps<const N: usize>(&self, length: usize, bytes: impl Fn(i64) -> [u8; N]) -> Vec<u8> {
        let mut out = vec![0; length];
        let mut value = self.first;
        for to in out.chunks_mut(N) {
            to.copy_from_slice(&bytes(value)[..to.len()]);
            value = value.wrapping_add(self.step);
        }
        out
    }
}

/// Digits with blanks between them.
fn hex(text: &str) -> Result<Vec<u8>, StateError> {
    let digits: Vec<u8> = text.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    if !digits.len().is_multiple_of(2) {
        return Err(StateError::new(format!(
            "{} hex digits do not make whole bytes",
            digits.len()
        )));
    }
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .ok_or_else(|| StateError::new("`bytes` are hex digits, two a byte"))
    };
    digits.chunks_exact(2).map(|d| Ok((digit(d[0])? << 4 | digit(d[1])?) as u8)).collect()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMemory {
    address: u64,
    bytes: Option<String>,
    f32: Option<Vec<f32>>,
    u32: Option<Vec<Word>>,
    zeros: Option<u64>,
}

/// Maps a region of a file.
pub(super) fn memory(
    raw: RawMemory,
    memory: &mut Memory,
    used: &mut u64,
) -> Result<(), StateError> {
    let RawMemory { address, bytes, f32, u32, zeros } = raw;
    let there = [bytes.is_some(), f32.is_some(), u32.is_some(), zeros.is_some()];
    if there.iter().filter(|there| **there).count() != 1 {
        return Err(StateError::new("exactly one of `bytes`, `f32`, `u32`, `zeros` is needed"));
    }
    let content = match zeros {
        Some(count) => {
            claim(used, count).map_err(|e| StateError { key: Some("zeros"), ..e })?;
            vec![0; count as usize]
        }
        None => {
            let key = if bytes.is_some() { "bytes" } else { "u32" };
            let content = RawTexels { bytes, f32, u32, ramp: None }.content(None);
            let content = content.map_err(|e| StateError { key: Some(key), ..e })?;
            claim(used, content.len() as u64)?;
            content
        }
    };
    memory.map(address, content).map_err(|e| StateError::of("address", e.to_string()))
}

/// Counts bytes of memory.
pub(super) fn claim(used: &mut u64, bytes: u64) -> Result<(), StateError> {
    *used = used.saturating_add(bytes);
    if *used > MAX_BYTES {
        return Err(StateError::new(format!("a file fills at most {MAX_BYTES} bytes of memory")));
    }
    Ok(())
}
