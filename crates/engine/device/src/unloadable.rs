//! Finds correct PTX that CUDA's driver does not load, as observed on an NVIDIA H200 (sm_90),
//! driver 580.159.04, CUDA 13.0, 2026-11-28. texunit executes such modules; the drop-in driver
//! refuses them. Also finds functions that a module uses and does not define. Assemblers and
//! drivers refuse such modules (`Unresolved extern function`), even if the use is never reached,
//! and so does texunit.

use std::collections::{BTreeMap, HashSet};
use texunit_check::ir::{
    FuncId, Function, Instruction, Module, Operand, Storage, Symbol, Variable,
};
use texunit_isa::{Opcode, ScalarType};
use texunit_simt::is_known_function;
use texunit_syntax::{Diagnostic, Span};
use texunit_unit::Attribute;

/// Why a driver does not load a module. If there are several reasons, the driver reports the first
/// of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unloadable {
    /// `suq` of an attribute other than a size (`CUDA_ERROR_NOT_SUPPORTED`).
    SurfaceQuery,
    /// A kernel parameter that is a reference (`CUDA_ERROR_INVALID_IMAGE`).
    ReferenceParameter,
    /// `txq` of an attribute other than a size, or of a `.samplerref` (`CUDA_ERROR_NOT_FOUND`).
    TextureQuery,
}

/// A reason, its location, the construct, and the explanation.
struct Refusal {
    reason: Unloadable,
    span: Span,
    what: String,
    label: &'static str,
    help: &'static str,
}

/// The first construct of a module that a driver would not load, as a diagnostic.
pub(crate) fn unloadable(module: &Module) -> Option<(Unloadable, Diagnostic)> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let queries = bodies.flatten().filter_map(of_query);
    let parameters = module.functions.iter().filter(|f| f.is_entry).flat_map(of_parameters);
    let samplers = module.variables.iter().filter_map(of_variable);
    let all = queries.chain(parameters).chain(samplers);
    let first = all.min_by_key(|found| (found.reason, found.span.start))?;
    let message = format!("a driver does not load a module with {}", first.what);
    let diagnostic = Diagnostic::error("E0504", first.span, message);
    Some((first.reason, diagnostic.label(first.label).help(first.help)))
}

fn of_query(instruction: &Instruction) -> Option<Refusal> {
    use Attribute::{Depth, Height, Width};
    let attribute = instruction.mods.query.filter(|a| !matches!(a, Width | Height | Depth))?;
    let (reason, name) = match instruction.opcode {
        Opcode::Suq => (Unloadable::SurfaceQuery, "suq"),
        _ => (Unloadable::TextureQuery, "txq"),
    };
    Some(Refusal {
        reason,
        span: instruction.span,
        what: format!("`{name}.{}`", attribute.name()),
        label: "it answers width, height and depth only",
        help: "pass what is asked for as a parameter of the kernel; `texunit launch` executes the query",
    })
}

fn of_variable(variable: &Variable) -> Option<Refusal> {
    let is_sampler = matches!(variable.storage, Storage::Opaque(ScalarType::Samplerref));
    is_sampler.then(|| Refusal {
        reason: Unloadable::TextureQuery,
        span: variable.span,
        what: format!("the .samplerref `{}`", variable.name),
        label: "it has no samplers but those of textures",
        help: "give the texture the state of the sampler; `texunit launch` executes the module as it is",
    })
}

fn of_parameters(function: &Function) -> impl Iterator<Item = Refusal> + '_ {
    use ScalarType::{Samplerref, Surfref, Texref};
    let references =
        function.params.iter().filter(|p| matches!(p.ty, Texref | Samplerref | Surfref));
    references.map(|param| Refusal {
        reason: Unloadable::ReferenceParameter,
        span: param.span,
        what: format!("the parameter `{}` of kernel `{}`", param.name, function.name),
        label: "a reference as the parameter of a kernel",
        help: "declare the reference at module scope, or pass the handle of an object (.u64)",
    })
}

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
