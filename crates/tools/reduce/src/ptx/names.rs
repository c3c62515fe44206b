//! Removes unused names and kernel parameters from a module, parameters and results of functions
//! together with the arguments of their calls, and renumbers registers.

use super::{Tree, Unit, name_of, singly, units};
use crate::search::Search;
use crate::text::{Edit, Word, apply, words};
use std::collections::HashMap;
use texunit_syntax::Span;
use texunit_syntax::ast::{Function, Instruction, Operand, OperandKind, Statement, Variable};
use toml::Value;

/// Edits that remove unused labels, and declarations of unused registers and variables.
pub(super) fn unused(tree: &Tree<'_>) -> Vec<Unit> {
    let all = words(tree.text);
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for word in &all {
        *uses.entry(word.text).or_default() += 1;
        // A numbered register such as `%r12` is declared by a range such as `%r<20>`.
        let prefix = word.text.trim_end_matches(|c: char| c.is_ascii_digit());
        if prefix != word.text {
            *uses.entry(prefix).or_default() += 1;
        }
    }
    let is_unused = |name: &str| uses.get(name).is_none_or(|&n| n < 2);
    let mut found = Vec::new();
    let mut remove = |range| found.push(vec![Edit::remove(range)]);
    for variable in tree.variables() {
        if is_unused(variable.name.text) {
            remove(tree.to_end(variable.span));
        }
    }
    tree.each_statement(|statement, _| {
        if let Statement::Label(label) = statement
            && is_unused(label.text)
        {
            remove(tree.to_end(label.span));
        }
    });
    found
}

/// Removes kernel parameters from the module and the job, one by one, as long as the case still
/// fails.
pub(super) fn parameters(search: &mut Search<'_>) -> bool {
    search.step("parameters");
    let (mut changed, mut at) = (false, 0);
    loop {
        let best = search.best().clone();
        let found = units(&best.ptx, |tree| {
            let kernels = tree.functions().filter(|f| f.is_entry);
            let mut all = kernels.flat_map(|f| (0..).zip(&f.params).map(move |param| (f, param)));
            let (kernel, (number, param)) = all.nth(at)?;
            let edit = one_of(kernel.params.iter().map(|param| param.span), number);
            Some((param.name.text.to_owned(), edit))
        });
        let Some((name, edit)) = found.filter(|_| !search.is_over()) else { return changed };
        let mut case = best.with_ptx(apply(&best.ptx, &edit));
        if let Some(params) = case.job.as_mut().and_then(|job| job.get_mut("params"))
            && let Value::Table(params) = params
        {
            let member = format!("{name}+");
            params.retain(|key, _| *key != name && !key.starts_with(&member));
        }
        if search.attempt(case) {
            changed = true;
        } else {
            at += 1;
        }
    }
}

/// Edits that renumber the registers from 1 in the order of the text, and declare only these.
pub(super) fn renumber(tree: &Tree<'_>) -> Vec<Unit> {
    let all = words(tree.text);
    let mut unit = Vec::new();
    for (_, body) in tree.bodies() {
        let inside = body.span.range();
        let own: Vec<&Word<'_>> = all.iter().filter(|w| inside.contains(&w.start)).collect();
        super::walk(body, 0, &mut |statement, _| {
            if let Statement::Variable(variable) = statement {
                numbered(variable, &own, &mut unit);
            }
        });
    }
    vec![unit]
}

fn numbered(variable: &Variable<'_>, words: &[&Word<'_>], unit: &mut Unit) {
    let Some((count, span)) = variable.count else { return };
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for word in words {
        let Some(digits) = word.text.strip_prefix(variable.name.text) else { continue };
        if digits.is_empty() || digits.parse::<u64>().is_ok_and(|n| n >= count) {
            continue;
        }
        if digits.bytes().all(|b| b.is_ascii_digit()) {
            let next = numbers.len() + 1;
            let number = *numbers.entry(digits).or_insert(next);
            unit.push(Edit::replace(word.range(), format!("{}{number}", variable.name.text)));
        }
    }
    unit.push(Edit::replace(span.range(), format!("<{}>", numbers.len() + 1)));
}

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
    instruction.operands.iter().find_map(name_of).filter(|_| instruction.opcode.text == "call")
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
        if let (Some(first), Some(last)) = (function.returns.first(), function.returns.last()) {
            unit.extend(in_parentheses(tree, first.span.to(last.span).range()));
        }
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
    Some(Edit::remove(start..inside.end + tree.text[inside.end..].find(')')? + 1))
}
