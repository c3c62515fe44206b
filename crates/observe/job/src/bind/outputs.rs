//! Collects and checks the outputs of a job's objects.

use super::{Binder, BoundTexels, Object};
use crate::names::job_param;
use crate::output::{Pending, Source};
use crate::problem::{Problem, codes};
use crate::spec::{OutputSpec, ParamValue};
use std::collections::HashMap;
use std::path::Path;
use texunit_forms::sort_by_key;
use texunit_spec::At;

/// The texels of an output: the part that the surface refers to, or the level or layer that the
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
    /// Collects the outputs of parameters and `.surfref`s.
    pub(super) fn outputs(&mut self) {
        let mut found = Vec::new();
        for (index, param) in self.job.params.iter().enumerate() {
            let target = match &param.value {
                ParamValue::Use(other) => job_param(&other.value, self.job, &self.params),
                _ => Some(index),
            };
            let object = target.and_then(|target| self.bound.objects.get(&target));
            for output in &param.outputs {
                let source = match object {
                    Some(Object::Buffer(b)) => Ok(Source::Buffer(b.clone())),
                    Some(Object::Surface { texels: bound, .. }) => texels(bound, output),
                    Some(_) => {
                        let message = "only buffers and surfaces have an output";
                        Err(output.problem(codes::CONFLICT, message))
                    }
                    None => continue,
                };
                let pending = source.and_then(|s| Pending::new(&param.name.value, s, output));
                found.extend(self.check(pending));
            }
        }
        for (index, param) in self.job.references.iter().enumerate() {
            let Some(bound) = self.bound.references.get(&index) else { continue };
            for output in &param.outputs {
                let source = texels(bound, output);
                let pending = source.and_then(|s| Pending::new(&param.name.value, s, output));
                found.extend(self.check(pending));
            }
        }
        self.bound.outputs.extend(found);
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
}
