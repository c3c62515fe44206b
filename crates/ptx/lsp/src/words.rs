//! The words of PTX for syntax highlighting: the TextMate grammar in `editors/vscode` is generated
//! from these functions' results.

use crate::doc;
use std::collections::BTreeSet;
use texunit_isa::{Class, Opcode, forms};

/// The names of all opcodes, including opcodes that texunit knows only by name.
pub fn opcodes() -> Vec<&'static str> {
    Opcode::ALL.iter().map(|opcode| opcode.name()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// All modifiers without the dot, except types ([`types`]).
pub fn modifiers() -> Vec<&'static str> {
    slots(|class| class != Class::Type)
}

/// Types and vector types of instructions and declarations, without the dot.
pub fn types() -> Vec<&'static str> {
    let declared = texunit_isa::ScalarType::ALL.iter().map(|ty| ty.name());
    let all: BTreeSet<_> =
        slots(|class| class == Class::Type).into_iter().chain(declared).collect();
    all.into_iter().collect()
}

fn slots(wanted: impl Fn(Class) -> bool) -> Vec<&'static str> {
    let slots = forms().iter().flat_map(|form| &form.slots).filter(|slot| wanted(slot.class));
    slots.flat_map(|slot| slot.words.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect()
}

/// Directives and other words that follow a dot outside instructions.
pub fn directives() -> Vec<&'static str> {
    doc::directives().map(|row| row.0).collect()
}

/// Special registers without the `%`; `<n>` stands for a number below n.
pub fn special_registers() -> Vec<&'static str> {
    doc::specials().map(|row| row.0).collect()
}
