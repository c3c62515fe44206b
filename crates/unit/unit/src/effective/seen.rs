//! What a fetch sees of a texture whose geometry is not that of the instruction.

use crate::request::{Geometry, GeometryError, PlanError};
use crate::resource::{Layout, Resource};
use crate::sampler::Texture;
use std::borrow::Cow;
use std::sync::Arc;

/// Whether a fetch of this geometry has an answer from the resource: its geometry is the same, or
/// a neighbouring one (rule 1.13).
pub fn sees(geometry: Geometry, resource: &Resource) -> bool {
    geometry == resource.geometry() || is_neighbour(geometry, resource)
}

/// Rule 1.13 (open): `.1d` reads a 2D array of height 1 as the 1D texture that it is, and layered
/// instructions see one layer of plain 1D and 2D arrays. Memory is no array. Neither has a view of
/// the small levels of a 2D array the height of one.
fn is_neighbour(geometry: Geometry, resource: &Resource) -> bool {
    let own = resource.geometry();
    let is_line = || resource.extent().height == 1 && !resource.lacks_base_level();
    resource.layout() == Layout::Array
        && match geometry {
            Geometry::D1 => own == Geometry::D2 && is_line(),
            layered => own.layered() == Some(layered),
        }
}

/// The texture as a fetch of this geometry sees it: one of that geometry, with the same texels.
pub(crate) fn seen(geometry: Geometry, texture: &Texture) -> Result<Cow<'_, Texture>, PlanError> {
    let resource = &*texture.resource;
    if geometry == resource.geometry() {
        return Ok(Cow::Borrowed(texture));
    }
    if !is_neighbour(geometry, resource) {
        return Err(GeometryError {
            instruction: geometry,
            own: resource.geometry(),
            layout: resource.layout(),
            resource: resource.sentence("texture"),
        }
        .into());
    }
    let resource = Arc::new(resource.of_geometry(geometry));
    Ok(Cow::Owned(Texture { resource, ..texture.clone() }))
}
