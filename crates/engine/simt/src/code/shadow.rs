//! Operations on shadows: which bits of registers and memory nobody has written (`observe::shadow`).

use super::{Access, AsyncCopy, Fetch, Located, Matrix, Mma, Slot, SurfaceAccess};
use crate::observe::Sink;

/// What is done with shadows of memory, which have the bytes of memory at the same addresses. None of these can fault,
/// and what is not tracked counts as written.
#[derive(Clone, Debug)]
pub(crate) enum Shadow {
    /// Of memory, into shadows of registers.
    Load(Access),
    /// The other way.
    Store(Access),
    /// Tells what is undefined, which then counts as defined.
    Check(Check),
    /// With what `cp.async` copies.
    AsyncCopy(AsyncCopy),
    /// With matrices: by the same instruction, with shadows of registers, on the shadow of shared memory.
    Matrix(Matrix),
    /// With products of matrices: registers are shadows.
    Mma(Mma),
    /// Of the texels that a fetch will read.
    Fetch(FetchShadow),
    /// Of the elements of a surface.
    Surface(SurfaceShadow),
    /// Bytes are written by something that is no store.
    Define { at: Located, size: u8 },
}

/// Looks whether registers are defined, in the lanes that come by.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) sink: Sink,
    /// Number of the operation in the program's code.
    pub(crate) op: u32,
    /// The registers, and their shadows.
    pub(crate) registers: Box<[Slot]>,
    pub(crate) shadows: Box<[Slot]>,
    /// The memory that they come from or go to.
    pub(crate) access: Option<Access>,
}

/// A fetch that is about to be made, and the shadows of what it will give.
#[derive(Clone, Debug)]
pub(crate) struct FetchShadow {
    pub(crate) fetch: Fetch,
    /// Number of the operation in the program's code.
    pub(crate) op: u32,
    /// Of its parts; `Slot::NONE` of those that nobody needs.
    pub(crate) shadows: [Slot; 4],
}

/// A surface access that is about to be made, and the shadows of its parts.
#[derive(Clone, Debug)]
pub(crate) struct SurfaceShadow {
    pub(crate) access: SurfaceAccess,
    /// Number of the operation in the program's code.
    pub(crate) op: u32,
    /// Of the elements that are loaded (`Slot::NONE`: nobody needs it) or stored.
    pub(crate) shadows: Box<[Slot]>,
}
