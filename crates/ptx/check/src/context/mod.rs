//! The state of a check: the typed module under construction, its global names, and the
//! diagnostics.

pub(crate) mod scope;
pub(crate) mod signature;

use std::rc::Rc;
use std::sync::Arc;

use texunit_isa::gate::Variant;
use texunit_isa::requirement::Requirement;
use texunit_isa::{Form, Modifiers, Opcode, ScalarType};
use texunit_syntax::{Diagnostic, SourceFile, Span, ast, numbered};

use crate::context::signature::{Callee, Signature};
use crate::ir::{FuncId, Module, VarId};
use crate::message::cap::Counts;
use crate::names::{Map, usual};
use crate::options::{Options, Ptxas};
use crate::sources::Collector;
use crate::special;

/// The meaning of a name at module scope.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Global {
    Variable(VarId),
    Function(FuncId),
    /// A per-thread register or `.local` variable, which each body declares for itself.
    PerThread,
    /// The declaration was invalid; uses of the name are not reported.
    Broken,
}

/// The parsed opcode and modifiers of an instruction.
pub(crate) struct ReadModifiers {
    pub(crate) opcode: Opcode,
    pub(crate) mods: Arc<Modifiers>,
    /// The matching forms; empty for opcodes that are known only by name.
    pub(crate) forms: Vec<&'static Form>,
    /// Version and target requirements of the modifiers.
    pub(crate) gates: Vec<Requirement>,
    /// Required architecture variants, such as `sm_90a`.
    pub(crate) variants: Vec<Variant>,
}

/// The state of a check of a module.
pub(crate) struct Checker<'a> {
    pub(crate) source: &'a SourceFile,
    pub(crate) options: Options,
    pub(crate) diagnostics: Vec<Diagnostic>,
    counts: Counts,
    pub(crate) module: Module,
    pub(crate) globals: Map<&'a str, (Global, Span)>,
    /// Cache of opcodes and modifiers that have been read.
    pub(crate) modifiers: Map<&'a str, Rc<ReadModifiers>>,
    /// Numbered groups: `x<8>` declares x0 to x7, and each is created when it is first named. The
    /// declaration is `None` if it was invalid.
    pub(crate) groups: Map<&'a str, (Option<&'a ast::Variable<'a>>, u64, Span)>,
    /// The variables of numbered groups `x<8>` that have been created, by prefix and number.
    pub(crate) members: Map<(&'a str, u64), VarId>,
    /// For each prefix of module-scope names that end with a number, the smallest number.
    pub(crate) numbered: Map<&'a str, (u64, Span)>,
    /// Collects the source locations of instructions.
    pub(crate) sources: Collector<'a>,
    /// Labels in sections, which have their own namespace.
    pub(crate) section_labels: Map<&'a str, Span>,
    /// Indices of `.file` directives.
    pub(crate) files: Map<u32, Span>,
    /// The linkage of each function's first declaration.
    pub(crate) linkages: Vec<Option<ast::Linkage>>,
    /// Per-thread variables at module scope.
    pub(crate) per_thread: Vec<&'a ast::Variable<'a>>,
    /// Number of per-thread variables, counted again for each body, to limit the work.
    pub(crate) per_thread_work: usize,
    /// Whether the module has an instruction for which ptxas appends a routine.
    pub(crate) has_routine: bool,
    /// Signatures of called functions; `None` for an invalid prototype.
    pub(crate) signatures: Map<Callee, Option<Rc<Signature>>>,
    /// Total number of targets of all indexed branches so far.
    pub(crate) targets: usize,
    /// Total bytes of function names in the names `function.variable`.
    pub(crate) owner_bytes: usize,
    /// Names at module scope whose declaration has not been reached yet.
    pub(crate) later: Map<&'a str, Span>,
    /// Position of `.version`.
    pub(crate) version_place: Option<Span>,
    /// Number of `.target`, such as 75 for `sm_75`.
    pub(crate) target: u32,
    /// The release of ptxas whose rules apply; the newest release for texunit's verdicts.
    pub(crate) release: Ptxas,
    /// Kernels with a body, and the positions of their names.
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
            has_routine: false,
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

    /// Reports a diagnostic.
    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        if self.counts.admit(&diagnostic) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports an error with its help text.
    pub(crate) fn wrong(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    /// Reports an error with its help text; returns `None` as the result of the check.
    pub(crate) fn refuse<T>(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.refuse_with(Diagnostic::error(code, span, message).help(help))
    }

    /// Reports a diagnostic; returns `None` as the result of the check.
    pub(crate) fn refuse_with<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.report(diagnostic);
        None
    }

    /// Reports code that ptxas's front end accepts although no hardware supports it: an error, or a
    /// warning if ptxas's verdicts were requested.
    pub(crate) fn beyond_ptxas(&mut self, mut diagnostic: Diagnostic) -> Option<()> {
        let compat = self.options.ptxas_compat();
        if compat {
            diagnostic.severity = texunit_syntax::Severity::Warning;
        }
        self.report(diagnostic);
        compat.then_some(())
    }

    /// Whether the module's `.version` is at least `version` (times ten).
    pub(crate) fn has_version(&self, version: u32) -> bool {
        self.module.version >= (version / 10, version % 10)
    }

    /// Where the module's version comes from, as text for a label.
    pub(crate) fn version_said(&self) -> String {
        let (major, minor) = self.module.version;
        match self.options.version {
            Some(_) => format!("version {major}.{minor} is used instead of .version"),
            None => format!("the module says .version {major}.{minor}"),
        }
    }

    /// Reports an error if the version or target does not support a feature.
    pub(crate) fn require(&mut self, requirement: Requirement, span: Span) {
        self.require_named(requirement.feature, requirement.version, requirement.target, span);
    }

    /// Reports an error if the module's version (times ten) or target is too old for a feature.
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
            let message = format!(".target sm_{target} is needed for {feature}");
            self.report(
                Diagnostic::error("E0231", span, message)
                    .label(said)
                    .help(format!("write .target sm_{target} or higher")),
            );
        }
    }

    /// The position of the number after `.version`, if `needed` (times ten) is a valid replacement.
    fn version_number(&self, needed: u32) -> Option<Span> {
        // Before version 2.0 other rules applied; later versions need a newer ptxas.
        let replaced = self.options.version.is_some() || self.module.version < (2, 0);
        let known = (needed / 10, needed % 10) <= self.release.newest_version();
        let place = self.version_place.filter(|_| !replaced && known)?;
        let digits = self.source.snippet(place).bytes().rev();
        let len = digits.take_while(|b| b.is_ascii_digit() || *b == b'.').count() as u32;
        (len > 0).then_some(Span { start: place.end - len, end: place.end })
    }

    /// The type that is called `name`; reports an error if there is none.
    pub(crate) fn scalar_type(&mut self, name: &ast::Ident) -> Option<ScalarType> {
        ScalarType::from_name(name.text).or_else(|| {
            let help = "types are .pred, .b8 to .b128, .u8 to .u64, .s8 to .s64, .f16, .f16x2, .f32, .f64, .texref, .samplerref and .surfref";
            self.refuse("E0131", name.span, format!(".{} is not a type", name.text), help)
        })
    }

    /// Defines a name at module scope; reports an error if it is already defined.
    pub(crate) fn define(&mut self, name: &ast::Ident<'a>, global: Global) {
        self.later.remove(name.text);
        // A release of ptxas reserves the names of the special registers that it knows.
        let (major, minor) = self.release.newest_version();
        if special::lookup(name.text).is_some_and(|s| s.since.0 <= major * 10 + minor) {
            let message = format!("{} is a special register", name.text);
            self.wrong("E0111", name.span, message, "choose another name");
        }
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
