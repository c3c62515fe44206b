//! Modules: PTX that is checked and loaded onto a device, its variables, and bindings of textures
//! and surfaces to references.

use crate::buffer::copy_in;
use crate::device::Device;
use crate::error::Error;
use crate::initial::{surface_warnings, texture_warnings};
use crate::kernel::Kernel;
use crate::loader::{Loader, release};
use crate::resource::{Owner, SurfaceResource, TextureResource};
use crate::state::VariableAddresses;
use crate::texture::{
    Pairing, TextureDescriptor, sampler_handle, surface_handle, surface_header, texture_handle,
    texture_header,
};
#[cfg(feature = "sass")]
use crate::txd::GradientInstructions;
use crate::undefined::undefined;
use crate::unknown::UnknownKernel;
use crate::unloadable::{Unloadable, unloadable};
use std::collections::HashMap;
#[cfg(feature = "sass")]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex, PoisonError};
use texunit_check::sources::{SourcePlace, Sources};
use texunit_memory::Block;
use texunit_simt::observe::Listing;
use texunit_simt::{Arithmetic, Program};
use texunit_syntax::{Diagnostic, SourceFile, Span};
use texunit_unit::Sampler;

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
            let newline = if i > 0 { "\n" } else { "" };
            let name = self.source.name();
            write!(
                f,
                "{newline}{name}:{}:{}: error[{}]: {}",
                at.line, at.column, d.code, d.message
            )?;
        }
        Ok(())
    }
}

impl std::error::Error for LoadError {}

/// Kinds of module-scope references to textures, samplers and surfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueKind {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

impl OpaqueVariable {
    /// The handle that is the variable's value.
    pub fn handle(&self) -> u64 {
        let (header, sampler) = (self.slots.0.unwrap_or(0), self.slots.1.unwrap_or(0));
        match self.kind {
            OpaqueKind::Texture => texture_handle(header, sampler),
            OpaqueKind::Sampler => sampler_handle(sampler),
            OpaqueKind::Surface => surface_handle(header),
        }
    }
}

impl OpaqueKind {
    /// The name of the type in PTX.
    pub fn name(self) -> &'static str {
        match self {
            OpaqueKind::Texture => ".texref",
            OpaqueKind::Sampler => ".samplerref",
            OpaqueKind::Surface => ".surfref",
        }
    }
}

/// A module-scope `.texref`, `.samplerref` or `.surfref`, and the state that its initialiser gives.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OpaqueVariable {
    /// The variable's name.
    pub name: String,
    /// The kind of reference.
    pub kind: OpaqueKind,
    /// The state of the static initialiser; omitted fields have PTX's defaults.
    pub initial: TextureDescriptor,
    /// Whether something is bound to the reference (a `.samplerref` always has its initial state).
    pub bound: bool,
    /// The slots in the descriptor tables of headers and samplers.
    pub(crate) slots: (Option<usize>, Option<usize>),
    /// The initialiser's fields as written, to be compared with a bound resource.
    pub(crate) fields: Vec<(String, i64)>,
}

/// A module-scope `.global` or `.const` variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Global {
    pub(crate) block: Arc<Block>,
    pub(crate) address: u64,
}

impl Global {
    /// Device address.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.block.size() as u64
    }

    /// A copy of all bytes.
    pub fn read(&self) -> Vec<u8> {
        self.block.to_vec()
    }

    /// Copies bytes to the variable, from `offset` on.
    ///
    /// # Errors
    /// [`Error::CopyOutside`] if the bytes do not fit.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        copy_in(&self.block, offset, bytes)
    }
}

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
    globals: HashMap<String, Global>,
    placed: Vec<u64>,
    bindings: Mutex<Bindings>,
    /// The machine code of gradient fetches, created when first needed.
    #[cfg(feature = "sass")]
    gradient_instructions: OnceLock<GradientInstructions>,
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
        if loader.failures.is_empty() {
            let Loader { symbols, globals, placed, opaque, .. } = loader;
            let bindings = Mutex::new(Bindings { variables: opaque, kept: HashMap::new() });
            let device = device.clone();
            let warnings = diagnostics;
            let independent = checked.module.independent;
            let unloadable = unloadable(&checked.module);
            let program = texunit_simt::lower(checked.module, symbols, source);
            let inner = Loaded {
                device,
                program,
                independent,
                unloadable,
                warnings,
                globals,
                placed,
                bindings,
                #[cfg(feature = "sass")]
                gradient_instructions: OnceLock::new(),
            };
            Ok(Self { inner: Arc::new(inner) })
        } else {
            diagnostics.append(&mut loader.failures);
            loader.release();
            let sources = Arc::clone(&checked.module.sources);
            Err(LoadError { source, diagnostics, sources })
        }
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

    /// The kernel of this name.
    ///
    /// # Errors
    /// An error with the most similar name, if there is no such kernel.
    pub fn kernel(&self, name: &str) -> Result<Kernel, UnknownKernel> {
        Kernel::new(self, name)
    }

    /// All kernels, in source order.
    pub fn all_kernels(&self) -> impl Iterator<Item = Kernel> + '_ {
        self.inner.program.kernels().map(|(id, name)| Kernel::of(self, id, name))
    }

    /// Names of all kernels, in source order.
    pub fn kernels(&self) -> Vec<String> {
        self.inner.program.kernels().map(|(_, name)| name.to_owned()).collect()
    }

    /// The `.global` or `.const` variable of this name.
    pub fn global(&self, name: &str) -> Option<Global> {
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
    pub(crate) fn slots(
        &self,
        name: &str,
        kind: OpaqueKind,
    ) -> Option<(Option<usize>, Option<usize>)> {
        let bindings = self.bindings();
        bindings.variables.iter().find(|v| v.name == name && v.kind == kind).map(|v| v.slots)
    }

    /// The machine code of the module's fetches with gradients.
    #[cfg(feature = "sass")]
    pub(crate) fn gradient_instructions(&self) -> &GradientInstructions {
        self.inner.gradient_instructions.get_or_init(|| GradientInstructions::new(self.source()))
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
        let pairing = if self.inner.independent { Pairing::AtFetch } else { Pairing::Now };
        self.bind_texture_as(name, resource, descriptor, pairing)
    }

    /// As [`Self::bind_texture`], but refuses only what the driver refuses
    /// ([`Device::create_texture_as_driver`]).
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no such variable, and those of
    /// [`Device::create_texture_as_driver`].
    pub fn bind_texture_as_driver(
        &self,
        name: &str,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<Vec<String>, Error> {
        self.bind_texture_as(name, resource, descriptor, Pairing::AtFetch)
    }

    fn bind_texture_as(
        &self,
        name: &str,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
        pairing: Pairing,
    ) -> Result<Vec<String>, Error> {
        let device = &self.inner.device;
        let (texture, kept) = texture_header(device, resource, descriptor, pairing)?;
        let warnings = self.bind(name, OpaqueKind::Texture, Some(kept), |tables, v| {
            if let Some(slot) = v.slots.0 {
                tables.textures.set(slot, Some(Arc::clone(&texture)));
            }
            if let Some(slot) = v.slots.1 {
                tables.samplers.set(slot, Some(Arc::new(descriptor.sampler)));
            }
            texture_warnings(name, &v.fields, &texture, descriptor)
        })?;
        Ok(warnings)
    }

    /// Unbinds the `.texref` or `.surfref` of this name, after which accesses through it are
    /// faults.
    pub fn unbind(&self, name: &str) {
        let mut bindings = self.bindings();
        let variable = bindings.variables.iter_mut().find(|v| v.name == name);
        let Some(variable) = variable else { return };
        let mut tables = self.inner.device.inner.tables();
        match (variable.kind, variable.slots.0) {
            (OpaqueKind::Texture, Some(slot)) => tables.textures.set(slot, None),
            (OpaqueKind::Surface, Some(slot)) => tables.surfaces.set(slot, None),
            _ => return,
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
            if let Some(slot) = v.slots.1 {
                tables.samplers.set(slot, Some(Arc::new(*sampler)));
            }
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
            if let Some(slot) = v.slots.0 {
                tables.surfaces.set(slot, Some(Arc::clone(&surface)));
            }
            surface_warnings(name, &v.fields, &surface)
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
