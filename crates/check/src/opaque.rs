//! `.texref`, `.samplerref` and `.surfref` declarations and their fields (PTX ISA 5.3).

use texunit_isa::ScalarType;
use texunit_isa::floor::OPAQUE;
use texunit_syntax::ast::{self, ExprKind, Initializer};
use texunit_syntax::{Diagnostic, Span};

use crate::consts::Const;
use crate::context::Checker;

/// A field with the types that have it: texref, samplerref, surfref.
#[rustfmt::skip]
const FIELDS: &[(&str, [bool; 3])] = &[
    ("width",                     [true,  false, true]),
    ("height",                    [true,  false, true]),
    ("depth",                     [true,  false, true]),
    ("channel_data_type",         [true,  false, true]),
    ("channel_order",             [true,  false, true]),
    ("array_size",                [true,  false, true]),
    ("normalized_coords",         [true,  false, false]),
    ("num_mipmap_levels",         [true,  false, false]),
    ("num_samples",               [true,  false, false]),
    ("filter_mode",               [true,  true,  false]),
    ("addr_mode_0",               [true,  true,  false]),
    ("addr_mode_1",               [true,  true,  false]),
    ("addr_mode_2",               [true,  true,  false]),
    ("force_unnormalized_coords", [false, true,  false]),
    ("memory_layout",             [false, false, true]),
];

const FILTERS: &[&str] = &["nearest", "linear"];
const ADDRESS_MODES: &[&str] = &["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"];

fn column(ty: ScalarType) -> usize {
    match ty {
        ScalarType::Texref => 0,
        ScalarType::Samplerref => 1,
        _ => 2,
    }
}

impl<'a> Checker<'a> {
    /// Whether an opaque variable may be declared here; says so if not.
    pub(crate) fn opaque_allowed(
        &mut self,
        v: &ast::Variable<'a>,
        ty: ScalarType,
        place: bool,
    ) -> bool {
        if !place {
            self.report(
                Diagnostic::error("E0130", v.span, format!("a .{ty} cannot be declared here"))
                    .help("declare it .global at module scope, or .param of an .entry"),
            );
            return false;
        }
        if ty == ScalarType::Samplerref && !self.module.independent {
            self.report(
                Diagnostic::error("E0303", v.ty.span, ".samplerref needs texmode_independent")
                    .help("add texmode_independent to .target, or set the sampler fields of the .texref"),
            );
            return false;
        }
        if !self.has_version(OPAQUE.version) {
            self.require(OPAQUE, v.ty.span);
        }
        if v.vector > 1 {
            self.report(
                Diagnostic::error("E0130", v.span, format!("there are no vectors of .{ty}"))
                    .help("declare an array"),
            );
            return false;
        }
        true
    }

    /// Values of the fields of an initialiser.
    pub(crate) fn opaque_fields(
        &mut self,
        init: &Initializer<'a>,
        ty: ScalarType,
    ) -> Vec<(String, i64)> {
        let mut values = Vec::new();
        match init {
            Initializer::Fields(fields, _) => {
                for (name, value) in fields {
                    if let Some(number) = self.opaque_field(name, value, ty) {
                        values.push((name.text.to_string(), number));
                    }
                }
            }
            Initializer::List(items, _) if items.is_empty() => {}
            // Arrays of references: a list of field lists.
            Initializer::List(items, _)
                if items.iter().all(|i| !matches!(i, Initializer::Value(_))) =>
            {
                for item in items {
                    values = self.opaque_fields(item, ty);
                }
            }
            Initializer::List(_, span) => self.positional(*span, ty),
            Initializer::Value(expr) => self.positional(expr.span, ty),
        }
        values
    }

    fn positional(&mut self, span: Span, ty: ScalarType) {
        self.report(
            Diagnostic::error("E0140", span, format!("the fields of a .{ty} have names"))
                .help("write { filter_mode = linear, ... }"),
        );
    }

    fn opaque_field(
        &mut self,
        name: &ast::Ident<'a>,
        value: &ast::Expr<'a>,
        ty: ScalarType,
    ) -> Option<i64> {
        let known = FIELDS.iter().find(|(n, _)| *n == name.text);
        if !known.is_some_and(|(_, has)| has[column(ty)]) {
            let fields: Vec<_> =
                FIELDS.iter().filter(|(_, has)| has[column(ty)]).map(|(n, _)| *n).collect();
            self.report(
                Diagnostic::error(
                    "E0139",
                    name.span,
                    format!("a .{ty} has no field {}", name.text),
                )
                .help(format!("its fields are {}", fields.join(", "))),
            );
            return None;
        }
        let sampler =
            matches!(name.text, "filter_mode" | "addr_mode_0" | "addr_mode_1" | "addr_mode_2");
        if sampler && ty == ScalarType::Texref && self.module.independent {
            self.report(
                Diagnostic::warning(
                    "W0103",
                    name.span,
                    format!("{} of a .texref is ignored", name.text),
                )
                .help("with texmode_independent the .samplerref says how to sample"),
            );
        }
        let words: &[&str] = match name.text {
            "filter_mode" => FILTERS,
            _ if sampler => ADDRESS_MODES,
            _ => &[],
        };
        if let ExprKind::Name(word) = &value.kind {
            let number = words.iter().position(|w| *w == word.text);
            if number.is_none() {
                let help = if words.is_empty() {
                    "write a number".to_string()
                } else {
                    format!("write one of {}, or a number", words.join(", "))
                };
                self.report(
                    Diagnostic::error(
                        "E0140",
                        word.span,
                        format!("{} is not a value of {}", word.text, name.text),
                    )
                    .help(help),
                );
            }
            return number.map(|n| n as i64);
        }
        match self.constant(value)? {
            Const::Int(v, _) => Some(v as i64),
            other => Some(other.as_f64() as i64),
        }
    }
}
