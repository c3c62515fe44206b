//! Finds items of a module, and properties of items, that can be removed.

use super::{Tree, Unit};
use crate::text::Edit;
use texunit_syntax::ast::{Item, Statement};

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

/// Edits that split a declaration of several names into one for each name.
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
