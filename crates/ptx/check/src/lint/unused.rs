//! Lint W0209: textures, samplers and surfaces that are declared and never used.

use std::collections::HashSet;

use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{Item, Linkage};
use texunit_syntax::{Diagnostic, Span};

use super::Bodies;
use crate::ir::{Base, Operand, ParamId, Symbol};

/// Finds references at module scope and among kernel parameters that are never named.
pub(super) fn lint(bodies: &Bodies, out: &mut Vec<Diagnostic>) {
    let mut used = HashSet::new();
    let mut foreign = HashSet::new();
    for body in &bodies.list {
        let mut named = HashSet::new();
        for (i, a) in body.code.iter().zip(&body.syntax) {
            if super::body::is_foreign(i, a) {
                super::body::mentioned(a, &mut |name, _| {
                    foreign.insert(name);
                });
            }
            for operand in i.operands.read(0) {
                add_bases(operand, &mut named);
            }
        }
        if body.function.is_entry {
            for (n, param) in body.function.params.iter().enumerate() {
                if param.ty.kind() == TypeKind::Opaque
                    && !named.contains(&Base::Param(ParamId(n as u32)))
                    && !foreign.contains(param.name.as_str())
                {
                    out.push(report(param.ty, &param.name, param.span));
                }
            }
        }
        used.extend(named);
    }
    if bodies.list.is_empty() || !bodies.complete {
        return;
    }
    let variables = &bodies.checked.module.variables;
    for relocation in variables.iter().flat_map(|variable| &variable.relocations) {
        if let Symbol::Variable(id) = relocation.target {
            used.insert(Base::Variable(id));
        }
    }
    // Variables of a group (`tex<4>`) exist only if named; their position identifies the group.
    let place = |base| match base {
        Base::Variable(id) => Some(variables[id.0 as usize].span),
        _ => None,
    };
    let places: HashSet<Span> = used.into_iter().filter_map(place).collect();
    for item in &bodies.module.items {
        let Item::Variable(v) = item else { continue };
        let Some(ty) = ScalarType::from_name(v.ty.text) else { continue };
        // Only variables that other modules cannot use are reported.
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

/// Adds the variables and parameters that an operand names.
fn add_bases(operand: &Operand, named: &mut HashSet<Base>) {
    match operand {
        Operand::Handle(base) | Operand::Address(base, _) | Operand::AddressOf(base, _) => {
            named.insert(*base);
        }
        Operand::Element(element) => {
            named.insert(element.base);
        }
        Operand::Vector(list) | Operand::Args(list) => {
            list.iter().for_each(|operand| add_bases(operand, named));
        }
        _ => {}
    }
}
