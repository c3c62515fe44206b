//! Binds the `.texref`s, `.surfref`s and `.samplerref`s of a module, and checks the addresses of
//! its variables.

use super::objects::no_level;
use super::{Binder, SurfaceTexels, state};
use crate::problem::{Problem, codes};
use crate::texel_resource::refused;
use texunit_spec::At;

impl Binder<'_> {
    /// Binds the module's `.surfref`s, either those that share texels with another object or the
    /// others.
    pub(super) fn surface_references(&mut self, shared: bool) {
        for (name, spec, _) in &self.job.surfaces {
            if spec.resource.source.is_shared() != shared || self.waits_in_vain(&spec.resource) {
                continue;
            }
            let made = self.resource(&spec.resource, &spec.at, &name.value, "surface");
            let bound = made.and_then(|whole| {
                let part = Self::surface_part(spec, &whole)?;
                let surface = part.surface().ok_or_else(|| no_level(&spec.at))?;
                let warnings = self.module.bind_surface(&name.value, surface);
                let warnings = warnings.map_err(|e| self.unknown(name, &spec.at, e))?;
                Ok((SurfaceTexels { whole, part }, warnings))
            });
            if let Some((texels, warnings)) = self.check(bound) {
                self.bound.surfaces.insert(name.value.clone(), texels);
                self.bound.warnings.extend(warnings);
            }
        }
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
        let handles = self.job.textures.iter().map(|(name, spec)| (name, spec.handle));
        let handles = handles.chain(self.job.surfaces.iter().map(|(n, spec, _)| (n, spec.handle)));
        let handles = handles.chain(self.job.samplers.iter().map(|(n, spec)| (n, spec.handle)));
        for (name, _) in handles.filter(|(_, handle)| handle.is_some()) {
            let message = format!("the handle of `{}` is that of a variable", name.value);
            let problem = name.problem(codes::CONFLICT, message);
            self.push(problem.help("`[places]` says what it is"));
        }
    }

    pub(super) fn texture_references(&mut self, shared: bool) {
        let variables = self.module.opaque_variables();
        for (name, spec) in &self.job.textures {
            if spec.resource.source.is_shared() != shared || self.waits_in_vain(&spec.resource) {
                continue;
            }
            let initial = variables.iter().find(|v| v.name == name.value).map(|v| v.initial);
            let made = self.resource(&spec.resource, &spec.at, &name.value, "texture");
            let bound = made.and_then(|whole| {
                let initial = initial.unwrap_or_default();
                let descriptor = state::descriptor(spec, whole.format(), &initial);
                let part = whole.part(&spec.part)?;
                let texture = part.texture();
                let warnings = match self.is_recorded(name) {
                    true => self.module.bind_texture_as_driver(&name.value, &texture, &descriptor),
                    false => self.module.bind_texture(&name.value, &texture, &descriptor),
                };
                let warnings = warnings.map_err(|e| self.unknown(name, &spec.at, e))?;
                Ok((whole, warnings))
            });
            if let Some((whole, warnings)) = self.check(bound) {
                self.bound.textures.insert(name.value.clone(), whole);
                self.bound.warnings.extend(warnings);
            }
        }
    }

    pub(super) fn sampler_references(&mut self) {
        let variables = self.module.opaque_variables();
        for (name, spec) in &self.job.samplers {
            let initial =
                variables.iter().find(|v| v.name == name.value).map(|v| v.initial.sampler);
            let state = spec.state.over(&initial.unwrap_or_default());
            let bound = self.module.bind_sampler(&name.value, &state);
            self.check(bound.map_err(|e| self.unknown(name, &name.with(()), e)));
        }
    }

    /// The problem of a name that the module does not have, with the existing names. Other errors
    /// of the device concern the whole table.
    fn unknown(&self, name: &At<String>, at: &At<()>, error: texunit_device::Error) -> Problem {
        let texunit_device::Error::Unknown { kind, .. } = &error else {
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
