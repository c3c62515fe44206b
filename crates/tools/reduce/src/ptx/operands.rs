//! Finds parts of instructions that can be simplified: predicates, modifiers, operands, offsets.

use super::{Tree, Unit};
use crate::text::Edit;
use texunit_syntax::ast::{Instruction, Operand, OperandKind, Subscript};

/// Edits that remove the predicates of instructions.
pub(super) fn guards(tree: &Tree<'_>) -> Vec<Unit> {
    let guarded = tree.instructions().into_iter().filter_map(|instruction| {
        let guard = instruction.guard?;
        let opcode = instruction.opcode.span.start as usize;
        Some(vec![Edit::remove(guard.span.start as usize..opcode)])
    });
    guarded.collect()
}

/// Edits that remove the modifiers of instructions.
pub(super) fn modifiers(tree: &Tree<'_>) -> Vec<Unit> {
    let all = tree.instructions().into_iter().flat_map(|instruction| &instruction.modifiers);
    let with_dot = all.filter_map(|word| {
        let range = word.span.range();
        let start = range.start.checked_sub(1)?;
        tree.text[start..].starts_with('.').then(|| vec![Edit::remove(start..range.end)])
    });
    with_dot.collect()
}

/// Edits that replace source registers and numbers by zero.
pub(super) fn simpler(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    for instruction in tree.instructions() {
        let zero = zero(instruction);
        for operand in &instruction.operands[first_read(instruction)..] {
            in_operand(operand, zero, &mut found);
        }
    }
    found
}

/// The index of an instruction's first operand that is only read.
fn first_read(instruction: &Instruction<'_>) -> usize {
    let reads_first = matches!(
        instruction.opcode.text,
        "st" | "red" | "sust" | "sured" | "bar" | "barrier" | "brx" | "call" | "prefetch" | "cp"
    );
    usize::from(!reads_first).min(instruction.operands.len())
}

/// The literal for zero in an instruction's type.
fn zero(instruction: &Instruction<'_>) -> &'static str {
    match instruction.modifiers.last().map(|word| word.text) {
        Some("f32") => "0f00000000",
        Some("f64") => "0d0000000000000000",
        _ => "0",
    }
}

fn in_operand(operand: &Operand<'_>, zero: &str, found: &mut Vec<Unit>) {
    let range = operand.span.range();
    match &operand.kind {
        OperandKind::Name { name, .. } if name.text.starts_with('%') => {
            found.push(vec![Edit::replace(range, zero)]);
        }
        OperandKind::Vector(inner) | OperandKind::Bracket(inner) | OperandKind::List(inner) => {
            // The zero is that of the result's type; for coordinates of another type it is invalid,
            // and the attempt fails.
            inner.iter().for_each(|o| in_operand(o, zero, found));
        }
        _ => {}
    }
}

/// Edits that remove the offsets of addresses and array elements.
pub(super) fn offsets(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    for operand in tree.instructions().into_iter().flat_map(|i| &i.operands) {
        let (range, keep) = match &operand.kind {
            OperandKind::Address(address) if address.offset.is_some() => {
                (operand.span.range(), address.base.span.end as usize)
            }
            OperandKind::Offset(name, _) => (operand.span.range(), name.span.end as usize),
            OperandKind::Index(_, subscript) => match &**subscript {
                Subscript::Register(register, Some(_)) => {
                    (operand.span.range(), register.span.end as usize)
                }
                _ => continue,
            },
            _ => continue,
        };
        let bracket = usize::from(tree.text[range.clone()].ends_with(']'));
        if keep < range.end - bracket {
            found.push(vec![Edit::remove(keep..range.end - bracket)]);
        }
    }
    found
}
