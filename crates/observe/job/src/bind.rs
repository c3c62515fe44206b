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
use crate::spec::{Job, Param, ParamValue};
use crate::texel_resource::TexelResource;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use texunit_device::{
    Arg, BoundTexture, Buffer, Device, Error, Kernel, Module, ParamInfo, Sampler, SamplerObject,
    SurfaceObject, TextureObject,
};
use texunit_files::{CommandFiles, FileError, Prepared};
use texunit_spec::Problems;

pub use contents::{Content, Output, WrongObject};
use match_params::{Assignment, kernel_param, match_params};

/// The object that was created for a parameter of the job.
#[derive(Debug)]
enum Object {
    Buffer(Buffer),
    Surface {
        texels: BoundTexels,
        object: SurfaceObject,
    },
    Texture {
        texels: BoundTexels,
        object: TextureObject,
    },
    Sampler(SamplerObject),
    /// The texels of a `.surfref` or `.texref`.
    Reference(BoundTexels),
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
            // `match_params` rejects arrays as parameters, and a reference is no parameter but a
            // variable of the module.
            Object::Array(_) | Object::Reference(_) => Arg::Bytes(&[]),
        }
    }

    /// The texels of a texture or surface.
    fn texels(&self) -> Option<&BoundTexels> {
        match self {
            Object::Surface { texels, .. } | Object::Texture { texels, .. } => Some(texels),
            Object::Reference(texels) => Some(texels),
            _ => None,
        }
    }
}

/// The texels of a texture or surface, and the level and layer that it refers to.
#[derive(Debug)]
struct BoundTexels {
    whole: TexelResource,
    part: TexelResource,
}

/// The result of binding: objects, arguments in the order of the kernel's parameters, and outputs
/// to be written after the launch.
#[derive(Debug, Default)]
pub struct Bound {
    /// The created objects, by index in the job.
    objects: BTreeMap<usize, Object>,
    /// For each kernel parameter, the job parameters whose objects it gets.
    order: Vec<Assignment>,
    /// The bytes of kernel parameters with members.
    structures: HashMap<usize, Vec<u8>>,
    /// Outputs in the order of the job.
    outputs: Vec<Pending>,
    /// The expected contents of objects after the launch.
    expectations: Vec<Expectation>,
    /// The files that were read.
    inputs: Vec<PathBuf>,
    /// Warnings, which do not prevent the launch.
    pub warnings: Vec<String>,
    /// The names of the job's parameters in messages; a kernel parameter has its PTX name.
    names: Vec<String>,
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

    /// Textures that kernel parameters get, with the parameters' names, in the order of the job.
    pub fn textures(&self) -> Vec<(String, BoundTexture)> {
        self.named(|object| match object {
            Object::Texture { object, .. } => object.bound(),
            _ => None,
        })
    }

    /// Samplers that kernel parameters get, with the parameters' names, in the order of the job.
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
        let objects = self.objects.iter();
        objects.filter_map(|(&i, object)| Some((self.names[i].clone(), state(object)?))).collect()
    }
}

/// The state that the functions of binding share.
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
    let names = job.params.iter().map(|param| object_name(param, &params)).collect();
    let bound = Bound { order: matching, names, ..Bound::default() };
    let read = RefCell::default();
    let mut binder = Binder { job, folder, device, module, params, problems, bound, read };
    binder.places();
    // Order of creation: buffers, whose memory textures may use; texels of the job; objects that
    // share texels. Within each group, objects with a fixed address or handle come first, so that
    // no other object has taken the address or handle.
    for placed in [true, false] {
        binder.objects(|v| {
            !matches!(v, ParamValue::Texture(_) | ParamValue::Surface(_)) && is_placed(v) == placed
        });
    }
    for (shared, placed) in [(false, true), (false, false), (true, true), (true, false)] {
        let shares = |v: &ParamValue| v.resource().is_some_and(|r| r.source.is_shared() == shared);
        binder.objects(|v| {
            matches!(v, ParamValue::Texture(_) | ParamValue::Surface(_))
                && shares(v)
                && is_placed(v) == placed
        });
    }
    binder.structures();
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

/// The name of a parameter's object in messages: the parameter's name in the PTX.
fn object_name(param: &Param, params: &[ParamInfo]) -> String {
    let given = match &param.value {
        ParamValue::Buffer(spec) => spec.place.name.as_ref(),
        ParamValue::Array(spec) => spec.name.as_ref(),
        _ => None,
    };
    let of_kernel = || {
        let slot = kernel_param(&param.name.value, params);
        slot.filter(|_| param.table == "params").map(|i| params[i].name.clone())
    };
    given.cloned().or_else(of_kernel).unwrap_or_else(|| param.name.value.clone())
}

impl Binder<'_> {
    fn push(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// Unwraps a result, and reports its problem.
    fn check<T>(&self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.push(problem)).ok()
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
