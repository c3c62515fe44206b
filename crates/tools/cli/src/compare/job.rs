//! Compares a job: its kernel runs on the GPU and on texunit from the same memory, and all memory
//! that it may have written is compared. A program of tests/programs is a job for each form that it
//! was compiled to.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use texunit_device::{Arg, BadFetch, Device, DeviceOptions, Kernel, LaunchOptions, Module};
use texunit_forms::Count;
use texunit_gpu::compare::{Compared, Difference, NO_CARD, Outcome};
use texunit_gpu::{Buffer, CardObject, CardResource, GpuError, LaunchShape, Runner, Uses};
use texunit_job::load::{self, read_job, read_ptx};
use texunit_job::{Bound, Job, Problem, Problems, bind};
use texunit_unit::Resource;
use toml::{Table, Value};

/// The GPU's results in a buffer, an array or a surface.
pub(super) struct Left {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) differs: bool,
}

/// The PTX files of a program, each of which makes a job; `None` stands for a job file.
pub(super) fn forms(path: &Path) -> Vec<Option<String>> {
    let table = std::fs::read_to_string(path).ok().and_then(|text| text.parse::<Table>().ok());
    let forms = table.as_ref().and_then(|table| table.get("ptx")?.as_array());
    let text = |form: &Value| form.as_str().map(str::to_owned);
    forms.map_or_else(|| vec![None], |forms| forms.iter().map(text).collect())
}

/// Runs a job on texunit and, if there is one, on the GPU.
pub(super) fn compare(
    runner: Option<&Runner>,
    path: &Path,
    form: Option<&str>,
) -> (Compared, Vec<Left>) {
    let (outcome, left) = run(runner, path, form).unwrap_or_else(|outcome| (outcome, Vec::new()));
    let (file, name) = (path.display().to_string(), form.unwrap_or("job").to_owned());
    (Compared { file, name, rules: vec!["job".to_owned()], outcome }, left)
}

/// Reads a job; returns its first problem as well.
fn read(path: &Path, form: Option<&str>) -> Result<(Option<Job>, Option<Problem>), Outcome> {
    let Some(form) = form else {
        let file = read_job(path).map_err(|unreadable| failed(unreadable.message))?;
        return Ok((file.job, file.problems.into_iter().next()));
    };
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let mut table = text.parse::<Table>().map_err(failed)?;
    table.insert("ptx".to_owned(), form.into());
    // A program's expectations are not a job's key; its own test compares them.
    table.remove("expect");
    table.remove("expect_printf");
    let problems = Problems::default();
    let job = texunit_job::parse(&toml::to_string(&table).map_err(failed)?, &problems);
    Ok((job, problems.take().into_iter().next()))
}

fn failed(reason: impl std::fmt::Display) -> Outcome {
    Outcome::Failed { reason: reason.to_string() }
}

fn skipped(reason: &str) -> Outcome {
    Outcome::Skipped { reason: reason.to_owned() }
}

fn card(error: GpuError) -> Outcome {
    match error {
        GpuError::NotExpressible(reason) => Outcome::Skipped { reason },
        error => failed(error),
    }
}

fn run(
    runner: Option<&Runner>,
    path: &Path,
    form: Option<&str>,
) -> Result<(Outcome, Vec<Left>), Outcome> {
    let (job, first) = read(path, form)?;
    let first = first.as_ref();
    let job = job.ok_or_else(|| failed(first.map_or("it cannot be read", message)))?;
    if job.params.iter().any(|param| param.is_reference()) {
        return Err(skipped(
            "the module's own texture, sampler and surface references are not bound on the card",
        ));
    }
    if !job.globals.is_empty() {
        return Err(skipped("the module's variables are not set on the card"));
    }
    if job.params.iter().any(|param| param.table == "objects") || !job.places.is_empty() {
        return Err(skipped(
            "the card hands out addresses and handles of its own, and a recorded launch has others",
        ));
    }
    let device = Device::new(&DeviceOptions::default());
    let folder = path.parent().unwrap_or(Path::new(""));
    // A problem of the job takes precedence over its consequences.
    let or_first = |reason: &str| failed(first.map_or(reason, message));
    let (name, text) = read_ptx(&job, folder).map_err(|problem| or_first(message(&problem)))?;
    let module = Module::load(&device, &name, &text).map_err(|error| {
        or_first(error.diagnostics.first().map_or("it cannot be read", |d| &d.message))
    })?;
    let kernel = load::kernel(&job, &module);
    let kernel = kernel.map_err(|_| failed("the PTX has no such kernel"))?;
    let problems = Problems::default();
    let bound = bind(&job, folder, &device, &kernel, &problems);
    if let Some(problem) = problems.take().first() {
        return Err(failed(message(problem)));
    }
    if runner.is_some_and(|runner| is_newer(&text, runner.gpu().capability())) {
        return Err(skipped("the PTX is for newer cards"));
    }
    launch_both(runner, &job, &kernel, &bound)
}

/// Whether the PTX's target exceeds a compute capability.
fn is_newer(ptx: &str, (major, minor): (u32, u32)) -> bool {
    let target = ptx.lines().find_map(|line| line.trim().strip_prefix(".target sm_"));
    let number =
        target.and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok());
    number.is_some_and(|number: u32| number > 10 * major + minor)
}

fn message(problem: &Problem) -> &str {
    &problem.message
}

/// The GPU copies of texunit's memory.
struct Mirror<'a> {
    /// Buffers by parameter.
    buffers: BTreeMap<usize, (&'a texunit_device::Buffer, Buffer)>,
    /// Arrays, once each even if several textures and surfaces refer to them.
    resources: Vec<(Arc<Resource>, CardResource)>,
}

/// The texels that a parameter reads or writes.
fn resource_of(arg: &Arg<'_>) -> Option<Arc<Resource>> {
    match arg {
        Arg::Texture(object) => Some(Arc::clone(&object.bound()?.texture.resource)),
        Arg::Surface(object) => Some(Arc::clone(&object.bound()?.resource)),
        _ => None,
    }
}

fn same_memory(a: &Resource, b: &Resource) -> bool {
    Arc::ptr_eq(a.block(), b.block())
}

impl<'a> Mirror<'a> {
    fn new(runner: &Runner, args: &[Arg<'a>]) -> Result<Self, Outcome> {
        let mut buffers: BTreeMap<usize, (&texunit_device::Buffer, Buffer)> = BTreeMap::new();
        for (index, arg) in args.iter().enumerate() {
            if let Arg::Buffer(buffer) = arg {
                let made = runner.gpu().buffer(&buffer.read()).map_err(card)?;
                buffers.insert(index, (*buffer, made));
            }
        }
        let mut resources: Vec<(Arc<Resource>, CardResource)> = Vec::new();
        for resource in args.iter().filter_map(resource_of) {
            if let Some((other, _)) = resources.iter().find(|(r, _)| same_memory(r, &resource)) {
                if other.shape() == resource.shape() {
                    continue;
                }
                return Err(skipped("views of one array are not made on the card"));
            }
            if buffers.values().any(|(b, _)| b.holds(&resource)) {
                return Err(skipped(
                    "textures of a buffer that is a parameter too are not made on the card",
                ));
            }
            let uses = Uses {
                gather: false,
                surface: args.iter().any(|a| {
                    matches!(a, Arg::Surface(_))
                        && resource_of(a).is_some_and(|r| same_memory(&r, &resource))
                }),
            };
            let made = CardResource::new(runner.gpu(), &resource, uses).map_err(card)?;
            resources.push((resource, made));
        }
        Ok(Self { buffers, resources })
    }

    fn card_resource(&self, of: &Resource) -> Option<&CardResource> {
        self.resources.iter().find(|(r, _)| same_memory(r, of)).map(|(_, made)| made)
    }

    /// The differences between texunit's memory and the GPU's.
    fn differences(&self) -> Result<(Vec<Left>, Vec<Difference>), Outcome> {
        let (mut left, mut found) = (Vec::new(), Vec::new());
        let mut compare = |name: &str, ours: &[u8], theirs: Vec<u8>| {
            let first = ours.iter().zip(&theirs).position(|(a, b)| a != b);
            let index = left.len();
            left.push(Left { name: name.to_owned(), bytes: theirs, differs: first.is_some() });
            let (Some(at), theirs) = (first, &left[index].bytes) else { return };
            let different = ours.iter().zip(theirs).filter(|(a, b)| a != b).count();
            let around = |bytes: &[u8]| {
                bytes[at..].iter().take(16).map(|b| format!("{b:02x}")).collect::<String>()
            };
            found.push(Difference {
                index,
                operands: format!("{name}: {}, the first at {at}", Count(different, "byte")),
                reference: around(ours),
                card: around(theirs),
            });
        };
        for (ours, theirs) in self.buffers.values() {
            compare(ours.name(), &ours.read(), theirs.read().map_err(card)?);
        }
        for (ours, theirs) in &self.resources {
            compare(ours.name(), &ours.to_packed(), theirs.read().map_err(card)?);
        }
        Ok((left, found))
    }
}

fn launch_both(
    runner: Option<&Runner>,
    job: &Job,
    kernel: &Kernel,
    bound: &Bound,
) -> Result<(Outcome, Vec<Left>), Outcome> {
    let args = bound.args().ok_or_else(|| failed("an object could not be made"))?;
    if job.cooperative {
        return Err(skipped("cooperative launches are not made on the card"));
    }
    if job.cluster.is_some() {
        return Err(skipped("launches with clusters are not made on the card"));
    }
    if bound.has_structures() {
        return Err(skipped("parameters with members are not made on the card"));
    }
    let shape = LaunchShape {
        grid: job.grid.value,
        block: job.block.value,
        shared: job.dynamic_shared.as_ref().map_or(0, |d| d.value),
    };
    // As on the GPU, fetches without a matching texture read zeros.
    let options = LaunchOptions::new(shape.grid, shape.block)
        .with_dynamic_shared(shape.shared)
        .with_bad_fetch(BadFetch::Zero);
    let Some(runner) = runner else {
        kernel.launch(&options, &args).map_err(failed)?;
        return Err(skipped(NO_CARD));
    };
    let mirror = Mirror::new(runner, &args)?;
    let mut objects = Vec::new();
    let mut bytes = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        bytes.push(match arg {
            Arg::Buffer(_) => mirror.buffers[&index].1.address().to_le_bytes().to_vec(),
            Arg::Sampler(_) => return Err(skipped("CUDA has no sampler objects")),
            Arg::Texture(object) => {
                let bound = object.bound().ok_or_else(|| failed("a texture is missing"))?;
                let resource = mirror.card_resource(&bound.texture.resource);
                let resource = resource.ok_or_else(|| failed("a texture has no texels"))?;
                let made = CardObject::texture(resource, &bound.texture, &bound.sampler);
                let made = made.map_err(card)?;
                let handle = made.handle().to_le_bytes().to_vec();
                objects.push(made);
                handle
            }
            Arg::Surface(object) => {
                let bound = object.bound().ok_or_else(|| failed("a surface is missing"))?;
                let resource = mirror.card_resource(&bound.resource);
                let resource = resource.ok_or_else(|| failed("a surface has no texels"))?;
                let made = CardObject::surface(resource).map_err(card)?;
                let handle = made.handle().to_le_bytes().to_vec();
                objects.push(made);
                handle
            }
            other => other.bytes(),
        });
    }
    kernel.launch(&options, &args).map_err(failed)?;
    let module = runner.gpu().module(kernel.module().source().text()).map_err(card)?;
    module.launch(kernel.name(), shape, &bytes).map_err(card)?;
    let (left, first) = mirror.differences()?;
    let count = left.len();
    let outcome = match first.len() {
        0 => Outcome::Equal { count },
        differing => Outcome::Differs { count, differing, first },
    };
    Ok((outcome, left))
}
