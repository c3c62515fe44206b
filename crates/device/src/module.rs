//! Modules: PTX text loaded onto a device.

use crate::array::Array;
use crate::buffer::copy_in;
use crate::device::{Device, Error};
use crate::kernel::Kernel;
use crate::texture::{
    Kept, TextureDescriptor, TextureResource, sampler_handle, surface_handle, surface_header,
    texture_handle, texture_header,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use texunit_check::ir::{self, Storage, Symbol, VarId};
use texunit_isa::ScalarType;
use texunit_memory::Block;
use texunit_simt::{Program, Symbols};
use texunit_syntax::{Diagnostic, SourceFile};
use texunit_unit::{AddressMode, Filter, Sampler};

/// A text that is no module. Renders with crate `report`; its `Display` is the short form.
#[derive(Clone, Debug)]
pub struct LoadError {
    /// The text.
    pub source: SourceFile,
    /// Every mistake found, warnings included.
    pub diagnostics: Vec<Diagnostic>,
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

/// Kinds of module-scope references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OpaqueKind {
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

impl OpaqueKind {
    /// PTX name of the type.
    pub fn name(self) -> &'static str {
        match self {
            OpaqueKind::Texture => ".texref",
            OpaqueKind::Sampler => ".samplerref",
            OpaqueKind::Surface => ".surfref",
        }
    }
}

/// A module-scope `.texref`, `.samplerref` or `.surfref`, and the state its initialiser gives.
#[derive(Clone, Debug)]
pub struct OpaqueVariable {
    /// Name.
    pub name: String,
    /// Kind.
    pub kind: OpaqueKind,
    /// What the static initialiser says; omitted fields have PTX's defaults.
    pub initial: TextureDescriptor,
    /// Whether something is bound to it (a `.samplerref` always has its initial state).
    pub bound: bool,
    /// Slots in the descriptor tables: header and sampler.
    slots: (Option<usize>, Option<usize>),
    /// Fields as written, for the comparison with what is bound.
    fields: Vec<(String, i64)>,
}

/// A module-scope `.global` or `.const` variable.
#[derive(Clone, Debug)]
pub struct Global {
    block: Arc<Block>,
    address: u64,
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

    /// All bytes.
    pub fn read(&self) -> Vec<u8> {
        self.block.to_vec()
    }

    /// Copies bytes to `offset` and on.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        copy_in(&self.block, offset, bytes)
    }
}

#[derive(Debug)]
struct Bindings {
    variables: Vec<OpaqueVariable>,
    kept: HashMap<String, Kept>,
}

pub(crate) struct Loaded {
    pub(crate) device: Device,
    pub(crate) source: SourceFile,
    pub(crate) program: Program,
    warnings: Vec<Diagnostic>,
    globals: HashMap<String, Global>,
    bindings: Mutex<Bindings>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let bindings = self.bindings.get_mut().unwrap_or_else(PoisonError::into_inner);
        release(&self.device, &self.globals, &bindings.variables);
    }
}

/// PTX that has been read, checked and lowered, with its variables on the device. Cheap to clone.
#[derive(Clone)]
pub struct Module {
    pub(crate) inner: Arc<Loaded>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("source", &self.inner.source.name()).finish_non_exhaustive()
    }
}

impl Module {
    /// Reads, checks and lowers the text of a module, and puts its variables on the device.
    /// `name` is what messages call the text.
    pub fn load(device: &Device, name: &str, text: &str) -> Result<Self, LoadError> {
        let source = SourceFile::new(name, text);
        let parsed = texunit_syntax::parse(&source);
        let mut diagnostics = parsed.diagnostics;
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(LoadError { source, diagnostics });
        }
        let checked = texunit_check::check(&source, &parsed.module);
        diagnostics.extend(checked.diagnostics);
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Err(LoadError { source, diagnostics });
        }
        let mut loader = Loader::new(device, &checked.module);
        loader.place_variables();
        loader.initialize();
        if loader.failures.is_empty() {
            let program = texunit_simt::lower(&checked.module, &loader.symbols, &source);
            let Loader { globals, opaque, .. } = loader;
            let bindings = Mutex::new(Bindings { variables: opaque, kept: HashMap::new() });
            let device = device.clone();
            let warnings = diagnostics;
            let inner = Loaded { device, source, program, warnings, globals, bindings };
            Ok(Self { inner: Arc::new(inner) })
        } else {
            diagnostics.append(&mut loader.failures);
            loader.release();
            Err(LoadError { source, diagnostics })
        }
    }

    /// Warnings found while loading.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.inner.warnings
    }

    /// The text.
    pub fn source(&self) -> &SourceFile {
        &self.inner.source
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<Kernel> {
        Kernel::new(self, name)
    }

    /// Names of all kernels, in source order.
    pub fn kernels(&self) -> Vec<String> {
        self.inner.program.kernels().map(|(_, name)| name.to_owned()).collect()
    }

    /// The `.global` or `.const` variable of that name.
    pub fn global(&self, name: &str) -> Option<Global> {
        self.inner.globals.get(name).cloned()
    }

    /// Names of all `.global` and `.const` variables, sorted.
    pub fn globals(&self) -> Vec<String> {
        let mut names: Vec<_> = self.inner.globals.keys().cloned().collect();
        names.sort();
        names
    }

    /// All module-scope references.
    pub fn opaque_variables(&self) -> Vec<OpaqueVariable> {
        self.bindings().variables.clone()
    }

    fn bindings(&self) -> std::sync::MutexGuard<'_, Bindings> {
        self.inner.bindings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Binds a texture to the `.texref` of that name. Start from its
    /// [`OpaqueVariable::initial`] state, which the static initialiser gives. Returns a warning
    /// for each field of the initialiser that the resource contradicts (docs/numerics.md 12).
    pub fn bind_texture(
        &self,
        name: &str,
        resource: &TextureResource<'_>,
        descriptor: &TextureDescriptor,
    ) -> Result<Vec<String>, Error> {
        let device = &self.inner.device;
        let (texture, kept) = texture_header(device, resource, descriptor)?;
        let warnings = self.bind(name, OpaqueKind::Texture, Some(kept), |tables, v| {
            if let Some(slot) = v.slots.0 {
                tables.set_texture(slot, Some(Arc::clone(&texture)));
            }
            if let Some(slot) = v.slots.1 {
                tables.set_sampler(slot, Some(Arc::new(descriptor.sampler)));
            }
            let extent = texture.resource.extent();
            let sizes =
                [("width", extent.width), ("height", extent.height), ("depth", extent.depth)];
            let differs = |(field, value): &(String, i64)| {
                let (_, real) = sizes.iter().find(|(n, _)| n == field)?;
                // PTX writes 0 or 1 for an axis that the texture lacks.
                let same = i64::from(*real) == *value || (*real == 1 && *value == 0);
                (!same).then(|| {
                    format!(
                        "the initialiser of `{name}` says {field} = {value}, but the resource \
                         bound has {real}; the resource wins"
                    )
                })
            };
            v.fields.iter().filter_map(differs).collect()
        })?;
        Ok(warnings)
    }

    /// Sets the state of the `.samplerref` of that name.
    pub fn bind_sampler(&self, name: &str, sampler: &Sampler) -> Result<(), Error> {
        self.bind(name, OpaqueKind::Sampler, None, |tables, v| {
            if let Some(slot) = v.slots.1 {
                tables.set_sampler(slot, Some(Arc::new(*sampler)));
            }
        })
    }

    /// Binds an array to the `.surfref` of that name.
    pub fn bind_surface(&self, name: &str, array: &Array) -> Result<(), Error> {
        let surface = surface_header(&self.inner.device, array)?;
        self.bind(name, OpaqueKind::Surface, Some(Kept::Array(array.clone())), |tables, v| {
            if let Some(slot) = v.slots.0 {
                tables.set_surface(slot, Some(Arc::clone(&surface)));
            }
        })
    }

    fn bind<R>(
        &self,
        name: &str,
        kind: OpaqueKind,
        kept: Option<Kept>,
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

/// Puts the variables of a module on a device.
struct Loader<'a> {
    device: &'a Device,
    module: &'a ir::Module,
    symbols: Symbols,
    globals: HashMap<String, Global>,
    /// Blocks of global and constant variables, by `VarId`.
    blocks: Vec<Option<Arc<Block>>>,
    opaque: Vec<OpaqueVariable>,
    failures: Vec<Diagnostic>,
}

impl<'a> Loader<'a> {
    fn new(device: &'a Device, module: &'a ir::Module) -> Self {
        let count = module.variables.len();
        Self {
            device,
            module,
            symbols: Symbols { addresses: vec![0; count] },
            globals: HashMap::new(),
            blocks: vec![None; count],
            opaque: Vec::new(),
            failures: Vec::new(),
        }
    }

    fn place_variables(&mut self) {
        for (id, variable) in self.module.variables.iter().enumerate() {
            let placed = match variable.storage {
                Storage::Shared | Storage::DynamicShared => Ok(()),
                Storage::Global | Storage::Const if variable.is_extern => {
                    let message = format!("the module does not define `{}`", variable.name);
                    let error = Diagnostic::error("E0500", variable.span, message)
                        .label("declared `.extern`, and nothing else is loaded that defines it")
                        .help("define the variable in this module");
                    self.failures.push(error);
                    Ok(())
                }
                Storage::Global | Storage::Const => self.place_memory(id, variable),
                Storage::Opaque(ty) => self.place_opaque(id, variable, ty),
            };
            if let Err(error) = placed {
                let message = format!("cannot place `{}`: {error}", variable.name);
                self.failures.push(Diagnostic::error("E0501", variable.span, message));
            }
        }
    }

    fn place_memory(&mut self, id: usize, variable: &ir::Variable) -> Result<(), Error> {
        let memory = &self.device.inner.memory;
        let placed = match variable.storage {
            Storage::Const => memory.allocate_const(variable.size, &variable.name),
            _ => memory.allocate(variable.size, &variable.name),
        };
        let (address, block) =
            placed.map_err(|source| Error::Memory { name: variable.name.clone(), source })?;
        self.symbols.addresses[id] = address;
        self.blocks[id] = Some(Arc::clone(&block));
        self.globals.insert(variable.name.clone(), Global { block, address });
        Ok(())
    }

    fn place_opaque(
        &mut self,
        id: usize,
        variable: &ir::Variable,
        ty: ScalarType,
    ) -> Result<(), Error> {
        let initial = initial_state(&variable.fields);
        let mut tables = self.device.inner.tables();
        let (kind, slots, handle) = match ty {
            ScalarType::Samplerref => {
                let slot = tables.reserve_sampler()?;
                tables.set_sampler(slot, Some(Arc::new(initial.sampler)));
                (OpaqueKind::Sampler, (None, Some(slot)), sampler_handle(slot))
            }
            ScalarType::Surfref => {
                let slot = tables.reserve_surface()?;
                (OpaqueKind::Surface, (Some(slot), None), surface_handle(slot))
            }
            _ => {
                let header = tables.reserve_texture()?;
                let sampler = match tables.reserve_sampler() {
                    Ok(slot) => slot,
                    Err(error) => {
                        tables.release_texture(header);
                        return Err(error);
                    }
                };
                let handle = texture_handle(header, sampler);
                (OpaqueKind::Texture, (Some(header), Some(sampler)), handle)
            }
        };
        drop(tables);
        self.symbols.addresses[id] = handle;
        self.opaque.push(OpaqueVariable {
            name: variable.name.clone(),
            kind,
            initial,
            bound: kind == OpaqueKind::Sampler,
            slots,
            fields: variable.fields.clone(),
        });
        Ok(())
    }

    /// Writes the initial bytes, addresses included.
    fn initialize(&mut self) {
        for (id, variable) in self.module.variables.iter().enumerate() {
            let Some(block) = self.blocks[id].clone() else { continue };
            let mut bytes = variable.init.clone();
            for r in &variable.relocations {
                let address = match r.target {
                    Symbol::Variable(VarId(v)) => self.symbols.addresses[v as usize],
                    Symbol::Function(f) => texunit_simt::function_address(f),
                };
                let value = address.wrapping_add(r.addend as u64) >> r.shift;
                let (at, size) = (r.offset as usize, usize::from(r.size));
                if let Some(place) = bytes.get_mut(at..at + size) {
                    place.copy_from_slice(&value.to_le_bytes()[..size]);
                }
            }
            if let Err(error) = copy_in(&block, 0, &bytes) {
                let message = format!("cannot initialise `{}`: {error}", variable.name);
                self.failures.push(Diagnostic::error("E0501", variable.span, message));
            }
        }
    }

    /// Undoes everything after a failure.
    fn release(self) {
        release(self.device, &self.globals, &self.opaque);
    }
}

/// Gives the memory and the descriptor slots of a module back.
fn release(device: &Device, globals: &HashMap<String, Global>, opaque: &[OpaqueVariable]) {
    for global in globals.values() {
        device.inner.memory.free(global.address);
    }
    let mut tables = device.inner.tables();
    for variable in opaque {
        match (variable.kind, variable.slots.0) {
            (OpaqueKind::Texture, Some(slot)) => tables.release_texture(slot),
            (OpaqueKind::Surface, Some(slot)) => tables.release_surface(slot),
            _ => {}
        }
        if let Some(slot) = variable.slots.1 {
            tables.release_sampler(slot);
        }
    }
}

/// The state that a static initialiser gives: PTX's defaults where it is silent.
fn initial_state(fields: &[(String, i64)]) -> TextureDescriptor {
    let mut state = TextureDescriptor::default();
    for (name, value) in fields {
        match name.as_str() {
            "normalized_coords" => state.normalized_coords = *value != 0,
            "force_unnormalized_coords" => state.sampler.force_unnormalized_coords = *value != 0,
            "filter_mode" if *value == 1 => state.sampler.filter = Filter::Linear,
            "addr_mode_0" => state.sampler.address_mode[0] = address_mode(*value),
            "addr_mode_1" => state.sampler.address_mode[1] = address_mode(*value),
            "addr_mode_2" => state.sampler.address_mode[2] = address_mode(*value),
            _ => {}
        }
    }
    state
}

/// PTX's numbering of address modes.
fn address_mode(value: i64) -> AddressMode {
    match value {
        0 => AddressMode::Wrap,
        1 => AddressMode::Mirror,
        4 => AddressMode::Border,
        _ => AddressMode::Clamp,
    }
}
