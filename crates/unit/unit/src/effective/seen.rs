//! Fetches from a texture whose geometry differs from that of the instruction: which combinations
//! read texels, and which read zeros.

use crate::request::{CoordType, FetchForm, FetchKind, Geometry, GeometryError, Lod, PlanError};
use crate::resource::{Layout, Resource};
use crate::sampler::Texture;
use std::borrow::Cow;
use std::sync::Arc;

/// The classes of rule 1.13 of docs/numerics.md. An instruction reads texels from resources of its
/// own class, and zeros from all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// Layered 1D arrays and linear memory.
    Line,
    /// 1D, 2D and layered 2D arrays, and pitched memory.
    Plane,
    Solid,
    Cube,
    /// Multi-sample textures; CUDA has no such arrays.
    Samples,
}

/// The class of resources that an instruction reads. ptxas translates `.1d` with float coordinates
/// to a 2D fetch at y = 0, and `tex.grad.1d` with a compare operand to a routine of 1D fetches.
fn class_of_form(form: FetchForm) -> Class {
    let of_line = form.coord == CoordType::S32
        || form.compare && form.kind == FetchKind::Sample(Lod::Gradient);
    match form.geometry {
        Geometry::D1 if of_line => Class::Line,
        geometry => class(geometry),
    }
}

fn class(geometry: Geometry) -> Class {
    match geometry {
        Geometry::A1d => Class::Line,
        Geometry::D1 | Geometry::D2 | Geometry::A2d => Class::Plane,
        Geometry::D3 => Class::Solid,
        Geometry::Cube | Geometry::Acube => Class::Cube,
        Geometry::D2ms | Geometry::A2dms => Class::Samples,
    }
}

/// Whether a fetch of this form reads texels of the resource, instead of zeros. Linear memory can
/// be read only with integer coordinates.
pub fn compatible_geometry(form: FetchForm, resource: &Resource) -> bool {
    let own = match resource.layout() {
        Layout::Linear if form.coord == CoordType::F32 => return false,
        Layout::Linear => Class::Line,
        Layout::Array | Layout::Pitched => class(resource.geometry()),
    };
    class_of_form(form) == own
}

/// Rule 1.9 of docs/numerics.md: the number of layers that integer coordinates can address. If the
/// resource has no layers, a mipmapped array or linear memory is read for any 16-bit layer.
pub(crate) fn layers_of_integers(resource: &Resource) -> u32 {
    match resource.layout() {
        _ if resource.geometry().is_array() => resource.shape().layers,
        Layout::Linear => UNCHECKED_LAYERS,
        Layout::Array if resource.is_mipmapped() => UNCHECKED_LAYERS,
        Layout::Array | Layout::Pitched => 1,
    }
}

/// Rule 1.9 (open: layers above 4 were not measured): the number of layers that integer coordinates
/// can address in mipmapped arrays and linear memory, which have none.
const UNCHECKED_LAYERS: u32 = 1 << 16;

/// The texture as the instruction reads it: with the same texels in the geometry of the
/// instruction.
pub(crate) fn seen(form: FetchForm, texture: &Texture) -> Result<Cow<'_, Texture>, PlanError> {
    let resource = &*texture.resource;
    let geometry = form.geometry;
    if !compatible_geometry(form, resource) {
        let integers = FetchForm { coord: CoordType::S32, ..form };
        if resource.layout() == Layout::Linear && compatible_geometry(integers, resource) {
            return Err(PlanError::Floats { resource: resource.sentence("texture") });
        }
        return Err(GeometryError {
            instruction: geometry,
            own: resource.geometry(),
            layout: resource.layout(),
            resource: resource.sentence("texture"),
        }
        .into());
    }
    if geometry == resource.geometry() {
        return Ok(Cow::Borrowed(texture));
    }
    let resource = Arc::new(resource.of_geometry(geometry));
    Ok(Cow::Owned(Texture { resource, ..texture.clone() }))
}
