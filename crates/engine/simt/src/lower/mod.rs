//! Lowers a typed module to warp code.
//!
//! A kernel and the functions that it can call go through these steps ([`unit`]). The steps
//! on a typed function choose among forms of an instruction. The passes after them change warp
//! code, and `texunit dump --pass NAME` applies each pass to the text form of warp code
//! ([`crate::text`]).
//!
//! | step | receives, returns |
//! |---|---|
//! | [`fuse`] | typed function: products that are fused into sums |
//! | [`builder`] | typed function and pairs: instructions whose targets are instructions |
//! | `yields` ([`spin`]) | warp code: the same with a `yield` in each spin loop |
//! | `joins` ([`joins`]) | warp code: the same with reconvergence points |
//! | `registers` ([`reuse`]) | warp code: the same with fewer registers |
//! | `shadows`, `counters`, `marks` ([`crate::marks`]) | warp code: a copy for observers |
//!
//! Lowering never fails: an unsupported instruction becomes a diagnostic, which
//! [`Program::unsupported`] lists for every kernel that can reach it, and a fault if it is
//! executed.

mod arithmetic;
mod builder;
mod call;
mod control;
mod fetch;
mod fidelity;
mod fuse;
mod fused;
mod joins;
mod memory;
mod moves;
mod operands;
mod pools;
mod program;
mod reach;
mod resources;
mod reuse;
mod special_memory;
mod spin;
mod symbols;
mod tensor;
mod texture;
mod unit;
mod unsupported;

pub use crate::launch::KernelId;
pub(crate) use arithmetic::KEYS;
pub(crate) use builder::mask_of;
pub use fidelity::{FetchSite, HandleSource, InstructionForm};
pub(crate) use joins::join;
pub(crate) use operands::is_nondeterministic;
pub(crate) use pools::Pools;
pub(crate) use program::SharedLayout;
pub use program::{Program, lower};
pub use reach::Reach;
pub use resources::Resources;
pub(crate) use reuse::share_rows;
pub(crate) use spin::yield_in_loops;
pub use symbols::{Symbols, function_address, function_of_address};
pub(crate) use tensor::product_of;
use texunit_check::ir;
use texunit_syntax::Diagnostic;
pub(crate) use unit::Unit;
pub use unsupported::{CODES, is_known_function};

/// Requirements of a function besides its code.
#[derive(Clone, Debug, Default)]
pub(crate) struct Requirements {
    /// Functions that are called or whose address is taken.
    pub(crate) functions: Vec<ir::FuncId>,
    /// Whether the function calls the device runtime.
    pub(crate) runtime: bool,
    /// Whether the function may wait for other threads: it has a spin loop, sleeps, or has loads
    /// that observe concurrent changes.
    pub(crate) may_wait: bool,
    /// Whether the function calls `vprintf`.
    pub(crate) prints: bool,
    /// Whether the function itself calls `malloc` or `free` or their device runtime equivalents.
    pub(crate) allocates: bool,
    /// Whether the function has indirect calls.
    pub(crate) indirect: bool,
    /// Whether the function uses `alloca`.
    pub(crate) alloca: bool,
    /// Whether the function needs a device heap.
    pub(crate) heap: bool,
    /// Whether the function reads the offset of reserved shared memory.
    pub(crate) reserved_shared: bool,
    /// Special registers that the function reads and that differ between runs: clocks, and values
    /// that depend on host threads.
    pub(crate) nondeterministic_inputs: Vec<texunit_isa::SpecialReg>,
    /// Shared variables that the function uses.
    pub(crate) shared: Vec<ir::VarId>,
    /// Diagnostics of unsupported instructions.
    pub(crate) unsupported: Vec<Diagnostic>,
}

/// A module with this text, which must have no errors.
#[cfg(test)]
fn checked(text: &str) -> (ir::Module, texunit_syntax::SourceFile) {
    let source = texunit_syntax::SourceFile::new("t.ptx", text);
    let checked = texunit_check::check(&source, &texunit_syntax::parse(&source).module);
    assert!(checked.diagnostics.iter().all(|d| !d.is_error()), "{:?}\n{text}", checked.diagnostics);
    (checked.module, source)
}

/// A program with this text, which must have no errors.
#[cfg(test)]
pub(crate) fn lower_text(text: &str) -> Program {
    let (module, source) = checked(text);
    lower(module, Symbols::default(), source)
}
