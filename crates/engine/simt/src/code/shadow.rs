//! Operands of shadow operations, which compute which bits of registers and memory are
//! uninitialised (`marks::shadow`). The module `lower` inserts the operations beside the
//! instructions that they belong to, and `exec::shadow` interprets them.

use super::{Access, AsyncCopy, Fetch, Located, Matrix, Mma, Slot, SurfaceAccess};

/// A shadow operation. Shadow memory has one byte for each byte of memory, at the same address.
/// Shadow operations never fault, and memory that is not tracked counts as initialised.
#[derive(Clone, Debug)]
pub(crate) enum Shadow {
    /// Loads the shadow of memory into the shadows of registers.
    Load(Access),
    /// Stores the shadows of registers into the shadow of memory.
    Store(Access),
    /// Reports uninitialised registers, which are marked as initialised afterwards.
    Check(Check),
    /// Copies the shadow of the bytes that `cp.async` copies.
    AsyncCopy(AsyncCopy),
    /// Executes a matrix load, store or transposition on shadow registers and the shadow of shared
    /// memory.
    Matrix(Matrix),
    /// Executes a matrix product on the shadows of its registers.
    Mma(Mma),
    /// Checks the texels that a fetch is about to read.
    Fetch(FetchShadow),
    /// Checks or updates the shadow of the surface elements of an access.
    Surface(SurfaceShadow),
    /// Marks bytes as initialised that something other than a store writes.
    Define { at: Located, size: u8 },
}

/// Checks whether registers are initialised, in the active lanes.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) sink: Sink,
    /// Number of the instruction in the program's code.
    pub(crate) op: u32,
    /// The registers and their shadows, pairwise.
    pub(crate) registers: Box<[Slot]>,
    pub(crate) shadows: Box<[Slot]>,
    /// The memory access that the registers belong to, if any.
    pub(crate) access: Option<Access>,
}

/// A fetch that is about to be executed, and the shadows of its destinations.
#[derive(Clone, Debug)]
pub(crate) struct FetchShadow {
    pub(crate) fetch: Fetch,
    /// Number of the instruction in the program's code.
    pub(crate) op: u32,
    /// Shadows of the destinations; `Slot::NONE` for unneeded ones.
    pub(crate) shadows: [Slot; 4],
}

/// A surface access that is about to be executed, and the shadows of its elements.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceShadow {
    pub(crate) access: SurfaceAccess,
    /// Number of the instruction in the program's code.
    pub(crate) op: u32,
    /// Shadows of the loaded elements (`Slot::NONE` for unneeded ones) or of the stored ones.
    pub(crate) shadows: Box<[Slot]>,
}

/// Kind of use of an uninitialised value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sink {
    /// A load has read the value. The value stays uninitialised; the report tells where the value
    /// of a later report comes from.
    Origin,
    /// The value is the condition of a branch.
    Branch,
    /// The value is the guard of an instruction other than a branch.
    Guard,
    /// The value is a memory address.
    Address,
    /// An operand of a fetch, surface access or query: coordinate, level or handle.
    Fetch,
    /// An operand of a vote, a reduction or a barrier, a lane number or a member mask.
    Collective,
    /// A computed value is stored to global memory or to a surface.
    Store,
    /// A loaded value is stored unchanged. The destination becomes uninitialised.
    Copy,
    /// A computed value is stored to memory private to the CTA or thread. The destination becomes
    /// uninitialised.
    Keep,
    /// The value is an operand of an atomic.
    Operand,
    /// The memory operand of an atomic that computes with it.
    Atomic,
}
