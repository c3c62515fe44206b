//! Checks of kernel and function headers: parameters, layout, prototypes, aliases.

use texunit_forms::Count;
use texunit_syntax::ast::{self, Linkage, Space};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::context::scope::{Local, RegDecl, Resolved, Scope, Scopes};
use crate::context::{Checker, Global};
use crate::declaration::allowed::DeclSite;
use crate::declaration::parameter::MAX_FUNC_PARAMS;
use crate::ir::{FuncId, Function, Param, ParamId};

/// Maximum parameter bytes of a kernel: before sm_20, from sm_20 on, and from PTX ISA 8.1 on.
const KERNEL_PARAMS: [u64; 3] = [256, 4352, 32764];
/// The `.version`, times ten, that introduced the largest limit in [`KERNEL_PARAMS`].
const LARGE_PARAMS: u32 = 81;

/// Maximum parameter bytes of a kernel or function.
fn most_bytes(f: &ast::Function) -> u64 {
    if f.is_entry { KERNEL_PARAMS[2] } else { MAX_FUNC_PARAMS }
}

impl<'a> Checker<'a> {
    pub(crate) fn function(&mut self, f: &'a ast::Function<'a>) {
        let mut scopes = Scopes { stack: vec![Scope::default()], ..Scopes::default() };
        let mut function = self.header_of(f, &mut scopes);
        self.function_requirements(f);
        self.bounds(f);
        if let (Some((Linkage::Extern, span)), Some(_)) = (f.linkage, &f.body) {
            let help = "write .visible, or end the declaration without a body";
            self.wrong("E0115", span, "an .extern function is defined elsewhere", help);
        }
        let Some(id) = self.declare_function(f, &function) else { return };
        let Some(block) = &f.body else { return };
        // Declared before the body is checked, in which the function's name is visible.
        function.body = None;
        self.module.functions[id.0 as usize] = function.clone();
        self.sources.begin(f.name.text, f.span.to(block.span));
        let function = Body::new(self, scopes, function).run(block);
        if function.is_entry {
            self.kernels.push((id, f.name.span));
        }
        self.module.functions[id.0 as usize] = function;
    }

    /// Declares a function; returns its index, or `None` if the function was already defined.
    fn declare_function(
        &mut self,
        f: &'a ast::Function<'a>,
        function: &Function,
    ) -> Option<FuncId> {
        let name = f.name.text;
        let Some(&(global, first)) = self.globals.get(name) else {
            let id = FuncId(self.module.functions.len() as u32);
            self.module.functions.push(function.clone());
            self.define(&f.name, Global::Function(id));
            self.linkages.push(f.linkage.map(|(l, _)| l));
            return Some(id);
        };
        let Global::Function(id) = global else {
            self.duplicate(&f.name, first);
            return None;
        };
        if self.module.functions[id.0 as usize].body.is_some() {
            self.duplicate(&f.name, first);
            return None;
        }
        self.same_linkage(f, id, first);
        let old = &self.module.functions[id.0 as usize];
        if !same_signature(old, function) {
            let message = format!("{name} is declared with another signature");
            return self.refuse_with(
                Diagnostic::error("E0115", f.name.span, message)
                    .note(first, "first declared here")
                    .help("make the parameters of prototype and definition the same"),
            );
        }
        Some(id)
    }

    /// Checks that a definition has the linkage of its prototype, or no linkage if the prototype is
    /// not `.extern`.
    fn same_linkage(&mut self, f: &'a ast::Function<'a>, id: FuncId, first: Span) {
        let old = self.linkages.get(id.0 as usize).copied().flatten();
        let new = f.linkage.map(|(l, _)| l);
        let extern_ = old == Some(Linkage::Extern);
        if new == old || new.is_none() && !extern_ {
            return;
        }
        let name = f.name.text;
        let message = format!("{name} is declared with another linkage");
        self.report(
            Diagnostic::error("E0115", f.name.span, message)
                .note(first, "first declared here")
                .help(if extern_ {
                    "remove .extern from the prototype: the function is defined here"
                } else {
                    "write the same linkage before both"
                }),
        );
    }

    fn header_of(&mut self, f: &'a ast::Function<'a>, scopes: &mut Scopes<'a>) -> Function {
        if f.is_entry && f.body.is_none() {
            self.require_named("a kernel's prototype", 30, 0, f.span);
        }
        if let (true, Some(first)) = (f.is_entry, f.params.first()) {
            // Before version 1.4, the parameters of kernels were declared in the body.
            self.require_named("a kernel's parameter list", 14, 0, first.span);
        }
        self.one_result(&f.returns);
        let (returns, _) = self.params(f, true, scopes);
        let (params, size) = self.params(f, false, scopes);
        self.parameter_space(f, size);
        let directives = f.directives.iter().map(|d| (d.name.text.to_string(), d.values.clone()));
        Function {
            name: f.name.text.to_string(),
            is_entry: f.is_entry,
            params,
            returns,
            param_size: size.min(most_bytes(f)) as u32,
            regs: Vec::new(),
            frame: Vec::new(),
            labels: Vec::new(),
            body: None,
            directives: directives.collect(),
            span: f.span,
            alias_of: None,
        }
    }

    /// Checks the total size of the parameters of a kernel with a body; parameters of other
    /// functions are limited only by memory.
    fn parameter_space(&mut self, f: &ast::Function, size: u64) {
        let large = f.is_entry && f.body.is_some() && size > KERNEL_PARAMS[1];
        if large && self.has_version(LARGE_PARAMS) {
            self.require_named("more than 4352 bytes of kernel parameters", 81, 70, f.name.span);
        }
        let max = match (f.is_entry, self.target) {
            (false, _) => MAX_FUNC_PARAMS,
            (true, 1..20) => KERNEL_PARAMS[0],
            _ if !self.has_version(LARGE_PARAMS) => KERNEL_PARAMS[1],
            _ => KERNEL_PARAMS[2],
        };
        if size <= max {
            return;
        }
        let message = format!("the parameters of {} are too large", f.name.text);
        let error = Diagnostic::error("E0151", f.name.span, message)
            .label(format!("{}, {max} at most", Count(size, "byte")))
            .help("pass a pointer to the data");
        if f.is_entry && f.body.is_some() {
            self.report(error);
        } else {
            let _ = self.beyond_ptxas(error);
        }
    }

    /// The parameters or the results of a function, and their total size.
    fn params(
        &mut self,
        f: &'a ast::Function<'a>,
        returned: bool,
        scopes: &mut Scopes<'a>,
    ) -> (Vec<Param>, u64) {
        let list = if returned { &f.returns } else { &f.params };
        let place = match (f.body.is_some(), f.is_entry) {
            (false, _) => DeclSite::Prototype,
            (true, true) => DeclSite::KernelParam,
            (true, false) => DeclSite::FuncParam,
        };
        let mut params: Vec<Param> = Vec::new();
        let mut end: u64 = 0;
        let count = list.len();
        for (at, v) in list.iter().enumerate() {
            let id = ParamId(params.len() as u32);
            let local = if returned { Local::Return(id) } else { Local::Param(id) };
            let last = !returned && at + 1 == count;
            if v.name.text.is_empty() && !f.is_entry {
                let help = "write a name instead of _";
                self.wrong("E0151", v.span, "a parameter of a .func has a name", help);
            }
            let Some(mut param) = self.param(v, f.is_entry, place, last) else {
                if place != DeclSite::Prototype {
                    self.define_local(scopes, &v.name, Local::Broken);
                }
                continue;
            };
            let decl = RegDecl { ty: param.ty, vector: v.vector };
            match (place, v.space) {
                // ptxas does not check names in a prototype.
                (DeclSite::Prototype, Space::Reg) => param.reg = Some(scopes.anonymous(decl)),
                (DeclSite::Prototype, _) => {}
                (_, Space::Reg) => {
                    self.define_local(scopes, &v.name, Local::Reg(decl));
                    if let Some(Resolved::Register(register)) = scopes.find(v.name.text) {
                        param.reg = Some(register.id);
                    }
                }
                _ => self.define_local(scopes, &v.name, local),
            }
            let align = u64::from(param.align.max(1));
            let offset = end.next_multiple_of(align);
            end = offset.saturating_add(u64::from(param.size));
            param.offset = offset.min(most_bytes(f)) as u32;
            params.push(param);
        }
        (params, end)
    }

    /// Checks `.alias new, old`.
    pub(crate) fn alias(&mut self, alias: &'a ast::Alias<'a>) {
        self.require_named(".alias", 63, 30, alias.span);
        let target = match self.global(&alias.aliasee) {
            Some(Global::Function(id)) => id,
            Some(_) => return self.not_a_function(&alias.aliasee),
            None => return,
        };
        let original = &self.module.functions[target.0 as usize];
        let weak = self.linkages.get(target.0 as usize) == Some(&Some(Linkage::Weak));
        if original.is_entry || weak || alias.alias.text == alias.aliasee.text {
            let message = format!("{} cannot have this alias", original.name);
            let help = "only another name of a .func that is not .weak is an alias";
            self.wrong("E0160", alias.aliasee.span, message, help);
            return;
        }
        let name = alias.alias;
        let Some(&(global, first)) = self.globals.get(name.text) else {
            let help = "declare the alias first, with the prototype of its function";
            self.wrong("E0110", name.span, format!("nothing is called {}", name.text), help);
            return;
        };
        let prototype = match global {
            Global::Function(id) => Some(id).filter(|id| {
                let function = &self.module.functions[id.0 as usize];
                function.body.is_none() && function.alias_of.is_none()
            }),
            _ => None,
        };
        let Some(id) = prototype else { return self.duplicate(&name, first) };
        if !same_signature(&self.module.functions[id.0 as usize], original) {
            let message =
                format!("{} has another signature than {}", name.text, alias.aliasee.text);
            let help = "make the parameters of both the same";
            self.wrong("E0115", name.span, message, help);
            return;
        }
        let (params, returns) = (original.params.clone(), original.returns.clone());
        let directives = original.directives.clone();
        // The alias has no copy of the body, which may be long and have many aliases.
        let prototype = &mut self.module.functions[id.0 as usize];
        (prototype.params, prototype.returns) = (params, returns);
        prototype.directives = directives;
        prototype.span = alias.span;
        prototype.alias_of = Some(target);
    }

    fn not_a_function(&mut self, name: &ast::Ident) {
        let help = "write the name of a .func";
        self.wrong("E0112", name.span, format!("{} is not a function", name.text), help);
    }
}

fn same_signature(a: &Function, b: &Function) -> bool {
    let shape = |p: &Param| (p.ty, p.size, p.align, p.is_array, p.reg.is_some());
    let same = |a: &[Param], b: &[Param]| a.iter().map(shape).eq(b.iter().map(shape));
    let returns = |f: &Function| !f.directives.iter().any(|(name, _)| name == "noreturn");
    a.is_entry == b.is_entry
        && returns(a) == returns(b)
        && same(&a.params, &b.params)
        && same(&a.returns, &b.returns)
}
