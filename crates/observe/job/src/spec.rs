//! The parsed form of job files, and the parser. docs/jobs.md describes all keys.
//!
//! This module reads neither other files nor the module; [`crate::bind()`] does.

mod memory;
mod object;
mod recorded;
mod resource;

pub use memory::{BufferSpec, Data, OutputSpec, PartSpec, Parts, PlaceSpec};
pub use object::{IndependentSampler, SurfaceSpec, TextureSpec};
pub use recorded::{ExpectedSpec, Settings};
pub use resource::{ArraySpec, ResourceSpec, TexelSource};

use crate::problem::{Problem, codes};
use crate::syntax;
use std::cell::RefCell;
use std::path::PathBuf;
use texunit_spec::number::{self, Scalar};
use texunit_spec::{At, Context, Problems, Table, TomlValue};
use toml::de::DeTable;

/// A job as its file describes it.
#[derive(Clone, Debug)]
pub struct Job {
    /// The PTX file, as written.
    pub ptx: At<PathBuf>,
    /// The kernel's name.
    pub kernel: At<String>,
    /// Number of CTAs along x, y, z.
    pub grid: At<[u32; 3]>,
    /// Number of threads of a CTA along x, y, z.
    pub block: At<[u32; 3]>,
    /// Size of dynamic shared memory in bytes.
    pub dynamic_shared: Option<At<u32>>,
    /// Whether the launch is cooperative, with all CTAs resident.
    pub cooperative: bool,
    /// Number of CTAs in a cluster along x, y, z.
    pub cluster: Option<At<[u32; 3]>>,
    /// The launch options that have no field here.
    pub settings: Settings,
    /// Fixed addresses and handles of the module's variables, by name.
    pub places: Vec<(At<String>, At<u64>)>,
    /// Kernel parameters by name or number; entries of `[objects]` by name; and what is bound to
    /// the module's `.texref`, `.samplerref` and `.surfref` variables ([`Param::is_reference`]).
    pub params: Vec<Param>,
    /// Parameters with invalid tables, which are not in `params`.
    pub unread: Vec<String>,
    /// Settings of the module's variables.
    pub globals: Vec<Global>,
    /// Deprecated keys and words.
    pub notes: Vec<Problem>,
}

/// The value of a kernel parameter, of a variable that refers to a texture, sampler or surface, or
/// an entry of `[objects]`: an object that parameters, other objects and the kernel can refer to.
#[derive(Clone, Debug)]
pub struct Param {
    /// Name or number, as written.
    pub name: At<String>,
    /// The value of the parameter.
    pub value: ParamValue,
    /// Outputs to be written after the launch.
    pub outputs: Vec<At<OutputSpec>>,
    /// The expected contents of the parameter's object after the launch.
    pub expected: Option<At<ExpectedSpec>>,
    /// The table of the job that has the value: `params`, `objects`, `textures`, `samplers` or
    /// `surfaces`.
    pub table: &'static str,
}

impl Param {
    /// Whether the value is bound to a variable of the module that refers to a texture, sampler or
    /// surface.
    pub fn is_reference(&self) -> bool {
        !matches!(self.table, "params" | "objects")
    }
}

/// The kinds of values.
#[derive(Clone, Debug)]
pub enum ParamValue {
    /// A texture object.
    Texture(TextureSpec),
    /// A surface object.
    Surface(SurfaceSpec),
    /// The address of a buffer.
    Buffer(BufferSpec),
    /// A sampler that is separate from textures.
    Sampler(At<IndependentSampler>),
    /// Texels that textures and surfaces refer to.
    Array(ArraySpec),
    /// A number or a structure.
    Scalar(At<Scalar>),
    /// The object of another parameter, by that parameter's name.
    Use(At<String>),
}

impl ParamValue {
    /// The specified handle of a texture, surface or sampler.
    pub(crate) fn handle(&self) -> Option<u64> {
        match self {
            ParamValue::Texture(spec) => spec.handle,
            ParamValue::Surface(spec) => spec.handle,
            ParamValue::Sampler(spec) => spec.value.handle,
            _ => None,
        }
    }

    /// The texels of a texture, surface or array.
    pub(crate) fn resource(&self) -> Option<&ResourceSpec> {
        match self {
            ParamValue::Texture(spec) => Some(&spec.resource),
            ParamValue::Surface(spec) => Some(&spec.resource),
            ParamValue::Array(spec) => Some(&spec.resource),
            _ => None,
        }
    }

    /// The name of the kind of value in messages.
    pub fn what(&self) -> String {
        match self {
            ParamValue::Texture(_) => "a texture".into(),
            ParamValue::Surface(_) => "a surface".into(),
            ParamValue::Buffer(_) => "a buffer".into(),
            ParamValue::Sampler(_) => "a sampler".into(),
            ParamValue::Array(_) => "an array".into(),
            ParamValue::Scalar(s) => s.value.what(),
            ParamValue::Use(name) => format!("the object of `{}`", name.value),
        }
    }
}

/// A `.global` or `.const` variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// The variable's name.
    pub name: At<String>,
    /// The initial contents, instead of the module's initialiser.
    pub data: Option<At<Data>>,
    /// Offsets and lengths of the bytes that `data` fills; `None` if it begins at offset 0.
    pub parts: Option<At<Parts>>,
    /// Outputs to be written after the launch.
    pub outputs: Vec<At<OutputSpec>>,
    /// The variable's expected contents after the launch.
    pub expected: Option<At<ExpectedSpec>>,
}

/// Parses a job. `None` if the text is not TOML or lacks a required key, with problems that say so.
/// A parsed job may have problems too.
pub fn parse(text: &str, problems: &Problems) -> Option<Job> {
    if text.trim().is_empty() {
        problems.borrow_mut().push(
            Problem::new(codes::SYNTAX, ("", 0..0), "the job file is empty")
                .help("a job needs at least the keys `ptx`, `kernel`, `grid` and `block`"),
        );
        return None;
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        problems.borrow_mut().extend(syntax::mistakes(text, &errors));
        return None;
    }
    let context = Context::default();
    let job = job(&Table::root(table.get_ref(), &context));
    problems.borrow_mut().append(&mut context.problems.borrow_mut());
    Some(Job { notes: context.take_notes(), ..job? })
}

/// Parses the root table.
fn job(root: &Table<'_>) -> Option<Job> {
    let ptx = root.need("ptx", "the PTX file").and_then(|v| v.string("a file name"));
    let kernel = root.need("kernel", "the name of the kernel").and_then(|v| v.string("a name"));
    let grid = root.need("grid", "the number of CTAs").and_then(|v| shape(&v, MAX_CTAS));
    let block = root.need("block", "the threads of a CTA").and_then(|v| shape(&v, MAX_THREADS));
    let dynamic_shared = root.get("dynamic_shared").and_then(|v| Some(v.at(v.small(0)?)));
    let cooperative = root.get("cooperative").and_then(|v| v.boolean()).unwrap_or(false);
    let cluster = root.get("cluster").and_then(|v| shape(&v, MAX_CLUSTER));
    let settings = recorded::settings(root);
    let places = named(root, "places", |name, v| Some((name, memory::address(v)?)));
    let unread = RefCell::new(Vec::new());
    let read = |table: &'static str| {
        named(root, table, |name, v| {
            let key = name.value.clone();
            let read = param(name, v, table);
            if read.is_none() {
                unread.borrow_mut().push(key);
            }
            read
        })
    };
    let mut params = read("params");
    for object in read("objects") {
        if params.iter().any(|p| p.name.value == object.name.value) {
            let message = format!("`{}` is the name of a parameter too", object.name.value);
            root.report(object.name.problem(codes::CONFLICT, message));
            continue;
        }
        params.push(object);
    }
    for table in ["textures", "samplers", "surfaces"] {
        params.extend(named(root, table, |name, v| reference(name, v, table)));
    }
    let globals = named(root, "globals", global);
    root.finish();
    let ptx = ptx?;
    Some(Job {
        ptx: ptx.with(PathBuf::from(&ptx.value)),
        kernel: kernel?,
        grid: grid?,
        block: block?,
        dynamic_shared,
        cooperative,
        cluster,
        settings,
        places,
        params,
        unread: unread.take(),
        globals,
        notes: Vec::new(),
    })
}

/// Reads the table `key` of the job, whose keys are names; omits entries with errors.
fn named<T>(
    root: &Table<'_>,
    key: &'static str,
    read: impl Fn(At<String>, &TomlValue<'_>) -> Option<T>,
) -> Vec<T> {
    let Some(table) = root.get(key).and_then(|v| v.table()) else { return Vec::new() };
    table.entries().into_iter().filter_map(|(name, v)| read(name, &v)).collect()
}

/// Maximum number of CTAs along x, y, z in a grid.
const MAX_CTAS: [u32; 3] = [i32::MAX as u32, 65535, 65535];
/// Maximum number of CTAs along x, y, z in a cluster.
const MAX_CLUSTER: [u32; 3] = [16; 3];
/// Maximum number of threads along x, y, z in a CTA.
const MAX_THREADS: [u32; 3] = [1024, 1024, 64];

/// Parses a grid, block or cluster size: an array of one to three positive numbers, or a number.
fn shape(value: &TomlValue<'_>, most: [u32; 3]) -> Option<At<[u32; 3]>> {
    let wanted = "an array of 1 to 3 numbers";
    let items = if value.is_array() { value.array(wanted)? } else { vec![value.clone()] };
    if !(1..=3).contains(&items.len()) {
        return value.refuse(codes::VALUE, format!("expected {wanted}, found {}", items.len()));
    }
    let (mut shape, mut sound) = ([1; 3], true);
    for ((to, item), most) in shape.iter_mut().zip(&items).zip(most) {
        let number = item.number(1, most.into());
        sound &= number.is_some();
        *to = number.unwrap_or(1) as u32;
    }
    sound.then(|| value.at(shape))
}

fn param(name: At<String>, value: &TomlValue<'_>, table: &'static str) -> Option<Param> {
    let keys = value.table()?;
    let kinds = ["texture", "surface", "buffer", "sampler", "scalar", "use", "array"];
    let given: Vec<_> = kinds.into_iter().filter_map(|k| Some((k, keys.get(k)?))).collect();
    let (output, expected) = (keys.get("output"), keys.get("expected"));
    let before = keys.problem_count();
    keys.finish();
    let param = &name.value;
    let (kind, v) = match given.as_slice() {
        [(kind, v)] => (*kind, v),
        [] => {
            if keys.problem_count() == before {
                let message = format!(
                    "parameter `{param}` has no value: expected one of `texture`, `surface`, `buffer`, `sampler`, `scalar`, `use`"
                );
                value.report(name.problem(codes::MISSING_KEY, message));
            }
            return None;
        }
        several => {
            let names: Vec<_> = several.iter().map(|(k, _)| format!("`{k}`")).collect();
            let message = format!("parameter `{param}` has {} at once", names.join(" and "));
            value.report(name.problem(codes::CONFLICT, message));
            return None;
        }
    };
    let read = match kind {
        "texture" => v.table().and_then(|t| object::texture(&t, v.at(()))).map(ParamValue::Texture),
        "surface" => v.table().and_then(|t| object::surface(&t, v.at(()))).map(ParamValue::Surface),
        "buffer" => memory::buffer(v).map(ParamValue::Buffer),
        "sampler" => object::sampler(v).map(|s| ParamValue::Sampler(v.at(s))),
        "array" => resource::array(v).map(ParamValue::Array),
        "scalar" => number::scalar(v).map(ParamValue::Scalar),
        _ => v.string("the name of another parameter").map(ParamValue::Use),
    };
    let outputs = output.map_or_else(Vec::new, |o| {
        let files = memory::outputs(&o);
        if !files.is_empty() && matches!(kind, "texture" | "sampler" | "scalar" | "array") {
            let message = format!("a {kind} has no output: kernels cannot write to it");
            o.problem(codes::CONFLICT, message);
            return Vec::new();
        }
        files
    });
    let expected = expected.and_then(|e| {
        let spec = recorded::expected(&e)?;
        if matches!(kind, "buffer" | "array") {
            return Some(spec);
        }
        e.refuse(codes::CONFLICT, "only a buffer, an array and a variable have `expected`")
    });
    if table == "objects" && matches!(kind, "scalar" | "use") {
        return v.refuse(codes::CONFLICT, format!("an object is not a `{kind}`"));
    }
    Some(Param { name, value: read?, outputs, expected, table })
}

/// An entry of the tables `textures`, `samplers` and `surfaces`.
fn reference(name: At<String>, value: &TomlValue<'_>, table: &'static str) -> Option<Param> {
    let (keys, at) = (value.table()?, value.at(()));
    let mut outputs = Vec::new();
    let value = match table {
        "textures" => ParamValue::Texture(object::texture(&keys, at)?),
        "samplers" => ParamValue::Sampler(name.with(object::sampler(value)?)),
        _ => {
            outputs = keys.get("output").map_or_else(Vec::new, |o| memory::outputs(&o));
            ParamValue::Surface(object::surface(&keys, at)?)
        }
    };
    Some(Param { name, value, outputs, expected: None, table })
}

fn global(name: At<String>, value: &TomlValue<'_>) -> Option<Global> {
    let table = value.table()?;
    let before = table.problem_count();
    let outputs = table.get("output").map_or_else(Vec::new, |o| memory::outputs(&o));
    let data = memory::data(&table).map(|d| value.at(d));
    let parts = memory::parts(&table);
    let expected = table.get("expected").and_then(|e| recorded::expected(&e));
    table.finish();
    if data.is_none() && outputs.is_empty() && expected.is_none() {
        if table.problem_count() == before {
            value.problem(codes::MISSING_KEY, "expected data or `output`");
        }
        return None;
    }
    Some(Global { name, data, parts, outputs, expected })
}
