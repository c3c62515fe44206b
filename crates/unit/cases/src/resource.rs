//! The resource of a case: what it is made of, and how it is made.

use crate::error::{CaseError, Within};
use crate::raw::{RawResource, RawView};
use crate::text;
use std::sync::Arc;
use texunit_memory::Block;
use texunit_texel::{Channel, Format, f32_to_f16};
use texunit_unit::resource::PITCH_ALIGN;
use texunit_unit::{ArrayShape, Extent, Geometry, Layout, Residency, Resource, View};

/// Most bytes of texels that a case may ask for.
pub const MAX_BYTES: u64 = 1 << 28;

/// The texels of a resource.
#[derive(Clone, Debug, PartialEq)]
pub enum Texels {
    /// All bytes, in the order of [`Resource::to_packed`].
    Bytes(Vec<u8>),
    /// The bytes of one texel (or block), repeated.
    Fill(Vec<u8>),
    /// Channel `k`, counted through the packed order, is `first + k * step`: modulo the size of
    /// integers, converted to float channels, and halves are rounded.
    Ramp {
        /// Value of the first channel.
        first: i64,
        /// From a channel to the next.
        step: i64,
    },
    /// Every channel of level `l` is `first + l * step`, converted likewise.
    ByLevel {
        /// Value in the base level.
        first: i64,
        /// From a level to the next.
        step: i64,
    },
    /// Words of the generator of this crate, in packed order.
    Random(u32),
    /// The generator of the published hardware vectors: `state = state * 1664525 + 1013904223`,
    /// starting at this; the texel of level l is `f32(state >> 8 & 0xffff) / 64 + l * 1000`.
    Published(u32),
}

/// What a case is about: an array, linear or pitched memory, perhaps with missing tiles, perhaps
/// seen through a view.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceSpec {
    /// What cases and messages call it.
    pub name: String,
    /// Format, geometry, extent, layers, levels, samples.
    pub shape: ArrayShape,
    /// How the texels lie in memory.
    pub layout: Layout,
    /// Bytes from row to row of pitched memory.
    pub pitch: Option<u64>,
    /// What is in it.
    pub texels: Texels,
    /// Tiles of a sparse array that are not resident: level, layer (face), and the tile's number
    /// along x, y, z. `None` for a resource that is not sparse.
    pub missing_tiles: Option<Vec<[u32; 5]>>,
    /// What textures and surfaces see of it, if not all.
    pub view: Option<View>,
}

/// Hexadecimal digits of an element of `texels`: a channel, a packed texel, a byte of a block.
fn digits(format: Format) -> usize {
    match format.plain_channel() {
        Some(channel) => 2 * channel.size() as usize,
        None if format.is_block() => 2,
        None => 2 * format.texel_size() as usize,
    }
}

/// Bytes of a level in packed order.
fn level_bytes(shape: &ArrayShape, level: u32) -> u64 {
    let block = shape.format.block_extent();
    let Extent { width, height, depth } = shape.level_extent(level);
    let (columns, rows) = (width.div_ceil(block), height.div_ceil(block));
    let counts = [columns, rows, depth, shape.planes(), shape.samples, shape.format.texel_size()];
    // Shapes that are too large are refused later.
    counts.into_iter().fold(1_u64, |product, n| product.saturating_mul(n.into()))
}

impl ResourceSpec {
    /// Makes the resource, with its texels, in memory of its own.
    pub fn build(&self) -> Result<Arc<Resource>, CaseError> {
        self.build_inner().within(format!("resource `{}`", self.name))
    }

    fn build_inner(&self) -> Result<Arc<Resource>, CaseError> {
        let packed = self.packed()?;
        let name = &self.name;
        let (Extent { width, height, .. }, format) = (self.shape.extent, self.shape.format);
        let pitch = self.pitch();
        let size = match self.layout {
            Layout::Linear => packed.len() as u64,
            // Its rows may lie farther apart than they are long.
            Layout::Array => check_bytes(self.shape.size().map_err(CaseError::new)?)?,
            Layout::Pitched => check_bytes(pitch.saturating_mul(height.into()))?,
        };
        let block = Block::new(size as usize, name)
            .map(Arc::new)
            .ok_or_else(|| CaseError::new(format!("cannot allocate {size} bytes of memory")))?;
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
        Ok(Arc::new(resource))
    }

    /// Pitch of pitched memory: as given, or the smallest.
    fn pitch(&self) -> u64 {
        let row = u64::from(self.shape.extent.width) * u64::from(self.shape.format.texel_size());
        self.pitch.unwrap_or(row.next_multiple_of(PITCH_ALIGN))
    }

    /// All bytes in the order of [`Resource::to_packed`], of the resource itself, not of its view.
    pub fn packed(&self) -> Result<Vec<u8>, CaseError> {
        let size = self.packed_size()?;
        match &self.texels {
            Texels::Bytes(bytes) if bytes.len() == size => Ok(bytes.clone()),
            Texels::Bytes(bytes) => {
                let there = bytes.len();
                Err(CaseError::new(format!("there are {there} bytes of texels, not {size}")))
            }
            Texels::Fill(texel) if texel.len() == self.shape.format.texel_size() as usize => {
                Ok(texel.iter().copied().cycle().take(size).collect())
            }
            Texels::Fill(texel) => Err(CaseError::new(format!(
                "`fill` has {} bytes, but a texel of {} has {}",
                texel.len(),
                self.shape.format,
                self.shape.format.texel_size()
            ))),
            Texels::Ramp { first, step } => self.ramp(*first, *step, size),
            Texels::ByLevel { first, step } => self.by_level(*first, *step),
            Texels::Random(seed) => Ok(random_bytes((*seed).into(), size)),
            Texels::Published(state) => self.published(*state),
        }
    }

    /// Bytes of all levels.
    fn packed_size(&self) -> Result<usize, CaseError> {
        // What is too large for an array or memory of this kind is refused later, by the unit; a
        // number of levels past the last one would only take time here.
        let levels = self.shape.level_count().min(32);
        let sizes = (0..levels).map(|level| level_bytes(&self.shape, level));
        Ok(check_bytes(sizes.fold(0, u64::saturating_add))? as usize)
    }

    fn ramp(&self, first: i64, step: i64, size: usize) -> Result<Vec<u8>, CaseError> {
        let mut out = Vec::with_capacity(size + 4);
        let mut value = first;
        while out.len() < size {
            self.push_channel(&mut out, value)?;
            value = value.wrapping_add(step);
        }
        Ok(out)
    }

    fn by_level(&self, first: i64, step: i64) -> Result<Vec<u8>, CaseError> {
        let (mut out, mut value, mut end) = (Vec::new(), first, 0);
        for level in 0..self.shape.level_count().min(32) {
            end += level_bytes(&self.shape, level) as usize;
            while out.len() < end {
                self.push_channel(&mut out, value)?;
            }
            value = value.wrapping_add(step);
        }
        Ok(out)
    }

    /// An integer as a channel of this format.
    fn push_channel(&self, out: &mut Vec<u8>, value: i64) -> Result<(), CaseError> {
        let format = self.shape.format;
        let channel = format.plain_channel().ok_or_else(|| {
            CaseError::new(format!("`ramp` and `by_level` are for plain formats, not for {format}"))
        })?;
        let code = match channel {
            Channel::F32 => u64::from((value as f32).to_bits()),
            Channel::F16 => u64::from(f32_to_f16((value as f32).to_bits())),
            _ => value as u64,
        };
        out.extend_from_slice(&code.to_le_bytes()[..channel.size() as usize]);
        Ok(())
    }

    fn published(&self, mut state: u32) -> Result<Vec<u8>, CaseError> {
        if self.shape.format.name() != "f32" {
            return Err(CaseError::new("`published` texels are f32"));
        }
        let mut out = Vec::new();
        for level in 0..self.shape.level_count().min(32) {
            for _ in 0..level_bytes(&self.shape, level) / 4 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let texel = (state >> 8 & 0xffff) as f32 / 64.0 + level as f32 * 1000.0;
                out.extend_from_slice(&texel.to_le_bytes());
            }
        }
        Ok(out)
    }

    pub(crate) fn from_raw(
        raw: &RawResource,
        lookup: &dyn Fn(&str) -> Result<String, CaseError>,
    ) -> Result<Self, CaseError> {
        let format = format(&raw.format).within("format")?;
        let geometry = geometry(&raw.geometry).within("geometry")?;
        if raw.size.len() != geometry.axes() {
            return Err(CaseError::new(format!(
                "`size` has {} numbers, but .{geometry} has {} axes",
                raw.size.len(),
                geometry.axes()
            )));
        }
        let axis = |a: usize| raw.size.get(a).copied().unwrap_or(1);
        let extent = Extent { width: axis(0), height: axis(1), depth: axis(2) };
        let plain = ArrayShape::new(format, geometry, extent);
        let shape = ArrayShape {
            layers: raw.layers.unwrap_or(1),
            levels: raw.levels,
            samples: raw.samples.unwrap_or(plain.samples),
            ..plain
        };
        let layout = match raw.layout.as_deref() {
            None | Some("array") => Layout::Array,
            Some("linear") => Layout::Linear,
            Some("pitched") => Layout::Pitched,
            Some(other) => return Err(unknown("layout", other, "array, linear, pitched")),
        };
        let expected = match layout {
            Layout::Array => geometry,
            Layout::Linear => Geometry::D1,
            Layout::Pitched => Geometry::D2,
        };
        let more = raw.layers.is_some() || raw.levels.is_some() || raw.samples.is_some();
        if layout != Layout::Array && (geometry != expected || more) {
            return Err(CaseError::new(format!(
                "linear memory is `1d`, pitched memory `2d`, without layers, levels and samples; \
                 this is {layout:?} of .{geometry}"
            )));
        }
        Ok(Self {
            name: raw.name.clone(),
            shape,
            layout,
            pitch: raw.pitch,
            texels: texels(raw, format, lookup)?,
            missing_tiles: raw.missing_tiles.clone(),
            view: raw.view.as_ref().map(view).transpose().within("view")?,
        })
    }

    pub(crate) fn to_raw(&self) -> RawResource {
        let ArrayShape { format, geometry, extent, layers, levels, samples } = self.shape;
        let mut raw = RawResource {
            name: self.name.clone(),
            format: format.name().to_owned(),
            geometry: geometry.name().to_owned(),
            size: extent.axes()[..geometry.axes()].to_vec(),
            layers: (layers != 1 || geometry.is_array()).then_some(layers),
            levels,
            samples: geometry.is_multisample().then_some(samples),
            layout: match self.layout {
                Layout::Array => None,
                Layout::Linear => Some("linear".to_owned()),
                Layout::Pitched => Some("pitched".to_owned()),
            },
            // A number of the file has 63 bits; no memory has rows so long.
            pitch: self.pitch.map(|pitch| pitch.min(i64::MAX as u64)),
            missing_tiles: self.missing_tiles.clone(),
            view: self.view.as_ref().map(|view| RawView {
                format: view.format.map(|f| f.name().to_owned()),
                geometry: view.geometry.map(|g| g.name().to_owned()),
                levels: view.levels.as_ref().map(first_and_last),
                layers: view.planes.as_ref().map(first_and_last),
            }),
            ..RawResource::default()
        };
        if self.layout != Layout::Array {
            raw.layers = None;
        }
        match &self.texels {
            Texels::Fill(texel) => raw.fill = Some(text::from_bytes(texel, digits(format))),
            Texels::Ramp { first, step } => raw.ramp = Some([*first, *step]),
            Texels::ByLevel { first, step } => raw.by_level = Some([*first, *step]),
            Texels::Random(seed) => raw.random = Some(*seed),
            Texels::Published(state) => raw.published = Some(*state),
            // What is too long or too short for the shape stays so.
            Texels::Bytes(bytes) if Ok(bytes.len()) != self.packed_size() => {
                raw.bytes = Some(text::from_bytes(bytes, 2));
            }
            Texels::Bytes(bytes) => {
                let mut rest = &bytes[..];
                let levels = (0..self.shape.level_count().min(32)).map(|level| {
                    let size = (level_bytes(&self.shape, level) as usize).min(rest.len());
                    let (level, after) = rest.split_at(size);
                    rest = after;
                    text::from_bytes(level, digits(format))
                });
                raw.texels = Some(levels.collect());
            }
        }
        raw
    }
}

fn with_missing(resource: Resource, missing: &[[u32; 5]]) -> Result<Resource, CaseError> {
    let map = Residency::new(resource.shape()).map_err(CaseError::new)?;
    map.set_all(true);
    for &[level, plane, x, y, z] in missing {
        // A level of the mip tail stands for the whole tail of its layer.
        let tail = level >= map.tail_first_level() && level < resource.shape().level_count();
        if tail {
            map.set_tail(plane, false)
        } else {
            map.set_tile(level, plane, [x, y, z], false)
        }
        .map_err(CaseError::new)?;
    }
    resource.with_residency(Arc::new(map)).map_err(CaseError::new)
}

fn check_bytes(size: u64) -> Result<u64, CaseError> {
    if size > MAX_BYTES {
        return Err(CaseError::new(format!(
            "{size} bytes of texels are more than the {MAX_BYTES} that a case may have"
        )));
    }
    Ok(size)
}

fn first_and_last(range: &std::ops::Range<u32>) -> [u32; 2] {
    [range.start, range.end.saturating_sub(1)]
}

fn range([first, last]: [u32; 2]) -> std::ops::Range<u32> {
    first..last.saturating_add(1)
}

fn view(raw: &RawView) -> Result<View, CaseError> {
    Ok(View {
        format: raw.format.as_deref().map(format).transpose().within("format")?,
        geometry: raw.geometry.as_deref().map(geometry).transpose().within("geometry")?,
        levels: raw.levels.map(range),
        planes: raw.layers.map(range),
    })
}

fn texels(
    raw: &RawResource,
    format: Format,
    lookup: &dyn Fn(&str) -> Result<String, CaseError>,
) -> Result<Texels, CaseError> {
    let mut found = Vec::new();
    if let Some(levels) = &raw.texels {
        let mut bytes = Vec::new();
        for level in levels {
            let text = lookup(level).within("texels")?;
            bytes.extend(text::bytes(&text, digits(format)).within("texels")?);
        }
        found.push(Texels::Bytes(bytes));
    }
    if let Some(bytes) = &raw.bytes {
        found.push(Texels::Bytes(text::bytes(&lookup(bytes)?, 2).within("bytes")?));
    }
    if let Some(texel) = &raw.fill {
        found.push(Texels::Fill(text::bytes(texel, digits(format)).within("fill")?));
    }
    found.extend(raw.ramp.map(|[first, step]| Texels::Ramp { first, step }));
    found.extend(raw.by_level.map(|[first, step]| Texels::ByLevel { first, step }));
    found.extend(raw.random.map(Texels::Random));
    found.extend(raw.published.map(Texels::Published));
    match (found.pop(), found.is_empty()) {
        (Some(texels), true) => Ok(texels),
        _ => Err(CaseError::new(
            "exactly one of `texels`, `bytes`, `fill`, `ramp`, `by_level`, `random`, `published` is \
             needed",
        )),
    }
}

pub(crate) fn unknown(what: &str, name: &str, names: &str) -> CaseError {
    CaseError::new(format!("unknown {what} `{name}`; available: {names}"))
}

fn format(name: &str) -> Result<Format, CaseError> {
    Format::from_name(name)
        .ok_or_else(|| unknown("format", name, &Format::names().collect::<Vec<_>>().join(", ")))
}

fn geometry(name: &str) -> Result<Geometry, CaseError> {
    Geometry::from_name(name.strip_prefix('.').unwrap_or(name))
        .ok_or_else(|| unknown("geometry", name, "1d, 2d, 3d, a1d, a2d, cube, acube, 2dms, a2dms"))
}

/// Bytes of the generator of this crate.
fn random_bytes(seed: u64, size: usize) -> Vec<u8> {
    let mut random = crate::random::Random::new(seed);
    let mut out = Vec::with_capacity(size + 8);
    while out.len() < size {
        out.extend_from_slice(&random.next().to_le_bytes());
    }
    out.truncate(size);
    out
}
