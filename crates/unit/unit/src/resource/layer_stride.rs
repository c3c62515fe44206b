//! The layers of a texture of one level of a layered mipmapped array (rule 1.11 level array of
//! docs/numerics.md). Such a texture reads its layers at other offsets than the array stores them
//! at. This module computes these offsets.

use super::{BlockLevels, Level, Resource};
use std::sync::Arc;
use texunit_forms::Geometry;

/// Log2 of a block's height in GOBs, before blocks shrink to small levels (assumed; up to 2 GOBs
/// are measured).
const LOG2_HEIGHT: u32 = 4;

/// The memory of a whole layered mipmapped array. A texture of one level expects each layer
/// directly behind the same level of the layer before, as if there were no other levels.
#[derive(Clone, Debug)]
pub(crate) struct LayerStride {
    /// The block-linear layout of a layer's levels on a GPU.
    card: BlockLevels,
    /// The layout of the levels in this resource's memory block.
    own: Vec<Level>,
}

impl LayerStride {
    /// Returns the layout, if a texture of the resource reads its layers at other offsets than they
    /// are stored at. This is known for one level of a layered 2D array that is not sparse.
    fn of(resource: &Resource) -> Option<Self> {
        let Resource { shape, array, .. } = resource;
        let is_level = shape.levels.is_none() && array.level_count() > 1;
        let applies = [shape, array].iter().all(|shape| shape.geometry == Geometry::A2d)
            && resource.residency.is_none()
            && resource.first_plane + shape.layers > 1;
        let card = (is_level && applies).then(|| BlockLevels::new(array, LOG2_HEIGHT, 0))??;
        Some(Self { card, own: array.layout().0 })
    }

    /// The byte offset in the block of the texel that a texture of a level reads at byte `x` of row
    /// `y` in a layer; `None` in padding between the levels.
    pub(super) fn offset(&self, level: u32, layer: u32, [x, y]: [u64; 2]) -> Option<u64> {
        let (start, alone) = &self.card.levels[level as usize];
        let at = start + u64::from(layer) * alone.bytes()? + alone.offset(x, y, 0);
        let (layer, at) = (at / self.card.layer_stride, at % self.card.layer_stride);
        let found = self.card.levels.partition_point(|(start, _)| *start <= at) - 1;
        let (start, level) = &self.card.levels[found];
        let [x, y, z] = level.position(at - start);
        let own = &self.own[found];
        (x < level.width && y < level.height && z == 0)
            .then(|| own.offset + layer * own.plane_pitch + y * own.row_pitch + x)
    }
}

impl Resource {
    /// The resource as a texture reads it. If the resource is one level of a layered mipmapped
    /// array, the texture finds its layers by a [`LayerStride`].
    pub(crate) fn for_texture(self: Arc<Self>) -> Arc<Self> {
        match LayerStride::of(&self) {
            Some(stride) => {
                Arc::new(Self { layer_stride: Some(Arc::new(stride)), ..Self::clone(&self) })
            }
            None => self,
        }
    }

    /// Whether all texels are resident, and lie where the pitches of their level say.
    pub fn is_regular(&self) -> bool {
        self.residency.is_none() && self.layer_stride.is_none()
    }

    /// The number of layers that a fetch finds at multiples of the level's layer pitch: all layers,
    /// or only the first.
    pub fn layers_found(&self) -> u32 {
        if self.layer_stride.is_some() { 1 } else { self.shape.layers }
    }

    /// Whether a texture of the resource reads other texels than those of its layers
    /// (docs/numerics.md, rule 1.11 level array).
    pub fn has_other_layers(&self) -> bool {
        LayerStride::of(self).is_some()
    }
}
