//! Prints a TXD as text, in the style of NVIDIA's disassembler or of the instruction's page.

use std::sync::LazyLock;
use texunit_forms::sort_by_key;

use crate::control::{READ, REUSE, SCHED, WAIT, WRITE};
use crate::field::{Field, Kind, Written};
use crate::txd::{BINDLESS, COORDINATES, FIELDS, GUARD, GUARD_NOT, INDEX, PS, PT, RZ, Txd};

/// The style of an instruction's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// The style of NVIDIA's disassembler.
    #[default]
    Nvidia,
    /// The style of the instruction's page, with annotations for control bits that differ from
    /// [`crate::Control::NONE`]: `&req_0x3 &rd0 &wr1 ?0x0d;`.
    Isa,
}

/// The text of a TXD.
pub fn print(txd: &Txd, style: Style) -> String {
    let mut text = String::new();
    if style == Style::Nvidia && txd.control.is_dual_issue() {
        text += "{ ";
    }
    text += &guard(txd.word);
    text += "TXD";
    for (_, word, field) in modifiers() {
        if txd.has(field) {
            text.push('.');
            text += word;
        }
    }
    for (phase, word) in [(txd.control.phase_t(), ".T"), (txd.control.phase_p(), ".P")] {
        if phase {
            text += word;
        }
    }
    let mut before = " ";
    for (_, field) in operands() {
        if let Some(operand) = operand(txd, field) {
            text += before;
            text += &operand;
            before = ", ";
        }
    }
    if style == Style::Isa {
        text += &annotations(txd);
        text.push(';');
    }
    text
}

/// The predicate of an instruction with a trailing space, from bits that all instruction words
/// share; empty if the predicate is always true.
pub(crate) fn guard(word: u64) -> String {
    let not = if GUARD_NOT.get(word) != 0 { "!" } else { "" };
    match GUARD.get(word) {
        PT if not.is_empty() => String::new(),
        number => format!("@{not}{} ", predicate(number)),
    }
}

/// A modifier of TXD: its position in the text, name and field.
type Modifier = (u8, &'static str, &'static Field);

/// The modifiers of TXD, in the order of the text.
pub(crate) fn modifiers() -> &'static [Modifier] {
    static LIST: LazyLock<Vec<Modifier>> = LazyLock::new(find_modifiers);
    &LIST
}

fn find_modifiers() -> Vec<Modifier> {
    let mut list: Vec<_> = FIELDS
        .iter()
        .filter_map(|field| match field.written {
            Written::Modifier(place, word) => Some((place, word, field)),
            _ => None,
        })
        .collect();
    sort_by_key(&mut list, |row| row.0);
    list
}

/// The operands of TXD, each with its position, in the order of the text.
pub(crate) fn operands() -> &'static [(u8, &'static Field)] {
    static LIST: LazyLock<Vec<(u8, &'static Field)>> = LazyLock::new(find_operands);
    &LIST
}

fn find_operands() -> Vec<(u8, &'static Field)> {
    let mut list: Vec<_> = FIELDS
        .iter()
        .filter_map(|field| match field.written {
            Written::Operand(place) => Some((place, field)),
            _ => None,
        })
        .collect();
    sort_by_key(&mut list, |row| row.0);
    list
}

/// The text of an operand; `None` if the operand is omitted.
fn operand(txd: &Txd, field: &Field) -> Option<String> {
    let value = txd.get(field);
    Some(match field.kind {
        Kind::Register if value == RZ => "RZ".into(),
        Kind::Register => format!("R{value}"),
        Kind::Predicate if *field == PS && value == PT => return None,
        Kind::Predicate => predicate(value),
        Kind::Coordinates => COORDINATES[value as usize].into(),
        Kind::Number if *field == INDEX && txd.has(&BINDLESS) => "0x0".into(),
        Kind::Number | Kind::Flag | Kind::Opcode(_) => format!("{value:#x}"),
    })
}

fn predicate(value: u64) -> String {
    if value == PT { "PT".into() } else { format!("P{value}") }
}

/// The annotations of the control field, each preceded by a space.
fn annotations(txd: &Txd) -> String {
    let get = |field| txd.control.get(field);
    let mut text = String::new();
    if get(&WAIT) != 0 {
        text += &format!(" &req_{:#x}", get(&WAIT));
    }
    for (field, name) in [(&READ, "rd"), (&WRITE, "wr")] {
        if get(field) != field.max() {
            text += &format!(" &{name}{}", get(field));
        }
    }
    if get(&REUSE) != 0 {
        text += &format!(" &reuse_{:#x}", get(&REUSE));
    }
    if get(&SCHED) != 0 {
        text += &format!(" ?{:#04x}", get(&SCHED));
    }
    text
}
