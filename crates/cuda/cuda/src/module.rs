//! Modules loaded in a context, and their functions with attributes.

mod function;

use crate::context::Context;
use crate::image::{Heading, Image, heading};
use crate::module_options::JitOptions;
use crate::prelude::*;
use crate::state::Gpu;
pub(crate) use function::{Function, Prepared};
use std::ffi::CString;
use std::time::Instant;
use texunit_device::{Diagnostic, LoadError, SourceFile, Unloadable};
use texunit_link::{completed, limited};
use texunit_report::Located;
use texunit_syntax::by_opcode;

/// A module loaded in a context.
#[derive(Debug)]
pub(crate) struct Module {
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
    let device = place.gpu.card;
    let ptx = image.ptx(name, device)?;
    let start = Instant::now();
    let mut ptx = completed(limited(ptx, jit.registers, device.capability.number()));
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
            return Err(refused(jit, "a module", (&source, &*sources).into(), &diagnostics, code));
        }
    };
    let located = Located::from((loaded.source(), &**loaded.sources()));
    if let Some((why, found)) = loaded.unloadable() {
        let code = match why {
            Unloadable::SurfaceQuery => CUresult::NOT_SUPPORTED,
            Unloadable::ReferenceParameter => CUresult::INVALID_IMAGE,
            Unloadable::TextureQuery => CUresult::NOT_FOUND,
        };
        return Err(refused(jit, "a module", located, std::slice::from_ref(found), code));
    }
    jit.report(located, loaded.warnings());
    let heading = heading(&ptx.text);
    let handle = keep(place, loaded, (heading, image.has_later_code(&heading, device)));
    if let Some(context) = place.alive {
        context.check_not_ended(|| unload(handle).unwrap_or_default())?;
    }
    Ok(handle)
}

/// The refusal of PTX that is to be loaded or linked as `what`; its errors are written to the log,
/// or to standard error, there once: the runtime loads a module again whenever the program uses a
/// kernel or variable of it.
pub(crate) fn refused(
    jit: &JitOptions<'_>,
    what: &str,
    located: Located<'_>,
    diagnostics: &[Diagnostic],
    code: CUresult,
) -> Refusal {
    let diagnostics = &by_opcode(located.text, diagnostics, |_| true);
    if !jit.report(located, diagnostics) {
        let errors: Vec<Diagnostic> =
            diagnostics.iter().filter(|d| d.is_error()).cloned().collect();
        let errors = texunit_report::human(located, &errors, crate::settings::settings().color);
        say_once(format!("{what} cannot be loaded\n{}", errors.trim_end()));
    }
    code.because(unreadable(located.text, diagnostics))
}

/// The reason for refusing PTX with errors: location of the first, and their number.
fn unreadable(source: &SourceFile, diagnostics: &[Diagnostic]) -> String {
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
            device: place.gpu.card,
            set: Mutex::default(),
            is_told: AtomicBool::new(false),
            prepared: Mutex::default(),
        });
        functions.push(function);
        by_name.insert(name, function);
    }
    let coverage = crate::coverage::of_module(&loaded);
    let profile = crate::coverage::profile_of(&loaded);
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
