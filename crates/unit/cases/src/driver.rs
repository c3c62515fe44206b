//! Decides which cases can be executed on a GPU through CUDA's driver API.

use crate::fetch::{Expected, FetchCase};
use crate::file::{Access, Case};
use crate::resource::ResourceSpec;
use crate::surface::SurfaceCase;
use texunit_unit::{AddressMode, Layout};

/// Why a case that expects an error of texunit cannot be expressed through CUDA's driver API.
const OWN_ERROR: &str = "the case is about an error of texunit's own";

/// Why a case cannot be expressed through CUDA's driver API, or `None` if it can.
pub fn why_no_driver(case: &Case) -> Option<String> {
    let reason = resource_reason(case.resource()).or_else(|| match &case.access {
        Access::Fetch(fetch) => fetch_reason(fetch),
        Access::Surface(surface) => surface_reason(surface),
    });
    reason.map(str::to_owned)
}

/// The text of the first pair whose condition is true: a reason why the driver API cannot express a
/// case.
fn first<const N: usize>(reasons: [(bool, &'static str); N]) -> Option<&'static str> {
    reasons.into_iter().find(|reason| reason.0).map(|reason| reason.1)
}

fn resource_reason(resource: &ResourceSpec) -> Option<&'static str> {
    let (format, own) = (resource.shape.format, resource.shape.geometry);
    let geometry = resource.view.as_ref().and_then(|view| view.geometry).unwrap_or(own);
    let is_multisample = own.is_multisample() || geometry.is_multisample();
    let is_layered_level = resource.level.is_some() && own.is_array();
    let is_sparse = resource.missing_tiles.is_some();
    first([
        (is_multisample, "CUDA makes no multi-sample arrays"),
        (format.is_depth(), "CUDA has no depth formats"),
        (is_sparse, "sparse arrays are mapped in tiles that only the driver knows"),
        (is_layered_level, "levels of layered arrays are not made on the card"),
        (geometry != own, "a CUDA resource view keeps the geometry"),
    ])
}

fn surface_reason(surface: &SurfaceCase) -> Option<&'static str> {
    first([
        (surface.error.is_some(), OWN_ERROR),
        (surface.resource.layout != Layout::Array, "CUDA makes surfaces of arrays only"),
        (surface.accesses.is_empty(), "the case has no accesses"),
    ])
}

fn fetch_reason(fetch: &FetchCase) -> Option<&'static str> {
    let sampler = &fetch.sampler;
    let has_clamp_ogl = sampler.address_mode.contains(&AddressMode::ClampOgl);
    let alone = "CUDA objects hold texture and sampler in one: there are no independent samplers";
    first([
        (matches!(fetch.expected, Expected::Error(_)), OWN_ERROR),
        (sampler.compare.is_some(), "CUDA textures have no compare function"),
        (has_clamp_ogl, "CUDA textures have no clamp_ogl"),
        (sampler.force_unnormalized_coords, alone),
        (fetch.operands.is_empty(), "the case has no fetches"),
    ])
}
