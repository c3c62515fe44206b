//! Checks of a single parameter or result of a function or prototype.

use texunit_forms::Count;
use texunit_syntax::ast::{self, Space};
use texunit_syntax::{Diagnostic, Span};

use crate::context::Checker;
use crate::context::scope::{Local, Scopes};
use crate::declaration::allowed::DeclSite;
use crate::ir::Param;

/// Maximum total bytes of a function's parameters, which must fit in a frame of local memory.
pub(crate) const MAX_FUNC_PARAMS: u64 = 512 << 10;

impl<'a> Checker<'a> {
    /// Checks that a function with several results returns all of them in registers.
    pub(crate) fn one_result(&mut self, returns: &[ast::Variable<'a>]) {
        let param = returns.iter().find(|v| v.space == Space::Param);
        if let (Some(v), true) = (param, returns.len() > 1) {
            let help = "return an array: .param .align 16 .b8 r[16]";
            self.wrong("E0151", v.span, "one .param result is all a function can have", help);
        }
    }

    /// Checks a parameter or result; the caller sets its offset.
    pub(crate) fn param(
        &mut self,
        v: &ast::Variable<'a>,
        is_entry: bool,
        place: DeclSite,
        last: bool,
    ) -> Option<Param> {
        let allowed = match v.space {
            Space::Param => true,
            Space::Reg => !is_entry,
            _ => false,
        };
        if !allowed {
            let space = v.space;
            let help = if is_entry { "write .param" } else { "write .param or .reg" };
            return self.refuse("E0151", v.span, format!("a parameter cannot be .{space}"), help);
        }
        let ty = self.declared(v, place)?;
        self.attributes(v, place, is_entry)?;
        self.parameter_shape(v, is_entry, place, last)?;
        self.pointer(v, is_entry)?;
        let layout = self.layout(v, ty)?;
        if !is_entry && layout.dims.iter().any(|n| *n > u64::from(u32::MAX)) {
            let help = "declare fewer elements";
            let message = "a parameter cannot have this many elements";
            return self.refuse("E0134", v.span, message, help);
        }
        let size = layout.size.min(u64::from(u32::MAX));
        if size > MAX_FUNC_PARAMS && !is_entry {
            self.too_large(v.span, size, MAX_FUNC_PARAMS)?;
        }
        Some(Param {
            name: v.name.text.to_string(),
            ty,
            size: size as u32,
            align: layout.align as u32,
            offset: 0,
            reg: None,
            is_array: layout.is_array,
            span: v.span,
        })
    }

    /// Checks `.ptr` of a kernel parameter, which has no effect.
    fn pointer(&mut self, v: &ast::Variable<'a>, is_entry: bool) -> Option<()> {
        let Some(ptr) = v.ptr else { return Some(()) };
        let (feature, version) = match ptr.opaque {
            Some(_) => (".ptr to a reference", 43),
            None => (".ptr", 22),
        };
        self.require_named(feature, version, 0, v.span);
        if !is_entry {
            let help = "remove .ptr and what belongs to it";
            return self.refuse("E0151", v.span, "only parameters of kernels have .ptr", help);
        }
        if ptr.align.is_some_and(|n| !n.is_power_of_two()) {
            let help = "write a power of two";
            return self.refuse("E0132", v.span, "this alignment after .ptr is not possible", help);
        }
        Some(())
    }

    pub(crate) fn too_large(&mut self, span: Span, size: u64, max: u64) -> Option<()> {
        self.beyond_ptxas(
            Diagnostic::error("E0133", span, "the variable is too large")
                .label(format!("{}, {max} at most", Count(size, "byte")))
                .help("keep large data in .global memory"),
        )
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
}
