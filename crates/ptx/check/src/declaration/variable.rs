//! Variables with static storage: at module scope, and shared by all threads in bodies.

use texunit_forms::Count;
use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, Initializer, Linkage, Space};
use texunit_syntax::{Diagnostic, Span, numbered};

use crate::context::{Checker, Global};
use crate::declaration::allowed::DeclSite;
use crate::declaration::layout::Layout;
use crate::ir::{Storage, VarId, Variable};
use crate::message::{fixes, unknown};
use crate::options::Ptxas;

/// Maximum static shared memory of any GPU in bytes.
const MAX_SHARED: u64 = 228 << 10;

impl<'a> Checker<'a> {
    /// Declares a variable at module scope.
    pub(crate) fn module_variable(&mut self, v: &'a ast::Variable<'a>) {
        if matches!(v.space, Space::Reg | Space::Local) && !self.has_version(30) {
            self.per_thread(v);
            return;
        }
        let variable = self.static_variable(v, v.name.text.to_string(), true);
        if v.count.is_some() {
            self.group(v, variable.is_some());
            return;
        }
        let global = match variable {
            Some(variable) => match self.redeclared(v, &variable) {
                Some(()) => return,
                None => Global::Variable(self.add_variable(variable)),
            },
            None => Global::Broken,
        };
        self.define(&v.name, global);
    }

    /// Declares a numbered group `x<8>`; each variable is created when it is first named. `x`
    /// itself is not declared.
    fn group(&mut self, v: &'a ast::Variable<'a>, right: bool) {
        let count = v.count.map_or(0, |(n, _)| n);
        if let Some(&(_, _, first)) = self.groups.get(v.name.text) {
            self.duplicate(&v.name, first);
            return;
        }
        if let Some(&(least, first)) = self.numbered.get(v.name.text)
            && least < count
        {
            self.duplicate(&v.name, first);
        }
        self.groups.insert(v.name.text, (right.then_some(v), count, v.name.span));
    }

    /// Merges an `.extern` declaration and its definition, in either order, into a single variable.
    fn redeclared(&mut self, v: &ast::Variable<'a>, new: &Variable) -> Option<()> {
        let Some(&(Global::Variable(id), first)) = self.globals.get(v.name.text) else {
            return None;
        };
        let old = &mut self.module.variables[id.0 as usize];
        if old.is_extern && new.is_extern && self.release == Ptxas::V11_8 {
            self.duplicate(&v.name, first);
            return Some(());
        }
        let may_follow = new.is_extern || old.is_extern && v.linkage.is_some();
        if !may_follow {
            return old.is_extern.then(|| self.unresolved(v, first));
        }
        if old.ty != new.ty || old.vector != new.vector || !same_shape(old, new) {
            let name = v.name.text;
            let message = format!("{name} is declared with another type or size");
            self.report(
                Diagnostic::error("E0115", v.name.span, message)
                    .note(first, "first declared here")
                    .help("make both declarations the same"),
            );
            return Some(());
        }
        if old.is_extern && !(new.is_extern && new.size == 0) {
            *old = new.clone();
        }
        Some(())
    }

    /// Reports an `.extern` variable whose definition has no linkage, and so is not visible to
    /// other modules.
    fn unresolved(&mut self, v: &ast::Variable<'a>, first: Span) {
        let name = v.name.text;
        let message = format!("the definition of an .extern variable such as {name} has a linkage");
        self.report(
            Diagnostic::error("E0115", v.name.span, message)
                .note(first, "declared .extern here")
                .help("write .visible or .weak before it")
                .fix(fixes::before(v.span), ".visible "),
        );
    }

    /// Declares a `.reg` or `.local` variable at module scope, which PTX ISA 3.0 abolished: each
    /// thread has a copy, visible in all bodies.
    fn per_thread(&mut self, v: &'a ast::Variable<'a>) {
        let Some(ty) = self.declared(v, DeclSite::Module) else { return };
        if v.initializer.is_some() || v.linkage.is_some() {
            let message = format!("{} cannot be declared like this", v.name.text);
            let help = "a variable of each thread has no initial value and no linkage";
            self.wrong("E0130", v.span, message, help);
            return;
        }
        if self.layout(v, ty).is_none() {
            return;
        }
        if v.count.is_some() {
            self.group(v, true);
        } else {
            self.define(&v.name, Global::PerThread);
        }
        self.per_thread.push(v);
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
        let place = if at_module { DeclSite::Module } else { DeclSite::Body };
        if v.space == Space::Tex {
            return self.legacy_tex(v, name);
        }
        let ty = self.declared(v, place)?;
        self.linkage(v)?;
        self.attributes(v, place, false)?;
        let opaque = ty.kind() == TypeKind::Opaque;
        let storage = match v.space {
            _ if opaque => Storage::Opaque(ty),
            Space::Global => Storage::Global,
            Space::Const => Storage::Const,
            Space::Shared => Storage::Shared,
            Space::Reg | Space::Local | Space::Param | Space::Tex => {
                let message = format!("a .{} variable cannot be declared here", v.space);
                let help = "declare it in the body of a function";
                return self.refuse("E0130", v.span, message, help);
            }
        };
        let mut layout = self.layout(v, ty)?;
        let mut variable = Variable {
            vector: v.vector,
            size: layout.size,
            align: layout.align,
            is_extern,
            managed: v.attributes.iter().any(|word| word.text == "managed"),
            ..plain(v, name, storage, ty)
        };
        self.initialise(v, &mut layout, &mut variable)?;
        variable.size = layout.size;
        variable.dims = std::mem::take(&mut layout.dims);
        if storage == Storage::Shared {
            self.shared(v, &layout, &mut variable)?;
        } else if layout.open && is_extern && v.space == Space::Const && !self.has_version(22) {
            let help = "write the number of elements, or .version 2.2 or later";
            return self.refuse("E0134", v.span, "an .extern array in bank 0 has a size", help);
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
        if v.space == Space::Shared || variable.is_extern {
            let why = match v.space {
                Space::Shared => "shared memory has no initial value",
                _ => "an .extern variable gets its value where it is defined",
            };
            let message = format!("{} cannot have an initial value", v.name.text);
            return self.refuse_with(
                Diagnostic::error("E0135", v.span, message)
                    .label(why)
                    .help("remove the initial value"),
            );
        }
        if let Storage::Opaque(ty) = variable.storage {
            variable.fields = self.opaque_fields(init, ty, &layout.dims);
            let items = match init {
                Initializer::List(items, _) => items.len(),
                Initializer::Fields(fields, _) => fields.len(),
                Initializer::Value(_) => 0,
            };
            if layout.open {
                layout.dims[0] = items as u64;
                layout.size = layout.dims[0].saturating_mul(layout.stride());
            }
            return Some(());
        }
        let image = self.initial(v.name.text, init, layout)?;
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
        // Each variable is checked alone: the shared memory of a kernel and its callees is known at
        // launch, and modules with many kernels declare far more than a GPU has.
        if layout.size > MAX_SHARED {
            let message = "there is more static shared memory than any GPU has";
            self.beyond_ptxas(
                Diagnostic::error("E0133", v.span, message)
                    .label(format!("{}, {MAX_SHARED} at most", Count(layout.size, "byte")))
                    .help("declare .extern .shared and pass the size at launch"),
            )?;
        }
        Some(())
    }

    pub(crate) fn open_array(&mut self, span: Span) {
        let help = "write the number of elements, or an initial value";
        self.wrong("E0134", span, "the array has no size", help);
    }

    fn legacy_tex(&mut self, v: &ast::Variable<'a>, name: String) -> Option<Variable> {
        let ty = self.scalar_type(&v.ty)?;
        if self.has_version(15) {
            let message = "the state space .tex ended with PTX ISA version 1.5";
            let help = format!("write .global .texref {}", v.name.text);
            return self.refuse("E0130", v.span, message, help);
        }
        let handle = matches!(ty, ScalarType::U32 | ScalarType::U64);
        if !handle || v.vector > 1 || !v.dimensions.is_empty() {
            let what = if handle { "an array or vector".into() } else { format!("a .{ty}") };
            let help = "write .tex .u32 or .tex .u64 for each texture";
            let message = format!("a .tex variable cannot be {what}");
            return self.refuse("E0131", v.ty.span, message, help);
        }
        if v.initializer.is_some() {
            let help = "remove the initial value";
            return self.refuse("E0135", v.span, "a .tex variable has no initial value", help);
        }
        let texture = ScalarType::Texref;
        Some(plain(v, name, Storage::Opaque(texture), texture))
    }

    /// Resolves a name at module scope; reports an error if the name is undefined.
    pub(crate) fn global(&mut self, name: &ast::Ident<'a>) -> Option<Global> {
        if let Some(&(global, _)) = self.globals.get(name.text) {
            return Some(global);
        }
        if let Some(id) = self.range_variable(name.text) {
            return Some(Global::Variable(id));
        }
        let Some(&span) = self.later.get(name.text) else { return self.refuse_with(unknown(name)) };
        let message = format!("{} is used before its declaration", name.text);
        self.refuse_with(
            Diagnostic::error("E0113", name.span, message)
                .note(span, "declared here")
                .help("move the declaration up, or write a prototype of the function first"),
        )
    }

    /// The variable `x3` of a numbered group `x<8>`, created when it is first named.
    pub(crate) fn range_variable(&mut self, name: &'a str) -> Option<VarId> {
        let (prefix, number) = numbered(name)?;
        let &(Some(v), count, span) = self.groups.get(prefix)? else { return None };
        if number >= count || v.space == Space::Reg {
            return None;
        }
        let id = match self.members.get(&(prefix, number)) {
            Some(&id) => id,
            None => {
                let variable = self.static_variable(v, format!("{prefix}{number}"), true)?;
                let id = self.add_variable(variable);
                self.members.insert((prefix, number), id);
                id
            }
        };
        self.globals.insert(name, (Global::Variable(id), span));
        Some(id)
    }
}

/// A variable of eight bytes (a handle) without linkage, attributes and initial value.
fn plain(v: &ast::Variable, name: String, storage: Storage, ty: ScalarType) -> Variable {
    Variable {
        name,
        storage,
        space: v.space,
        ty,
        vector: 1,
        dims: Vec::new(),
        size: 8,
        align: 8,
        is_extern: false,
        managed: false,
        init: Vec::new(),
        relocations: Vec::new(),
        fields: Vec::new(),
        span: v.span,
    }
}

/// Whether two declarations have the same dimensions; `[]` of an `.extern` matches any dimension.
fn same_shape(old: &Variable, new: &Variable) -> bool {
    let open = |v: &Variable| v.is_extern && v.dims.first() == Some(&0);
    let same = |(i, (a, b)): (usize, (&u64, &u64))| a == b || i == 0 && (open(old) || open(new));
    old.dims.len() == new.dims.len() && old.dims.iter().zip(&new.dims).enumerate().all(same)
}
