//! The last steps of binding: the job's expectations, write protection, and objects that were freed
//! before the launch.

use super::{Binder, Object};
use crate::expect::{Expectation, Pieces};
use crate::output::Source;
use crate::problem::{Problem, codes};
use crate::spec::{BufferSpec, Data, ExpectedSpec, ParamValue};
use crate::texel_resource::TexelResource;
use texunit_spec::At;

impl Binder<'_> {
    /// Collects the expected contents of buffers, arrays and variables.
    pub(super) fn expectations(&mut self) {
        let mut all = Vec::new();
        for (index, param) in self.job.params.iter().enumerate() {
            let (wanted, place) = (param.expected.as_ref(), param.name.with(()));
            let (source, before) = match (self.bound.objects.get(&index), &param.value) {
                (Some(Object::Buffer(buffer)), ParamValue::Buffer(spec)) => {
                    (Source::Buffer(buffer.clone()), self.pieces(spec))
                }
                (Some(Object::Array(made)), ParamValue::Array(_)) => {
                    (Source::Texels(made.clone()), Ok(Pieces::default()))
                }
                _ => continue,
            };
            all.push((param.name.value.clone(), place, wanted, source, before));
        }
        for name in self.module.globals() {
            let given = self.job.globals.iter().find(|g| g.name.value == name);
            let place = given.map_or_else(|| self.job.kernel.with(()), |g| g.name.with(()));
            let Some(variable) = self.module.global(&name) else { continue };
            let wanted = given.and_then(|g| g.expected.as_ref());
            all.push((name, place, wanted, Source::Global(variable), Ok(Pieces::default())));
        }
        for (name, at, wanted, source, before) in all {
            if wanted.is_none() && !self.job.settings.check {
                continue;
            }
            let made = before.and_then(|before| {
                // Texels and variables are small enough to be copied.
                let (before, size) = match &source {
                    Source::Buffer(buffer) => (before, buffer.size()),
                    other => {
                        let bytes = other.read();
                        let size = bytes.len() as u64;
                        (Pieces::from_bytes(bytes), size)
                    }
                };
                let after = wanted.map(|spec| self.expected(spec, size)).transpose()?;
                let at = wanted.map_or(at, |spec| spec.with(()));
                Ok(Expectation { name, at, source, before, after: after.unwrap_or_default() })
            });
            if let Some(expectation) = self.check(made) {
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

    /// Makes read-only objects unwritable, and frees or destroys objects that were so at the
    /// launch. This comes last because other objects may be made of them.
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
