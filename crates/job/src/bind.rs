//! From a job and a kernel to objects on the device and arguments for the launch.
//!
//! Everything that can be wrong is found before the launch, outputs included; every mistake is
//! collected.

mod container;
mod contents;
mod ends;
mod match_params;
mod members;
mod memory;
mod outputs;
mod resource;
mod state;
mod texels;

use crate::expect::Expectation;
use crate::made::{Made, refused};
use crate::names::{Assignment, kernel_param};
use crate::output::{self, Pending, Source, Written};
use crate::problem::{Problem, codes};
use crate::spec::{Job, ParamValue};
use crate::table::{At, Problems};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use texunit_device::{
    Arg, BoundTexture, Buffer, Device, Error, Kernel, Module, ParamInfo, Sampler, SamplerObject,
    SurfaceObject, TextureDescriptor, TextureObject,
};
use texunit_files::{FileError, Prepared};

pub use container::container_geometry;
pub use contents::{Content, Shape, WrongObject};
use match_params::match_params;

/// Something that a parameter gets.
#[derive(Debug)]
enum Object {
    Buffer(Buffer),
    Surface { whole: Made, part: Made, object: SurfaceObject },
    Texture { whole: Made, object: TextureObject },
    Sampler(SamplerObject),
    Array(Made),
    Bytes(Vec<u8>),
}

impl Object {
    fn arg(&self) -> Arg<'_> {
        match self {
            Object::Buffer(b) => Arg::Buffer(b),
            Object::Surface { object, .. } => Arg::Surface(object),
            Object::Texture { object, .. } => Arg::Texture(object),
            Object::Sampler(s) => Arg::Sampler(s),
            Object::Bytes(b) => Arg::Bytes(b),
            // No parameter gets one: `match_params` sees to that.
            Object::Array(_) => Arg::Bytes(&[]),
        }
    }
}

/// Texels of a `.surfref`, and the part that it is of.
#[derive(Debug)]
struct SurfaceTexels {
    whole: Made,
    part: Made,
}

/// All objects of a job, arguments in the order of the kernel's parameters, and what is to be
/// written afterwards.
#[derive(Debug, Default)]
pub struct Bound {
    objects: HashMap<usize, Object>,
    /// For each kernel parameter, the job parameters whose objects it gets.
    order: Vec<Assignment>,
    /// Bytes of the kernel parameters that have members.
    structures: HashMap<usize, Vec<u8>>,
    /// Texels of `.surfref`s, by the name in the job.
    surfaces: HashMap<String, SurfaceTexels>,
    /// Texels of `.texref`s, by the name in the job.
    textures: HashMap<String, Made>,
    /// Outputs in the order of the job.
    outputs: Vec<Pending>,
    /// What objects are to hold after the launch.
    expectations: Vec<Expectation>,
    /// Files that were read for the objects.
    inputs: Vec<PathBuf>,
    /// Remarks that do not stop the launch.
    pub warnings: Vec<String>,
    /// Names in the PTX of the parameters that `objects` are of.
    names: HashMap<usize, String>,
}

impl Bound {
    /// The launch's arguments. `None` if an object could not be made: the problems say why.
    pub fn args(&self) -> Option<Vec<Arg<'_>>> {
        let arg = |(slot, assignment): (usize, &Assignment)| {
            if let Some(bytes) = self.structures.get(&slot) {
                return Some(Arg::Bytes(bytes));
            }
            Some(self.objects.get(&assignment.whole?)?.arg())
        };
        self.order.iter().enumerate().map(arg).collect()
    }

    /// Whether a parameter is put together from members.
    pub fn has_structures(&self) -> bool {
        !self.structures.is_empty()
    }

    /// Textures of parameters, in the order of the job.
    pub fn textures(&self) -> Vec<(String, BoundTexture)> {
        self.named(|object| match object {
            Object::Texture { object, .. } => object.bound(),
            _ => None,
        })
    }

    /// Samplers of parameters, in the order of the job.
    pub fn samplers(&self) -> Vec<(String, Sampler)> {
        self.named(|object| match object {
            Object::Sampler(object) => object.state(),
            _ => None,
        })
    }

    /// Whether there is something to write after the launch.
    pub fn has_outputs(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// How many objects are looked at after the launch, by [`Self::differences`].
    pub fn expectations(&self) -> usize {
        self.expectations.len()
    }

    /// Objects that do not hold what the job expects, after the launch.
    pub fn differences(&self) -> Result<Vec<Problem>, Error> {
        let all: Result<Vec<_>, _> = self.expectations.iter().map(Expectation::problem).collect();
        Ok(all?.into_iter().flatten().collect())
    }

    /// Outputs in this folder that would take the place of a file that the job has read, or of one of
    /// these.
    pub fn overwriting(&self, folder: &Path, others: &[PathBuf]) -> Vec<Problem> {
        let inputs: Vec<&Path> = self.inputs.iter().chain(others).map(PathBuf::as_path).collect();
        output::overwriting(&self.outputs, folder, &inputs)
    }

    /// Writes all outputs below a folder; if one cannot be written, none is.
    pub fn write_outputs(&self, folder: &Path) -> Result<Vec<Written>, FileError> {
        let prepared: Result<Vec<_>, _> = self.outputs.iter().map(|o| o.prepare(folder)).collect();
        let commit = |(file, written): (Prepared, Written)| file.commit().map(|()| written);
        prepared?.into_iter().map(commit).collect()
    }

    fn named<T>(&self, state: impl Fn(&Object) -> Option<T>) -> Vec<(String, T)> {
        let mut objects: Vec<_> = self.objects.iter().collect();
        objects.sort_by_key(|(index, _)| **index);
        let name = |index| self.names.get(index).cloned().unwrap_or_default();
        objects.into_iter().filter_map(|(i, object)| Some((name(i), state(object)?))).collect()
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
    /// Files that were read.
    read: RefCell<Vec<PathBuf>>,
}

/// Makes the objects of a job.
pub fn bind(
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
    let read = RefCell::default();
    let mut binder = Binder { job, folder, device, module, params, problems, bound, read };
    binder.places();
    // Buffers first, which may lend their memory, then the texels of the job, then what shares
    // texels with another object. What has a place of its own comes before what takes any.
    for placed in [true, false] {
        binder.objects(|v| {
            !matches!(v, ParamValue::Texture(_) | ParamValue::Surface(_)) && is_placed(v) == placed
        });
    }
    for (shared, placed) in [(false, true), (false, false), (true, true), (true, false)] {
        binder.objects(|v| match v {
            ParamValue::Texture(spec) => spec.resource.source.is_shared() == shared,
            ParamValue::Surface(spec) => spec.resource.source.is_shared() == shared,
            _ => false,
        } && is_placed(v) == placed);
        if placed {
            continue;
        }
        binder.surface_references(shared);
        binder.texture_references(shared);
    }
    binder.structures();
    binder.sampler_references();
    binder.globals();
    binder.outputs();
    binder.expectations();
    binder.ends();
    binder.bound.inputs = binder.read.take();
    binder.bound
}

/// Whether an object has an address or a handle that the job gives.
fn is_placed(value: &ParamValue) -> bool {
    match value {
        ParamValue::Buffer(spec) => spec.is_placed(),
        ParamValue::Texture(spec) => spec.handle.is_some(),
        ParamValue::Surface(spec) => spec.handle.is_some(),
        ParamValue::Sampler(spec) => spec.value.handle.is_some(),
        ParamValue::Array(_) => true,
        ParamValue::Scalar(_) | ParamValue::Use(_) => false,
    }
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
        let param = &self.job.params[index];
        let given = match &param.value {
            ParamValue::Buffer(spec) => spec.place.name.as_ref(),
            ParamValue::Array(spec) => spec.name.as_ref(),
            _ => None,
        };
        let of_kernel = || {
            let slot = kernel_param(&param.name.value, &self.params);
            slot.filter(|_| !param.is_object).map(|i| self.params[i].name.clone())
        };
        given.cloned().or_else(of_kernel).unwrap_or_else(|| param.name.value.clone())
    }

    fn objects(&mut self, which: impl Fn(&ParamValue) -> bool) {
        for index in 0..self.job.params.len() {
            let value = &self.job.params[index].value;
            if which(value)
                && !self.is_in_vain(value)
                && let Some(object) = self.check(self.object(index, value))
                && let Some(object) = object
            {
                self.bound.objects.insert(index, object);
                self.bound.names.insert(index, self.object_name(index));
            }
        }
    }

    fn is_in_vain(&self, value: &ParamValue) -> bool {
        match value {
            ParamValue::Texture(spec) => self.waits_in_vain(&spec.resource),
            ParamValue::Surface(spec) => self.waits_in_vain(&spec.resource),
            _ => false,
        }
    }

    fn object(&self, index: usize, value: &ParamValue) -> Result<Option<Object>, Problem> {
        let name = self.object_name(index);
        Ok(Some(match value {
            ParamValue::Buffer(spec) => Object::Buffer(self.buffer(spec, &name)?),
            ParamValue::Surface(spec) => {
                let whole = self.resource(&spec.resource, &spec.at, &name, "surface")?;
                let part = Self::surface_part(spec, &whole)?;
                let surface = part.surface().ok_or_else(|| no_level(&spec.at))?;
                let object = match spec.handle {
                    Some(handle) => self.device.create_surface_at(handle, surface),
                    None => self.device.create_surface(surface),
                };
                let object = object.map_err(refused(&spec.at))?;
                Object::Surface { whole, part, object }
            }
            ParamValue::Texture(spec) => {
                let whole = self.resource(&spec.resource, &spec.at, &name, "texture")?;
                let initial = TextureDescriptor::default();
                let descriptor = state::descriptor(spec, whole.format(), &initial);
                let part = whole.part(&spec.part)?;
                let object = match spec.handle {
                    Some(handle) => {
                        self.device.create_texture_at(handle, &part.texture(), &descriptor)
                    }
                    None => self.device.create_texture(&part.texture(), &descriptor),
                };
                Object::Texture { object: object.map_err(refused(&spec.at))?, whole }
            }
            ParamValue::Sampler(spec) => {
                let state = state::sampler(&spec.value, &Sampler::default());
                let sampler = match spec.value.handle {
                    Some(handle) => self.device.create_sampler_at(handle, &state),
                    None => self.device.create_sampler(&state),
                };
                Object::Sampler(sampler.map_err(refused(spec))?)
            }
            ParamValue::Array(spec) => {
                let made = self.resource(&spec.resource, &spec.at, &name, "array")?;
                if !matches!(made, Made::Array(_) | Made::Mipmapped(_)) {
                    let message = "an array has the layout \"array\"";
                    return Err(Problem::new(codes::CONFLICT, spec.at.at(), message));
                }
                Object::Array(made)
            }
            ParamValue::Scalar(scalar) => Object::Bytes(scalar.value.bytes.clone()),
            ParamValue::Use(_) => return Ok(None),
        }))
    }

    /// Texels for the module's `.surfref`s; those that share them, or those that do not.
    fn surface_references(&mut self, shared: bool) {
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

    /// Whether a launch of a program had the reference at a place that the job names: whatever the driver has taken
    /// then is taken now.
    fn is_recorded(&self, name: &At<String>) -> bool {
        self.job.places.iter().any(|(other, _)| other.value == name.value)
    }

    /// Places of variables that the module does not have.
    fn places(&self) {
        let mut known = self.module.globals();
        known.extend(self.module.opaque_variables().into_iter().map(|variable| variable.name));
        for (name, _) in &self.job.places {
            if !known.contains(&name.value) {
                let message = format!("the module has no variable `{}`", name.value);
                let problem = Problem::new(codes::NAME, name.at(), message);
                self.push(problem.suggest(&name.value, &known));
            }
        }
        let handles = self.job.textures.iter().map(|(name, spec)| (name, spec.handle));
        let handles = handles.chain(self.job.surfaces.iter().map(|(n, spec, _)| (n, spec.handle)));
        let handles = handles.chain(self.job.samplers.iter().map(|(n, spec)| (n, spec.handle)));
        for (name, _) in handles.filter(|(_, handle)| handle.is_some()) {
            let message = format!("the handle of `{}` is that of a variable", name.value);
            let problem = Problem::new(codes::CONFLICT, name.at(), message);
            self.push(problem.help("`[places]` says what it is"));
        }
    }

    fn texture_references(&mut self, shared: bool) {
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

    fn sampler_references(&mut self) {
        let variables = self.module.opaque_variables();
        for (name, spec) in &self.job.samplers {
            let initial =
                variables.iter().find(|v| v.name == name.value).map(|v| v.initial.sampler);
            let state = state::sampler(spec, &initial.unwrap_or_default());
            let bound = self.module.bind_sampler(&name.value, &state);
            self.check(bound.map_err(|e| self.unknown(name, &name.with(()), e)));
        }
    }

    /// A name that the module does not have, with those that it has; what else the device says
    /// is a matter of the table.
    fn unknown(&self, name: &At<String>, at: &At<()>, error: texunit_device::Error) -> Problem {
        let texunit_device::Error::Unknown { kind, .. } = &error else {
            return refused(at)(error);
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
                self.check(self.initialize(&variable, data, global.parts.as_ref()));
            }
            for output in &global.outputs {
                let source = Source::Global(variable.clone());
                if let Some(p) = self.check(Pending::new(&global.name.value, source, output)) {
                    self.bound.outputs.push(p);
                }
            }
        }
    }
}

/// A surface is of one level; `surface_part` leaves no other.
fn no_level(at: &At<()>) -> Problem {
    Problem::new(
        codes::MISSING_KEY,
        at.at(),
        "a surface of an array with mip levels needs a `level`",
    )
}
