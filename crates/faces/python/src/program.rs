//! PTX modules: the device, its module, and launches. `texunit/module.py` converts arguments to
//! bytes and results to objects.

use crate::array::{InputArray, Out};
use crate::coverage::Coverage;
use crate::error::value_error;
use crate::launch::{Keywords, Launch, diagnostics};
use crate::surface::Surface;
use crate::texture::Texture;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use texunit_device::{
    Arg, Buffer, ComputeCapability, Device, DeviceOptions, InitialContents, Kernel, Linear, Module,
    SamplerObject, SurfaceObject, SurfaceResource, TextureDescriptor, TextureObject,
    TextureResource,
};
use texunit_report::place::function_name;
use texunit_sample::Dtype;

/// A PTX module on a device of its own.
#[pyclass(frozen, module = "texunit._texunit")]
pub(crate) struct Program {
    module: Module,
    /// Whether uninitialised bytes are tracked.
    is_tracked: bool,
    /// Textures and surfaces bound to module-scope references. They may own the memory that kernels
    /// read, and are dropped after the module.
    bound: Mutex<HashMap<String, Py<PyAny>>>,
}

type Object<'py> = Bound<'py, PyAny>;

/// A kernel parameter: name, type, size in bytes, its declaration with the source name, and the
/// memory elements that a pointer is used for (type, size in bytes, elements per access).
type Param = (String, String, u32, String, Vec<(String, u32, u8)>);

/// The descriptor by which the device creates a Python texture.
fn descriptor(texture: &Texture) -> TextureDescriptor {
    let header = texture.made().header();
    TextureDescriptor::default()
        .with_read_mode(header.read_mode)
        .with_normalized_coords(header.normalized_coords)
        .with_sampler(*texture.made().sampler())
        // The CUDA runtime's checks, which go beyond the driver's, were made when the Python
        // texture was created.
        .with_as_driver(true)
}

/// An argument of a launch.
enum LaunchArgument<'py> {
    /// The argument is a scalar or structure, given as bytes.
    Bytes(Bound<'py, PyBytes>),
    /// The argument is a pointer to the array with this index.
    Array(usize),
    Texture(TextureObject),
    Sampler(SamplerObject),
    Surface(SurfaceObject),
}

/// A byte array, and its copy on the device, which is `None` if the array is empty.
struct ByteArray<'py> {
    object: Object<'py>,
    is_written: bool,
    buffer: Option<Buffer>,
}

impl<'py> ByteArray<'py> {
    fn new(
        device: &Device,
        (object, is_written, name): (Object<'py>, bool, String),
    ) -> PyResult<Self> {
        let held = InputArray::of(&name, &object)?;
        let input = held.input()?;
        let bytes = input.bytes();
        let buffer = match bytes.len() as u64 {
            0 => None,
            size => Some(device.alloc(size, &function_name(&name)).map_err(value_error)?),
        };
        if let Some(buffer) = &buffer {
            object.py().detach(|| buffer.write(0, bytes)).map_err(value_error)?;
        }
        Ok(Self { object, is_written, buffer })
    }

    /// Copies the results of the kernel back into the array.
    fn write_back(self) -> PyResult<()> {
        let Some(buffer) = self.buffer.filter(|_| self.is_written) else { return Ok(()) };
        let py = self.object.py();
        let mut out = Out::new(py, Some(self.object), &[buffer.size() as usize], Dtype::U8)?;
        let bytes = out.bytes();
        py.detach(|| buffer.read_at(0, bytes)).map_err(value_error)
    }
}

impl Program {
    fn device(&self) -> &Device {
        self.module.device()
    }

    fn variable(&self, name: &str) -> PyResult<Linear> {
        self.module.global(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn kernel(&self, name: &str) -> PyResult<Kernel> {
        self.module.kernel(name).map_err(|_| PyKeyError::new_err(name.to_owned()))
    }

    fn made<'py>(&self, argument: Object<'py>, is_sampler: bool) -> PyResult<LaunchArgument<'py>> {
        if let Ok(texture) = argument.cast::<Texture>() {
            let (texture, how) = (texture.get(), descriptor(texture.get()));
            if is_sampler {
                let sampler = self.device().create_sampler(&how.sampler);
                return Ok(LaunchArgument::Sampler(sampler.map_err(value_error)?));
            }
            let texels = TextureResource::Texels(texture.made().resource());
            let object = self.device().create_texture(&texels, &how);
            return Ok(LaunchArgument::Texture(object.map_err(value_error)?));
        }
        if let Ok(surface) = argument.cast::<Surface>() {
            let texels = SurfaceResource::Texels(surface.get().made().resource());
            return Ok(LaunchArgument::Surface(
                self.device().create_surface(texels).map_err(value_error)?,
            ));
        }
        if let Ok(bytes) = argument.cast::<PyBytes>() {
            return Ok(LaunchArgument::Bytes(bytes.clone()));
        }
        Ok(LaunchArgument::Array(argument.extract()?))
    }
}

#[pymethods]
impl Program {
    /// Loads a PTX text; returns the program, unless there are errors, and the diagnostics as JSON.
    #[staticmethod]
    fn load(
        py: Python<'_>,
        ptx: String,
        name: String,
        architecture: Option<&str>,
        memory_limit: Option<u64>,
        is_tracked: bool,
    ) -> PyResult<(Option<Self>, String)> {
        let options = DeviceOptions::default();
        let architecture = match architecture {
            None => options.architecture,
            Some(name) => ComputeCapability::from_target(name).ok_or_else(|| {
                PyValueError::new_err(format!("arch: `{name}` is not one such as sm_86"))
            })?,
        };
        let memory_limit = memory_limit.unwrap_or(options.memory_limit);
        let fresh = InitialContents { is_tracked, ..InitialContents::default() };
        let options = options
            .with_architecture(architecture)
            .with_memory_limit(memory_limit)
            .with_initial_contents(fresh);
        Ok(match py.detach(|| Module::load(&Device::new(&options), &name, &ptx)) {
            Ok(module) => {
                let text = (module.source(), &**module.sources());
                let json = diagnostics(text.into(), module.warnings()).to_string();
                (Some(Self { module, is_tracked, bound: Mutex::default() }), json)
            }
            Err(error) => {
                let text = (&error.source, &*error.sources);
                (None, diagnostics(text.into(), &error.diagnostics).to_string())
            }
        })
    }

    /// Names of all kernels, in the PTX and in the source.
    fn kernels(&self) -> Vec<(String, String)> {
        let shown = |name: String| (name.clone(), function_name(&name));
        self.module.kernels().into_iter().map(shown).collect()
    }

    /// The parameters of a kernel.
    fn params(&self, kernel: &str) -> PyResult<Vec<Param>> {
        let kernel = self.kernel(kernel)?;
        let uses = kernel.uses();
        let elements = |number: usize| {
            let used = uses.params.get(&(number as u32, 0)).map(|used| &used.accesses);
            let element = |access: &texunit_check::uses::Access| {
                (access.ty.to_string(), access.ty.bytes(), access.vector)
            };
            used.into_iter().flatten().map(element).collect()
        };
        let param = |(number, param): (usize, &texunit_device::ParamInfo)| {
            let ty = match param.ty {
                texunit_device::ParamType::Scalar(ty) => ty.to_string(),
                texunit_device::ParamType::Bytes => "bytes".to_owned(),
            };
            let declaration = param.to_string().replace(&param.name, &function_name(&param.name));
            (param.name.clone(), ty, param.size, declaration, elements(number))
        };
        Ok(kernel.params().iter().enumerate().map(param).collect())
    }

    /// The attributes of a kernel, with the names of ``cuFuncGetAttribute``.
    fn attributes<'py>(&self, py: Python<'py>, kernel: &str) -> PyResult<Bound<'py, PyDict>> {
        let kernel = self.kernel(kernel)?;
        let resources = kernel.resources();
        let dict = PyDict::new(py);
        dict.set_item("max_threads_per_block", kernel.max_threads())?;
        dict.set_item("shared_size_bytes", kernel.static_shared())?;
        dict.set_item("num_regs", resources.registers)?;
        dict.set_item("local_size_bytes", resources.local)?;
        dict.set_item("const_size_bytes", resources.constant)?;
        for (name, numbers) in kernel.directives() {
            dict.set_item(name, numbers)?;
        }
        Ok(dict)
    }

    #[getter]
    fn is_tracked(&self) -> bool {
        self.is_tracked
    }

    /// Names and sizes of the module's variables.
    fn variables(&self) -> Vec<(String, u64)> {
        let size = |name: &String| self.module.global(name).map_or(0, |global| global.size());
        self.module.globals().into_iter().map(|name| (name.clone(), size(&name))).collect()
    }

    /// The bytes of a variable.
    fn read<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.variable(name)?.read()))
    }

    /// Writes bytes of a variable.
    fn write(&self, name: &str, offset: u64, bytes: &[u8]) -> PyResult<()> {
        self.variable(name)?.write(offset, bytes).map_err(value_error)
    }

    /// Binds a texture or surface to a module-scope reference; returns warnings.
    fn bind(&self, name: &str, object: Object<'_>) -> PyResult<Vec<String>> {
        use texunit_device::OpaqueKind as K;
        let known = self.module.opaque_variables();
        let known = known.iter().find(|variable| variable.name == name);
        let kind = known.map(|variable| variable.kind);
        let kind = kind.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
        let bound = match (kind, object.cast::<Texture>(), object.cast::<Surface>()) {
            (K::Texture, Ok(texture), _) => {
                let texels = TextureResource::Texels(texture.get().made().resource());
                self.module.bind_texture(name, &texels, &descriptor(texture.get()))
            }
            (K::Sampler, Ok(texture), _) => {
                self.module.bind_sampler(name, texture.get().made().sampler()).map(|()| Vec::new())
            }
            (K::Surface, _, Ok(surface)) => self
                .module
                .bind_surface(name, SurfaceResource::Texels(surface.get().made().resource())),
            _ => {
                let kind = kind.name();
                let wanted = if kind == ".surfref" { "Surface" } else { "Texture" };
                return Err(PyTypeError::new_err(format!(
                    "{name}: a texunit.{wanted} is bound to a {kind}"
                )));
            }
        };
        let warnings = bound.map_err(value_error)?;
        let mut bound = self.bound.lock().unwrap_or_else(PoisonError::into_inner);
        let before = bound.insert(name.to_owned(), object.unbind());
        drop(bound);
        drop(before);
        Ok(warnings)
    }

    /// Runs a kernel; returns its report as JSON, and its ``printf`` output. `args` are bytes,
    /// indices into `arrays`, textures and surfaces. `arrays` are byte arrays, each with a name and
    /// whether it is written back.
    #[allow(clippy::too_many_arguments, reason = "they are those of module.py")]
    fn launch<'py>(
        &self,
        py: Python<'py>,
        kernel: &str,
        args: Vec<Object<'py>>,
        arrays: Vec<(Object<'py>, bool, String)>,
        words: Keywords,
        coverage: Option<Bound<'py, Coverage>>,
        progress: Option<Object<'py>>,
    ) -> PyResult<(String, Bound<'py, PyBytes>)> {
        let kernel = self.kernel(kernel)?;
        let params = kernel.params();
        let given = arrays.into_iter().map(|array| ByteArray::new(self.device(), array));
        let given: Vec<ByteArray<'_>> = given.collect::<PyResult<_>>()?;
        let made = args.into_iter().enumerate().map(|(i, argument)| {
            let ty = params.get(i).map(|param| param.ty);
            let sampler = texunit_isa::ScalarType::Samplerref;
            let is_sampler = ty == Some(texunit_device::ParamType::Scalar(sampler));
            self.made(argument, is_sampler)
        });
        let made: Vec<LaunchArgument<'_>> = made.collect::<PyResult<_>>()?;
        let values = made.iter().map(|made| match made {
            LaunchArgument::Bytes(bytes) => Arg::Bytes(bytes.as_bytes()),
            LaunchArgument::Array(n) => match given.get(*n).and_then(|given| given.buffer.as_ref())
            {
                Some(buffer) => Arg::Buffer(buffer),
                None => Arg::U64(0),
            },
            LaunchArgument::Texture(texture) => Arg::Texture(texture),
            LaunchArgument::Sampler(sampler) => Arg::Sampler(sampler),
            LaunchArgument::Surface(surface) => Arg::Surface(surface),
        });
        let values: Vec<Arg<'_>> = values.collect();
        let launch = Launch { module: &self.module, kernel: &kernel, words: &words };
        let done = launch.run(py, &values, progress.as_ref())?;
        drop(values);
        if let (Some(sum), Some(part)) = (coverage, &done.coverage) {
            sum.get().add(part);
        }
        drop(made);
        given.into_iter().try_for_each(ByteArray::write_back)?;
        if let Some(interrupted) = done.interrupted {
            return Err(interrupted);
        }
        Ok((done.json, PyBytes::new(py, &done.printf)))
    }
}
