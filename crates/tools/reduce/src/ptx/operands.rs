//! Simplifies instructions: removes predicates, modifiers and offsets, reduces numbers, and
//! forwards values: instructions that read the result of a removed instruction read one of its
//! operands.

use super::{Tree, Unit, name_of, together};
use crate::search::Search;
use crate::text::{Edit, Word, apply, words};
use texunit_syntax::ast::{
    Expr, ExprKind, Instruction, Operand, OperandKind, Statement, Subscript,
};

/// Edits that remove the predicates of instructions.
pub(super) fn guards(tree: &Tree<'_>) -> Vec<Unit> {
    let guarded = tree.instructions().into_iter().filter_map(|instruction| {
        let guard = instruction.guard?;
        Some(vec![Edit::remove(guard.span.start as usize..instruction.opcode.span.start as usize)])
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

/// Maximum number of numbers in a module that are reduced one by one. If there are more, most are
/// elements of a table.
const MAX: usize = 400;

/// Sets as many numbers as possible to zero. Each other number is then set to 1 or halved
/// repeatedly.
pub(super) fn numbers(search: &mut Search<'_>) -> bool {
    let mut changed = together(search, "numbers", zeros);
    let mut at = 0;
    while !search.is_over() {
        let text = search.best().ptx.clone();
        let found = numbers_of(&text);
        let Some(word) = found.get(at).filter(|_| found.len() <= MAX) else { break };
        at += 1;
        if let Some(value) = integer(word.text).filter(|&v| v > 1) {
            changed |= halve(search, &text, word, value);
        }
    }
    changed
}

fn zeros(tree: &Tree<'_>) -> Vec<Unit> {
    let edit = |word: &Word<'_>| {
        let zero = if word.text.starts_with("0f") || word.text.starts_with("0F") {
            "0f00000000"
        } else if word.text.starts_with("0d") || word.text.starts_with("0D") {
            "0d0000000000000000"
        } else if integer(word.text).is_some() {
            "0"
        } else {
            return None;
        };
        (zero != word.text).then(|| vec![Edit::replace(word.range(), zero)])
    };
    numbers_of(tree.text).iter().filter_map(edit).collect()
}

/// Reduces a number to 1 or, failing that, halves it as long as the case still fails. Powers of two
/// stay powers of two, as array sizes and alignments must.
fn halve(search: &mut Search<'_>, text: &str, word: &Word<'_>, value: i64) -> bool {
    let with = |n: i64| apply(text, &[Edit::replace(word.range(), n.to_string())]);
    if search.attempt(search.best().with_ptx(with(1))) {
        return true;
    }
    let (mut value, mut changed) = (value, false);
    while value > 3 {
        value /= 2;
        if !search.attempt(search.best().with_ptx(with(value))) {
            break;
        }
        changed = true;
    }
    changed
}

/// The numbers in a module's text that can be reduced: all except those in version, target and
/// debug directives, and counts of register declarations.
fn numbers_of(text: &str) -> Vec<Word<'_>> {
    const HEADS: [&str; 5] = [".version", ".target", ".address_size", ".file", ".loc"];
    let is_head = |word: &Word<'_>| {
        let line = text[..word.start].rfind('\n').map_or(0, |n| n + 1);
        HEADS.iter().any(|head| text[line..].trim_start().starts_with(head))
    };
    // Counts of register declarations are excluded, because they follow from the registers that are
    // used.
    let is_count = |word: &Word<'_>| text[..word.start].ends_with('<');
    let all = words(text).into_iter();
    all.filter(|word| word.is_number() && !is_count(word) && !is_head(word)).collect()
}

fn integer(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches('U');
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => {
            u64::from_str_radix(hex, 16).ok().map(|v| i64::try_from(v).unwrap_or(i64::MAX))
        }
        None => digits.parse::<u64>().ok().map(|v| i64::try_from(v).unwrap_or(i64::MAX)),
    }
}

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
