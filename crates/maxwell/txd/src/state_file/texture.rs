//! Parses the textures of a state file.

use super::machine::claim;
use super::{descriptor, inexpressible, wrong};
use texunit_forms::Count;
use texunit_sass::descriptor::{
    Descriptor, Placement, Source, Texels as Reading, TextureHeader, TextureType, header,
};
use texunit_sass::memory::Memory;
use texunit_spec::{
    Table, Texels, TomlValue, codes, extent, format, keys, number, read_mode, view,
};
use texunit_unit::{BlockLevels, ReadMode};

/// The keys that set fields, by the beginning of the field's name.
const KEYS: [(&str, &str); 10] = [
    ("address_", "address"),
    ("component_layout", "format"),
    ("depth_", "depth"),
    ("height_", "height"),
    ("max_mip_level", "levels"),
    ("pitch_", "pitch"),
    ("resource_view_", "view"),
    ("srgb_conversion", "srgb"),
    ("texture_type", "type"),
    ("width_", "width"),
];

/// The memory layout of texels, as in headers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    BlockLinear,
    Pitch,
    Buffer,
}

const LAYOUTS: [(&str, Layout); 3] =
    [("block_linear", Layout::BlockLinear), ("pitch", Layout::Pitch), ("buffer", Layout::Buffer)];

/// Parses a texture into its descriptor, and writes its texels to memory.
pub(super) fn words(table: &Table<'_>, memory: &mut Memory, used: &mut u64) -> Option<Descriptor> {
    // All fields are accepted, because a raw field may change the version of the header, which
    // determines the fields that exist.
    let all = header::FIELDS.iter().map(|(bits, _)| bits);
    descriptor(table, all, || described(table, memory, used))
}

fn described(table: &Table<'_>, memory: &mut Memory, used: &mut u64) -> Option<Descriptor> {
    let before = table.problem_count();
    let header = header(table);
    let texels = table.get("texels");
    let format = header.as_ref().map(|header| header.texels.format);
    let made = texels.as_ref().and_then(|v| Texels::read(v, format));
    let header = header.filter(|_| table.problem_count() == before)?;
    // The header is encoded before the texels are written, because encoding checks the limits of
    // sizes.
    let words = header.encode().map_err(|error| inexpressible(table, &KEYS, error)).ok()?;
    if let (Some(texels), Some(made)) = (texels, made) {
        fill(&header, (&texels, &made.value), table, memory, used)?;
    }
    Some(words)
}

/// The meaning of the value of a header's field, by one of the `names` of its values.
fn by_name<T>(
    value: &TomlValue<'_>,
    names: &[(u32, &'static str)],
    meaning: fn(u32) -> Option<T>,
) -> Option<T> {
    let words: Vec<_> = names.iter().map(|&(bits, name)| (name, bits)).collect();
    meaning(value.word(&words)?)
}

fn header(table: &Table<'_>) -> Option<TextureHeader> {
    let kind = table
        .get("type")
        .map_or(Some(TextureType::D2), |v| by_name(&v, header::TYPES, TextureType::from_bits));
    let named = format(table);
    if named.is_none() {
        table.need("format", "the format of a texel, or `words`");
    }
    let (read, size) = (read_mode(table), size(table, kind));
    let mut sources = Source::IDENTITY;
    if let Some(v) = table.get("sources")
        && let Some(names) = v.array("four sources")
    {
        let given: Vec<_> = names
            .iter()
            .filter_map(|name| by_name(name, header::SOURCES, Source::from_bits))
            .collect();
        match given.try_into() {
            Ok(four) => sources = four,
            Err(_) => v.problem(codes::VALUE, "`sources` are four"),
        }
    }
    let least = table.get(keys::MIN_MIPMAP_LEVEL_CLAMP);
    let min_lod = least.as_ref().and_then(number::float).map_or(0.0, f32::from_bits);
    if let (Some(v), false) = (&least, (0.0..16.0).contains(&min_lod)) {
        let key = keys::MIN_MIPMAP_LEVEL_CLAMP.name;
        v.problem(codes::VALUE, format!("`{key}` goes from 0 to below 16"));
    }
    let levels = table.get("levels").map_or(Some(1), |v| v.number(1, 16)).unwrap_or(1) as u32;
    let seen = table.get("view").and_then(|v| view(&v));
    if let Some(v) = &seen
        && (v.value.format.is_some() || v.value.geometry.is_some() || v.value.layers.is_some())
    {
        wrong(table, "view", "the view of a header has only `levels`");
    }
    let flag = |key: keys::Key| table.get(key).and_then(|v| v.boolean());
    let (srgb, normalized) = (flag("srgb".into()), flag(keys::NORMALIZED_COORDS));
    let placement = placement(table, kind);
    let (kind, format) = (kind?, named?.value);
    let usual =
        if format.is_normalized_kind() { ReadMode::NormalizedFloat } else { ReadMode::Element };
    Some(TextureHeader {
        kind,
        placement: placement?,
        texels: Reading { format, read_mode: read.unwrap_or(usual) },
        sources,
        size: size?,
        levels,
        view: seen.and_then(|v| v.value.levels).unwrap_or([0, levels - 1]),
        srgb: srgb.unwrap_or(false) || format.is_srgb_block(),
        normalized: normalized.unwrap_or(true),
        min_lod: (min_lod * 256.0) as u32,
    })
}

/// The texture's width, its height, and its depth or number of layers or cubes.
fn size(table: &Table<'_>, kind: Option<TextureType>) -> Option<[u32; 3]> {
    let (given, layers) = (extent(table), table.get("layers"));
    let Some([width, mut height, mut depth]) = given.extent else {
        table.need("width", "the texels of a row, or `words`");
        return None;
    };
    let geometry = kind.map(TextureType::geometry)?;
    if geometry.is_cube() && given.dims == 1 {
        height = width;
    }
    if let Some(v) = layers {
        if !geometry.is_array() || given.dims == 3 {
            v.problem(codes::CONFLICT, "`layers` are of arrays, which have no `depth`");
        }
        depth = v.small(1)?;
    }
    for (key, size) in [("width", width), ("height", height), ("depth", depth)] {
        if size == 0 {
            let key = if table.get(key).is_some() { key } else { "size" };
            wrong(table, key, "sizes are above 0");
            return None;
        }
    }
    Some([width, height, depth])
}

fn placement(table: &Table<'_>, kind: Option<TextureType>) -> Option<Placement> {
    let address = table.need("address", "where the texels are, or `words`");
    let address = address.and_then(|v| v.number(0, i64::MAX as u64));
    let usual = match kind {
        Some(TextureType::D1Buffer) => Layout::Buffer,
        _ => Layout::BlockLinear,
    };
    let layout = table.get("layout").map_or(Some(usual), |v| v.word(&LAYOUTS));
    let log2 = |key: &'static str| match table.get(key) {
        None => Some(0),
        Some(v) => match v.small(0)? {
            n if n.is_power_of_two() && n <= 32 => Some(n.ilog2()),
            _ => v.refuse(codes::VALUE, format!("`{key}` is 1, 2, 4, 8, 16 or 32")),
        },
    };
    let heights = (log2("block_height"), log2("block_depth"));
    let sparse = table.get("sparse").map_or(Some(false), |v| v.boolean());
    let pitch = table.get("pitch");
    let layout = layout?;
    let name = LAYOUTS.iter().find(|row| row.1 == layout).map_or("", |row| row.0);
    for (key, owner) in [
        ("pitch", Layout::Pitch),
        ("block_height", Layout::BlockLinear),
        ("block_depth", Layout::BlockLinear),
        ("sparse", Layout::BlockLinear),
    ] {
        if let Some(v) = table.get(key)
            && layout != owner
            && !(v.is_boolean() && sparse == Some(false))
        {
            let owner = LAYOUTS.iter().find(|row| row.1 == owner).map_or("", |row| row.0);
            let message = format!("`{key}` is for the layout {owner}, and this is {name}");
            v.problem(codes::CONFLICT, message);
        }
    }
    Some(match layout {
        Layout::Buffer => Placement::Buffer { address: address? },
        Layout::Pitch => {
            if pitch.is_none() {
                table.need("pitch", "the bytes from row to row");
            }
            let pitch = pitch.and_then(|v| v.number(0, i64::MAX as u64));
            Placement::Pitch { address: address?, pitch: pitch? }
        }
        Layout::BlockLinear => Placement::BlockLinear {
            address: address?,
            log2_height: heights.0?,
            log2_depth: heights.1?,
            sparse: sparse?,
        },
    })
}

/// Writes packed texels to the memory that the header refers to.
fn fill(
    header: &TextureHeader,
    (value, texels): (&TomlValue<'_>, &Texels),
    table: &Table<'_>,
    memory: &mut Memory,
    used: &mut u64,
) -> Option<()> {
    let refuse = |message: String| value.problem(codes::VALUE, message);
    let shape = header.shape(true);
    let format = shape.format;
    let sizes = match header.placement {
        Placement::BlockLinear { .. } => {
            shape.check().map_err(|e| refuse(e.to_string())).ok()?;
            Texels::level_sizes(&shape)
        }
        _ => {
            let [width, height, _] = header.size.map(u64::from);
            let rows = if matches!(header.placement, Placement::Pitch { .. }) { height } else { 1 };
            vec![width * rows * u64::from(format.texel_size())]
        }
    };
    let all = sizes.iter().fold(0, |sum: u64, size| sum.saturating_add(*size));
    claim(table, "texels", used, all)?;
    let packed = texels.packed(format, &sizes).map_err(refuse).ok()?;
    let bytes = match header.placement {
        Placement::Buffer { .. } => packed,
        Placement::Pitch { pitch, .. } => {
            let row = header.size[0] as usize * format.texel_size() as usize;
            let pitch = usize::try_from(pitch).unwrap_or(usize::MAX);
            if pitch < row {
                let message = format!("`pitch` is below the {} of a row", Count(row, "byte"));
                wrong(table, "pitch", message);
                return None;
            }
            let all = (pitch as u64).saturating_mul(header.size[1].into());
            claim(table, "texels", used, all)?;
            let mut bytes = vec![0; all as usize];
            for (to, texels) in bytes.chunks_exact_mut(pitch).zip(packed.chunks_exact(row)) {
                to[..row].copy_from_slice(texels);
            }
            bytes
        }
        Placement::BlockLinear { log2_height, log2_depth, .. } => {
            let Some(levels) = BlockLevels::new(&shape, log2_height, log2_depth) else {
                refuse("the texture is too large".to_owned());
                return None;
            };
            claim(table, "texels", used, levels.bytes())?;
            levels.write(&packed)
        }
    };
    let mapped = memory.map(header.placement.address(), bytes);
    mapped.map_err(|error| wrong(table, "address", format!("texels: {error}"))).ok()
}
