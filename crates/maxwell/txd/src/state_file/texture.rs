//! The textures of a state file.

use super::raw::{RawTexture, claim};
use super::{StateError, eight, one_of, set_fields};
use texunit_sass::descriptor::{Bits, header};
use texunit_sass::descriptor::{
    Descriptor, Levels, Placement, Source, Texels, TextureHeader, TextureType,
};
use texunit_sass::memory::Memory;
use texunit_texel::Format;
use texunit_unit::ReadMode;

const TYPES: [(&str, TextureType); 9] = [
    ("1D", TextureType::D1),
    ("2D", TextureType::D2),
    ("3D", TextureType::D3),
    ("cube", TextureType::Cube),
    ("1D_array", TextureType::D1Array),
    ("2D_array", TextureType::D2Array),
    ("1D_buffer", TextureType::D1Buffer),
    ("2D_no_mipmap", TextureType::D2NoMipmap),
    ("cube_array", TextureType::CubeArray),
];

const SOURCES: [(&str, Source); 7] = [
    ("zero", Source::Zero),
    ("R", Source::Component(0)),
    ("G", Source::Component(1)),
    ("B", Source::Component(2)),
    ("A", Source::Component(3)),
    ("one_int", Source::OneInt),
    ("one_float", Source::OneFloat),
];

/// The words of a header; its texels are put into memory.
pub(super) fn words(
    raw: &RawTexture,
    memory: &mut Memory,
    used: &mut u64,
) -> Result<Descriptor, StateError> {
    let mut words = match &raw.words {
        Some(words) if raw.has_only_words() => eight(words)?,
        Some(_) => return Err(StateError::words_alone()),
        None => {
            let header = described(raw)?;
            // First of all: it says that sizes are within bounds.
            let words = header.encode()?;
            if let Some(texels) = &raw.texels {
                fill(&header, texels, memory, used)
                    .map_err(|e| StateError { key: e.key.or(Some("texels")), ..e })?;
            }
            words
        }
    };
    // A field may change the kind of the header, and with it the fields there are.
    let all: Vec<&Bits> = header::FIELDS.iter().map(|(bits, _)| bits).collect();
    set_fields(&mut words, &all, &raw.fields)?;
    Ok(words)
}

fn needed<T>(key: &str, value: Option<T>) -> Result<T, StateError> {
    value.ok_or_else(|| StateError::new(format!("`{key}` is missing (or `words`)")))
}

fn described(raw: &RawTexture) -> Result<TextureHeader, StateError> {
    let kind = one_of("type", "texture type", raw.kind.as_deref().unwrap_or("2D"), &TYPES)?;
    let name = needed("format", raw.format.as_deref())?;
    let format = Format::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Format::names().collect();
        StateError::of(
            "format",
            format!("unknown format `{name}`; available: {}", names.join(", ")),
        )
    })?;
    let modes = [("element", ReadMode::Element), ("normalized", ReadMode::NormalizedFloat)];
    let read_mode = match raw.read.as_deref() {
        Some(name) => one_of("read", "read mode", name, &modes)?,
        None if format.is_normalized_kind() => ReadMode::NormalizedFloat,
        None => ReadMode::Element,
    };
    let given = needed("size", raw.size.as_deref())?;
    if given.is_empty() || given.len() > 3 || given.contains(&0) {
        return Err(StateError::of("size", "`size` has 1 to 3 numbers above 0"));
    }
    let size = std::array::from_fn(|n| given.get(n).copied().unwrap_or(1));
    let mut sources = Source::IDENTITY;
    if let Some(names) = &raw.sources {
        if names.len() != 4 {
            return Err(StateError::of("sources", "`sources` are four"));
        }
        for (source, name) in sources.iter_mut().zip(names) {
            *source = one_of("sources", "source", name, &SOURCES)?;
        }
    }
    let min_lod = raw.min_lod.unwrap_or(0.0);
    if !(0.0..16.0).contains(&min_lod) {
        return Err(StateError::of("min_lod", "`min_lod` goes from 0 to below 16"));
    }
    let levels = raw.levels.unwrap_or(1);
    if !(1..=16).contains(&levels) {
        return Err(StateError::of("levels", "`levels` are 1 to 16"));
    }
    Ok(TextureHeader {
        kind,
        placement: placement(raw, kind)?,
        texels: Texels { format, read_mode },
        sources,
        size,
        levels,
        view: raw.view.unwrap_or([0, levels - 1]),
        srgb: raw.srgb || format.is_srgb_block(),
        normalized: raw.normalized_coords.unwrap_or(true),
        min_lod: (min_lod * 256.0) as u32,
    })
}

fn placement(raw: &RawTexture, kind: TextureType) -> Result<Placement, StateError> {
    let address = needed("address", raw.address)?;
    let buffer = kind == TextureType::D1Buffer;
    let layout = raw.layout.as_deref().unwrap_or(if buffer { "buffer" } else { "block_linear" });
    let log2 = |key, value: Option<u32>| match value.unwrap_or(1) {
        n if n.is_power_of_two() && n <= 32 => Ok(n.ilog2()),
        _ => Err(StateError::of(key, format!("`{key}` is 1, 2, 4, 8, 16 or 32"))),
    };
    let placement = match layout {
        "buffer" => Placement::Buffer { address },
        "pitch" => Placement::Pitch { address, pitch: needed("pitch", raw.pitch)? },
        "block_linear" => Placement::BlockLinear {
            address,
            log2_height: log2("block_height", raw.block_height)?,
            log2_depth: log2("block_depth", raw.block_depth)?,
            sparse: raw.sparse,
        },
        other => {
            let message = format!("no layout is called `{other}`: block_linear, pitch, buffer");
            return Err(StateError::of("layout", message));
        }
    };
    let of_blocks = "block_linear";
    for (key, there, owner) in [
        ("pitch", raw.pitch.is_some(), "pitch"),
        ("block_height", raw.block_height.is_some(), of_blocks),
        ("block_depth", raw.block_depth.is_some(), of_blocks),
        ("sparse", raw.sparse, of_blocks),
    ] {
        if there && layout != owner {
            let message = format!("`{key}` is for the layout {owner}, and this is {layout}");
            return Err(StateError::of(key, message));
        }
    }
    Ok(placement)
}

/// Puts texels, which follow each other in the file, where the header says that they are.
fn fill(
    header: &TextureHeader,
    texels: &super::raw::RawTexels,
    memory: &mut Memory,
    used: &mut u64,
) -> Result<(), StateError> {
    let shape = header.shape(true);
    let format = shape.format;
    let address = header.placement.address();
    let wanted = match header.placement {
        Placement::BlockLinear { .. } => shape
            .check()
            .and_then(|()| shape.packed_size())
            .map_err(|e| StateError::new(e.to_string()))?,
        _ => {
            let [width, height, _] = header.size.map(u64::from);
            let rows = if matches!(header.placement, Placement::Pitch { .. }) { height } else { 1 };
            width * rows * u64::from(format.texel_size())
        }
    };
    claim(used, wanted)?;
    let packed = texels.content(Some(wanted))?;
    if packed.len() as u64 != wanted {
        let message = format!("`texels` have {} bytes, but the texture has {wanted}", packed.len());
        return Err(StateError::new(message));
    }
    let bytes = match header.placement {
        Placement::Buffer { .. } => packed,
        Placement::Pitch { pitch, .. } => {
            let row = header.size[0] as usize * format.texel_size() as usize;
            let pitch = usize::try_from(pitch).unwrap_or(usize::MAX);
            if pitch < row {
                let message = format!("`pitch` is below the {row} bytes of a row");
                return Err(StateError::of("pitch", message));
            }
            let all = (pitch as u64).saturating_mul(header.size[1].into());
            claim(used, all)?;
            let mut bytes = vec![0; all as usize];
            for (to, texels) in bytes.chunks_exact_mut(pitch).zip(packed.chunks_exact(row)) {
                to[..row].copy_from_slice(texels);
            }
            bytes
        }
        Placement::BlockLinear { log2_height, log2_depth, .. } => {
            let levels = Levels::new(&shape, log2_height, log2_depth);
            let levels = levels.ok_or_else(|| StateError::new("the texture is too large"))?;
            claim(used, levels.bytes())?;
            let mut blocks = vec![0; levels.bytes() as usize];
            let mut rest = &packed[..];
            for (_, _, offset, level) in levels.planes() {
                let length = (level.width * level.height * level.depth) as usize;
                let (rows, after) = rest.split_at(length);
                rest = after;
                level.write(rows, &mut blocks[offset as usize..]);
            }
            blocks
        }
    };
    memory.map(address, bytes).map_err(|e| StateError::of("address", format!("texels: {e}")))
}
