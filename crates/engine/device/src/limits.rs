//! Maximum sizes of arrays, textures and surfaces of an architecture, by the names of CUDA's device
//! attributes. The values come from the texture unit's crate.

use crate::capability::ComputeCapability;
use crate::error::Error;
use texunit_unit::{ArchLimits, ArrayShape, Geometry};

impl ComputeCapability {
    /// The limit with this name after `CU_DEVICE_ATTRIBUTE_MAXIMUM_`: 0 if the architecture has no
    /// such object, `None` if there is no limit of this name.
    pub fn limit(self, attribute: &str) -> Option<u64> {
        let entry = LIMITS.iter().find(|entry| entry.attribute == attribute)?;
        Some(entry.most(&self.limits()))
    }

    pub(crate) fn limits(self) -> ArchLimits {
        ArchLimits::of(self.major.into(), self.minor.into())
    }
}

/// The objects that a limit applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitedObject {
    /// Arrays and textures.
    Array(Geometry),
    /// 3D arrays that are deeper, but less wide and high, than the general limit.
    Deep,
    /// Arrays with mip levels, which have a limit besides that of arrays.
    Mipmapped(Geometry),
    /// Surfaces.
    Surface(Geometry),
    /// Textures of linear memory.
    Linear,
    /// Textures of pitched memory.
    Pitched,
}

/// The size that a limit applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    Width,
    Height,
    Depth,
    Layers,
    /// Number of faces of all cubes.
    Faces,
    /// Bytes from one row to the next.
    Pitch,
}

struct LimitEntry {
    of: LimitedObject,
    measure: Measure,
    /// The name after `CU_DEVICE_ATTRIBUTE_MAXIMUM_`.
    attribute: &'static str,
}

const fn entry(of: LimitedObject, measure: Measure, attribute: &'static str) -> LimitEntry {
    LimitEntry { of, measure, attribute }
}

use Geometry as G;
use LimitedObject::{Array, Deep, Linear, Mipmapped, Pitched, Surface};
use Measure::{Depth, Faces, Height, Layers, Pitch, Width};

#[rustfmt::skip]
const LIMITS: &[LimitEntry] = &[
    entry(Array(G::D1),      Width,  "TEXTURE1D_WIDTH"),
    entry(Array(G::D2),      Width,  "TEXTURE2D_WIDTH"),
    entry(Array(G::D2),      Height, "TEXTURE2D_HEIGHT"),
    entry(Array(G::D3),      Width,  "TEXTURE3D_WIDTH"),
    entry(Array(G::D3),      Height, "TEXTURE3D_HEIGHT"),
    entry(Array(G::D3),      Depth,  "TEXTURE3D_DEPTH"),
    entry(Deep,              Width,  "TEXTURE3D_WIDTH_ALTERNATE"),
    entry(Deep,              Height, "TEXTURE3D_HEIGHT_ALTERNATE"),
    entry(Deep,              Depth,  "TEXTURE3D_DEPTH_ALTERNATE"),
    entry(Array(G::A1d),     Width,  "TEXTURE1D_LAYERED_WIDTH"),
    entry(Array(G::A1d),     Layers, "TEXTURE1D_LAYERED_LAYERS"),
    entry(Array(G::A2d),     Width,  "TEXTURE2D_LAYERED_WIDTH"),
    entry(Array(G::A2d),     Height, "TEXTURE2D_LAYERED_HEIGHT"),
    entry(Array(G::A2d),     Layers, "TEXTURE2D_LAYERED_LAYERS"),
    entry(Array(G::Cube),    Width,  "TEXTURECUBEMAP_WIDTH"),
    entry(Array(G::Acube),   Width,  "TEXTURECUBEMAP_LAYERED_WIDTH"),
    entry(Array(G::Acube),   Faces,  "TEXTURECUBEMAP_LAYERED_LAYERS"),
    entry(Mipmapped(G::D1),  Width,  "TEXTURE1D_MIPMAPPED_WIDTH"),
    entry(Mipmapped(G::D2),  Width,  "TEXTURE2D_MIPMAPPED_WIDTH"),
    entry(Mipmapped(G::D2),  Height, "TEXTURE2D_MIPMAPPED_HEIGHT"),
    entry(Linear,            Width,  "TEXTURE1D_LINEAR_WIDTH"),
    entry(Pitched,           Width,  "TEXTURE2D_LINEAR_WIDTH"),
    entry(Pitched,           Height, "TEXTURE2D_LINEAR_HEIGHT"),
    entry(Pitched,           Pitch,  "TEXTURE2D_LINEAR_PITCH"),
    entry(Surface(G::D1),    Width,  "SURFACE1D_WIDTH"),
    entry(Surface(G::D2),    Width,  "SURFACE2D_WIDTH"),
    entry(Surface(G::D2),    Height, "SURFACE2D_HEIGHT"),
    entry(Surface(G::D3),    Width,  "SURFACE3D_WIDTH"),
    entry(Surface(G::D3),    Height, "SURFACE3D_HEIGHT"),
    entry(Surface(G::D3),    Depth,  "SURFACE3D_DEPTH"),
    entry(Surface(G::A1d),   Width,  "SURFACE1D_LAYERED_WIDTH"),
    entry(Surface(G::A1d),   Layers, "SURFACE1D_LAYERED_LAYERS"),
    entry(Surface(G::A2d),   Width,  "SURFACE2D_LAYERED_WIDTH"),
    entry(Surface(G::A2d),   Height, "SURFACE2D_LAYERED_HEIGHT"),
    entry(Surface(G::A2d),   Layers, "SURFACE2D_LAYERED_LAYERS"),
    entry(Surface(G::Cube),  Width,  "SURFACECUBEMAP_WIDTH"),
    entry(Surface(G::Acube), Width,  "SURFACECUBEMAP_LAYERED_WIDTH"),
    entry(Surface(G::Acube), Faces,  "SURFACECUBEMAP_LAYERED_LAYERS"),
];

impl LimitEntry {
    fn most(&self, limits: &ArchLimits) -> u64 {
        let of = match self.of {
            Array(geometry) => Some(limits.array(geometry)),
            Deep => Some(limits.deep()),
            Mipmapped(geometry) => Some(limits.mipmapped(geometry)),
            Surface(geometry) => limits.surface(geometry),
            Linear => Some(limits.linear()),
            Pitched => Some(limits.pitched()),
        };
        of.map_or(0, |of| match self.measure {
            Width => of.extent[0].into(),
            Height => of.extent[1].into(),
            Depth => of.extent[2].into(),
            Layers | Faces => of.layers.into(),
            Pitch => limits.pitch(),
        })
    }

    fn value(&self, shape: &ArrayShape, pitch: u64) -> u64 {
        match self.measure {
            Width => shape.extent.width.into(),
            Height => shape.extent.height.into(),
            Depth => shape.extent.depth.into(),
            Layers => shape.layers.into(),
            Faces => 6 * u64::from(shape.layers),
            Pitch => pitch,
        }
    }

    fn measure(&self) -> &'static str {
        match self.measure {
            Width => "width",
            Height => "height",
            Depth => "depth",
            Layers => "number of layers",
            Faces => "number of faces",
            Pitch => "pitch",
        }
    }
}

/// The first limit of an architecture that a shape exceeds, with the shape's value and the maximum.
fn exceeded(
    of: LimitedObject,
    shape: &ArrayShape,
    pitch: u64,
    architecture: ComputeCapability,
) -> Option<(&'static LimitEntry, u64, u64)> {
    let limits = architecture.limits();
    let is_deep = of == Array(G::D3) && limits.array_of(shape) == limits.deep();
    let of = if is_deep { Deep } else { of };
    let rows = LIMITS.iter().filter(|entry| entry.of == of);
    let mut measured = rows.map(|entry| (entry, entry.value(shape, pitch), entry.most(&limits)));
    measured.find(|&(_, value, most)| value == 0 || value > most)
}

/// An architecture whose limits the shape does not exceed. For a surface, this includes the limits
/// of the array.
fn enough(of: LimitedObject, shape: &ArrayShape, pitch: u64) -> Option<ComputeCapability> {
    let array = match of {
        Surface(geometry) | Mipmapped(geometry) => Some(Array(geometry)),
        _ => None,
    };
    let levels = shape.levels.map(|_| Mipmapped(shape.geometry));
    let uses = [Some(of), array, levels];
    let has_room = |architecture: &ComputeCapability| {
        uses.into_iter().flatten().all(|of| exceeded(of, shape, pitch, *architecture).is_none())
    };
    ComputeCapability::GENERATIONS.into_iter().find(has_room)
}

/// Checks a shape against the limits of an architecture. `pitch` is that of pitched memory.
pub(crate) fn check(
    of: LimitedObject,
    shape: &ArrayShape,
    pitch: u64,
    architecture: ComputeCapability,
    name: &str,
) -> Result<(), Error> {
    let Some((entry, value, most)) = exceeded(of, shape, pitch, architecture) else {
        return Ok(());
    };
    Err(Error::Limit {
        name: name.to_owned(),
        measure: entry.measure(),
        value,
        most,
        attribute: entry.attribute,
        architecture,
        enough: enough(of, shape, pitch),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_texel::Format;
    use texunit_unit::Extent;

    fn shape(geometry: Geometry, width: u32, height: u32, layers: u32) -> ArrayShape {
        let extent = Extent { width, height, depth: 1 };
        let shape = ArrayShape::new(Format::from_name("u8").unwrap(), geometry, extent);
        ArrayShape { layers, ..shape }
    }

    #[test]
    fn targets_have_capabilities() {
        let parse = |s| ComputeCapability::from_target(s).map(|c| (c.major, c.minor));
        for (name, wanted) in [
            ("sm_75", Some((7, 5))),
            ("sm_90a", Some((9, 0))),
            ("sm_121", Some((12, 1))),
            ("sm_100f", Some((10, 0))),
            ("sm_7", None),
            ("sm_999", None),
            ("sm_+7", None),
            ("compute_75", None),
        ] {
            assert_eq!(parse(name), wanted, "{name}");
        }
        assert_eq!(ComputeCapability { major: 8, minor: 6 }.to_string(), "sm_86");
    }

    #[test]
    fn an_architecture_with_room_is_named() {
        let named = |of, shape: &ArrayShape, architecture| {
            let error = check(of, shape, 0, architecture, "a").unwrap_err();
            let Error::Limit { enough, .. } = error else { panic!("{error}") };
            enough.map(|architecture| architecture.to_string())
        };
        let old = ComputeCapability { major: 5, minor: 2 };
        let default = ComputeCapability::DEFAULT;
        let line = |width| shape(Geometry::D1, width, 1, 1);
        assert_eq!(named(Array(Geometry::D1), &line(100_000), old).unwrap(), "sm_86");
        assert_eq!(named(Array(Geometry::D1), &line(131_073), old), None, "nobody has so much");
        // Older architectures had longer surfaces than arrays.
        assert_eq!(named(Surface(Geometry::D1), &line(40_000), default).unwrap(), "sm_37");
        assert_eq!(named(Surface(Geometry::D1), &line(66_000), default), None);
        let solid = shape(Geometry::D3, 20_000, 1, 1);
        assert_eq!(named(Surface(Geometry::D3), &solid, default), None, "there is no such array");
        assert_eq!(named(Array(Geometry::D1), &line(0), default), None);
    }

    #[test]
    fn limits_grow_with_the_architecture() {
        let at = |major, minor, of, shape: &ArrayShape| {
            check(of, shape, 0, ComputeCapability { major, minor }, "a").map_err(|e| e.to_string())
        };
        let wide = shape(Geometry::A2d, 20_000, 4, 3);
        assert_eq!(at(8, 6, Array(Geometry::A2d), &wide), Ok(()));
        assert_eq!(
            at(5, 2, Array(Geometry::A2d), &wide).unwrap_err(),
            "the width of `a` is 20000, but must be 1 to 16384 on sm_52 \
             (CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH)"
        );
        let mut deep = shape(Geometry::D3, 8192, 2, 1);
        deep.extent.depth = 32_768;
        assert_eq!(at(8, 6, Array(Geometry::D3), &deep), Ok(()));
        deep.extent.width = 8193;
        let message = at(8, 6, Array(Geometry::D3), &deep).unwrap_err();
        assert!(message.contains("TEXTURE3D_WIDTH_ALTERNATE"), "{message}");
        let long = shape(Geometry::D1, 1 << 28, 1, 1);
        assert_eq!(at(8, 0, Linear, &long), Ok(()));
        assert!(at(7, 5, Linear, &long).is_err());
        let cubes = shape(Geometry::Acube, 4, 4, 342);
        let message = at(9, 0, Array(Geometry::Acube), &cubes).unwrap_err();
        assert!(message.contains("number of faces of `a` is 2052"), "{message}");
        let message = at(1, 3, Array(Geometry::Cube), &shape(Geometry::Cube, 4, 4, 1)).unwrap_err();
        assert!(message.starts_with("sm_13 has no such object as `a`"), "{message}");
    }
}
