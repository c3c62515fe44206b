//! Inlines functions that are called only once.

use super::{Tree, Unit, name_of, names, walk};
use crate::text::{Edit, apply, words};
use std::collections::HashSet;
use texunit_syntax::ast::{
    Block, Function, Instruction, Operand, OperandKind, Statement, Variable,
};

/// Replaces the call of a function by the function's body, and removes the function's declarations.
pub(super) fn only_calls(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    for (function, body) in tree.bodies().filter(|(f, _)| !f.is_entry) {
        let name = function.name.text;
        let uses = words(tree.text).iter().filter(|word| word.text == name).count();
        if uses != tree.functions().filter(|f| f.name.text == name).count() + 1 {
            continue;
        }
        for (_, outer) in tree.bodies().filter(|(f, _)| f.name.text != name) {
            let call = innermost(outer, name);
            found.extend(
                call.and_then(|(block, call)| inlined(tree, (function, body), block, call)),
            );
        }
    }
    found
}

/// The call of a function, and the innermost block that contains the call.
fn innermost<'t, 'a>(
    block: &'t Block<'a>,
    name: &str,
) -> Option<(&'t Block<'a>, &'t Instruction<'a>)> {
    block.statements.iter().find_map(|statement| match statement {
        Statement::Block(inner) => innermost(inner, name),
        Statement::Instruction(i) if names::callee(i) == Some(name) => Some((block, i)),
        _ => None,
    })
}

fn inlined(
    tree: &Tree<'_>,
    (function, body): (&Function<'_>, &Block<'_>),
    block: &Block<'_>,
    call: &Instruction<'_>,
) -> Option<Unit> {
    let lists: Vec<&[Operand<'_>]> = call.operands.iter().filter_map(list).collect();
    let (results, arguments) = match (lists.as_slice(), !function.returns.is_empty()) {
        ([results, arguments], true) => (*results, *arguments),
        ([results], true) => (*results, &[][..]),
        ([arguments], false) => (&[][..], *arguments),
        ([], false) => (&[][..], &[][..]),
        _ => return None,
    };
    // Each parameter becomes a placeholder for its argument, and each result one for its
    // destination, so that renaming the body's names does not change the caller's.
    let mut unit = Vec::new();
    let mut values = Vec::new();
    let mut handed = |formal: &[Variable<'_>], actual: &[Operand<'_>], opcode: &str| {
        let mut marks = Vec::new();
        for (formal, actual) in formal.iter().zip(actual) {
            let access = accesses(block, opcode, name_of(actual)?).pop();
            let other = access.map(|i| &i.operands[usize::from(opcode == "st")]);
            unit.extend(access.map(|i| Edit::remove(tree.to_end(i.span))));
            values.push(other.map(|o| tree.text[o.span.range()].to_owned()));
            marks.push((formal.name.text.to_owned(), values.len() - 1));
        }
        Some(marks)
    };
    let given = handed(&function.params, arguments, "st")?;
    let taken = handed(&function.returns, results, "ld")?;
    let mut inner = Vec::new();
    for (formal, mark) in &given {
        for load in accesses(body, "ld", formal) {
            let into = &tree.text[load.operands[0].span.range()];
            inner.push(moved(tree, load, into, &format!("\u{1}{mark}\u{1}")));
        }
    }
    for (formal, mark) in &taken {
        for store in accesses(body, "st", formal) {
            let from = &tree.text[store.operands[1].span.range()];
            inner.push(match values[*mark] {
                Some(_) => moved(tree, store, &format!("\u{1}{mark}\u{1}"), from),
                None => Edit::remove(store.span.range()),
            });
        }
    }
    if let Some(Statement::Instruction(last)) = body.statements.last()
        && last.opcode.text == "ret"
    {
        inner.push(Edit::remove(last.span.range()));
    }
    let start = body.span.start as usize;
    let text = tree.text[body.span.range()].strip_suffix('}')?;
    inner.iter_mut().for_each(|e| e.range = e.range.start - start..e.range.end - start);
    let mut text = renamed(&apply(text, &inner), tree, body);
    for (mark, value) in values.iter().enumerate() {
        text = text.replace(&format!("\u{1}{mark}\u{1}"), value.as_deref().unwrap_or("0"));
    }
    unit.push(Edit::replace(call.span.range(), text + "}"));
    for declared in tree.functions().filter(|f| f.name.text == function.name.text) {
        let span = declared.body.as_ref().map_or(declared.span, |b| declared.span.to(b.span));
        unit.push(Edit::remove(tree.to_end(span)));
    }
    Some(unit)
}

fn list<'t, 'a>(operand: &'t Operand<'a>) -> Option<&'t [Operand<'a>]> {
    match &operand.kind {
        OperandKind::List(list) => Some(list),
        _ => None,
    }
}

/// The `ld.param` or `st.param` instructions that access a whole variable.
fn accesses<'t, 'a>(block: &'t Block<'a>, opcode: &str, name: &str) -> Vec<&'t Instruction<'a>> {
    let mut found = Vec::new();
    walk(block, 0, &mut |statement, _| {
        let Statement::Instruction(instruction) = statement else { return };
        let place = instruction.operands.get(usize::from(opcode == "ld"));
        let base = place.and_then(|place| match &place.kind {
            OperandKind::Address(address) => name_of(&address.base),
            _ => None,
        });
        let is_param = instruction.modifiers.first().is_some_and(|word| word.text == "param");
        let is_whole = instruction.operands.len() == 2;
        if instruction.opcode.text == opcode && is_param && is_whole && base == Some(name) {
            found.push(instruction);
        }
    });
    found
}

/// Replaces a load or store of a parameter by `mov`.
fn moved(tree: &Tree<'_>, access: &Instruction<'_>, into: &str, from: &str) -> Edit {
    let ty = access.modifiers.last().map_or("", |word| word.text);
    let guard = access.guard.map_or("", |guard| &tree.text[guard.span.range()]);
    Edit::replace(access.span.range(), format!("{guard} mov.{ty} {into}, {from};"))
}

/// The text of a body with its names changed, since the caller may use the same names.
fn renamed(text: &str, tree: &Tree<'_>, body: &Block<'_>) -> String {
    let mut own: HashSet<&str> = HashSet::new();
    walk(body, 0, &mut |statement, _| match statement {
        Statement::Label(label) => drop(own.insert(label.text)),
        Statement::Variable(variable) => drop(own.insert(variable.name.text)),
        _ => {}
    });
    let number = (1..).find(|n| !tree.text.contains(&format!("i{n}_"))).unwrap_or(0);
    let is_own = |name: &str| {
        own.contains(name) || own.contains(name.trim_end_matches(|c: char| c.is_ascii_digit()))
    };
    let edits: Vec<Edit> = words(text)
        .iter()
        .filter(|word| is_own(word.text))
        .map(|word| {
            let (mark, rest) = word.text.split_at(usize::from(word.text.starts_with(['%', '$'])));
            Edit::replace(word.range(), format!("{mark}i{number}_{rest}"))
        })
        .collect();
    apply(text, &edits)
}
