//! Binds the `.texref`s, `.surfref`s and `.samplerref`s of a module, and checks the addresses of
//! its variables.

use super::objects::{descriptor, no_level};
use super::{Binder, BoundTexels};
use crate::problem::{Problem, codes};
use crate::spec::{Param, ParamValue};
use crate::texel_resource::refused;
use texunit_spec::At;

impl Binder<'_> {
    /// Binds the references that `which` selects.
    pub(super) fn references(&mut self, which: impl Fn(&ParamValue) -> bool) {
        for (index, param) in self.job.references.iter().enumerate() {
            if !which(&param.value) || self.is_in_vain(&param.value) {
                continue;
            }
            if let Some((texels, warnings)) = self.check(self.reference(param)) {
                self.bound.references.extend(texels.map(|texels| (index, texels)));
                self.bound.warnings.extend(warnings);
            }
        }
    }

    /// Binds a reference. Returns its texels and the device's warnings.
    fn reference(&self, param: &Param) -> Result<(Option<BoundTexels>, Vec<String>), Problem> {
        let name = &param.name;
        let variables = self.module.opaque_variables();
        let initial = variables.iter().find(|v| v.name == name.value).map(|v| v.initial);
        let initial = initial.unwrap_or_default();
        let unknown = |at: &At<()>, error| self.unknown(name, at, error);
        match &param.value {
            ParamValue::Surface(spec) => {
                let texels = self.surface_texels(spec, &name.value)?;
                let surface = texels.part.surface().ok_or_else(|| no_level(&spec.at))?;
                let warnings = self.module.bind_surface(&name.value, surface);
                Ok((Some(texels), warnings.map_err(|e| unknown(&spec.at, e))?))
            }
            ParamValue::Texture(spec) => {
                let texels = self.texture_texels(spec, &name.value)?;
                let descriptor = descriptor(spec, texels.whole.format(), &initial);
                let texture = texels.part.texture();
                let descriptor = descriptor.with_as_driver(self.is_recorded(name));
                let warnings = self.module.bind_texture(&name.value, &texture, &descriptor);
                Ok((Some(texels), warnings.map_err(|e| unknown(&spec.at, e))?))
            }
            ParamValue::Sampler(spec) => {
                let state = spec.value.state.over(&initial.sampler);
                let bound = self.module.bind_sampler(&name.value, &state);
                bound.map_err(|e| unknown(&name.with(()), e)).map(|()| (None, Vec::new()))
            }
            _ => Ok((None, Vec::new())),
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
        let references = self.job.references.iter();
        for Param { name, .. } in references.filter(|param| param.value.handle().is_some()) {
            let message = format!("the handle of `{}` is that of a variable", name.value);
            let problem = name.problem(codes::CONFLICT, message);
            self.push(problem.help("`[places]` says what it is"));
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
