//! Modules loaded in a context, and their functions with attributes.

use crate::args::Answer;
use crate::context::Context;
use crate::fatbin;
use crate::handle::{Handle, Object, object};
use crate::image::{Heading, Image, heading};
use crate::message::say;
use crate::module_options::JitOptions;
use crate::profile::Profile;
use crate::state::Gpu;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;
use texunit_cuda_abi::{CUresult, Refusal, ensure, function_attribute as attribute, invalid, lock};
use texunit_device::{Diagnostic, Kernel, LoadError, SourceFile, Unloadable};
use texunit_forms::Count;
use texunit_link::{completed, fewest_registers, limited};
use texunit_report::Located;
use texunit_syntax::by_opcode;

/// A module loaded in a context.
#[derive(Debug)]
pub(crate) struct Module {
    /// Context of the module.
    pub(crate) context: Handle<Context>,
    /// Program and variables on the device.
    pub(crate) loaded: texunit_device::Module,
    /// Kernels in source order.
    pub(crate) functions: Vec<Handle<Function>>,
    by_name: HashMap<String, Handle<Function>>,
    /// The observer of its launches for coverage, if enabled.
    pub(crate) coverage: Option<Arc<texunit_coverage::Module>>,
    /// The observer of its launches for the profile, if enabled.
    pub(crate) profile: Option<Arc<texunit_profile::Module>>,
}

object!(Module, "a module");

/// A kernel of a module.
#[derive(Debug)]
pub(crate) struct Function {
    /// Module of the function.
    pub(crate) module: Handle<Module>,
    /// Context of the function.
    pub(crate) context: Handle<Context>,
    /// The device's kernel.
    pub(crate) kernel: Kernel,
    /// Name as a C string.
    pub(crate) name: CString,
    /// Version and target of the PTX.
    heading: Heading,
    /// Whether a GPU would use machine code for a later architecture instead of the PTX.
    has_later_code: bool,
    device: &'static Profile,
    /// Attributes that were set.
    set: Mutex<HashMap<u32, i32>>,
    /// Whether its instructions have been added to the report.
    pub(crate) is_told: AtomicBool,
    /// State of a deprecated launch (`cuFuncSetBlockShape` and similar functions).
    pub(crate) prepared: Mutex<Prepared>,
}

object!(Function, "a function");

/// A deprecated launch, prepared call by call (`cuFuncSetBlockShape`, `cuParamSet*`).
#[derive(Clone, Debug, Default)]
pub(crate) struct Prepared {
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) params: Vec<u8>,
}

/// The context and device into which a module is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadTarget<'a> {
    pub(crate) context: Handle<Context>,
    pub(crate) gpu: &'a Gpu,
    /// The context, unless it is a primary context that is not active.
    pub(crate) alive: Option<&'a Context>,
}

impl<'a> From<&'a Context> for LoadTarget<'a> {
    fn from(context: &'a Context) -> Self {
        Self { context: context.handle, gpu: &context.gpu, alive: Some(context) }
    }
}

/// Loads the PTX of an image into a context. Errors are written to the caller's log, or to standard
/// error.
pub(crate) fn load(
    place: LoadTarget<'_>,
    (image, name): (&Image, &str),
    jit: &JitOptions<'_>,
) -> Answer<Handle<Module>> {
    let device = place.gpu.profile;
    let ptx = image.ptx(name, device)?;
    let start = Instant::now();
    let mut ptx = completed(limited(ptx, jit.registers, fatbin::architecture(device.capability)));
    crate::saved::save(&mut ptx);
    let is_full = |e: &LoadError| load_code(&e.diagnostics) == CUresult::OUT_OF_MEMORY;
    let result = crate::memory::with_room_if(place.gpu, is_full, || {
        texunit_device::Module::load(&place.gpu.device, &ptx.name, &ptx.text)
    });
    jit.took(start.elapsed());
    let loaded = match result {
        Ok(loaded) => loaded,
        Err(LoadError { source, diagnostics, sources, .. }) => {
            let code = load_code(&diagnostics);
            return Err(refused(jit, (&source, &*sources).into(), &diagnostics, code));
        }
    };
    let located = Located::from((loaded.source(), &**loaded.sources()));
    if let Some((why, found)) = loaded.unloadable() {
        let code = match why {
            Unloadable::SurfaceQuery => CUresult::NOT_SUPPORTED,
            Unloadable::ReferenceParameter => CUresult::INVALID_IMAGE,
            Unloadable::TextureQuery => CUresult::NOT_FOUND,
        };
        return Err(refused(jit, located, std::slice::from_ref(found), code));
    }
    jit.report(located, loaded.warnings());
    let heading = heading(&ptx.text);
    let handle = keep(place, loaded, (heading, image.has_later_code(&heading, device)));
    if let Some(context) = place.alive {
        context.check_not_ended(|| unload(handle).unwrap_or_default())?;
    }
    Ok(handle)
}

/// The refusal of a module; its errors are written to the log, or to standard error.
fn refused(
    jit: &JitOptions<'_>,
    located: Located<'_>,
    diagnostics: &[Diagnostic],
    code: CUresult,
) -> Refusal {
    let diagnostics = &by_opcode(located.text, diagnostics, |_| true);
    if !jit.report(located, diagnostics) {
        let errors: Vec<Diagnostic> =
            diagnostics.iter().filter(|d| d.is_error()).cloned().collect();
        say(format_args!(
            "a module cannot be loaded\n{}",
            texunit_report::human(located, &errors, crate::settings::settings().color).trim_end()
        ));
    }
    code.because(unreadable(located.text, diagnostics))
}

/// The reason for refusing PTX with errors: location of the first, and their number.
pub(crate) fn unreadable(source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
    let mut errors = diagnostics.iter().filter(|d| d.is_error());
    let Some(first) = errors.next() else { return format!("{} cannot be loaded", source.name()) };
    let place = source.location(first.primary.span.start);
    let more = match errors.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    let (name, line, column) = (source.name(), place.line, place.column);
    format!("{name}:{line}:{column}: {} [{}]{more}", first.message, first.code)
}

/// Code of the refusal: errors in the text, or lack of memory.
fn load_code(diagnostics: &[Diagnostic]) -> CUresult {
    let mut errors = diagnostics.iter().filter(|d| d.is_error());
    match errors.all(|d| d.code == "E0501") {
        true => CUresult::OUT_OF_MEMORY,
        false => CUresult::INVALID_PTX,
    }
}

fn keep(
    place: LoadTarget<'_>,
    loaded: texunit_device::Module,
    (heading, has_later_code): (Heading, bool),
) -> Handle<Module> {
    let handle = Handle::fresh();
    let mut by_name = HashMap::new();
    let mut functions = Vec::new();
    for kernel in loaded.all_kernels() {
        let name = kernel.name().to_owned();
        let function = Function::registry().insert(Function {
            module: handle,
            context: place.context,
            // A name in PTX contains no zero byte.
            name: CString::new(name.as_str()).unwrap_or_default(),
            kernel,
            heading,
            has_later_code,
            device: place.gpu.profile,
            set: Mutex::default(),
            is_told: AtomicBool::new(false),
            prepared: Mutex::default(),
        });
        functions.push(function);
        by_name.insert(name, function);
    }
    let coverage = crate::coverage::of_module(&loaded);
    let profile = crate::line_profile::of_module(&loaded);
    let module = Module { context: place.context, loaded, functions, by_name, coverage, profile };
    Module::registry().insert_as(handle, Arc::new(module));
    handle
}

/// Unloads a module, whose handle and functions become invalid.
pub(crate) fn unload(handle: Handle<Module>) -> Answer {
    let module = handle.take()?;
    for function in &module.functions {
        Function::registry().remove(*function);
    }
    Ok(())
}

/// Unloads the modules of a context.
pub(crate) fn release_context(context: &Context) {
    Module::registry().remove_all(|module| module.context == context.handle);
    Function::registry().remove_all(|function| function.context == context.handle);
}

impl Module {
    /// The kernel of a name; `CUDA_ERROR_NOT_FOUND` if there is none.
    pub(crate) fn function(&self, name: &str) -> Answer<Handle<Function>> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let like = similar(name, self.by_name.keys().map(String::as_str));
            CUresult::NOT_FOUND.because(format!(
                "the module has no kernel `{name}`{like} ({}: {})",
                self.loaded.source().name(),
                Count(self.functions.len(), "kernel")
            ))
        })
    }

    /// Address and size of a variable; `CUDA_ERROR_NOT_FOUND` if there is none, but
    /// `CUDA_ERROR_INVALID_VALUE` for the name of a kernel.
    pub(crate) fn global(&self, name: &str) -> Answer<(u64, usize)> {
        let global =
            self.loaded.global(name).ok_or_else(|| match self.by_name.contains_key(name) {
                true => invalid!("`{name}` is a kernel of the module, not a variable"),
                false => CUresult::NOT_FOUND.because(format!(
                    "the module has no variable `{name}` ({})",
                    self.loaded.source().name()
                )),
            })?;
        Ok((global.address(), global.size() as usize))
    }
}

/// Maximum dynamic shared memory in bytes without opting in to more.
const DEFAULT_SHARED: i32 = 48 * 1024;

impl Function {
    fn set(&self) -> MutexGuard<'_, HashMap<u32, i32>> {
        lock(&self.set)
    }

    /// Reported registers per thread. They are not allocated here: the number is the kernel's
    /// maximum need or `.maxnreg` (which `CU_JIT_MAX_REGISTERS` sets), limited so that its largest
    /// block can run, as an assembler ensures.
    pub(crate) fn registers(&self) -> i32 {
        let most = |name: &str| {
            let found = self.kernel.directives().iter().find(|(n, _)| n == name);
            found.and_then(|(_, values)| values.first()).copied()
        };
        let file = u64::from(65536 / self.max_threads().max(1).next_multiple_of(32));
        let fewest = u64::from(fewest_registers(fatbin::architecture(self.device.capability)));
        let limit = file.min(most("maxnreg").unwrap_or(255)).clamp(fewest, 255);
        self.kernel.resources().registers.clamp(16, limit as u32) as i32
    }

    /// The target of the PTX and the architecture of the device, if the target is older, so that
    /// code for newer devices (`__CUDA_ARCH__`) is missing from the PTX.
    pub(crate) fn older(&self) -> Option<(u32, u32)> {
        let (target, _) = self.heading.target?;
        let device = fatbin::architecture(self.device.capability);
        (target < device).then_some((target, device))
    }

    /// Whether a GPU would use machine code for a later architecture instead of the PTX.
    pub(crate) fn has_later_code(&self) -> bool {
        self.has_later_code
    }

    /// Maximum number of threads per block.
    pub(crate) fn max_threads(&self) -> u32 {
        self.kernel.max_threads()
    }

    /// Static shared memory in bytes.
    pub(crate) fn static_shared(&self) -> i32 {
        i32::try_from(self.kernel.static_shared()).unwrap_or(i32::MAX)
    }

    /// Maximum shared memory of a block in bytes, for kernels that opt in.
    pub(crate) fn optin(&self) -> i32 {
        self.device.shared_optin * 1024
    }

    /// Maximum dynamic shared memory of a launch in bytes.
    pub(crate) fn max_dynamic_shared(&self) -> i32 {
        let set = self.set().get(&attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES).copied();
        set.unwrap_or_else(|| (DEFAULT_SHARED - self.static_shared()).max(0))
    }

    /// An attribute (`CUfunction_attribute`).
    pub(crate) fn attribute(&self, number: u32) -> Answer<i32> {
        let int = |n: u64| i32::try_from(n).unwrap_or(i32::MAX);
        let resources = self.kernel.resources();
        let capability = self.device.capability;
        Ok(match number {
            attribute::MAX_THREADS_PER_BLOCK => int(self.max_threads().into()),
            attribute::SHARED_SIZE_BYTES => self.static_shared(),
            attribute::CONST_SIZE_BYTES => int(resources.constant),
            attribute::LOCAL_SIZE_BYTES => int(resources.local.into()),
            attribute::NUM_REGS => self.registers(),
            attribute::PTX_VERSION => match self.heading.target {
                Some((target, _)) => int(target.into()),
                None => 0,
            },
            attribute::BINARY_VERSION => {
                10 * i32::from(capability.major) + i32::from(capability.minor)
            }
            attribute::CACHE_MODE_CA => 0,
            attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => self.max_dynamic_shared(),
            attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => {
                self.set().get(&number).copied().unwrap_or(-1)
            }
            attribute::CLUSTER_SIZE_MUST_BE_SET => i32::from(self.kernel.must_have_clusters()),
            attribute::REQUIRED_CLUSTER_WIDTH..=attribute::REQUIRED_CLUSTER_DEPTH => {
                let axis = (number - attribute::REQUIRED_CLUSTER_WIDTH) as usize;
                int(self.required_cluster().map_or(0, |of| of[axis].into()))
            }
            attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED
            | attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                self.set().get(&number).copied().unwrap_or(0)
            }
            _ => {
                return Err(invalid!(
                    "attrib {number} is not a CUfunction_attribute that texunit has"
                ));
            }
        })
    }

    /// CTAs of a cluster along x, y, z that the kernel was compiled for, or that an attribute sets.
    pub(crate) fn required_cluster(&self) -> Option<[u32; 3]> {
        self.kernel.required_cluster().or_else(|| {
            let set = self.set();
            let of = [0, 1, 2].map(|axis| set.get(&(attribute::REQUIRED_CLUSTER_WIDTH + axis)));
            let of = of.map(|n| n.map_or(0, |&n| n.unsigned_abs()));
            (of != [0; 3]).then_some(of)
        })
    }

    /// Maximum cluster size of the kernel on its device, with `non_portable` sizes if it allows
    /// them.
    pub(crate) fn most_in_cluster(&self, non_portable: bool) -> i32 {
        let most = match (self.device.capability.major, non_portable) {
            (..9, _) => 1,
            (_, true) => texunit_device::MAX_CLUSTER,
            (_, false) => texunit_device::PORTABLE_CLUSTER,
        };
        most as i32
    }

    /// Whether the kernel allows cluster sizes that not every device supports.
    pub(crate) fn takes_non_portable(&self) -> bool {
        self.set().get(&attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED).is_some_and(|&n| n != 0)
    }

    /// Sets an attribute, if it is settable.
    pub(crate) fn set_attribute(&self, number: u32, value: i32) -> Answer {
        let (name, fine) = match number {
            attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES => {
                ("MAX_DYNAMIC_SHARED_SIZE_BYTES", 0..=self.optin() - self.static_shared())
            }
            attribute::PREFERRED_SHARED_MEMORY_CARVEOUT => {
                ("PREFERRED_SHARED_MEMORY_CARVEOUT", -1..=100)
            }
            attribute::REQUIRED_CLUSTER_WIDTH..=attribute::REQUIRED_CLUSTER_DEPTH => {
                ensure!(
                    self.kernel.required_cluster().is_none(),
                    CUresult::NOT_PERMITTED,
                    "kernel `{}` has been compiled for clusters of a size (.reqnctapercluster), which cannot be set",
                    kernel_name(self)
                );
                ("REQUIRED_CLUSTER_WIDTH, _HEIGHT or _DEPTH", 0..=self.most_in_cluster(true))
            }
            attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED => {
                ("NON_PORTABLE_CLUSTER_SIZE_ALLOWED", 0..=1)
            }
            attribute::CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                ("CLUSTER_SCHEDULING_POLICY_PREFERENCE", 0..=2)
            }
            _ => {
                return Err(invalid!(
                    "attrib {number} is not a CUfunction_attribute that can be set"
                ));
            }
        };
        ensure!(
            fine.contains(&value),
            "value {value} of CU_FUNC_ATTRIBUTE_{name} is not from {} to {}, the values that kernel `{}` can have on \
             this device",
            fine.start(),
            fine.end(),
            kernel_name(self)
        );
        self.set().insert(number, value);
        Ok(())
    }

    /// Offset and size of a parameter; `CUDA_ERROR_INVALID_VALUE` if the index is out of range.
    pub(crate) fn parameter(&self, index: usize) -> Answer<(usize, usize)> {
        let params = self.kernel.params();
        let param = params.get(index).ok_or_else(|| {
            invalid!(
                "paramIndex {index}: kernel `{}` has {}, numbered from 0",
                kernel_name(self),
                Count(params.len(), "parameter")
            )
        })?;
        Ok((param.offset as usize, param.size as usize))
    }
}

/// Name of a kernel in messages.
pub(crate) fn kernel_name(function: &Function) -> String {
    texunit_report::place::function_name(function.kernel.name())
}

/// "; did you mean `x`?" if one of the names is similar to the given one, or ends with it, as a
/// mangled name does.
pub(crate) fn similar<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> String {
    let alike = |name: &&str| {
        let (a, b) = (name.to_ascii_lowercase(), given.to_ascii_lowercase());
        // For example `_Z4fillPii` for `fill`.
        !given.is_empty()
            && (a == b
                || a.contains(&b)
                    && a.starts_with("_z")
                    && a[2..].starts_with(|c: char| c.is_ascii_digit()))
    };
    match names.filter(alike).min() {
        Some(name) => format!("; did you mean `{name}`?"),
        None => String::new(),
    }
}
