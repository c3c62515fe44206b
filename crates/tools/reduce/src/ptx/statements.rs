//! Removes statements from the bodies of functions.

use super::{Tree, Unit, together};
use crate::search::Search;
use crate::text::Edit;
use texunit_syntax::ast::Statement;

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
