//! The state of a check: the module under construction, its global names and the mistakes.

pub(crate) mod read;
pub(crate) mod scope;
pub(crate) mod signature;

use std::rc::Rc;

use texunit_isa::ScalarType;
use texunit_isa::requirement::Requirement;
use texunit_syntax::{Diagnostic, SourceFile, Span, ast, numbered};

use crate::context::read::ReadModifiers;
use crate::context::signature::{Callee, Signature};
use crate::ir::{FuncId, Module, VarId};
use crate::message::cap::Counts;
use crate::names::{Map, usual};
use crate::options::{Options, Ptxas};
use crate::sources::Collector;

/// A name at module scope.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Global {
    Variable(VarId),
    Function(FuncId),
    /// A register or `.local` variable of each thread, which bodies find among their own names.
    PerThread,
    /// Its declaration was wrong: no more is said about it.
    Broken,
}

/// One check.
pub(crate) struct Checker<'a> {
    pub(crate) source: &'a SourceFile,
    pub(crate) options: Options,
    pub(crate) diagnostics: Vec<Diagnostic>,
    counts: Counts,
    pub(crate) module: Module,
    pub(crate) globals: Map<&'a str, (Global, Span)>,
    /// Opcodes and modifiers that were read before.
    pub(crate) modifiers: Map<&'a str, Rc<ReadModifiers>>,
    /// `x<8>`: variables x0 to x7, made when they are named; nothing if something was wrong.
    pub(crate) groups: Map<&'a str, (Option<&'a ast::Variable<'a>>, u64, Span)>,
    /// The variables that have been made of them.
    pub(crate) members: Map<(&'a str, u64), VarId>,
    /// Of global names that end with a number, by what stands before it: the smallest number.
    pub(crate) numbered: Map<&'a str, (u64, Span)>,
    /// Where instructions come from.
    pub(crate) sources: Collector<'a>,
    /// Labels in sections, which are names of their own.
    pub(crate) section_labels: Map<&'a str, Span>,
    /// Indices of `.file`.
    pub(crate) files: Map<&'a str, Span>,
    /// The linkage that each function was first declared with.
    pub(crate) linkages: Vec<Option<ast::Linkage>>,
    /// Variables of module scope that each thread has.
    pub(crate) per_thread: Vec<&'a ast::Variable<'a>>,
    /// How many of them have been declared in bodies.
    pub(crate) per_thread_work: usize,
    /// Signatures of what has been called; `None` for those with mistakes.
    pub(crate) signatures: Map<Callee, Option<Rc<Signature>>>,
    /// Targets of all indexed branches so far.
    pub(crate) targets: usize,
    /// Bytes of the names of functions in the names of their variables.
    pub(crate) owner_bytes: usize,
    /// Names declared further down.
    pub(crate) later: Map<&'a str, Span>,
    /// Where `.version` stands.
    pub(crate) version_place: Option<Span>,
    /// Number of `.target`: 75 of `sm_75`.
    pub(crate) target: u32,
    /// The release of NVIDIA's assembler whose rules hold; the newest for our own verdicts.
    pub(crate) release: Ptxas,
    /// Kernels with a body, and where they are named.
    pub(crate) kernels: Vec<(FuncId, Span)>,
}

impl<'a> Checker<'a> {
    pub(crate) fn new(source: &'a SourceFile, options: Options) -> Self {
        Self {
            source,
            options,
            diagnostics: Vec::new(),
            counts: Counts::default(),
            module: Module::default(),
            globals: Map::default(),
            modifiers: Map::default(),
            groups: Map::default(),
            members: Map::default(),
            numbered: Map::default(),
            sources: Collector::default(),
            section_labels: Map::default(),
            files: Map::default(),
            linkages: Vec::new(),
            per_thread: Vec::new(),
            per_thread_work: 0,
            signatures: Map::default(),
            targets: 0,
            owner_bytes: 0,
            later: Map::default(),
            version_place: None,
            target: 0,
            release: Ptxas::V13_5,
            kernels: Vec::new(),
        }
    }

    /// Reports a mistake.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.counts.admit(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports what no machine can have and the assembler's front end lets pass: an error, or a
    /// warning if its verdicts were asked for.
    pub(crate) fn beyond_ptxas(&mut self, mut diagnostic: Diagnostic) -> Option<()> {
        let compat = self.options.ptxas_compat();
        if compat {
            diagnostic.severity = texunit_syntax::Severity::Warning;
        }
        self.report(diagnostic);
        compat.then_some(())
    }

    /// Whether `.version` is at least this (times ten).
    pub(crate) fn has_version(&self, version: u32) -> bool {
        self.module.version >= (version / 10, version % 10)
    }

    /// Where the version comes from, for a label.
    pub(crate) fn version_said(&self) -> String {
        let (major, minor) = self.module.version;
        match self.options.version {
            Some(_) => format!("version {major}.{minor} is used instead of .version"),
            None => format!("the module says .version {major}.{minor}"),
        }
    }

    /// Demands what a feature needs.
    pub(crate) fn require(&mut self, requirement: Requirement, span: Span) {
        self.require_named(requirement.feature, requirement.version, requirement.target, span);
    }

    /// Demands a version (times ten) and a target for something that has this name.
    pub(crate) fn require_named(&mut self, feature: &str, version: u32, target: u32, span: Span) {
        if !self.has_version(version) && self.module.version != (0, 0) {
            let needed = format!("{}.{}", version / 10, version % 10);
            let message = format!("PTX ISA version {needed} is needed for {feature}");
            let diagnostic = Diagnostic::error("E0230", span, message)
                .label(self.version_said())
                .help(format!("write .version {needed} or later"));
            self.report(match self.version_number(version) {
                Some(number) => diagnostic.fix(number, needed),
                None => diagnostic,
            });
        }
        if self.target < target && self.target != 0 {
            let said = match self.options.target {
                Some(_) => format!("{} is used instead of .target", self.module.target),
                None => format!("the module says .target {}", self.module.target),
            };
            self.report(
                Diagnostic::error(
                    "E0231",
                    span,
                    format!(".target sm_{target} is needed for {feature}"),
                )
                .label(said)
                .help(format!("write .target sm_{target} or higher")),
            );
        }
    }

    /// The number behind `.version`, if a later version (times ten) can stand there.
    fn version_number(&self, needed: u32) -> Option<Span> {
        // Before 2.0 other rules held, and a release knows no later version than its own.
        let replaced = self.options.version.is_some() || self.module.version < (2, 0);
        let known = (needed / 10, needed % 10) <= self.release.newest_version();
        let place = self.version_place.filter(|_| !replaced && known)?;
        let digits = self.source.snippet(place).bytes().rev();
        let len = digits.take_while(|b| b.is_ascii_digit() || *b == b'.').count() as u32;
        (len > 0).then_some(Span { start: place.end - len, end: place.end })
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
    pub(crate) fn define(&mut self, name: &ast::Ident<'a>, global: Global) {
        self.later.remove(name.text);
        let member = numbered(name.text);
        let group = member.and_then(|(prefix, number)| {
            self.groups.get(prefix).and_then(|(_, count, span)| (number < *count).then_some(*span))
        });
        let taken = self.globals.get(name.text).map(|(_, first)| *first).or(group);
        if let Some(first) = taken {
            self.duplicate(name, first);
            return;
        }
        self.globals.insert(name.text, (global, name.span));
        if let Some((prefix, number)) = member.filter(|_| usual(name.text).is_none()) {
            let entry = self.numbered.entry(prefix).or_insert((number, name.span));
            *entry = (*entry).min((number, name.span));
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
