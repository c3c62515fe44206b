//! The row of an instruction.

use super::key::Key;
use super::row::{INNER, Row};
use super::rows;
use std::collections::HashMap;
use std::sync::LazyLock;
use texunit_isa::{Modifiers, Opcode};

/// All rows.
pub(crate) fn all() -> impl Iterator<Item = &'static Row> {
    INNER.iter().chain(rows::tables())
}

/// The row of an instruction with so many sources, if it has one. The boolean operation of a comparison is not
/// looked at.
pub(crate) fn find(opcode: Opcode, mods: &Modifiers, sources: usize) -> Option<&'static Row> {
    static ROWS: LazyLock<HashMap<Key, &'static Row>> =
        LazyLock::new(|| all().flat_map(|row| row.keys.iter().map(move |&k| (k, row))).collect());
    let three = matches!(opcode, Opcode::Min | Opcode::Max) && sources == 3;
    ROWS.get(&Key::of(opcode, mods, three)?).copied()
}
