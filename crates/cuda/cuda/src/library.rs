//! Libraries: modules that belong to no context and are loaded into each context at their first use
//! there.

use crate::context::Context;
use crate::image::{Image, Ptx};
use crate::module::{self, Function, LoadTarget, Module};
use crate::module_options::JitOptions;
use crate::prelude::*;
use crate::state;
use std::ffi::CString;
use texunit_syntax::ast::Item;
use texunit_syntax::{Diagnostic, SourceFile};

#[derive(Debug)]
pub(crate) struct Library {
    handle: Handle<Library>,
    image: Image,
    /// Name of the image in messages.
    name: String,
    /// Load options for all contexts.
    options: JitOptions<'static>,
    /// Kernels in source order.
    pub(crate) kernels: Vec<Handle<Kernel>>,
    by_name: HashMap<String, Handle<Kernel>>,
    /// Names of variables with the attribute `.managed`.
    managed: HashSet<String>,
    /// The error of a text that cannot be read, which is returned only when a kernel or variable is
    /// requested.
    unreadable: Option<Refusal>,
    /// Loaded modules, by the handle of the context.
    modules: Mutex<HashMap<usize, Handle<Module>>>,
}

object!(Library, "a library");

/// A kernel of a library (`CUkernel`).
#[derive(Debug)]
pub(crate) struct Kernel {
    pub(crate) library: Handle<Library>,
    /// Name as a C string.
    pub(crate) name: CString,
    /// Attributes that were set for a device, which its functions get when they are loaded.
    set: Mutex<HashMap<(CUdevice, u32), i32>>,
}

object!(Kernel, "a kernel of a library");

/// Names of a text's kernels and of its managed variables, or its errors.
fn names(ptx: &Ptx, jit: &JitOptions<'_>) -> Answer<(Vec<String>, HashSet<String>)> {
    let text = SourceFile::new(ptx.name.as_str(), ptx.text.as_str());
    let parsed = texunit_syntax::parse(&text);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        let mut ptx = ptx.clone();
        crate::saved::save(&mut ptx);
        let source = SourceFile::new(ptx.name, ptx.text);
        let (located, code) = ((&source).into(), CUresult::INVALID_PTX);
        return Err(module::refused(jit, "a library", located, &parsed.diagnostics, code));
    }
    let entries = parsed.module.items.iter().filter_map(|item| match item {
        Item::Function(f) if f.is_entry && f.body.is_some() => Some(f.name.text.to_owned()),
        _ => None,
    });
    let managed = parsed.module.items.iter().filter_map(|item| match item {
        Item::Variable(v) if v.attributes.iter().any(|word| word.text.ends_with("managed")) => {
            Some(v.name.text.to_owned())
        }
        _ => None,
    });
    Ok((entries.collect(), managed.collect()))
}

/// Creates a library from an image. It is loaded at its first use in a context, or immediately if
/// the caller has a log buffer for errors.
pub(crate) fn load(image: Image, name: &str, jit: &JitOptions<'_>) -> Answer<Handle<Library>> {
    let context = crate::context::current().ok();
    let device: &'static Card = match &context {
        Some(context) => context.gpu.card,
        None => state::gpu(0)?.card,
    };
    let (names, managed, unreadable) = match names(&image.ptx(name, device)?, jit) {
        Ok((names, managed)) => (names, managed, None),
        Err(refusal) if jit.has_log() => return Err(refusal),
        Err(refusal) => (Vec::new(), HashSet::new(), Some(refusal)),
    };
    let handle = Handle::fresh();
    let kernel = |name: &String| {
        Kernel::registry().insert(Kernel {
            library: handle,
            // A name in PTX contains no zero byte.
            name: CString::new(name.as_str()).unwrap_or_default(),
            set: Mutex::default(),
        })
    };
    let kernels: Vec<Handle<Kernel>> = names.iter().map(kernel).collect();
    let by_name = names.into_iter().zip(kernels.iter().copied()).collect();
    let library = Arc::new(Library {
        handle,
        image,
        name: name.to_owned(),
        options: jit.lasting(),
        kernels,
        by_name,
        managed,
        unreadable,
        modules: Mutex::default(),
    });
    Library::registry().insert_as(handle, Arc::clone(&library));
    if let Some(context) = context.filter(|_| jit.has_log())
        && let Err(refusal) = library.module_with((&*context).into(), jit)
    {
        unload(handle)?;
        return Err(refusal);
    }
    Ok(handle)
}

/// Unloads a library from all contexts.
pub(crate) fn unload(library: Handle<Library>) -> Answer {
    let library = library.take()?;
    for kernel in &library.kernels {
        Kernel::registry().remove(*kernel);
    }
    for module in lock(&library.modules).values() {
        // An error is ignored: the context may have ended, and the module with it.
        let _ = module::unload(*module);
        crate::texref::release_module(*module);
    }
    Ok(())
}

/// The function of a kernel in a context.
pub(crate) fn function(kernel: Handle<Kernel>, context: &Context) -> Answer<Handle<Function>> {
    let kernel = kernel.get()?;
    let module = kernel.library.get()?.module(context)?.get()?;
    // Names in PTX are ASCII.
    module.function(kernel.name.to_str().unwrap_or_default())
}

impl Library {
    /// The kernel of a name; `CUDA_ERROR_NOT_FOUND` if there is none.
    pub(crate) fn kernel(&self, name: &str) -> Answer<Handle<Kernel>> {
        if let Some(refusal) = &self.unreadable {
            return Err(refusal.clone());
        }
        self.by_name.get(name).copied().ok_or_else(|| {
            let like = crate::module::similar(name, self.by_name.keys().map(String::as_str));
            CUresult::NOT_FOUND.because(format!(
                "the library has no kernel `{name}`{like} ({}: {})",
                self.name,
                Count(self.by_name.len(), "kernel")
            ))
        })
    }

    /// Whether a variable is declared `.attribute(.managed)`.
    pub(crate) fn is_managed(&self, name: &str) -> bool {
        self.managed.contains(name)
    }

    /// The module of the library in a context, which is loaded if necessary.
    pub(crate) fn module(&self, context: &Context) -> Answer<Handle<Module>> {
        self.module_with(context.into(), &self.options)
    }

    /// The module of the library in the current context; without one, in the primary context of the
    /// first device, which the program will then use.
    pub(crate) fn module_somewhere(&self) -> Answer<Handle<Module>> {
        let none = [CUresult::INVALID_CONTEXT, CUresult::CONTEXT_IS_DESTROYED];
        match crate::context::current() {
            Ok(context) => self.module(&context),
            Err(refusal) if none.contains(&refusal.code) => {
                let gpu = state::gpu(0)?;
                let context = crate::context::primary(gpu).handle();
                self.module_with(LoadTarget { context, gpu, alive: None }, &self.options)
            }
            Err(refusal) => Err(refusal),
        }
    }

    fn module_with(&self, place: LoadTarget<'_>, jit: &JitOptions<'_>) -> Answer<Handle<Module>> {
        // The lock is held during loading, so that other threads wait for the module.
        let mut modules = lock(&self.modules);
        modules.retain(|_, module| Module::registry().find(*module).is_some());
        if let Some(module) = modules.get(&place.context.number()) {
            return Ok(*module);
        }
        let handle = module::load(place, (&self.image, &self.name), jit)?;
        // A thread that unloads the library removes it from its registry before its modules. If
        // that has happened, the new module is unloaded here.
        if let Err(refusal) = self.handle.get() {
            module::unload(handle)?;
            return Err(refusal);
        }
        modules.insert(place.context.number(), handle);
        for function in &handle.get()?.functions {
            let function = function.get()?;
            let kernel = self.by_name.get(function.kernel.name());
            if let Some(kernel) = kernel.and_then(|kernel| Kernel::registry().find(*kernel)) {
                kernel.apply(&function, place.gpu.ordinal);
            }
        }
        Ok(handle)
    }

    /// The functions of a kernel on a device, in all contexts that have loaded the library.
    fn functions(&self, name: &str, device: CUdevice) -> Vec<Arc<Function>> {
        let modules: Vec<_> = lock(&self.modules).iter().map(|(&c, &m)| (c, m)).collect();
        let on_device = modules.into_iter().filter(|(context, _)| {
            let context = Context::registry().find(Handle::of(*context));
            context.is_some_and(|context| context.gpu.ordinal == device)
        });
        let function = |(_, module): (usize, Handle<Module>)| {
            Module::registry().find(module)?.function(name).ok()?.get().ok()
        };
        on_device.filter_map(function).collect()
    }
}

impl Kernel {
    /// Applies the attributes that were set for a function's device.
    fn apply(&self, function: &Function, device: CUdevice) {
        for (&(of, attribute), &value) in &*lock(&self.set) {
            if of == device {
                // The value was checked when it was set.
                let _ = function.set_attribute(attribute, value);
            }
        }
    }

    /// A function of the kernel on a device: in the current context if it is of that device, or
    /// else in another context that has loaded the library.
    pub(crate) fn on(self: &Arc<Self>, device: CUdevice) -> Answer<Arc<Function>> {
        state::gpu(device)?;
        let library = self.library.get()?;
        let name = self.name.to_str().unwrap_or_default();
        let current = crate::context::current().ok();
        if let Some(context) = current.filter(|context| context.gpu.ordinal == device) {
            return library.module(&context)?.get()?.function(name)?.get();
        }
        library.functions(name, device).pop().ok_or_else(|| {
            CUresult::INVALID_CONTEXT.because(format!(
                "kernel `{name}` is not loaded on device {device}, and no context of that device is current in \
                 which to load it"
            ))
        })
    }

    /// Sets an attribute of the kernel on a device, for all present and later functions.
    pub(crate) fn set_attribute(&self, device: CUdevice, attribute: u32, value: i32) -> Answer {
        state::gpu(device)?;
        let library = self.library.get()?;
        if let Ok(context) = crate::context::current()
            && context.gpu.ordinal == device
        {
            library.module(&context)?;
        }
        for function in library.functions(self.name.to_str().unwrap_or_default(), device) {
            function.set_attribute(attribute, value)?;
        }
        lock(&self.set).insert((device, attribute), value);
        Ok(())
    }
}
