//! Files that describe a [`State`]: registers, predicates, constants, textures, samplers, memory.
//! docs/sass.md has the keys.
//!
//! A file is data from outside: what is wrong with it is an error with a place, and it allocates no
//! more than [`MAX_BYTES`] of memory.

mod raw;
mod sampler;
mod texture;

use crate::exec::{Pool, REGISTERS, SamplerBinding, State};
use raw::{RawMask, RawPool, RawState, Word};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use texunit_sass::Arch;
use texunit_sass::descriptor::{Bits, Descriptor, DescriptorError};
use texunit_sass::memory::Memory;
use texunit_sass::txd::INDEX;
use texunit_unit::Lanes;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

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
    /// The key of the table at the span that the message is about.
    key: Option<&'static str>,
}

impl StateError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), span: None, key: None }
    }

    /// About a key of a table whose place is added later.
    fn of(key: &'static str, message: impl Into<String>) -> Self {
        Self { key: Some(key), ..Self::new(message) }
    }

    fn words_alone() -> Self {
        Self::of("words", "`words` stand alone, or with `fields`")
    }

    fn or_at(self, span: Range<usize>) -> Self {
        Self { span: self.span.or(Some(span)), ..self }
    }

    /// At the value of the key, if the table has it.
    fn at_key(self, text: &str) -> Self {
        let (Some(span), Some(key)) = (&self.span, self.key) else { return self };
        let value = DeTable::parse(text).ok().and_then(|file| {
            let file = file.into_inner();
            let tables = file.values().flat_map(|value| match value.get_ref() {
                DeValue::Array(all) => all.iter().collect(),
                _ => vec![value],
            });
            let mut tables = tables.filter(|table| table.span() == *span);
            tables.find_map(|table| Some(table.get_ref().as_table()?.get(key)?.span()))
        });
        Self { span: value.or(self.span), ..self }
    }

    /// What is wrong.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Bytes of the file that are wrong; `None` for the file as a whole.
    pub fn span(&self) -> Option<Range<usize>> {
        self.span.clone()
    }
}

impl std::fmt::Display for StateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StateError {}

impl From<DescriptorError> for StateError {
    /// What a descriptor has no bits for is said of the key that asks for it.
    fn from(error: DescriptorError) -> Self {
        let DescriptorError::Inexpressible { field, reason } = &error else {
            return Self::new(error.to_string());
        };
        match KEYS.iter().find(|(start, _)| field.starts_with(start)) {
            Some((_, key)) => Self::of(key, format!("`{key}`: {reason}")),
            None => Self::new(error.to_string()),
        }
    }
}

/// Beginnings of the names of fields, and the keys that they come from.
const KEYS: [(&str, &str); 12] = [
    ("address_", "address"),
    ("component_layout", "format"),
    ("depth_", "size"),
    ("height_", "size"),
    ("max_anisotropy", "max_anisotropy"),
    ("max_mip_level", "levels"),
    ("mip_lod_bias", "lod_bias"),
    ("pitch_", "pitch"),
    ("resource_view_", "view"),
    ("srgb_conversion", "srgb"),
    ("texture_type", "type"),
    ("width_", "size"),
];

/// The state that a file describes.
pub fn parse(text: &str) -> Result<State, StateError> {
    let mut raw: RawState = toml::from_str(text)
        .map_err(|e| StateError { span: e.span(), ..StateError::new(e.message()) })?;
    state(&mut raw).map_err(|error| error.at_key(text))
}

fn state(raw: &mut RawState) -> Result<State, StateError> {
    let mut state = State::new(match &raw.arch {
        None => Arch::Sm52,
        Some(name) => name.get_ref().parse().map_err(|_| {
            let all = Arch::ALL.map(|arch| arch.to_string()).join(", ");
            let message = format!("no architecture is called `{}`: {all}", name.get_ref());
            StateError::new(message).or_at(name.span())
        })?,
    });
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
                format!("unknown sampler binding `{other}`; available: independently, via_header");
            return Err(StateError::new(message).or_at(span));
        }
    };
    for (name, value) in &raw.registers {
        let number = numbered(name, "R", REGISTERS - 1)?;
        state.registers[number] = raw::lanes(value.get_ref()).map_err(|e| e.or_at(value.span()))?;
    }
    for (name, value) in &raw.predicates {
        let number = numbered(name, "P", 6)?;
        state.predicates[number] = lanes_of(value.get_ref()).map_err(|e| e.or_at(value.span()))?;
    }
    constants(raw, &mut state)?;
    let mut used = 0;
    for memory in std::mem::take(&mut raw.memory) {
        let span = memory.span();
        raw::memory(memory.into_inner(), &mut state.memory, &mut used)
            .map_err(|e| e.or_at(span))?;
    }
    let mut headers = BTreeMap::new();
    for texture in &raw.texture {
        let found = texture::words(texture.get_ref(), &mut state.memory, &mut used)
            .and_then(|words| add(&mut headers, texture.get_ref().index, words));
        found.map_err(|e| e.or_at(texture.span()))?;
    }
    let mut samplers = BTreeMap::new();
    for sampler in &raw.sampler {
        let found = sampler::words(sampler.get_ref())
            .and_then(|words| add(&mut samplers, sampler.get_ref().index, words));
        found.map_err(|e| e.or_at(sampler.span()))?;
    }
    let at = |name: &str, raw: &Option<Spanned<RawPool>>, e: StateError| {
        let e = StateError { message: format!("{name}: {}", e.message), ..e };
        match raw {
            Some(raw) => e.or_at(raw.span()),
            None => e,
        }
    };
    state.headers = pool(raw.header_pool.as_ref(), &headers, HEADER_POOL, &mut state.memory)
        .map_err(|e| at("header_pool", &raw.header_pool, e))?;
    state.samplers = pool(raw.sampler_pool.as_ref(), &samplers, SAMPLER_POOL, &mut state.memory)
        .map_err(|e| at("sampler_pool", &raw.sampler_pool, e))?;
    Ok(state)
}

/// Puts descriptors into memory.
fn pool(
    raw: Option<&Spanned<RawPool>>,
    words: &BTreeMap<u32, Descriptor>,
    address: u64,
    memory: &mut Memory,
) -> Result<Pool, StateError> {
    let highest = words.keys().next_back().copied().unwrap_or(0);
    let given = raw.map(Spanned::get_ref);
    let pool = Pool {
        address: given.and_then(|raw| raw.address).unwrap_or(address),
        max_index: given.and_then(|raw| raw.max_index).unwrap_or(highest),
    };
    if pool.max_index > MAX_INDEX {
        return Err(StateError::of("max_index", "`max_index` has 20 bits"));
    }
    // Indices without a descriptor are undefined: zeros.
    let mut bytes = vec![0; 32 * (pool.max_index.max(highest) as usize + 1)];
    for (&index, words) in words {
        let at = 32 * index as usize;
        for (to, word) in bytes[at..at + 32].chunks_exact_mut(4).zip(words.0) {
            to.copy_from_slice(&word.to_le_bytes());
        }
    }
    let mapped = memory.map(pool.address, bytes);
    mapped.map_err(|e| StateError::of("address", e.to_string()))?;
    Ok(pool)
}

fn add(
    all: &mut BTreeMap<u32, Descriptor>,
    index: Option<u32>,
    words: Descriptor,
) -> Result<(), StateError> {
    let index = index.ok_or_else(|| StateError::new("`index` is missing"))?;
    if index > MAX_INDEX {
        return Err(StateError::of("index", "`index` has 20 bits"));
    }
    match all.insert(index, words) {
        None => Ok(()),
        Some(_) => Err(StateError::of("index", format!("`index` {index} is there twice"))),
    }
}

/// `R12`
fn numbered(name: &Spanned<String>, letter: &str, max: usize) -> Result<usize, StateError> {
    let text = name.get_ref();
    let number = text.strip_prefix(letter).and_then(|digits| digits.parse::<usize>().ok());
    number.filter(|n| *n <= max && *text == format!("{letter}{n}")).ok_or_else(|| {
        StateError::new(format!("`{text}` is not one of {letter}0 to {letter}{max}"))
            .or_at(name.span())
    })
}

fn lanes_of(mask: &RawMask) -> Result<u32, StateError> {
    match mask {
        RawMask::All(all) => Ok(if *all { u32::MAX } else { 0 }),
        RawMask::Bits(bits) => u32::try_from(*bits)
            .map_err(|_| StateError::new(format!("{bits} is not a mask of 32 lanes"))),
        RawMask::Lanes(lanes) => lanes.iter().try_fold(0, |mask, &lane| match lane {
            0..32 => Ok(mask | 1 << lane),
            _ => Err(StateError::new(format!("a warp has lanes 0 to 31, not {lane}"))),
        }),
    }
}

fn constants(raw: &RawState, state: &mut State) -> Result<(), StateError> {
    let mut seen = BTreeSet::new();
    let mut all: Vec<_> = raw.constants.iter().collect();
    all.sort_by_key(|(name, _)| name.span().start);
    for (name, value) in all {
        let text = name.get_ref();
        let error = |message: String| StateError::new(message).or_at(name.span());
        let index = text
            .strip_prefix("0x")
            .map_or_else(|| text.parse().ok(), |hex| u64::from_str_radix(hex, 16).ok());
        let index = index.filter(|n| *n <= INDEX.max() && !text.contains('+'));
        let index = index.ok_or_else(|| {
            error(format!("`{text}` is not the offset of a word, from 0x0 to 0x1fff"))
        })?;
        if !seen.insert(index) {
            return Err(error(format!("word {index:#x} is there twice")));
        }
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
            .ok_or_else(|| StateError::of("fields", format!("no field is called `{name}`")))?;
        if value > bits.max() {
            let message = format!("`{name}` is at most {:#x}", bits.max());
            return Err(StateError::of("fields", message));
        }
        bits.set(words, value);
    }
    Ok(())
}

fn eight(words: &[Word]) -> Result<Descriptor, StateError> {
    let bits: Vec<u32> = words.iter().map(Word::bits).collect::<Result<_, _>>()?;
    let words = bits.try_into();
    words.map(Descriptor).map_err(|_| StateError::of("words", "`words` are eight"))
}

fn one_of<T: Copy>(
    key: &'static str,
    what: &str,
    name: &str,
    names: &[(&str, T)],
) -> Result<T, StateError> {
    names.iter().find(|row| row.0 == name).map(|row| row.1).ok_or_else(|| {
        let all: Vec<&str> = names.iter().map(|row| row.0).collect();
        StateError::of(key, format!("no {what} is called `{name}`: {}", all.join(", ")))
    })
}

/// Lanes that hold the same.
fn uniform(word: u32) -> Lanes {
    [word; 32]
}
