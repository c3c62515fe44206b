//! Checks of function bodies: declarations, labels, nested scopes, and all statements.

mod did_you_mean;
mod numbered;
mod subscript;
mod targets;
pub(crate) mod value;

use texunit_isa::ScalarType;
use texunit_syntax::ast::{self, Space, Statement};
use texunit_syntax::{Diagnostic, Span};

use crate::context::Checker;
use crate::context::scope::{Local, Numbered, Pattern, RegDecl, Resolved, Scope, Scopes};
use crate::declaration::allowed::DeclSite;
use crate::ir::{FrameVar, Function, Guard, Instruction, LabelId};
use crate::names::Set;

/// Maximum number of per-thread variables at module scope times the number of bodies.
const MAX_PER_THREAD_WORK: usize = 10_000_000;
/// Maximum local memory of a thread in bytes.
const MAX_FRAME: u64 = 512 << 10;

/// A function body while it is being checked.
pub(crate) struct Body<'c, 'a> {
    pub(crate) cx: &'c mut Checker<'a>,
    pub(crate) scopes: Scopes<'a>,
    pub(crate) function: Function,
    instructions: Vec<Instruction>,
    frame_bytes: u64,
    /// Declarations of numbered groups of variables (`l<2>`), of which each variable is created
    /// when it is first named.
    patterns: Vec<Pattern>,
    /// Undefined names that have been reported.
    reported: Set<&'a str>,
    /// Whether the current instruction was accepted only for compatibility with ptxas.
    pub(crate) miscompiled: bool,
}

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn new(cx: &'c mut Checker<'a>, scopes: Scopes<'a>, function: Function) -> Self {
        Self {
            cx,
            scopes,
            function,
            instructions: Vec::new(),
            frame_bytes: 0,
            patterns: Vec::new(),
            reported: Set::default(),
            miscompiled: false,
        }
    }

    pub(crate) fn run(mut self, block: &'a ast::Block<'a>) -> Function {
        self.per_thread(&block.span);
        // Parameters and the outermost declarations of the body share a scope.
        self.statements(block);
        self.function.regs = self.scopes.registers;
        self.function.body = Some(self.instructions);
        self.function
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.cx.report(diagnostic);
    }

    /// Reports code that ptxas accepts and miscompiles: an error, or a warning if ptxas's verdicts
    /// were requested; the instruction must then not be executed.
    pub(crate) fn report_miscompiled(&mut self, diagnostic: Diagnostic) {
        self.miscompiled = true;
        let _ = self.cx.beyond_ptxas(diagnostic);
    }

    fn block(&mut self, block: &'a ast::Block<'a>) {
        self.scopes.stack.push(Scope::default());
        self.statements(block);
        self.scopes.stack.pop();
    }

    fn statements(&mut self, block: &'a ast::Block<'a>) {
        for statement in &block.statements {
            if let Statement::Label(name) = statement {
                let id = LabelId(self.function.labels.len() as u32);
                self.function.labels.push((name.text.to_string(), usize::MAX));
                self.define(name, Local::Label(id));
            }
        }
        for statement in &block.statements {
            match statement {
                Statement::Label(name) => {
                    let here = self.scopes.stack.last().and_then(|s| s.names.get(name.text));
                    if let Some((Local::Label(id), _)) = here {
                        self.function.labels[id.0 as usize].1 = self.instructions.len();
                    }
                }
                Statement::Instruction(i) => {
                    if let Some(checked) = self.instruction(i) {
                        self.cx.sources.instruction(checked.span.start);
                        self.instructions.push(checked);
                    }
                }
                Statement::Variable(v) => self.variable(v),
                Statement::Block(b) => self.block(b),
                Statement::CallPrototype(p) => {
                    self.cx.require_named(".callprototype", 21, 20, p.span);
                    self.cx.function_directives(&p.directives, &p.returns);
                    self.check_prototype(p);
                    self.define(&p.label, Local::Prototype(p));
                }
                Statement::BranchTargets(t) => {
                    self.cx.require_named(".branchtargets", 60, 30, t.span);
                    let found = self.branch_targets(t);
                    let local = found.map_or(Local::Broken, |_| Local::BranchTargets(t));
                    self.define(&t.label, local);
                }
                Statement::CallTargets(t) => {
                    self.cx.require_named(".calltargets", 21, 20, t.span);
                    let found = self.call_targets(t);
                    let local = found.map_or(Local::Broken, |_| Local::CallTargets(t));
                    self.define(&t.label, local);
                }
                Statement::Directive(d) => self.directive(d),
            }
        }
    }

    /// Checks `.loc` and `.pragma`.
    fn directive(&mut self, d: &'a ast::Directive<'a>) {
        match &d.content {
            ast::Content::Loc(loc) => {
                if let Some(place) = loc.inlined_at {
                    self.inlined(d, place);
                }
                self.cx.sources.loc(loc);
            }
            _ => self.cx.directive(d, true),
        }
    }

    /// Checks a `.loc` with `inlined_at`, which must name the location of another `.loc`.
    fn inlined(&mut self, d: &'a ast::Directive<'a>, place: ast::FilePlace) {
        self.cx.require_named("inlined_at", 72, 0, d.span);
        if !self.cx.sources.knows(place) {
            let help = "write a .loc with the place after inlined_at first";
            let message = "no .loc before this one has the place of the call";
            self.cx.wrong("E0161", d.span, message, help);
        }
    }

    /// Declares the per-thread variables of module scope in the scope of the function.
    fn per_thread(&mut self, body: &Span) {
        let all = std::mem::take(&mut self.cx.per_thread);
        if all.is_empty() {
            return;
        }
        if !self.function.is_entry {
            // A register shared by several functions is refused: texunit would give each function a
            // copy.
            let message = "a function cannot share registers of module scope with its callers";
            let error = Diagnostic::error("E0130", self.function.span, message);
            let help = "declare the registers in each body, and pass values as parameters";
            let _ = self.cx.beyond_ptxas(error.help(help));
        }
        let parameters = self.scopes.stack.pop();
        self.scopes.stack.push(Scope::default());
        self.cx.per_thread_work += all.len();
        if self.cx.per_thread_work <= MAX_PER_THREAD_WORK {
            all.iter().for_each(|v| self.variable(v));
        } else {
            let message = "too many kernels for so many variables of module scope";
            let help = "declare registers in the bodies that use them";
            self.report(Diagnostic::error("E0133", *body, message).help(help));
        }
        self.scopes.stack.extend(parameters);
        self.cx.per_thread = all;
    }

    fn define(&mut self, name: &ast::Ident<'a>, local: Local<'a>) {
        self.cx.define_local(&mut self.scopes, name, local);
    }

    fn variable(&mut self, v: &'a ast::Variable<'a>) {
        let pattern = match v.space {
            Space::Reg => return self.register(v),
            Space::Local | Space::Param => {
                self.frame_variable(v).map(|f| Pattern::Frame(f, v.span))
            }
            Space::Global | Space::Const | Space::Shared | Space::Tex => {
                let variable = self.cx.static_variable(v, String::new(), false);
                variable.map(|variable| Pattern::Static(Box::new(variable)))
            }
        };
        if v.count.is_none() {
            let local = pattern.map_or(Local::Broken, |pattern| self.made(pattern, v.name.text));
            return self.declare(v, local);
        }
        let group = pattern.map_or(Numbered::Broken, |pattern| {
            self.patterns.push(pattern);
            Numbered::Variable(self.patterns.len() - 1)
        });
        self.group(v, group);
    }

    fn register(&mut self, v: &'a ast::Variable<'a>) {
        let Some(ty) = self.cx.declared(v, DeclSite::Body) else {
            return self.define(&v.name, Local::Broken);
        };
        if v.initializer.is_some() {
            let help = "write a mov instruction";
            self.cx.wrong("E0135", v.span, "registers have no initial value", help);
            return self.define(&v.name, Local::Broken);
        }
        let _ = self.cx.attributes(v, DeclSite::Body, false);
        if let Some((n, span)) = v.align {
            let _ = self.cx.alignment(n, span);
        }
        let decl = RegDecl { ty, vector: v.vector.max(1) };
        match v.count {
            None => self.declare(v, Local::Reg(decl)),
            Some(_) => self.group(v, Numbered::Reg(decl)),
        }
    }

    /// Checks a `.local` or `.param` variable, except its name.
    fn frame_variable(&mut self, v: &'a ast::Variable<'a>) -> Option<FrameVar> {
        let ty = self.cx.declared(v, DeclSite::Body)?;
        if v.initializer.is_some() {
            let message = format!("{} cannot be declared like this", v.name.text);
            let help = "a .local or .param variable of a body has no initial value";
            return self.cx.refuse("E0130", v.span, message, help);
        }
        self.cx.attributes(v, DeclSite::Body, false)?;
        let layout = self.cx.layout(v, ty)?;
        if layout.open {
            self.cx.open_array(v.span);
            return None;
        }
        if v.space == Space::Param {
            self.cx.parameter_alignment(v)?;
            // Kernels of the first PTX versions have `.param` variables without a purpose.
            if !self.function.is_entry || self.cx.has_version(14) {
                self.cx.require_named(".param in a .func", 20, 0, v.span);
            }
        }
        Some(FrameVar {
            name: String::new(),
            is_param: v.space == Space::Param,
            ty: layout.ty,
            size: u32::try_from(layout.size).unwrap_or(u32::MAX),
            align: layout.align as u32,
            is_array: layout.is_array,
        })
    }

    /// Checks the guard of an instruction; `Err` if it is invalid.
    pub(crate) fn guard(&mut self, guard: Option<&ast::Guard<'a>>) -> Result<Option<Guard>, ()> {
        let Some(guard) = guard else { return Ok(None) };
        match self.lookup(&guard.register) {
            Some(Resolved::Register(r)) if r.decl.ty == ScalarType::Pred => {
                Ok(Some(Guard { reg: r.id, negated: guard.negated }))
            }
            Some(Resolved::Register(r)) => {
                self.report(
                    Diagnostic::error("E0219", guard.span, "a guard must be a predicate")
                        .label(format!("{} is a .{} register", guard.register.text, r.decl.ty))
                        .help("compare it into a .pred register with setp first"),
                );
                Err(())
            }
            Some(_) => {
                let help = "write @ and the name of a .pred register";
                self.cx.wrong("E0219", guard.span, "a guard must be a predicate", help);
                Err(())
            }
            None => Err(()),
        }
    }

    /// Resolves a name inside the body; undefined names are reported once. Module scope is
    /// excluded.
    pub(crate) fn lookup(&mut self, name: &ast::Ident<'a>) -> Option<Resolved<'a>> {
        let found = self.find(name.text);
        if found.is_none() {
            if self.cx.globals.contains_key(name.text)
                || crate::special::lookup(name.text).is_some()
            {
                return Some(Resolved::Outside);
            }
            self.unknown(name);
        }
        match found {
            Some(Resolved::Other(Local::Broken)) => None,
            other => other,
        }
    }

    /// Reports an undefined name, once.
    pub(crate) fn unknown(&mut self, name: &ast::Ident<'a>) {
        if !self.reported.insert(name.text) {
            return;
        }
        match self.cx.later.get(name.text) {
            Some(_) => drop(self.cx.global(name)),
            None => {
                let diagnostic = self.missing(name);
                self.report(diagnostic);
            }
        }
    }
}
