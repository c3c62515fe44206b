//! Arrays, textures, surfaces and samplers as keys of a job.

use crate::Refused;
use crate::memory::{SavedBlock, Texels};
use crate::text::{hex, quoted};
use texunit_device::{Array, BoundTexture, FreedBlock};
use texunit_spec::write;
use texunit_unit::{Layout, Resource, TexelIndex, TileShape};

/// The arrays and memory in which the texels of a texture or surface can lie.
pub(crate) struct TexelHolders<'a> {
    pub(crate) texels: &'a [Texels],
    pub(crate) memory: &'a [SavedBlock],
    /// Freed memory, by address.
    pub(crate) gone: &'a [(u64, FreedBlock)],
}

/// The name of an array in messages and in the job.
pub(crate) fn array_name(index: usize) -> String {
    format!("array-{}", index + 1)
}

/// The keys of a CUDA array in the job, without its texels.
pub(crate) fn array_keys(array: &Array) -> String {
    let mut keys = write::inline(&write::shape(array.texels().shape()));
    keys += &tiles(array.texels());
    if array.is_destroyed() {
        keys += ", ended = \"destroyed\"";
    }
    keys + &format!(", name = {}", quoted(array.name()))
}

/// The keys for the resident tiles of a sparse array.
fn tiles(texels: &Resource) -> String {
    let Some(map) = texels.residency() else { return String::new() };
    if map.resident_count() == map.count() {
        return ", nonresident = []".to_owned();
    }
    let (shape, TileShape(tile)) = (map.shape(), map.tile());
    let mut regions = Vec::new();
    for layer in 0..shape.planes() {
        for level in 0..map.tail_first_level() {
            let Some([columns, rows, slices]) = map.tiles(level) else { continue };
            let extent = shape.level_extent(level).axes();
            for tile_at in (0..slices)
                .flat_map(|z| (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y, z])))
            {
                let at = [0, 1, 2].map(|axis| tile_at[axis] * tile[axis]);
                if map.is_resident(TexelIndex { level, plane: layer, sample: 0, at }) {
                    let size = [0, 1, 2].map(|axis| tile[axis].min(extent[axis] - at[axis]));
                    regions.push(format!(
                        "{{ level = {level}, layer = {layer}, offset = {at:?}, extent = {size:?} }}"
                    ));
                }
            }
        }
        let tail =
            TexelIndex { level: map.tail_first_level(), plane: layer, sample: 0, at: [0; 3] };
        if tail.level < shape.level_count() && map.is_resident(tail) {
            regions.push(format!("{{ level = {}, layer = {layer} }}", tail.level));
        }
    }
    format!(", resident = [{}]", regions.join(", "))
}

/// The keys for the texels of a texture or surface; `None` if their memory is freed and its address
/// unknown.
pub(crate) fn source(resource: &Resource, places: &TexelHolders<'_>) -> Option<String> {
    if resource.layout() != Layout::Array {
        return memory_source(resource, places);
    }
    let index = places.texels.iter().position(|texels| texels.array.holds(resource))?;
    let array = &places.texels[index].array;
    let (shape, whole) = (resource.shape(), array.texels().shape());
    let (first_level, first_plane) = resource.first();
    let mut view = Vec::new();
    if shape.format != whole.format {
        view.push(format!("format = \"{}\"", shape.format));
    }
    if shape.geometry != whole.geometry {
        view.push(format!("geometry = \"{}\"", shape.geometry));
    }
    if shape.planes() != whole.planes() {
        let last = first_plane + shape.planes() - 1;
        view.push(format!("layers = [{first_plane}, {last}]"));
    }
    let mut keys = format!("array = {}", quoted(&array_name(index)));
    // A single mip level, also of a view, is described as an array without mip levels.
    let single = whole.levels.is_some() && shape.levels.is_none();
    if single && view.is_empty() {
        return Some(keys + &format!(", level = {first_level}"));
    }
    let last_level = first_level + shape.level_count() - 1;
    if whole.levels.is_some() && (single || shape.level_count() != whole.level_count()) {
        view.push(format!("levels = [{first_level}, {last_level}]"));
    }
    if !view.is_empty() {
        keys += &format!(", view = {{ {} }}", view.join(", "));
    }
    if single {
        keys += ", level = 0";
    }
    Some(keys)
}

fn memory_source(resource: &Resource, places: &TexelHolders<'_>) -> Option<String> {
    let number = resource.block().number();
    let held = places.memory.iter().find(|held| held.block.number() == number);
    let base = match held {
        Some(held) => held.address,
        None => places.gone.iter().find(|gone| gone.1.number == number)?.0,
    };
    let first = TexelIndex { level: 0, plane: 0, sample: 0, at: [0; 3] };
    let address = base + resource.texel_offset(first)?;
    // The actual format and size, which may differ from what the program asked for.
    let (format, extent) = (resource.format(), resource.levels()[0].extent);
    let keys =
        format!("memory = {}, format = \"{format}\", width = {}", hex(address), extent.width);
    if resource.layout() != Layout::Pitched {
        return Some(keys);
    }
    let (height, pitch) = (extent.height, resource.row_pitch());
    Some(format!("{keys}, height = {height}, layout = \"pitch\", pitch = {pitch}"))
}

/// The keys for the sampler of a texture.
pub(crate) fn texture_keys(bound: &BoundTexture) -> String {
    let BoundTexture { texture, sampler, .. } = bound;
    write::inline(&write::texture(texture.read_mode, texture.normalized_coords, sampler))
}

/// The keys for a surface's texels; an error for linear memory, whose layout has no keys.
pub(crate) fn surface_source(
    resource: &Resource,
    places: &TexelHolders<'_>,
) -> Result<Option<String>, Refused> {
    if resource.layout() != Layout::Array {
        return Err(Refused::Launch("a surface is made of memory that is not an array".to_owned()));
    }
    Ok(source(resource, places))
}
