//! A lowered module: its kernels, their requirements, and the instructions that are not supported.

use super::Requirements;
use super::builder::LoweringInput;
use super::resources::{self, Resources};
use super::symbols::Symbols;
use super::unit::{self, Form, Unit};
use crate::code::Code;
use crate::launch::{Arithmetic, KernelId};
use crate::stats::Fusion;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use texunit_alu::Approximate;
use texunit_check::ir::{self, Storage, VarId};
use texunit_check::sources::{SourcePlace, Sources};
use texunit_check::uses::Uses;
use texunit_forms::sort_by_key;
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// A module as warp code. Each kernel is lowered with its possible callees when it is first needed,
/// and cached.
#[derive(Debug)]
pub struct Program {
    pub(super) module: ir::Module,
    pub(super) symbols: Symbols,
    pub(crate) source: SourceFile,
    /// For each function, the function that has its body; see [`LoweringInput`].
    pub(super) resolved: Vec<u32>,
    /// For each kernel, its code with possible callees.
    units: Vec<CachedUnits>,
    /// The code of all functions.
    whole: CachedUnits,
    /// Functions that can be called indirectly; see [`unit::taken`].
    taken: OnceLock<Vec<u32>>,
}

/// Cached code for the default [`Arithmetic`] and for other settings that change the code; for a
/// kernel, also its resources.
#[derive(Debug, Default)]
struct CachedUnits {
    usual: OnceLock<Box<Unit>>,
    /// Code without fused multiply-adds, with rounded approximate instructions, and with both;
    /// `None` if it would equal the default code.
    others: [OnceLock<Option<Box<Unit>>>; 3],
    resources: OnceLock<Resources>,
    shared: OnceLock<SharedLayout>,
}

impl CachedUnits {
    /// Returns the code for an arithmetic, lowering it on first use. Concurrent callers wait for
    /// the first.
    fn get(&self, of: &Program, arithmetic: Arithmetic, roots: impl Fn() -> Range<u32>) -> &Unit {
        let taken = || of.taken();
        let lower = |how| Box::new(unit::lower(of.parts(), taken, roots(), how, Form::Usual));
        let usual = self.usual.get_or_init(|| lower(Arithmetic::default()));
        let rounded = arithmetic.approximate == Approximate::Rounded;
        let Some(form) = (usize::from(!arithmetic.fmad) + 2 * usize::from(rounded)).checked_sub(1)
        else {
            return usual;
        };
        let other = self.others[form].get_or_init(|| {
            let fmad = arithmetic.fmad || usual.fusion.fused == 0;
            let rounded = rounded && usual.is_approximate(&of.module);
            let approximate = if rounded { Approximate::Rounded } else { Approximate::Card };
            let how = Arithmetic { fmad, approximate };
            (how != Arithmetic::default()).then(|| lower(how))
        });
        other.as_ref().unwrap_or(usual)
    }
}

/// Makes a program of a module that has no errors. Each kernel is lowered on demand.
pub fn lower(module: ir::Module, symbols: Symbols, source: SourceFile) -> Program {
    let resolved = resolve_aliases(&module);
    let units = module.functions.iter().map(|_| CachedUnits::default()).collect();
    let (whole, taken) = (CachedUnits::default(), OnceLock::new());
    Program { module, symbols, source, resolved, units, whole, taken }
}

impl Program {
    /// The code that a launch of a kernel executes.
    pub(crate) fn unit(&self, id: KernelId, arithmetic: Arithmetic) -> &Unit {
        self.units[id.0 as usize].get(self, arithmetic, || id.0..id.0 + 1)
    }

    /// The code of all functions, numbered as in the module.
    fn module_unit(&self, arithmetic: Arithmetic) -> &Unit {
        self.whole.get(self, arithmetic, || 0..self.module.functions.len() as u32)
    }

    /// The code of an observed launch of a kernel. It is the code of all functions if a listing of
    /// that has been requested, so that operation numbers match.
    pub(crate) fn observed_unit(&self, id: KernelId, arithmetic: Arithmetic) -> &Unit {
        match self.whole.usual.get() {
            Some(_) => self.module_unit(arithmetic),
            None => self.unit(id, arithmetic),
        }
    }

    /// The code for a debugged launch of a kernel, which is not cached.
    pub(crate) fn debug_unit(&self, id: KernelId, arithmetic: Arithmetic) -> Unit {
        let roots = id.0..id.0 + 1;
        unit::lower(self.parts(), || self.taken(), roots, arithmetic, Form::Debug)
    }

    /// The code of all functions.
    pub(crate) fn code(&self, arithmetic: Arithmetic) -> &Code {
        &self.module_unit(arithmetic).code
    }

    /// Number of kernels that have been lowered so far.
    pub fn lowered(&self) -> usize {
        self.units.iter().filter(|unit| unit.usual.get().is_some()).count()
    }

    /// Functions that can be called indirectly.
    pub(super) fn taken(&self) -> &[u32] {
        self.taken.get_or_init(|| unit::taken(self.parts()))
    }

    /// The function with the body of an alias or a prototype.
    pub(crate) fn resolve_alias(&self, f: u32) -> u32 {
        self.parts().resolve_alias(f)
    }

    /// Numbers of fused and undecided sums in a kernel and its possible callees.
    pub fn fusion(&self, id: KernelId, arithmetic: Arithmetic) -> Fusion {
        self.unit(id, arithmetic).fusion
    }

    /// The inputs of lowering.
    fn parts(&self) -> LoweringInput<'_> {
        let Self { module, symbols, source, resolved, .. } = self;
        LoweringInput { module, symbols, source, resolved }
    }

    /// A function by its number in the module.
    pub(crate) fn function_at(&self, number: u32) -> Option<&ir::Function> {
        self.module.functions.get(number as usize)
    }

    /// The function of this name that has a body.
    pub(crate) fn function_called(&self, name: &str) -> Option<&ir::Function> {
        self.module.functions.iter().find(|f| f.name == name && f.body.is_some())
    }

    /// A variable of the module.
    pub(crate) fn variable(&self, id: VarId) -> Option<&ir::Variable> {
        self.module.variables.get(id.0 as usize)
    }

    /// Whether a variable of the module has this name.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.module.variables.iter().any(|variable| variable.name == name)
    }

    /// All kernels with their names, in module order.
    pub fn kernels(&self) -> impl Iterator<Item = (KernelId, &str)> {
        let all = self.module.functions.iter().enumerate();
        all.filter(|(_, f)| f.is_entry && f.body.is_some())
            .map(|(i, f)| (KernelId(i as u32), f.name.as_str()))
    }

    /// The kernel of this name.
    pub fn kernel(&self, name: &str) -> Option<KernelId> {
        self.kernels().find(|(_, n)| *n == name).map(|(id, _)| id)
    }

    fn function(&self, id: KernelId) -> &ir::Function {
        &self.module.functions[id.0 as usize]
    }

    /// Name of a kernel.
    pub fn kernel_name(&self, id: KernelId) -> &str {
        &self.function(id).name
    }

    /// The PTX source of the module.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Source locations of the module's instructions.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.module.sources
    }

    /// Source location of an instruction in the PTX and in the source that the PTX was compiled
    /// from. `span` is the instruction's span as in faults, watched accesses and fetch sites.
    pub fn place(&self, span: Span) -> SourcePlace<'_> {
        self.module.sources.place(&self.source, span)
    }

    /// Parameters of a kernel.
    pub fn kernel_params(&self, id: KernelId) -> &[ir::Param] {
        &self.function(id).params
    }

    /// How a kernel uses its parameters and the module's references.
    pub fn uses(&self, id: KernelId) -> Uses {
        texunit_check::uses::uses(&self.module, ir::FuncId(id.0))
    }

    /// Performance-tuning directives of a kernel, such as `.maxntid` and `.reqntid`.
    pub fn kernel_directives(&self, id: KernelId) -> &[(String, Vec<u64>)] {
        &self.function(id).directives
    }

    /// Size of a kernel's parameter buffer in bytes.
    pub fn param_size(&self, id: KernelId) -> u32 {
        self.function(id).param_size
    }

    /// Bytes of static shared memory of a kernel and what it calls.
    pub fn static_shared(&self, id: KernelId) -> u32 {
        u32::try_from(self.shared_layout(id).size).unwrap_or(u32::MAX)
    }

    /// The requirements of the kernel and of the functions that it can reach.
    fn needs(&self, id: KernelId) -> impl Iterator<Item = &Requirements> {
        self.unit(id, Arithmetic::default()).needs.iter()
    }

    /// Diagnostics of all unsupported instructions that the kernel can reach, in source order. If
    /// the kernel has an indirect call, all functions whose address is taken are included.
    pub fn unsupported(&self, id: KernelId) -> Vec<Diagnostic> {
        let unsupported = self.needs(id).flat_map(|n| &n.unsupported);
        let mut all: Vec<Diagnostic> = unsupported.cloned().collect();
        sort_by_key(&mut all, |d| d.primary.span);
        all
    }

    /// Whether the kernel can call `malloc`, `free`, `cudaMalloc` or `cudaFree`.
    pub fn allocates(&self, id: KernelId) -> bool {
        self.needs(id).any(|n| n.allocates)
    }

    /// Whether the kernel may wait for agents outside: it has spin loops, sleeps, or has loads that
    /// observe concurrent changes (`ld.volatile`, `ld.acquire` and so on). Other kernels may wait,
    /// too, but only with a loop that a compiler may assume to be infinite.
    pub fn may_wait(&self, id: KernelId) -> bool {
        self.needs(id).any(|n| n.may_wait)
    }

    /// Whether the kernel can print.
    pub fn prints(&self, id: KernelId) -> bool {
        self.needs(id).any(|n| n.prints)
    }

    /// Whether the kernel needs a device heap.
    pub fn uses_heap(&self, id: KernelId) -> bool {
        self.needs(id).any(|n| n.heap)
    }

    /// Whether the kernel can call the device runtime.
    pub fn uses_runtime(&self, id: KernelId) -> bool {
        self.needs(id).any(|n| n.runtime)
    }

    /// The kernel that a function pointer refers to.
    pub(crate) fn kernel_of(&self, function: ir::FuncId) -> Option<KernelId> {
        let of = self.resolve_alias(function.0);
        let kernel = self.module.functions.get(of as usize)?;
        (kernel.is_entry && kernel.body.is_some()).then_some(KernelId(of))
    }

    /// Names of special registers that the kernel can read and that differ between runs, sorted and
    /// without duplicates: clocks, and values that depend on host threads.
    pub fn nondeterministic_inputs(&self, id: KernelId) -> Vec<&'static str> {
        let all = self.needs(id).flat_map(|n| &n.nondeterministic_inputs);
        let mut names: Vec<&'static str> = all.map(|reg| reg.name()).collect();
        sort_by_key(&mut names, |&name| name);
        names.dedup();
        names
    }

    /// Whether the kernel reads the offset of reserved shared memory.
    pub(crate) fn uses_reserved_shared(&self, id: KernelId) -> bool {
        self.needs(id).any(|n| n.reserved_shared)
    }

    /// Resources that a thread of the kernel needs.
    pub fn resources(&self, id: KernelId) -> Resources {
        *self.units[id.0 as usize]
            .resources
            .get_or_init(|| resources::count(self.parts(), self.unit(id, Arithmetic::default())))
    }

    /// Shared-memory layout of a kernel.
    pub(crate) fn shared_layout(&self, id: KernelId) -> &SharedLayout {
        self.units[id.0 as usize].shared.get_or_init(|| self.lay_out_shared(id))
    }

    fn lay_out_shared(&self, id: KernelId) -> SharedLayout {
        let mut used: Vec<VarId> = self.needs(id).flat_map(|n| &n.shared).copied().collect();
        sort_by_key(&mut used, |&v| v);
        used.dedup();
        let (mut offsets, mut end, mut align) = (HashMap::new(), 0_u64, 1_u64);
        let mut dynamic = Vec::new();
        for v in used {
            let Some(variable) = self.variable(v) else { continue };
            let step = variable.align.max(1);
            if variable.storage == Storage::DynamicShared {
                align = align.max(step).max(16);
                dynamic.push(v);
                continue;
            }
            let at = end.checked_next_multiple_of(step).unwrap_or(u64::MAX);
            offsets.insert(v, at);
            end = at.saturating_add(variable.size);
        }
        // Dynamic shared memory begins at the strictest alignment of its variables.
        let start = end.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        offsets.extend(dynamic.into_iter().map(|v| (v, start)));
        SharedLayout { offsets, size: end, dynamic: start }
    }
}

/// Offsets of a kernel's shared variables.
#[derive(Debug)]
pub(crate) struct SharedLayout {
    pub(crate) offsets: HashMap<VarId, u64>,
    /// Bytes of static shared memory.
    pub(crate) size: u64,
    /// Offset of dynamic shared memory.
    pub(crate) dynamic: u64,
}

/// For each function, the function with its body, to which aliases and prototypes resolve.
fn resolve_aliases(module: &ir::Module) -> Vec<u32> {
    let functions = &module.functions;
    let bodies: HashMap<&str, u32> = (0..)
        .zip(functions)
        .filter(|(_, f)| f.body.is_some())
        .map(|(i, f)| (f.name.as_str(), i))
        .collect();
    (0..functions.len() as u32)
        .map(|start| {
            let mut at = start;
            // The iteration limit ends a cycle of aliases.
            for _ in 0..functions.len() {
                let alias = functions.get(at as usize).filter(|f| f.body.is_none());
                let Some(of) = alias.and_then(|f| f.alias_of) else { break };
                at = of.0;
            }
            match functions.get(at as usize) {
                Some(f) if f.body.is_none() => bodies.get(f.name.as_str()).copied().unwrap_or(at),
                _ => at,
            }
        })
        .collect()
}
