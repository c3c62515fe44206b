//! Module scope: header lines, functions, directives, and the loop over all items.

mod architecture;
mod function;
mod header;
mod limits;
mod performance;

pub use architecture::{architectures, assembles, first_version, versions};
use texunit_forms::sort_by_key;

use std::sync::Arc;

use texunit_syntax::{Diagnostic, ast};

use crate::context::Checker;
use crate::ir;

/// The result of [`check`](crate::check()).
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// The typed module; incomplete if there are errors.
    pub module: ir::Module,
    /// All diagnostics, in source order.
    pub diagnostics: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    pub(crate) fn run(mut self, module: &'a ast::Module<'a>) -> Checked {
        let target = self.header(module);
        for item in module.items.iter().rev() {
            match item {
                ast::Item::Variable(v) => self.later.insert(v.name.text, v.name.span),
                ast::Item::Function(f) => self.later.insert(f.name.text, f.name.span),
                _ => None,
            };
        }
        for item in &module.items {
            match item {
                ast::Item::Variable(v) => self.module_variable(v),
                ast::Item::Function(f) => self.function(f),
                ast::Item::Alias(a) => self.alias(a),
                ast::Item::Directive(d) => self.directive(d, false),
                _ => {}
            }
        }
        self.version_has_target(module, &target);
        self.resource_limits();
        self.module.sources = Arc::new(self.sources.finish(self.source.text(), &module.items));
        sort_by_key(&mut self.diagnostics, |d| (d.primary.span.start, d.code));
        Checked { module: self.module, diagnostics: self.diagnostics }
    }
}
