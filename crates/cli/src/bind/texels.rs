//! Textures and surfaces.

use super::memory::file_problem;
use super::{Binder, Object, match_params, refused};
use crate::job::{SamplerSpec, SurfaceSpec, TexelSource, TextureLayout, TextureSpec};
use crate::problem::{Problem, codes};
use crate::table::At;
use texunit_device::{
    Array, ArrayDescriptor, Buffer, Extent, Format, Sampler, TextureDescriptor, TextureResource,
};
use texunit_files::{Texels, Wanted};

/// What a texture reads, with the objects it owns.
pub(super) enum Resource {
    Array(Array),
    Linear { buffer: Buffer, format: Format, width: u32 },
    Pitched { buffer: Buffer, format: Format, width: u32, height: u32, pitch: u64 },
}

impl Resource {
    pub(super) fn get(&self) -> TextureResource<'_> {
        match self {
            Resource::Array(array) => TextureResource::Array(array),
            Resource::Linear { buffer, format, width } => {
                TextureResource::Linear { buffer, format: *format, width: *width }
            }
            Resource::Pitched { buffer, format, width, height, pitch } => {
                TextureResource::Pitched {
                    buffer,
                    format: *format,
                    width: *width,
                    height: *height,
                    pitch: *pitch,
                }
            }
        }
    }
}

/// Rows of pitched textures begin at multiples of this many bytes.
const PITCH_ALIGN: u64 = 32;

/// The state of a texture: what the job says, else what holds without it.
pub(super) fn descriptor(spec: &TextureSpec, initial: &TextureDescriptor) -> TextureDescriptor {
    TextureDescriptor {
        read_mode: spec.read,
        normalized_coords: spec.normalized.unwrap_or(initial.normalized_coords),
        sampler: sampler(&spec.sampler, &initial.sampler),
    }
}

/// The state of a sampler: what the job says, else what holds without it.
pub(super) fn sampler(spec: &SamplerSpec, initial: &Sampler) -> Sampler {
    Sampler {
        filter: spec.filter.unwrap_or(initial.filter),
        address_mode: spec.address.unwrap_or(initial.address_mode),
        border: spec.border.unwrap_or(initial.border),
        force_unnormalized_coords: spec
            .force_unnormalized
            .unwrap_or(initial.force_unnormalized_coords),
        ..*initial
    }
}

/// Texels that are wanted, before they are read.
struct Texture<'a> {
    at: &'a At<()>,
    source: &'a TexelSource,
    wanted: Wanted,
}

impl Binder<'_> {
    pub(super) fn surface_array(
        &self,
        spec: &SurfaceSpec,
        name: &str,
    ) -> Result<(Array, u8), Problem> {
        let wanted = Wanted { format: spec.format.value, dims: spec.dims, extent: spec.extent };
        let texture = Texture { at: &spec.at, source: &spec.source, wanted };
        self.array(&texture, name)
    }

    pub(super) fn texture_resource(
        &self,
        spec: &TextureSpec,
        name: &str,
    ) -> Result<Resource, Problem> {
        let at = &spec.at;
        let conflict = |m: &str| Err(Problem::new(codes::CONFLICT, at.at(), m));
        match &spec.source {
            TexelSource::Surface(_) if spec.layout.is_some_and(|l| l != TextureLayout::Array) => {
                return conflict("a texture over a surface has the layout \"array\"");
            }
            TexelSource::Surface(other) => return self.shared_array(spec, other),
            TexelSource::Buffer(_) if spec.layout == Some(TextureLayout::Array) => {
                return conflict("a texture over a buffer has the layout \"pitch\" or \"linear\"");
            }
            _ => {}
        }
        let Some(format) = &spec.format else {
            return Err(Problem::new(codes::MISSING_KEY, at.at(), "a texture needs a `format`"));
        };
        let wanted = Wanted { format: format.value, dims: spec.dims, extent: spec.extent };
        let texture = Texture { at, source: &spec.source, wanted };
        if let TexelSource::Buffer(other) = &spec.source {
            return self.over_buffer(spec, other, format.value);
        }
        match spec.layout {
            None | Some(TextureLayout::Array) => Ok(Resource::Array(self.array(&texture, name)?.0)),
            Some(TextureLayout::Linear) => {
                let texels = self.texels(&texture)?;
                if texels.height != 1 || texels.depth != 1 {
                    return conflict("a texture of layout \"linear\" has a single row");
                }
                let buffer =
                    self.device.alloc(texels.bytes.len() as u64, name).map_err(refused(at))?;
                buffer.write(0, &texels.bytes).map_err(refused(at))?;
                Ok(Resource::Linear { buffer, format: format.value, width: texels.width })
            }
            Some(TextureLayout::Pitch) => self.pitched(spec, &texture, name),
        }
    }

    /// Texels in rows with a pitch.
    fn pitched(
        &self,
        spec: &TextureSpec,
        texture: &Texture<'_>,
        name: &str,
    ) -> Result<Resource, Problem> {
        let at = &spec.at;
        let texels = self.texels(texture)?;
        let Texels { format, width, height, depth, .. } = texels;
        if depth != 1 {
            let message = "a texture of layout \"pitch\" has two dimensions";
            return Err(Problem::new(codes::CONFLICT, at.at(), message));
        }
        let row = u64::from(width) * u64::from(format.texel_size());
        let pitch = spec.pitch.unwrap_or(row.next_multiple_of(PITCH_ALIGN));
        if pitch < row {
            let message = format!("a row takes {row} bytes, more than the pitch of {pitch}");
            return Err(Problem::new(codes::VALUE, at.at(), message));
        }
        let buffer = self.device.alloc(pitch * u64::from(height), name).map_err(refused(at))?;
        for (y, bytes) in texels.bytes.chunks_exact(row.max(1) as usize).enumerate() {
            buffer.write(y as u64 * pitch, bytes).map_err(refused(at))?;
        }
        Ok(Resource::Pitched { buffer, format, width, height, pitch })
    }

    /// A texture that reads the memory of a parameter's buffer.
    fn over_buffer(
        &self,
        spec: &TextureSpec,
        other: &At<String>,
        format: Format,
    ) -> Result<Resource, Problem> {
        let index = match_params::job_param(&other.value, self.job, &self.params);
        let object = index.and_then(|i| self.bound.objects.get(&i));
        let Some(Object::Buffer(buffer)) = object else {
            return Err(self.no_such_object(other, "buffer"));
        };
        let [width, height, depth] = spec.extent.unwrap_or([1; 3]);
        if depth != 1 {
            let message = "a texture over a buffer has at most two dimensions";
            return Err(Problem::new(codes::CONFLICT, spec.at.at(), message));
        }
        let linear = match spec.layout {
            Some(layout) => layout == TextureLayout::Linear,
            None => height == 1 && spec.pitch.is_none() && spec.dims != Some(2),
        };
        let buffer = buffer.clone();
        if linear {
            if height != 1 {
                let message = "a texture of layout \"linear\" has a single row";
                return Err(Problem::new(codes::CONFLICT, spec.at.at(), message));
            }
            return Ok(Resource::Linear { buffer, format, width });
        }
        let row = u64::from(width) * u64::from(format.texel_size());
        let pitch = spec.pitch.unwrap_or(row.next_multiple_of(PITCH_ALIGN));
        Ok(Resource::Pitched { buffer, format, width, height, pitch })
    }

    /// A texture of the array that a surface has.
    fn shared_array(&self, spec: &TextureSpec, other: &At<String>) -> Result<Resource, Problem> {
        let index = match_params::job_param(&other.value, self.job, &self.params);
        let array = match index.and_then(|i| self.bound.objects.get(&i)) {
            Some(Object::Surface { array, .. }) => Some(array),
            _ => self.bound.surfaces.get(&other.value).map(|s| &s.0),
        };
        let array = array.ok_or_else(|| self.no_such_object(other, "surface"))?;
        if let Some(format) = &spec.format
            && format.value != array.format()
        {
            let message =
                format!("the surface has format {}, not {}", array.format(), format.value);
            return Err(Problem::new(codes::CONFLICT, format.at(), message));
        }
        Ok(Resource::Array(array.clone()))
    }

    fn no_such_object(&self, name: &At<String>, kind: &str) -> Problem {
        let message = format!("no parameter `{}` of the job has a {kind}", name.value);
        Problem::new(codes::NAME, name.at(), message)
    }

    /// An array with its texels.
    fn array(&self, texture: &Texture<'_>, name: &str) -> Result<(Array, u8), Problem> {
        let at = texture.at;
        let texels = self.texels(texture)?;
        let Texels { format, dims, width, height, depth, .. } = texels;
        let extent = Extent { width, height, depth };
        let descriptor = ArrayDescriptor { format, extent, dims, name: name.to_owned() };
        let array = self.device.create_array(&descriptor).map_err(refused(at))?;
        array.write(&texels.bytes).map_err(refused(at))?;
        Ok((array, dims))
    }

    fn texels(&self, texture: &Texture<'_>) -> Result<Texels, Problem> {
        let Texture { at, source, wanted } = texture;
        if let TexelSource::File(file) = source {
            return texunit_files::read_texels(&self.path(file), wanted)
                .map_err(file_problem(file));
        }
        let [width, height, depth] = wanted.extent.unwrap_or([1; 3]);
        let size = Texels::byte_size(wanted.format, width, height, depth).ok_or_else(|| {
            let message = format!("more than {} bytes of texels", texunit_files::MAX_BYTES);
            Problem::new(codes::VALUE, at.at(), message)
        })?;
        let own = if depth > 1 { 3 } else { 1 + u8::from(height > 1) };
        let dims = wanted.dims.unwrap_or(own);
        if (dims < 3 && depth != 1) || (dims < 2 && height != 1) {
            let message =
                format!("{width} x {height} x {depth} texels have more than {dims} dimensions");
            return Err(Problem::new(codes::VALUE, at.at(), message));
        }
        let bytes = vec![0; size as usize];
        Ok(Texels { format: wanted.format, dims, width, height, depth, bytes })
    }
}
