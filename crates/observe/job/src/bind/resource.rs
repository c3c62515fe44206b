//! Creates the resources of textures and surfaces: arrays, linear or pitched memory, and views of
//! other objects.

use super::match_params::job_param;
use super::texels::Plan;
use super::{Binder, Object};
use crate::problem::{Problem, codes};
use crate::spec::{ParamValue, ResourceSpec, TexelSource};
use crate::texel_resource::{Place, TexelResource, refused};
use texunit_device::{Array, ArrayDescriptor, Extent, Format, Geometry, TileRegion};
use texunit_forms::Count;
use texunit_spec::{At, Layout, Region, RegionPart, TilesSpec};

/// Alignment of the rows of pitched textures in bytes.
const PITCH_ALIGN: u64 = 32;

/// The key that describes the layout of texels, which only an object with texels of its own may
/// have.
fn own_key(spec: &ResourceSpec) -> Option<&'static str> {
    let keys = [
        ("geometry", spec.shape.geometry.is_some()),
        ("dims", spec.shape.dims.is_some()),
        ("width", spec.shape.extent.extent.is_some()),
        ("layers", spec.shape.layers.is_some()),
        ("levels", spec.shape.levels.is_some()),
        ("samples", spec.shape.samples.is_some()),
        ("mipmaps", spec.mipmaps.is_some()),
        ("resident` and `nonresident", spec.shape.tiles.is_some()),
        ("pitch", spec.shape.pitch.is_some()),
    ];
    keys.into_iter().find(|k| k.1).map(|k| k.0)
}

/// A texture, surface or array of the job, whose texels are created or found.
#[derive(Clone, Copy)]
struct Wanted<'s> {
    spec: &'s ResourceSpec,
    /// The position of the resource's table.
    at: &'s At<()>,
    /// `texture`, `surface` or `array`
    what: &'s str,
}

impl Wanted<'_> {
    fn conflict<T>(self, message: String) -> Result<T, Problem> {
        Err(self.at.problem(codes::CONFLICT, message))
    }

    /// The format of texels in linear memory, which the job must specify.
    fn format(self) -> Result<Format, Problem> {
        self.spec.shape.format.as_ref().map(|format| format.value).ok_or_else(|| {
            self.at.problem(codes::MISSING_KEY, format!("a {} needs a `format`", self.what))
        })
    }

    /// Whether the resource has neither layers nor levels, samples or tiles.
    fn is_plain(self) -> bool {
        let shape = &self.spec.shape;
        let counts = [&shape.layers, &shape.levels, &shape.samples];
        counts.iter().all(|count| count.is_none()) && shape.tiles.is_none()
    }
}

impl Binder<'_> {
    /// The texels of a texture or surface, before a surface's part is selected.
    pub(super) fn resource(
        &self,
        spec: &ResourceSpec,
        at: &At<()>,
        name: &str,
        what: &str,
    ) -> Result<TexelResource, Problem> {
        let wanted = Wanted { spec, at, what };
        let made = match &spec.source {
            TexelSource::Surface(other) => self.shared(wanted, other, "surface")?,
            TexelSource::Texture(other) => self.shared(wanted, other, "texture")?,
            TexelSource::Array(other) => self.shared(wanted, other, "array")?,
            TexelSource::Memory(address) => self.over_memory(wanted, address)?,
            TexelSource::Buffer(other) => self.over_buffer(wanted, other)?,
            _ => self.own(wanted, name)?,
        };
        match &spec.shape.view {
            Some(view) => made.view(view),
            None => Ok(made),
        }
    }

    /// Whether the texels belong to another object that could not be created. Its problem is
    /// reported already, so that an object that shares the texels is skipped silently.
    pub(super) fn is_in_vain(&self, value: &ParamValue) -> bool {
        let Some(
            source @ (TexelSource::Surface(name)
            | TexelSource::Texture(name)
            | TexelSource::Array(name)
            | TexelSource::Buffer(name)),
        ) = value.resource().map(|spec| &spec.source)
        else {
            return false;
        };
        let fits = |value: &ParamValue| match (source, value) {
            (TexelSource::Buffer(_), ParamValue::Buffer(_)) => true,
            (TexelSource::Surface(_), ParamValue::Surface(_))
            | (TexelSource::Texture(_), ParamValue::Texture(_))
            | (TexelSource::Array(_), ParamValue::Array(_)) => {
                value.resource().is_some_and(|spec| !spec.source.is_shared())
            }
            _ => false,
        };
        self.job.unread.contains(&name.value)
            || self.named(&name.value).any(|index| {
                fits(&self.job.params[index].value) && !self.bound.objects.contains_key(&index)
            })
    }

    /// The indices of the parameter or object with a name, and of the references with that name.
    fn named<'n>(&'n self, name: &'n str) -> impl Iterator<Item = usize> + 'n {
        let references = self.job.params.iter().enumerate();
        let references = references.filter(move |(_, p)| p.is_reference() && p.name.value == name);
        job_param(name, self.job, &self.params).into_iter().chain(references.map(|(i, _)| i))
    }

    /// Creates an array or memory with the texels that the job specifies.
    fn own(&self, wanted: Wanted<'_>, name: &str) -> Result<TexelResource, Problem> {
        let Wanted { spec, at, what } = wanted;
        let plan = self.plan(spec, spec.shape.format.as_ref().map(|f| f.value), at)?;
        let format = plan.format;
        let pitched = spec.shape.pitch.map(|_| Layout::Pitched);
        let layout = spec.shape.layout.or(pitched).unwrap_or(Layout::Array);
        if layout == Layout::Array {
            return self.array(wanted, plan, name);
        }
        if spec.shape.tiles.is_some() || plan.levels.is_some() {
            let layout = layout.name();
            let message = format!("a {what} of layout \"{layout}\" has no levels and no tiles");
            return wanted.conflict(message);
        }
        match (layout, plan.geometry) {
            (Layout::Linear, Geometry::D1 | Geometry::D2 | Geometry::D3)
                if plan.extent.height == 1 && plan.extent.depth == 1 => {}
            (Layout::Linear, _) => return wanted.conflict(single_row(what)),
            (_, Geometry::D1 | Geometry::D2 | Geometry::D3) if plan.extent.depth == 1 => {}
            _ => {
                return wanted.conflict(format!("a {what} of layout \"pitch\" has two dimensions"));
            }
        }
        check_layout(wanted, layout)?;
        let Plan { extent: Extent { width, height, .. }, bytes, .. } = plan;
        let row = u64::from(width) * u64::from(format.texel_size());
        let pitch = match (layout, spec.shape.pitch) {
            (Layout::Linear, _) => row,
            (_, pitch) => pitch.unwrap_or(row.next_multiple_of(PITCH_ALIGN)),
        };
        if pitch < row {
            let row = Count(row, "byte");
            let message = format!("a row takes {row}, more than the pitch of {pitch}");
            return Err(at.problem(codes::VALUE, message));
        }
        let size = pitch.saturating_mul(height.into());
        let buffer = self.device.alloc(size.max(1), name).map_err(refused(at))?;
        let zeros = vec![0; if bytes.is_empty() && !spec.is_undefined { row as usize } else { 0 }];
        for y in 0..u64::from(height) {
            // The padding of rows keeps the contents of fresh memory.
            let (start, len) = ((y * row).min(bytes.len() as u64) as usize, row as usize);
            let given = &bytes[start..bytes.len().min(start.saturating_add(len))];
            let given = if zeros.is_empty() { given } else { &zeros };
            buffer.write(y * pitch, given).map_err(refused(at))?;
        }
        let rows = (layout != Layout::Linear).then_some((height, pitch));
        Ok(TexelResource::Memory { place: Place::Buffer(buffer, 0), format, width, rows })
    }

    /// Creates an array with its texels.
    fn array(&self, wanted: Wanted<'_>, plan: Plan, name: &str) -> Result<TexelResource, Problem> {
        let Wanted { spec, at, .. } = wanted;
        let Plan { format, geometry, extent, layers, levels, samples, bytes } = plan;
        let descriptor = ArrayDescriptor::new(format, geometry, extent, name)
            .with_layers(layers)
            .with_samples(samples)
            .with_sparse(spec.shape.tiles.is_some());
        let array = match levels {
            None => self.device.create_array(&descriptor),
            Some(levels) => {
                self.device.create_mipmapped_array(&descriptor, levels).map(Array::from)
            }
        };
        let array = array.map_err(refused(at))?;
        if !spec.is_undefined {
            array.clear();
        }
        if !bytes.is_empty() {
            array.write(&bytes).map_err(refused(at))?;
        }
        let made = TexelResource::Array(array);
        if let Some(tiles) = &spec.shape.tiles {
            map_tiles(&made, tiles)?;
        }
        Ok(made)
    }

    /// Creates a texture or surface on the memory of a parameter's buffer.
    fn over_buffer(
        &self,
        wanted: Wanted<'_>,
        other: &At<String>,
    ) -> Result<TexelResource, Problem> {
        let (Wanted { spec, what, .. }, format) = (wanted, wanted.format()?);
        let geometry = spec.shape.named_geometry();
        let over = format!("a {what} over a buffer");
        if spec.shape.layout == Some(Layout::Array) {
            return wanted.conflict(format!("{over} has the layout \"pitch\" or \"linear\""));
        }
        if geometry.is_some_and(|g| !matches!(g, Geometry::D1 | Geometry::D2)) || !wanted.is_plain()
        {
            return wanted.conflict(format!("{over} has one level of one or two dimensions"));
        }
        let index = job_param(&other.value, self.job, &self.params);
        let object = index.and_then(|i| self.bound.objects.get(&i));
        let Some(Object::Buffer(buffer)) = object else {
            return Err(self.no_such_object(other, "buffer"));
        };
        let [width, height, depth] = spec.shape.extent.extent.unwrap_or([1; 3]);
        if depth != 1 {
            return wanted.conflict(format!("{over} has at most two dimensions"));
        }
        let is_row = height == 1 && spec.shape.pitch.is_none() && geometry != Some(Geometry::D2);
        let own = if is_row { Layout::Linear } else { Layout::Pitched };
        let layout = spec.shape.layout.unwrap_or(own);
        check_layout(wanted, layout)?;
        let place = Place::Buffer(buffer.clone(), spec.offset.unwrap_or(0));
        if layout == Layout::Linear {
            if height != 1 {
                return wanted.conflict(single_row(what));
            }
            return Ok(TexelResource::Memory { place, format, width, rows: None });
        }
        let row = u64::from(width) * u64::from(format.texel_size());
        let pitch = spec.shape.pitch.unwrap_or(row.next_multiple_of(PITCH_ALIGN));
        Ok(TexelResource::Memory { place, format, width, rows: Some((height, pitch)) })
    }

    /// Creates a texture on the memory at an address.
    fn over_memory(&self, wanted: Wanted<'_>, address: &At<u64>) -> Result<TexelResource, Problem> {
        let (Wanted { spec, what, .. }, format) = (wanted, wanted.format()?);
        let is_named = spec.shape.named_geometry().is_some();
        if what != "texture" || !wanted.is_plain() || is_named {
            return wanted.conflict("`memory` is of a texture of one level, with a `width`, or a `width`, a `height` and a `pitch`".to_owned());
        }
        let [width, height, depth] = spec.shape.extent.extent.unwrap_or([1; 3]);
        let row = u64::from(width) * u64::from(format.texel_size());
        let pitched = spec.shape.layout == Some(Layout::Pitched) || spec.shape.pitch.is_some();
        if depth != 1 || !pitched && height != 1 || spec.shape.layout == Some(Layout::Array) {
            let layouts = "the layout \"linear\", or \"pitch\" with a `pitch`";
            return wanted.conflict(format!("a texture of `memory` has {layouts}"));
        }
        let pitch = spec.shape.pitch.unwrap_or(row.next_multiple_of(PITCH_ALIGN));
        let len = u64::from(height - 1).saturating_mul(pitch).saturating_add(row);
        let memory = self.device.linear(address.value, len).map_err(refused(address))?;
        let (place, rows) = (Place::Address(memory), pitched.then_some((height, pitch)));
        Ok(TexelResource::Memory { place, format, width, rows })
    }

    /// The texels of another texture or surface of the job.
    fn shared(
        &self,
        wanted: Wanted<'_>,
        other: &At<String>,
        kind: &str,
    ) -> Result<TexelResource, Problem> {
        let Wanted { spec, at, what } = wanted;
        if spec.shape.layout.is_some_and(|l| l != Layout::Array) {
            return wanted.conflict(format!("a {what} over a {kind} has the layout \"array\""));
        }
        if let Some(key) = own_key(spec) {
            let message = format!("a {what} over a {kind} has its size: leave `{key}` out");
            let help = "a `view` has another format or geometry, or some of the levels or layers";
            return Err(at.problem(codes::CONFLICT, message).help(help));
        }
        let made = self.named(&other.value).find_map(|index| {
            match (kind, &self.job.params[index].value, self.bound.objects.get(&index)?) {
                ("array", _, Object::Array(whole)) => Some(whole),
                ("surface", ParamValue::Surface(_), object)
                | ("texture", ParamValue::Texture(_), object) => Some(&object.texels()?.whole),
                _ => None,
            }
        });
        let made = made.ok_or_else(|| self.no_such_object(other, kind))?;
        if let Some(format) = &spec.shape.format
            && format.value != made.format()
        {
            let message = format!("the {kind} has format {}, not {}", made.format(), format.value);
            let problem = format.problem(codes::CONFLICT, message);
            return Err(problem.help("a `view` has another format of equal size"));
        }
        Ok(made.clone())
    }

    fn no_such_object(&self, name: &At<String>, kind: &str) -> Problem {
        let wanted = &name.value;
        let message = match kind {
            "buffer" => format!("no parameter `{wanted}` of the job has a buffer"),
            "array" => format!("no object `{wanted}` of the job is an array"),
            _ => {
                format!("no parameter and no `[{kind}s]` entry `{wanted}` of the job has a {kind}")
            }
        };
        let problem = name.problem(codes::NAME, message);
        if matches!(kind, "buffer" | "array") {
            return problem;
        }
        problem.help(format!("a {kind} that has texels of its own, not those of another object"))
    }
}

fn single_row(what: &str) -> String {
    format!("a {what} of layout \"linear\" has a single row")
}

/// Checks that a given geometry is possible for linear or pitched memory.
fn check_layout(wanted: Wanted<'_>, layout: Layout) -> Result<(), Problem> {
    let Wanted { spec, what, .. } = wanted;
    let geometry = if layout == Layout::Linear { Geometry::D1 } else { Geometry::D2 };
    match spec.shape.named_geometry() {
        Some(named) if named != geometry => {
            let of = format!("a {what} of layout \"{}\"", layout.name());
            wanted.conflict(format!("{of} has the geometry `{geometry}`, not `{named}`"))
        }
        _ => Ok(()),
    }
}

/// Maps the resident tiles of a sparse array.
fn map_tiles(made: &TexelResource, tiles: &At<TilesSpec>) -> Result<(), Problem> {
    let Some(array) = made.array() else { return Ok(()) };
    let resident = tiles.value.resident;
    array.map_all_tiles(!resident).map_err(refused(tiles))?;
    for at in &tiles.value.regions {
        let Region { level, layer, place } = at.value;
        let region = match place {
            RegionPart::Tile(tile) => made.tile_region(level, layer, tile),
            RegionPart::Box { offset, extent } => {
                let extent = extent.map(|[width, height, depth]| Extent { width, height, depth });
                TileRegion { level, layer, offset, extent }
            }
        };
        let done = if resident { array.map_tiles(&region) } else { array.unmap_tiles(&region) };
        done.map_err(refused(at))?;
    }
    Ok(())
}
