//! Finds the operation of an instruction by its opcode and modifiers: an operation of the tables,
//! or an operation that has data (an [`Alu`] with fields).

use crate::inner::Kind;
use crate::key::Key;
use crate::pack::Pack;
use crate::row::Row;
use crate::rows;
use crate::{Alu, convert, video};
use std::collections::HashMap;
use std::sync::LazyLock;
use texunit_isa::{Modifiers, Opcode};

/// All operations of the tables. The operations of the inner loop come first, in the order of their
/// [`Kind`]s.
pub fn all() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| rows::all().collect());
    &ROWS
}

/// How approximate instructions (`.approx`, `.full`) compute their results (docs/numerics.md,
/// section 13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Approximate {
    /// Results have the bits that a GPU's special function unit computes.
    #[default]
    Card,
    /// Results are the exact results, rounded to nearest.
    Rounded,
}

impl Approximate {
    /// The names of the settings in the option `--approx`.
    pub const NAMES: [(&'static str, Self); 2] = [("card", Self::Card), ("rounded", Self::Rounded)];

    /// The name of this setting in the option `--approx`.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

/// The operation of an instruction with this number of sources; `None` if the tables have no
/// operation for it. The Boolean operation of a comparison or of `lop3` is ignored, because the
/// caller applies it. `set` has the operation of the `setp` with the same comparison.
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
    /// The operation of the inner loop with this kind.
    pub fn inner(kind: Kind) -> &'static Self {
        &all()[kind as usize - Kind::Tid as usize - 1]
    }
}

/// The operation of a video instruction, of a conversion with packing, or of a conversion with rare
/// modifiers; `None` for other instructions. Each source must be in a register ([`L32`](crate::L32)
/// or [`L64`](crate::L64)) of its type's width, as PTX demands for all instructions except `cvt`.
pub fn with_data(opcode: Opcode, mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.types.is_empty() {
        return None;
    }
    match opcode {
        Opcode::Cvt => Pack::of(mods).map(Alu::Pack).or_else(|| select_mixed(mods)),
        _ => video::select(opcode, mods),
    }
}

/// The operation of a `cvt` whose registers are wider than its types (`cvt.s32.s8` from or to a
/// 64-bit register), which always is an [`Alu::Convert`]; `None` if the types are not a valid
/// combination.
pub fn select_mixed(mods: &Modifiers) -> Option<Alu> {
    if mods.unexecuted.is_some() || mods.vector != 0 {
        return None;
    }
    convert::general(mods).map(Alu::Convert)
}
