//! Removes unused names and kernel parameters from a module, and renumbers registers.

use super::calls::one_of;
use super::{Tree, Unit, units};
use crate::search::Search;
use crate::text::{Edit, Word, apply, words};
use std::collections::HashMap;
use texunit_syntax::ast::{Statement, Variable};
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
