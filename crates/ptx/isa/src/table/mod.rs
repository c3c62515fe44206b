//! The instruction table: one row per form, one file per chapter of the PTX ISA.
//! [`crate::form::notation`] defines the notation.

mod compare;
mod control;
mod convert;
mod float;
mod half;
mod integer;
mod logic;
mod memory;
mod sync;
mod tensor;
mod texture;
mod video;

use crate::form::{Form, FormRow, read_row};
use crate::{Opcode, types::ScalarType};
use std::sync::LazyLock;

/// Defines rows: opcode, modifiers, operands, version times ten, target, section, doc.
macro_rules! rows {
    ($name:ident: $($opcode:ident $mods:literal, $operands:literal, $version:literal, $target:literal, $section:literal, $doc:literal;)*) => {
        pub(super) const $name: &[crate::form::FormRow] = &[$(crate::form::FormRow {
            opcode: crate::Opcode::$opcode, modifiers: $mods, operands: $operands,
            version: $version, target: $target, section: $section, doc: $doc,
        }),*];
    };
}
use rows;

const CHAPTERS: &[&[FormRow]] = &[
    integer::ROWS,
    float::ROWS,
    half::ROWS,
    compare::ROWS,
    logic::ROWS,
    convert::ROWS,
    memory::ROWS,
    texture::ROWS,
    control::ROWS,
    sync::ROWS,
    tensor::ROWS,
    video::ROWS,
];

struct Table {
    forms: Vec<Form>,
    /// The range of forms of each opcode, by its index in [`Opcode::ALL`].
    of_opcode: Vec<std::ops::Range<usize>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut forms: Vec<Form> =
        CHAPTERS.iter().flat_map(|rows| rows.iter().flat_map(read_row)).collect();
    forms.sort_by_key(|form| form.row.opcode);
    let of_opcode = Opcode::ALL
        .iter()
        .map(|&op| {
            let start = forms.partition_point(|f| f.row.opcode < op);
            start..forms.partition_point(|f| f.row.opcode <= op)
        })
        .collect();
    Table { forms, of_opcode }
});

/// All forms, by opcode.
pub fn forms() -> &'static [Form] {
    &TABLE.forms
}

/// The forms of an opcode; empty for opcodes that are known only by name.
pub fn forms_of(opcode: Opcode) -> &'static [Form] {
    &TABLE.forms[TABLE.of_opcode[opcode as usize].clone()]
}

/// Modifiers of the parts of an opcode that the table has no rows for: tensor copies, 8-bit
/// matrices, products of narrow floats.
pub fn unsupported_suffixes(opcode: Opcode) -> &'static [&'static str] {
    match opcode {
        Opcode::Cp => &["tensor"],
        Opcode::Ldmatrix => &["m16n16", "m8n16"],
        Opcode::Stmatrix => &["m16n8"],
        Opcode::Mma => &["kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"],
        _ => &[],
    }
}

/// Whether the table has no row for an instruction with these modifiers, because its opcode or the
/// part of the opcode is known only by name.
pub fn known_by_name_only(opcode: Opcode, words: &[&str]) -> bool {
    forms_of(opcode).is_empty()
        || unsupported_suffixes(opcode).iter().any(|word| words.contains(word))
}

/// Whether a word is the name of a type.
pub(crate) fn is_type(word: &str) -> bool {
    ScalarType::from_name(word).is_some()
}
