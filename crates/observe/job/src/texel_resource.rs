//! A created resource with texels: array, mipmapped array, or memory.

use crate::problem::{Problem, codes};
use crate::spec::PartSpec;
use texunit_device::{
    Array, Buffer, CreateError, Error, Extent, Format, Geometry, Linear, MemoryTexels,
    MipmappedArray, SurfaceResource, TextureResource, TileRegion, View,
};
use texunit_spec::{At, ViewSpec};

/// The resource of a texture or surface.
#[derive(Clone, Debug)]
pub(crate) enum TexelResource {
    Array(Array),
    Mipmapped(MipmappedArray),
    Linear {
        buffer: Buffer,
        offset: u64,
        format: Format,
        width: u32,
    },
    Pitched {
        buffer: Buffer,
        offset: u64,
        format: Format,
        width: u32,
        height: u32,
        pitch: u64,
    },
    /// Memory by address, for textures only.
    LinearAt {
        memory: Linear,
        format: Format,
        width: u32,
    },
    PitchedAt {
        memory: Linear,
        format: Format,
        width: u32,
        height: u32,
        pitch: u64,
    },
}

impl TexelResource {
    /// Sets all texels to zero.
    pub(crate) fn clear(&self) {
        match self {
            Self::Array(array) => array.clear(),
            Self::Mipmapped(array) => array.clear(),
            Self::Linear { buffer, .. } | Self::Pitched { buffer, .. } => buffer.clear(),
            Self::LinearAt { .. } | Self::PitchedAt { .. } => {}
        }
    }

    pub(crate) fn texture(&self) -> TextureResource<'_> {
        match *self {
            TexelResource::Array(ref array) => TextureResource::Array(array),
            TexelResource::Mipmapped(ref array) => TextureResource::Mipmapped(array),
            TexelResource::Linear { ref buffer, offset, format, width } => TextureResource::Memory(
                MemoryTexels::line(buffer, format, width).with_offset(offset),
            ),
            TexelResource::Pitched { ref buffer, offset, format, width, height, pitch } => {
                TextureResource::Memory(
                    MemoryTexels::rows(buffer, format, [width, height], pitch).with_offset(offset),
                )
            }
            TexelResource::LinearAt { ref memory, format, width } => {
                TextureResource::Memory(MemoryTexels::line_at(memory, format, width))
            }
            TexelResource::PitchedAt { ref memory, format, width, height, pitch } => {
                TextureResource::Memory(MemoryTexels::rows_at(
                    memory,
                    format,
                    [width, height],
                    pitch,
                ))
            }
        }
    }

    /// The resource of a surface; `None` for a mipmapped array, since a surface refers to one
    /// level.
    pub(crate) fn surface(&self) -> Option<SurfaceResource<'_>> {
        match *self {
            TexelResource::Array(ref array) => Some(SurfaceResource::Array(array)),
            TexelResource::Mipmapped(_)
            | TexelResource::LinearAt { .. }
            | TexelResource::PitchedAt { .. } => None,
            TexelResource::Linear { ref buffer, offset, format, width } => {
                Some(SurfaceResource::Memory(
                    MemoryTexels::line(buffer, format, width).with_offset(offset),
                ))
            }
            TexelResource::Pitched { ref buffer, offset, format, width, height, pitch } => {
                Some(SurfaceResource::Memory(
                    MemoryTexels::rows(buffer, format, [width, height], pitch).with_offset(offset),
                ))
            }
        }
    }

    pub(crate) fn format(&self) -> Format {
        match self {
            TexelResource::Array(array) => array.format(),
            TexelResource::Mipmapped(array) => array.format(),
            TexelResource::Linear { format, .. }
            | TexelResource::Pitched { format, .. }
            | TexelResource::LinearAt { format, .. }
            | TexelResource::PitchedAt { format, .. } => *format,
        }
    }

    pub(crate) fn geometry(&self) -> Geometry {
        match self {
            TexelResource::Array(array) => array.geometry(),
            TexelResource::Mipmapped(array) => array.geometry(),
            TexelResource::Linear { .. } | TexelResource::LinearAt { .. } => Geometry::D1,
            TexelResource::Pitched { .. } | TexelResource::PitchedAt { .. } => Geometry::D2,
        }
    }

    /// The size of a layer of the base level.
    pub(crate) fn extent(&self) -> Extent {
        match *self {
            TexelResource::Array(ref array) => array.extent(),
            TexelResource::Mipmapped(ref array) => array.extent(),
            TexelResource::Linear { width, .. } | TexelResource::LinearAt { width, .. } => {
                Extent { width, height: 1, depth: 1 }
            }
            TexelResource::Pitched { width, height, .. }
            | TexelResource::PitchedAt { width, height, .. } => Extent { width, height, depth: 1 },
        }
    }

    /// The number of layers or of cube faces.
    pub(crate) fn planes(&self) -> u32 {
        match self {
            TexelResource::Array(array) => array.planes(),
            TexelResource::Mipmapped(array) => {
                array.layers() * if self.geometry().is_cube() { 6 } else { 1 }
            }
            _ => 1,
        }
    }

    /// The texels, packed.
    pub(crate) fn read(&self) -> Vec<u8> {
        match self {
            TexelResource::Array(array) => array.read(),
            TexelResource::Mipmapped(array) => array.read(),
            TexelResource::Linear { buffer, offset, format, width } => {
                let size = *width as usize * format.texel_size() as usize;
                let bytes = buffer.read();
                let texels = bytes.get(*offset as usize..).and_then(|b| b.get(..size));
                texels.unwrap_or_default().to_vec()
            }
            TexelResource::Pitched { buffer, offset, format, width, height, pitch } => {
                let row = *width as usize * format.texel_size() as usize;
                let bytes = buffer.read();
                let texels = bytes.get(*offset as usize..).unwrap_or_default();
                let rows = texels.chunks(*pitch as usize).take(*height as usize);
                rows.flat_map(|bytes| bytes.get(..row).unwrap_or_default()).copied().collect()
            }
            // Only textures have it, and they have no outputs.
            TexelResource::LinearAt { .. } | TexelResource::PitchedAt { .. } => Vec::new(),
        }
    }

    /// Writes the texels of an array, all levels packed.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        match self {
            TexelResource::Array(array) => array.write(bytes),
            TexelResource::Mipmapped(array) => array.write(bytes),
            TexelResource::Linear { buffer, .. } | TexelResource::Pitched { buffer, .. } => {
                buffer.write(0, bytes)
            }
            TexelResource::LinearAt { memory, .. } | TexelResource::PitchedAt { memory, .. } => {
                memory.write(0, bytes)
            }
        }
    }

    /// Maps or unmaps all tiles of a sparse array.
    pub(crate) fn map_all_tiles(&self, resident: bool) -> Result<(), Error> {
        match self {
            TexelResource::Array(array) => array.map_all_tiles(resident),
            TexelResource::Mipmapped(array) => array.map_all_tiles(resident),
            _ => Ok(()),
        }
    }

    /// Maps or unmaps tiles of a sparse array.
    pub(crate) fn set_tiles(&self, region: &TileRegion, resident: bool) -> Result<(), Error> {
        match (self, resident) {
            (TexelResource::Array(array), true) => array.map_tiles(region),
            (TexelResource::Array(array), false) => array.unmap_tiles(region),
            (TexelResource::Mipmapped(array), true) => array.map_tiles(region),
            (TexelResource::Mipmapped(array), false) => array.unmap_tiles(region),
            _ => Ok(()),
        }
    }

    /// The region of one tile, given by its number along each axis.
    pub(crate) fn tile_region(&self, level: u32, layer: u32, tile: [u32; 3]) -> TileRegion {
        let (size, tail) = match self {
            TexelResource::Array(array) => (array.tile(), None),
            TexelResource::Mipmapped(array) => (array.tile(), array.mip_tail()),
            _ => (None, None),
        };
        // A level in the mip tail refers to the whole tail.
        if tail.is_some_and(|tail| level >= tail.first_level) {
            return TileRegion { level, layer, offset: tile, extent: None };
        }
        let (size, whole) = (size.unwrap_or([1; 3]), self.extent().level(level).axes());
        let offset = [0, 1, 2].map(|axis| tile[axis].saturating_mul(size[axis]));
        let [width, height, depth] =
            [0, 1, 2].map(|axis| size[axis].min(whole[axis].saturating_sub(offset[axis])));
        TileRegion { level, layer, offset, extent: Some(Extent { width, height, depth }) }
    }

    /// Selects a level and a layer or face, if given.
    pub(crate) fn part(&self, wanted: &PartSpec) -> Result<Self, Problem> {
        let mut part = self.clone();
        if let Some(level) = &wanted.level {
            let TexelResource::Mipmapped(array) = &part else {
                let message = "a `level` is of an array with mip levels, and this has none";
                return Err(Problem::new(codes::CONFLICT, level.at(), message));
            };
            part = TexelResource::Array(array.level(level.value).map_err(refused(level))?);
        }
        if let Some(layer) = &wanted.layer {
            let layers = matches!(
                part.geometry(),
                Geometry::A1d | Geometry::A2d | Geometry::A2dms | Geometry::Cube | Geometry::Acube
            );
            let one = match &part {
                TexelResource::Array(array) if layers => array.layer(layer.value),
                TexelResource::Mipmapped(_) if layers => {
                    let message = "one layer of an array with mip levels needs a `level` too";
                    return Err(Problem::new(codes::MISSING_KEY, layer.at(), message));
                }
                _ => {
                    let message = "a `layer` is of a layered array or a cube map";
                    return Err(Problem::new(codes::CONFLICT, layer.at(), message));
                }
            };
            part = TexelResource::Array(one.map_err(refused(layer))?);
        }
        Ok(part)
    }

    /// The view that the job requests.
    pub(crate) fn view(&self, spec: &At<ViewSpec>) -> Result<Self, Problem> {
        let ViewSpec { format, geometry, levels, layers } = &spec.value;
        let range = |r: &Option<[u32; 2]>| r.map(|[first, last]| first..last.saturating_add(1));
        let view = View {
            format: format.as_ref().map(|f| f.value),
            geometry: *geometry,
            levels: range(levels),
            planes: range(layers),
        };
        match self {
            TexelResource::Array(array) => {
                array.view(&view).map(TexelResource::Array).map_err(refused(spec))
            }
            TexelResource::Mipmapped(array) => {
                array.view(&view).map(TexelResource::Mipmapped).map_err(refused(spec))
            }
            _ => {
                let message = "memory has no views: give it the `format` and size that are wanted";
                Err(Problem::new(codes::CONFLICT, spec.at(), message))
            }
        }
    }
}

/// The problem of an object that the device rejects, at the position that describes it.
pub(crate) fn refused<T>(at: &At<T>) -> impl Fn(Error) -> Problem + '_ {
    |error| {
        let problem = Problem::new(codes::REFUSED, at.at(), error.to_string());
        match error {
            Error::Limit { enough: Some(architecture), .. } => {
                problem.help(format!("`--arch {architecture}` has room for it"))
            }
            Error::Create(CreateError::Alignment { what: "base address", align, .. }) => {
                problem.help(format!("write an `offset` that is a multiple of {align}"))
            }
            Error::Create(CreateError::Alignment { align, .. }) => {
                problem.help(format!("write a multiple of {align}"))
            }
            Error::Create(CreateError::NotSquare { .. }) => problem.help(
                "give `width` and `height` one size; six layers that are not square are an `a2d`",
            ),
            _ => problem,
        }
    }
}
