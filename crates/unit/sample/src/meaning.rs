//! Interprets an array as texels: rules A2 to A16 of docs/python-conventions.md.

use crate::error::{Result, SampleError, shape_text};
use crate::input::Input;
use texunit_forms::{CHANNELS, Count};
use texunit_texel::{Format, readings};
use texunit_unit::{ArrayShape, Extent, Filter, Geometry, ReadMode, ResultType, Sampler};

/// Properties of a texture that the shape of an array does not determine.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ArrayOptions {
    /// Number of spatial axes: 1, 2 or 3.
    pub dim: Option<u8>,
    /// Whether the first axis is layers.
    pub layered: bool,
    /// Whether an axis of six faces precedes the spatial axes.
    pub cube: bool,
    /// Whether an axis of samples precedes the spatial axes.
    pub multisample: bool,
    /// Another format in which to read the same bytes.
    pub format: Option<Format>,
    /// Size in texels of a block-compressed texture: width, height, depth. Defaults to four texels
    /// per block.
    pub size: Option<Vec<u32>>,
    /// Mip levels to generate.
    pub mipmaps: Mipmaps,
}

texunit_unit::setters! {
    ArrayOptions {
        with_dim(dim: impl Into<Option<u8>>);
        with_layered(layered: bool);
        with_cube(cube: bool);
        with_multisample(multisample: bool);
        with_format(format: impl Into<Option<Format>>);
        with_size(size: impl Into<Option<Vec<u32>>>);
        with_mipmaps(mipmaps: Mipmaps);
    }
}

/// Mip levels that are generated from level 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mipmaps {
    /// No levels are generated: the texture has the levels that the caller gives.
    #[default]
    Given,
    /// All levels down to one texel are generated.
    All,
    /// Levels are generated until the texture has this number of levels.
    Levels(u32),
}

/// The roles of an array's axes: first layers, faces and samples, then spatial axes, then channels.
struct Axes {
    /// Number of axes for layers, faces and samples.
    lead: usize,
    /// Number of spatial axes.
    space: usize,
    /// Whether the last axis is channels, or bytes of a block.
    has_channels: bool,
}

impl ArrayOptions {
    /// Format, geometry, extent, layers and samples of an array, without mip levels.
    pub fn meaning(&self, input: &Input<'_>) -> Result<ArrayShape> {
        let axes = self.axes(input.shape())?;
        let (format, block) = self.format_of(input, &axes)?;
        let shape = input.shape();
        let refused = |rule: String| SampleError::Shape { shape: shape_text(shape), rule };
        let long = |_| refused("an axis is longer than any texture".into());
        let length = |axis: usize| u32::try_from(shape[axis]).map_err(long);
        let mut extent = [1_u32; 3];
        for (axis, to) in extent[..axes.space].iter_mut().enumerate() {
            let count = length(axes.lead + axes.space - 1 - axis)?;
            // Blocks are square and have depth 1, so the third axis is not scaled.
            *to = count.saturating_mul(if axis < 2 { block } else { 1 });
        }
        if let Some(size) = &self.size {
            extent = self.sized(size, extent, format).map_err(refused)?;
        }
        let geometry = self.geometry(axes.space)?;
        let [width, height, depth] = extent;
        if geometry.is_cube() && (shape[axes.lead - 1] != 6 || width != height) {
            let rule = "a cube map is (6, N, N[, C]), after the layers of a layered one";
            return Err(refused(rule.into()));
        }
        let plain = ArrayShape::new(format, geometry, Extent { width, height, depth });
        Ok(ArrayShape {
            layers: if self.layered { length(0)? } else { 1 },
            samples: if self.multisample { length(axes.lead - 1)? } else { plain.samples },
            ..plain
        })
    }

    fn geometry(&self, space: usize) -> Result<Geometry> {
        Ok(match (space, self.layered) {
            (2, false) if self.cube => Geometry::Cube,
            (2, true) if self.cube => Geometry::Acube,
            (2, false) if self.multisample => Geometry::D2ms,
            (2, true) if self.multisample => Geometry::A2dms,
            (1, false) => Geometry::D1,
            (1, true) => Geometry::A1d,
            (2, false) => Geometry::D2,
            (2, true) => Geometry::A2d,
            (3, false) => Geometry::D3,
            _ => {
                let message = "no texture has layers of three dimensions";
                return Err(SampleError::Option(message.into()));
            }
        })
    }

    fn axes(&self, shape: &[usize]) -> Result<Axes> {
        let wrong = |text: &str| Err(SampleError::Option(text.to_owned()));
        match self.dim {
            Some(0 | 4..) => return wrong("dim is 1, 2 or 3"),
            Some(1 | 3) if self.cube || self.multisample => {
                return wrong("cube maps and multi-sample textures have dim=2");
            }
            _ if self.cube && self.multisample => return wrong("no cube map has samples"),
            _ => {}
        }
        let lead = [self.layered, self.cube, self.multisample].into_iter().filter(|&is| is).count();
        let refused = |rule: String| SampleError::Shape { shape: shape_text(shape), rule };
        let Some(rest) = shape.len().checked_sub(lead).filter(|&rest| rest > 0) else {
            let least = Count(lead + 1, "axis");
            return Err(refused(format!("at least {least} {} needed", least.are())));
        };
        // Depth formats and rgb10a2 store a texel as one number, so that there is no axis of
        // channels.
        let packed = self.format.is_some_and(|f| f.plain_channel().is_none() && !f.is_block());
        let space = match self.dim {
            Some(dim) => usize::from(dim),
            None if self.cube || self.multisample => 2,
            None if packed => rest,
            None => [1, 1, 2, 2, 3][rest.min(4)],
        };
        match rest.checked_sub(space) {
            Some(more @ (0 | 1)) if !(packed && more == 1) => {
                Ok(Axes { lead, space, has_channels: more == 1 })
            }
            _ => {
                let expected = expected(self, space, if packed { "" } else { "[, C]" });
                Err(refused(format!("{expected} expected")))
            }
        }
    }

    /// The texel format of an array, and the number of texels along the edge of a block (4 for
    /// compressed formats, else 1).
    fn format_of(&self, input: &Input<'_>, axes: &Axes) -> Result<(Format, u32)> {
        let shape = input.shape();
        let last = if axes.has_channels { shape[shape.len() - 1] } else { 1 };
        let bytes = input.dtype().size().saturating_mul(last);
        let refused = |rule: String| SampleError::Shape { shape: shape_text(shape), rule };
        if let Some(format) = self.format {
            if format.texel_size() as usize != bytes {
                let what = if format.is_block() { "a block" } else { "a texel" };
                let own = Count(format.texel_size(), "byte");
                let rule = format!("{what} of {format} has {own}, but this array's has {bytes}");
                return Err(refused(rule));
            }
            return Ok((format, format.block_extent()));
        }
        let channel = input.channel()?;
        let plain = u8::try_from(last).ok().and_then(|n| Format::new(channel, n));
        let format = plain.ok_or_else(|| match last {
            3 => SampleError::ThreeChannels { shape: shape_text(shape) },
            _ => {
                let others = shape_hint(self, shape);
                refused(format!(
                    "its last axis is read as channels: texels have {CHANNELS}{others}"
                ))
            }
        })?;
        Ok((format, 1))
    }

    fn sized(&self, size: &[u32], blocks: [u32; 3], format: Format) -> Result<[u32; 3], String> {
        let extent: [u32; 3] = std::array::from_fn(|a| size.get(a).copied().unwrap_or(1));
        let rounded = |n: u32, axis: usize| {
            let block = if axis < 2 { format.block_extent() } else { 1 };
            n.div_ceil(block).saturating_mul(block)
        };
        let fits = |axis| extent[axis] > 0 && rounded(extent[axis], axis) == blocks[axis];
        let wrong = || format!("size={size:?} does not go with the texels that it has");
        (0..3).all(fits).then_some(extent).ok_or_else(wrong)
    }
}

/// The shape of an array whose memory a texture can share, or why it cannot (rule A16): each row
/// must begin at a multiple of 8 bytes, and rows must be contiguous.
pub fn shared_shape(levels: &[Input<'_>], array: &ArrayOptions) -> Result<ArrayShape> {
    let refused = |why: &str| SampleError::NotShared(why.to_owned());
    let [input] = levels else {
        return Err(refused("the mip levels of a texture lie in one piece of memory"));
    };
    if array.mipmaps != Mipmaps::Given {
        return Err(refused("mip levels are made, which takes memory of the texture's own"));
    }
    if input.is_weak() {
        return Err(refused("numbers of Python have no memory to share"));
    }
    if !input.is_contiguous() {
        let why = "the array is not contiguous in C order, as `numpy.ascontiguousarray` makes it";
        return Err(refused(why));
    }
    let shape = array.meaning(input)?;
    let (size, packed) = (shape.size()?, shape.packed_size()?);
    if packed != input.bytes().len() as u64 {
        return Err(refused("the array has another size than its texels"));
    }
    let rows = shape.extent.height.div_ceil(shape.format.block_extent());
    let is_one_row = rows == 1 && shape.extent.depth == 1 && shape.planes() * shape.samples == 1;
    if size != packed && !is_one_row {
        let (row, format) = (Count(shape.extent.width, "texel"), shape.format);
        return Err(refused(&format!(
            "a row of {row} of {format} is not a multiple of 8 bytes, at which rows of a texture begin"
        )));
    }
    Ok(shape)
}

/// The array shape that the options require, as messages show it, such as `(L, H, W[, C])`.
fn expected(options: &ArrayOptions, space: usize, channels: &str) -> String {
    let mut axes = Vec::new();
    axes.extend(options.layered.then_some("L"));
    axes.extend(options.cube.then_some("6"));
    axes.extend(options.multisample.then_some("S"));
    let space_axes: &[&str] = if options.cube { &["N", "N"] } else { &["D", "H", "W"] };
    axes.extend(&space_axes[space_axes.len().saturating_sub(space)..]);
    let comma = if axes.len() == 1 && channels.is_empty() { "," } else { "" };
    format!("({}{channels}{comma})", axes.join(", "))
}

/// A hint for messages: which options would make the array's shape valid.
fn shape_hint(options: &ArrayOptions, shape: &[usize]) -> &'static str {
    let said = options.dim.is_some() || options.layered || options.cube || options.multisample;
    match shape.len() {
        3 if !said => {
            "; dim=3 makes (D, H, W) of three axes, layered=True (L, H, W), cube=True (6, N, N)"
        }
        4 if !said => "; layered=True makes (L, H, W, C) of four axes, cube=True (6, N, N, C)",
        _ => "",
    }
}

/// The read mode of a texture if no option sets it: normalized floats if the format supports them
/// and either the filter is linear or the instruction returns floats; else elements. If the format
/// supports only one mode, it is that mode.
pub(crate) fn usual_read(
    format: Format,
    result: Option<ResultType>,
    sampler: &Sampler,
) -> ReadMode {
    let can = |normalized| readings(format, normalized, sampler.srgb).is_some();
    let floats = match result {
        Some(result) => !matches!(result, ResultType::S32 | ResultType::U32),
        None => sampler.filter == Filter::Linear,
    };
    if can(true) && (floats || !can(false)) { ReadMode::NormalizedFloat } else { ReadMode::Element }
}
