//! Prints a TXD as text, in the style of NVIDIA's disassembler or of the instruction's page.

use crate::control::{READ, REUSE, SCHED, WAIT, WRITE};
use crate::field::{Field, Kind};
use crate::txd::{
    BINDLESS, COORDINATES, GUARD, GUARD_NOT, INDEX, MODIFIERS, OPERANDS, PS, PT, RZ, Txd,
};

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
    for field in MODIFIERS.into_iter().filter(|field| txd.has(field)) {
        text.push('.');
        text += field.name;
    }
    for (phase, word) in [(txd.control.phase_t(), ".T"), (txd.control.phase_p(), ".P")] {
        if phase {
            text += word;
        }
    }
    let mut before = " ";
    for field in OPERANDS {
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
