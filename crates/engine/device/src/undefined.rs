//! Finds functions that a module uses and does not define. Assemblers and drivers refuse such
//! modules (`Unresolved extern function`), even if the use is never reached.

use std::collections::{BTreeMap, HashSet};
use texunit_check::ir::{FuncId, Module, Operand, Symbol};
use texunit_simt::is_known_function;
use texunit_syntax::{Diagnostic, Span};

/// Errors for undefined functions, each at its first use.
pub(crate) fn undefined(module: &Module) -> Vec<Diagnostic> {
    let defined = module.functions.iter().filter(|f| f.body.is_some() || f.alias_of.is_some());
    let defined: HashSet<&str> = defined.map(|f| f.name.as_str()).collect();
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for (id, span) in uses(module) {
        let Some(function) = module.functions.get(id.0 as usize) else { continue };
        let name = function.name.as_str();
        if !defined.contains(name) && !is_known_function(name) {
            let at = first.entry(name).or_insert(span);
            *at = if span.start < at.start { span } else { *at };
        }
    }
    let error = |(name, span): (&str, Span)| {
        Diagnostic::error("E0502", span, format!("the module does not define the function `{name}`"))
            .label("used here, and nothing that is loaded with the module defines it")
            .help("define it in this module, or link the module that does: cuLinkAddData with both, nvcc -rdc=true")
    };
    first.into_iter().map(error).collect()
}

/// All uses of functions, with their locations.
fn uses(module: &Module) -> impl Iterator<Item = (FuncId, Span)> {
    let bodies = module.functions.iter().filter_map(|f| f.body.as_deref());
    let in_code = bodies.flatten().flat_map(|instruction| {
        let functions = instruction.operands.iter().filter_map(|operand| match operand {
            Operand::Function(id) => Some(*id),
            _ => None,
        });
        functions.map(|id| (id, instruction.span))
    });
    let in_values = module.variables.iter().flat_map(|variable| {
        let targets = variable.relocations.iter().filter_map(|value| match value.target {
            Symbol::Function(id) => Some(id),
            Symbol::Variable(_) => None,
        });
        targets.map(|id| (id, variable.span))
    });
    in_code.chain(in_values)
}
