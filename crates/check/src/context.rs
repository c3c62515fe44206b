//! The state of a check: the module under construction, its global names and the mistakes.

use std::collections::HashMap;
use texunit_isa::ScalarType;
use texunit_isa::floor::Floor;
use texunit_syntax::{Diagnostic, SourceFile, Span, ast};

use crate::ir::{FuncId, Module, VarId};
use crate::{Checked, Options};

/// A name at module scope.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Global<'a> {
    Variable(VarId),
    Function(FuncId),
    /// `x<8>`: variables x0 to x7, made when they are named.
    Range(&'a ast::Variable<'a>),
    /// Its declaration was wrong: no more is said about it.
    Broken,
}

/// One check.
pub(crate) struct Checker<'a> {
    pub(crate) source: &'a SourceFile,
    pub(crate) options: Options,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) module: Module,
    pub(crate) globals: HashMap<&'a str, (Global<'a>, Span)>,
    /// Names declared further down.
    pub(crate) later: HashMap<&'a str, Span>,
    /// Number of `.target`: 75 of `sm_75`.
    pub(crate) target: u32,
    pub(crate) shared_bytes: u64,
    /// Kernels with a body, and where they are named.
    pub(crate) kernels: Vec<(FuncId, Span)>,
    /// The instruction being checked was accepted for ptxas compatibility only.
    pub(crate) miscompiled: bool,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(source: &'a SourceFile, options: Options) -> Self {
        Self {
            source,
            options,
            diagnostics: Vec::new(),
            module: Module::default(),
            globals: HashMap::new(),
            later: HashMap::new(),
            target: 0,
            shared_bytes: 0,
            kernels: Vec::new(),
            miscompiled: false,
        }
    }

    pub(crate) fn run(mut self, module: &'a ast::Module<'a>) -> Checked {
        self.header(module);
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
                _ => {}
            }
        }
        self.resource_limits();
        self.diagnostics.sort_by_key(|d| (d.primary.span.start, d.code));
        Checked { module: self.module, diagnostics: self.diagnostics }
    }

    /// Reports a mistake.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports what ptxas accepts and then translates wrongly: an error, or a warning if its
    /// verdicts were asked for; then the instruction must not be executed.
    pub(crate) fn report_miscompiled(&mut self, mut diagnostic: Diagnostic) {
        self.miscompiled = true;
        if self.options.ptxas_compat() {
            diagnostic.severity = texunit_syntax::Severity::Warning;
        }
        self.report(diagnostic);
    }

    /// Whether `.version` is at least this (times ten).
    pub(crate) fn has_version(&self, version: u32) -> bool {
        self.module.version >= (version / 10, version % 10)
    }

    /// Demands what a feature needs.
    pub(crate) fn require(&mut self, floor: Floor, span: Span) {
        let Floor { feature, version, target } = floor;
        let (major, minor) = self.module.version;
        if !self.has_version(version) && (major, minor) != (0, 0) {
            let needed = format!("{}.{}", version / 10, version % 10);
            self.report(
                Diagnostic::error(
                    "E0230",
                    span,
                    format!("PTX ISA version {needed} is needed for {feature}"),
                )
                .label(format!("the module says .version {major}.{minor}"))
                .help(format!("write .version {needed} or later")),
            );
        }
        if self.target < target && self.target != 0 {
            let has = self.module.target.clone();
            self.report(
                Diagnostic::error(
                    "E0231",
                    span,
                    format!(".target sm_{target} is needed for {feature}"),
                )
                .label(format!("the module says .target {has}"))
                .help(format!("write .target sm_{target} or higher")),
            );
        }
    }

    /// The type with this name, or a mistake.
    pub(crate) fn scalar_type(&mut self, name: &ast::Ident) -> Option<ScalarType> {
        let ty = ScalarType::from_name(name.text);
        if ty.is_none() {
            self.report(
                Diagnostic::error("E0131", name.span, format!(".{} is not a type", name.text))
                    .help("types are .pred, .b8 to .b128, .u8 to .u64, .s8 to .s64, .f16, .f16x2, .f32, .f64, .texref, .samplerref and .surfref"),
            );
        }
        ty
    }

    /// Makes a global name, unless it is taken.
    pub(crate) fn define(&mut self, name: &ast::Ident<'a>, global: Global<'a>) {
        self.later.remove(name.text);
        if let Some(&(_, first)) = self.globals.get(name.text) {
            self.duplicate(name, first);
        } else {
            self.globals.insert(name.text, (global, name.span));
        }
    }

    pub(crate) fn duplicate(&mut self, name: &ast::Ident, first: Span) {
        let text = name.text;
        self.report(
            Diagnostic::error("E0111", name.span, format!("{text} is declared twice"))
                .note(first, "first declared here")
                .help("give one of them another name"),
        );
    }
}
