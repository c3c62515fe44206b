//! The row of an instruction.

use crate::inner::Kind;
use crate::key::Key;
use crate::row::Row;
use crate::rows;
use std::collections::HashMap;
use std::sync::LazyLock;
use texunit_isa::{Modifiers, Opcode};

/// All rows, those of the inner loop first, in the order of their kinds.
pub fn all() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| rows::all().collect());
    &ROWS
}

/// How approximate instructions (`.approx`, `.full`) compute: docs/numerics.md, section 13.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Approximate {
    /// By the special function unit of a card, bit for bit.
    #[default]
    Card,
    /// To the nearest number of the exact result.
    Rounded,
}

impl Approximate {
    /// `card`, `rounded`
    pub fn name(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Rounded => "rounded",
        }
    }
}

/// The row of an instruction with so many sources, if it has one. The boolean operation of a comparison is not
/// looked at: the caller applies it. `lop3` with a boolean operation is the same as without, and `set` is the `setp` that
/// compares alike.
pub fn find(
    opcode: Opcode,
    mods: &Modifiers,
    sources: usize,
    approximate: Approximate,
) -> Option<&'static Row> {
    static BY_KEY: LazyLock<HashMap<Key, &'static Row>> = LazyLock::new(|| {
        all().iter().flat_map(|row| row.keys.iter().map(move |&k| (k, row))).collect()
    });
    let three = matches!(opcode, Opcode::Min | Opcode::Max) && sources == 3;
    let key = Key::of(opcode, mods, three)?;
    let rounded = approximate == Approximate::Rounded && (mods.approx || mods.full);
    let row = rounded.then(|| BY_KEY.get(&key.flag("rounded", true))).flatten();
    row.or_else(|| BY_KEY.get(&key)).copied()
}

impl Row {
    /// The row of a kind of the inner loop.
    pub fn inner(kind: Kind) -> &'static Self {
        &all()[kind as usize - Kind::Tid as usize - 1]
    }
}
