//! Parsing of a resource's shape: format, geometry, size, memory layout, resident tiles, and views.

use crate::keys;
use crate::problem::codes;
use crate::table::{At, Table, TomlValue};
use texunit_texel::Format;
use texunit_unit::{Geometry, Layout};

/// The parsed keys `width`, `height` and `depth`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtentSpec {
    /// Width, height and depth, 1 where missing; `None` without `width`.
    pub extent: Option<[u32; 3]>,
    /// How many of the three sizes the file gives.
    pub dims: u8,
}

/// A region of a sparse array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// The key `level`.
    pub level: u32,
    /// The key `layer`; for cubes, a face.
    pub layer: u32,
    /// The part of the level and layer that belongs to the region.
    pub place: RegionPart,
}

/// A part of a mip level, in texels or as a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionPart {
    /// The part is a box in texels.
    Box {
        /// The key `offset`; zeros if missing.
        offset: [u32; 3],
        /// The key `extent`; `None`: up to the end of the level.
        extent: Option<[u32; 3]>,
    },
    /// The part is one tile (key `tile`), given by its index along each axis.
    Tile([u32; 3]),
}

impl Default for RegionPart {
    /// The default part is the whole level.
    fn default() -> Self {
        Self::Box { offset: [0; 3], extent: None }
    }
}

/// Which parts of a sparse array are resident (backed by memory).
#[derive(Clone, Debug)]
pub struct TilesSpec {
    /// Whether `regions` lists the resident parts, or else the parts that are not resident.
    pub resident: bool,
    /// The parts of the array that are resident, or that are not, according to `resident`.
    pub regions: Vec<At<Region>>,
}

/// A view: a part of an array, possibly in another format or geometry.
#[derive(Clone, Debug, Default)]
pub struct ViewSpec {
    /// The key `format`.
    pub format: Option<At<Format>>,
    /// The key `geometry`.
    pub geometry: Option<Geometry>,
    /// The key `levels`: first and last level.
    pub levels: Option<[u32; 2]>,
    /// The key `layers`: first and last layer.
    pub layers: Option<[u32; 2]>,
}

/// The shape of a texture or surface.
#[derive(Clone, Debug)]
pub struct ShapeSpec {
    /// The key `format`.
    pub format: Option<At<Format>>,
    /// The key `geometry`.
    pub geometry: Option<At<Geometry>>,
    /// The key `dims`.
    pub dims: Option<u8>,
    /// The keys `width`, `height`, `depth`.
    pub extent: ExtentSpec,
    /// The key `layers`; for cubes, the number of cubes.
    pub layers: Option<At<u32>>,
    /// The key `levels`.
    pub levels: Option<At<u32>>,
    /// The key `samples`.
    pub samples: Option<At<u32>>,
    /// The keys `resident`, `nonresident`.
    pub tiles: Option<At<TilesSpec>>,
    /// The key `layout`.
    pub layout: Option<Layout>,
    /// The key `pitch` in bytes.
    pub pitch: Option<u64>,
    /// The key `view`.
    pub view: Option<At<ViewSpec>>,
}

impl ShapeSpec {
    /// The geometry that one of the keys `geometry` and `dims` names.
    pub fn named_geometry(&self) -> Option<Geometry> {
        let of_dims = |dims: u8| Geometry::of(dims.into(), false, false);
        self.geometry.as_ref().map(|g| g.value).or(self.dims.map(of_dims))
    }

    /// Reads all keys of the shape from a table.
    pub fn read(table: &Table<'_>) -> Self {
        let least = table.least_size();
        let most_pitch = if least == 0 { i64::MAX as u64 } else { u32::MAX.into() };
        let count = |key| table.get(key).and_then(|v| Some(v.at(v.small(least)?)));
        Self {
            format: format(table),
            geometry: table.get("geometry").and_then(|v| Some(v.at(geometry(&v)?))),
            dims: table.get("dims").and_then(|v| v.number(1, 3)).map(|d| d as u8),
            extent: extent(table),
            layers: count("layers"),
            levels: count("levels"),
            samples: count("samples"),
            tiles: tiles(table),
            layout: table.get("layout").and_then(|v| layout(&v)),
            pitch: table.get("pitch").and_then(|v| v.number(least.into(), most_pitch)),
            view: table.get("view").and_then(|v| view(&v)),
        }
    }
}

/// Reads the key `format`.
pub fn format(table: &Table<'_>) -> Option<At<Format>> {
    let value = table.get("format")?;
    let name = value.string("a texel format such as \"u8x4\"")?;
    let format = Format::from_name(&name.value);
    if format.is_none() {
        let names: Vec<_> = Format::names().collect();
        let problem = name.problem(codes::VALUE, format!("`{}` is not a texel format", name.value));
        value.report(match crate::formats::meant(&name.value) {
            Some(meant) => problem.help(format!("did you mean `{meant}`?")),
            None => problem.suggest(&name.value, &names),
        });
    }
    Some(name.with(format?))
}

fn geometry(value: &TomlValue<'_>) -> Option<Geometry> {
    value.word(Geometry::NAMES)
}

fn layout(value: &TomlValue<'_>) -> Option<Layout> {
    if value.is_string() && value.string("").is_some_and(|text| text.value == "pitched") {
        value.note("the layout `pitched` is called `pitch`", Some("\"pitch\""));
        return Some(Layout::Pitched);
    }
    value.word(Layout::NAMES)
}

/// Reads the keys `width`, `height` and `depth`.
pub fn extent(table: &Table<'_>) -> ExtentSpec {
    if let Some(size) = table.get_replaced("size", "`size` is `width`, `height` and `depth`") {
        return old_size(&size, table.least_size());
    }
    let [width, height, depth] = ["width", "height", "depth"].map(|k| table.get(k));
    let dims = if depth.is_some() { 3 } else { 1 + u8::from(height.is_some()) };
    if width.is_none() && (height.is_some() || depth.is_some()) {
        table.problem(codes::MISSING_KEY, "`height` and `depth` need a `width`".into());
    }
    let least = table.least_size();
    let read = |v: &Option<TomlValue<'_>>| v.as_ref().and_then(|v| v.small(least)).unwrap_or(1);
    let extent = [read(&width), read(&height), read(&depth)];
    ExtentSpec { extent: width.is_some().then_some(extent), dims }
}

fn old_size(value: &TomlValue<'_>, least: u32) -> ExtentSpec {
    let dims = value.array("an array of 1 to 3 numbers").map_or(0, |items| items.len() as u8);
    ExtentSpec { extent: numbers(value, least, 1), dims }
}

fn tiles(table: &Table<'_>) -> Option<At<TilesSpec>> {
    let (there, gone) = (table.get("resident"), table.get(keys::NONRESIDENT));
    let (resident, value) = match (there, gone) {
        (None, None) => return None,
        (Some(v), None) => (true, v),
        (None, Some(v)) => (false, v),
        (Some(_), Some(v)) => {
            let message = "only one of the keys `resident`, `nonresident` can be there";
            return v.refuse(codes::CONFLICT, message);
        }
    };
    let items = value.array("an array of regions `{ level = 0, offset = [0, 0] }`")?;
    let regions: Vec<_> = items.iter().filter_map(region).collect();
    (regions.len() == items.len()).then(|| value.at(TilesSpec { resident, regions }))
}

fn region(value: &TomlValue<'_>) -> Option<At<Region>> {
    if value.is_array() {
        let numbers = value.array("a region `{ level = 0, tile = [0, 0] }`")?;
        let numbers: Option<Vec<u32>> = numbers.iter().map(|number| number.small(0)).collect();
        let Ok([level, layer, x, y, z]) = <[u32; 5]>::try_from(numbers?) else {
            return value
                .refuse(codes::VALUE, "a region is a table `{ level = 0, tile = [0, 0] }`");
        };
        let new = format!("{{ level = {level}, layer = {layer}, tile = [{x}, {y}, {z}] }}");
        value.note("a region is a table, `{ level = 0, layer = 0, tile = [0, 0, 0] }`", Some(&new));
        return Some(value.at(Region { level, layer, place: RegionPart::Tile([x, y, z]) }));
    }
    let table = value.table()?;
    let before = table.problem_count();
    let number = |key| table.get(key).and_then(|v| v.small(0)).unwrap_or(0);
    let (level, layer) = (number("level"), number("layer"));
    let tile = table.get("tile").and_then(|v| numbers(&v, 0, 0));
    let offset = table.get("offset").and_then(|v| numbers(&v, 0, 0));
    let extent = table.get("extent").and_then(|v| numbers(&v, 1, 1));
    table.finish();
    if tile.is_some() && (offset.is_some() || extent.is_some()) {
        let message = "a region has either a `tile`, or an `offset` and an `extent`";
        table.problem(codes::CONFLICT, message.into());
    }
    let texels = RegionPart::Box { offset: offset.unwrap_or_default(), extent };
    let place = tile.map_or(texels, RegionPart::Tile);
    (table.problem_count() == before).then(|| value.at(Region { level, layer, place }))
}

/// Parses a number, or an array of one to three numbers. Each must be at least `least`; missing
/// numbers are `rest`.
fn numbers(value: &TomlValue<'_>, least: u32, rest: u32) -> Option<[u32; 3]> {
    let items = value.array("an array of 1 to 3 numbers")?;
    if !(1..=3).contains(&items.len()) {
        let message = format!("expected an array of 1 to 3 numbers, found {}", items.len());
        return value.refuse(codes::VALUE, message);
    }
    let mut numbers = [rest; 3];
    for (to, item) in numbers.iter_mut().zip(&items) {
        *to = item.small(least)?;
    }
    Some(numbers)
}

/// Parses the value of the key `view`, a table that selects levels, layers, format or geometry of
/// an array. The form of old state files, a bare array of levels, gets a note.
pub fn view(value: &TomlValue<'_>) -> Option<At<ViewSpec>> {
    if value.is_array() && value.has_bare_bits() {
        let levels = Some(first_last(value)?);
        let new = levels.map(|[first, last]| format!("{{ levels = [{first}, {last}] }}"));
        value.note("a view is a table, `{ levels = [1, 2] }`", new.as_deref());
        return Some(value.at(ViewSpec { levels, ..ViewSpec::default() }));
    }
    let table = value.table()?;
    let before = table.problem_count();
    let format = format(&table);
    let geometry = table.get("geometry").and_then(|v| geometry(&v));
    let range = |key| table.get(key).and_then(|v| first_last(&v));
    let (levels, layers) = (range("levels"), range("layers"));
    table.finish();
    let sound = table.problem_count() == before;
    sound.then(|| value.at(ViewSpec { format, geometry, levels, layers }))
}

/// Parses a range of levels or layers: a single number, or an array of the first and the last.
pub(crate) fn first_last(value: &TomlValue<'_>) -> Option<[u32; 2]> {
    if !value.is_array() {
        let one = value.small(0)?;
        return Some([one, one]);
    }
    let items = value.array("a number, or the first and the last")?;
    let [first, last] = items.as_slice() else {
        let message = format!("expected two numbers [first, last], found {}", items.len());
        return value.refuse(codes::VALUE, message);
    };
    let range = [first.small(0)?, last.small(0)?];
    if range[0] > range[1] && !value.has_bare_bits() {
        return value.refuse(codes::VALUE, "the last one is before the first");
    }
    Some(range)
}
