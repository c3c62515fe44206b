//! Parses the registers, predicates, constants and memory of a state file into a [`State`].

use super::{MAX_BYTES, wrong};
use crate::exec::{REGISTERS, State};
use std::collections::BTreeSet;
use texunit_forms::Count;
use texunit_sass::memory::Memory;
use texunit_sass::txd::INDEX;
use texunit_spec::number::{self, Typed};
use texunit_spec::{At, Problem, Table, TomlValue, codes};
use texunit_unit::Lanes;

/// Parses the tables `[registers]` and `[predicates]`.
pub(super) fn registers(root: &Table<'_>, state: &mut State) {
    for (name, value) in entries(root, "registers") {
        if let Some(number) = numbered(root, &name, "R", REGISTERS - 1)
            && let Some(lanes) = lanes(&value)
        {
            state.registers[number] = lanes;
        }
    }
    for (name, value) in entries(root, "predicates") {
        if let Some(number) = numbered(root, &name, "P", 6)
            && let Some(mask) = lanes_of(&value)
        {
            state.predicates[number] = mask;
        }
    }
}

fn entries<'a>(root: &Table<'a>, key: &'static str) -> Vec<(At<String>, TomlValue<'a>)> {
    root.get(key).and_then(|v| v.table()).map_or_else(Vec::new, |table| table.entries())
}

/// Parses a register or predicate name such as `R12` into its number.
fn numbered(root: &Table<'_>, name: &At<String>, letter: &str, max: usize) -> Option<usize> {
    let text = &name.value;
    let number = text.strip_prefix(letter).and_then(|digits| digits.parse::<usize>().ok());
    let number = number.filter(|n| *n <= max && *text == format!("{letter}{n}"));
    if number.is_none() {
        let message = format!("`{text}` is not one of {letter}0 to {letter}{max}");
        root.report(Problem::new(codes::VALUE, name.at(), message));
    }
    number
}

/// Parses the values of a register: one for all lanes, or a list with one for each.
fn lanes(value: &TomlValue<'_>) -> Option<Lanes> {
    if !value.is_array() {
        return Some([number::word(value)?; 32]);
    }
    let list = value.array("a value, or a list of up to 32 of them")?;
    let mut lanes = [0; 32];
    if list.len() > lanes.len() {
        return value.refuse(codes::VALUE, format!("{} for 32 lanes", Count(list.len(), "value")));
    }
    for (lane, item) in lanes.iter_mut().zip(&list) {
        *lane = number::word(item)?;
    }
    Some(lanes)
}

/// Parses a set of lanes into a mask: `true` or `false` for all lanes, a mask, or a list of lanes.
pub(super) fn lanes_of(value: &TomlValue<'_>) -> Option<u32> {
    if value.is_boolean() {
        return value.boolean().map(|all| if all { u32::MAX } else { 0 });
    }
    if !value.is_array() {
        let wanted = "true, false, a mask of 32 lanes, or a list of lanes";
        let bits = value.integer(wanted)?;
        let mask = u32::try_from(bits).ok();
        if mask.is_none() {
            value.problem(codes::VALUE, format!("{bits} is not a mask of 32 lanes"));
        }
        return mask;
    }
    let lane = |mask: u32, item: &TomlValue<'_>| Some(mask | 1 << item.number(0, 31)?);
    value.array("a list of lanes")?.iter().try_fold(0, lane)
}

/// Parses the table `[constants]`.
pub(super) fn constants(root: &Table<'_>, state: &mut State) {
    let mut seen = BTreeSet::new();
    for (name, value) in entries(root, "constants") {
        let text = &name.value;
        let wrong = |message: String| {
            root.report(Problem::new(codes::VALUE, name.at(), message));
        };
        let (digits, radix) = text.strip_prefix("0x").map_or((&**text, 10), |hex| (hex, 16));
        let index = u64::from_str_radix(digits, radix).ok();
        let Some(index) = index.filter(|n| *n <= INDEX.max() && !text.contains('+')) else {
            wrong(format!("`{text}` is not the offset of a word, from 0x0 to 0x1fff"));
            continue;
        };
        if !seen.insert(index) {
            wrong(format!("word {index:#x} is there twice"));
        }
        let Some(word) = constant(&value) else { continue };
        let at = 4 * index as usize;
        if state.constants.len() < at + 4 {
            state.constants.resize(at + 4, 0);
        }
        state.constants[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// Parses a word of the constant bank, given as the parts of a handle, or as 32 bits.
fn constant(value: &TomlValue<'_>) -> Option<u32> {
    if !value.is_table() {
        return number::word(value);
    }
    let table = value.table()?;
    // A handle has 20 bits for the texture header, and 12 for the sampler.
    let header = table.need("header", "the index of a texture header");
    let header = header.and_then(|v| v.number(0, 0xf_ffff));
    let sampler = table.get("sampler").map_or(Some(0), |v| v.number(0, 0xfff));
    table.finish();
    Some((sampler? << 20 | header?) as u32)
}

/// Maps a memory region of a file.
pub(super) fn memory(table: &Table<'_>, memory: &mut Memory, used: &mut u64) {
    let address = table.need("address", "where the region is");
    let (zeros, bytes, typed) = (table.get("zeros"), table.get("bytes"), number::typed(table));
    table.finish();
    let content = match (&zeros, &bytes, typed) {
        (Some(v), None, Typed::None) => v.number(0, i64::MAX as u64).and_then(|count| {
            claim(table, "zeros", used, count)?;
            Some(vec![0; count as usize])
        }),
        (None, Some(v), Typed::None) => number::raw_bytes(v),
        (None, None, Typed::One(ty, v)) => number::numbers_of(ty, &v),
        _ => {
            let message = "exactly one of `bytes`, `zeros` and a type such as `u32` is needed";
            table.problem(codes::CONFLICT, message.into());
            None
        }
    };
    let address = address.and_then(|v| v.number(0, i64::MAX as u64));
    let (Some(address), Some(content)) = (address, content) else { return };
    if zeros.is_none() && claim(table, "bytes", used, content.len() as u64).is_none() {
        return;
    }
    if let Err(error) = memory.map(address, content) {
        wrong(table, "address", error.to_string());
    }
}

/// Counts the memory that a key requires, and reports a problem if the file exceeds the limit.
pub(super) fn claim(table: &Table, key: &'static str, used: &mut u64, bytes: u64) -> Option<()> {
    *used = used.saturating_add(bytes);
    if *used > MAX_BYTES {
        wrong(table, key, format!("a file fills at most {MAX_BYTES} bytes of memory"));
        return None;
    }
    Some(())
}
