//! Parses files that describe a [`State`]: registers, predicates, constants, textures, samplers,
//! memory. docs/sass.md has the keys, and docs/resources.md those of textures and samplers.
//!
//! Files are untrusted: an error has a position, and a file allocates at most [`MAX_BYTES`] of
//! memory.

mod machine;
mod sampler;
mod texture;

use crate::exec::{Pool, SamplerBinding, State};
use std::collections::BTreeMap;
use std::ops::Range;
use texunit_sass::Arch;
use texunit_sass::descriptor::{Bits, Descriptor, DescriptorError};
use texunit_sass::memory::Memory;
use texunit_spec::{Context, Problem, Table, TomlValue, codes, number};
use toml::de::DeTable;

/// Maximum size in bytes of all memory regions of a file.
pub const MAX_BYTES: u64 = 512 << 20;

/// Addresses of the pools of texture headers and of samplers, if the file does not give them.
const HEADER_POOL: u64 = 0x7f00_0000_0000;
const SAMPLER_POOL: u64 = 0x7f80_0000_0000;
/// Maximum index of a texture header, which has 20 bits. With header binding the sampler index has
/// 20 bits too.
const MAX_INDEX: u32 = 0xf_ffff;

/// An error in a state file, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StateError {
    /// The message of the error.
    pub message: String,
    /// The byte range of the file that is wrong; `None` if no particular part is.
    pub span: Option<Range<usize>>,
}

impl From<Problem> for StateError {
    fn from(problem: Problem) -> Self {
        let Problem { message, help, span, .. } = problem;
        let message = match help {
            Some(help) => format!("{message}: {help}"),
            None => message,
        };
        Self { message, span: Some(span) }
    }
}

/// The contents of a state file.
#[derive(Clone, Debug)]
pub struct StateFile {
    /// The machine state that the file describes.
    pub state: State,
    /// Notes about deprecated keys and values that the file uses.
    pub notes: Vec<Problem>,
}

/// Parses a state file; returns the state without notes.
pub fn parse(text: &str) -> Result<State, StateError> {
    read(text).map(|file| file.state)
}

/// Parses a state file; returns the state with notes.
pub fn read(text: &str) -> Result<StateFile, StateError> {
    let document = DeTable::parse(text)
        .map_err(|e| StateError { message: e.message().to_owned(), span: e.span() })?;
    let context = Context::of_test(None);
    let state = state(&Table::root(document.get_ref(), &context));
    let problems = context.problems.take();
    // A missing key may be one that is misspelt, so that the unknown key is reported first.
    let order = |problem: &Problem| (problem.code == codes::MISSING_KEY, problem.span.start);
    match problems.into_iter().min_by_key(order) {
        Some(first) => Err(first.into()),
        None => Ok(StateFile { state, notes: context.take_notes() }),
    }
}

/// Parses the root table of a state file.
fn state(root: &Table<'_>) -> State {
    let mut state = State::new(root.get("arch").and_then(|v| arch(&v)).unwrap_or(Arch::Sm52));
    state.active = root.get("active").and_then(|v| machine::lanes_of(&v)).unwrap_or(state.active);
    state.killed = root.get("killed").and_then(|v| machine::lanes_of(&v)).unwrap_or(state.killed);
    let [own, shared] = [SamplerBinding::Independently, SamplerBinding::ViaHeader];
    let bindings = [("independently", own), ("via_header", shared)];
    state.binding = root.get("sampler_binding").and_then(|v| v.word(&bindings)).unwrap_or(own);
    machine::registers(root, &mut state);
    machine::constants(root, &mut state);
    let tables = |key: &'static str| {
        let items = root.get(key).and_then(|v| v.array("an array of tables")).unwrap_or_default();
        items.into_iter().filter_map(|item| item.table())
    };
    let mut used = 0;
    for table in tables("memory") {
        machine::memory(&table, &mut state.memory, &mut used);
    }
    let mut headers = BTreeMap::new();
    for table in tables("texture") {
        let words = texture::words(&table, &mut state.memory, &mut used);
        add(&mut headers, &table, words);
    }
    let mut samplers = BTreeMap::new();
    for table in tables("sampler") {
        add(&mut samplers, &table, sampler::words(&table));
    }
    for (key, words, address, to) in [
        ("header_pool", &headers, HEADER_POOL, &mut state.headers),
        ("sampler_pool", &samplers, SAMPLER_POOL, &mut state.samplers),
    ] {
        *to = pool(root, key, words, address, &mut state.memory).unwrap_or(*to);
    }
    root.finish();
    state
}

fn arch(value: &TomlValue<'_>) -> Option<Arch> {
    let words: Vec<_> = Arch::ALL.iter().map(|&arch| (arch.name(), arch)).collect();
    value.word(&words)
}

/// Writes the descriptors of a pool into memory.
fn pool(
    root: &Table<'_>,
    key: &'static str,
    words: &BTreeMap<u32, Descriptor>,
    address: u64,
    memory: &mut Memory,
) -> Option<Pool> {
    let highest = words.keys().next_back().copied().unwrap_or(0);
    let table = root.get(key).map(|v| v.table());
    let mut pool = Pool { address, max_index: highest };
    if let Some(table) = &table {
        let table = table.as_ref()?;
        let given = table.get("address").and_then(|v| v.number(0, i64::MAX as u64));
        pool.address = given.unwrap_or(address);
        let given = table.get("max_index").and_then(|v| v.number(0, MAX_INDEX.into()));
        pool.max_index = given.map_or(highest, |index| index as u32);
        table.finish();
    }
    // Descriptors that the file does not give are zeros, which are undefined.
    let mut bytes = vec![[0; 4]; 8 * (pool.max_index.max(highest) as usize + 1)];
    for (&index, words) in words {
        bytes[8 * index as usize..][..8].copy_from_slice(&words.0.map(u32::to_le_bytes));
    }
    if let Err(error) = memory.map(pool.address, bytes.into_flattened()) {
        let message = format!("{key}: {error}");
        match table.flatten() {
            Some(table) => wrong(&table, "address", message),
            None => root.problem(codes::VALUE, message),
        }
        return None;
    }
    Some(pool)
}

fn add(all: &mut BTreeMap<u32, Descriptor>, table: &Table<'_>, words: Option<Descriptor>) {
    let index = table.need("index", "its number in the pool");
    table.finish();
    let Some(index) = index else { return };
    let Some(number) = index.number(0, MAX_INDEX.into()) else { return };
    if all.insert(number as u32, words.unwrap_or(Descriptor([0; 8]))).is_some() {
        index.problem(codes::CONFLICT, format!("`index` {number} is there twice"));
    }
}

/// Reports a problem at a key's value, or at the table if the key is missing.
fn wrong(table: &Table<'_>, key: &'static str, message: impl Into<String>) {
    match table.get(key) {
        Some(found) => found.problem(codes::VALUE, message),
        None => table.problem(codes::VALUE, message.into()),
    }
}

/// Reports something that a descriptor cannot express, at the key that requests it.
fn inexpressible(table: &Table<'_>, keys: &[(&str, &'static str)], error: DescriptorError) {
    if let DescriptorError::Inexpressible { field, reason } = &error
        && let Some((_, key)) = keys.iter().find(|(start, _)| field.starts_with(start))
    {
        wrong(table, key, format!("`{key}`: {reason}"));
    } else {
        table.problem(codes::VALUE, error.to_string());
    }
}

/// Parses a descriptor: the key `words`, or the keys that `described` reads; then sets the fields
/// that the key `fields` names to raw bits.
fn descriptor<'b>(
    table: &Table<'_>,
    all: impl IntoIterator<Item = &'b Bits>,
    described: impl FnOnce() -> Option<Descriptor>,
) -> Option<Descriptor> {
    let words = match table.get("words") {
        Some(words) => alone(table, &words),
        None => described(),
    };
    let Some(fields) = table.get("fields") else { return words };
    let (mut words, all) = (words?, Vec::from_iter(all));
    for (name, value) in fields.table()?.entries() {
        let Some(bits) = all.iter().find(|bits| bits.name == name.value) else {
            return fields.refuse(codes::VALUE, format!("no field is called `{}`", name.value));
        };
        bits.set(&mut words, value.number(0, bits.max().into())? as u32);
    }
    Some(words)
}

/// Parses the key `words`, beside which the table must not describe the descriptor in another form.
fn alone(table: &Table<'_>, words: &TomlValue<'_>) -> Option<Descriptor> {
    let is_known = |name: &str| ["index", "words", "fields"].contains(&name);
    if !table.entries().iter().all(|(name, _)| is_known(&name.value)) {
        for (name, _) in table.entries() {
            table.allow(&name.value);
        }
        return words.refuse(codes::CONFLICT, "`words` stand alone, or with `fields`");
    }
    let bits: Option<Vec<u32>> = words.array("eight words")?.iter().map(number::word).collect();
    let eight = bits?.try_into().map(Descriptor);
    if eight.is_err() {
        words.problem(codes::VALUE, "`words` are eight");
    }
    eight.ok()
}
