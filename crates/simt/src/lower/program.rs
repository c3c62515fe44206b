//! A lowered module: its kernels, what they need, and what of them we cannot run.

use super::Needs;
use crate::code::{Code, NONE};
use crate::observe::marks;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use texunit_check::ir::{self, FuncId, Storage, VarId};
use texunit_check::sources::{SourcePlace, Sources};
use texunit_isa::{MipMode, Opcode, ScalarType};
use texunit_syntax::{Diagnostic, SourceFile, Span};

/// What the loader decided: addresses of variables and handles of opaque ones.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    /// By index of the variable: address of `.global` and `.const` ones, handle of opaque ones;
    /// those of `.shared` variables are not looked at.
    pub addresses: Vec<u64>,
}

impl Symbols {
    /// Address or handle of a variable; 0 if it has none.
    pub fn address(&self, variable: VarId) -> u64 {
        self.addresses.get(variable.0 as usize).copied().unwrap_or(0)
    }
}

const FUNCTION_BASE: u64 = 0x1000;
const FUNCTION_STEP: u64 = 16;

/// The value of a pointer to a function, for initialisers with relocations.
pub fn function_address(function: FuncId) -> u64 {
    FUNCTION_BASE + u64::from(function.0) * FUNCTION_STEP
}

/// The function that a pointer points to, if it is one that [`function_address`] gives.
pub fn function_of_address(address: u64) -> Option<FuncId> {
    let offset = address.checked_sub(FUNCTION_BASE)?;
    let index = u32::try_from(offset / FUNCTION_STEP).ok()?;
    (offset % FUNCTION_STEP == 0).then_some(FuncId(index))
}

/// A kernel of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KernelId(pub(crate) u32);

/// A module as warp code.
#[derive(Clone, Debug)]
pub struct Program {
    plain: Code,
    /// With mul and add fused, where that makes a difference.
    fused: Option<Code>,
    functions: Vec<ir::Function>,
    pub(crate) variables: Vec<ir::Variable>,
    pub(super) needs: Vec<Needs>,
    pub(crate) source: SourceFile,
    sources: Arc<Sources>,
    /// Index of the function that has the body, of each function.
    pub(crate) resolved: Vec<u32>,
    /// Code that has been made for observers.
    pub(crate) kept: marks::Kept,
}

impl Program {
    pub(super) fn new(
        module: &ir::Module,
        plain: Code,
        fused: Option<Code>,
        needs: Vec<Needs>,
        source: &SourceFile,
        resolved: Vec<u32>,
    ) -> Self {
        let bare = |f: &ir::Function| ir::Function { body: None, regs: vec![], ..f.clone() };
        Self {
            plain,
            fused,
            functions: module.functions.iter().map(bare).collect(),
            variables: module.variables.clone(),
            needs,
            source: source.clone(),
            sources: Arc::clone(&module.sources),
            resolved,
            kept: marks::Kept::default(),
        }
    }

    /// All kernels with their names, in the order of the module.
    pub fn kernels(&self) -> impl Iterator<Item = (KernelId, &str)> {
        let all = self.functions.iter().enumerate();
        all.filter(|(i, f)| f.is_entry && self.plain.funcs[*i].has_body)
            .map(|(i, f)| (KernelId(i as u32), f.name.as_str()))
    }

    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<KernelId> {
        self.kernels().find(|(_, n)| *n == name).map(|(id, _)| id)
    }

    fn function(&self, id: KernelId) -> &ir::Function {
        &self.functions[id.0 as usize]
    }

    /// Name of a kernel.
    pub fn kernel_name(&self, id: KernelId) -> &str {
        &self.function(id).name
    }

    /// What its instructions come from.
    pub fn sources(&self) -> &Arc<Sources> {
        &self.sources
    }

    /// The place of an instruction in the PTX, and in the source that it was compiled from. The span is the one
    /// that it has in faults, in what is watched and in lists of fetches.
    pub fn place(&self, span: Span) -> SourcePlace<'_> {
        self.sources.place(&self.source, span)
    }

    /// Parameters of a kernel.
    pub fn kernel_params(&self, id: KernelId) -> &[ir::Param] {
        &self.function(id).params
    }

    /// `.maxntid`, `.reqntid` and so on of a kernel.
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

    /// Every instruction that the kernel can reach and that we do not execute, in source order.
    /// With a call through a register among them, all functions whose address is taken count.
    pub fn unsupported(&self, id: KernelId) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = self
            .reachable(id.0)
            .into_iter()
            .flat_map(|f| self.needs[f as usize].unsupported.iter().cloned())
            .collect();
        all.sort_by_key(|d| d.primary.span);
        all
    }

    /// Functions that can run when `from` does.
    pub(super) fn reachable(&self, from: u32) -> BTreeSet<u32> {
        let mut seen = BTreeSet::new();
        let mut stack = vec![from];
        let mut indirect = false;
        while let Some(f) = stack.pop() {
            let f = self.resolved.get(f as usize).copied().unwrap_or(f);
            let Some(needs) = self.needs.get(f as usize) else { continue };
            if !seen.insert(f) {
                continue;
            }
            stack.extend(needs.functions.iter().map(|f| f.0));
            if needs.indirect && !indirect {
                // Pointers may come from anywhere: initialisers, other kernels by way of memory.
                indirect = true;
                let taken = self.needs.iter().flat_map(|n| n.functions.iter().map(|f| f.0));
                let initial = self.variables.iter().flat_map(|v| &v.relocations);
                let initial = initial.filter_map(|r| match r.target {
                    ir::Symbol::Function(f) => Some(f.0),
                    ir::Symbol::Variable(_) => None,
                });
                stack.extend(taken.chain(initial));
            }
        }
        seen
    }

    /// Whether the kernel can call `malloc` or `free`.
    pub fn uses_heap(&self, id: KernelId) -> bool {
        self.reachable(id.0).into_iter().any(|f| self.needs[f as usize].heap)
    }

    /// Special registers that the kernel can read and that have other values in another run, each once, sorted by
    /// name: clocks, and what depends on the threads of the host.
    pub fn fleeting(&self, id: KernelId) -> Vec<&'static str> {
        let all = self.reachable(id.0).into_iter().flat_map(|f| &self.needs[f as usize].fleeting);
        let names: BTreeSet<&'static str> = all.map(|reg| reg.name()).collect();
        names.into_iter().collect()
    }

    /// Whether the kernel asks where the reserved shared memory lies.
    pub(crate) fn uses_reserved_shared(&self, id: KernelId) -> bool {
        self.reachable(id.0).into_iter().any(|f| self.needs[f as usize].reserved_shared)
    }

    pub(crate) fn code(&self, fmad: bool) -> &Code {
        match &self.fused {
            Some(fused) if fmad => fused,
            _ => &self.plain,
        }
    }

    /// Where shared variables lie for a kernel: by variable, and the size of the static ones.
    pub(crate) fn shared_layout(&self, id: KernelId) -> SharedLayout {
        let mut used: BTreeSet<VarId> = BTreeSet::new();
        for f in self.reachable(id.0) {
            used.extend(&self.needs[f as usize].shared);
        }
        let (mut offsets, mut end, mut align) = (HashMap::new(), 0_u64, 16_u64);
        let mut dynamic = Vec::new();
        for v in used {
            let Some(variable) = self.variables.get(v.0 as usize) else { continue };
            let step = variable.align.max(1);
            if variable.storage == Storage::DynamicShared {
                align = align.max(step);
                dynamic.push(v);
                continue;
            }
            let at = end.checked_next_multiple_of(step).unwrap_or(u64::MAX);
            offsets.insert(v, at);
            end = at.saturating_add(variable.size);
        }
        let size = end;
        // The dynamic part begins where its most aligned variable can.
        let start = if dynamic.is_empty() {
            size
        } else {
            size.checked_next_multiple_of(align).unwrap_or(u64::MAX)
        };
        offsets.extend(dynamic.into_iter().map(|v| (v, start)));
        SharedLayout { offsets, size, dynamic: start }
    }
}

/// Where a kernel's shared variables lie.
pub(crate) struct SharedLayout {
    pub(crate) offsets: HashMap<VarId, u64>,
    /// Bytes of the static ones.
    pub(crate) size: u64,
    /// Where dynamic shared memory begins.
    pub(crate) dynamic: u64,
}

/// The function with the body, of each function: aliases and prototypes lead there.
pub(super) fn resolve_aliases(module: &ir::Module) -> Vec<u32> {
    let functions = &module.functions;
    let bodies: HashMap<&str, u32> = (0..)
        .zip(functions)
        .filter(|(_, f)| f.body.is_some())
        .map(|(i, f)| (f.name.as_str(), i))
        .collect();
    (0..functions.len() as u32)
        .map(|start| {
            let mut at = start;
            // An alias of an alias of ... of itself is cut off.
            for _ in 0..functions.len() {
                match functions.get(at as usize) {
                    Some(f) if f.body.is_none() && f.alias_of.is_some() => {
                        at = f.alias_of.map_or(NONE, |f| f.0);
                    }
                    _ => break,
                }
            }
            match functions.get(at as usize) {
                Some(f) if f.body.is_none() => bodies.get(f.name.as_str()).copied().unwrap_or(at),
                _ => at,
            }
        })
        .collect()
}

const GARBLED: &str =
    "ptxas accepts this form and garbles it; the warning about it says what to write";

fn is_grad(inst: &ir::Instruction) -> bool {
    inst.mods.mip == Some(MipMode::Grad)
}

/// Code and help of an instruction that we do not execute, and the function without a body that it
/// calls.
pub(super) fn why_unsupported(
    inst: &ir::Instruction,
    callee: Option<&str>,
) -> (&'static str, String) {
    if let Some(reason) = super::machinery::reason(inst) {
        return ("E0406", reason.to_owned());
    }
    match inst.opcode {
        Opcode::Tex if inst.mods.types.get(1) == Some(&ScalarType::S32) && is_grad(inst) => (
            "E0401",
            "`tex.grad` has .f32 coordinates only: ptxas takes the bits of integer registers for \
             floats; convert the coordinates and write .f32 as the last type"
                .to_owned(),
        ),
        Opcode::Tex | Opcode::Tld4 => ("E0401", GARBLED.to_owned()),
        Opcode::Suld | Opcode::Sust | Opcode::Sured => ("E0402", GARBLED.to_owned()),
        Opcode::Atom | Opcode::Red => ("E0403", super::machinery::ATOMIC.to_owned()),
        Opcode::Call if callee.is_some_and(super::machinery::is_device_runtime) => {
            ("E0404", super::machinery::DEVICE_RUNTIME.to_owned())
        }
        Opcode::Call => (
            "E0404",
            "of functions without a body only `vprintf`, `__assertfail`, `malloc` and `free` can be \
             called; link the others into the module"
                .to_owned(),
        ),
        Opcode::Mov if matches!(inst.operands.last(), Some(ir::Operand::AddressOf(_, n)) if *n != 0) => {
            (
                "E0405",
                "the address of a `.texref`, `.samplerref` or `.surfref` names one reference, and \
                 nothing lies behind it; declare references of their own instead of an array"
                    .to_owned(),
            )
        }
        _ => ("E0405", "the opcode is known, but not with these modifiers and operands".to_owned()),
    }
}
