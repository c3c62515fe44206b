//! Creates the objects of a job's parameters, binds the `.texref`s, `.surfref`s and `.samplerref`s
//! of a module, and checks the addresses of its variables.

use super::{Binder, BoundTexels, Object};
use crate::problem::{Problem, codes};
use crate::spec::{Param, ParamValue, SurfaceSpec, TextureSpec};
use crate::texel_resource::{TexelResource, refused};
use texunit_device::{Error, Format, ReadMode, TextureDescriptor};
use texunit_spec::At;

impl Binder<'_> {
    /// Creates the objects of the parameters that `which` selects.
    pub(super) fn objects(&mut self, which: impl Fn(&ParamValue) -> bool) {
        for (index, param) in self.job.params.iter().enumerate() {
            if which(&param.value) && !self.is_in_vain(&param.value) {
                let object = match param.is_reference() {
                    true => self.reference(param),
                    false => self.object(index, &param.value),
                };
                let object = self.check(object).flatten();
                self.bound.objects.extend(object.map(|object| (index, object)));
            }
        }
    }

    /// The texels of a texture, and the level and layer that it refers to.
    pub(super) fn texture_texels(
        &self,
        spec: &TextureSpec,
        name: &str,
    ) -> Result<BoundTexels, Problem> {
        let whole = self.resource(&spec.resource, &spec.at, name, "texture")?;
        Ok(BoundTexels { part: whole.part(&spec.part)?, whole })
    }

    /// The texels of a surface, and the level and layer that it refers to.
    pub(super) fn surface_texels(
        &self,
        spec: &SurfaceSpec,
        name: &str,
    ) -> Result<BoundTexels, Problem> {
        let whole = self.resource(&spec.resource, &spec.at, name, "surface")?;
        let part = whole.part(&spec.part)?;
        let part = match part.array() {
            // A surface without `level` refers to the base level.
            Some(array) if part.is_mipmapped() => {
                TexelResource::Array(array.level(0).map_err(refused(&spec.at))?)
            }
            _ => part,
        };
        Ok(BoundTexels { whole, part })
    }

    fn object(&self, index: usize, value: &ParamValue) -> Result<Option<Object>, Problem> {
        let name = &self.bound.names[index];
        Ok(Some(match value {
            ParamValue::Buffer(spec) => Object::Buffer(self.buffer(spec, name)?),
            ParamValue::Surface(spec) => {
                let texels = self.surface_texels(spec, name)?;
                let surface = texels.part.surface().ok_or_else(|| no_level(&spec.at))?;
                let object = self.device.create_surface_at(spec.handle, surface);
                let object = object.map_err(refused(&spec.at))?;
                Object::Surface { texels, object }
            }
            ParamValue::Texture(spec) => {
                let texels = self.texture_texels(spec, name)?;
                let initial = TextureDescriptor::default();
                let descriptor = descriptor(spec, texels.whole.format(), &initial);
                let texture = texels.part.texture();
                // A recorded texture is accepted, because the driver accepted it then.
                let descriptor = descriptor.with_as_driver(spec.handle.is_some());
                let object = self.device.create_texture_at(spec.handle, &texture, &descriptor);
                Object::Texture { object: object.map_err(refused(&spec.at))?, texels }
            }
            ParamValue::Sampler(spec) => {
                let state = spec.value.state.build();
                let sampler = self.device.create_sampler_at(spec.value.handle, &state);
                Object::Sampler(sampler.map_err(refused(spec))?)
            }
            ParamValue::Array(spec) => {
                let made = self.resource(&spec.resource, &spec.at, name, "array")?;
                if made.array().is_none() {
                    let message = "an array has the layout \"array\"";
                    return Err(spec.at.problem(codes::CONFLICT, message));
                }
                Object::Array(made)
            }
            ParamValue::Scalar(scalar) => Object::Bytes(scalar.value.bytes.clone()),
            ParamValue::Use(_) => return Ok(None),
        }))
    }

    /// Binds a `.texref`, `.surfref` or `.samplerref` variable. Returns its texels, and keeps the
    /// device's warnings.
    fn reference(&mut self, param: &Param) -> Result<Option<Object>, Problem> {
        let name = &param.name;
        let variables = self.module.opaque_variables();
        let initial = variables.iter().find(|v| v.name == name.value).map(|v| v.initial);
        let initial = initial.unwrap_or_default();
        let unknown = |at: &At<()>, error| self.unknown(name, at, error);
        let (texels, warnings) = match &param.value {
            ParamValue::Surface(spec) => {
                let texels = self.surface_texels(spec, &name.value)?;
                let surface = texels.part.surface().ok_or_else(|| no_level(&spec.at))?;
                let warnings = self.module.bind_surface(&name.value, surface);
                (texels, warnings.map_err(|e| unknown(&spec.at, e))?)
            }
            ParamValue::Texture(spec) => {
                let texels = self.texture_texels(spec, &name.value)?;
                let descriptor = descriptor(spec, texels.whole.format(), &initial);
                let texture = texels.part.texture();
                let descriptor = descriptor.with_as_driver(self.is_recorded(name));
                let warnings = self.module.bind_texture(&name.value, &texture, &descriptor);
                (texels, warnings.map_err(|e| unknown(&spec.at, e))?)
            }
            ParamValue::Sampler(spec) => {
                let state = spec.value.state.over(&initial.sampler);
                let bound = self.module.bind_sampler(&name.value, &state);
                return bound.map_err(|e| unknown(&name.with(()), e)).map(|()| None);
            }
            _ => return Ok(None),
        };
        self.bound.warnings.extend(warnings);
        Ok(Some(Object::Reference(texels)))
    }

    /// Whether the job records the reference's handle in a program's launch. Such a binding is
    /// accepted, because the driver accepted it then.
    fn is_recorded(&self, name: &At<String>) -> bool {
        self.job.places.iter().any(|(other, _)| other.value == name.value)
    }

    /// Reports addresses for variables that the module does not have.
    pub(super) fn places(&self) {
        let mut known = self.module.globals();
        known.extend(self.module.opaque_variables().into_iter().map(|variable| variable.name));
        for (name, _) in &self.job.places {
            if !known.contains(&name.value) {
                let message = format!("the module has no variable `{}`", name.value);
                let problem = name.problem(codes::NAME, message);
                self.push(problem.suggest(&name.value, &known));
            }
        }
        let references = self.job.params.iter().filter(|param| param.is_reference());
        for Param { name, .. } in references.filter(|param| param.value.handle().is_some()) {
            let message = format!("the handle of `{}` is that of a variable", name.value);
            let problem = name.problem(codes::CONFLICT, message);
            self.push(problem.help("`[places]` says what it is"));
        }
    }

    /// The problem of a name that the module does not have, with the existing names. Other errors
    /// of the device are reported for the whole table at `at`.
    fn unknown(&self, name: &At<String>, at: &At<()>, error: Error) -> Problem {
        let Error::Unknown { kind, .. } = &error else {
            return refused(at)(error);
        };
        let variables = self.module.opaque_variables();
        let known: Vec<_> =
            variables.iter().filter(|v| v.kind.name() == *kind).map(|v| &v.name).collect();
        let message = format!("the module has no {kind} `{}`", name.value);
        let problem = name.problem(codes::NAME, message);
        if known.is_empty() {
            return problem.help(format!("it declares no {kind} at all"));
        }
        problem.suggest(&name.value, &known)
    }
}

/// The problem of a `level` key for an array without mip levels.
fn no_level(at: &At<()>) -> Problem {
    at.problem(codes::MISSING_KEY, "a surface of an array with mip levels needs a `level`")
}

/// The sampling state of a texture whose texels (or whose view) have this format.
fn descriptor(
    spec: &TextureSpec,
    format: Format,
    initial: &TextureDescriptor,
) -> TextureDescriptor {
    let only =
        if format.is_normalized_kind() { ReadMode::NormalizedFloat } else { ReadMode::Element };
    TextureDescriptor::default()
        .with_read_mode(spec.read_mode.unwrap_or(only))
        .with_normalized_coords(spec.normalized_coords.unwrap_or(initial.normalized_coords))
        .with_sampler(spec.sampler.over(&initial.sampler))
}
