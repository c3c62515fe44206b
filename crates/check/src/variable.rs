//! Variables with static storage: at module scope, and those of bodies that all threads share.

use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, Linkage, Space};
use texunit_syntax::{Diagnostic, Span};

use crate::context::{Checker, Global};
use crate::data::Layout;
use crate::ir::{Storage, VarId, Variable};

/// Shared memory that a chip has at most, statically declared.
const MAX_SHARED: u64 = 228 << 10;

impl<'a> Checker<'a> {
    /// Declares a variable of module scope.
    pub(crate) fn module_variable(&mut self, v: &'a ast::Variable<'a>) {
        if v.count.is_some() && !matches!(v.space, Space::Reg) {
            self.define(&v.name, Global::Range(v));
            return;
        }
        let global = match self.static_variable(v, v.name.text.to_string(), true) {
            Some(variable) => match self.redeclared(v, &variable) {
                Some(()) => return,
                None => Global::Variable(self.add_variable(variable)),
            },
            None => Global::Broken,
        };
        self.define(&v.name, global);
    }

    /// `.extern` and its definition, in either order, are one variable.
    fn redeclared(&mut self, v: &ast::Variable<'a>, new: &Variable) -> Option<()> {
        let Some((Global::Variable(id), _)) = self.globals.get(v.name.text) else { return None };
        let id = *id;
        let old = &mut self.module.variables[id.0 as usize];
        if !(old.is_extern || new.is_extern) || old.ty != new.ty {
            return None;
        }
        if old.is_extern {
            *old = new.clone();
        }
        Some(())
    }

    pub(crate) fn add_variable(&mut self, variable: Variable) -> VarId {
        let id = VarId(self.module.variables.len() as u32);
        self.module.variables.push(variable);
        id
    }

    /// Checks a `.global`, `.const` or `.shared` declaration.
    pub(crate) fn static_variable(
        &mut self,
        v: &ast::Variable<'a>,
        name: String,
        at_module: bool,
    ) -> Option<Variable> {
        let linkage = v.linkage.map(|(l, _)| l);
        let is_extern = linkage == Some(Linkage::Extern);
        let ty = self.scalar_type(&v.ty)?;
        let opaque = ty.kind() == TypeKind::Opaque;
        if opaque {
            let place = v.space == Space::Global && at_module && linkage != Some(Linkage::Common);
            if !self.opaque_allowed(v, ty, place) {
                return None;
            }
        }
        let storage = match v.space {
            Space::Global | Space::Tex if opaque => Storage::Opaque(ty),
            Space::Tex => return self.legacy_tex(v, name, ty),
            Space::Global => Storage::Global,
            Space::Const => Storage::Const,
            Space::Shared => Storage::Shared,
            Space::Reg | Space::Local | Space::Param => {
                self.report(
                    Diagnostic::error(
                        "E0130",
                        v.span,
                        format!("a .{} variable cannot be declared here", space_name(v.space)),
                    )
                    .help("declare it in the body of a function"),
                );
                return None;
            }
        };
        if ty.kind() == TypeKind::Predicate {
            self.report(
                Diagnostic::error("E0131", v.ty.span, "predicates live in registers only")
                    .help("use .u8 or .b32 and setp"),
            );
            return None;
        }
        let mut layout = self.layout(v)?;
        let mut variable = Variable {
            name,
            storage,
            ty,
            size: layout.size,
            align: layout.align,
            is_extern,
            init: Vec::new(),
            relocations: Vec::new(),
            fields: Vec::new(),
            span: v.span,
        };
        self.initialise(v, &mut layout, &mut variable)?;
        variable.size = layout.size;
        if storage == Storage::Shared {
            self.shared(v, &layout, &mut variable)?;
        } else if layout.open && v.initializer.is_none() && !is_extern {
            self.open_array(v.span);
            return None;
        }
        Some(variable)
    }

    fn initialise(
        &mut self,
        v: &ast::Variable<'a>,
        layout: &mut Layout,
        variable: &mut Variable,
    ) -> Option<()> {
        let Some(init) = &v.initializer else { return Some(()) };
        let why = match variable.storage {
            Storage::Shared | Storage::DynamicShared => Some("shared memory has no initial value"),
            _ if variable.is_extern => {
                Some("an .extern variable gets its value where it is defined")
            }
            _ => None,
        };
        if let Some(why) = why {
            self.report(
                Diagnostic::error(
                    "E0135",
                    v.span,
                    format!("{} cannot have an initial value", v.name.text),
                )
                .label(why)
                .help("remove the initial value"),
            );
            return None;
        }
        if let Storage::Opaque(ty) = variable.storage {
            variable.fields = self.opaque_fields(init, ty);
            return Some(());
        }
        let image = self.initial(init, layout)?;
        variable.init = image.bytes;
        variable.relocations = image.relocations;
        Some(())
    }

    fn shared(
        &mut self,
        v: &ast::Variable<'a>,
        layout: &Layout,
        variable: &mut Variable,
    ) -> Option<()> {
        if layout.open {
            if !variable.is_extern {
                self.open_array(v.span);
                return None;
            }
            variable.storage = Storage::DynamicShared;
            return Some(());
        }
        self.shared_bytes = self.shared_bytes.saturating_add(layout.size);
        if self.shared_bytes > MAX_SHARED && layout.size > 0 {
            self.report(
                Diagnostic::error(
                    "E0133",
                    v.span,
                    "there is more static shared memory than any GPU has",
                )
                .label(format!("{} bytes so far, {MAX_SHARED} at most", self.shared_bytes))
                .help("declare .extern .shared and pass the size at launch"),
            );
            return None;
        }
        Some(())
    }

    fn open_array(&mut self, span: Span) {
        self.report(
            Diagnostic::error("E0134", span, "the array has no size")
                .help("write the number of elements, or an initial value"),
        );
    }

    fn legacy_tex(
        &mut self,
        v: &ast::Variable<'a>,
        name: String,
        ty: ScalarType,
    ) -> Option<Variable> {
        if self.has_version(15) {
            self.report(
                Diagnostic::error(
                    "E0130",
                    v.span,
                    "the state space .tex ended with PTX ISA version 1.5",
                )
                .help(format!("write .global .texref {}", v.name.text)),
            );
            return None;
        }
        if !matches!(ty, ScalarType::U32 | ScalarType::U64) {
            self.report(
                Diagnostic::error("E0131", v.ty.span, format!("a .tex variable cannot be a .{ty}"))
                    .help("write .tex .u32 or .tex .u64"),
            );
            return None;
        }
        Some(Variable {
            name,
            storage: Storage::Opaque(ScalarType::Texref),
            ty: ScalarType::Texref,
            size: 8,
            align: 8,
            is_extern: false,
            init: Vec::new(),
            relocations: Vec::new(),
            fields: Vec::new(),
            span: v.span,
        })
    }

    /// What a name at module scope is; says so if it is nothing.
    pub(crate) fn global(&mut self, name: &ast::Ident<'a>) -> Option<Global<'a>> {
        if let Some(&(global, _)) = self.globals.get(name.text) {
            return Some(global);
        }
        if let Some(id) = self.range_variable(name.text) {
            return Some(Global::Variable(id));
        }
        let diagnostic = match self.later.get(name.text) {
            Some(&span) => Diagnostic::error(
                "E0113",
                name.span,
                format!("{} is used before its declaration", name.text),
            )
            .note(span, "declared here")
            .help("move the declaration up, or write a prototype of the function first"),
            None => unknown(name),
        };
        self.report(diagnostic);
        None
    }

    /// The variable `x3` of a declaration `x<8>`, made when it is first named.
    pub(crate) fn range_variable(&mut self, name: &'a str) -> Option<VarId> {
        for (prefix, number) in crate::scope::splits(name) {
            let Some(&(Global::Range(v), span)) = self.globals.get(prefix) else { continue };
            if v.count.is_some_and(|(n, _)| number < n) {
                let variable = self.static_variable(v, name.to_string(), true)?;
                let id = self.add_variable(variable);
                self.globals.insert(name, (Global::Variable(id), span));
                return Some(id);
            }
        }
        None
    }
}

/// A name that nothing has.
pub(crate) fn unknown(name: &ast::Ident) -> Diagnostic {
    let help = if name.text.starts_with('%') {
        "declare it with .reg, or check the spelling of a special register"
    } else {
        "declare it, or check the spelling"
    };
    Diagnostic::error("E0110", name.span, format!("nothing is called {}", name.text)).help(help)
}

pub(crate) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Reg => "reg",
        Space::Const => "const",
        Space::Global => "global",
        Space::Local => "local",
        Space::Shared => "shared",
        Space::Param => "param",
        Space::Tex => "tex",
    }
}
