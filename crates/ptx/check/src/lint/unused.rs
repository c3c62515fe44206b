//! Lint W0209: textures, samplers and surfaces that are declared and never used.

use std::collections::HashSet;

use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{Item, Linkage};
use texunit_syntax::{Diagnostic, Span};

use super::Bodies;
use crate::ir::{Base, Operand, ParamId, Symbol, VarId};

/// The variables that the functions of a module name.
#[derive(Default)]
struct Used {
    variables: HashSet<VarId>,
}

/// Finds references at module scope and among kernel parameters that are never named.
pub(super) fn lint(bodies: &Bodies, out: &mut Vec<Diagnostic>) {
    let mut used = Used::default();
    let mut foreign = HashSet::new();
    for body in &bodies.list {
        let mut params = HashSet::new();
        for (i, a) in body.code.iter().zip(&body.syntax) {
            if super::body::is_foreign(i, a) {
                super::body::mentioned(a, &mut |name, _| {
                    foreign.insert(name);
                });
            }
            for operand in i.operands.read(0) {
                used.operand(operand, &mut params);
            }
        }
        if body.function.is_entry {
            for (n, param) in body.function.params.iter().enumerate() {
                let id = ParamId(n as u32);
                if param.ty.kind() == TypeKind::Opaque
                    && !params.contains(&id)
                    && !foreign.contains(param.name.as_str())
                {
                    out.push(report(param.ty, &param.name, param.span));
                }
            }
        }
    }
    if bodies.list.is_empty() || !bodies.complete {
        return;
    }
    for variable in &bodies.checked.module.variables {
        for relocation in &variable.relocations {
            if let Symbol::Variable(id) = relocation.target {
                used.variables.insert(id);
            }
        }
    }
    // Variables of a group (`tex<4>`) exist once they are named; their position identifies the
    // group.
    let variables = &bodies.checked.module.variables;
    let places: HashSet<Span> =
        used.variables.iter().map(|id| variables[id.0 as usize].span).collect();
    for item in &bodies.module.items {
        let Item::Variable(v) = item else { continue };
        let Some(ty) = ScalarType::from_name(v.ty.text) else { continue };
        // Other modules may use visible variables.
        let hidden = !matches!(
            v.linkage.map(|l| l.0),
            Some(Linkage::Extern | Linkage::Visible | Linkage::Weak | Linkage::Common)
        );
        let named = places.contains(&v.span) || foreign.contains(v.name.text);
        if ty.kind() == TypeKind::Opaque && hidden && !named {
            out.push(report(ty, v.name.text, v.name.span));
        }
    }
}

fn report(ty: ScalarType, name: &str, span: Span) -> Diagnostic {
    let what = match ty {
        ScalarType::Samplerref => "sampler",
        ScalarType::Surfref => "surface",
        _ => "texture",
    };
    Diagnostic::warning("W0209", span, format!("the {what} {name} is never used"))
        .label("no instruction names it")
        .help("remove it, or declare it .visible if another module uses it")
}

impl Used {
    fn base(&mut self, base: Base, params: &mut HashSet<ParamId>) {
        match base {
            Base::Variable(id) => {
                self.variables.insert(id);
            }
            Base::Param(id) => {
                params.insert(id);
            }
            _ => {}
        }
    }

    fn operand(&mut self, operand: &Operand, params: &mut HashSet<ParamId>) {
        match operand {
            Operand::Handle(base) | Operand::Address(base, _) | Operand::AddressOf(base, _) => {
                self.base(*base, params);
            }
            Operand::Element(element) => self.base(element.base, params),
            Operand::Vector(list) | Operand::Args(list) => {
                for operand in list {
                    self.operand(operand, params);
                }
            }
            _ => {}
        }
    }
}
