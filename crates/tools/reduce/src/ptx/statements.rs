//! Removes items of a module, properties of items, and statements from the bodies of functions.

use super::{Tree, Unit, together};
use crate::search::Search;
use crate::text::Edit;
use texunit_syntax::ast::{Item, Statement};

/// Maximum nesting depth of the statements that are removed.
const MAX_DEPTH: usize = 16;

/// Removes as many statements as possible, those of outer blocks first.
pub(super) fn reduce(search: &mut Search<'_>) -> bool {
    let mut changed = false;
    for depth in 0..MAX_DEPTH {
        let before = search.best().clone();
        changed |= together(search, "statements", |tree| at_depth(tree, depth));
        if depth > 0 && *search.best() == before && is_deepest(&before.ptx, depth) {
            break;
        }
    }
    changed
}

fn is_deepest(text: &str, depth: usize) -> bool {
    super::units(text, |tree| {
        let mut is_deepest = true;
        tree.each_statement(|_, at| is_deepest &= at <= depth);
        is_deepest
    })
}

/// Edits that remove each statement at a nesting depth. Labels and declarations are excluded, since
/// they are removed once they are unused.
fn at_depth(tree: &Tree<'_>, depth: usize) -> Vec<Unit> {
    let mut found = Vec::new();
    tree.each_statement(|statement, at| {
        if at != depth {
            return;
        }
        let span = match statement {
            Statement::Label(_) | Statement::Variable(_) => return,
            Statement::Instruction(instruction) => instruction.span,
            Statement::Block(block) => block.span,
            Statement::BranchTargets(t) | Statement::CallTargets(t) => t.span,
            Statement::CallPrototype(prototype) => prototype.span,
            Statement::Directive(directive) => directive.span,
        };
        found.push(vec![Edit::remove(tree.to_end(span))]);
    });
    found
}

/// Edits that remove the braces of blocks but not the statements inside.
pub(super) fn unwrap(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    tree.each_statement(|statement, _| {
        if let Statement::Block(block) = statement {
            let range = block.span.range();
            let mut unit = vec![Edit::remove(range.start..range.start + 1)];
            // The closing brace is missing if the text ends within the block.
            if range.len() > 1 && tree.text[range.clone()].ends_with('}') {
                unit.push(Edit::remove(range.end - 1..range.end));
            }
            found.push(unit);
        }
    });
    found
}

/// Edits that remove `.file`, `.section`, `.loc` and `.pragma` directives.
pub(super) fn directives(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    for item in &tree.parsed.module.items {
        if let Item::Directive(directive) = item {
            found.push(vec![Edit::remove(tree.to_end(directive.span))]);
        }
    }
    tree.each_statement(|statement, _| {
        if let Statement::Directive(directive) = statement {
            found.push(vec![Edit::remove(tree.to_end(directive.span))]);
        }
    });
    found
}

/// Edits that remove functions, variables and aliases, and parts that could not be parsed.
pub(super) fn items(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    for item in &tree.parsed.module.items {
        let span = match item {
            Item::Version(_) | Item::Target(_) | Item::AddressSize(_) | Item::Directive(_) => {
                continue;
            }
            Item::Variable(variable) => variable.span,
            Item::Alias(alias) => alias.span,
            Item::Function(f) => f.body.as_ref().map_or(f.span, |body| f.span.to(body.span)),
        };
        found.push(vec![Edit::remove(tree.to_end(span))]);
    }
    found.extend(tree.parsed.lost.iter().map(|lost| vec![Edit::remove(lost.range())]));
    found
}

/// Edits that replace the bodies of functions by a single `ret`.
pub(super) fn bodies(tree: &Tree<'_>) -> Vec<Unit> {
    let one = |span: texunit_syntax::Span| vec![Edit::replace(span.range(), "{\n\tret;\n}")];
    tree.bodies().filter(|(_, b)| b.statements.len() > 1).map(|(_, b)| one(b.span)).collect()
}

/// Edits that split a declaration of several variables into one declaration per variable.
pub(super) fn split(tree: &Tree<'_>) -> Vec<Unit> {
    let variables = tree.variables();
    let mut found = Vec::new();
    for group in variables.chunk_by(|a, b| a.span.start == b.span.start) {
        let [first, rest @ ..] = group else { continue };
        if rest.is_empty() {
            continue;
        }
        let head = &tree.text[first.span.start as usize..first.name.span.start as usize];
        let mut end = first.span.end as usize;
        let mut unit = Vec::new();
        for variable in rest {
            let start = variable.name.span.start as usize;
            unit.push(Edit::replace(end..start, format!(";\n{head}")));
            end = variable.span.end as usize;
        }
        found.push(unit);
    }
    found
}

/// Edits that remove initialisers, alignments and performance directives.
pub(super) fn extras(tree: &Tree<'_>) -> Vec<Unit> {
    let mut found = Vec::new();
    let mut remove = |range| found.push(vec![Edit::remove(range)]);
    for variable in tree.variables() {
        let start = variable.initializer.as_ref().map(|value| value.span().start);
        let name = variable.name.span.end as usize;
        if let Some(equal) = start.and_then(|s| tree.text[name..s as usize].rfind('=')) {
            remove(name + equal..variable.span.end as usize);
        }
        if let Some((_, span)) = variable.align {
            let blanks = tree.text[span.range().end..].bytes().take_while(|b| *b == b' ').count();
            remove(span.range().start..span.range().end + blanks);
        }
    }
    for function in tree.functions() {
        function.directives.iter().for_each(|d| remove(d.span.range()));
    }
    found
}
