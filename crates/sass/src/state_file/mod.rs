//! Files that describe a [`State`]: registers, predicates, constants, textures, samplers, memory.
//! docs/sass.md has the keys.
//!
//! A file is data from outside: what is wrong with it is an error with a place, and it allocates no
//! more than [`MAX_BYTES`] of memory.

mod raw;
mod texture;

use crate::descriptor::{Bits, Descriptor, DescriptorError, encode_sampler, sampler};
use crate::exec::{REGISTERS, SamplerBinding, State};
use crate::txd::INDEX;
use raw::{RawMask, RawSampler, RawState, Word};
use std::collections::BTreeMap;
use std::ops::Range;
use texunit_unit::{AddressMode, Filter, Lanes, Sampler};
use toml::Spanned;

/// Most bytes of memory that a file fills.
pub const MAX_BYTES: u64 = 512 << 20;

/// Where the pools lie if the file does not say it.
const HEADER_POOL: u64 = 0x7f00_0000_0000;
const SAMPLER_POOL: u64 = 0x7f80_0000_0000;
/// Indices of headers have 20 bits; with header binding those of samplers too.
const MAX_INDEX: u32 = 0xf_ffff;

/// What is wrong with a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateError {
    message: String,
    span: Option<Range<usize>>,
}

impl StateError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None }
    }

    fn or_at(self, span: Range<usize>) -> Self {
        Self { span: self.span.or(Some(span)), ..self }
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Line and column in the text of the file, from 1 on.
    pub fn place(&self, text: &str) -> Option<(usize, usize)> {
        let start = self.span.clone()?.start;
        let before = text.get(..start)?;
        let line_start = before.rfind('\n').map_or(0, |n| n + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }
}

impl std::fmt::Display for StateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StateError {}

impl From<DescriptorError> for StateError {
    fn from(error: DescriptorError) -> Self {
        Self::new(error.to_string())
    }
}

/// The state that a file describes.
pub fn parse(text: &str) -> Result<State, StateError> {
    let raw: RawState = toml::from_str(text)
        .map_err(|e| StateError { message: e.message().to_owned(), span: e.span() })?;
    let arch = raw.arch.as_deref().unwrap_or("sm_52");
    let arch = arch.parse().map_err(|_| {
        StateError::new(format!(
            "no architecture is called `{arch}`: sm_50, sm_52, sm_53, sm_60, sm_61, sm_62"
        ))
    })?;
    let mut state = State::new(arch);
    if let Some(mask) = &raw.active {
        state.active = lanes_of(mask.get_ref()).map_err(|e| e.or_at(mask.span()))?;
    }
    if let Some(mask) = &raw.killed {
        state.killed = lanes_of(mask.get_ref()).map_err(|e| e.or_at(mask.span()))?;
    }
    state.binding = match raw.sampler_binding.as_ref().map(|s| (s.get_ref().as_str(), s.span())) {
        None | Some(("independently", _)) => SamplerBinding::Independently,
        Some(("via_header", _)) => SamplerBinding::ViaHeader,
        Some((other, span)) => {
            let message =
                format!("no sampler binding is called `{other}`: independently, via_header");
            return Err(StateError::new(message).or_at(span));
        }
    };
    for (name, value) in &raw.registers {
        let number = numbered(name, "R", REGISTERS - 1).map_err(|e| e.or_at(value.span()))?;
        state.registers[number] = raw::lanes(value.get_ref()).map_err(|e| e.or_at(value.span()))?;
    }
    for (name, value) in &raw.predicates {
        let number = numbered(name, "P", 6).map_err(|e| e.or_at(value.span()))?;
        state.predicates[number] = lanes_of(value.get_ref()).map_err(|e| e.or_at(value.span()))?;
    }
    constants(&raw, &mut state)?;
    let mut used = 0;
    for memory in &raw.memory {
        raw::memory(memory.get_ref(), &mut state.memory, &mut used)
            .map_err(|e| e.or_at(memory.span()))?;
    }
    let mut headers = BTreeMap::new();
    for texture in &raw.texture {
        let found = texture::words(texture.get_ref(), &mut state.memory, &mut used)
            .and_then(|words| add(&mut headers, texture.get_ref().index, words));
        found.map_err(|e| e.or_at(texture.span()))?;
    }
    let mut samplers = BTreeMap::new();
    for sampler in &raw.sampler {
        let found = sampler_words(sampler.get_ref())
            .and_then(|words| add(&mut samplers, sampler.get_ref().index, words));
        found.map_err(|e| e.or_at(sampler.span()))?;
    }
    for (pool, name, raw, words, address) in [
        (&mut state.headers, "header_pool", &raw.header_pool, headers, HEADER_POOL),
        (&mut state.samplers, "sampler_pool", &raw.sampler_pool, samplers, SAMPLER_POOL),
    ] {
        let highest = words.keys().next_back().copied();
        pool.address = raw.as_ref().and_then(|r| r.get_ref().address).unwrap_or(address);
        pool.max_index =
            raw.as_ref().and_then(|r| r.get_ref().max_index).unwrap_or(highest.unwrap_or(0));
        let span = raw.as_ref().map_or(0..0, Spanned::span);
        if pool.max_index > MAX_INDEX {
            let message = format!("{name}: max_index has 20 bits");
            return Err(StateError::new(message).or_at(span));
        }
        // Indices without a descriptor are undefined: zeros.
        let count = pool.max_index.max(highest.unwrap_or(0)) as usize + 1;
        let mut bytes = vec![0; 32 * count];
        for (index, words) in words {
            let at = 32 * index as usize;
            for (to, word) in bytes[at..at + 32].chunks_exact_mut(4).zip(words.0) {
                to.copy_from_slice(&word.to_le_bytes());
            }
        }
        let mapped = state.memory.map(pool.address, bytes);
        mapped.map_err(|e| StateError::new(format!("{name}: {e}")).or_at(span))?;
    }
    Ok(state)
}

fn add(
    all: &mut BTreeMap<u32, Descriptor>,
    index: u32,
    words: Descriptor,
) -> Result<(), StateError> {
    if index > MAX_INDEX {
        return Err(StateError::new("`index` has 20 bits"));
    }
    match all.insert(index, words) {
        None => Ok(()),
        Some(_) => Err(StateError::new(format!("`index` {index} is there twice"))),
    }
}

/// `R12`
fn numbered(name: &str, letter: &str, max: usize) -> Result<usize, StateError> {
    let number = name.strip_prefix(letter).and_then(|digits| digits.parse::<usize>().ok());
    number
        .filter(|n| *n <= max && name == format!("{letter}{n}"))
        .ok_or_else(|| StateError::new(format!("`{name}` is none of {letter}0 to {letter}{max}")))
}

fn lanes_of(mask: &RawMask) -> Result<u32, StateError> {
    match mask {
        RawMask::All(all) => Ok(if *all { u32::MAX } else { 0 }),
        RawMask::Bits(bits) => u32::try_from(*bits)
            .map_err(|_| StateError::new(format!("{bits} is no mask of 32 lanes"))),
        RawMask::Lanes(lanes) => lanes.iter().try_fold(0, |mask, &lane| match lane {
            0..32 => Ok(mask | 1 << lane),
            _ => Err(StateError::new(format!("there is no lane {lane}"))),
        }),
    }
}

fn constants(raw: &RawState, state: &mut State) -> Result<(), StateError> {
    for (name, value) in &raw.constants {
        let error = |message: String| StateError::new(message).or_at(value.span());
        let index = name
            .strip_prefix("0x")
            .map_or_else(|| name.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok());
        let index = index.filter(|n| *n <= INDEX.max());
        let index = index.ok_or_else(|| error(format!("`{name}` is no word of 0x0 to 0x1fff")))?;
        let word = value.get_ref().bits().map_err(|e| e.or_at(value.span()))?;
        let at = 4 * index as usize;
        if state.constants.len() < at + 4 {
            state.constants.resize(at + 4, 0);
        }
        state.constants[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    Ok(())
}

/// Sets fields by their names: raw bits.
fn set_fields(
    words: &mut Descriptor,
    all: &[&Bits],
    fields: &BTreeMap<String, u32>,
) -> Result<(), StateError> {
    for (name, &value) in fields {
        let bits = all
            .iter()
            .find(|bits| bits.name == name)
            .ok_or_else(|| StateError::new(format!("`fields`: no field is called `{name}`")))?;
        if value > bits.max() {
            let message = format!("`fields`: {name} is at most {:#x}", bits.max());
            return Err(StateError::new(message));
        }
        bits.set(words, value);
    }
    Ok(())
}

fn eight(words: &[Word]) -> Result<Descriptor, StateError> {
    let bits: Vec<u32> = words.iter().map(Word::bits).collect::<Result<_, _>>()?;
    let words = bits.try_into();
    words.map(Descriptor).map_err(|_| StateError::new("`words` are eight"))
}

fn one_of<T: Copy>(what: &str, name: &str, names: &[(&str, T)]) -> Result<T, StateError> {
    names.iter().find(|row| row.0 == name).map(|row| row.1).ok_or_else(|| {
        let all: Vec<&str> = names.iter().map(|row| row.0).collect();
        StateError::new(format!("no {what} is called `{name}`: {}", all.join(", ")))
    })
}

fn sampler_words(raw: &RawSampler) -> Result<Descriptor, StateError> {
    let mut words = match &raw.words {
        Some(words) if raw.has_only_words() => eight(words)?,
        Some(_) => {
            return Err(StateError::new("`words` stand alone, or with `fields`"));
        }
        None => {
            let filter = |name: &Option<String>| {
                name.as_deref().map_or(Ok(Filter::Point), |n| one_of("filter", n, &Filter::NAMES))
            };
            let mut address_mode = [AddressMode::Clamp; 3];
            let modes = raw.address.as_deref().unwrap_or_default();
            if modes.len() > 3 {
                return Err(StateError::new("`address` has up to three modes"));
            }
            for (n, mode) in address_mode.iter_mut().enumerate() {
                // The last mode is that of the axes after it.
                if let Some(name) = modes.get(n).or(modes.last()) {
                    *mode = one_of("address mode", name, &AddressMode::NAMES)?;
                }
            }
            let border: Vec<u32> =
                raw.border.iter().flatten().map(Word::bits).collect::<Result<_, _>>()?;
            let none = raw.mip_filter.as_deref() == Some("none");
            let sampler = Sampler {
                filter: filter(&raw.filter)?,
                mip_filter: if none { Filter::Point } else { filter(&raw.mip_filter)? },
                address_mode,
                border: std::array::from_fn(|n| border.get(n).copied().unwrap_or(0)),
                min_level_clamp: raw.min_lod.unwrap_or(0.0),
                max_level_clamp: raw.max_lod.unwrap_or(f32::INFINITY),
                level_bias: raw.lod_bias.unwrap_or(0.0),
                max_anisotropy: raw.max_anisotropy.unwrap_or(1),
                force_unnormalized_coords: raw.force_unnormalized_coords,
                srgb: raw.srgb,
                ..Sampler::default()
            };
            let mut words = encode_sampler(&sampler)?;
            if none {
                sampler::MIP_FILTER.set(&mut words, 1);
            }
            words
        }
    };
    let all: Vec<&Bits> = sampler::FIELDS.iter().collect();
    set_fields(&mut words, &all, &raw.fields)?;
    Ok(words)
}

/// Lanes that hold the same.
fn uniform(word: u32) -> Lanes {
    [word; 32]
}
