//! Views: a part of a resource, or its bytes in another format (`CUDA_RESOURCE_VIEW_DESC`).

use super::{CreateError, Extent, Layout, Level, Resource};
use std::ops::Range;
use texunit_forms::{Count, Geometry};
use texunit_texel::Format;

/// A description of a part of an array, perhaps in another format. A field that is `None` keeps the
/// property of the array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Another format of equal texel size. An array of `u32x2` or `u32x4` can be viewed as a
    /// block-compressed format with the same bytes per block; the view is then four times as wide
    /// and high.
    pub format: Option<Format>,
    /// Another geometry of the same texels, such as a layer as `.2d`, faces as `.a2d`, or six
    /// layers as `.cube`.
    pub geometry: Option<Geometry>,
    /// Range of mip levels.
    pub levels: Option<Range<u32>>,
    /// Range of layers; for cubes, of faces of all cubes.
    pub planes: Option<Range<u32>>,
}

impl Resource {
    /// Makes a view, a resource over the same memory. A view with a single level is mipmapped only
    /// if the array is.
    ///
    /// Writes through a view, and surfaces over it, follow the rules for arrays of its shape.
    /// Linear and pitched memory have no views, as in CUDA.
    pub fn view(&self, view: &View) -> Result<Self, CreateError> {
        let refused =
            |reason| CreateError::Refused(format!("a view of the {}: {reason}", self.describe()));
        if self.layout != Layout::Array {
            return Err(refused("only arrays have views".to_owned()));
        }
        let mut seen = self.clone();
        self.keep_levels(&mut seen, view.levels.clone()).map_err(refused)?;
        let planes = view.planes.clone().unwrap_or(0..self.shape.planes());
        check_range("layers", &planes, self.shape.planes()).map_err(refused)?;
        for level in &mut seen.levels {
            level.offset += u64::from(planes.start) * level.plane_pitch;
        }
        seen.first_plane += planes.start;
        let geometry = view.geometry.unwrap_or(self.geometry());
        let count = planes.end - planes.start;
        seen.shape.layers = layers_of(self.geometry(), geometry, count).map_err(refused)?;
        seen.shape.geometry = geometry;
        if let Some(format) = view.format {
            seen.reinterpret(format).map_err(refused)?;
        }
        seen.shape.check_for(&self.limits).map_err(|reason| refused(reason.to_string()))?;
        Ok(seen)
    }

    /// One mip level as an array that is not mipmapped, in the memory of this resource
    /// (`cuMipmappedArrayGetLevel`).
    pub fn single_level(&self, level: u32) -> Result<Self, CreateError> {
        let levels = Some(level..level.saturating_add(1));
        let mut resource = self.view(&View { levels, ..View::default() })?;
        resource.shape.levels = None;
        Ok(resource)
    }

    fn keep_levels(&self, seen: &mut Self, levels: Option<Range<u32>>) -> Result<(), String> {
        let Some(levels) = levels else { return Ok(()) };
        check_range("mip levels", &levels, self.levels.len() as u32)?;
        seen.levels = self.levels[levels.start as usize..levels.end as usize].to_vec();
        seen.first_level += levels.start;
        seen.shape.levels = self.shape.levels.map(|_| levels.end - levels.start);
        seen.shape.extent = seen.levels[0].extent;
        Ok(())
    }

    /// Reinterprets the texels in another format of equal size.
    fn reinterpret(&mut self, format: Format) -> Result<(), String> {
        let own = self.format();
        let (size, own_size) = (format.texel_size(), own.texel_size());
        if size != own_size {
            let what = |f: Format| if f.is_block() { "blocks" } else { "texels" };
            return Err(format!(
                "{format} has {} of {}, but {own} has {} of {own_size}",
                what(format),
                Count(size, "byte"),
                what(own)
            ));
        }
        match (own.is_block(), format.is_block()) {
            (true, false) => {
                return Err(format!("{own} is block-compressed, and {format} is not"));
            }
            (false, true) => {
                if !matches!(own.name(), "u32x2" | "u32x4") {
                    return Err(format!(
                        "{format} is a view of u32x2 or u32x4 texels, not of {own}"
                    ));
                }
                self.widen(format)?;
                self.of_words = true;
            }
            _ => {}
        }
        self.shape.format = format;
        Ok(())
    }

    /// Reinterprets the texels as blocks of a compressed format. The width in texels halves from
    /// level to level, so a level may need more blocks than exist; such a view is refused.
    fn widen(&mut self, format: Format) -> Result<(), String> {
        let block = format.block_extent();
        let times = |n: u32| n.checked_mul(block).ok_or("it is too large");
        let Extent { width, height, depth } = self.shape.extent;
        let base = Extent { width: times(width)?, height: times(height)?, depth };
        for (n, level) in self.levels.iter_mut().enumerate() {
            let seen = base.level(n as u32);
            let Extent { width, height, .. } = level.extent;
            let blocks = [seen.width.div_ceil(block), seen.height.div_ceil(block)];
            if blocks[0] > width || blocks[1] > height {
                return Err(format!(
                    "level {n} as {format} has {} x {} blocks, but the array has {width} x \
                     {} to hold them",
                    blocks[0],
                    blocks[1],
                    Count(height, "texel")
                ));
            }
            *level = Level { extent: seen, ..*level };
        }
        self.shape.extent = base;
        Ok(())
    }
}

fn check_range(what: &str, range: &Range<u32>, count: u32) -> Result<(), String> {
    let Range { start, end } = *range;
    if start < end && end <= count {
        return Ok(());
    }
    Err(format!("there are no {what} {start} to {end} (end not included) among {count}"))
}

/// Number of layers (for cubes, of cubes) of a view of this geometry that has `planes` planes.
fn layers_of(own: Geometry, geometry: Geometry, planes: u32) -> Result<u32, String> {
    use Geometry as G;
    let alike = |g: G| (g.axes(), g.is_multisample());
    if alike(own) != alike(geometry) {
        return Err(format!(".{own} cannot be seen as .{geometry}"));
    }
    let cube = |wanted: bool, cubes: &str| {
        let text =
            format!(".{geometry} has {cubes} faces, but these are {}", Count(planes, "layer"));
        wanted.then_some(planes / 6).ok_or(text)
    };
    match geometry {
        G::Cube => cube(planes == 6, "6"),
        G::Acube => cube(planes.is_multiple_of(6), "6 times as many"),
        G::A1d | G::A2d | G::A2dms => Ok(planes),
        G::D1 | G::D2 | G::D3 | G::D2ms if planes == 1 => Ok(1),
        _ => Err(format!(".{geometry} has one layer, but these are {planes}: say which one")),
    }
}

#[cfg(test)]
mod tests;
