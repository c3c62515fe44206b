//! Headers of kernels and functions: parameters, layout, prototypes, aliases.

use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, Linkage, Space};
use texunit_syntax::{Diagnostic, Span};

use crate::body::Body;
use crate::context::{Checker, Global};
use crate::ir::{FuncId, Function, Param, ParamId};
use crate::scope::{Local, RegDecl, Scope, Scopes};

/// Parameter bytes of a kernel on the newest chips.
const MAX_KERNEL_PARAMS: u64 = 32764;
/// Parameter bytes of a function: what fits a frame of local memory.
const MAX_FUNC_PARAMS: u64 = 512 << 10;

impl<'a> Checker<'a> {
    pub(crate) fn function(&mut self, f: &'a ast::Function<'a>) {
        let mut scopes = Scopes { stack: vec![Scope::default()], ..Scopes::default() };
        let mut function = self.header_of(f, &mut scopes);
        if f.linkage.map(|(l, _)| l) == Some(Linkage::Common) {
            self.report(
                Diagnostic::error("E0130", f.span, "a function cannot be .common")
                    .help("write .visible, .weak or .extern"),
            );
        }
        let Some(id) = self.declare_function(f, &function) else { return };
        let Some(block) = &f.body else { return };
        // The name is known inside its own body.
        function.body = None;
        self.module.functions[id.0 as usize] = function.clone();
        let function = Body::new(self, scopes, function).run(block);
        if function.is_entry {
            self.kernels.push((id, f.name.span));
        }
        self.module.functions[id.0 as usize] = function;
    }

    /// The function's place in the module; nothing if it was already defined.
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
            return Some(id);
        };
        let Global::Function(id) = global else {
            self.duplicate(&f.name, first);
            return None;
        };
        let old = &self.module.functions[id.0 as usize];
        if !same_signature(old, function) {
            self.report(
                Diagnostic::error(
                    "E0115",
                    f.name.span,
                    format!("{name} is declared with another signature"),
                )
                .note(first, "first declared here")
                .help("make the parameters of prototype and definition the same"),
            );
            return None;
        }
        if f.body.is_none() {
            return Some(id);
        }
        if old.body.is_some() {
            self.duplicate(&f.name, first);
            return None;
        }
        Some(id)
    }

    fn header_of(&mut self, f: &'a ast::Function<'a>, scopes: &mut Scopes<'a>) -> Function {
        if f.is_entry && !f.returns.is_empty() {
            self.report(
                Diagnostic::error("E0150", f.name.span, "a kernel returns nothing")
                    .help("write .func, or pass a pointer"),
            );
        }
        let max = if f.is_entry { MAX_KERNEL_PARAMS } else { MAX_FUNC_PARAMS };
        let (returns, _) = self.params(&f.returns, f.is_entry, max, scopes, true);
        let (params, size) = self.params(&f.params, f.is_entry, max, scopes, false);
        if size > max {
            self.report(
                Diagnostic::error(
                    "E0151",
                    f.name.span,
                    format!("the parameters of {} are too large", f.name.text),
                )
                .label(format!("{size} bytes, {max} at most"))
                .help("pass a pointer to the data"),
            );
        }
        Function {
            name: f.name.text.to_string(),
            is_entry: f.is_entry,
            params,
            returns,
            param_size: size.min(max) as u32,
            regs: Vec::new(),
            frame: Vec::new(),
            labels: Vec::new(),
            body: None,
            directives: f
                .directives
                .iter()
                .map(|d| (d.name.text.to_string(), d.values.clone()))
                .collect(),
            span: f.span,
            alias_of: None,
        }
    }

    fn params(
        &mut self,
        list: &'a [ast::Variable<'a>],
        is_entry: bool,
        max: u64,
        scopes: &mut Scopes<'a>,
        returned: bool,
    ) -> (Vec<Param>, u64) {
        let mut params: Vec<Param> = Vec::new();
        let mut end: u64 = 0;
        for v in list {
            let id = ParamId(params.len() as u32);
            let local = if returned { Local::Return(id) } else { Local::Param(id) };
            let Some(mut param) = self.param(v, is_entry) else {
                self.define_local(scopes, &v.name, Local::Broken);
                continue;
            };
            if v.space == Space::Reg {
                let decl = RegDecl { ty: param.ty, vector: v.vector };
                self.define_local(scopes, &v.name, Local::Reg(decl));
                param.reg = match scopes.find(v.name.text) {
                    Some(crate::scope::Found::Register(register)) => Some(register.id),
                    _ => None,
                };
            } else {
                self.define_local(scopes, &v.name, local);
            }
            let align = u64::from(param.align.max(1));
            let offset = end.next_multiple_of(align);
            end = offset.saturating_add(u64::from(param.size));
            param.offset = offset.min(max) as u32;
            params.push(param);
        }
        (params, end)
    }

    pub(crate) fn define_local(
        &mut self,
        scopes: &mut Scopes<'a>,
        name: &ast::Ident<'a>,
        local: Local<'a>,
    ) {
        if name.text.is_empty() || name.text == "_" {
            return;
        }
        if let Err(first) = scopes.define(name.text, local, name.span) {
            self.duplicate(name, first);
        }
    }

    /// One parameter, without its offset.
    pub(crate) fn param(&mut self, v: &ast::Variable<'a>, is_entry: bool) -> Option<Param> {
        let mut ty = self.scalar_type(&v.ty)?;
        if v.ptr.is_some_and(|p| p.opaque.is_some()) {
            ty = match v.ptr.and_then(|p| p.opaque) {
                Some(ast::OpaqueType::Samplerref) => ScalarType::Samplerref,
                Some(ast::OpaqueType::Surfref) => ScalarType::Surfref,
                _ => ScalarType::Texref,
            };
        }
        let allowed = match v.space {
            Space::Param => true,
            Space::Reg => !is_entry,
            _ => false,
        };
        if !allowed {
            let space = crate::variable::space_name(v.space);
            self.report(
                Diagnostic::error("E0151", v.span, format!("a parameter cannot be .{space}"))
                    .help(if is_entry { "write .param" } else { "write .param or .reg" }),
            );
            return None;
        }
        if let Some(init) = &v.initializer {
            let span = match init {
                ast::Initializer::Value(e) => e.span,
                ast::Initializer::List(_, s) | ast::Initializer::Fields(_, s) => *s,
            };
            self.report(
                Diagnostic::error("E0135", span, "a parameter cannot have an initial value")
                    .help("remove the initial value"),
            );
            return None;
        }
        let handle = v.ptr.is_some_and(|p| p.opaque.is_some());
        let opaque = ty.kind() == TypeKind::Opaque;
        if opaque && !(handle && is_entry) && !self.opaque_allowed(v, ty, is_entry) {
            return None;
        }
        if ty == ScalarType::Pred && v.space == Space::Param {
            self.report(
                Diagnostic::error("E0131", v.ty.span, "predicates live in registers only")
                    .help("pass a .u32 and use setp"),
            );
            return None;
        }
        if v.vector > 1 && v.space == Space::Param {
            self.report(
                Diagnostic::error("E0151", v.span, "a parameter cannot be a vector")
                    .help(format!("write an array: .align 16 .b8 {}[16]", v.name.text)),
            );
            return None;
        }
        let layout = self.layout(v)?;
        if layout.size > MAX_FUNC_PARAMS {
            self.too_large(v.span, layout.size, MAX_FUNC_PARAMS);
            return None;
        }
        Some(Param {
            name: v.name.text.to_string(),
            ty,
            size: layout.size as u32,
            align: layout.align as u32,
            offset: 0,
            reg: None,
            is_array: layout.is_array,
            span: v.span,
        })
    }

    pub(crate) fn too_large(&mut self, span: Span, size: u64, max: u64) {
        self.report(
            Diagnostic::error("E0133", span, "the variable is too large")
                .label(format!("{size} bytes, {max} at most"))
                .help("keep large data in .global memory"),
        );
    }

    /// `.alias new, old`.
    pub(crate) fn alias(&mut self, alias: &'a ast::Alias<'a>) {
        let target = match self.global(&alias.aliasee) {
            Some(Global::Function(id)) => id,
            Some(_) => return self.not_a_function(&alias.aliasee),
            None => return,
        };
        let mut copy = self.module.functions[target.0 as usize].clone();
        if copy.is_entry || copy.body.is_none() {
            self.report(
                Diagnostic::error(
                    "E0160",
                    alias.aliasee.span,
                    format!("{} cannot have an alias", copy.name),
                )
                .help("only a .func with a body can"),
            );
            return;
        }
        copy.name = alias.alias.text.to_string();
        copy.alias_of = Some(target);
        copy.span = alias.span;
        copy.body = None;
        match self.globals.get(alias.alias.text).copied() {
            Some((Global::Function(id), _))
                if self.module.functions[id.0 as usize].body.is_none() =>
            {
                if same_signature(&self.module.functions[id.0 as usize], &copy) {
                    self.module.functions[id.0 as usize] = copy;
                } else {
                    self.report(
                        Diagnostic::error(
                            "E0115",
                            alias.alias.span,
                            format!(
                                "{} has another signature than {}",
                                alias.alias.text, alias.aliasee.text
                            ),
                        )
                        .help("make the parameters of both the same"),
                    );
                }
            }
            Some((_, first)) => self.duplicate(&alias.alias, first),
            None => {
                let name = alias.alias;
                self.report(
                    Diagnostic::error(
                        "E0110",
                        name.span,
                        format!("nothing is called {}", name.text),
                    )
                    .help("declare the alias first, with the prototype of its function"),
                );
            }
        }
    }

    fn not_a_function(&mut self, name: &ast::Ident) {
        self.report(
            Diagnostic::error("E0112", name.span, format!("{} is not a function", name.text))
                .help("write the name of a .func"),
        );
    }
}

fn same_signature(a: &Function, b: &Function) -> bool {
    let same = |a: &[Param], b: &[Param]| {
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(a, b)| (a.ty, a.size, a.reg.is_some()) == (b.ty, b.size, b.reg.is_some()))
    };
    a.is_entry == b.is_entry && same(&a.params, &b.params) && same(&a.returns, &b.returns)
}
