//! A created resource with texels: an array or memory.

use crate::problem::{Problem, codes};
use crate::spec::PartSpec;
use texunit_device::{
    Array, Buffer, CreateError, Error, Extent, Format, Geometry, Linear, MemoryTexels,
    SurfaceResource, TexelMemory, TextureResource, TileRegion, View,
};
use texunit_spec::{At, ViewSpec};

/// The resource of a texture or surface.
#[derive(Clone, Debug)]
pub(crate) enum TexelResource {
    /// An array, with or without mip levels.
    Array(Array),
    /// Linear memory or, with a number of rows and a pitch, pitched memory.
    Memory { place: Place, format: Format, width: u32, rows: Option<(u32, u64)> },
}

/// The memory of texels.
#[derive(Clone, Debug)]
pub(crate) enum Place {
    /// A buffer, and the offset of the first texel in it.
    Buffer(Buffer, u64),
    /// Memory by address, for textures only.
    Address(Linear),
}

impl TexelResource {
    /// The array of a sparse or mipmapped resource.
    pub(crate) fn array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            Self::Memory { .. } => None,
        }
    }

    /// Whether it is an array with mip levels.
    pub(crate) fn is_mipmapped(&self) -> bool {
        self.array().is_some_and(|array| array.mip_levels().is_some())
    }

    pub(crate) fn texture(&self) -> TextureResource<'_> {
        let (place, format, width, rows) = match self {
            Self::Array(array) => return array.into(),
            Self::Memory { place, format, width, rows } => (place, *format, *width, *rows),
        };
        let (memory, offset) = match place {
            Place::Buffer(buffer, offset) => (TexelMemory::Buffer(buffer), *offset),
            Place::Address(memory) => (TexelMemory::Linear(memory), 0),
        };
        let texels = match rows {
            None => MemoryTexels::line(memory, format, width),
            Some((height, pitch)) => MemoryTexels::rows(memory, format, [width, height], pitch),
        };
        texels.with_offset(offset).into()
    }

    /// The resource of a surface; `None` for a mipmapped array, since a surface refers to one
    /// level.
    pub(crate) fn surface(&self) -> Option<SurfaceResource<'_>> {
        let is_of_texture = matches!(self, Self::Memory { place: Place::Address(_), .. });
        (!is_of_texture && !self.is_mipmapped()).then(|| self.texture())
    }

    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Array(array) => array.format(),
            Self::Memory { format, .. } => *format,
        }
    }

    pub(crate) fn geometry(&self) -> Geometry {
        match self {
            Self::Array(array) => array.geometry(),
            Self::Memory { rows: None, .. } => Geometry::D1,
            Self::Memory { rows: Some(_), .. } => Geometry::D2,
        }
    }

    /// The size of a layer of the base level.
    pub(crate) fn extent(&self) -> Extent {
        match *self {
            Self::Array(ref array) => array.extent(),
            Self::Memory { width, rows, .. } => {
                Extent { width, height: rows.map_or(1, |(height, _)| height), depth: 1 }
            }
        }
    }

    /// The number of layers or of cube faces.
    pub(crate) fn planes(&self) -> u32 {
        self.array().map_or(1, Array::planes)
    }

    /// The texels, packed.
    pub(crate) fn read(&self) -> Vec<u8> {
        let (buffer, offset, row, rows) = match self {
            Self::Array(array) => return array.read(),
            // Only textures use memory by address, and textures have no outputs.
            Self::Memory { place: Place::Address(_), .. } => return Vec::new(),
            Self::Memory { place: Place::Buffer(buffer, offset), format, width, rows } => {
                (buffer, *offset, *width as usize * format.texel_size() as usize, rows)
            }
        };
        let bytes = buffer.read();
        let texels = bytes.get(offset as usize..).unwrap_or_default();
        let (height, pitch) = rows.unwrap_or((1, texels.len().max(1) as u64));
        let rows = texels.chunks(pitch as usize).take(height as usize);
        rows.flat_map(|bytes| bytes.get(..row).unwrap_or_default()).copied().collect()
    }

    /// The texels, packed; `None` if there is not enough memory for a copy of an array's texels.
    pub(crate) fn try_read(&self) -> Option<Vec<u8>> {
        self.array().map_or_else(|| Some(self.read()), Array::try_read)
    }

    /// The region of one tile of a sparse array, given by its number along each axis.
    pub(crate) fn tile_region(&self, level: u32, layer: u32, tile: [u32; 3]) -> TileRegion {
        let (size, tail) =
            self.array().map_or((None, None), |array| (array.tile(), array.mip_tail()));
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
            let Some(array) = part.array().filter(|_| part.is_mipmapped()) else {
                let message = "a `level` is of an array with mip levels, and this has none";
                return Err(level.problem(codes::CONFLICT, message));
            };
            part = TexelResource::Array(array.level(level.value).map_err(refused(level))?);
        }
        if let Some(layer) = &wanted.layer {
            let layers = matches!(
                part.geometry(),
                Geometry::A1d | Geometry::A2d | Geometry::A2dms | Geometry::Cube | Geometry::Acube
            );
            let one = match &part {
                TexelResource::Array(_) if layers && part.is_mipmapped() => {
                    let message = "one layer of an array with mip levels needs a `level` too";
                    return Err(layer.problem(codes::MISSING_KEY, message));
                }
                TexelResource::Array(array) if layers => array.layer(layer.value),
                _ => {
                    let message = "a `layer` is of a layered array or a cube map";
                    return Err(layer.problem(codes::CONFLICT, message));
                }
            };
            part = TexelResource::Array(one.map_err(refused(layer))?);
        }
        Ok(part)
    }

    /// The view of the resource that the job requests.
    pub(crate) fn view(&self, spec: &At<ViewSpec>) -> Result<Self, Problem> {
        let ViewSpec { format, geometry, levels, layers } = &spec.value;
        let range = |r: &Option<[u32; 2]>| r.map(|[first, last]| first..last.saturating_add(1));
        let view = View {
            format: format.as_ref().map(|f| f.value),
            geometry: *geometry,
            levels: range(levels),
            planes: range(layers),
        };
        match self.array() {
            Some(array) => array.view(&view).map(TexelResource::Array).map_err(refused(spec)),
            None => {
                let message = "memory has no views: give it the `format` and size that are wanted";
                Err(spec.problem(codes::CONFLICT, message))
            }
        }
    }
}

/// The problem of an object that the device rejects, at the position that describes it.
pub(crate) fn refused<T>(at: &At<T>) -> impl Fn(Error) -> Problem + '_ {
    |error| {
        let problem = at.problem(codes::REFUSED, error.to_string());
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
