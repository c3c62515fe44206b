//! Decides which cases can be executed on a GPU through CUDA's driver API.

use crate::fetch::{Expected, FetchCase};
use crate::file::{Access, Case};
use crate::resource::ResourceSpec;
use crate::surface::SurfaceCase;
use texunit_unit::{AddressMode, Layout};

/// Why a case cannot be expressed through CUDA's driver API, or `None` if it can.
pub fn why_no_driver(case: &Case) -> Option<String> {
    let reason = resource_reason(case.resource()).or_else(|| match &case.access {
        Access::Fetch(fetch) => fetch_reason(fetch),
        Access::Surface(surface) => surface_reason(surface),
    });
    reason.map(str::to_owned)
}

fn resource_reason(resource: &ResourceSpec) -> Option<&'static str> {
    let shape = &resource.shape;
    let geometry = resource.view.as_ref().and_then(|view| view.geometry);
    if shape.geometry.is_multisample() || geometry.is_some_and(|g| g.is_multisample()) {
        return Some("CUDA makes no multi-sample arrays");
    }
    if shape.format.is_depth() {
        return Some("CUDA has no depth formats");
    }
    if resource.missing_tiles.is_some() {
        return Some("sparse arrays are mapped in tiles that only the driver knows");
    }
    if resource.level.is_some() && shape.geometry.is_array() {
        return Some("levels of layered arrays are not made on the card");
    }
    if geometry.is_some_and(|g| g != shape.geometry) {
        return Some("a CUDA resource view keeps the geometry");
    }
    None
}

fn surface_reason(surface: &SurfaceCase) -> Option<&'static str> {
    if surface.error.is_some() {
        return Some("the case is about an error of texunit's own");
    }
    if surface.resource.layout != Layout::Array {
        return Some("CUDA makes surfaces of arrays only");
    }
    surface.accesses.is_empty().then_some("the case has no accesses")
}

fn fetch_reason(fetch: &FetchCase) -> Option<&'static str> {
    let sampler = &fetch.sampler;
    if matches!(fetch.expected, Expected::Error(_)) {
        return Some("the case is about an error of texunit's own");
    }
    if sampler.compare.is_some() {
        return Some("CUDA textures have no compare function");
    }
    if sampler.address_mode.contains(&AddressMode::ClampOgl) {
        return Some("CUDA textures have no clamp_ogl");
    }
    if sampler.force_unnormalized_coords {
        let one = "CUDA objects hold texture and sampler in one: there are no independent samplers";
        return Some(one);
    }
    fetch.operands.is_empty().then_some("the case has no fetches")
}
