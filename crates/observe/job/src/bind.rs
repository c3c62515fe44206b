//! Binding: creates the objects of a job on a device, and the arguments of the kernel.
//!
//! All errors are found before the launch, including those of outputs, and all of them are
//! reported.

mod container;
mod contents;
mod match_params;
mod memory;
mod objects;
mod outputs;
mod resource;
mod texels;

use crate::expect::Expectation;
use crate::output::{Pending, Written};
use crate::problem::{Problem, codes};
use crate::spec::{Job, ParamValue};
use crate::texel_resource::TexelResource;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use texunit_device::{
    Arg, BoundTexture, Buffer, Device, Error, Kernel, Module, ParamInfo, Sampler, SamplerObject,
    SurfaceObject, TextureObject,
};
use texunit_files::{CommandFiles, FileError, Prepared};
use texunit_forms::sort_by_key;
use texunit_spec::Problems;

pub use contents::{Content, Output, WrongObject};
use match_params::{Assignment, kernel_param, match_params};

/// The object of a parameter.
#[derive(Debug)]
enum Object {
    Buffer(Buffer),
    Surface { texels: BoundTexels, object: SurfaceObject },
    Texture { texels: BoundTexels, object: TextureObject },
    Sampler(SamplerObject),
    Array(TexelResource),
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
            // `match_params` rejects arrays as parameters.
            Object::Array(_) => Arg::Bytes(&[]),
        }
    }
}

/// The texels of a texture or surface, and the part that it refers to.
#[derive(Debug)]
struct BoundTexels {
    whole: TexelResource,
    part: TexelResource,
}

/// The result of binding: objects, arguments in the order of the kernel's parameters, and outputs
/// to be written after the launch.
#[derive(Debug, Default)]
pub struct Bound {
    objects: HashMap<usize, Object>,
    /// For each kernel parameter, the job parameters whose objects it gets.
    order: Vec<Assignment>,
    /// The bytes of kernel parameters with members.
    structures: HashMap<usize, Vec<u8>>,
    /// The texels of `.surfref`s and `.texref`s, by index in the job.
    references: HashMap<usize, BoundTexels>,
    /// Outputs in the order of the job.
    outputs: Vec<Pending>,
    /// The expected contents of objects after the launch.
    expectations: Vec<Expectation>,
    /// The files that were read.
    inputs: Vec<PathBuf>,
    /// Warnings, which do not prevent the launch.
    pub warnings: Vec<String>,
    /// For each object, the name of its kernel parameter in the PTX.
    names: HashMap<usize, String>,
}

impl Bound {
    /// The kernel's arguments; `None` if an object could not be created and a problem is reported.
    pub fn args(&self) -> Option<Vec<Arg<'_>>> {
        let arg = |(slot, assignment): (usize, &Assignment)| {
            if let Some(bytes) = self.structures.get(&slot) {
                return Some(Arg::Bytes(bytes));
            }
            Some(self.objects.get(&assignment.whole?)?.arg())
        };
        self.order.iter().enumerate().map(arg).collect()
    }

    /// Whether any parameter is built from members.
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

    /// Whether there are outputs.
    pub fn has_outputs(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// Number of objects that [`Self::differences`] compares.
    pub fn expectations(&self) -> usize {
        self.expectations.len()
    }

    /// The objects that differ from the job's expectations after the launch.
    pub fn differences(&self) -> Result<Vec<Problem>, Error> {
        let all: Result<Vec<_>, _> = self.expectations.iter().map(Expectation::problem).collect();
        Ok(all?.into_iter().flatten().collect())
    }

    /// Registers the input files, and the outputs if there is a folder for them, in order to detect
    /// conflicts. Returns the number of outputs.
    pub fn places(&self, folder: Option<&Path>, places: &mut CommandFiles) -> usize {
        self.inputs.iter().for_each(|path| places.reads("the job reads", path));
        let Some(folder) = folder else { return 0 };
        for output in &self.outputs {
            places.writes(format!("output `{}`", output.param), &folder.join(&output.file));
        }
        self.outputs.len()
    }

    /// The problem of an output (by index) that has the same path as another file.
    pub fn conflict(&self, output: usize, message: &str) -> Option<Problem> {
        let problem = Problem::new(codes::CONFLICT, self.outputs.get(output)?.at.at(), message);
        Some(problem.help("name another file, or another folder with --out"))
    }

    /// Writes all outputs below a folder, or none if one of them cannot be written.
    pub fn write_outputs(&self, folder: &Path) -> Result<Vec<Written>, FileError> {
        let prepared: Result<Vec<_>, _> = self.outputs.iter().map(|o| o.prepare(folder)).collect();
        let commit = |(file, written): (Prepared, Written)| file.commit().map(|()| written);
        prepared?.into_iter().map(commit).collect()
    }

    fn named<T>(&self, state: impl Fn(&Object) -> Option<T>) -> Vec<(String, T)> {
        let mut objects: Vec<_> = self.objects.iter().collect();
        sort_by_key(&mut objects, |(index, _)| **index);
        let name = |index| self.names.get(index).cloned().unwrap_or_default();
        objects.into_iter().filter_map(|(i, object)| Some((name(i), state(object)?))).collect()
    }
}

/// The state that the functions of this module share.
struct Binder<'a> {
    job: &'a Job,
    /// The folder of the job file.
    folder: &'a Path,
    device: &'a Device,
    module: &'a Module,
    params: Vec<ParamInfo>,
    problems: &'a Problems,
    bound: Bound,
    /// Paths of the files that were read for the job.
    read: RefCell<Vec<PathBuf>>,
}

/// Creates the objects of a job.
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
    // Order of creation: buffers, whose memory textures may use; texels of the job; objects that
    // share texels. Within each group, objects with a fixed address or handle come first, so that
    // these are free.
    for placed in [true, false] {
        binder.objects(|v| {
            !matches!(v, ParamValue::Texture(_) | ParamValue::Surface(_)) && is_placed(v) == placed
        });
    }
    for (shared, placed) in [(false, true), (false, false), (true, true), (true, false)] {
        let shares = |v: &ParamValue| v.resource().is_some_and(|r| r.source.is_shared() == shared);
        let is_surface = |v: &ParamValue| matches!(v, ParamValue::Surface(_)) && shares(v);
        let is_texture = |v: &ParamValue| matches!(v, ParamValue::Texture(_)) && shares(v);
        binder.objects(|v| (is_surface(v) || is_texture(v)) && is_placed(v) == placed);
        if !placed {
            binder.references(is_surface);
            binder.references(is_texture);
        }
    }
    binder.structures();
    binder.references(|v| matches!(v, ParamValue::Sampler(_)));
    binder.globals();
    binder.outputs();
    binder.expectations();
    binder.ends();
    binder.bound.inputs = binder.read.take();
    binder.bound
}

/// Whether the job fixes an object's address or handle.
fn is_placed(value: &ParamValue) -> bool {
    match value {
        ParamValue::Buffer(spec) => spec.place.address.is_some(),
        ParamValue::Array(_) => true,
        other => other.handle().is_some(),
    }
}

impl Binder<'_> {
    fn push(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// Unwraps a result, and reports its problem.
    fn check<T>(&self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.push(problem)).ok()
    }

    /// The name of a parameter's object in messages: the parameter's name in the PTX.
    fn object_name(&self, index: usize) -> String {
        let param = &self.job.params[index];
        let given = match &param.value {
            ParamValue::Buffer(spec) => spec.place.name.as_ref(),
            ParamValue::Array(spec) => spec.name.as_ref(),
            _ => None,
        };
        let of_kernel = || {
            let slot = kernel_param(&param.name.value, &self.params);
            slot.filter(|_| param.table == "params").map(|i| self.params[i].name.clone())
        };
        given.cloned().or_else(of_kernel).unwrap_or_else(|| param.name.value.clone())
    }

    /// Initialises the module's variables.
    fn globals(&self) {
        for global in &self.job.globals {
            let Some(variable) = self.module.global(&global.name.value) else {
                let message = format!("the module has no variable `{}`", global.name.value);
                let problem = global.name.problem(codes::NAME, message);
                self.push(problem.suggest(&global.name.value, &self.module.globals()));
                continue;
            };
            if let Some(data) = &global.data {
                self.check(self.initialize(&variable, data, global.parts.as_ref()));
            }
        }
    }
}
