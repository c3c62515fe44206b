//! Resources of cases: their description, and how they are built.

use crate::error::{CaseError, Result, Within};
use crate::raw;
use std::sync::Arc;
use texunit_forms::Count;
use texunit_memory::Block;
use texunit_spec::write::{self, Entries};
use texunit_spec::{
    At, Region, RegionPart, ShapeSpec, Table, Texels, TilesSpec, ViewSpec, codes, keys,
};
use texunit_unit::resource::PITCH_ALIGN;
use texunit_unit::{ArrayShape, Extent, Geometry, Layout, Residency, Resource, TexelIndex, View};
use toml::Value;

/// Maximum size in bytes of the texels of a case.
pub const MAX_BYTES: u64 = 1 << 28;

/// The resource of a case: an array, or linear or pitched memory, optionally with missing tiles or
/// seen through a view.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceSpec {
    /// Name of the resource in case files and messages.
    pub name: String,
    /// Format, geometry, extent, layers, levels and samples of the texels.
    pub shape: ArrayShape,
    /// The memory layout of the texels.
    pub layout: Layout,
    /// Bytes between rows of pitched memory.
    pub pitch: Option<u64>,
    /// The texels of all levels.
    pub texels: Texels,
    /// Tiles of a sparse array that are not resident: level, layer (face), and the tile's index
    /// along x, y, z. `None` for a resource that is not sparse.
    pub missing_tiles: Option<Vec<[u32; 5]>>,
    /// The view that textures and surfaces use; `None`: the whole resource.
    pub view: Option<View>,
    /// The level of the view that textures and surfaces use as an array
    /// (`cuMipmappedArrayGetLevel`); `None`: all levels.
    pub level: Option<u32>,
}

impl ResourceSpec {
    /// Allocates the resource and fills its texels.
    pub fn build(&self) -> Result<Arc<Resource>> {
        self.build_inner().within(format!("resource `{}`", self.name))
    }

    fn build_inner(&self) -> Result<Arc<Resource>> {
        let packed = self.packed()?;
        let name = &self.name;
        let (Extent { width, height, .. }, format) = (self.shape.extent, self.shape.format);
        let pitch = self.pitch();
        let size = match self.layout {
            Layout::Linear => packed.len() as u64,
            // The pitch may be longer than a row.
            Layout::Array => check_bytes(self.shape.size().map_err(CaseError::new)?)?,
            Layout::Pitched => check_bytes(pitch.saturating_mul(height.into()))?,
        };
        let block = Block::new(size as usize, name).map(Arc::new).ok_or_else(|| {
            CaseError::new(format!("cannot allocate {} of memory", Count(size, "byte")))
        })?;
        let resource = match self.layout {
            Layout::Array => Resource::array(&self.shape, block, name),
            Layout::Linear => Resource::linear(format, width, block, 0, 0, name),
            Layout::Pitched => Resource::pitched(format, width, height, pitch, block, 0, 0, name),
        };
        let mut resource = resource.map_err(CaseError::new)?;
        resource.fill_packed(&packed).map_err(CaseError::new)?;
        if let Some(missing) = &self.missing_tiles {
            resource = with_missing(resource, missing)?;
        }
        if let Some(view) = &self.view {
            resource = resource.view(view).map_err(CaseError::new)?;
        }
        if let Some(level) = self.level {
            resource = resource.single_level(level).map_err(CaseError::new)?;
        }
        Ok(Arc::new(resource))
    }

    /// The pitch of pitched memory: the given pitch, or the smallest valid pitch.
    fn pitch(&self) -> u64 {
        let row = u64::from(self.shape.extent.width) * u64::from(self.shape.format.texel_size());
        self.pitch.unwrap_or(row.next_multiple_of(PITCH_ALIGN))
    }

    /// The bytes of the texels in the order of [`Resource::to_packed`], of the whole resource, not
    /// of its view.
    pub fn packed(&self) -> Result<Vec<u8>> {
        // A resource that exceeds the limits is refused later, by the unit.
        let sizes = Texels::level_sizes(&self.shape);
        check_bytes(sizes.iter().fold(0, |sum: u64, size| sum.saturating_add(*size)))?;
        self.texels.packed(self.shape.format, &sizes).map_err(CaseError::new)
    }

    /// Reads the resource from the keys of a TOML table. Returns `None` if the context has
    /// collected mistakes in the keys.
    pub(crate) fn read(table: &Table<'_>) -> Option<Result<Self>> {
        let name = table.need("name", "what cases call the resource").and_then(raw::string);
        let level = table.get("level").and_then(|v| v.small(0));
        let spec = ShapeSpec::read(table);
        let format = spec.format.as_ref().map(|format| format.value);
        let mut found: Vec<At<Texels>> = Texels::read_beside(table, format);
        found.extend(table.get("texels").and_then(|v| Texels::read(&v, format)));
        let before = table.problem_count();
        table.need("format", "the format of a texel");
        table.need("geometry", "the kind of array");
        table.finish();
        if found.len() != 1 && before == 0 {
            table.problem(codes::MISSING_KEY, "texels of one kind are needed, in `texels`".into());
        }
        let (texels, name) = (found.pop()?.value, name?);
        let geometry = spec.geometry.as_ref()?.value;
        let mut shape =
            ArrayShape::new(format?, geometry, Extent { width: 1, height: 1, depth: 1 });
        let Some([width, mut height, depth]) = spec.extent.extent else {
            table.problem(codes::MISSING_KEY, "a resource needs a `width`".into());
            return None;
        };
        let (dims, axes) = (usize::from(spec.extent.dims), geometry.axes());
        if geometry.is_cube() && dims == 1 {
            height = width;
        }
        if dims > axes {
            let (own, axes) = (Count(dims, "size"), Count(axes, "axis"));
            let message = format!("{own} {} there, but .{geometry} has {axes}", own.are());
            table.problem(codes::CONFLICT, message);
            return None;
        }
        let number = |given: &Option<At<u32>>| given.as_ref().map(|given| given.value);
        shape.extent = Extent { width, height, depth };
        shape.layers = number(&spec.layers).unwrap_or(1);
        shape.levels = number(&spec.levels);
        shape.samples = number(&spec.samples).unwrap_or(shape.samples);
        Some(Self::of_spec(name, shape, texels, &spec).map(|made| Self { level, ..made }))
    }

    fn of_spec(name: String, shape: ArrayShape, texels: Texels, spec: &ShapeSpec) -> Result<Self> {
        let (layout, geometry) = (spec.layout.unwrap_or(Layout::Array), shape.geometry);
        let expected = match layout {
            Layout::Array => geometry,
            Layout::Linear => Geometry::D1,
            Layout::Pitched => Geometry::D2,
        };
        let more = spec.layers.is_some() || spec.levels.is_some() || spec.samples.is_some();
        if layout != Layout::Array && (geometry != expected || more) {
            return Err(CaseError::new(format!(
                "linear memory is `1d`, pitched memory `2d`, without layers, levels and samples; \
                 this is {layout:?} of .{geometry}"
            )));
        }
        let missing = spec.tiles.as_ref().map(|tiles| missing_tiles(&shape, &tiles.value));
        Ok(Self {
            name,
            shape,
            layout,
            pitch: spec.pitch,
            texels,
            missing_tiles: missing.transpose().within("nonresident")?,
            view: spec.view.as_ref().map(|view| self::view(&view.value)),
            level: None,
        })
    }

    /// The keys and values with which the resource is written to a file under the given name.
    pub(crate) fn entries(&self, name: &str) -> Entries {
        let mut entries: Entries = vec![("name", name.into())];
        entries.extend(write::shape(&self.shape));
        entries.extend(write::layout(self.layout));
        // A TOML integer has 63 bits; no memory has such long rows.
        let pitch = self.pitch.map(|pitch| i64::try_from(pitch).unwrap_or(i64::MAX));
        entries.extend(pitch.map(|pitch| ("pitch", pitch.into())));
        let texels = self.texels.entry(self.shape.format, &Texels::level_sizes(&self.shape));
        entries.push(("texels", write::table(vec![texels]).into()));
        if let Some(missing) = &self.missing_tiles {
            let numbers = |all: &[u32]| Value::Array(all.iter().map(|n| (*n).into()).collect());
            let region = |&[level, layer, x, y, z]: &[u32; 5]| {
                let tile = numbers(&[x, y, z]);
                let keys = [("level", level.into()), ("layer", layer.into()), ("tile", tile)];
                Value::from(write::table(keys.to_vec()))
            };
            let regions: Vec<Value> = missing.iter().map(region).collect();
            entries.push((keys::NONRESIDENT.name, regions.into()));
        }
        let view = self.view.as_ref().map(|view| write::table(write::view(view)));
        entries.extend(view.map(|view| ("view", view.into())));
        entries.extend(self.level.map(|level| ("level", level.into())));
        entries
    }
}

/// The tiles that are not resident, each as level, layer (face), and index along x, y, z.
fn missing_tiles(shape: &ArrayShape, spec: &TilesSpec) -> Result<Vec<[u32; 5]>> {
    let tile = |region: &At<Region>| {
        let Region { level, layer, place } = region.value;
        let RegionPart::Tile([x, y, z]) = place else { return None };
        Some([level, layer, x, y, z])
    };
    let tiles: Option<Vec<_>> = spec.regions.iter().map(tile).collect();
    if let Some(tiles) = tiles.filter(|_| !spec.resident) {
        return Ok(tiles);
    }
    check_bytes(shape.size().map_err(CaseError::new)?)?;
    let map = Residency::new(shape).map_err(CaseError::new)?;
    map.set_all(!spec.resident);
    for region in &spec.regions {
        let Region { level, layer, place } = region.value;
        match place {
            RegionPart::Tile(at) => set_tile(&map, level, layer, at, spec.resident)?,
            RegionPart::Box { offset, extent } => {
                let whole = shape.level_extent(level).axes();
                let rest = [0, 1, 2].map(|axis| whole[axis].saturating_sub(offset[axis]));
                let extent = extent.unwrap_or(rest);
                let set = map.set_region(level, layer, offset, extent, spec.resident);
                set.map_err(CaseError::new)?;
            }
        }
    }
    let mut missing = Vec::new();
    let size = map.tile().0;
    for level in 0..shape.level_count() {
        // Each level of the mip tail stands for the whole tail of its layer.
        let [columns, rows, slices] = map.tiles(level).unwrap_or([1; 3]);
        for plane in 0..shape.planes() {
            let all = (0..slices).flat_map(|z| (0..rows).map(move |y| (y, z)));
            for (x, y, z) in all.flat_map(|(y, z)| (0..columns).map(move |x| (x, y, z))) {
                let at = [x * size[0], y * size[1], z * size[2]];
                if !map.is_resident(TexelIndex { level, plane, sample: 0, at }) {
                    missing.push([level, plane, x, y, z]);
                }
            }
        }
    }
    Ok(missing)
}

fn set_tile(map: &Residency, level: u32, plane: u32, at: [u32; 3], resident: bool) -> Result<()> {
    // Each level of the mip tail stands for the whole tail of its layer.
    let tail = level >= map.tail_first_level() && level < map.shape().level_count();
    if tail { map.set_tail(plane, resident) } else { map.set_tile(level, plane, at, resident) }
        .map_err(CaseError::new)?;
    Ok(())
}

fn with_missing(resource: Resource, missing: &[[u32; 5]]) -> Result<Resource> {
    let map = Residency::new(resource.shape()).map_err(CaseError::new)?;
    map.set_all(true);
    for &[level, plane, x, y, z] in missing {
        set_tile(&map, level, plane, [x, y, z], false)?;
    }
    resource.with_residency(Arc::new(map)).map_err(CaseError::new)
}

fn check_bytes(size: u64) -> Result<u64> {
    if size > MAX_BYTES {
        let size = Count(size, "byte");
        let message =
            format!("{size} of texels are more than the {MAX_BYTES} that a case may have");
        return Err(CaseError::new(message));
    }
    Ok(size)
}

fn view(spec: &ViewSpec) -> View {
    let range = |[first, last]: [u32; 2]| first..last.saturating_add(1);
    View {
        format: spec.format.as_ref().map(|format| format.value),
        geometry: spec.geometry,
        levels: spec.levels.map(range),
        planes: spec.layers.map(range),
    }
}
