//! Reduces the text of a PTX module, from its largest parts to its smallest. Each function makes
//! attempts in a search, and returns whether any succeeded.

mod formula;
mod inline;
mod names;
mod operands;
mod statements;

use crate::search::Search;
use crate::text::{Edit, apply, blank_lines, comments};
pub(crate) use formula::formula;
use std::ops::Range;
use texunit_syntax::ast::{
    Block, Function, Instruction, Item, Operand, OperandKind, Statement, Variable,
};
use texunit_syntax::{Parsed, SourceFile, Span, parse};

/// Edits that must be made together.
type Unit = Vec<Edit>;

/// The text of a module and its syntax tree.
struct Tree<'a> {
    text: &'a str,
    parsed: Parsed<'a>,
}

impl<'a> Tree<'a> {
    fn functions(&self) -> impl Iterator<Item = &Function<'a>> {
        self.parsed.module.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            _ => None,
        })
    }

    fn bodies(&self) -> impl Iterator<Item = (&Function<'a>, &Block<'a>)> {
        self.functions().filter_map(|f| Some((f, f.body.as_ref()?)))
    }

    /// Calls `tell` with every statement and its nesting depth, which is 0 directly in a function's
    /// body.
    fn each_statement<'t>(&'t self, mut tell: impl FnMut(&'t Statement<'a>, usize)) {
        for (_, body) in self.bodies() {
            walk(body, 0, &mut tell);
        }
    }

    fn instructions(&self) -> Vec<&Instruction<'a>> {
        let mut list = Vec::new();
        self.each_statement(|statement, _| {
            if let Statement::Instruction(instruction) = statement {
                list.push(instruction);
            }
        });
        list
    }

    /// The variables of the module and of bodies, without parameters.
    fn variables(&self) -> Vec<&Variable<'a>> {
        let mut list: Vec<&Variable<'a>> = Vec::new();
        for item in &self.parsed.module.items {
            if let Item::Variable(variable) = item {
                list.push(variable);
            }
        }
        self.each_statement(|statement, _| {
            if let Statement::Variable(variable) = statement {
                list.push(variable);
            }
        });
        list
    }

    /// Extends a range to include the following `;` or `:`, unless the range ends with `;` or `}`.
    fn to_end(&self, span: Span) -> Range<usize> {
        let range = span.range();
        if self.text[..range.end].ends_with([';', '}']) {
            return range;
        }
        let rest = &self.text[range.end..];
        let ends = rest.trim_start().starts_with([';', ':']);
        let end = range.end + if ends { rest.len() - rest.trim_start().len() + 1 } else { 0 };
        range.start..end
    }
}

/// The name that an operand is.
fn name_of<'a>(operand: &Operand<'a>) -> Option<&'a str> {
    match &operand.kind {
        OperandKind::Name { name, component: None } => Some(name.text),
        _ => None,
    }
}

fn walk<'a, 't>(
    block: &'t Block<'a>,
    depth: usize,
    tell: &mut impl FnMut(&'t Statement<'a>, usize),
) {
    for statement in &block.statements {
        tell(statement, depth);
        if let Statement::Block(inner) = statement {
            walk(inner, depth + 1, tell);
        }
    }
}

/// Calls `find` with the syntax tree of a text, and returns its result.
fn units<T>(text: &str, find: impl FnOnce(&Tree<'_>) -> T) -> T {
    let source = SourceFile::new("kernel.ptx", text);
    find(&Tree { text: source.text(), parsed: parse(&source) })
}

/// Makes as many of the edits as possible, by trying subsets. The edits must be independent.
fn together(
    search: &mut Search<'_>,
    step: &'static str,
    find: impl Fn(&Tree<'_>) -> Vec<Unit>,
) -> bool {
    search.step(step);
    let base = search.best().clone();
    let found = units(&base.ptx, find);
    search.subsets(found.len(), |chosen| {
        let chosen = found.iter().zip(chosen).filter(|(_, chosen)| **chosen);
        base.with_ptx(apply(&base.ptx, chosen.flat_map(|(unit, _)| unit)))
    })
}

/// Tries edits one by one. After each success `find` searches for edits again, because positions
/// have changed.
fn singly(
    search: &mut Search<'_>,
    step: &'static str,
    find: impl Fn(&Tree<'_>) -> Vec<Unit>,
) -> bool {
    search.step(step);
    let (mut changed, mut at) = (false, 0);
    let mut found = units(&search.best().ptx, &find);
    while at < found.len() && !search.is_over() {
        let best = search.best();
        if search.attempt(best.with_ptx(apply(&best.ptx, &found[at]))) {
            changed = true;
            found = units(&search.best().ptx, &find);
        } else {
            at += 1;
        }
    }
    changed
}

/// Removes comments and debug information.
pub(crate) fn without_debug(search: &mut Search<'_>) {
    let all = |tree: &Tree<'_>| {
        let mut unit = comments(tree.text);
        unit.extend(statements::directives(tree).into_iter().flatten());
        vec![unit]
    };
    if !together(search, "comments", all) {
        together(search, "comments", |tree| {
            comments(tree.text).into_iter().map(|edit| vec![edit]).collect()
        });
        together(search, "directives", statements::directives);
    }
    together(search, "blank lines", |tree| vec![blank_lines(tree.text)]);
}

/// Applies each reduction of a module once; returns whether any succeeded.
pub(crate) fn round(search: &mut Search<'_>, first: bool) -> bool {
    let mut changed = false;
    if first {
        changed |= together(search, "declarations", statements::split);
    }
    // Items are removed after bodies, because most functions are called as long as their callers
    // have bodies.
    changed |= together(search, "bodies of functions", statements::bodies);
    changed |= statements::reduce(search);
    changed |= together(search, "functions and variables", statements::items);
    changed |= together(search, "unused names", names::unused);
    changed |= together(search, "blocks", statements::unwrap);
    changed |= together(search, "guards", operands::guards);
    changed |= together(search, "operands", operands::simpler);
    changed |= singly(search, "values", operands::forward);
    changed |= together(search, "offsets", operands::offsets);
    changed |= together(search, "initial values and directives", statements::extras);
    changed |= names::arguments(search);
    changed |= singly(search, "calls", inline::only_calls);
    changed |= names::parameters(search);
    changed |= together(search, "unused names", names::unused);
    changed |= together(search, "modifiers", operands::modifiers);
    changed |= operands::numbers(search);
    // Removes single lines, mainly for text that the parser could not parse.
    changed |= together(search, "lines", |tree| {
        let mut at = 0;
        let lines = tree.text.split_inclusive('\n').map(|line| {
            at += line.len();
            vec![Edit::remove(at - line.len()..at)]
        });
        lines.collect()
    });
    changed
}

/// Makes the reduced module easier to read.
pub(crate) fn tidy(search: &mut Search<'_>) {
    together(search, "names of registers", names::renumber);
    together(search, "blank lines", |tree| vec![blank_lines(tree.text)]);
}

#[cfg(test)]
mod tests;
