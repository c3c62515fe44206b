//! Kernels of modules, their properties, and the error for a name that a module does not have.

use crate::arg::ParamInfo;
use crate::module::Module;
use texunit_simt::{Approximate, InstructionForm, KernelId};
use texunit_syntax::{Diagnostic, by_opcode};

/// Maximum number of threads of a CTA.
pub(crate) const MAX_THREADS: u32 = 1024;

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    module: Module,
    id: KernelId,
    name: String,
}

impl Kernel {
    pub(crate) fn of(module: &Module, id: KernelId, name: &str) -> Self {
        Self { module: module.clone(), id, name: name.to_owned() }
    }

    /// The kernel's name in the PTX.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn id(&self) -> KernelId {
        self.id
    }

    /// The module that contains the kernel.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// How the kernel uses each parameter (as a buffer, texture, surface or value), as far as the
    /// PTX shows it.
    pub fn uses(&self) -> texunit_check::uses::Uses {
        self.module.inner.program.uses(self.id)
    }

    /// The kernel's parameters, in order.
    pub fn params(&self) -> Vec<ParamInfo> {
        let program = &self.module.inner.program;
        program.kernel_params(self.id).iter().map(ParamInfo::from).collect()
    }

    /// Bytes of the kernel's parameter buffer.
    pub fn param_size(&self) -> u32 {
        self.module.inner.program.param_size(self.id)
    }

    /// Registers and local memory of a thread, and constant memory of the module.
    pub fn resources(&self) -> texunit_simt::Resources {
        self.module.inner.program.resources(self.id)
    }

    /// The kernel's directives (`.maxntid`, `.reqntid`, `.maxnreg` and so on): names without the
    /// dot, and values.
    pub fn directives(&self) -> &[(String, Vec<u64>)] {
        self.module.inner.program.kernel_directives(self.id)
    }

    /// Bytes of static shared memory of the kernel and of the functions that it calls
    /// (`CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES`).
    pub fn static_shared(&self) -> u32 {
        self.module.inner.program.static_shared(self.id)
    }

    /// Maximum number of threads of a CTA: the product of `.maxntid` or `.reqntid`, or 1024 without
    /// them (`CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK`).
    pub fn max_threads(&self) -> u32 {
        let directives = self.directives().iter();
        let limits = directives.filter(|(name, _)| name == "maxntid" || name == "reqntid");
        let product = |n: &[u64]| n.iter().fold(1_u64, |a, &b| a.saturating_mul(b));
        let most = limits.map(|(_, n)| product(n)).min().unwrap_or(u64::MAX);
        u32::try_from(most).unwrap_or(u32::MAX).min(MAX_THREADS)
    }

    /// Whether the kernel, or a kernel that it may launch, can call `malloc` or `free`.
    pub fn uses_heap(&self) -> bool {
        let program = &self.module.inner.program;
        program.allocates(self.id)
            || self.uses_runtime() && program.kernels().any(|(id, _)| program.allocates(id))
    }

    /// Whether the kernel can call the device runtime, for example to launch kernels.
    pub fn uses_runtime(&self) -> bool {
        self.module.inner.program.uses_runtime(self.id)
    }

    /// Whether the kernel can print (`printf`).
    pub fn prints(&self) -> bool {
        self.module.inner.program.prints(self.id)
    }

    /// Whether the kernel may wait for memory to be changed from outside, as far as the PTX shows
    /// it.
    pub fn may_wait(&self) -> bool {
        self.module.inner.program.may_wait(self.id)
    }

    /// Special registers that the kernel can read and whose values may differ in another run:
    /// clocks, and registers that depend on the host's threads.
    pub fn nondeterministic_inputs(&self) -> Vec<&'static str> {
        self.module.inner.program.nondeterministic_inputs(self.id)
    }

    /// The instruction forms that the kernel can execute, with how well their results are known, in
    /// source order.
    pub fn instruction_forms(&self, approximate: Approximate) -> Vec<InstructionForm<'_>> {
        self.module.inner.program.instruction_forms(self.id, approximate)
    }

    /// Maximum number of CTAs of a cooperative launch, whose registers, local and shared memory
    /// must all be resident at the same time.
    pub fn max_cooperative_ctas(&self, block: [u32; 3], dynamic_shared: u32) -> u64 {
        let threads = block.iter().fold(1_u32, |n, &b| n.saturating_mul(b)).min(MAX_THREADS);
        self.module.inner.program.max_cooperative_ctas(self.id, threads, dynamic_shared)
    }

    /// Instructions for which a launch would be refused: all reachable instructions that are not
    /// supported, as the first of each opcode with their number.
    pub fn unsupported(&self) -> Vec<Diagnostic> {
        by_opcode(self.module.source(), &self.module.inner.program.unsupported(self.id), |_| true)
    }
}

impl Module {
    /// The kernel of this name.
    ///
    /// # Errors
    /// An error with the most similar name, if there is no such kernel.
    pub fn kernel(&self, name: &str) -> Result<Kernel, UnknownKernel> {
        let inner = &self.inner;
        if let Some(id) = inner.program.kernel(name) {
            return Ok(Kernel::of(self, id, name));
        }
        let (kernels, module) = (self.kernels(), self.source().name().to_owned());
        let nearest = nearest(name, &kernels).cloned();
        Err(UnknownKernel { name: name.to_owned(), module, kernels, nearest })
    }

    /// All kernels, in source order.
    pub fn all_kernels(&self) -> impl Iterator<Item = Kernel> + '_ {
        self.inner.program.kernels().map(|(id, name)| Kernel::of(self, id, name))
    }
}

/// A kernel that the module does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownKernel {
    /// The requested name.
    pub name: String,
    /// The module's name.
    pub module: String,
    /// The names of the module's kernels, in source order.
    pub kernels: Vec<String>,
    /// The most similar name, if one is similar enough.
    pub nearest: Option<String>,
}

/// Maximum number of names that a message lists.
const MAX_LISTED: usize = 8;
/// Maximum number of letters of a name that are compared.
const MAX_LETTERS: usize = 200;

/// The name with the fewest differences, which must be at most a third of its letters.
fn nearest<'a>(name: &str, kernels: &'a [String]) -> Option<&'a String> {
    let most = name.chars().count() / 3;
    let is_short = |text: &str| text.len() <= MAX_LETTERS;
    let near = kernels.iter().filter(|known| is_short(known) && is_short(name));
    // If no name is similar: the only kernel whose mangled C++ name contains the given name,
    // preceded by its length as in the mangling.
    let inside = || {
        let mangled = format!("{}{name}", name.len());
        let mut all = kernels.iter().filter(|known| known.contains(&mangled));
        all.next().filter(|_| all.next().is_none())
    };
    near.map(|known| (strsim::osa_distance(known, name), known))
        .filter(|(distance, _)| *distance <= most.max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
        .or_else(inside)
}

impl std::fmt::Display for UnknownKernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` has no kernel `{}`", self.module, self.name)?;
        if let Some(near) = &self.nearest {
            return write!(f, "; did you mean `{near}`?");
        }
        let list: Vec<_> = self.kernels.iter().take(MAX_LISTED).map(|k| format!("`{k}`")).collect();
        match self.kernels.len() {
            0 => write!(f, ": it has no `.entry` at all"),
            n if n > MAX_LISTED => {
                write!(f, "; it has {} and {} more", list.join(", "), n - MAX_LISTED)
            }
            _ => write!(f, "; it has {}", list.join(", ")),
        }
    }
}

impl std::error::Error for UnknownKernel {}
