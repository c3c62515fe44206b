//! The last steps of binding: a job's outputs and expectations, write protection, and objects that
//! were freed before the launch.

use super::match_params::job_param;
use super::{Binder, BoundTexels, Object};
use crate::expect::{Expectation, Pieces};
use crate::output::{Pending, Source};
use crate::problem::{Problem, codes};
use crate::spec::{BufferSpec, Data, ExpectedSpec, OutputSpec, ParamValue};
use crate::texel_resource::TexelResource;
use std::collections::HashMap;
use std::path::Path;
use texunit_forms::sort_by_key;
use texunit_spec::At;

/// The texels of an output: the level and layer that the surface refers to, or those that the
/// output names.
fn texels(
    BoundTexels { whole, part }: &BoundTexels,
    output: &At<OutputSpec>,
) -> Result<Source, Problem> {
    let wanted = &output.value.part;
    let chosen = match (&wanted.level, &wanted.layer) {
        (None, None) => part.clone(),
        // A layer of the level that the surface refers to.
        (None, Some(_)) if whole.is_mipmapped() => part.part(wanted)?,
        _ => whole.part(wanted)?,
    };
    Ok(Source::Texels(chosen))
}

impl Binder<'_> {
    /// Collects and checks the outputs of parameters, references and variables.
    pub(super) fn outputs(&mut self) {
        let (job, mut found) = (self.job, Vec::new());
        for (index, param) in job.params.iter().enumerate() {
            let target = match &param.value {
                ParamValue::Use(other) => job_param(&other.value, job, &self.params),
                _ => Some(index),
            };
            let object = target.and_then(|target| self.bound.objects.get(&target));
            for output in &param.outputs {
                let source = match object {
                    Some(Object::Buffer(buffer)) => Ok(Source::Memory((**buffer).clone())),
                    Some(Object::Surface { texels: bound, .. } | Object::Reference(bound)) => {
                        texels(bound, output)
                    }
                    Some(_) => {
                        let message = "only buffers and surfaces have an output";
                        Err(output.problem(codes::CONFLICT, message))
                    }
                    None => continue,
                };
                found.push((&param.name.value, source, output));
            }
        }
        for global in &job.globals {
            let Some(variable) = self.module.global(&global.name.value) else { continue };
            let source = || Ok(Source::Memory(variable.clone()));
            found.extend(global.outputs.iter().map(|o| (&global.name.value, source(), o)));
        }
        for (param, source, output) in found {
            let pending = source.and_then(|source| Pending::new(param, source, output));
            if let Some(pending) = self.check(pending) {
                self.bound.outputs.push(pending);
            }
        }
        sort_by_key(&mut self.bound.outputs, |p| p.at.span.start);
        let mut seen: HashMap<&Path, &Pending> = HashMap::new();
        for output in &self.bound.outputs {
            let file = output.file.as_path();
            if let Some(first) = seen.insert(file, output) {
                let message =
                    format!("`{}` is already the output of `{}`", file.display(), first.param);
                self.push(output.at.problem(codes::CONFLICT, message));
            }
        }
        for output in &self.bound.outputs {
            for folder in output.file.ancestors().skip(1) {
                let Some(other) = seen.get(folder) else { continue };
                let name = folder.display();
                let message =
                    format!("`{name}` cannot be a folder: it is the output of `{}`", other.param);
                self.push(output.at.problem(codes::CONFLICT, message));
            }
        }
    }

    /// Collects the expected contents of buffers, arrays and variables.
    pub(super) fn expectations(&mut self) {
        let mut all = Vec::new();
        for (index, param) in self.job.params.iter().enumerate() {
            let (wanted, place) = (param.expected.as_ref(), param.name.with(()));
            let (source, buffer) = match (self.bound.objects.get(&index), &param.value) {
                (Some(Object::Buffer(buffer)), ParamValue::Buffer(spec)) => {
                    (Source::Memory((**buffer).clone()), Some(spec))
                }
                (Some(Object::Array(made)), ParamValue::Array(_)) => {
                    (Source::Texels(made.clone()), None)
                }
                _ => continue,
            };
            all.push((param.name.value.clone(), place, wanted, source, buffer));
        }
        for name in self.module.globals() {
            let given = self.job.globals.iter().find(|g| g.name.value == name);
            let place = given.map_or_else(|| self.job.kernel.with(()), |g| g.name.with(()));
            let Some(variable) = self.module.global(&name) else { continue };
            let wanted = given.and_then(|g| g.expected.as_ref());
            all.push((name, place, wanted, Source::Memory(variable), None));
        }
        for (name, at, wanted, source, buffer) in all {
            if wanted.is_none() && !self.job.settings.check {
                continue;
            }
            let made = || {
                // Texels and variables are small enough to be copied.
                let before = match buffer {
                    Some(spec) => self.pieces(spec)?,
                    None => Pieces::from_bytes(source.read()),
                };
                let after = wanted.map(|spec| self.expected(spec, source.size())).transpose()?;
                let at = wanted.map_or(at, |spec| spec.with(()));
                Ok(Expectation { name, at, source, before, after: after.unwrap_or_default() })
            };
            if let Some(expectation) = self.check(made()) {
                self.bound.expectations.push(expectation);
            }
        }
    }

    /// The initial contents of a buffer according to the job.
    fn pieces(&self, spec: &BufferSpec) -> Result<Pieces, Problem> {
        match &spec.data {
            Data::Zeros(_) => Ok(Pieces::default()),
            data => Pieces::new(self.data(data, 0)?, spec.parts.as_ref(), &spec.at),
        }
    }

    fn expected(&self, spec: &At<ExpectedSpec>, size: u64) -> Result<Pieces, Problem> {
        let bytes = self.data(&spec.value.data, size)?;
        let pieces = Pieces::new(bytes, spec.value.parts.as_ref(), spec)?;
        if pieces.end() > size {
            let message =
                format!("the bytes that are expected pass the end of the {size} there are");
            return Err(spec.problem(codes::VALUE, message));
        }
        Ok(pieces)
    }

    /// Makes read-only objects unwritable, and frees or destroys the objects that the recorded
    /// program had freed or destroyed before the launch. This comes last because other objects may
    /// share their memory.
    pub(super) fn ends(&mut self) {
        for (index, param) in self.job.params.iter().enumerate() {
            match (&param.value, self.bound.objects.get(&index)) {
                (ParamValue::Buffer(spec), Some(Object::Buffer(buffer))) => {
                    if spec.place.read_only {
                        self.device.memory().make_read_only(buffer.address());
                    }
                    if let Some(how) = spec.place.ended {
                        self.device.memory().end_at(buffer.address(), how);
                    }
                }
                (ParamValue::Array(spec), Some(Object::Array(TexelResource::Array(array))))
                    if spec.ended =>
                {
                    array.destroy();
                }
                _ => {}
            }
        }
    }
}
