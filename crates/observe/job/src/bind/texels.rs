//! Determines the shape and texels of an array from files and keys of a job.

use super::Binder;
use super::memory::file_problem;
use crate::problem::{Problem, codes};
use crate::spec::{ResourceSpec, TexelSource};
use std::path::PathBuf;
use texunit_device::{Extent, Format, Geometry, MipmappedArray};
use texunit_files::{Kind, MAX_BYTES, TexelRequest, Texels, mipmaps};
use texunit_forms::Count;
use texunit_spec::At;

/// The description of an array to create.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) format: Format,
    pub(super) geometry: Geometry,
    pub(super) extent: Extent,
    /// The number of layers, or of cubes.
    pub(super) layers: u32,
    pub(super) levels: Option<u32>,
    pub(super) samples: u32,
    /// Packed texels of all levels or of the first ones; empty for zeros.
    pub(super) bytes: Vec<u8>,
}

/// The contents of one file: whole rows of texels.
struct Piece<'a> {
    file: &'a At<PathBuf>,
    /// Width, height and depth; `None` for raw files.
    size: Option<[u32; 3]>,
    bytes: Vec<u8>,
}

impl Plan {
    fn planes(&self) -> u64 {
        u64::from(self.layers) * if self.geometry.is_cube() { 6 } else { 1 }
    }

    /// Bytes of a row of texels or compressed blocks.
    fn row_bytes(&self, extent: Extent) -> u64 {
        let columns = extent.width.div_ceil(self.format.block_extent());
        u64::from(columns) * u64::from(self.format.texel_size())
    }

    /// Bytes of a level, including all layers and samples. The factors have 32 bits; a product that
    /// overflows saturates, and exceeds every limit.
    fn level_bytes(&self, extent: Extent) -> u64 {
        let rows = u64::from(extent.height.div_ceil(self.format.block_extent()));
        let factors = [rows, extent.depth.into(), u64::from(self.samples), self.planes()];
        factors.iter().fold(self.row_bytes(extent), |n, &f| n.saturating_mul(f))
    }

    /// The sizes of the first `levels` levels.
    fn level_extents(&self, levels: u32) -> impl Iterator<Item = Extent> + '_ {
        (0..levels).map(|level| self.extent.level(level))
    }

    fn size(&self, levels: u32) -> u64 {
        self.level_extents(levels).fold(0, |n, e| n.saturating_add(self.level_bytes(e)))
    }
}

impl Binder<'_> {
    /// Determines shape and texels of an array with texels of its own.
    pub(super) fn plan(
        &self,
        spec: &ResourceSpec,
        format: Option<Format>,
        at: &At<()>,
    ) -> Result<Plan, Problem> {
        let mut plan = match (spec.source.container(), format) {
            (Some(file), _) => self.container(spec, format, file)?,
            (None, Some(format)) => self.own_texels(spec, format, at)?,
            (None, None) if let Some(file) = spec.source.npy() => {
                self.own_texels(spec, self.npy_format(spec, file)?, at)?
            }
            (None, None) => {
                let message = "these texels need a `format`, for instance \"u8x4\"";
                return Err(at.problem(codes::MISSING_KEY, message));
            }
        };
        let format = plan.format;
        if let Some(mipmaps) = &spec.mipmaps {
            let most = MipmappedArray::max_mip_levels(plan.extent);
            let levels = spec.shape.levels.as_ref().map_or(most, |l| l.value);
            plan.levels = Some(levels);
            let Some(channel) = format.plain_channel() else {
                let message = format!("mip levels of {format} are not made: give all levels");
                return Err(mipmaps
                    .problem(codes::VALUE, message)
                    .help("a box filter works on plain channels, such as those of `u8x4`"));
            };
            // The device reports too many levels later.
            if !plan.bytes.is_empty() && levels <= most {
                let Plan { bytes, format, extent, .. } = &plan;
                let chain = mipmaps::chain(bytes, *format, channel, extent.axes(), levels);
                plan.bytes = chain.ok_or_else(|| {
                    let message = "there is not enough memory for the mip levels".to_owned();
                    mipmaps.problem(codes::VALUE, message)
                })?;
            }
        }
        Ok(plan)
    }

    /// The format of the elements of an array file (`.npy`).
    fn npy_format(&self, spec: &ResourceSpec, file: &At<PathBuf>) -> Result<Format, Problem> {
        let problem = |message: String| file.problem(codes::FILE, message);
        let array =
            texunit_files::read_array(&self.path(file)).map_err(|e| problem(e.to_string()))?;
        let axes = spec
            .shape
            .named_geometry()
            .map(|g| g.axes() + usize::from(g.is_array() || g.is_cube() || g.is_multisample()));
        array.format(axes).map_err(|why| problem(format!("`{}` {why}", file.value.display())))
    }

    /// The texels that the job gives; only the base level if the other levels are generated.
    fn own_texels(
        &self,
        spec: &ResourceSpec,
        format: Format,
        at: &At<()>,
    ) -> Result<Plan, Problem> {
        let counts = [&spec.shape.layers, &spec.shape.levels, &spec.shape.samples];
        let whole = counts.iter().all(|count| count.is_none());
        let plain = |g: Geometry| matches!(g, Geometry::D1 | Geometry::D2 | Geometry::D3);
        let plain = spec.shape.named_geometry().is_none_or(plain);
        Ok(match &spec.source {
            TexelSource::Files(files) => match files.as_slice() {
                [file] if whole && plain && !format.is_block() && !has_slices_below(spec, file) => {
                    self.one_file(spec, format, file)?
                }
                files => self.files(spec, format, at, files)?,
            },
            TexelSource::Inline(texels) => match &texels.value {
                texunit_spec::Texels::Bytes(bytes) => {
                    let plan = shape(spec, format, at, None, bytes.len() as u64)?;
                    fill(plan, spec, texels, bytes.clone())?
                }
                made => {
                    let plan = small(shape(spec, format, at, None, 0)?, spec, at)?;
                    let sizes: Vec<u64> =
                        plan.level_extents(own_levels(spec)).map(|e| plan.level_bytes(e)).collect();
                    let bytes = made.packed(format, &sizes);
                    let bytes = bytes.map_err(|e| texels.problem(codes::VALUE, e))?;
                    Plan { bytes, ..plan }
                }
            },
            _ => small(shape(spec, format, at, None, 0)?, spec, at)?,
        })
    }

    /// One image or array file for a whole 1D, 2D or 3D array.
    fn one_file(
        &self,
        spec: &ResourceSpec,
        format: Format,
        file: &At<PathBuf>,
    ) -> Result<Plan, Problem> {
        let dims = spec.shape.named_geometry().map(|g| g.axes() as u8);
        let wanted = TexelRequest { format, dims, extent: spec.shape.extent.extent };
        let texels = texunit_files::read_texels(&self.path(file), &wanted);
        let Texels { format, dims, width, height, depth, bytes } =
            texels.map_err(file_problem(file))?;
        let geometry = Geometry::of(dims.into(), false, false);
        let extent = Extent { width, height, depth };
        Ok(Plan { format, geometry, extent, layers: 1, levels: None, samples: 1, bytes })
    }

    /// Several files, concatenated in packed order.
    fn files(
        &self,
        spec: &ResourceSpec,
        format: Format,
        at: &At<()>,
        files: &[At<PathBuf>],
    ) -> Result<Plan, Problem> {
        let mut pieces = Vec::new();
        let mut total = 0_u64;
        for file in files {
            let path = self.path(file);
            let problem = file_problem(file);
            let (size, bytes) = if Kind::of(&path) == Kind::Raw {
                (None, texunit_files::read_bytes(&path).map_err(problem)?)
            } else {
                let wanted = TexelRequest { format, dims: None, extent: None };
                let texels = texunit_files::read_texels(&path, &wanted).map_err(problem)?;
                (Some([texels.width, texels.height, texels.depth]), texels.bytes)
            };
            total += bytes.len() as u64;
            if total > MAX_BYTES {
                let message = format!("more than {MAX_BYTES} bytes of texels");
                return Err(at.problem(codes::VALUE, message));
            }
            pieces.push(Piece { file, size, bytes });
        }
        let plan = shape(spec, format, at, Some(&pieces), total)?;
        check_rows(&plan, spec, &pieces)?;
        let bytes = pieces.into_iter().flat_map(|p| p.bytes).collect();
        fill(plan, spec, at, bytes)
    }
}

/// Whether the slices of a 3D array are stacked vertically in an image.
fn has_slices_below(spec: &ResourceSpec, file: &At<PathBuf>) -> bool {
    let solid = spec.shape.named_geometry() == Some(Geometry::D3)
        || spec.shape.extent.extent.is_some_and(|[_, _, depth]| depth > 1);
    solid && matches!(Kind::of(&file.value), Kind::Png | Kind::Jpeg | Kind::Exr)
}

/// Number of levels that the texels cover.
fn own_levels(spec: &ResourceSpec) -> u32 {
    match (&spec.mipmaps, &spec.shape.levels) {
        (None, Some(levels)) => levels.value.min(32),
        _ => 1,
    }
}

/// Checks the size of an array before its texels are allocated.
fn small(plan: Plan, spec: &ResourceSpec, at: &At<()>) -> Result<Plan, Problem> {
    if plan.size(own_levels(spec)) > MAX_BYTES {
        return Err(at.problem(codes::VALUE, format!("more than {MAX_BYTES} bytes of texels")));
    }
    Ok(plan)
}

/// Adds texels to the description after checking their number.
fn fill<T>(plan: Plan, spec: &ResourceSpec, at: &At<T>, bytes: Vec<u8>) -> Result<Plan, Problem> {
    let needed = plan.size(own_levels(spec));
    let given = bytes.len() as u64;
    // If texels without data are declared undefined and no levels are generated, the job may give
    // only the first texels.
    let is_part = spec.is_undefined && spec.mipmaps.is_none() && (1..needed).contains(&given);
    if needed != given && !is_part {
        let (given, array) = (Count(given, "byte"), describe(&plan, spec));
        let are = given.are();
        let message =
            format!("there {are} {given} of texels, but the array takes {needed}: {array}");
        return Err(at.problem(codes::VALUE, message));
    }
    Ok(Plan { bytes, ..plan })
}

/// Describes an array in messages: `2 layers of 4 x 4 texels of u8x4, 3 levels`.
fn describe(plan: &Plan, spec: &ResourceSpec) -> String {
    let Extent { width, height, depth } = plan.extent;
    let size = match plan.geometry.axes() {
        1 => format!("{width}"),
        2 => format!("{width} x {height}"),
        _ => format!("{width} x {height} x {depth}"),
    };
    let mut text = format!("{} of {}", Count(size, "texel"), plan.format);
    let planes = plan.planes();
    if plan.geometry.is_cube() {
        text = format!("{planes} faces of {text}");
    } else if plan.geometry.is_array() {
        text = format!("{} of {text}", Count(planes, "layer"));
    }
    if plan.samples > 1 {
        text += &format!(", {}", Count(plan.samples, "sample"));
    }
    let levels = own_levels(spec);
    if levels > 1 {
        text += &format!(", {}", Count(levels, "level"));
    }
    text
}

/// Rejects layers and samples for geometries without them.
pub(super) fn check_counts(spec: &ResourceSpec, geometry: Geometry) -> Result<(), Problem> {
    let name = geometry.name();
    let layered = if geometry.is_multisample() { "a2dms" } else { &format!("a{name}") };
    let counts = [
        (&spec.shape.layers, geometry.is_array(), "layers", layered),
        (&spec.shape.samples, geometry.is_multisample(), "samples", "2dms"),
    ];
    for (count, has, what, other) in counts {
        if let Some(count) = count
            && !has
            && count.value != 1
        {
            let message = format!("the geometry `{name}` has no {what}");
            let problem = count.problem(codes::CONFLICT, message);
            if Geometry::from_name(other).is_none() {
                // The help names no geometry that does not exist, such as a layered 3D array.
                return Err(problem);
            }
            return Err(problem.help(format!("`geometry = \"{other}\"` has")));
        }
    }
    Ok(())
}

/// Determines the shape from the keys, and from the files where keys are missing. `total` is the
/// size of the given texels in bytes, or 0 if the shape determines it.
fn shape(
    spec: &ResourceSpec,
    format: Format,
    at: &At<()>,
    pieces: Option<&[Piece<'_>]>,
    total: u64,
) -> Result<Plan, Problem> {
    let first = pieces.and_then(|p| p.first()).and_then(|p| p.size);
    let geometry =
        spec.shape.named_geometry().unwrap_or_else(|| match spec.shape.extent.extent.or(first) {
            Some([_, _, (2..)]) => Geometry::D3,
            Some([_, (2..), _]) => Geometry::D2,
            _ => Geometry::D1,
        });
    check_counts(spec, geometry)?;
    let samples = match (&spec.shape.samples, geometry.is_multisample()) {
        (Some(samples), _) => samples.value,
        (None, false) => 1,
        (None, true) => {
            let message = "a multi-sample array needs the number of its `samples`";
            return Err(at.problem(codes::MISSING_KEY, message));
        }
    };
    let given = spec.shape.layers.as_ref().map(|l| l.value);
    let mut plan = Plan {
        format,
        geometry,
        extent: Extent { width: 1, height: 1, depth: 1 },
        layers: given.unwrap_or(1),
        levels: spec.shape.levels.as_ref().map(|l| l.value),
        samples,
        bytes: Vec::new(),
    };
    plan.extent = extent(spec, at, &plan, pieces, first)?;
    if given.is_none() && geometry.is_array() && total > 0 {
        let one = plan.size(own_levels(spec)).max(1);
        plan.layers = u32::try_from(total / one).unwrap_or(u32::MAX).max(1);
    }
    Ok(plan)
}

/// The size of a layer of the base level: from the keys, or from the first file.
fn extent(
    spec: &ResourceSpec,
    at: &At<()>,
    plan: &Plan,
    pieces: Option<&[Piece<'_>]>,
    first: Option<[u32; 3]>,
) -> Result<Extent, Problem> {
    let geometry = plan.geometry;
    let [width, mut height, depth] = match (spec.shape.extent.extent, first) {
        (Some(extent), _) => extent,
        (None, Some([w, h, d])) => {
            let alone = pieces.is_some_and(|p| p.len() == 1);
            match geometry {
                Geometry::D3 => [w, h, d],
                Geometry::D1 | Geometry::A1d => [w, 1, 1],
                Geometry::Cube | Geometry::Acube => [w, w, 1],
                // A single file with all layers stacked vertically.
                _ if alone && d == 1 => {
                    let images = u64::from(plan.layers) * u64::from(plan.samples);
                    [w, (u64::from(h) / images.max(1)).max(1) as u32, 1]
                }
                _ => [w, h, 1],
            }
        }
        (None, None) => {
            let message = "a raw file does not say how large the array is: give `width`, \
                           `height` and `depth`";
            return Err(at.problem(codes::MISSING_KEY, message));
        }
    };
    if geometry.is_cube() && spec.shape.extent.dims == 1 {
        height = width;
    }
    let axes = geometry.axes();
    if (axes < 3 && depth != 1) || (axes < 2 && height != 1) {
        let axes = Count(axes, "dimension");
        let message = format!("{width} x {height} x {depth} texels have more than {axes}");
        return Err(at.problem(codes::VALUE, message));
    }
    Ok(Extent { width, height, depth })
}

/// Checks that each image has the width of the level that its rows belong to, and does not extend
/// beyond the level.
fn check_rows(plan: &Plan, spec: &ResourceSpec, pieces: &[Piece<'_>]) -> Result<(), Problem> {
    let levels: Vec<Extent> = plan.level_extents(own_levels(spec)).collect();
    let mut level = 0;
    let mut left = levels.first().map_or(0, |&e| plan.level_bytes(e));
    for piece in pieces {
        let mut bytes = piece.bytes.len() as u64;
        while left == 0 && level + 1 < levels.len() {
            level += 1;
            left = plan.level_bytes(levels[level]);
        }
        if let Some([width, height, depth]) = piece.size {
            let file = piece.file.value.display();
            let wrong = |message| Err(piece.file.problem(codes::VALUE, message));
            let wanted = levels[level].width;
            if width != wanted {
                return wrong(format!(
                    "`{file}` has rows of {}, but those of level {level} have {wanted}",
                    Count(width, "texel")
                ));
            }
            if bytes > left {
                let rows = left / plan.row_bytes(levels[level]).max(1);
                return wrong(format!(
                    "`{file}` has {}, but level {level} takes {rows} more",
                    Count(u64::from(height) * u64::from(depth), "row")
                ));
            }
        }
        // A raw file may contain several levels.
        while bytes > left && level + 1 < levels.len() {
            bytes -= left;
            level += 1;
            left = plan.level_bytes(levels[level]);
        }
        left = left.saturating_sub(bytes);
    }
    Ok(())
}
