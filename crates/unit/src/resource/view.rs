//! Views: a part of a resource, or its bytes as another format (`CUDA_RESOURCE_VIEW_DESC`).

use super::{CreateError, Resource};
use crate::request::Geometry;
use std::ops::Range;
use texunit_texel::Format;

/// A part of an array, perhaps as another format. `None` keeps what the array has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Another format of equal texel size. Arrays of `u32x2` and `u32x4` can be viewed as
    /// block-compressed formats of as many bytes a block; the view is four times as wide and high.
    pub format: Option<Format>,
    /// Another geometry of the same texels: a layer as `.2d`, faces as `.a2d`, six layers as
    /// `.cube`, and so on.
    pub geometry: Option<Geometry>,
    /// Mip levels.
    pub levels: Option<Range<u32>>,
    /// Layers; of cubes, faces of all cubes.
    pub planes: Option<Range<u32>>,
}

impl Resource {
    /// The texels of a view, in the same memory. A view of an array that is not mipmapped, and
    /// one that keeps a single level by way of `levels`, is mipmapped only if the array is.
    pub fn view(&self, view: &View) -> Result<Self, CreateError> {
        let _ = view;
        Err(CreateError::Refused("views are being built".to_owned()))
    }
}
