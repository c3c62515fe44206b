//! The output of the emitter.

use crate::ir::Routine;
#[cfg(all(feature = "jit", target_arch = "x86_64"))]
use crate::listing::Listing;
use crate::machine::{Mode, SiteAccess};
use crate::needs::Needs;

/// The code of a region, and the tables that a [`crate::region::Function`] needs besides it.
pub(crate) struct Code {
    pub(crate) bytes: Vec<u8>,
    /// For each entry, its mode, its instruction and its code offset.
    pub(crate) entries: Vec<(Mode, u32, u32)>,
    /// Whether lanes can diverge inside the function.
    pub(crate) can_diverge: bool,
    /// For each yield point, its instruction and the code offset of its exit.
    pub(crate) yield_points: Vec<(u32, u32)>,
    /// The constant pool.
    pub(crate) pool: Vec<u64>,
    /// For each access site, the access that uses the site.
    pub(crate) uses: Vec<Option<SiteAccess>>,
    /// Host functions, by the number with which the code calls them.
    pub(crate) routines: Vec<Routine>,
    /// Lengths that register files and inputs must have.
    pub(crate) needs: Needs,
    /// The instructions and headings for the disassembly, if one is requested.
    #[cfg(all(feature = "jit", target_arch = "x86_64"))]
    pub(crate) listing: Option<Listing>,
}
