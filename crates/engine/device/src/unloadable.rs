//! Correct PTX that CUDA's driver does not load, as an NVIDIA H200 (sm_90) was seen to do, driver 580.159.04, CUDA
//! 13.0, 2026-11-28. It runs here; the drop-in driver asks for it.

use texunit_check::ir::{Function, Instruction, Module, Storage};
use texunit_isa::{Opcode, ScalarType};
use texunit_syntax::{Diagnostic, Span};
use texunit_unit::Attribute;

/// Why a driver does not load a module. Of several reasons it tells the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unloadable {
    /// `suq` of anything but a size (`CUDA_ERROR_NOT_SUPPORTED`).
    SurfaceQuery,
    /// A kernel's parameter is a reference (`CUDA_ERROR_INVALID_IMAGE`).
    ReferenceParameter,
    /// `txq` of anything but a size, or a `.samplerref` (`CUDA_ERROR_NOT_FOUND`).
    TextureQuery,
}

type Found = (Unloadable, Span, String);

/// What a driver would not load of a module, as a diagnostic.
pub(crate) fn unloadable(module: &Module) -> Option<(Unloadable, Diagnostic)> {
    let bodies = module.functions.iter().filter_map(|function| function.body.as_ref());
    let queries = bodies.flatten().filter_map(of_query);
    let parameters = module.functions.iter().filter(|f| f.is_entry).flat_map(of_parameters);
    let samplers = module
        .variables
        .iter()
        .filter(|variable| matches!(variable.storage, Storage::Opaque(ScalarType::Samplerref)));
    let samplers = samplers
        .map(|v| (Unloadable::TextureQuery, v.span, format!("the .samplerref `{}`", v.name)));
    let all = queries.chain(parameters).chain(samplers);
    let (reason, span, what) = all.min_by_key(|(reason, span, _)| (*reason, span.start))?;
    let message = format!("a driver does not load a module with {what}");
    let (label, help) = match reason {
        Unloadable::ReferenceParameter => (
            "a reference as the parameter of a kernel",
            "declare the reference at module scope, or pass the handle of an object (.u64)",
        ),
        _ => (
            "it answers width, height and depth only, and has no samplers of their own",
            "pass what is asked for as a parameter of the kernel; `texunit launch` executes it as it is",
        ),
    };
    Some((reason, Diagnostic::error("E0504", span, message).label(label).help(help)))
}

fn of_query(instruction: &Instruction) -> Option<Found> {
    use Attribute::{Depth, Height, Width};
    let attribute = instruction.mods.query.filter(|a| !matches!(a, Width | Height | Depth))?;
    let (reason, name) = match instruction.opcode {
        Opcode::Suq => (Unloadable::SurfaceQuery, "suq"),
        _ => (Unloadable::TextureQuery, "txq"),
    };
    Some((reason, instruction.span, format!("{name}.{}", attribute.name())))
}

fn of_parameters(function: &Function) -> impl Iterator<Item = Found> + '_ {
    use ScalarType::{Samplerref, Surfref, Texref};
    let references =
        function.params.iter().filter(|p| matches!(p.ty, Texref | Samplerref | Surfref));
    references.map(|param| {
        let what = format!("the parameter `{}` of kernel `{}`", param.name, function.name);
        (Unloadable::ReferenceParameter, param.span, what)
    })
}
