//! Values that are handed on: what reads the result of an instruction reads one of its operands instead.

use super::{Tree, Unit};
use crate::text::{Edit, words};
use texunit_syntax::ast::{Instruction, OperandKind, Statement};

/// Instructions that are left out, with one of their operands in place of their result.
pub(super) fn forward(tree: &Tree<'_>) -> Vec<Unit> {
    let all = words(tree.text);
    let mut found = Vec::new();
    for (_, body) in tree.bodies() {
        let inside = body.span.range();
        let own: Vec<_> = all.iter().filter(|w| inside.contains(&w.start)).collect();
        super::walk(body, 0, &mut |statement, _| {
            let Statement::Instruction(instruction) = statement else { return };
            let Some(result) = result(instruction) else { return };
            for operand in &instruction.operands[1..] {
                let with = match &operand.kind {
                    OperandKind::Name { name, component: None } if name.text != result => name.text,
                    OperandKind::Constant(_) => &tree.text[operand.span.range()],
                    _ => continue,
                };
                let readers = own.iter().filter(|w| w.text == result);
                let mut unit: Unit = readers.map(|w| Edit::replace(w.range(), with)).collect();
                unit.push(Edit::remove(tree.to_end(instruction.span)));
                found.push(unit);
            }
        });
    }
    found
}

/// The register that the instruction alone writes.
fn result<'a>(instruction: &Instruction<'a>) -> Option<&'a str> {
    match &instruction.operands.first()?.kind {
        OperandKind::Name { name, component: None } if name.text.starts_with('%') => {
            Some(name.text)
        }
        _ => None,
    }
}
