//! Removes parameters and results of functions together with the arguments of their calls.

use super::{Tree, Unit, name_of, singly};
use crate::search::Search;
use crate::text::Edit;
use texunit_syntax::Span;
use texunit_syntax::ast::{Function, Instruction, Operand, OperandKind};

/// Removes parameters and results of functions from all their declarations and calls.
pub(super) fn arguments(search: &mut Search<'_>) -> bool {
    singly(search, "arguments", |tree| {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        for function in tree.functions().filter(|f| !f.is_entry) {
            if seen.contains(&function.name.text) {
                continue;
            }
            seen.push(function.name.text);
            for number in 0..function.params.len() {
                found.push(without_parameter(tree, function.name.text, number));
            }
            if !function.returns.is_empty() {
                found.push(without_result(tree, function.name.text));
            }
        }
        found
    })
}

/// A call instruction: the operands for its result and its function, and its arguments.
struct Call<'t, 'a> {
    result: Option<&'t Operand<'a>>,
    callee: &'t Operand<'a>,
    arguments: &'t [Operand<'a>],
}

/// The calls of a function by name.
fn calls<'t, 'a>(tree: &'t Tree<'a>, name: &str) -> Vec<Call<'t, 'a>> {
    let call = |instruction: &'t Instruction<'a>| {
        let operands = &instruction.operands;
        callee(instruction).filter(|callee| *callee == name)?;
        let at = operands.iter().position(|operand| name_of(operand).is_some())?;
        let arguments = match operands.get(at + 1).map(|o| &o.kind) {
            Some(OperandKind::List(list)) => list.as_slice(),
            _ => &[],
        };
        let result = at.checked_sub(1).map(|n| &operands[n]);
        Some(Call { result, callee: &operands[at], arguments })
    };
    tree.instructions().into_iter().filter_map(call).collect()
}

/// The name of the function that an instruction calls.
pub(super) fn callee<'a>(instruction: &Instruction<'a>) -> Option<&'a str> {
    let name = instruction.operands.iter().find_map(name_of);
    name.filter(|_| instruction.opcode.text == "call")
}

fn declarations<'t, 'a>(tree: &'t Tree<'a>, name: &str) -> Vec<&'t Function<'a>> {
    tree.functions().filter(|f| f.name.text == name).collect()
}

fn without_parameter(tree: &Tree<'_>, name: &str, number: usize) -> Unit {
    let mut unit = Vec::new();
    for function in declarations(tree, name) {
        unit.extend(one_of(function.params.iter().map(|param| param.span), number));
    }
    for Call { arguments, .. } in calls(tree, name) {
        unit.extend(one_of(arguments.iter().map(|argument| argument.span), number));
    }
    unit
}

/// Removes an element of a comma-separated list, with one comma.
pub(super) fn one_of(spans: impl Iterator<Item = Span>, number: usize) -> Option<Edit> {
    let spans: Vec<_> = spans.map(Span::range).collect();
    let own = spans.get(number)?;
    let range = match (number.checked_sub(1).map(|n| &spans[n]), spans.get(number + 1)) {
        (Some(before), _) => before.end..own.end,
        (None, Some(next)) => own.start..next.start,
        (None, None) => own.clone(),
    };
    Some(Edit::remove(range))
}

fn without_result(tree: &Tree<'_>, name: &str) -> Unit {
    let mut unit = Vec::new();
    for function in declarations(tree, name) {
        let [first, .., last] = function.returns.as_slice() else {
            if let [only] = function.returns.as_slice() {
                unit.extend(in_parentheses(tree, only.span.range()));
            }
            continue;
        };
        unit.extend(in_parentheses(tree, first.span.start as usize..last.span.end as usize));
    }
    for Call { result, callee, .. } in calls(tree, name) {
        if let Some(result) = result {
            unit.push(Edit::remove(result.span.start as usize..callee.span.start as usize));
        }
    }
    unit
}

/// Removes the parentheses around a range, with their contents.
fn in_parentheses(tree: &Tree<'_>, inside: std::ops::Range<usize>) -> Option<Edit> {
    let start = tree.text[..inside.start].rfind('(')?;
    let end = inside.end + tree.text[inside.end..].find(')')? + 1;
    Some(Edit::remove(start..end))
}
