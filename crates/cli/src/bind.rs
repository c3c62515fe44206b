//! From a job and a kernel to objects on the device and arguments for the launch.
//!
//! Everything that can be wrong is found before the launch, outputs included; every mistake is
//! collected.

mod match_params;
mod members;
mod memory;
mod texels;

use crate::job::{Job, ParamValue};
use crate::output::{Pending, Source};
use crate::problem::{Problem, codes};
use crate::table::{At, Problems};
use std::collections::HashMap;
use std::path::Path;
use texunit_device::{
    Arg, Array, Buffer, Device, Kernel, Module, ParamInfo, Sampler, SamplerObject, SurfaceObject,
    TextureDescriptor, TextureObject,
};

pub(crate) use match_params::match_params;
use members::Assignment;

/// Something that a parameter gets.
#[derive(Debug)]
enum Object {
    Buffer(Buffer),
    Surface { array: Array, dims: u8, object: SurfaceObject },
    Texture(TextureObject),
    Sampler(SamplerObject),
    Bytes(Vec<u8>),
}

impl Object {
    fn arg(&self) -> Arg<'_> {
        match self {
            Object::Buffer(b) => Arg::Buffer(b),
            Object::Surface { object, .. } => Arg::Surface(object),
            Object::Texture(t) => Arg::Texture(t),
            Object::Sampler(s) => Arg::Sampler(s),
            Object::Bytes(b) => Arg::Bytes(b),
        }
    }
}

/// All objects of a job, arguments in the order of the kernel's parameters, and what is to be
/// written afterwards.
#[derive(Debug, Default)]
pub(crate) struct Bound {
    objects: HashMap<usize, Object>,
    /// For each kernel parameter, the job parameters whose objects it gets.
    order: Vec<Assignment>,
    /// Bytes of the kernel parameters that have members.
    structures: HashMap<usize, Vec<u8>>,
    /// Arrays of `.surfref`s, by the name in the job.
    surfaces: HashMap<String, (Array, u8)>,
    /// Outputs in the order of the job.
    pub(crate) outputs: Vec<Pending>,
    /// Remarks that do not stop the launch.
    pub(crate) warnings: Vec<String>,
}

impl Bound {
    /// The launch's arguments. `None` if an object could not be made: the problems say why.
    pub(crate) fn args(&self) -> Option<Vec<Arg<'_>>> {
        let arg = |(slot, assignment): (usize, &Assignment)| {
            if let Some(bytes) = self.structures.get(&slot) {
                return Some(Arg::Bytes(bytes));
            }
            Some(self.objects.get(&assignment.whole?)?.arg())
        };
        self.order.iter().enumerate().map(arg).collect()
    }
}

/// What the functions of this module share.
struct Binder<'a> {
    job: &'a Job,
    /// Folder of the job file.
    folder: &'a Path,
    device: &'a Device,
    module: &'a Module,
    params: Vec<ParamInfo>,
    problems: &'a Problems,
    bound: Bound,
}

/// Makes the objects of a job.
pub(crate) fn bind(
    job: &Job,
    folder: &Path,
    device: &Device,
    kernel: &Kernel,
    problems: &Problems,
) -> Bound {
    let params = kernel.params();
    let matching = match_params(job, &params, kernel.name(), problems);
    let module = kernel.module();
    let bound = Bound { order: matching, ..Bound::default() };
    let mut binder = Binder { job, folder, device, module, params, problems, bound };
    binder.surface_references();
    // Textures last: they may read the memory of buffers and surfaces.
    binder.objects(|v| !matches!(v, ParamValue::Texture(_)));
    binder.objects(|v| matches!(v, ParamValue::Texture(_)));
    binder.structures();
    binder.texture_references();
    binder.sampler_references();
    binder.globals();
    binder.outputs();
    binder.bound
}

impl Binder<'_> {
    fn push(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// Keeps a value, or its problem.
    fn check<T>(&self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.push(problem)).ok()
    }

    /// What messages call the object of a job parameter: its name in the PTX.
    fn object_name(&self, index: usize) -> String {
        match_params::kernel_param(&self.job.params[index].name.value, &self.params).map_or_else(
            || self.job.params[index].name.value.clone(),
            |i| self.params[i].name.clone(),
        )
    }

    fn objects(&mut self, which: impl Fn(&ParamValue) -> bool) {
        for index in 0..self.job.params.len() {
            let value = &self.job.params[index].value;
            if which(value)
                && let Some(object) = self.check(self.object(index, value))
                && let Some(object) = object
            {
                self.bound.objects.insert(index, object);
            }
        }
    }

    fn object(&self, index: usize, value: &ParamValue) -> Result<Option<Object>, Problem> {
        let name = self.object_name(index);
        Ok(Some(match value {
            ParamValue::Buffer(spec) => Object::Buffer(self.buffer(spec, &name)?),
            ParamValue::Surface(spec) => {
                let (array, dims) = self.surface_array(spec, &name)?;
                let object = self.device.create_surface(&array);
                Object::Surface { array, dims, object: object.map_err(refused(&spec.at))? }
            }
            ParamValue::Texture(spec) => {
                let descriptor = texels::descriptor(spec, &TextureDescriptor::default());
                let resource = self.texture_resource(spec, &name)?;
                let texture = self.device.create_texture(&resource.get(), &descriptor);
                Object::Texture(texture.map_err(refused(&spec.at))?)
            }
            ParamValue::Sampler(spec) => {
                let state = texels::sampler(&spec.value, &Sampler::default());
                let sampler = self.device.create_sampler(&state);
                Object::Sampler(sampler.map_err(refused(spec))?)
            }
            ParamValue::Scalar(scalar) => Object::Bytes(scalar.value.bytes.clone()),
            ParamValue::Use(_) => return Ok(None),
        }))
    }

    /// Arrays for the module's `.surfref`s.
    fn surface_references(&mut self) {
        for (name, spec, _) in &self.job.surfaces {
            let made = self.surface_array(spec, &name.value).and_then(|(array, dims)| {
                self.module.bind_surface(&name.value, &array).map_err(|e| self.unknown(name, e))?;
                Ok((array, dims))
            });
            if let Some(made) = self.check(made) {
                self.bound.surfaces.insert(name.value.clone(), made);
            }
        }
    }

    fn texture_references(&mut self) {
        let variables = self.module.opaque_variables();
        for (name, spec) in &self.job.textures {
            let initial = variables.iter().find(|v| v.name == name.value).map(|v| v.initial);
            let descriptor = texels::descriptor(spec, &initial.unwrap_or_default());
            let bound = self.texture_resource(spec, &name.value).and_then(|resource| {
                self.module.bind_texture(&name.value, &resource.get(), &descriptor).map_err(|e| {
                    match e {
                        texunit_device::Error::Unknown { .. } => self.unknown(name, e),
                        _ => refused(&spec.at)(e),
                    }
                })
            });
            if let Some(warnings) = self.check(bound) {
                self.bound.warnings.extend(warnings);
            }
        }
    }

    fn sampler_references(&mut self) {
        let variables = self.module.opaque_variables();
        for (name, spec) in &self.job.samplers {
            let initial =
                variables.iter().find(|v| v.name == name.value).map(|v| v.initial.sampler);
            let state = texels::sampler(spec, &initial.unwrap_or_default());
            let bound = self.module.bind_sampler(&name.value, &state);
            self.check(bound.map_err(|e| self.unknown(name, e)));
        }
    }

    /// A name that the module does not have, with those that it has.
    fn unknown(&self, name: &At<String>, error: texunit_device::Error) -> Problem {
        let texunit_device::Error::Unknown { kind, .. } = &error else {
            return refused(name)(error);
        };
        let variables = self.module.opaque_variables();
        let known: Vec<_> =
            variables.iter().filter(|v| v.kind.name() == *kind).map(|v| &v.name).collect();
        let message = format!("the module has no {kind} `{}`", name.value);
        let problem = Problem::new(codes::NAME, name.at(), message);
        if known.is_empty() {
            return problem.help(format!("it declares no {kind} at all"));
        }
        problem.suggest(&name.value, &known)
    }

    fn globals(&mut self) {
        for global in &self.job.globals {
            let Some(variable) = self.module.global(&global.name.value) else {
                let message = format!("the module has no variable `{}`", global.name.value);
                let problem = Problem::new(codes::NAME, global.name.at(), message);
                self.push(problem.suggest(&global.name.value, &self.module.globals()));
                continue;
            };
            if let Some(data) = &global.data {
                self.check(self.initialize(&variable, data));
            }
            if let Some(output) = &global.output {
                let source = Source::Global(variable);
                if let Some(p) = self.check(Pending::new(&global.name.value, source, output)) {
                    self.bound.outputs.push(p);
                }
            }
        }
    }

    /// Outputs of parameters and `.surfref`s.
    fn outputs(&mut self) {
        let mut found = Vec::new();
        for (index, param) in self.job.params.iter().enumerate() {
            let target = match &param.value {
                ParamValue::Use(other) => {
                    match_params::job_param(&other.value, self.job, &self.params)
                }
                _ => Some(index),
            };
            let (Some(output), Some(target)) = (&param.output, target) else { continue };
            let source = match self.bound.objects.get(&target) {
                Some(Object::Buffer(b)) => Source::Buffer(b.clone()),
                Some(Object::Surface { array, dims, .. }) => Source::Array(array.clone(), *dims),
                Some(_) => {
                    let message = "only buffers and surfaces have an output";
                    self.push(Problem::new(codes::CONFLICT, output.at(), message));
                    continue;
                }
                None => continue,
            };
            found.extend(self.check(Pending::new(&param.name.value, source, output)));
        }
        for (name, _, output) in &self.job.surfaces {
            if let (Some(output), Some((array, dims))) =
                (output, self.bound.surfaces.get(&name.value))
            {
                let source = Source::Array(array.clone(), *dims);
                found.extend(self.check(Pending::new(&name.value, source, output)));
            }
        }
        self.bound.outputs.extend(found);
        self.bound.outputs.sort_by_key(|p| p.at.span.start);
        let mut seen: HashMap<&Path, &Pending> = HashMap::new();
        for output in &self.bound.outputs {
            let file = output.file.as_path();
            if let Some(first) = seen.insert(file, output) {
                let message =
                    format!("`{}` is already the output of `{}`", file.display(), first.param);
                self.push(Problem::new(codes::CONFLICT, output.at.at(), message));
            }
        }
        for output in &self.bound.outputs {
            for folder in output.file.ancestors().skip(1) {
                let Some(other) = seen.get(folder) else { continue };
                let name = folder.display();
                let message =
                    format!("`{name}` cannot be a folder: it is the output of `{}`", other.param);
                self.push(Problem::new(codes::CONFLICT, output.at.at(), message));
            }
        }
    }
}

/// An object that the device refuses, at the place that describes it.
fn refused<T>(at: &At<T>) -> impl Fn(texunit_device::Error) -> Problem + '_ {
    |error| Problem::new(codes::REFUSED, at.at(), error.to_string())
}
