//! Forwards values: instructions that read the result of a removed instruction read one of its
//! operands instead.

use super::{Tree, Unit, name_of};
use crate::text::{Edit, words};
use texunit_syntax::ast::{Expr, ExprKind, Instruction, Operand, OperandKind, Statement};

/// Edits that remove an instruction, and replace uses of its result by one of its operands.
pub(super) fn forward(tree: &Tree<'_>) -> Vec<Unit> {
    let all = words(tree.text);
    let mut found = Vec::new();
    for (_, body) in tree.bodies() {
        let inside = body.span.range();
        let own: Vec<_> = all.iter().filter(|w| inside.contains(&w.start)).collect();
        super::walk(body, 0, &mut |statement, _| {
            let Statement::Instruction(instruction) = statement else { return };
            let Some(result) = result(instruction) else { return };
            let operands = instruction.operands[1..].iter().filter_map(|operand| {
                let is_other = name_of(operand).is_some_and(|name| name != result);
                let is_value = is_other || matches!(operand.kind, OperandKind::Constant(_));
                is_value.then(|| tree.text[operand.span.range()].to_owned())
            });
            for with in value(instruction).into_iter().chain(address(instruction)).chain(operands) {
                let readers = own.iter().filter(|w| w.text == result);
                let mut unit: Unit = readers.map(|w| Edit::replace(w.range(), &*with)).collect();
                unit.push(Edit::remove(tree.to_end(instruction.span)));
                found.push(unit);
            }
        });
    }
    found
}

/// The result of an instruction whose operands are constants; `None` for other instructions.
fn value(instruction: &Instruction<'_>) -> Option<String> {
    let numbers: Option<Vec<u64>> = instruction.operands[1..].iter().map(number).collect();
    let value = match (instruction.opcode.text, numbers?.as_slice()) {
        ("add", [a, b]) => a.wrapping_add(*b),
        ("sub", [a, b]) => a.wrapping_sub(*b),
        ("mul", [a, b]) => a.wrapping_mul(*b),
        ("mad", [a, b, c]) => a.wrapping_mul(*b).wrapping_add(*c),
        ("shl", [a, b]) => a.checked_shl(u32::try_from(*b).ok()?)?,
        ("cvt", [a]) => *a,
        _ => return None,
    };
    Some(value.to_string())
}

/// The address expression that equals the result of an `add`, `%rd1+20`. It is only valid inside
/// brackets.
fn address(instruction: &Instruction<'_>) -> Option<String> {
    let [_, base, offset] = instruction.operands.as_slice() else { return None };
    let (name, offset) = (name_of(base)?, number(offset)?);
    (instruction.opcode.text == "add").then(|| format!("{name}+{offset}"))
}

fn number(operand: &Operand<'_>) -> Option<u64> {
    match &operand.kind {
        OperandKind::Constant(Expr { kind: ExprKind::Integer { value, .. }, .. }) => Some(*value),
        _ => None,
    }
}

/// The register that an instruction writes, if no other instruction writes it.
fn result<'a>(instruction: &Instruction<'a>) -> Option<&'a str> {
    name_of(instruction.operands.first()?).filter(|name| name.starts_with('%'))
}
