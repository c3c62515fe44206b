//! The instruction table: a row of `instructions.txt` for each form. [`crate::form::notation`]
//! defines the notation of rows.

use crate::form::{Form, FormRow, read_row};
use crate::{Opcode, types::ScalarType};
use std::sync::LazyLock;
use texunit_forms::sort_by_key;

/// Reads the rows of `instructions.txt`. Panics on an invalid row; a test reads all rows.
fn rows() -> impl Iterator<Item = FormRow> {
    let lines = include_str!("instructions.txt").lines();
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| {
        let mut parts = line.splitn(7, "; ");
        let mut next = || parts.next().unwrap_or_else(|| panic!("a row is too short: {line}"));
        let opcode = Opcode::from_name(next()).unwrap_or_else(|| panic!("no opcode: {line}"));
        let (modifiers, operands) = (next(), next());
        let mut number = || next().parse().unwrap_or_else(|_| panic!("no number: {line}"));
        let (version, target) = (number(), number());
        FormRow { opcode, modifiers, operands, version, target, section: next(), doc: next() }
    })
}

struct Table {
    forms: Vec<Form>,
    /// The range of forms of each opcode, by its index in [`Opcode::ALL`].
    of_opcode: Vec<std::ops::Range<usize>>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut forms: Vec<Form> = rows().flat_map(|row| read_row(&row)).collect();
    sort_by_key(&mut forms, |form| form.row.opcode);
    let of_opcode = Opcode::ALL
        .iter()
        .map(|&op| {
            let start = forms.partition_point(|f| f.row.opcode < op);
            start..forms.partition_point(|f| f.row.opcode <= op)
        })
        .collect();
    Table { forms, of_opcode }
});

/// All forms of the instruction table, ordered by opcode.
pub fn forms() -> &'static [Form] {
    &TABLE.forms
}

/// The forms of an opcode.
pub fn forms_of(opcode: Opcode) -> &'static [Form] {
    &TABLE.forms[TABLE.of_opcode[opcode as usize].clone()]
}

/// Whether a word is the name of a type.
pub(crate) fn is_type(word: &str) -> bool {
    ScalarType::from_name(word).is_some()
}
