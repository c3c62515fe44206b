//! Modules: PTX that is checked and loaded onto a device, its variables, and bindings of textures
//! and surfaces to references.

use crate::device::Device;
use crate::error::Error;
use crate::handles::{OpaqueKind, Slots};
use crate::linear::Linear;
use crate::loader::{Loader, release};
use crate::resource::{Owner, SurfaceResource, TextureResource};
use crate::texture::{TextureDescriptor, surface_header, texture_header};
use crate::unloadable::{Unloadable, undefined, unloadable};
use crate::variables::{OpaqueVariable, VariableAddresses, warnings};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use texunit_check::sources::{SourcePlace, Sources};
use texunit_simt::observe::Listing;
use texunit_simt::{Arithmetic, Program};
use texunit_syntax::{Diagnostic, SourceFile, Span};
use texunit_unit::{QueryPlan, Sampler};

/// PTX that cannot be loaded. Crate `report` renders the diagnostics; `Display` gives the short
/// form.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadError {
    /// The PTX.
    pub source: SourceFile,
    /// All errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The source files of the PTX, as far as they could be read from it.
    pub sources: Arc<Sources>,
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let errors = self.diagnostics.iter().filter(|d| d.is_error());
        for (i, d) in errors.enumerate() {
            let at = self.source.location(d.primary.span.start);
            let place = format!("{}:{}:{}", self.source.name(), at.line, at.column);
            let newline = if i > 0 { "\n" } else { "" };
            write!(f, "{newline}{place}: error[{}]: {}", d.code, d.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

#[derive(Debug)]
struct Bindings {
    variables: Vec<OpaqueVariable>,
    kept: HashMap<String, Owner>,
}

pub(crate) struct Loaded {
    pub(crate) device: Device,
    pub(crate) program: Program,
    /// Whether the module is in independent texturing mode, in which textures and samplers are
    /// separate.
    independent: bool,
    unloadable: Option<(Unloadable, Diagnostic)>,
    warnings: Vec<Diagnostic>,
    globals: HashMap<String, Linear>,
    placed: Vec<u64>,
    bindings: Mutex<Bindings>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let bindings = self.bindings.get_mut().unwrap_or_else(PoisonError::into_inner);
        release(&self.device, &self.placed, &bindings.variables);
    }
}

/// PTX that has been checked, with its variables on the device. Kernels are lowered when they are
/// first launched or inspected. Clones refer to the same module.
#[derive(Clone)]
pub struct Module {
    pub(crate) inner: Arc<Loaded>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("source", &self.source().name()).finish_non_exhaustive()
    }
}

impl Module {
    /// Checks the PTX of a module, and loads its variables onto the device. `name` is the file name
    /// in messages.
    ///
    /// # Errors
    /// The diagnostics of the PTX. Variables that do not fit into device memory are reported in the
    /// same way.
    pub fn load(device: &Device, name: &str, text: &str) -> Result<Self, LoadError> {
        Self::load_at(device, name, text, &VariableAddresses::default())
    }

    /// As [`Self::load`], with requested addresses and handles of variables.
    ///
    /// # Errors
    /// The errors of [`Self::load`], or a requested address or handle that is in use.
    pub fn load_at(
        device: &Device,
        name: &str,
        text: &str,
        places: &VariableAddresses,
    ) -> Result<Self, LoadError> {
        let source = SourceFile::new(name, text);
        let parsed = texunit_syntax::parse(&source);
        let mut diagnostics = parsed.diagnostics;
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(LoadError { source, diagnostics, sources: Arc::default() });
        }
        let checked = texunit_check::check(&source, &parsed.module);
        diagnostics.extend(checked.diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(LoadError { source, diagnostics, sources: checked.module.sources });
        }
        drop(parsed.module);
        let mut loader = Loader::new(device, &checked.module, places);
        loader.place_variables();
        loader.initialize();
        loader.failures.extend(undefined(&checked.module));
        if !loader.failures.is_empty() {
            diagnostics.append(&mut loader.failures);
            release(device, &loader.placed, &loader.opaque);
            return Err(LoadError { source, diagnostics, sources: checked.module.sources });
        }
        let Loader { symbols, globals, placed, opaque, .. } = loader;
        let inner = Loaded {
            device: device.clone(),
            independent: checked.module.independent,
            unloadable: unloadable(&checked.module),
            program: texunit_simt::lower(checked.module, symbols, source),
            warnings: diagnostics,
            globals,
            placed,
            bindings: Mutex::new(Bindings { variables: opaque, kept: HashMap::new() }),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The device that the module is loaded on.
    pub fn device(&self) -> &Device {
        &self.inner.device
    }

    /// Warnings of the PTX.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.inner.warnings
    }

    /// The reason why CUDA's driver would not load the module, if there is one.
    pub fn unloadable(&self) -> Option<&(Unloadable, Diagnostic)> {
        self.inner.unloadable.as_ref()
    }

    /// The PTX.
    pub fn source(&self) -> &SourceFile {
        self.inner.program.source()
    }

    /// The source files that the PTX was compiled from, by its `.file` and `.loc` directives.
    pub fn sources(&self) -> &Arc<Sources> {
        self.inner.program.sources()
    }

    /// The operations that all functions are lowered to, as observers see them, with the arithmetic
    /// of a launch.
    pub fn listing(&self, arithmetic: Arithmetic) -> Listing<'_> {
        Listing::of(&self.inner.program, arithmetic)
    }

    /// The location of an instruction in the PTX, and in the source that it was compiled from.
    /// Faults, watches and diagnostics have such spans.
    pub fn place(&self, span: Span) -> SourcePlace<'_> {
        self.inner.program.place(span)
    }

    /// Names of all kernels, in source order.
    pub fn kernels(&self) -> Vec<String> {
        self.inner.program.kernels().map(|(_, name)| name.to_owned()).collect()
    }

    /// The `.global` or `.const` variable of this name.
    pub fn global(&self, name: &str) -> Option<Linear> {
        self.inner.globals.get(name).cloned()
    }

    /// Whether two `.global` or `.const` variables, in the bodies of two functions, have the same
    /// name.
    pub fn has_duplicate_variables(&self) -> bool {
        self.inner.placed.len() != self.inner.globals.len()
    }

    /// Names of all `.global` and `.const` variables, sorted.
    pub fn globals(&self) -> Vec<String> {
        let mut names: Vec<_> = self.inner.globals.keys().cloned().collect();
        names.sort();
        names
    }

    /// All references to textures, samplers and surfaces.
    pub fn opaque_variables(&self) -> Vec<OpaqueVariable> {
        self.bindings().variables.clone()
    }

    /// The descriptor slots of the reference of this name.
    pub(crate) fn slots(&self, name: &str, kind: OpaqueKind) -> Option<Slots> {
        let bindings = self.bindings();
        bindings.variables.iter().find(|v| v.name == name && v.kind == kind).map(|v| v.slots)
    }

    fn bindings(&self) -> std::sync::MutexGuard<'_, Bindings> {
        self.inner.bindings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Binds a texture to the `.texref` of this name. The descriptor should start from the
    /// [`OpaqueVariable::initial`] state of the static initialiser. Returns a warning for each
    /// field of the initialiser that the resource contradicts (docs/numerics.md 12).
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such variable, and those of [`Device::create_texture`].
    pub fn bind_texture(
        &self,
        name: &str,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<Vec<String>, Error> {
        let as_driver = descriptor.as_driver || self.inner.independent;
        let made = TextureDescriptor { as_driver, ..*descriptor };
        let (texture, kept) = texture_header(&self.inner.device, resource, &made)?;
        let sampler = descriptor.sampler;
        self.bind(name, OpaqueKind::Texture, Some(kept), |tables, v| {
            tables.textures.set(v.slots.0, Some(Arc::clone(&texture)));
            tables.samplers.set(v.slots.1, Some(Arc::new(sampler)));
            warnings(name, &v.fields, |of| QueryPlan::texture(of, &texture, &sampler))
        })
    }

    /// Unbinds the `.texref` or `.surfref` of this name, after which accesses through it are
    /// faults.
    pub fn unbind(&self, name: &str) {
        let mut bindings = self.bindings();
        let variable = bindings.variables.iter_mut().find(|v| v.name == name);
        let Some(variable) = variable else { return };
        let mut tables = self.inner.device.inner.tables();
        match variable.kind {
            OpaqueKind::Texture => tables.textures.set(variable.slots.0, None),
            OpaqueKind::Surface => tables.surfaces.set(variable.slots.0, None),
            OpaqueKind::Sampler => return,
        }
        variable.bound = false;
        drop(tables);
        bindings.kept.remove(name);
    }

    /// Sets the state of the `.samplerref` of this name.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such variable, and those of [`Device::create_sampler`].
    pub fn bind_sampler(&self, name: &str, sampler: &Sampler) -> Result<(), Error> {
        self.bind(name, OpaqueKind::Sampler, None, |tables, v| {
            tables.samplers.set(v.slots.1, Some(Arc::new(*sampler)));
        })
    }

    /// Binds an array or memory to the `.surfref` of this name. Returns a warning for each field of
    /// the static initialiser that the resource contradicts.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such variable, and those of [`Device::create_surface`].
    pub fn bind_surface<'a>(
        &self,
        name: &str,
        resource: impl Into<SurfaceResource<'a>>,
    ) -> Result<Vec<String>, Error> {
        let (surface, kept) = surface_header(&self.inner.device, &resource.into())?;
        self.bind(name, OpaqueKind::Surface, Some(kept), |tables, v| {
            tables.surfaces.set(v.slots.0, Some(Arc::clone(&surface)));
            warnings(name, &v.fields, |of| QueryPlan::surface(of, &surface))
        })
    }

    fn bind<R>(
        &self,
        name: &str,
        kind: OpaqueKind,
        kept: Option<Owner>,
        set: impl FnOnce(&mut crate::descriptors::Tables, &OpaqueVariable) -> R,
    ) -> Result<R, Error> {
        let mut bindings = self.bindings();
        let variable = bindings.variables.iter_mut().find(|v| v.name == name && v.kind == kind);
        let Some(variable) = variable else {
            return Err(Error::Unknown { kind: kind.name(), name: name.to_owned() });
        };
        variable.bound = true;
        let result = set(&mut self.inner.device.inner.tables(), variable);
        if let Some(kept) = kept {
            bindings.kept.insert(name.to_owned(), kept);
        }
        Ok(result)
    }
}
