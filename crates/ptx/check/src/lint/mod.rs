//! Lints: warnings about code that ptxas accepts but that is probably not what the author intended.
//! docs/lints.md lists them.
//!
//! A lint reports only what is certain. Functions with errors, registers that unknown instructions
//! mention, and functions that would take too long are skipped. All analyses take about linear
//! time; where a search exceeds its limit, nothing is reported.

mod barriers;
mod body;
mod divergence;
mod levels;
mod members;
mod reads;
mod results;
mod surfaces;
#[cfg(test)]
mod tests;
mod textures;
mod unreachable;
mod unused;

pub use levels::{Levels, UnknownCode};
use texunit_forms::sort_by_key;

use std::collections::HashMap;

use texunit_syntax::ast::{Item, Module};
use texunit_syntax::{Diagnostic, SourceFile, Span};

use crate::module::Checked;
use body::{Body, Origin};

/// The functions of a module that lints can analyse.
struct Bodies<'a> {
    module: &'a Module<'a>,
    checked: &'a Checked,
    list: Vec<Body<'a>>,
    /// Whether the list has all functions with a body, and the module has no errors.
    complete: bool,
}

/// Looks for suspicious code in a module that was parsed without errors and checked; functions with
/// errors are skipped.
pub fn lint(source: &SourceFile, module: &Module, checked: &Checked) -> Vec<Diagnostic> {
    let mut errors: Vec<u32> =
        checked.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.primary.span.start).collect();
    sort_by_key(&mut errors, |&at| at);
    let by_span: HashMap<Span, usize> = checked
        .module
        .functions
        .iter()
        .enumerate()
        .filter(|(_, f)| f.body.is_some())
        .map(|(n, f)| (f.span, n))
        .collect();
    let origin = Origin::new(source, module, &checked.module);
    let mut bodies = Bodies { module, checked, list: Vec::new(), complete: errors.is_empty() };
    for item in &module.items {
        let Item::Function(f) = item else { continue };
        let Some(block) = &f.body else { continue };
        let end = block.span.end.max(f.span.end);
        let first = errors.partition_point(|&e| e < f.span.start);
        let broken = errors.get(first).is_some_and(|&e| e <= end);
        let function = by_span.get(&f.span).map(|&n| &checked.module.functions[n]);
        let body = match function {
            Some(function) if !broken => {
                Body::new(origin, source, &checked.module, function, block)
            }
            _ => None,
        };
        match body {
            Some(body) => bodies.list.push(body),
            None => bodies.complete = false,
        }
    }
    let mut out = Vec::new();
    for body in &bodies.list {
        reads::lint(body, &mut out);
        unreachable::lint(body, &mut out);
        barriers::lint(body, &mut out);
        members::lint(body, &mut out);
        results::lint(body, &mut out);
        surfaces::lint(body, &mut out);
    }
    textures::lint(&bodies, &mut out);
    unused::lint(&bodies, &mut out);
    sort_by_key(&mut out, |d| (d.primary.span.start, d.code));
    out
}
