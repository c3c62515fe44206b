//! Loads the variables of a checked module onto a device: allocates them, initialises them, and
//! resolves addresses. docs/diagnostics.md is generated from [`CODES`].

use crate::device::Device;
use crate::error::Error;
use crate::handles::OpaqueKind;
use crate::linear::{Linear, copy_in};
use crate::variables::{OpaqueVariable, VariableAddresses, initial_state};
use std::collections::HashMap;
use std::sync::Arc;
use texunit_check::ir::{self, Storage, Symbol, VarId};
use texunit_isa::ScalarType;
use texunit_memory::{AllocError, Block, Placement};
use texunit_simt::Symbols;
use texunit_syntax::Diagnostic;
use texunit_syntax::codes::Code;

/// Diagnostic codes of errors that prevent loading of a correct module, with their titles and
/// explanations.
#[rustfmt::skip]
pub const CODES: &[Code] = &[
    Code { code: "E0500", title: "variable without a definition", explanation:
        "An `.extern` variable is defined in another module, and modules are not linked. Define it in this one." },
    Code { code: "E0501", title: "variable that has no place", explanation:
        "The device's memory or a descriptor table is full." },
    Code { code: "E0502", title: "function without a definition", explanation:
        "A function that is declared (`.extern .func`) and used is defined in another module: link both (`cuLinkAddData` with each, `nvcc -rdc=true`). Assemblers and drivers refuse a module with such a use, be it in code that is never reached. `vprintf`, `__assertfail`, `malloc` and `free` need no definition." },
    Code { code: "E0503", title: "address behind a reference", explanation:
        "The address of a `.texref`, `.samplerref` or `.surfref` is a handle, and a handle plus a number is not the handle of another. Only the first of an array of references can be bound: declare them one by one." },
    Code { code: "E0504", title: "module that a driver does not load", explanation:
        "CUDA's driver does not load modules with `txq` or `suq` of anything but width, height and depth, with a `.samplerref`, or with a kernel that takes a reference as its parameter (an NVIDIA H200, driver 580). Programs under `texunit run` get its error; `texunit launch` executes such modules." },
];

/// The state of loading a module's variables.
pub(crate) struct Loader<'a> {
    device: &'a Device,
    module: &'a ir::Module,
    /// Requested addresses and handles of variables.
    places: &'a VariableAddresses,
    pub(crate) symbols: Symbols,
    pub(crate) globals: HashMap<String, Linear>,
    /// Addresses of all variables in memory, because variables in function bodies may have equal
    /// names.
    pub(crate) placed: Vec<u64>,
    /// For each `VarId`, the memory of a global or constant variable.
    blocks: Vec<Option<Arc<Block>>>,
    pub(crate) opaque: Vec<OpaqueVariable>,
    pub(crate) failures: Vec<Diagnostic>,
}

impl<'a> Loader<'a> {
    pub(crate) fn new(
        device: &'a Device,
        module: &'a ir::Module,
        places: &'a VariableAddresses,
    ) -> Self {
        let count = module.variables.len();
        Self {
            device,
            module,
            places,
            symbols: Symbols { addresses: vec![0; count] },
            globals: HashMap::new(),
            placed: Vec::new(),
            blocks: vec![None; count],
            opaque: Vec::new(),
            failures: Vec::new(),
        }
    }

    pub(crate) fn place_variables(&mut self) {
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
        if let Some(&address) = self.places.memory.get(&variable.name) {
            let (size, name) = (variable.size, variable.name.as_str());
            let place = Placement { address, size, name, number: None };
            let block = memory.allocate_at(&place).map_err(|e| Error::placement(name, e))?;
            self.keep(id, variable, (address, block));
            return Ok(());
        }
        let new = match variable.storage {
            Storage::Const => memory.allocate_const(variable.size, &variable.name),
            _ if variable.managed => self.place_on_host(variable),
            _ => memory.allocate(variable.size, &variable.name),
        };
        let new = new.map_err(|source| Error::Memory { name: variable.name.clone(), source })?;
        self.keep(id, variable, new);
        Ok(())
    }

    fn keep(&mut self, id: usize, variable: &ir::Variable, (address, block): (u64, Arc<Block>)) {
        self.placed.push(address);
        self.symbols.addresses[id] = address;
        self.blocks[id] = Some(Arc::clone(&block));
        self.globals.insert(variable.name.clone(), Linear::of_block(block, address));
    }

    /// Allocates memory that the host program can access at the same address (managed variables).
    fn place_on_host(&self, variable: &ir::Variable) -> Result<(u64, Arc<Block>), AllocError> {
        let full = AllocError::Host { size: variable.size };
        let size = usize::try_from(variable.size.max(1)).map_err(|_| full.clone())?;
        let block = Block::page_aligned(size, variable.name.as_str()).map(Arc::new);
        let block = block.ok_or(full.clone())?;
        self.device.memory().attach(block.host_address(), &block).map_err(|_| full)?;
        Ok((block.host_address(), block))
    }

    fn place_opaque(&mut self, id: usize, of: &ir::Variable, ty: ScalarType) -> Result<(), Error> {
        let initial = initial_state(&of.fields);
        let name = &of.name;
        let wanted = self.places.handles.get(name).copied();
        let mut tables = self.device.inner.tables();
        let kind = match ty {
            ScalarType::Samplerref => OpaqueKind::Sampler,
            ScalarType::Surfref => OpaqueKind::Surface,
            _ => OpaqueKind::Texture,
        };
        let slots = tables.take(kind, name, wanted, None)?;
        let bound = kind == OpaqueKind::Sampler;
        if bound {
            tables.samplers.set(slots.1, Some(Arc::new(initial.sampler)));
        }
        drop(tables);
        let (name, fields) = (name.clone(), of.fields.clone());
        let variable = OpaqueVariable { name, kind, initial, bound, slots, fields };
        self.symbols.addresses[id] = variable.handle();
        self.opaque.push(variable);
        Ok(())
    }

    /// Writes the initial values, with addresses resolved.
    pub(crate) fn initialize(&mut self) {
        for (id, variable) in self.module.variables.iter().enumerate() {
            let Some(block) = self.blocks[id].clone() else { continue };
            let mut bytes = variable.init.clone();
            for r in &variable.relocations {
                if let Some(name) = self.behind_reference(r) {
                    let message = format!("`{}` points behind `{name}`", variable.name);
                    let error = Diagnostic::error("E0503", variable.span, message)
                        .label("its initialiser adds to the address of a reference")
                        .help("declare references of their own instead of an array");
                    self.failures.push(error);
                }
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

    /// The name of a reference whose handle is used with an offset, which does not give a handle.
    fn behind_reference(&self, r: &ir::Relocation) -> Option<&'a str> {
        let Symbol::Variable(VarId(v)) = r.target else { return None };
        let target = self.module.variables.get(v as usize)?;
        let opaque = matches!(target.storage, Storage::Opaque(_));
        (opaque && r.addend != 0).then_some(target.name.as_str())
    }
}

/// Frees the memory and the descriptor slots of a module.
pub(crate) fn release(device: &Device, placed: &[u64], opaque: &[OpaqueVariable]) {
    for &address in placed {
        device.inner.memory.free(address);
    }
    let mut tables = device.inner.tables();
    for variable in opaque {
        tables.release(variable.kind, variable.slots);
    }
}
